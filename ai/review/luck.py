"""Luck apart from play: how the result of a game came together, seat by seat.

Every moment of the game has a value: the win probability of each seat when the whole position, all
hands included, is played on by the policy `busy-best`, each seat by its own cards
(`position_value`). That sees all hands but not the deck, the same for all seats, so the
probabilities add up to 1 and no change of them is lost:

    share of the victory = 1 / seats + turn order + deal + dice + cards + own play + others' play

What the dice and the cards changed is luck, for which the value is fair: on average they change
nothing. What a decision changed is play, against what the policy `busy-best` makes of the
position. It is not the loss of `decision_loss`: that asks what the seat could have known, and
compares with the best move. The sums are exact; how they are divided has the standard error given,
because each value is an average over so many games.

A game that did not end is worth its last value. What a stand-in decided after a forfeit is others'
play for every seat; what being ranked last costs who forfeited is its own play, and what that gives
the others is others' play.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from masons.ai.evaluation.position_value import PositionValue
from masons.ai.review.timeline import CARDS, DEAL, DECISION, DICE, Step, Timeline

LUCK: Final = ("order", DEAL, DICE, CARDS)
PLAY: Final = ("own", "others")
PARTS: Final = (*LUCK, *PLAY)
STROKES: Final = 5


@dataclass(frozen=True)
class Stroke:
    """What step `index` changed: the difference of each seat's win probability, and its error."""

    index: int
    step: Step
    differences: tuple[float, ...]
    errors: tuple[float, ...]


@dataclass(frozen=True)
class Account:
    """How the share of the victory of one seat came together."""

    seat: int
    share: float
    parts: dict[str, float]  # by the names of PARTS
    error: float  # standard error of the luck, and so of the play

    @property
    def luck(self) -> float:
        """All that luck gave."""
        return sum(self.parts[name] for name in LUCK)

    @property
    def without_luck(self) -> float:
        """The share that play alone would have made of an even start; it may be below 0."""
        return self.share - self.luck


def strokes(timeline: Timeline, values: Sequence[PositionValue]) -> list[Stroke]:
    """What each step changed; `values[0]` is before the deal, `values[i + 1]` after step i."""
    return [
        Stroke(
            index,
            step,
            tuple(b - a for a, b in zip(before.wins, after.wins, strict=True)),
            tuple(math.hypot(a, b) for a, b in zip(before.errors, after.errors, strict=True)),
        )
        for index, (step, (before, after)) in enumerate(
            zip(timeline.steps, pairwise(values), strict=True)
        )
    ]


def accounts(timeline: Timeline, values: Sequence[PositionValue]) -> list[Account]:
    """The account of each seat; `values` as for `strokes`."""
    changes = strokes(timeline, values)
    return [_account(timeline, values, changes, seat) for seat in range(timeline.players)]


def _account(
    timeline: Timeline, values: Sequence[PositionValue], changes: Sequence[Stroke], seat: int
) -> Account:
    even = 1 / timeline.players
    parts = dict.fromkeys(PARTS, 0.0)
    parts["order"] = values[0].wins[seat] - even
    for change in changes:
        parts[_part(change.step, seat)] += change.differences[seat]
    share = shares(timeline, values)[seat]
    forfeited = seat in [forfeit.seat for forfeit in timeline.forfeits]
    parts["own" if forfeited else "others"] += share - values[-1].wins[seat]
    error = math.sqrt(sum(_luck_variances(timeline, values, seat)))
    return Account(seat, share, parts, error)


def shares(timeline: Timeline, values: Sequence[PositionValue]) -> tuple[float, ...]:
    """The share of the victory of each seat; of a game that did not end, what it was worth."""
    return timeline.shares if timeline.has_end else values[-1].wins


def _part(step: Step, seat: int) -> str:
    if step.cause != DECISION:
        return step.cause
    return "own" if step.seat == seat and not step.stand_in else "others"


def _luck_variances(
    timeline: Timeline, values: Sequence[PositionValue], seat: int
) -> Iterator[float]:
    """The variances of the values that enter the luck, which are those between luck and play."""
    for number, value in enumerate(values):
        before = number == 0 or timeline.steps[number - 1].cause != DECISION
        after = number < len(timeline.steps) and timeline.steps[number].cause != DECISION
        if before != after:
            yield value.errors[seat] ** 2


def greatest(changes: Sequence[Stroke], most: int = STROKES) -> list[Stroke]:
    """The strokes of luck that changed most for some seat, greatest first."""
    lucky = [change for change in changes if change.step.cause != DECISION]
    return sorted(lucky, key=lambda c: (-max(map(abs, c.differences)), c.index))[:most]
