"""Explanations of a decision: why a move is better than another, and the expected line.

The two moves were played in the same worlds of a rollout. A margin is the seat's final
score minus the mean score of the other seats, so the difference of margins is exactly the sum of
these parts:

| part      | points                                                          |
| --------- | --------------------------------------------------------------- |
| `now`     | the seat's points in the turn of the decision                   |
| `cities`  | the seat's points for cities completed later                    |
| `final`   | the seat's points in the final scoring                          |
| `others`  | minus each rival's points, divided by the number of rivals      |

A reason that is smaller than its interval is not mentioned.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from masons.ai.explain.expected_line import (
    ClosedCity,
    ExpectedLine,
    NamedCity,
    closed_cities,
    expected_line,
)
from masons.ai.rollout.evidence import NORMAL, Measure
from masons.ai.rollout.noted_games import NotedGames
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.results import UNKNOWN_POINTS, Analysis
from masons.engine.board.components import CARDS, FIRST_LAND
from masons.engine.formats.move_text import Move
from masons.engine.plain_text import does, listed, owner, points_within, rounded, signed
from masons.engine.state.packed_move import PLAY

PARTS: Final = ("now", "cities", "final", "others")
_MIN_POINTS: Final = 0.05  # smaller differences get no sentence
_MAX_CARDS: Final = 2  # upper limit for the cards in a sentence
# A city is the cause of a difference only if the change of its share, times these points, is at
# least half of the difference. Two cards seldom score more.
_CITY_POINTS: Final = 30.0
# Number of standard errors on each side of an interval that holds for all cards of a hand together
# with a probability of 95 % (Bonferroni correction for eight cards).
_CARDS_NORMAL: Final = 2.73


@dataclass(frozen=True)
class Reason:
    """A part of the difference between two moves, in points of margin.

    Positive points are good for the seat that decides.
    """

    part: str
    seat: int  # the seat whose points differ
    points: float
    interval: float  # half width of the 95 % interval

    @property
    def is_told_apart(self) -> bool:
        """True if the difference exceeds its interval."""
        return abs(self.points) > max(self.interval, _MIN_POINTS)


@dataclass(frozen=True)
class HeldCard:
    """A land card in hand, and its mean points on the board at the end of the game."""

    card: str
    points: float
    points_other: float  # after the other move
    interval: float  # half width of the interval of `more` (see _CARDS_NORMAL)

    @property
    def more(self) -> float:
        """The points after the first move minus the points after the other move."""
        return self.points - self.points_other

    def to_data(self) -> dict[str, Any]:
        """Return this card as a dict that can be written as JSON."""
        return {k: v if k == "card" else round(v, 4) for k, v in asdict(self).items()}


@dataclass(frozen=True)
class PlayedCards:
    """The cards that one of two moves plays."""

    cards: tuple[str, ...]
    is_other: bool  # True if the other move plays them


@dataclass(frozen=True)
class CityChange:
    """A city, and the shares of the games in which a seat's wall completes it."""

    seat: int
    city: NamedCity
    share: float
    share_other: float  # after the other move


@dataclass(frozen=True)
class PointsThisTurn:
    """Another seat, and how many points more it scores in the turn of the decision."""

    seat: int
    points: float  # negative: it scores fewer


Cause = PlayedCards | HeldCard | CityChange | PointsThisTurn
"""A cause of a reason."""


