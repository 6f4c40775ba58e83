"""Why a move is better than another: the difference of their margins, split into reasons.

Both met the same worlds of a rollout. A margin is the seat's final score less the mean of the
others', so its difference is the sum of these, exactly:

| part      | points                                                    |
| --------- | --------------------------------------------------------- |
| `now`     | own, in the turn of the decision                          |
| `cities`  | own, in cities completed later                            |
| `final`   | own, in the final scoring                                 |
| `others`  | all that another seat scores, shared out among the others |

A reason that is smaller than its interval is not told.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from masons.ai.explain.closed_cities import ClosedCity, closed_cities
from masons.ai.explain.held_cards import HeldCard, held_cards
from masons.ai.rollout.paired_sums import NORMAL, selected_normal
from masons.ai.rollout.rollout import Measure, Rollout
from masons.ai.search.results import UNKNOWN_POINTS, UNKNOWN_WIN
from masons.engine.board.components import CARDS
from masons.engine.formats.move_text import Move
from masons.engine.plain_words import does, listed, owner, points_within, rounded, signed
from masons.engine.state.packed_move import PLAY

PARTS: Final = ("now", "cities", "final", "others")
_LEAST: Final = 0.05  # points that deserve a sentence
_MOST_CARDS: Final = 2


@dataclass(frozen=True)
class Reason:
    """A part of the difference, in points of margin: above 0 it is good for the seat."""

    part: str
    seat: int  # whose points they are
    points: float
    interval: float  # half of 95 %

    @property
    def is_told_apart(self) -> bool:
        """Whether it is more than chance."""
        return abs(self.points) > max(self.interval, _LEAST)


@dataclass(frozen=True)
class Difference:
    """The difference of a move to another one: intervals are half of 95 %."""

    move: Move
    other: Move
    seat: int
    games: int  # of the move that has fewer
    win: float
    win_interval: float
    points: float  # of margin
    points_interval: float
    reasons: tuple[Reason, ...]  # they sum up to `points`
    cities: tuple[ClosedCity, ...]  # after the move, and after the other one
    other_cities: tuple[ClosedCity, ...]
    worlds: int  # in which those were counted
    cards: tuple[HeldCard, ...]  # that both moves keep, those that differ most first

    @property
    def told(self) -> list[Reason]:
        """The reasons that are more than chance: first what is good for the seat, largest first."""
        reasons = [reason for reason in self.reasons if reason.is_told_apart]
        return sorted(reasons, key=lambda reason: (reason.points < 0, -abs(reason.points)))

    def words(self, names: Sequence[str]) -> list[str]:
        """Return a sentence for each reason, or one that says that there is none to tell."""
        sentences = [_sentence(self, reason, names) for reason in self.told]
        if sentences:
            return sentences
        if abs(self.points) > self.points_interval:
            return ["No part of the score can be told apart by itself: only their sum."]
        return ["Not told apart: no part of the score differs by more than its error."]

    def to_data(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        figures = ("win", "win_interval", "points", "points_interval")
        return {
            "move": str(self.move),
            "against": str(self.other),
            "games": self.games,
            **{name: rounded(getattr(self, name)) for name in figures},
            "reasons": [
                {**asdict(one), "points": rounded(one.points), "interval": rounded(one.interval)}
                for one in self.reasons
            ],
            "cards": [card.to_data() for card in self.cards],
            "cities": [city.to_data() for city in self.cities],
            "other_cities": [city.to_data() for city in self.other_cities],
        }


def difference(rollout: Rollout, move: Move, other: Move) -> Difference | None:
    """Return what tells two moves of a rollout apart; None where one of them has no games."""
    first, second = (rollout.moves.index(one) for one in (move, other))
    with rollout.lock:
        games = int(min(rollout.sums.games[first], rollout.sums.games[second]))
        noted = rollout.noted
        if not games or noted is None:
            return None
        seat, players = rollout.view.seat, rollout.view.players
        # As in the rows of the analysis, so that a difference has one interval.
        chosen = rollout.screening
        reach = NORMAL if chosen is None else selected_normal(chosen.measured)

        def apart(measure: int, prior: float = UNKNOWN_POINTS) -> tuple[float, float]:
            mean, error = rollout.sums.difference(measure, first, second, prior)
            return mean, reach * error

        own = zip(PARTS, (Measure.NOW, Measure.CITIES, Measure.FINAL), strict=False)
        reasons = [Reason(part, seat, *apart(measure * players + seat)) for part, measure in own]
        for rival in range(players):
            if rival != seat:
                points, interval = apart(Measure.SCORE * players + rival)
                share = 1 / (players - 1)
                reasons.append(Reason("others", rival, -share * points, share * interval))
        cards = held_cards(rollout, noted.hand, first, second)
        numbers = [noted.moves.index(one) for one in (move, other)]
        cities, other_cities = (closed_cities(noted, number) for number in numbers)
        return Difference(
            move, other, seat, games, *apart(seat, UNKNOWN_WIN),
            *apart(Measure.MARGIN * players), tuple(reasons), cities, other_cities, noted.worlds,
            cards,
        )  # fmt: skip


def _sentence(found: Difference, reason: Reason, names: Sequence[str]) -> str:
    """`+2.0 ± 0.6 for seat 0: ...`: the sign says whether it is good for the seat that decides."""
    head = f"{signed(reason.points)} {points_within(reason.interval)} for {names[found.seat]}: "
    is_more = (reason.points > 0) == (reason.seat == found.seat)
    more = "more" if is_more else "fewer"
    causes = [*_causes(found, reason, names)]
    cause = f" ({'; '.join(causes)})" if causes else ""
    if reason.part == "now":
        return f"{head}{more} points in this turn{cause}."
    if reason.part == "cities":
        return f"{head}{more} points in later cities{cause}."
    if reason.part == "final":
        return f"{head}{more} points in the final scoring{cause}."
    others = len(names) - 1
    each = "" if others == 1 else f", which counts a {'half' if others == 2 else 'third'}"
    return f"{head}{does(names[reason.seat], 'scores')} {more} points{each}{cause}."


def _causes(found: Difference, reason: Reason, names: Sequence[str]) -> Iterator[str]:
    if reason.part == "now":
        yield from _played_cards(found)
    if reason.part == "final":
        yield from _held(found, is_more=reason.points > 0)
    if reason.part in ("cities", "others"):
        is_more = (reason.points > 0) == (reason.seat == found.seat)
        yield from _city(found, reason.seat, names, is_more=is_more)


def _played_cards(found: Difference) -> Iterator[str]:
    for move, words in ((found.move, "plays"), (found.other, "the other move plays")):
        if move.kind == PLAY and move.cards:
            yield f"{words} {listed([CARDS[kind] for kind in move.cards])}"


def _held(found: Difference, *, is_more: bool) -> Iterator[str]:
    """Cards in hand that are worth more at the end."""
    cards = [card for card in found.cards if card.differs and (card.more > 0) == is_more]
    for card in cards[:_MOST_CARDS]:
        yield f"{card.card} is worth {card.points:.1f} instead of {card.points_other:.1f}"


def _city(found: Difference, seat: int, names: Sequence[str], *, is_more: bool) -> Iterator[str]:
    """The city whose completion by a seat differs most, where that is more than chance."""
    shares: dict[tuple[int, str], list[float]] = {}
    for side, cities in enumerate((found.cities, found.other_cities)):
        for city in cities:
            if city.seat == seat:
                shares.setdefault((city.space, city.name), [0.0, 0.0])[side] += city.share
    best, most = "", 0.0
    for (_, name), pair in shares.items():
        here, there = (min(share, 1.0) for share in pair)  # a city may be completed twice
        change = here - there if is_more else there - here
        error = math.sqrt((here * (1 - here) + there * (1 - there) + 0.02) / found.worlds)
        if change > max(NORMAL * error, most):
            most = change
            games = f"{100 * here:.0f} % instead of {100 * there:.0f} % of the games"
            best = f"{owner(names[seat])} wall completes {name} in {games}"
    if best:
        yield best
