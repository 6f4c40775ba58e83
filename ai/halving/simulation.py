"""Trying moves: each is played in the same worlds, with the same luck, and on along its own tree.

A world is a determinization with a generator of its own; every move meets the same ones, so that
what two moves have in common cancels in their difference.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.beliefs.determinization import deal
from masons.ai.halving.wall_tree import FREE, LINKS, NOT_MADE, PATH_WORDS, SET_WORDS, try_walls
from masons.ai.models.value_net import NET_ROOM
from masons.ai.search.control import DEADLINE, DONE, STOP
from masons.engine.kernels.bits import U
from masons.engine.kernels.clock import now_ns
from masons.engine.kernels.jit import Word, Words, bytes_of, copy_words, inner, kernel, ptr
from masons.engine.kernels.rng import STEP
from masons.engine.playouts.counters import TALLY_WORDS
from masons.engine.rules.transitions import apply_legal
from masons.engine.state.layout import PHASE, PHASE_OVER, PLAYERS, STATE_WORDS

# What is summed of a move: how often it was tried, then for each seat its share of the victory, the
# square of it, and its score; and how often the game was over.
COLUMNS: Final = 14
TRIES, WINS, SQUARES, SCORES, ENDED = 0, 1, 5, 9, 13

# Room to work in: what `new_room` makes.
Room = tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.float32]]
_COPY, _TALLY = STATE_WORDS, 2 * STATE_WORDS
_PATH = _TALLY + TALLY_WORDS
_LINES = _PATH + PATH_WORDS
_ROOM_WORDS: Final = _LINES + SET_WORDS
_ROOM_FLOATS: Final = 8

_COLUMNS = U(COLUMNS)
_STATE = U(STATE_WORDS)
_LINKS = U(LINKS)


@inner
def _add_up(state: Words, sums: Words, row: Word, shares: Words, scores: Words) -> None:
    """Add what came of a try to the row of `sums` that begins at `row`."""
    b = bytes_of(state)
    sums[row] += 1.0
    sums[row + U(ENDED)] += float(U(b[PHASE] == PHASE_OVER))
    for seat in range(U(b[PLAYERS])):
        share = shares[seat]
        sums[row + U(WINS) + seat] += share
        sums[row + U(SQUARES) + seat] += share * share
        sums[row + U(SCORES) + seat] += scores[seat]


@inner
def desk_of(words: Words, floats: Words, singles: Words) -> Any:
    """The pieces of a room, as pointers, from an entry point's arrays."""
    return (
        ptr(words),
        ptr(words[_COPY:]),
        ptr(words[_TALLY:]),
        ptr(words[_PATH:]),
        ptr(words[_LINES:]),
        ptr(singles),
        ptr(floats),
        ptr(floats[4:]),
    )


@inner
def try_once(
    world: Words,
    board: Words,
    rng: Words,
    move: Word,
    number: Word,
    thumb: Words,
    net: Words,
    arena: Words,
    size: Word,
    desk: Any,
    sums: Words,
) -> None:
    """Try a move, the one with this number, in a world; `sums` (float64[n * COLUMNS]) is added to.

    `arena` (uint64[size]; see `walls`), `desk` room to work in (see `desk_of`).
    """
    state, copy, tally, path, lines, singles, shares, scores = desk
    copy_words(state, world, _STATE)
    apply_legal(state, board, move)
    try_walls(
        state, board, rng, thumb, net, arena, size, _LINKS + number,
        copy, tally, path, lines, singles, shares, scores,
    )  # fmt: skip
    _add_up(state, sums, _COLUMNS * number, shares, scores)


@inner
def clear_links(arena: Words, count: Word) -> None:
    """An empty arena for so many moves."""
    arena[FREE] = _LINKS + count
    for i in range(count):
        arena[_LINKS + i] = NOT_MADE


@kernel
def try_moves(
    start: Words,
    board: Words,
    hidden: Words,
    odds: Words,
    moves: Words,
    alive: Words,
    first: Word,
    step: Word,
    worlds: Word,
    seed: Word,
    thumb: Words,
    net: Words,
    arena: Words,
    control: Words,
    sums: Words,
    base: Words,
    rng: Words,
    words: Words,
    floats: Words,
    singles: Words,
) -> None:
    """Try some moves in some worlds, or in one at least until the stop flag or the deadline.

    The worlds are those with the numbers `first`, `first + step` and so on, `worlds` of them.
    `start` (uint64[STATE_WORDS]): the observer's view, hidden cards in the deck; `hidden`
    (uint64[4]): how many of them each seat holds; `odds` (float64[ODDS], see `hands`) by which
    they are dealt, or none of them: all as likely; `moves` (uint64[n]), of which `alive`
    (uint64[m]) are tried, by their numbers; `thumb` (float64[players * PARAMETERS]), `net`
    (float32[WEIGHTS]). Modified in place: `arena` (uint64[any]; its first word 0 when it is new),
    `control` (uint64[CONTROL_WORDS]) and `sums` (float64[n * COLUMNS]). The rest is room to work
    in: uint64 `base` [STATE_WORDS], `rng` [1], and what `new_room` makes.
    """
    begin, table, unseen, flags = ptr(start), ptr(board), ptr(hidden), ptr(control)
    chances, guesses = ptr(odds), U(len(odds))
    b, luck, tries, who, moved = ptr(base), ptr(rng), ptr(sums), ptr(alive), ptr(moves)
    policy, weights, tree, size = ptr(thumb), ptr(net), ptr(arena), U(len(arena))
    desk = desk_of(words, floats, singles)
    if tree[FREE] == U(0):
        clear_links(tree, U(len(moves)))
    for number in range(U(worlds)):
        # Until each move was tried once there is nothing to go by.
        if flags[DONE] and (flags[STOP] or (flags[DEADLINE] and now_ns() >= flags[DEADLINE])):
            return
        luck[0] = U(seed) + STEP * ((U(first) + U(step) * number) << U(20))
        copy_words(b, begin, _STATE)
        deal(b, unseen, chances, guesses, luck)
        world = luck[0]
        for i in range(len(alive)):
            luck[0] = world
            try_once(
                b, table, luck, moved[who[i]], who[i], policy, weights, tree, size, desk, tries
            )
            flags[DONE] += U(1)


def new_room() -> Room:
    """Room to work in, for one thread."""
    return (
        np.zeros(_ROOM_WORDS, dtype=np.uint64),
        np.zeros(_ROOM_FLOATS),
        np.zeros(NET_ROOM, dtype=np.float32),
    )
