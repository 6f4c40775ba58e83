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

A reason that is smaller than its interval is not mentioned. A reason that is certain has the
interval 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Final

from masons.ai.explain.closed_cities import (
    CityChange,
    ClosedCity,
    NotedCities,
    city_changes,
    paired_error,
)
from masons.ai.explain.expected_line import ExpectedLine, expected_line
from masons.ai.explain.game_end import EndChange, end_change
from masons.ai.rollout.evidence import NORMAL, Measure
from masons.ai.rollout.noted_games import NotedGames
from masons.ai.rollout.plan import middle_move
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.results import UNKNOWN_POINTS, Analysis
from masons.engine.board.components import CARD_NAMES, CARDS, FIRST_LAND
from masons.engine.formats.move_text import Move
from masons.engine.plain_text import does, fixed, owner, points_within, rounded, signed
from masons.engine.state.packed_move import FINAL, PLAY
from masons.words.moves import cards_words

PARTS: Final = ("now", "cities", "final", "others")
_WHEN: Final = {"now": "in this turn", "cities": "in later cities", "final": "in the final scoring"}
_LEAST_MIDDLING: Final = 8  # of fewer moves, one in the middle may well be the worst
_MIN_GAMES: Final = 400  # with fewer games of all moves, nothing is compared
_MIN_POINTS: Final = 0.05  # smaller differences get no sentence
_MAX_CARDS: Final = 3  # upper limit for the cards in a sentence
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
    """A card in hand, and the mean points that it brings in one part of the game.

    A game in which the card is not played in this part counts as 0 points.
    """

    part: str  # cities or final
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
        return {k: v if isinstance(v, str) else round(v, 4) for k, v in asdict(self).items()}


@dataclass(frozen=True)
class PlayedCards:
    """The cards that one of two moves plays."""

    cards: tuple[str, ...]
    is_other: bool  # True if the other move plays them


@dataclass(frozen=True)
class PointsThisTurn:
    """Another seat, and how many points more it scores in the decision's turn and after it.

    Negative points mean that it scores fewer.
    """

    seat: int
    points: float
    later: float


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
    changes: tuple[CityChange, ...]  # of cities, largest first
    cards: tuple[HeldCard, ...]  # cards in hand, largest difference first
    this_turn: tuple[PointsThisTurn, ...] = ()  # of the other seats, if told apart from 0
    end: EndChange | None = None  # if one of the moves ends the game much sooner

    @property
    def told(self) -> list[Reason]:
        """The reasons that exceed their intervals.

        Reasons that are good for the seat come first. Within each group, the largest reason comes
        first.
        """
        reasons = [reason for reason in self.reasons if reason.is_told_apart]
        return sorted(reasons, key=lambda reason: (reason.points < 0, -abs(reason.points)))

    @property
    def has_reason(self) -> bool:
        """True if a reason for the first move exceeds its interval."""
        return any(reason.points > 0 for reason in self.told)

    @property
    def is_told_apart(self) -> bool:
        """True if the difference of margins exceeds its interval."""
        return abs(self.points) > self.points_interval

    @cached_property
    def shown(self) -> tuple[float, ...]:
        """The points of `reasons`, rounded to one decimal. They add up to those of the whole.

        The sum of the rounding errors is added to the largest part that is not certain.
        """
        points = [round(reason.points, 1) for reason in self.reasons]
        if unsure := [number for number, reason in enumerate(self.reasons) if reason.interval]:
            largest = max(unsure, key=lambda number: abs(points[number]))
            points[largest] += round(self.points, 1) - sum(points)
        return tuple(points)

    def has_more(self, reason: Reason) -> bool:
        """Return whether the seat of a reason scores more points after the first move."""
        return (reason.points > 0) == (reason.seat == self.seat)

    def causes(self, reason: Reason) -> list[Cause]:
        """Return the causes of a reason: cards played, cards in hand, this turn, or a city."""
        if reason.part == "now":
            moves = ((self.move, False), (self.other, True))
            played = [
                PlayedCards(tuple(CARDS[kind] for kind in move.cards), is_other)
                for move, is_other in moves
                if move.kind in (PLAY, FINAL) and move.cards
            ]
            return [*played] or self._cities(reason)
        if reason.part == "others":
            half = self._seat_points(reason) / 2
            this_turn = [
                change
                for change in self.this_turn
                if change.seat == reason.seat and abs(change.points) >= half
            ]
            return [*this_turn] or self._cities(reason)
        return (self._cities(reason) if reason.part == "cities" else []) or self._cards(reason)

    def _cards(self, reason: Reason) -> list[Cause]:
        """Return the fewest cards in hand that make up at least half of a reason, but no more."""
        cards = [
            card
            for card in self.cards
            if card.part == reason.part and abs(card.more) > max(card.interval, _MIN_POINTS)
        ]
        for count in range(1, min(len(cards), _MAX_CARDS) + 1):
            more = sum(card.more for card in cards[:count]) * math.copysign(1, reason.points)
            if abs(reason.points) / 2 <= more <= abs(reason.points) + reason.interval:
                return [*cards[:count]]
        return []

    def _cities(self, reason: Reason) -> list[Cause]:
        """Return the city that can make up at least half of a reason."""
        half, is_more = self._seat_points(reason) / 2, self.has_more(reason)
        for change in self.changes:
            more = change.share - change.share_other
            if (change.seat, change.is_now, more > 0) == (
                reason.seat,
                reason.part == "now",
                is_more,
            ):
                return [change] if _CITY_POINTS * abs(more) >= half else []
        return []

    def _seat_points(self, reason: Reason) -> float:
        """Return the size of a reason in points of the seat whose points differ."""
        others = sum(each.part == "others" for each in self.reasons)
        return abs(reason.points) * (others if reason.part == "others" else 1)

    def words(self, names: Sequence[str]) -> list[str]:
        """Return one sentence for each reason that exceeds its interval, or say there is none.

        A sentence about the end of the game comes first.
        """
        return [*([self.end.words()] if self.end else []), *self._reason_words(names)]

    def _reason_words(self, names: Sequence[str]) -> list[str]:
        sentences = [_sentence(self, reason, names) for reason in self.told]
        if sentences and not self.has_reason:
            return ["No single reason: no part of the score is clearly better.", *sentences]
        if sentences:
            return sentences
        if self.is_told_apart and round(self.points, 1):
            return ["No single reason: no part of the score differs clearly, only their sum."]
        return ["No single reason: no part of the score differs by more than its error."]

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
            "end": self.end and {k: round(v, 4) for k, v in asdict(self.end).items()},
        }


