"""Putting walls, towers and houses on the board, and what follows at once from each.

These functions keep the derived sets right: open lines by the towers at their ends, the components
of the wall graph, the lines that would complete a city, what each `land-` card scores.

Components: two tower spaces with towers have the same label when walls connect them. A wall put
between two tower spaces of one component closes a cycle and with it exactly one city, so the flood
fill runs only then. Labels are joined, never split: a wall that a city gives back never touches the
land outside, and the border of the land outside stays connected without it.

On a board with holes a cycle may run round a lake and enclose nothing. There the lines found by
labels are only candidates, and `settle_closing` tries each before the next wall.
"""

from __future__ import annotations

import numpy as np

from masons.engine.areas import enclosed_area
from masons.engine.bits import U, add, has, lowest
from masons.engine.board import MAX_TOWERS
from masons.engine.jit import Word, Words, bytes_of, halves_of, inlined, inner
from masons.engine.layout import (
    CLOSES,
    CLOSING,
    DOUBLE,
    END,
    END_HOUSES,
    END_TOWERS,
    END_WALLS,
    HOUSE_SUPPLY,
    LABELS_BYTE,
    LAND_HOUSES,
    LAND_REST,
    LINE,
    NONE,
    OPEN,
    SPACES_HALF,
    TOUCHED,
    TOWER_SUPPLY,
    TOWERS,
    WALL_LEFT,
    WALLS,
)
from masons.engine.topology import (
    LINE_SPACES,
    LINE_TOWERS,
    REGION,
    SHORE,
    TOWER_LINES,
    TOWER_NEXT,
    TOWER_SIDES,
)

# Where the counts of LAND_REST stand (bit offsets of its bytes).
LAND_WALL_SHIFT = U(40)
LAND_SHORE_SHIFT = U(32)
LABEL_COUNT = U(MAX_TOWERS)


@inner
def join_components(state: Words, board: Words, kept: Word, gone: Word) -> None:
    """Make two components one, and find the lines that would now complete a city."""
    b = bytes_of(state)
    old, new = np.uint8(gone), np.uint8(kept)
    for i in range(LABEL_COUNT):
        label = b[LABELS_BYTE + i]
        b[LABELS_BYTE + i] = new if label == old else label
    for w in range(U(4)):
        lines = state[DOUBLE + w] & ~state[CLOSING + w]
        while lines:
            at = lowest(lines)
            lines &= lines - U(1)
            first, second = line_ends(board, (w << U(6)) + at)
            if b[LABELS_BYTE + first] == b[LABELS_BYTE + second]:
                state[CLOSING + w] |= U(1) << at


@inner
def settle_closing(state: Words, board: Words) -> None:
    """On a board with holes, keep those of the closing lines whose wall would enclose an area."""
    b = bytes_of(state)
    table = bytes_of(board)
    for w in range(U(4)):
        lines = state[DOUBLE + w]
        state[CLOSING + w] = U(0)
        while lines:
            bit = lines & (~lines + U(1))
            line = (w << U(6)) + lowest(lines)
            lines ^= bit
            first, second = line_ends(board, line)
            if b[LABELS_BYTE + first] != b[LABELS_BYTE + second]:
                continue
            state[WALLS + w] |= bit
            for j in range(U(2)):
                side = U(table[LINE_SPACES + U(2) * line + j])
                lo, hi = enclosed_area(state, board, side, NONE)
                if lo | hi:
                    state[CLOSING + w] |= bit
            state[WALLS + w] ^= bit


@inner
def line_ends(board: Words, line: Word) -> tuple[Word, Word]:
    """The two tower spaces at the ends of a line."""
    at = LINE_TOWERS + U(2) * line
    return U(bytes_of(board)[at]), U(bytes_of(board)[at + U(1)])