@dataclass(frozen=True)
class Difference:
    """The difference between two moves; intervals are half widths of 95 % confidence intervals."""

    move: Move
    other: Move
    seat: int
    games: int  # number of games of the move that has fewer games
    win: float
    win_interval: float
    points: float  # difference of margins
    points_interval: float
    reasons: tuple[Reason, ...]  # their points add up to `points`
    cities: tuple[ClosedCity, ...]  # completed after the move
    other_cities: tuple[ClosedCity, ...]  # completed after the other move
    worlds: int  # number of worlds in which cities were counted
    cards: tuple[HeldCard, ...]  # cards that both moves keep, largest difference first
    this_turn: tuple[PointsThisTurn, ...] = ()  # of the other seats, if told apart from 0

    @property
    def told(self) -> list[Reason]:
        """The reasons that exceed their intervals.

        Reasons that are good for the seat come first. Within each group, the largest reason comes
        first.
        """
        reasons = [reason for reason in self.reasons if reason.is_told_apart]
        return sorted(reasons, key=lambda reason: (reason.points < 0, -abs(reason.points)))

    @property
    def is_told_apart(self) -> bool:
        """True if the difference of margins exceeds its interval."""
        return abs(self.points) > self.points_interval

    def has_more(self, reason: Reason) -> bool:
        """Return whether the seat of a reason scores more points after the first move."""
        return (reason.points > 0) == (reason.seat == self.seat)

    def causes(self, reason: Reason) -> list[Cause]:
        """Return the causes of a reason: cards played, cards in hand, this turn, or a city."""
        if reason.part == "now":
            moves = ((self.move, False), (self.other, True))
            return [
                PlayedCards(tuple(CARDS[kind] for kind in move.cards), is_other)
                for move, is_other in moves
                if move.kind == PLAY and move.cards
            ]
        half = self._seat_points(reason) / 2
        if reason.part == "final":
            cards = [
                card
                for card in self.cards
                if abs(card.more) > card.interval and (card.more > 0) == (reason.points > 0)
            ][:_MAX_CARDS]
            return [*cards] if abs(sum(card.more for card in cards)) >= half else []
        is_more = self.has_more(reason)
        this_turn = [
            change
            for change in self.this_turn
            if reason.part == "others" and change.seat == reason.seat
            if abs(change.points) >= half and (change.points > 0) == is_more
        ]
        if this_turn:
            return [*this_turn]
        city = _changed_city(self, reason.seat, is_more=is_more)
        if city is None or _CITY_POINTS * abs(city.share - city.share_other) < half:
            return []
        return [city]

    def _seat_points(self, reason: Reason) -> float:
        """Return the size of a reason in points of the seat whose points differ."""
        others = sum(each.part == "others" for each in self.reasons)
        return abs(reason.points) * (others if reason.part == "others" else 1)

    def words(self, names: Sequence[str]) -> list[str]:
        """Return one sentence for each reason that exceeds its interval.

        If no reason exceeds its interval, a single sentence says so.
        """
        sentences = [_sentence(self, reason, names) for reason in self.told]
        if sentences:
            return sentences
        if self.is_told_apart:
            return ["No part of the score can be told apart by itself: only their sum."]
        return ["Can't be told apart: no part of the score differs by more than its error."]

    def to_data(self) -> dict[str, Any]:
        """Return this difference as a dict that can be written as JSON."""
        figures = ("win", "win_interval", "points", "points_interval")
        return {
            "move": str(self.move),
            "against": str(self.other),
            "games": self.games,
            **{name: rounded(getattr(self, name)) for name in figures},
            "reasons": [
                {
                    "part": reason.part,
                    "seat": reason.seat,
                    "points": rounded(reason.points),
                    "interval": rounded(reason.interval),
                }
                for reason in self.reasons
            ],
            "cards": [card.to_data() for card in self.cards],
            "cities": [city.to_data() for city in self.cities],
            "other_cities": [city.to_data() for city in self.other_cities],
        }


def difference(rollout: Rollout, move: Move, other: Move) -> Difference | None:
    """Return the difference between two moves of a rollout, or None if one of them has no games."""
    first, second = (rollout.moves.index(each) for each in (move, other))
    with rollout.lock:
        games = int(min(rollout.sums.games[first], rollout.sums.games[second]))
        noted = rollout.noted
        if not games or noted is None:
            return None
        seat, players = rollout.view.seat, rollout.view.players
        # Use the same factor as the rows of the analysis, so that both show the same interval.
        screening = rollout.screening
        reach = NORMAL if screening is None else screening.reach

        win, win_error = rollout.shown_wins.difference(first, second)

        def paired(measure: int) -> tuple[float, float]:
            mean, error = rollout.sums.difference(measure, first, second, UNKNOWN_POINTS)
            return mean, reach * error

        measures = zip(PARTS, (Measure.NOW, Measure.CITIES, Measure.FINAL), strict=False)
        reasons = [
            Reason(part, seat, *paired(measure * players + seat)) for part, measure in measures
        ]
        for rival in range(players):
            if rival != seat:
                points, interval = paired(Measure.SCORE * players + rival)
                share = 1 / (players - 1)
                reasons.append(Reason("others", rival, -share * points, share * interval))
        numbers = [noted.moves.index(each) for each in (move, other)]
        cities, other_cities = (closed_cities(noted, number) for number in numbers)
        return Difference(
            move, other, seat, games, win, reach * win_error,
            *paired(Measure.MARGIN * players), tuple(reasons), cities, other_cities, noted.worlds,
            _held_cards(rollout, noted.hand, first, second), _points_this_turn(noted, *numbers),
        )  # fmt: skip


def _points_this_turn(games: NotedGames, first: int, second: int) -> tuple[PointsThisTurn, ...]:
    """Return the clear differences in what the other seats score in the turn of the decision."""
    changes = []
    for seat in set(range(games.players)) - {games.seat}:
        more = games.points_this_turn(first, seat) - games.points_this_turn(second, seat)
        mean, error = float(more.mean()), math.sqrt((more.var() + 1) / len(more))
        if abs(mean) > NORMAL * error:
            changes.append(PointsThisTurn(seat, mean))
    return tuple(changes)


def _held_cards(
    rollout: Rollout, hand: tuple[int, ...], first: int, second: int
) -> tuple[HeldCard, ...]:
    """Return the land cards that stay in hand after both contenders, largest difference first.

    City cards are left out, because their points depend on the city.
    """
    moves = rollout.moves[first], rollout.moves[second]
    spent = {card for move in moves if move.kind >= PLAY for card in move.cards}
    cards = []
    for kind in sorted(set(hand) - spent):
        if kind >= FIRST_LAND:
            measure = Measure.MARGIN * rollout.view.players + 2 + kind - FIRST_LAND
            points, other = (float(rollout.sums.means(measure)[i]) for i in (first, second))
            _, error = rollout.sums.difference(measure, first, second, 1.0)
            cards.append(HeldCard(CARDS[kind], points, other, _CARDS_NORMAL * error))
    return tuple(sorted(cards, key=lambda card: -abs(card.more)))


