"""Putting walls, towers and houses on the board, and what follows at once from each.

Components: two tower spaces with towers have the same label when walls connect them. A wall put
between two tower spaces of one component closes a cycle and with it exactly one city, so the flood
fill runs only then. Labels are joined, never split: a wall that a city gives back never touches the
land outside, and the border of the land outside stays connected without it. On a board with holes
a cycle may run round a lake and enclose nothing, so there the flood fill decides.

Which end of a wall has a tower and which colour comes up is as good as random: what is put where is
worked out by arithmetic and small tables, since a branch on it would be predicted wrong.

`sets` says whether to keep TOUCHED, DOUBLE and CLOSING right (see `lines`): only players that look
at them need them, and uniform random play is faster without.
"""

from __future__ import annotations

from masons.engine.board.board_description import MAX_TOWERS
from masons.engine.board.packed_board import HOLES, LINE_PLACES
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Byte, Word, Words, bytes_of, halves_of, inlined, inner
from masons.engine.rules.lines import close_beside, close_joined, drop_line, touch_lines
from masons.engine.rules.roll_outcomes import (
    COLOR_FIRST,
    STEP_CODE,
    STEP_COUNTS,
    STEP_PUT_FIRST,
    STEP_PUT_SECOND,
)
from masons.engine.state.areas import encloses
from masons.engine.state.layout import (
    CLOSES,
    END,
    END_HOUSES,
    END_TOWERS,
    END_WALLS,
    HOUSE_SUPPLY,
    LABELS_BYTE,
    LAND_HOUSES,
    LINE,
    NO_COLOR,
    NONE,
    OPEN,
    SPACES_HALF,
    TOWER_SUPPLY,
    TOWERS,
    WALL_LEFT,
    WALLS,
)

# Where LAND_HOUSES counts the first region's (bit offset of the byte).
LAND_REGION_SHIFT = U(40)
_LABEL_COUNT = U(MAX_TOWERS)
_HOUSE_UNITS = U(4)


@inlined
def line_ends(board: Words, line: Word) -> tuple[Word, Word]:
    """The two tower spaces at the ends of a line."""
    at = LINE_PLACES + U(8) * line
    return U(bytes_of(board)[at]), U(bytes_of(board)[at + U(1)])


@inner
def _relabel(state: Words, kept: Word, gone: Word) -> None:
    """Make two components one."""
    b = bytes_of(state)
    old, new = Byte(gone), Byte(kept)
    for i in range(_LABEL_COUNT):
        label = b[LABELS_BYTE + i]
        b[LABELS_BYTE + i] = new if label == old else label


@inlined
def put_wall(state: Words, board: Words, line: Word, sets: bool) -> None:
    """Put a wall on an open line."""
    b = bytes_of(state)
    first, second = line_ends(board, line)
    label_1, label_2 = U(b[LABELS_BYTE + first]), U(b[LABELS_BYTE + second])
    w = line >> U(6)
    bit = U(1) << (line & U(63))
    state[WALLS + w] |= bit
    state[OPEN + w] &= ~bit
    left = U(b[WALL_LEFT]) - U(1)
    b[WALL_LEFT] = left
    if left == U(0):
        b[END] = END_WALLS
    if sets:
        drop_line(state, w, bit)
    closes = U(0)
    if max(label_1, label_2) != NONE:
        if label_1 == label_2:
            closes = U(1) if board[HOLES] == U(0) else encloses(state, board, line)
        else:
            _relabel(state, label_1, label_2)
            if sets:
                close_joined(state, board)
    b[LINE] = line
    b[CLOSES] = closes


@inlined
def place_towers(state: Words, board: Words, line: Word, step: Word, sets: bool) -> None:
    """Put the towers of an outcome (its step) at the ends of the wall on a line."""
    b = bytes_of(state)
    places = bytes_of(board)
    at = LINE_PLACES + U(8) * line
    first, second = U(places[at]), U(places[at + U(1)])
    label_1, label_2 = U(b[LABELS_BYTE + first]), U(b[LABELS_BYTE + second])
    put_1, put_2 = (step >> STEP_PUT_FIRST) & U(1), (step >> STEP_PUT_SECOND) & U(1)
    color_1, color_2 = step >> COLOR_FIRST, (step >> STEP_CODE) & NO_COLOR
    # Where no tower is put the colour's number reaches beyond the towers, and nothing is added.
    state[TOWERS + U(2) * (color_1 & U(3)) + (first >> U(6))] |= put_1 << (first & U(63))
    state[TOWERS + U(2) * (color_2 & U(3)) + (second >> U(6))] |= put_2 << (second & U(63))
    supply = state[TOWER_SUPPLY] - (step & STEP_COUNTS)
    state[TOWER_SUPPLY] = supply
    if supply == U(0) and b[END] == U(0):
        b[END] = END_TOWERS
    label = min(label_1, label_2)
    label = first if label == NONE else label
    if sets:
        touch_lines(state, board, first, second, put_1, put_2)
        close_beside(state, board, second if put_2 else first, label, put_1 | put_2)
    b[LABELS_BYTE + first] = label if put_1 else label_1
    b[LABELS_BYTE + second] = label if put_2 else label_2


@inlined
def place_houses(state: Words, board: Words, line: Word, step: Word) -> None:
    """Put the houses of an outcome (its step) beside the wall on a line."""
    b = bytes_of(state)
    halves = halves_of(state)
    places = bytes_of(board)
    at = LINE_PLACES + U(8) * line
    put_1, put_2 = (step >> STEP_PUT_FIRST) & U(1), (step >> STEP_PUT_SECOND) & U(1)
    color_1, color_2 = step >> COLOR_FIRST, (step >> STEP_CODE) & NO_COLOR
    counts = step & STEP_COUNTS
    halves[SPACES_HALF + U(places[at + U(2)])] += put_1 << (_HOUSE_UNITS * color_1)
    halves[SPACES_HALF + U(places[at + U(3)])] += put_2 << (_HOUSE_UNITS * color_2)
    region_1 = put_1 << (LAND_REGION_SHIFT + U(8) * U(places[at + U(4)]))
    region_2 = put_2 << (LAND_REGION_SHIFT + U(8) * U(places[at + U(5)]))
    state[LAND_HOUSES] += counts + region_1 + region_2
    supply = state[HOUSE_SUPPLY] - counts
    state[HOUSE_SUPPLY] = supply
    if supply == U(0) and b[END] == U(0):
        b[END] = END_HOUSES
