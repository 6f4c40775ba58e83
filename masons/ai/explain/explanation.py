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

A part that is smaller than its interval or small beside the largest part is not mentioned. The
others are reasons if they have a cause (see `causes`). A part that is certain has the interval 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Final

from masons.ai.explain.causes import (
    MIN_POINTS,
    MIN_SWAPS,
    Cause,
    KeptCards,
    KnownCauses,
    PlayedCards,
    PointsThisTurn,
    Reason,
    ScoredTurns,
    SwapChange,
    cause_words,
)
from masons.ai.explain.closed_cities import ClosedCity, NotedCities, city_changes
from masons.ai.explain.expected_line import ExpectedLine, expected_line
from masons.ai.explain.game_end import EndChange, end_change
from masons.ai.explain.held_cards import held_cards
from masons.ai.rollout.evidence import NORMAL, Measure
from masons.ai.rollout.noted_games import NotedGames
from masons.ai.rollout.plan import middle_move
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.results import UNKNOWN_POINTS, Analysis
from masons.engine.board.components import CARDS
from masons.engine.formats.move_text import Move
from masons.engine.plain_text import does, percent, points_within, rounded, signed
from masons.engine.state.packed_move import ABSTAIN, FINAL, PLAY, SWAP

PARTS: Final = ("now", "cities", "final", "others")
_WHEN: Final = {"now": "in this turn", "cities": "in later cities", "final": "in the final scoring"}
EVEN: Final = 0.02
"""Moves are about equal if none loses more than this in win probability."""
_LEAST_MIDDLING: Final = 8  # of fewer moves, one in the middle may well be the worst
_MIN_GAMES: Final = 400  # with fewer games of all moves, nothing is compared
# A reason that is smaller than this share of the largest one and of the whole is not mentioned.
_LEAST_SHARE: Final = 0.15
_LEAST_OF_WHOLE: Final = 0.3


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
    causes: KnownCauses
    end: EndChange | None = None  # if one of the moves ends the game much sooner

    @cached_property
    def clear(self) -> tuple[Reason, ...]:
        """The reasons that exceed their intervals and are not small beside the others.

        Reasons that are good for the seat come first. Within each group, the largest reason comes
        first.
        """
        clear = [reason for reason in self.reasons if reason.is_told_apart]
        largest = max((abs(reason.points) for reason in clear), default=0.0)
        least = min(_LEAST_SHARE * largest, _LEAST_OF_WHOLE * abs(self.points))
        clear = [reason for reason in clear if abs(reason.points) >= least]
        return tuple(sorted(clear, key=lambda reason: (reason.points < 0, -abs(reason.points))))

    @cached_property
    def told(self) -> list[Reason]:
        """The clear reasons that have a cause, those that are good for the seat first."""
        return [reason for reason in self.clear if self.causes.of(reason)]

    @property
    def bare(self) -> list[Reason]:
        """The clear reasons without a cause, those that are good for the seat first."""
        return [reason for reason in self.clear if reason not in self.told]

    @property
    def has_reason(self) -> bool:
        """True if a reason for the first move has a cause."""
        return any(reason.points > 0 for reason in self.told)

    @property
    def is_told_apart(self) -> bool:
        """True if the difference of margins exceeds its interval."""
        return abs(self.points) > self.points_interval

    @property
    def is_even(self) -> bool:
        """True if wins, points and turns don't tell the moves apart, or by few wins alone."""
        is_other = self.clear or self.end or self.is_told_apart
        return not is_other and abs(self.win) < max(EVEN, self.win_interval)

    @property
    def given_up(self) -> float:
        """The points that the seat scores more in this turn after the other move.

        They are 0 if they are few, or if no cause or not enough points speak for the first move.
        """
        now = sum(-reason.points for reason in self.clear if reason.part == "now")
        good = sum(reason.points for reason in self.clear if reason.points > 0)
        return now if self.has_reason and 0 < now < good else 0.0

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

    def words(self, names: Sequence[str]) -> list[str]:
        """Return one sentence for each reason with a cause, and one for all others.

        A sentence about the end of the game comes first.
        """
        end = [self.end.words(names)] if self.end else []
        told, before = [], list[Cause]()
        for reason in self.told:
            causes = self.causes.of(reason)
            told.append(_sentence(self, reason, causes, names, is_said=causes == before))
            before = causes
        if bare := [_part_words(self, reason, names) for reason in self.bare]:
            is_against = not (told or end) and all(reason.points < 0 for reason in self.bare)
            head = (
                "No single reason for it; against it" if is_against else "No one cause stands out"
            )
            return [*end, *told, f"{head}: {'; '.join(bare)}."]
        if end or told:
            return [*end, *told]
        if self.is_even:
            return [f"About as good as {self.other}."]
        return ["No single reason: no part of the score differs clearly."]

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
            "cards": [card.to_data() for card in self.causes.cards],
            "cities": [city.to_data() for city in self.cities],
            "other_cities": [city.to_data() for city in self.other_cities],
            "end": self.end and {k: round(v, 4) for k, v in asdict(self.end).items()},
        }


