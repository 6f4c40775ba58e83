"""A board packed into one table for kernels; sets are stored as words, neighbors as bytes.

Words

| words     | name         | content                                            |
| --------- | ------------ | -------------------------------------------------- |
| 0-511     | SPACE_LINES  | [128][4] the lines of each space, as a set         |
| 512-895   | TOWER_LINES  | [96][4] the lines at each tower space, as a set    |
| 896-1151  | SPACE_TOWERS | [128][2] the corners of each space, as a set       |
| 1152-1155 | ALL_LINES    | set of all lines                                   |
| 1156-1157 | SHORE        | set of tower spaces on the shore                   |
| 1158-1160 |              | LINE_COUNT, SPACE_COUNT, TOWER_COUNT               |
| 1161      | HOLES        | number of lakes: holes in the board                |
| 1162-1385 | LINE_LAND    | [224] addition to LAND_HOUSES for a wall's houses  |
| 1392-2415 | SPACE_BESIDE | [128][4][2] four sets for each space: the space    |
|           |              | across each of its three sides (empty at the       |
|           |              | board's edge), and the sides on the board's edge   |
| 2416-2967 | (bytes)      | see below; 255 if there is no such neighbor        |

Bytes

| name        | size     | content                                                         |
| ----------- | -------- | --------------------------------------------------------------- |
| LINE_PLACES | [224][8] | the places beside a line, see below                             |
| LINE_SPACES | [224][2] | the spaces beside a line                                        |
| SPACE_SIDES | [128][4] | the lines of a space                                            |
| TOWER_SIDES | [96][8]  | the lines at a tower space                                      |
| TOWER_NEXT  | [96][8]  | the tower spaces at the other ends of these lines, or the tower |
|             |          | space itself if there is no line                                |
| REGION      | [128]    | the region of a space, counted from 0                           |

LINE_PLACES holds, within one cache line of memory, everything that is needed to place towers and
houses beside a line. Bytes 0-1 are the line's tower spaces, bytes 2-3 its spaces (on the edge, the
same space twice), and bytes 4-5 the regions of these spaces. Byte 6 is 1 if the line has two
spaces, else 0. Byte 7 numbers the combinations of bytes 4 to 6: it is byte 4 + 3 * byte 5 + 9 *
byte 6. LINE_LAND is the number to add to LAND_HOUSES, a word of the state (see `layout`), when one
house is placed on each of these spaces.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.engine.board.board_description import MAX_LINES, MAX_SPACES, MAX_TOWERS
from masons.engine.board.geometry import Board
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Word

PackedBoard = NDArray[np.uint64]

SPACE_LINES = U(0)
TOWER_LINES = U(512)
SPACE_TOWERS = U(896)
ALL_LINES = U(1152)
SHORE = U(1156)
LINE_COUNT = U(1158)
SPACE_COUNT = U(1159)
TOWER_COUNT = U(1160)
HOLES = U(1161)
LINE_LAND = U(1162)
SPACE_BESIDE = U(1392)
_BYTES = (1392 + 8 * MAX_SPACES) * 8
LINE_PLACES = U(_BYTES)
LINE_SPACES = LINE_PLACES + U(8 * MAX_LINES)
SPACE_SIDES = LINE_SPACES + U(2 * MAX_LINES)
TOWER_SIDES = SPACE_SIDES + U(4 * MAX_SPACES)
TOWER_NEXT = TOWER_SIDES + U(8 * MAX_TOWERS)
REGION = TOWER_NEXT + U(8 * MAX_TOWERS)
TABLE_WORDS: Final = (int(REGION) + MAX_SPACES) // 8
# Bit offset of the first region's byte in a state's LAND_HOUSES.
LAND_REGION_SHIFT: Final = 40


def put_item(words: NDArray[np.uint64], base: Word, item: int) -> None:
    """Add an item to the set that begins at word `base`, as `bits.add` does in kernels."""
    words[int(base) + item // 64] |= np.uint64(1 << (item % 64))


@lru_cache(maxsize=16)
def pack_board(board: Board) -> PackedBoard:
    """Return the packed table of a board, a uint64[TABLE_WORDS] that is shared and read-only."""
    table = np.zeros(TABLE_WORDS, dtype=np.uint64)
    small = table.view(np.uint8)
    small[_BYTES:] = 255
    table[int(LINE_COUNT)] = len(board.line_towers)
    table[int(SPACE_COUNT)] = len(board.space_lines)
    table[int(TOWER_COUNT)] = len(board.tower_xy)
    # By Euler's formula, a connected board has tower spaces - lines + spaces = 1 - holes.
    table[int(HOLES)] = 1 - len(board.tower_xy) + len(board.line_towers) - len(board.space_lines)
    for tower, shore in enumerate(board.tower_shore):
        if shore:
            put_item(table, SHORE, tower)
    ends: list[list[tuple[int, int]]] = [[] for _ in board.tower_xy]
    for line, (spaces, towers) in enumerate(zip(board.line_spaces, board.line_towers, strict=True)):
        put_item(table, ALL_LINES, line)
        for j in range(2):
            small[int(LINE_PLACES) + 8 * line + j] = towers[j]
            put_item(table, int(TOWER_LINES) + 4 * towers[j], line)
            ends[towers[j]].append((line, towers[1 - j]))
            space = spaces[j]
            if space is not None:
                small[int(LINE_SPACES) + 2 * line + j] = space
        small[int(LINE_PLACES) + 8 * line + 6] = None not in spaces
        near = [space for space in spaces if space is not None]
        for j, space in enumerate((near[0], near[-1])):
            small[int(LINE_PLACES) + 8 * line + 2 + j] = space
            small[int(LINE_PLACES) + 8 * line + 4 + j] = board.space_region[space] - 1
        regions_and_spaces = small[int(LINE_PLACES) + 8 * line :][4:7]
        small[int(LINE_PLACES) + 8 * line + 7] = regions_and_spaces @ [1, 3, 9]
        for space in near:
            house = 1 << LAND_REGION_SHIFT + 8 * (board.space_region[space] - 1)
            table[int(LINE_LAND) + line] += np.uint64(house)
    for tower, sides in enumerate(ends):
        small[int(TOWER_NEXT) + 8 * tower : int(TOWER_NEXT) + 8 * (tower + 1)] = tower
        for j, (line, other) in enumerate(sides):
            small[int(TOWER_SIDES) + 8 * tower + j] = line
            small[int(TOWER_NEXT) + 8 * tower + j] = other
    for space, lines in enumerate(board.space_lines):
        small[int(REGION) + space] = board.space_region[space] - 1
        beside = int(SPACE_BESIDE) + 8 * space
        for j, line in enumerate(lines):
            put_item(table, int(SPACE_LINES) + 4 * space, line)
            put_item(table, int(SPACE_TOWERS) + 2 * space, board.space_towers[space][j])
            first, second = board.line_spaces[line]
            other_space = second if first == space else first
            small[int(SPACE_SIDES) + 4 * space + j] = line
            if other_space is None:
                put_item(table, beside + 6, j)
            else:
                put_item(table, beside + 2 * j, other_space)
    return table
