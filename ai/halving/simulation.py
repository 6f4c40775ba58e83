"""Trying moves: each is played in the same worlds, with the same luck, and on along its own tree.

A world is a determinization with a generator of its own; every move meets the same ones, so that
what two moves have in common cancels in their difference.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from masons.ai.beliefs.determinization import deal
from masons.ai.halving.wall_tree import FREE, LINKS, NOT_MADE, PATH_WORDS, SET_WORDS, simulate_walls
from masons.ai.models.value_net import NET_WORKSPACE
from masons.ai.search.control import DEADLINE, DONE, STOP
from masons.engine.kernels.bits import U
from masons.engine.kernels.clock import now_ns
from masons.engine.kernels.jit import (
    FloatArray,
    Floats,
    SingleArray,
    Singles,
    Word,
    WordArray,
    Words,
    bytes_of,
    copy_words,
    inner,
    kernel,
    ptr,
)
from masons.engine.kernels.rng import STEP
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.rules.transitions import apply_legal
from masons.engine.state.layout import PHASE, PHASE_OVER, PLAYERS, STATE_WORDS

# What is summed of a move: how often it was tried, then for each seat its share of the victory, the
# square of it, and its score; and how often the game was over.
COLUMNS: Final = 14
VISITS, WINS, SQUARES, SCORES, ENDED = 0, 1, 5, 9, 13

# Workspace: what `new_workspace` makes.
Workspace = tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.float32]]
_COPY, _COUNTERS = STATE_WORDS, 2 * STATE_WORDS
_PATH = _COUNTERS + COUNTER_WORDS
_LINES = _PATH + PATH_WORDS
_WORKSPACE_WORDS: Final = _LINES + SET_WORDS
_WORKSPACE_FLOATS: Final = 8

_COLUMNS = U(COLUMNS)
_STATE = U(STATE_WORDS)
_LINKS = U(LINKS)


@inner
def _add_up(state: Words, sums: Floats, row: Word, shares: Floats, scores: Floats) -> None:
    """Add what came of a try to the row of `sums` that begins at `row`."""
    b = bytes_of(state)
    sums[row] += 1.0
    sums[row + U(ENDED)] += float(U(b[PHASE] == PHASE_OVER))
    for seat in range(U(b[PLAYERS])):
        share = shares[seat]
        sums[row + U(WINS) + seat] += share
        sums[row + U(SQUARES) + seat] += share * share
        sums[row + U(SCORES) + seat] += scores[seat]


# `state`, `copy`, `counters`, `path`, `lines`, `singles`, `shares`, `scores`: see `scratch_of`.
Scratch: TypeAlias = tuple[Words, Words, Words, Words, Words, Singles, Floats, Floats]


@inner
def scratch_of(words: WordArray, floats: FloatArray, singles: SingleArray) -> Scratch:
    """The pieces of a room, as pointers, from an entry point's arrays."""
    return (
        ptr(words),
        ptr(words[_COPY:]),
        ptr(words[_COUNTERS:]),
        ptr(words[_PATH:]),
        ptr(words[_LINES:]),
        ptr(singles),
        ptr(floats),
        ptr(floats[4:]),
    )


@inner
def simulate_move(
    determinization: Words,
    board: Words,
    rng: Words,
    move: Word,
    number: Word,
    heuristic: Floats,
    net: Singles,
    arena: Words,
    size: Word,
    scratch: Scratch,
    sums: Floats,
) -> None:
    """Try a move, the one with this number, in a world; `sums` (float64[n * COLUMNS]) is added to.

    `arena` (uint64[size]; see `wall_tree`), `scratch` workspace (see `scratch_of`).
    """
    state, copy, counters, path, lines, singles, shares, scores = scratch
    copy_words(state, determinization, _STATE)
    apply_legal(state, board, move)
    simulate_walls(
        state, board, rng, heuristic, net, arena, size, _LINKS + number,
        copy, counters, path, lines, singles, shares, scores,
    )  # fmt: skip
    _add_up(state, sums, _COLUMNS * number, shares, scores)


@inner
def clear_links(arena: Words, count: Word) -> None:
    """An empty arena for so many moves."""
    arena[FREE] = _LINKS + count
    for i in range(count):
        arena[_LINKS + i] = NOT_MADE


@kernel
def simulate_moves(
    start: WordArray,
    board: WordArray,
    hidden: WordArray,
    hand_weights: FloatArray,
    moves: WordArray,
    alive: WordArray,
    first: Word,
    step: Word,
    determinizations: Word,
    seed: Word,
    heuristic: FloatArray,
    net: SingleArray,
    arena: WordArray,
    control: WordArray,
    sums: FloatArray,
    base: WordArray,
    rng: WordArray,
    words: WordArray,
    floats: FloatArray,
    singles: SingleArray,
) -> None:
    """Try some moves in some worlds, or in one at least until the stop flag or the deadline.

    The worlds are those with the numbers `first`, `first + step` and so on, `determinizations` of them.
    `start` (uint64[STATE_WORDS]): the observer's view, hidden cards in the deck; `hidden`
    (uint64[4]): how many of them each seat holds; `hand_weights` (float64[HAND_WEIGHTS], see `hand_model`) by which
    they are dealt, or none of them: all as likely; `moves` (uint64[n]), of which `alive`
    (uint64[m]) are tried, by their numbers; `heuristic_moves` (float64[players * PARAMETERS]), `net`
    (float32[WEIGHTS]). Modified in place: `arena` (uint64[any]; its first word 0 when it is new),
    `control` (uint64[CONTROL_WORDS]) and `sums` (float64[n * COLUMNS]). The rest is room to work
    in: uint64 `base` [STATE_WORDS], `rng` [1], and what `new_workspace` makes.
    """
    begin, table, unseen, flags = ptr(start), ptr(board), ptr(hidden), ptr(control)
    chances, predicts_hands = ptr(hand_weights), U(len(hand_weights))
    b, luck, simulations, who, moved = ptr(base), ptr(rng), ptr(sums), ptr(alive), ptr(moves)
    policy, weights, tree, size = ptr(heuristic), ptr(net), ptr(arena), U(len(arena))
    scratch = scratch_of(words, floats, singles)
    if tree[FREE] == U(0):
        clear_links(tree, U(len(moves)))
    for number in range(U(determinizations)):
        # Until each move was tried once there is nothing to go by.
        if flags[DONE] and (flags[STOP] or (flags[DEADLINE] and now_ns() >= flags[DEADLINE])):
            return
        luck[0] = U(seed) + STEP * ((U(first) + U(step) * number) << U(20))
        copy_words(b, begin, _STATE)
        deal(b, unseen, chances, predicts_hands, luck)
        determinization = luck[0]
        for i in range(len(alive)):
            luck[0] = determinization
            simulate_move(
                b,
                table,
                luck,
                moved[who[i]],
                who[i],
                policy,
                weights,
                tree,
                size,
                scratch,
                simulations,
            )
            flags[DONE] += U(1)


def new_workspace() -> Workspace:
    """Workspace, for one thread."""
    return (
        np.zeros(_WORKSPACE_WORDS, dtype=np.uint64),
        np.zeros(_WORKSPACE_FLOATS),
        np.zeros(NET_WORKSPACE, dtype=np.float32),
    )
