"""The sets of lines that players choose by: touched by a tower, between towers, closing a city.

Busy play and everything that builds on it picks its walls out of these sets (rules, 8), so a state
carries TOUCHED, DOUBLE and CLOSING along instead of working them out at every wall.

Lines are found closing by the labels of their ends. On a board with holes those are candidates
only, and `settle_closing` checks each before the next wall.
"""

from __future__ import annotations

from masons.engine.board.packed_board import LINE_PLACES, TOWER_LINES, TOWER_NEXT, TOWER_SIDES
from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.jit import Word, Words, bytes_of, inlined, inner
from masons.engine.state.areas import encloses
from masons.engine.state.layout import CLOSING, DOUBLE, LABELS_BYTE, OPEN, TOUCHED, WALLS


@inlined
def drop_line(state: Words, w: Word, bit: Word) -> None:
    """A wall stands on a line now (bit `bit` of word w)."""
    state[TOUCHED + w] &= ~bit
    state[DOUBLE + w] &= ~bit
    state[CLOSING + w] &= ~bit


@inlined
def touch_lines(
    state: Words, board: Words, first: Word, second: Word, put_1: Word, put_2: Word
) -> None:
    """Towers were put at the ends of a wall, the first if `put_1`, the second if `put_2`."""
    for w in range(U(4)):
        lines = board[TOWER_LINES + U(4) * first + w] & (~put_1 + U(1))
        lines |= board[TOWER_LINES + U(4) * second + w] & (~put_2 + U(1))
        lines &= state[OPEN + w]
        # No open line has both of these ends.
        touched = state[TOUCHED + w]
        state[DOUBLE + w] |= touched & lines
        state[TOUCHED + w] = touched | lines


@inlined
def close_beside(state: Words, board: Words, tower: Word, label: Word, put: Word) -> None:
    """A tower is put (if `put`) at the end of a wall whose other end is in component `label`.

    The other lines from it to that component would complete a city now.
    """
    b = bytes_of(state)
    table = bytes_of(board)
    alike = U(0)
    for j in range(U(6)):
        neighbour = U(table[TOWER_NEXT + U(8) * tower + j])
        alike |= U(U(b[LABELS_BYTE + neighbour]) == label) << j
    alike &= ~put + U(1)
    # One neighbour is the other end, with the wall between.
    if alike & (alike - U(1)):
        _close_sides(state, board, tower, alike)


@inner
def _close_sides(state: Words, board: Words, tower: Word, sides: Word) -> None:
    """The open ones of some sides of a tower space would complete a city."""
    while sides:
        line = U(bytes_of(board)[TOWER_SIDES + U(8) * tower + lowest(sides)])
        sides &= sides - U(1)
        w = line >> U(6)
        state[CLOSING + w] |= state[OPEN + w] & (U(1) << (line & U(63)))


@inlined
def _within(state: Words, board: Words, line: Word) -> Word:
    """Whether both ends of a line between towers are in one component."""
    b = bytes_of(state)
    at = LINE_PLACES + U(8) * line
    first, second = U(bytes_of(board)[at]), U(bytes_of(board)[at + U(1)])
    return b[LABELS_BYTE + first] == b[LABELS_BYTE + second]


@inner
def close_joined(state: Words, board: Words) -> None:
    """Two components were made one: find the lines that would now complete a city."""
    for w in range(U(4)):
        lines = state[DOUBLE + w] & ~state[CLOSING + w]
        while lines:
            at = lowest(lines)
            lines &= lines - U(1)
            state[CLOSING + w] |= U(_within(state, board, (w << U(6)) + at)) << at


@inner
def settle_closing(state: Words, board: Words) -> None:
    """On a board with holes, keep those of the closing lines whose wall would enclose an area."""
    for w in range(U(4)):
        # Where the sets are not kept, DOUBLE may hold lines that have a wall by now.
        lines = state[DOUBLE + w] & state[OPEN + w]
        state[CLOSING + w] = U(0)
        while lines:
            bit = lines & (~lines + U(1))
            line = (w << U(6)) + lowest(lines)
            lines ^= bit
            if not _within(state, board, line):
                continue
            state[WALLS + w] |= bit
            if encloses(state, board, line):
                state[CLOSING + w] |= bit
            state[WALLS + w] ^= bit