def difference(
    rollout: Rollout, move: Move, other: Move, cities: NotedCities | None = None
) -> Difference | None:
    """Return the difference between two moves of a rollout, or None if one of them has no games.

    `cities` are those of the rollout's noted games, if they are known already.
    """
    first, second = (rollout.moves.index(each) for each in (move, other))
    if cities is None and rollout.noted is not None:
        cities = NotedCities(rollout.noted)
    with rollout.lock:
        games = int(min(rollout.sums.games[first], rollout.sums.games[second]))
        if not games or cities is None:
            return None
        seat, players = rollout.view.seat, rollout.view.players
        # Use the same factor as the rows of the analysis, so that both show the same interval.
        screening = rollout.screening
        reach = NORMAL if screening is None else screening.reach

        if rollout.is_exact((first, second)):
            reach = 0.0

        def paired(measure: int) -> tuple[float, float]:
            mean, error = rollout.sums.difference(measure, first, second, UNKNOWN_POINTS)
            return mean, reach * error

        measures = zip(PARTS, (Measure.NOW, Measure.CITIES, Measure.FINAL), strict=False)
        reasons = [
            Reason(part, seat, *paired(measure * players + seat)) for part, measure in measures
        ]
        if move.kind >= PLAY and other.kind >= PLAY:  # the seat knows what its cards score
            reasons[0] = replace(reasons[0], interval=0.0)
        this_turn = []
        for rival in range(players):
            if rival != seat:
                points, interval = paired(Measure.SCORE * players + rival)
                share = 1 / (players - 1)
                reasons.append(Reason("others", rival, -share * points, share * interval))
                now, its_interval = paired(Measure.NOW * players + rival)
                if abs(now) > max(its_interval, _MIN_POINTS):
                    this_turn.append(PointsThisTurn(rival, now, points - now))
        win, win_error = rollout.shown_wins.difference(first, second)
        figures = win, reach * win_error, *paired(Measure.MARGIN * players)
        cards = _final_cards(rollout, cities.games.hand, first, second)
    numbers = [cities.games.moves.index(each) for each in (move, other)]
    cards += _later_cards(cities.games, *numbers)
    closed, other_closed = (cities.closed(number) for number in numbers)
    # When cards are scored, the pieces on the board are the same after both moves. So are the
    # chances of cities, except for chance.
    changes = city_changes(cities, *numbers) if move.kind < PLAY else ()
    return Difference(
        move, other, seat, games, *figures, tuple(reasons), closed, other_closed, changes,
        tuple(sorted(cards, key=lambda card: -abs(card.more))), tuple(this_turn),
        end_change(cities.games, *numbers),
    )  # fmt: skip


def _final_cards(
    rollout: Rollout, hand: tuple[int, ...], first: int, second: int
) -> list[HeldCard]:
    """Return what the land cards in hand bring in the final scoring after two contenders.

    City cards are left out: the games do not say what each of them brings in the final scoring.
    """
    cards = []
    for kind in sorted(set(hand)):
        if kind >= FIRST_LAND:
            measure = Measure.MARGIN * rollout.view.players + 2 + kind - FIRST_LAND
            points, other = (float(rollout.sums.means(measure)[i]) for i in (first, second))
            _, error = rollout.sums.difference(measure, first, second, 1.0)
            cards.append(HeldCard("final", CARDS[kind], points, other, _CARDS_NORMAL * error))
    return cards