@inlined
def put_wall(state: Words, board: Words, line: Word) -> None:
    """Put a wall on an open line."""
    b = bytes_of(state)
    w = line >> U(6)
    bit = U(1) << (line & U(63))
    between = state[DOUBLE + w] & bit
    b[LINE] = line
    b[CLOSES] = U(1) if state[CLOSING + w] & bit else U(0)
    state[WALLS + w] |= bit
    state[OPEN + w] &= ~bit
    state[TOUCHED + w] &= ~bit
    state[DOUBLE + w] &= ~bit
    state[CLOSING + w] &= ~bit
    state[LAND_REST] += U(1) << LAND_WALL_SHIFT
    left = U(b[WALL_LEFT]) - U(1)
    b[WALL_LEFT] = left
    if left == U(0):
        b[END] = END_WALLS
    if between:
        first, second = line_ends(board, line)
        label_1, label_2 = U(b[LABELS_BYTE + first]), U(b[LABELS_BYTE + second])
        if label_1 != label_2:
            join_components(state, board, label_1, label_2)


@inlined
def put_tower(state: Words, board: Words, tower: Word, color: Word) -> None:
    """Put a tower on an empty tower space; its component is still to be said."""
    b = bytes_of(state)
    add(state, TOWERS + U(2) * color, tower)
    supply = state[TOWER_SUPPLY] - (U(1) << (U(8) * color))
    state[TOWER_SUPPLY] = supply
    if supply == U(0) and b[END] == U(0):
        b[END] = END_TOWERS
    shore = (board[SHORE + (tower >> U(6))] >> (tower & U(63))) & U(1)
    state[LAND_REST] += U(1) + (U(256) << (U(8) * color)) + (shore << LAND_SHORE_SHIFT)
    for w in range(U(4)):
        lines = board[TOWER_LINES + U(4) * tower + w] & state[OPEN + w]
        touched = state[TOUCHED + w]
        state[DOUBLE + w] |= touched & lines
        state[TOUCHED + w] = touched | lines


@inlined
def start_component(state: Words, first: Word, second: Word) -> None:
    """The towers just put at both ends of a wall: a component by themselves."""
    b = bytes_of(state)
    b[LABELS_BYTE + first] = first
    b[LABELS_BYTE + second] = first


@inlined
def join_component(state: Words, board: Words, tower: Word, other: Word) -> None:
    """The tower just put at one end of a wall: in the component of the other end, if any."""
    b = bytes_of(state)
    table = bytes_of(board)
    label = U(b[LABELS_BYTE + other])
    if label == NONE:
        label = tower
    alike = U(0)
    for j in range(U(6)):
        neighbour = U(table[TOWER_NEXT + U(8) * tower + j])
        alike |= U(U(b[LABELS_BYTE + neighbour]) == label) << j
    b[LABELS_BYTE + tower] = label
    # One neighbour is `other`, with this turn's wall between.
    if alike & (alike - U(1)):
        _close_beside(state, board, tower, alike)


@inner
def _close_beside(state: Words, board: Words, tower: Word, sides: Word) -> None:
    """The open ones of some sides of a tower space would complete a city."""
    while sides:
        line = U(bytes_of(board)[TOWER_SIDES + U(8) * tower + lowest(sides)])
        sides &= sides - U(1)
        if has(state, OPEN, line):
            add(state, CLOSING, line)


@inlined
def put_house(state: Words, board: Words, space: Word, color: Word) -> None:
    """Put a house on a space outside the cities."""
    halves = halves_of(state)
    halves[SPACES_HALF + space] += U(1) << (U(4) * color)
    state[HOUSE_SUPPLY] -= U(1) << (U(8) * color)
    b = bytes_of(state)
    if state[HOUSE_SUPPLY] == U(0) and b[END] == U(0):
        b[END] = END_HOUSES
    region = U(bytes_of(board)[REGION + space])
    state[LAND_HOUSES] += (U(1) << (U(8) * color)) + (U(1) << (U(40) + U(8) * region))
