"""Luck adjustment: the result of a game split into chance and play, for each seat.

The luck of a deal, roll or draw is the value after the event minus the mean value over all
outcomes, weighted by their probabilities. (The mean over deals is estimated from independent
deals.) All values come from one evaluator, which sees all hands but not the deck (see
`open_values`). The expected luck is 0, however large the errors of the evaluator are. The effects
of decisions count as play. The following equation holds exactly:

    share of the victory = 1 / seats + turn order + deal + dice + cards + own play + others' play

Play is the change of the evaluator's value that decisions cause. Play differs from the loss in
`decision_loss`, which uses only what the seat could know and compares the move with the best move.
Each value is computed BATCHES times with different random numbers, so that it has a standard error.

The result of an unfinished game is its last value. Decisions of a stand-in after a forfeit count as
others' play for every seat. For the seat that forfeited, the cost of being ranked last counts as
own play. For the other seats, the resulting gain counts as others' play.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from masons.ai.models.model_data import learned_models
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.review.open_values import (
    FACES,
    ROLLS,
    ROW,
    SCORES,
    TOWERS,
    draw_values,
    position_values,
    roll_values,
)
from masons.ai.review.timeline import CARDS, DEAL, DECISION, DICE, Step, Timeline
from masons.ai.rollout.evidence import margins_of
from masons.engine.board.components import CARDS as CARD_IDS
from masons.engine.board.components import HOUSE_DIE, KINDS, TOWER_COLORS
from masons.engine.kernels.jit import FloatArray, new_workspace
from masons.engine.kernels.rng import mix
from masons.engine.rules.transitions import give_card
from masons.engine.state import layout

Batches = tuple[tuple[float, ...], ...]

BATCHES: Final = 8
MOST_FIGURE: Final = 1000.0  # upper bound of all figures in a review, so that sums are finite
_FACES = tuple(dict.fromkeys(HOUSE_DIE))
# Relative probabilities of the pairs of house dice whose first face is not below the second.
_PAIRS: Final = np.tri(FACES) * 2 - np.eye(FACES)


@dataclass(frozen=True)
class StepValue:
    """Win probabilities before and after a step: one row per batch, one number per seat.

    `before` is the mean over all outcomes of chance, and empty for a decision. `after` is empty for
    a decision that is followed by a chance event; `before` of that event takes its place.
    """

    before: Batches
    after: Batches

    @property
    def luck(self) -> FloatArray:
        """The change that is due to chance: float64[BATCHES, players]."""
        change: FloatArray = np.array(self.after) - np.array(self.before)
        return change

    def to_data(self) -> dict[str, Any]:
        """Return these values as a dict that can be written as JSON."""
        return asdict(self)

    @classmethod
    def from_data(
        cls, data: Mapping[str, Any], players: int, has_values: tuple[bool, bool]
    ) -> StepValue:
        """Return the values stored in a dict that `to_data` has made.

        `has_values` says whether there are values before the step, and whether there are values
        after it. Raises ValueError, TypeError or KeyError for any other content.
        """
        both = [np.array(data[key]) for key in ("before", "after")]
        for values, has_value in zip(both, has_values, strict=True):
            is_number = values.dtype.kind in "fi"
            if not is_number or values.shape != ((BATCHES, players) if has_value else (0,)):
                raise ValueError(players)
            if (abs(values) > MOST_FIGURE).any():
                raise ValueError("a value is not a win probability")
        return cls(*(_batches(values.astype(float)) for values in both))


class ChanceValues:
    """The evaluator of a game's steps, with `samples` continuations for each outcome.

    Its values are win probabilities, or final scores if `has_scores` is true.
    """

    def __init__(
        self, timeline: Timeline, samples: int, seed: int, *, has_scores: bool = False
    ) -> None:
        self._timeline = timeline
        first = SCORES if has_scores else 0
        self._columns = slice(first, first + timeline.players)  # in a row of values
        self._samples = max(-(-samples // BATCHES), 1)  # in each batch
        self._seed = seed
        self._models = learned_models(timeline.players)
        self._workspace = new_workspace(PolicyWorkspace)
        self._trial = np.zeros(layout.STATE_WORDS, dtype=np.uint64)

    def of_step(self, index: int) -> StepValue:
        """Return the values before and after step `index`."""
        step = self._timeline.steps[index]
        state = self._timeline.before(index)
        if step.cause == DECISION:
            if not self.has_values(index)[1]:
                return StepValue((), ())
            state = self._timeline.steps[index].state
            after = np.array([self._position(state, index, b) for b in range(BATCHES)])
            return StepValue((), _batches(after))
        batches = [self._chance(step, state, index, batch) for batch in range(BATCHES)]
        before, after = np.array(batches).swapaxes(0, 1)
        return StepValue(_batches(before), _batches(after))

    def has_values(self, index: int) -> tuple[bool, bool]:
        """Return whether step `index` has values before it, and whether it has values after it."""
        is_chance, *next_is_chance = (
            step.cause != DECISION for step in self._timeline.steps[index : index + 2]
        )
        return is_chance, is_chance or not any(next_is_chance)

    def _chance(
        self, step: Step, state: layout.State, index: int, batch: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return the mean value over all outcomes, and the value of the actual outcome."""
        if step.cause == DEAL:
            before = self._position(state, index, batch, dealt=False)
            return before, self._position(step.state, index, batch)
        if step.cause == DICE:
            return self._roll(step, state, index, batch)
        assert step.cause == CARDS
        return self._cards(step, state, index, batch)

    def _values(
        self, kernel: Callable[..., None], state: layout.State, rows: int, samples: int,
        stream: tuple[int, ...], *flags: int,
    ) -> FloatArray:  # fmt: skip
        """Return the values in each of a kernel's `rows`: float64[rows, players]."""
        plan = np.array([samples, mix(self._seed, *stream)], dtype=np.uint64)
        values = np.zeros(rows * ROW)
        kernel(
            state, self._timeline.table.packed, plan, *flags, self._models, self._workspace,
            self._trial, values,
        )  # fmt: skip
        means: FloatArray = values.reshape(rows, ROW)[:, self._columns] / samples
        return means

    def _position(
        self, state: layout.State, index: int, batch: int, *, dealt: bool = True
    ) -> FloatArray:
        samples = self._samples * (1 if dealt else 4)
        return self._values(position_values, state, 1, samples, (index, batch), int(dealt)).ravel()

    def _roll(
        self, step: Step, state: layout.State, index: int, batch: int
    ) -> tuple[FloatArray, FloatArray]:
        wins = self._values(roll_values, state.copy(), ROLLS, self._samples, (index, batch))
        wins = wins.reshape(TOWERS, FACES, FACES, -1)
        tower, *houses = step.fell
        low, high = sorted(map(_FACES.index, houses))
        colors = wins[:1] if tower == "-" else wins
        color = 0 if tower == "-" else TOWER_COLORS.index(tower)
        mean = np.einsum("cijp,ij->p", colors, _PAIRS) / (_PAIRS.sum() * len(colors))
        return mean, wins[color, high, low]

    def _cards(
        self, step: Step, state: layout.State, index: int, batch: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return the values before and after a draw of several cards.

        The value after the draw is the value after its last card. The luck of all cards is added
        up, and the value before the draw is the value after it minus this luck.
        """
        state, luck = state.copy(), np.zeros(self._timeline.players)
        after = luck
        for number, name in enumerate(step.fell):
            wins = self._values(draw_values, state, KINDS, self._samples, (index, batch, number))
            kind = CARD_IDS.index(name)
            after = wins[kind]
            luck = luck + after - _copies(state) @ wins
            give_card(state, kind)
        return after - luck, after


def _batches(values: FloatArray) -> Batches:
    return tuple(tuple(row) for row in values.tolist())


def _copies(state: layout.State) -> FloatArray:
    """Return the probability that each kind is the next card drawn: float64[KINDS]."""
    deck = int(state[int(layout.DECK)])
    copies = np.array([(deck >> 2 * kind & 3).bit_count() for kind in range(KINDS)])
    probabilities: FloatArray = copies / copies.sum()
    return probabilities


LUCK: Final = ("order", DEAL, DICE, CARDS)
PLAY: Final = ("own", "others")
PARTS: Final = (*LUCK, *PLAY)
STROKES: Final = 3


@dataclass(frozen=True)
class Stroke:
    """The change of each seat's win probability in step `index`, with standard errors."""

    index: int
    step: Step
    differences: tuple[float, ...]
    errors: tuple[float, ...]


@dataclass(frozen=True)
class Account:
    """The parts of one seat's share of the victory."""

    seat: int
    share: float
    parts: dict[str, float]  # by the names in PARTS
    error: float  # standard error of the luck, and also of the play

    @property
    def luck(self) -> float:
        """The sum of all parts that are luck."""
        return sum(self.parts[name] for name in LUCK)

    @property
    def without_luck(self) -> float:
        """The share of the victory, adjusted for luck; this may be negative."""
        return self.share - self.luck


def moments(values: Sequence[StepValue]) -> list[FloatArray]:
    """Return the values before the deal and after each step, each float64[BATCHES, players]."""
    after = (value.after or values[n + 1].before for n, value in enumerate(values))
    return [np.array(batches) for batches in (values[0].before, *after)]


@dataclass(frozen=True)
class CurvePoint:
    """The point of a game's curve after decision `number` and the chance events that follow it."""

    number: int  # 0 is the deal
    wins: tuple[float, ...]  # the win probability of each seat, with all hands open
    luck: tuple[float, ...]  # the part of the change since the point before that is due to chance


def curve(timeline: Timeline, values: Sequence[StepValue]) -> list[CurvePoint]:
    """Return a point for each decision. `values` may be those of the first steps only."""
    is_whole = len(values) == len(timeline.steps)
    known = values if is_whole or not values or values[-1].after else values[:-1]
    points: list[CurvePoint] = []
    after = moments(known)[1:] if known else []
    for step, value, batches in zip(timeline.steps, known, after, strict=False):
        wins = tuple(batches.mean(axis=0).tolist())
        luck = value.luck.mean(axis=0) if value.before else np.zeros(timeline.players)
        if points and points[-1].number == step.number:
            luck = luck + points.pop().luck
        points.append(CurvePoint(step.number, wins, tuple(luck.tolist())))
    return points if is_whole else points[:-1]


def strokes(timeline: Timeline, values: Sequence[StepValue]) -> list[Stroke]:
    """Return, for each step, the change of every seat's win probability."""
    return [
        Stroke(index, step, *_mean(change))
        for index, (step, change) in enumerate(zip(timeline.steps, _changes(values), strict=True))
    ]


def _changes(values: Sequence[StepValue]) -> list[FloatArray]:
    """Return the change of the value in each step, each float64[BATCHES, players]."""
    at_step = moments(values)
    return [
        value.luck if value.before else at_step[number + 1] - at_step[number]
        for number, value in enumerate(values)
    ]


def _mean(batches: FloatArray) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return each seat's mean over the batches, and the standard errors of these means."""
    errors = batches.std(axis=0, ddof=1) / math.sqrt(BATCHES)
    return tuple(batches.mean(axis=0).tolist()), tuple(errors.tolist())


def accounts(timeline: Timeline, values: Sequence[StepValue]) -> list[Account]:
    """Return the account of each seat."""
    changes = _changes(values)
    order = np.array(values[0].before) - 1 / timeline.players
    luck = order + sum(
        (c for c, s in zip(changes, timeline.steps, strict=True) if s.cause != DECISION),
        np.zeros_like(order),
    )
    errors = _mean(luck)[1]
    ends = shares(timeline, values)
    last = moments(values)[-1].mean(axis=0)
    result = []
    for seat in range(timeline.players):
        parts = dict.fromkeys(PARTS, 0.0)
        parts["order"] = float(order[:, seat].mean())
        for step, change in zip(timeline.steps, changes, strict=True):
            parts[_part(step, seat)] += float(change[:, seat].mean())
        forfeited = seat in [forfeit.seat for forfeit in timeline.forfeits]
        parts["own" if forfeited else "others"] += ends[seat] - float(last[seat])
        # Where chance follows chance, the value after the first event differs slightly from the
        # value before the second event. The sum of these differences is counted as others' play.
        parts["others"] += ends[seat] - 1 / timeline.players - sum(parts.values())
        result.append(Account(seat, ends[seat], parts, errors[seat]))
    return result


def shares(timeline: Timeline, values: Sequence[StepValue]) -> tuple[float, ...]:
    """Return each seat's share of the victory.

    If the game is unfinished, the last value stands for the share.
    """
    if timeline.has_end:
        return timeline.shares
    return tuple(moments(values)[-1].mean(axis=0).tolist())


def _part(step: Step, seat: int) -> str:
    if step.cause != DECISION:
        return step.cause
    return "own" if step.seat == seat and not step.stand_in else "others"


def extremes(changes: Sequence[Stroke], players: int) -> list[Stroke]:
    """Return the luckiest and unluckiest rolls and draws of each seat, largest change first.

    For each seat, at most STROKES lucky and STROKES unlucky events are returned.
    """
    lucky = [change for change in changes if change.step.cause in (DICE, CARDS)]
    chosen: dict[int, Stroke] = {}
    for seat in range(players):
        ranked = sorted(lucky, key=lambda c: (c.differences[seat], c.index))
        for change in (*ranked[:STROKES], *ranked[-STROKES:]):
            chosen[change.index] = change
    return sorted(chosen.values(), key=lambda c: (-max(map(abs, c.differences)), c.index))


def luck_of_game(timeline: Timeline, samples: int, seed: int) -> tuple[float, ...]:
    """Return each seat's luck in win probability; the seats' luck adds up to 0."""
    evaluator = ChanceValues(timeline, samples, seed)
    total = np.zeros(timeline.players)
    for index, step in enumerate(timeline.steps):
        if step.cause != DECISION:
            total += evaluator.of_step(index).luck.mean(axis=0)
    return tuple(total.tolist())


def margin_luck(timeline: Timeline, samples: int, seed: int) -> list[tuple[float, float]]:
    """Return each seat's luck in points of margin.

    The margin is the seat's score minus the mean score of the other seats. Each item is the luck
    and its standard error. The turn order counts as luck, so the final margin minus the luck is due
    to the play of the seat itself and of the other seats.
    """
    evaluator = ChanceValues(timeline, samples, seed, has_scores=True)
    values = [
        evaluator.of_step(index)
        for index, step in enumerate(timeline.steps)
        if step.cause != DECISION
    ]
    scores = np.array(values[0].before) + sum(value.luck for value in values)
    means, errors = _mean(
        np.stack([margins_of(scores, seat) for seat in range(timeline.players)], axis=1)
    )
    return list(zip(means, errors, strict=True))
