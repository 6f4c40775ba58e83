"""What a whole position is worth to each seat: how games end that are played on from it.

The games are played by the greedy policy, each seat by its own cards alone, with new dice and a
newly shuffled deck. Unlike a search this also works while the dice or a card are due, and it is
fair to luck: the mean worth over all that can fall or come is the worth before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from masons.ai.evaluation.rewards import win_shares
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import FloatArray, Word, WordArray, bytes_of, copy_words, kernel, ptr
from masons.engine.kernels.rng import new_rng
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.playouts.random_deals import deal_hands
from masons.engine.playouts.random_games import play_out
from masons.engine.playouts.random_moves import GREEDY
from masons.engine.rules.turns import score_of
from masons.engine.state.layout import PLAYERS, STATE_WORDS, State

_STATE = U(STATE_WORDS)


@dataclass(frozen=True)
class PositionValue:
    """For each seat: win share (0 to 1), its standard error, and the final score."""

    wins: tuple[float, ...]
    errors: tuple[float, ...]
    scores: tuple[float, ...]


@kernel
def play_on(
    start: WordArray,
    board: WordArray,
    rng: WordArray,
    count: Word,
    dealt: Word,
    state: WordArray,
    rewards: FloatArray,
    sums: FloatArray,
    counters: WordArray,
) -> None:
    """Play on `count` times from `start` (uint64[STATE_WORDS]); without `dealt`, deal first.

    Adds to `sums` (float64[12]) four sums each of win shares, of their squares and of scores.
    The rest is workspace: uint64 `state` [STATE_WORDS], `counters` [COUNTER_WORDS], float64
    `rewards` [4].
    """
    begin, s, table, random = ptr(start), ptr(state), ptr(board), ptr(rng)
    shares, total, counts = ptr(rewards), ptr(sums), ptr(counters)
    for _ in range(U(count)):
        copy_words(s, begin, _STATE)
        if not dealt:
            deal_hands(s, random)
        play_out(s, table, random, GREEDY, counts)
        win_shares(s, shares)
        for seat in range(U(bytes_of(s)[PLAYERS])):
            reward = shares[seat]
            total[seat] += reward
            total[U(4) + seat] += reward * reward
            total[U(8) + seat] += float(score_of(s, seat))


def value_of_position(
    table: Table, state: State, *, seed: int, count: int, dealt: bool = True
) -> PositionValue:
    """What a state (uint64[STATE_WORDS]) is worth, by `count` games; a game that is over: its end.

    Without `dealt` all cards lie in the deck, and each game deals them anew.
    """
    sums = np.zeros(12)
    play_on(
        state,
        table.packed,
        new_rng(seed),
        count,
        int(dealt),
        np.zeros(STATE_WORDS, dtype=np.uint64),
        np.zeros(4),
        sums,
        np.zeros(COUNTER_WORDS, dtype=np.uint64),
    )
    players = int(state.view(np.uint8)[int(PLAYERS)])
    wins, squares, scores = ((sums[i : i + players] / count).tolist() for i in (0, 4, 8))
    spread = (max(square - win * win, 0.0) for win, square in zip(wins, squares, strict=True))
    return PositionValue(tuple(wins), tuple(math.sqrt(s / count) for s in spread), tuple(scores))