def difference(rollout: Rollout, move: Move, other: Move) -> Difference | None:
    """Return the difference between two moves of a rollout, or None if one of them has no games."""
    first, second = (rollout.moves.index(each) for each in (move, other))
    noted = rollout.noted_after(move, other)
    with rollout.lock:
        games = int(min(rollout.sums.games[first], rollout.sums.games[second]))
        if not games or noted is None:
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

        reasons, this_turn = _parts(paired, seat, players)
        if move.kind >= PLAY and other.kind >= PLAY:  # the seat knows what its cards score
            reasons[0] = replace(reasons[0], interval=0.0)
        win, win_error = rollout.shown_wins.difference(first, second)
        figures = win, reach * win_error, *paired(Measure.MARGIN * players)
        wins_more = win > reach * win_error
        turns = _scored_turns(rollout, first, second, paired)
        cards = held_cards(rollout, noted, (first, second), (0, 1))
    cities = NotedCities(noted)
    closed, other_closed = (cities.closed(number) for number in (0, 1))
    # When cards are scored, the pieces on the board are the same after both moves. So are the
    # chances of cities, except for chance.
    changes = city_changes(cities, 0, 1) if move.kind < PLAY else ()
    has_city = any(change.is_now for change in changes)
    causes = KnownCauses(
        _played(move, other),
        changes,
        cards,
        tuple(replace(change, has_city=has_city) for change in this_turn),
        turns,
        _kept(move, other),
        _swaps(noted, 0, 1),
        reasons[0].points,
    )
    end = end_change(noted, 0, 1, wins_more=wins_more)
    return Difference(
        move, other, seat, games, *figures, tuple(reasons), closed, other_closed, causes, end
    )


Paired = Callable[[int], tuple[float, float]]
"""A function that returns a measure's mean difference between two moves and its interval."""


def _parts(paired: Paired, seat: int, players: int) -> tuple[list[Reason], list[PointsThisTurn]]:
    """Return the parts of a difference, and what the other seats score in the decision's turn."""
    measures = zip(PARTS, (Measure.NOW, Measure.CITIES, Measure.FINAL), strict=False)
    reasons = [Reason(part, seat, *paired(measure * players + seat)) for part, measure in measures]
    this_turn, weight = [], 1 / (players - 1)
    for rival in range(players):
        if rival != seat:
            points, interval = paired(Measure.SCORE * players + rival)
            reasons.append(Reason("others", rival, -weight * points, weight * interval, -weight))
            now, its_interval = paired(Measure.NOW * players + rival)
            if abs(now) > max(its_interval, MIN_POINTS):
                this_turn.append(PointsThisTurn(rival, now, points - now))
    return reasons, this_turn


def _scored_turns(rollout: Rollout, first: int, second: int, paired: Paired) -> ScoredTurns | None:
    """Return in how many later turns cities are scored, or None if none ever is."""
    sums, players = rollout.sums, rollout.view.players
    measure = Measure.MARGIN * players + 2
    turns, other = (float(sums.means(measure)[i]) for i in (first, second))
    if not turns + other:
        return None
    points = [sums.means(Measure.CITIES * players + seat) for seat in range(players)]
    per_turn = (float(each[first] + each[second]) / (turns + other) for each in points)
    return ScoredTurns(turns, other, paired(measure)[1], tuple(per_turn))


def _played(move: Move, other: Move) -> tuple[PlayedCards, ...]:
    """Return the cards that two moves play, and in which city if it is not the same."""
    cards = (CARDS[kind] for each in (move, other) for kind in each.cards)
    is_elsewhere = move.city != other.city and any(card.startswith("city") for card in cards)
    is_elsewhere &= move.kind == FINAL
    return tuple(
        PlayedCards(_ids(each.cards), is_other, each.city if is_elsewhere else None)
        for each, is_other in ((move, False), (other, True))
        if each.kind in (PLAY, FINAL) and each.cards
    )


def _kept(move: Move, other: Move) -> KeptCards | None:
    """Return the cards that only one of two moves of a scoring or swap keeps."""
    kinds = {move.kind, other.kind}
    if not (kinds <= {PLAY, ABSTAIN} or kinds == {SWAP}):
        return None
    first, second = Counter(move.cards), Counter(other.cards)
    # Whoever plays draws one card, whoever abstains two, and whoever swaps as many as before.
    more = sum(
        sign * (0 if each.kind == SWAP else 2 - len(each.cards) - (each.kind == PLAY))
        for each, sign in ((move, 1), (other, -1))
    )
    kept, others = (_ids((a - b).elements()) for a, b in ((second, first), (first, second)))
    return KeptCards(kept, others, more) if kept or others or more else None


def _ids(kinds: Iterable[int]) -> tuple[str, ...]:
    """Return the ids of kinds of cards."""
    return tuple(CARDS[kind] for kind in kinds)


