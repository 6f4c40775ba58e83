"""The value of a whole position to each seat: how games end that are played on from it.

The games are played by the policy `busy-best`, each seat by its own cards alone, with new dice and
a newly shuffled deck. Unlike a search this also works while the dice or a card are due, and it is
fair to chance: the mean value over all that can fall or come is the value before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from masons.ai.evaluation.rewards import fill_rewards
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import (
    FloatArray,
    Floats,
    Word,
    WordArray,
    Words,
    bytes_of,
    copy_words,
    field_of,
    kernel,
    pointers,
    ptr,
)
from masons.engine.kernels.rng import new_rng
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.playouts.random_deals import deal_hands
from masons.engine.playouts.random_games import play_out
from masons.engine.playouts.random_moves import BUSY_BEST
from masons.engine.rules.turns import score_of
from masons.engine.state.layout import PLAYERS, STATE_WORDS, State

_STATE = U(STATE_WORDS)


@dataclass(frozen=True)
class PositionValue:
    """For each seat: win probability (0 to 1), its standard error, and the final score."""

    wins: tuple[float, ...]
    errors: tuple[float, ...]
    scores: tuple[float, ...]


class Workspace(NamedTuple):
    """What games that are played on work with. Everything is modified in place."""

    state: Words  # uint64[STATE_WORDS]
    rewards: Floats  # float64[4]
    counters: Words  # uint64[COUNTER_WORDS]


@kernel
def play_on(
    start: WordArray,
    board: WordArray,
    rng: WordArray,
    count: Word,
    dealt: Word,
    sums: FloatArray,
    workspace: Workspace,
) -> None:
    """Play on `count` times from `start` (uint64[STATE_WORDS]); without `dealt`, deal first.

    Adds to `sums` (float64[12]) four sums each of rewards, of their squares and of scores. `rng`
    (uint64[1]) is modified.
    """
    own = pointers(workspace)
    begin, table, random, total = ptr(start), ptr(board), ptr(rng), ptr(sums)
    for _ in range(U(count)):
        copy_words(own.state, begin, _STATE)
        if not dealt:
            deal_hands(own.state, random)
        play_out(own.state, table, random, BUSY_BEST, own.counters)
        fill_rewards(own.state, own.rewards)
        for seat in range(U(bytes_of(own.state)[PLAYERS])):
            reward = own.rewards[seat]
            total[seat] += reward
            total[U(4) + seat] += reward * reward
            total[U(8) + seat] += float(score_of(own.state, seat))


def value_of_position(
    table: Table, state: State, *, seed: int, count: int, dealt: bool = True
) -> PositionValue:
    """The value of a state (uint64[STATE_WORDS]), by `count` games; a game that is over: its end.

    Without `dealt` all cards lie in the deck, and each game deals them anew.
    """
    sums = np.zeros(12)
    workspace = Workspace(
        state=field_of(np.zeros(STATE_WORDS, dtype=np.uint64)),
        rewards=field_of(np.zeros(4)),
        counters=field_of(np.zeros(COUNTER_WORDS, dtype=np.uint64)),
    )
    play_on(state, table.packed, new_rng(seed), count, int(dealt), sums, workspace)
    players = int(state.view(np.uint8)[int(PLAYERS)])
    wins, squares, scores = ((sums[i : i + players] / count).tolist() for i in (0, 4, 8))
    spread = (max(square - win * win, 0.0) for win, square in zip(wins, squares, strict=True))
    return PositionValue(tuple(wins), tuple(math.sqrt(s / count) for s in spread), tuple(scores))
