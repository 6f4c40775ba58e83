"""Putting walls, towers and houses on the board, and what follows at once from each.

These functions keep the derived sets right: open lines by the towers at their ends, the components
of the wall graph, the lines that would complete a city, what each `land-` card scores.

Components: two tower spaces with towers have the same label when walls connect them. A wall put
between two tower spaces of one component closes a cycle and with it exactly one city, so the flood
fill runs only then. Labels are joined, never split: a wall that a city gives back never touches the
land outside, and the border of the land outside stays connected without it.
"""

from __future__ import annotations

from masons.engine.bits import U, add, has, lowest
from masons.engine.board import MAX_TOWERS
from masons.engine.jit import Words, bytes_of, halves_of, inner
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
def join_components(state: Words, board: Words, kept: int, gone: int) -> None:
    """Make two components one, and find the lines that would now complete a city."""
    b = bytes_of(state)
    for i in range(LABEL_COUNT):
        label = b[LABELS_BYTE + i]
        b[LABELS_BYTE + i] = kept if label == gone else label
    table = bytes_of(board)
    for w in range(U(4)):
        lines = state[DOUBLE + w] & ~state[CLOSING + w]
        while lines:
            at = lowest(lines)
            lines &= lines - U(1)
            ends = LINE_TOWERS + U(2) * ((w << U(6)) + at)
            first = b[LABELS_BYTE + U(table[ends])]
            if first == b[LABELS_BYTE + U(table[ends + U(1)])]:
                state[CLOSING + w] |= U(1) << at


@inner
def put_wall(state: Words, board: Words, line: int) -> None:
    """Put a wall on an open line."""
    b = bytes_of(state)
    w = line >> U(6)
    bit = U(1) << (line & U(63))
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
    table = bytes_of(board)
    first = U(b[LABELS_BYTE + U(table[LINE_TOWERS + U(2) * line])])
    second = U(b[LABELS_BYTE + U(table[LINE_TOWERS + U(2) * line + U(1)])])
    if first != second and first != NONE and second != NONE:
        join_components(state, board, first, second)


@inner
def put_tower(state: Words, board: Words, tower: int, other: int, color: int) -> None:
    """Put a tower on an empty tower space; `other` is the other end of the wall just put."""
    add(state, TOWERS + U(2) * color, tower)
    state[TOWER_SUPPLY] -= U(1) << (U(8) * color)
    b = bytes_of(state)
    if state[TOWER_SUPPLY] == U(0) and b[END] == U(0):
        b[END] = END_TOWERS
    state[LAND_REST] += U(1) + (U(256) << (U(8) * color))
    if has(board, SHORE, tower):
        state[LAND_REST] += U(1) << LAND_SHORE_SHIFT
    for w in range(U(4)):
        lines = board[TOWER_LINES + U(4) * tower + w] & state[OPEN + w]
        state[DOUBLE + w] |= state[TOUCHED + w] & lines
        state[TOUCHED + w] |= lines
    label = U(b[LABELS_BYTE + other])
    if label == NONE:
        b[LABELS_BYTE + tower] = tower
        return
    b[LABELS_BYTE + tower] = label
    table = bytes_of(board)
    for j in range(U(6)):
        neighbour = U(table[TOWER_NEXT + U(8) * tower + j])
        if neighbour == NONE:
            break
        line = U(table[TOWER_SIDES + U(8) * tower + j])
        if U(b[LABELS_BYTE + neighbour]) == label and has(state, OPEN, line):
            add(state, CLOSING, line)


@inner
def put_house(state: Words, board: Words, space: int, color: int) -> None:
    """Put a house on a space outside the cities."""
    halves = halves_of(state)
    halves[SPACES_HALF + space] += U(1) << (U(4) * color)
    state[HOUSE_SUPPLY] -= U(1) << (U(8) * color)
    b = bytes_of(state)
    if state[HOUSE_SUPPLY] == U(0) and b[END] == U(0):
        b[END] = END_HOUSES
    region = U(bytes_of(board)[REGION + space])
    state[LAND_HOUSES] += (U(1) << (U(8) * color)) + (U(1) << (U(40) + U(8) * region))