def _swaps(games: NotedGames, first: int, second: int) -> tuple[SwapChange, ...]:
    """Return the seats that may swap cards in this turn much more often after one of two moves."""
    changes = []
    for seat in range(games.players):
        share, other = (float(games.swaps(each, seat).mean()) for each in (first, second))
        if abs(share - other) >= MIN_SWAPS:
            changes.append(SwapChange(seat, share, other))
    return tuple(changes)


def _sentence(
    split: Difference,
    reason: Reason,
    causes: Sequence[Cause],
    names: Sequence[str],
    *,
    is_said: bool,
) -> str:
    """Return a sentence like `+2.0 ± 0.6 for seat 0: ...`, where + is good for the seat.

    `is_said` is true if the sentence before named the same causes.
    """
    head = f"{_shown(split, reason)} for {names[split.seat]}: "
    more = "more" if reason.seat_points > 0 else "fewer"
    why = "; ".join(cause_words(cause, split.seat, names) for cause in causes)
    because = "for the same reason" if is_said else why
    if reason.part != "others":
        return f"{head}{more} points {_WHEN[reason.part]} ({because})."
    others = len(names) - 1
    each = "" if others == 1 else f", which counts {'half' if others == 2 else 'a third'}"
    return f"{head}{does(names[reason.seat], 'scores')} {more} points{each} ({because})."


def _part_words(split: Difference, reason: Reason, names: Sequence[str]) -> str:
    """Return a reason without a cause, such as `+2.0 ± 0.6 in later cities`."""
    where = _WHEN.get(reason.part) or f"by what {does(names[reason.seat], 'scores')}"
    return f"{_shown(split, reason)} {where}"


def _shown(split: Difference, reason: Reason) -> str:
    return points_text(split.shown[split.reasons.index(reason)], reason.interval)


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
    most_lost: float | None = None  # no move loses more, if all are about equal (see `EVEN`)
    choices: int = 0  # number of moves

    def why(self, names: Sequence[str]) -> list[str]:
        """Return the reasons in sentences; `names` are the names of all seats."""
        if self.most_lost is not None:
            others = "every other move" if self.choices > 2 else "the other move"
            least = f"{others} wins at most {percent(self.most_lost)} % less often"
            return [f"It hardly matters: {least}."]
        return [sentence for split in self.differences for sentence in split.words(names)]

    def expected(self, names: Sequence[str]) -> list[str]:
        """Return the expected line in sentences; `names` are the names of all seats."""
        return self.line.words(names[self.line.seat], names[self.line.next_seat])


def explained(
    analysis: Analysis,
    rollout: Rollout | None,
    *,
    played: Move | None = None,
    pair: tuple[Move, Move] | None = None,
) -> Explanation | None:
    """Return the explanation of an analysis, or None if no games after the best move were noted.

    The best move is compared with the second-best move and with `played`. If none of these
    differences has a reason for the best move, it is also compared with a move from the middle of
    the search's order, if that gives one. If it does not, and all moves are about equal, that is
    the explanation. If a `pair` of moves is given, only these two moves are
    compared, and the move that wins more often comes first. Before there are enough games, nothing
    is compared, unless the results are certain.
    """
    best = analysis.best
    noted = None if rollout is None or best not in rollout.moves else rollout.noted_after(best)
    if rollout is None or noted is None:
        return None
    if pair is None:
        others = [row.move for row in analysis.moves[1:2] if row.games]
        others += [] if played is None or played not in rollout.moves else [played]
        pairs = [(best, move) for move in dict.fromkeys(others) if move != best]
    else:
        wins = {row.move: row.win or 0.0 for row in analysis.moves}
        pairs = [pair if wins[pair[0]] >= wins[pair[1]] else (pair[1], pair[0])]
    kept = list((Counter(noted.hand) - Counter(best.cards)).elements())
    is_enough = rollout.games >= _MIN_GAMES
    splits = [
        difference(rollout, *moves)
        for moves in pairs
        if is_enough or rollout.is_exact([rollout.moves.index(move) for move in moves])
    ]
    differences = [split for split in splits if split is not None]
    middling = most_lost = None
    if pair is None and is_enough and not any(split.has_reason for split in differences):
        most_lost = analysis.most_lost
        middling = _against_middle(rollout, best, differences)
    return Explanation(
        expected_line(NotedCities(noted), 0, tuple(kept)),
        (*differences, *([middling] if middling else [])),
        played if pair is None else None,
        middling.other if middling else None,
        None if middling or most_lost is None or most_lost > EVEN else most_lost,
        len(analysis.moves),
    )


def _against_middle(
    rollout: Rollout, best: Move, compared: Sequence[Difference]
) -> Difference | None:
    """Return the difference from the move in the middle of the search's order.

    Returns None if there are few moves, if this move is the best one, is compared already or has no
    games, and if there is no reason for the best move.
    """
    if len(rollout.searched.moves) < _LEAST_MIDDLING:
        return None
    middle = middle_move(rollout.searched)
    if middle not in rollout.moves or middle in (best, *(split.other for split in compared)):
        return None
    split = difference(rollout, best, middle)
    return split if split and split.has_reason else None
