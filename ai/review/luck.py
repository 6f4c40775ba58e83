"""Luck apart from play: how the result of a game came together, seat by seat.

What a deal, a roll or a draw changed is its luck: the value after it, less the mean value over all
that could have come, by one evaluator that sees all hands but not the deck (`chance_values`). On
average that is 0, whatever the evaluator gets wrong. What a decision changed is play:

    share of the victory = 1 / seats + turn order + deal + dice + cards + own play + others' play

holds exactly. Play is the gain on what the evaluator expected of the position; it is not the loss
of `decision_loss`, which asks what the seat could have known, and compares with the best move. Each
figure has the standard error of the continuations behind it.

A game that did not end is worth its last value. What a stand-in decided after a forfeit is others'
play for every seat; what being ranked last costs who forfeited is its own play, and what that gives
the others is others' play.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from masons.ai.review.chance_values import BATCHES, ChanceValues, Numbers, StepValue
from masons.ai.review.timeline import CARDS, DEAL, DECISION, DICE, Step, Timeline

LUCK: Final = ("order", DEAL, DICE, CARDS)
PLAY: Final = ("own", "others")
PARTS: Final = (*LUCK, *PLAY)
STROKES: Final = 3


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


def moments(values: Sequence[StepValue]) -> list[Numbers]:
    """The value (float64[BATCHES, players]) before the deal and after each step."""
    found = [values[0].before]
    for number, value in enumerate(values):
        found.append(value.after or values[number + 1].before)
    return [np.array(batches) for batches in found]


def strokes(timeline: Timeline, values: Sequence[StepValue]) -> list[Stroke]:
    """What each step changed."""
    return [
        Stroke(index, step, *_mean(change))
        for index, (step, change) in enumerate(zip(timeline.steps, _changes(values), strict=True))
    ]


def _changes(values: Sequence[StepValue]) -> list[Numbers]:
    """What each step changed, by batch."""
    found = moments(values)
    return [
        value.luck if value.before else found[number + 1] - found[number]
        for number, value in enumerate(values)
    ]


def _mean(batches: Numbers) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The mean over batches for each seat, and its standard error."""
    errors = batches.std(axis=0, ddof=1) / math.sqrt(BATCHES)
    return tuple(batches.mean(axis=0).tolist()), tuple(errors.tolist())


def accounts(timeline: Timeline, values: Sequence[StepValue]) -> list[Account]:
    """The account of each seat."""
    changes = _changes(values)
    order = np.array(values[0].before) - 1 / timeline.players
    luck = order + sum(
        (c for c, s in zip(changes, timeline.steps, strict=True) if s.cause != DECISION),
        np.zeros_like(order),
    )
    errors = _mean(luck)[1]
    ends = shares(timeline, values)
    last = moments(values)[-1].mean(axis=0)
    found = []
    for seat in range(timeline.players):
        parts = dict.fromkeys(PARTS, 0.0)
        parts["order"] = float(order[:, seat].mean())
        for step, change in zip(timeline.steps, changes, strict=True):
            parts[_part(step, seat)] += float(change[:, seat].mean())
        forfeited = seat in [forfeit.seat for forfeit in timeline.forfeits]
        parts["own" if forfeited else "others"] += ends[seat] - float(last[seat])
        # Where chance follows chance, what the evaluator thinks better of is nobody's luck.
        parts["others"] += ends[seat] - 1 / timeline.players - sum(parts.values())
        found.append(Account(seat, ends[seat], parts, errors[seat]))
    return found


def shares(timeline: Timeline, values: Sequence[StepValue]) -> tuple[float, ...]:
    """The share of the victory of each seat; of a game that did not end, what it was worth."""
    if timeline.has_end:
        return timeline.shares
    return tuple(moments(values)[-1].mean(axis=0).tolist())


def _part(step: Step, seat: int) -> str:
    if step.cause != DECISION:
        return step.cause
    return "own" if step.seat == seat and not step.stand_in else "others"


def extremes(changes: Sequence[Stroke], players: int, most: int = STROKES) -> list[Stroke]:
    """The luckiest and unluckiest rolls and draws of each seat, the greatest first."""
    lucky = [change for change in changes if change.step.cause in (DICE, CARDS)]
    found: dict[int, Stroke] = {}
    for seat in range(players):
        ranked = sorted(lucky, key=lambda c: (c.differences[seat], c.index))
        for change in (*ranked[:most], *ranked[-most:]):
            found[change.index] = change
    return sorted(found.values(), key=lambda c: (-max(map(abs, c.differences)), c.index))


def luck_of_game(timeline: Timeline, samples: int, seed: int) -> tuple[float, ...]:
    """What deal, dice and cards gave each seat, in win probability: 0 on average, and in all."""
    evaluator = ChanceValues(timeline, samples, seed)
    total = np.zeros(timeline.players)
    for index, step in enumerate(timeline.steps):
        if step.cause != DECISION:
            total += evaluator.of_step(index).luck.mean(axis=0)
    return tuple(total.tolist())