def _later_cards(games: NotedGames, first: int, second: int) -> list[HeldCard]:
    """Return what the cards in hand bring in later cities after two moves."""
    cards = []
    for kind in sorted(set(games.hand)):
        points, other = (games.later_card_points(number, kind) for number in (first, second))
        interval = _CARDS_NORMAL * paired_error(points - other)
        card = CARDS[kind]
        cards.append(HeldCard("cities", card, float(points.mean()), float(other.mean()), interval))
    return cards


def _sentence(split: Difference, reason: Reason, names: Sequence[str]) -> str:
    """Return a sentence like `+2.0 ± 0.6 for seat 0: ...`, where + is good for the seat."""
    points = split.shown[split.reasons.index(reason)]
    head = f"{points_text(points, reason.interval)} for {names[split.seat]}: "
    more = "more" if split.has_more(reason) else "fewer"
    causes = [_cause_words(cause, names) for cause in split.causes(reason)]
    cause = f" ({'; '.join(causes)})" if causes else ""
    if reason.part != "others":
        return f"{head}{more} points {_WHEN[reason.part]}{cause}."
    others = len(names) - 1
    each = "" if others == 1 else f", which counts a {'half' if others == 2 else 'third'}"
    return f"{head}{does(names[reason.seat], 'scores')} {more} points{each}{cause}."


def _cause_words(cause: Cause, names: Sequence[str]) -> str:
    match cause:
        case PlayedCards(cards=cards, is_other=is_other):
            return f"{'the other move plays' if is_other else 'plays'} {cards_words(cards)}"
        case HeldCard():
            return (
                f"{CARD_NAMES[cause.card]}: {cause.points:.1f} instead of {cause.points_other:.1f}"
            )
        case PointsThisTurn(points=points, later=later):
            # The rounded parts add up to the rounded sum.
            later = round(points + later, 1) - round(points, 1)
            parts = _more_or_fewer(points, "in this turn"), _more_or_fewer(later, "later")
            return " and ".join(part for part in parts if part)
        case CityChange(share=share, share_other=other):
            games = f"{100 * share:.0f} % instead of {100 * other:.0f} % of the games"
            city = "a city" if cause.city is None else cause.city.name
            when = "in this turn in" if cause.is_now else "later in"
            return f"{owner(names[cause.seat])} wall completes {city} {when} {games}"


def _more_or_fewer(points: float, when: str) -> str:
    """Return a part of a difference, such as `1.5 fewer later`, or "" for nothing."""
    size = fixed(abs(points))
    return f"{size} {'more' if points > 0 else 'fewer'} {when}" if float(size) else ""


def points_text(points: float, interval: float) -> str:
    """Return points with their interval, such as `+2.0 ± 0.6`, or `+2` if they are certain."""
    if not interval:
        return signed(points, 0 if points == round(points) else 1)
    return f"{signed(points)} {points_within(interval)}"


@dataclass(frozen=True)
class Explanation:
    """The expected line after the best move, and its differences from other moves."""

    line: ExpectedLine
    differences: tuple[Difference, ...]
    played: Move | None = None  # the move that was played, if known from a record
    middle: Move | None = None  # a move from the middle of the search's order, if compared

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

    The best move is compared with the second-best move and with `played`. If none of these
    differences has a reason for the best move, it is also compared with a move from the middle of
    the search's order, if that gives one. If a `pair` of moves is given, only these two moves are
    compared, and the move that wins more often comes first. Before there are enough games, nothing
    is compared, unless the results are certain.
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
    cities = NotedCities(noted)
    is_enough = rollout.games >= _MIN_GAMES
    splits = [
        difference(rollout, *moves, cities)
        for moves in pairs
        if is_enough or rollout.is_exact([rollout.moves.index(move) for move in moves])
    ]
    differences = [split for split in splits if split is not None]
    middling = None
    if pair is None and is_enough and not any(split.has_reason for split in differences):
        middling = _against_middle(rollout, best, differences, cities)
    return Explanation(
        expected_line(cities, noted.moves.index(best), tuple(kept)),
        (*differences, *([middling] if middling else [])),
        played if pair is None else None,
        middling.other if middling else None,
    )


def _against_middle(
    rollout: Rollout, best: Move, compared: Sequence[Difference], cities: NotedCities
) -> Difference | None:
    """Return the difference from the move in the middle of the search's order.

    Returns None if there are few moves, if this move is the best one, is compared already or has no
    games, and if there is no reason for the best move.
    """
    if len(rollout.searched.moves) < _LEAST_MIDDLING:
        return None
    middle = middle_move(rollout.searched)
    if middle not in cities.games.moves or middle in (best, *(split.other for split in compared)):
        return None
    split = difference(rollout, best, middle, cities)
    return split if split and split.has_reason else None
