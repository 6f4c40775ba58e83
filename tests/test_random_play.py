"""The random play of the kernels: its statistics (rules, 8), and that every choice is uniform."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, combinations_with_replacement, product
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from masons.engine import layout as at
from masons.engine.bits import U
from masons.engine.board import Board
from masons.engine.chance import Seeded
from masons.engine.choices import (
    ABSTAINS,
    BUSY,
    GREEDY,
    UNIFORM,
    any_line,
    busy_line,
    city_count,
    nth_city,
    random_score,
    random_swap,
)
from masons.engine.components import CARDS
from masons.engine.game import Game, Table
from masons.engine.jit import Words, bytes_of, copy_words, kernel, ptr
from masons.engine.layout import (
    END,
    HANDS,
    NO_CARD,
    PLAYERS,
    SEAT,
    STATE_WORDS,
    TURN,
)
from masons.engine.play import (
    TALLY_DECISIONS,
    TALLY_ENDS,
    TALLY_MERGES,
    TALLY_RESHUFFLES,
    TALLY_SCORES,
    TALLY_SQUARES,
    TALLY_TURNS,
    TALLY_WORDS,
    deal,
    draw_random,
    play_games,
    play_out,
    play_turn,
)
from masons.engine.rng import new_rng, next_word
from masons.engine.rules import score_of
from masons.engine.snapshot import Position, kinds, members
from masons.engine.start import empty_state

Array = NDArray[np.uint64]

# Columns of a game's figures.
DECISIONS, TURNS, MERGES, RESHUFFLES, CITIES, ENDED, POINTS = range(7)
COLUMNS = 10


@kernel
def sample_games(
    start: Words, board: Words, rng: Words, policy: int, games: int, room: Words, out: Words
) -> None:
    """Play games; the figures of each one go into a row of `out`. `room`: a state and a tally."""
    empty, table, random, found = ptr(start), ptr(board), ptr(rng), ptr(out)
    state = ptr(room)
    tally = ptr(room[STATE_WORDS:])
    for game in range(U(games)):
        copy_words(state, empty, U(STATE_WORDS))
        for i in range(U(TALLY_WORDS)):
            tally[i] = U(0)
        deal(state, random)
        play_out(state, table, random, U(policy), tally)
        b = bytes_of(state)
        row = U(COLUMNS) * game
        found[row + U(DECISIONS)] = tally[TALLY_DECISIONS]
        found[row + U(TURNS)] = state[TURN] + U(1)
        found[row + U(MERGES)] = tally[TALLY_MERGES]
        found[row + U(RESHUFFLES)] = tally[TALLY_RESHUFFLES]
        found[row + U(CITIES)] = city_count(state) + tally[TALLY_MERGES]
        found[row + U(ENDED)] = U(b[END])
        for seat in range(U(b[PLAYERS])):
            found[row + U(POINTS) + seat] = score_of(state, seat)


def figures(table: Table, policy: Any, players: int, games: int, seed: int = 1) -> Array:
    """The figures of many games: uint64[games, COLUMNS]."""
    start = empty_state(table.packed, players)
    room = np.zeros(STATE_WORDS + TALLY_WORDS, dtype=np.uint64)
    out = np.zeros((games, COLUMNS), dtype=np.uint64)
    rng = new_rng(seed, players)
    sample_games(start, table.packed, rng, int(policy), games, room, out.reshape(-1))
    return out
if __name__ == "__main__":
    from masons.engine.board import load_board
    t = Table(load_board("classic"))
    for pol in (BUSY, UNIFORM):
        for n in (2,3,4):
            f = figures(t, pol, n, 200000)
            print(int(pol), n, f.mean(0), f.std(0), f[:,POINTS:POINTS+n].mean(), f[:,POINTS:POINTS+n].std(), np.bincount(f[:,ENDED].astype(int),minlength=6)/len(f))