def _sentence(split: Difference, reason: Reason, names: Sequence[str]) -> str:
    """Return a sentence like `+2.0 ± 0.6 for seat 0: ...`, where + is good for the seat."""
    head = f"{signed(reason.points)} {points_within(reason.interval)} for {names[split.seat]}: "
    more = "more" if split.has_more(reason) else "fewer"
    causes = [_cause_words(cause, names) for cause in split.causes(reason)]
    cause = f" ({'; '.join(causes)})" if causes else ""
    if reason.part != "others":
        when = {"now": "this turn", "cities": "later cities", "final": "the final scoring"}
        return f"{head}{more} points in {when[reason.part]}{cause}."
    others = len(names) - 1
    each = "" if others == 1 else f", which counts a {'half' if others == 2 else 'third'}"
    return f"{head}{does(names[reason.seat], 'scores')} {more} points{each}{cause}."


def _cause_words(cause: Cause, names: Sequence[str]) -> str:
    match cause:
        case PlayedCards(cards=cards, is_other=is_other):
            return f"{'the other move plays' if is_other else 'plays'} {listed(cards)}"
        case HeldCard():
            return f"{cause.card} is worth {cause.points:.1f} instead of {cause.points_other:.1f}"
        case PointsThisTurn(points=points):
            return f"about {abs(points):.1f} of them in this turn"
        case CityChange(share=share, share_other=other):
            games = f"{100 * share:.0f} % instead of {100 * other:.0f} % of the games"
            return f"{owner(names[cause.seat])} wall completes {cause.city.name} in {games}"


def _changed_city(split: Difference, seat: int, *, is_more: bool) -> CityChange | None:
    """Return the city that explains a difference best, or None.

    The function considers the cities that the seat completes more often after the first move, or
    after the other move if `is_more` is false. Of these cities, it returns the city with the
    largest significant difference.
    """
    shares: dict[NamedCity, list[float]] = {}
    for side, cities in enumerate((split.cities, split.other_cities)):
        for each in cities:
            if each.seat == seat:
                shares.setdefault(each.city, [0.0, 0.0])[side] += each.share
    best, most = None, 0.0
    for city, pair in shares.items():
        share, other = (min(each, 1.0) for each in pair)  # a city may be completed twice
        change = share - other if is_more else other - share
        # A share of 0 or 1 in a few games is not certain, so one game of each kind is added.
        first, second = ((each * split.worlds + 1) / (split.worlds + 2) for each in (share, other))
        error = math.sqrt((first * (1 - first) + second * (1 - second)) / split.worlds)
        if change > max(NORMAL * error, most):
            best, most = CityChange(seat, city, share, other), change
    return best


@dataclass(frozen=True)
class Explanation:
    """The expected line after the best move, and its differences from other moves."""

    line: ExpectedLine
    differences: tuple[Difference, ...]
    played: Move | None = None  # the move that was played, if known from a record

    def why(self, names: Sequence[str]) -> list[str]:
        """Return the reasons in sentences; `names` are the names of all seats."""
        return [sentence for split in self.differences for sentence in split.words(names)]

    def expected(self, names: Sequence[str]) -> list[str]:
        """Return the expected line in sentences; `names` are the names of all seats."""
        following = self.line.next_seat
        return self.line.words(names[following - 1], names[following])


def explained(
    analysis: Analysis,
    rollout: Rollout | None,
    *,
    played: Move | None = None,
    pair: tuple[Move, Move] | None = None,
) -> Explanation | None:
    """Return the explanation of an analysis, or None if there were no games after the best move.

    The best move is compared with the second-best move and with `played`. If a `pair` of moves is
    given, only these two moves are compared, and the move that wins more often comes first.
    """
    noted = None if rollout is None else rollout.noted
    best = analysis.best
    if rollout is None or noted is None or best not in noted.moves:
        return None
    if pair is None:
        others = [row.move for row in analysis.moves[1:2] if row.games]
        others += [] if played is None or played not in noted.moves else [played]
        pairs = [(best, move) for move in dict.fromkeys(others) if move != best]
    else:
        wins = {row.move: row.win or 0.0 for row in analysis.moves}
        pairs = [pair if wins[pair[0]] >= wins[pair[1]] else (pair[1], pair[0])]
    kept = list((Counter(noted.hand) - Counter(best.cards if best.kind >= PLAY else ())).elements())
    differences = (difference(rollout, *moves) for moves in pairs)
    return Explanation(
        expected_line(noted, noted.moves.index(best), tuple(kept)),
        tuple(split for split in differences if split is not None),
        played if pair is None else None,
    )
