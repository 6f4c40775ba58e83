"""Counts of the paths of N decisions from a position, to compare implementations of the rules.

Rules for counting (perft):

- Every legal move of a decision is a branch. In a swap, each sub-multiset of the hand is a branch.
  In the final scoring, each distinct outcome is a branch. For a wall, `early-roll` is a branch too
  if the option is on. Forced placings are not decisions and are played at once.
- Every distinct roll is a branch, whatever its probability. There are 63 combinations of a tower
  color and an unordered pair of house faces, or 21 pairs if the tower die is not rolled. A roll
  does not count as a decision.
- Draws do not branch. The card drawn is the first card of the deck in the order of `CARDS`, so the
  count of a position does not depend on the order of the deck.
- A path has exactly N decisions. A game that ends earlier contributes nothing. For N = 0 there is
  one path.

Numbers are exact below 2^64.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from masons.engine.board.components import HOUSE_DIE, TOWER_DIE
from masons.engine.errors import PositionError
from masons.engine.formats.move_text import Move
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Word, Words, bytes_of, inner, offset
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.rules.legal_moves import (
    MAX_CITIES,
    MAX_MOVES,
    WORK_WORDS,
    list_legal,
    nth_swap,
    swap_count,
)
from masons.engine.rules.transitions import (
    apply_legal,
    apply_move,
    ends_without,
    skip_forced,
    throw_dice,
)
from masons.engine.rules.turns import draw_card
from masons.engine.state import layout
from masons.engine.state.packed_move import NO_DECISION
from masons.engine.state.position import Position

MAX_DEPTH: Final = 64
_FACES = len(HOUSE_DIE)
_DICE: Final = [(i, j) for i in range(_FACES) for j in range(i, _FACES)]
_PAIRS = np.array(_DICE, dtype=np.uint8).ravel()
_PAIR_COUNT = U(len(_DICE))
_ROLL_COUNT = U(len(TOWER_DIE) * len(_DICE))

# A row of `steps` is one step of the current path: uint64[STEP_WORDS].
STEP_WORDS: Final = 3
_STATE, _MOVES, _STEP = U(layout.STATE_WORDS), U(MAX_MOVES), U(STEP_WORDS)
_LEFT = U(0)  # number of decisions still to be made from this step on
_COUNT = U(1)  # number of branches
_DONE = U(2)  # number of branches that have been followed


@inner
def _settle(state: Words, board: Words) -> None:
    """Play forced placings and draws up to a decision, a roll or the end of the game.

    Nothing is random here, because perft counts each roll and always draws the lowest card.
    """
    b = bytes_of(state)
    skip_forced(state, board)
    while b[layout.PHASE] == layout.PHASE_DRAW:
        deck = state[layout.DECK]
        draw_card(state, deck & (~deck + U(1)))


@inner
def _count_branches(state: Words, board: Words, work: Words, roots: Words, moves: Words) -> Word:
    """Return the number of rolls or moves in a state, and fill `moves` with the moves.

    Swaps are counted but not written to `moves`.
    """
    b = bytes_of(state)
    if b[layout.PHASE] == layout.PHASE_ROLL:
        return _ROLL_COUNT if ends_without(state, board, U(b[layout.LINE])) else _PAIR_COUNT
    if b[layout.PHASE] == layout.PHASE_SWAP:
        return swap_count(state[layout.HANDS + U(b[layout.SEAT])])
    return list_legal(state, board, work, roots, moves)


@inner
def _take_branch(state: Words, board: Words, moves: Words, n: Word) -> None:
    """Take roll or move number `n` of a state, then settle the state."""
    b = bytes_of(state)
    if b[layout.PHASE] == layout.PHASE_ROLL:
        pair = U(2) * (n % _PAIR_COUNT)
        die_1, die_2 = U(_PAIRS[pair]), U(_PAIRS[pair + U(1)])
        throw_dice(state, board, n // _PAIR_COUNT, die_1, die_2)
    elif b[layout.PHASE] == layout.PHASE_SWAP:
        apply_legal(state, board, nth_swap(state[layout.HANDS + U(b[layout.SEAT])], n))
    else:
        apply_legal(state, board, moves[n])
    _settle(state, board)


@kernel
def count_paths(
    states: Words,
    board: Words,
    depth: Word,
    work: Words,
    roots: Words,
    moves: Words,
    steps: Words,
) -> Word:
    """Return the number of paths of `depth` decisions from the first state, which is settled.

    `depth` is at least 1. The workspaces `states` (from the second state on), `moves` and `steps`
    have a row of STATE_WORDS, MAX_MOVES or STEP_WORDS words for each step of a path. A step is a
    decision or a roll, so 2 * depth rows are enough. `work` and `roots` are as in `list_moves`.
    """
    paths, row = U(0), U(0)
    steps[_LEFT], steps[_DONE] = depth, U(0)
    steps[_COUNT] = _count_branches(states, board, work, roots, moves)
    while True:
        state, listed = offset(states, _STATE * row), offset(moves, _MOVES * row)
        step = offset(steps, _STEP * row)
        left = step[_LEFT]
        is_roll = bytes_of(state)[layout.PHASE] == layout.PHASE_ROLL
        # The moves of the last decision are counted, but not made.
        last = left == U(1) and not is_roll
        if last:
            paths += step[_COUNT]
        if last or step[_DONE] == step[_COUNT]:
            if row == U(0):
                return paths
            row -= U(1)
            continue
        n = step[_DONE]
        step[_DONE] = n + U(1)
        row += U(1)
        below, step = offset(states, _STATE * row), offset(steps, _STEP * row)
        layout.copy_state(below, state)
        _take_branch(below, board, listed, n)
        step[_LEFT] = left if is_roll else left - U(1)
        step[_DONE] = U(0)
        step[_COUNT] = _count_branches(below, board, work, roots, offset(moves, _MOVES * row))


@kernel
def settle_state(state: Words, board: Words) -> None:
    """Play forced placings and draws in `state`, which is modified in place."""
    _settle(state, board)


def perft(table: Table, position: Position, depth: int) -> int:
    """Return the number of paths of `depth` decisions from a position.

    Raises PositionError for a hidden hand, an invalid position or a depth above MAX_DEPTH.
    """
    return _count(table, _ready(table, position, depth), depth)


def divide(table: Table, position: Position, depth: int) -> Iterator[tuple[Move, int]]:
    """Yield each legal move with the number of paths that begin with this move.

    The paths have `depth` decisions, the first move included. Raises PositionError as `perft` does,
    and also if a roll is due instead of a decision.
    """
    state = _ready(table, position, depth)
    if state.view(np.uint8)[int(layout.PHASE)] == layout.PHASE_ROLL:
        raise PositionError(f"{NO_DECISION['roll']}, no decision: only the whole can be counted")
    moves = table.legal_moves(state) if depth else ()
    for move in moves:
        after = state.copy()
        apply_move(after, table.packed, np.uint64(move))
        settle_state(after, table.packed)
        yield move, _count(table, after, depth - 1)


def _ready(table: Table, position: Position, depth: int) -> layout.State:
    """Return the settled state of a position, after checking the position and the depth."""
    if not position.is_complete:
        raise PositionError("perft needs every hand: this position hides some")
    if not 0 <= depth <= MAX_DEPTH:
        raise PositionError(f"the number of decisions is {depth}: it must be from 0 to {MAX_DEPTH}")
    state = table.state_of(position)
    settle_state(state, table.packed)
    return state


def _count(table: Table, state: layout.State, depth: int) -> int:
    if depth == 0:
        return 1
    rows = 2 * depth
    states = np.zeros(rows * int(layout.STATE_WORDS), dtype=np.uint64)
    states[: state.size] = state
    work = np.zeros(WORK_WORDS, dtype=np.uint64)
    roots = np.zeros(MAX_CITIES, dtype=np.uint64)
    moves = np.zeros(rows * MAX_MOVES, dtype=np.uint64)
    steps = np.zeros(rows * STEP_WORDS, dtype=np.uint64)
    return int(count_paths(states, table.packed, depth, work, roots, moves, steps))
