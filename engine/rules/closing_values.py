"""What the cards would score if a wall completed its city: nothing is built.

A search asks that of a few lines at each position that it evaluates. Which area such a wall
encloses changes seldom, so it is kept for each line, and holds as long as the same lines of the
area carry walls.

| words of a line | name    | what                                                           |
| --------------- | ------- | -------------------------------------------------------------- |
| 0-3             | LINES   | set of all lines of the area                                   |
| 4-7             | WALLED  | those of them that carry a wall, the one that completes it too |
| 8-11            | INSIDE  | walls with the area on both sides                              |
| 12-13           | AREA    | set of its spaces; 0: nothing is known of the line             |
| 14-15           | CORNERS | set of the tower spaces at their corners                       |
"""

from __future__ import annotations

from typing import Final

from masons.engine.board.board_description import MAX_LINES
from masons.engine.board.packed_board import HOLES
from masons.engine.kernels.bits import U, add, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, inner, offset
from masons.engine.rules.cities_and_palaces import (
    bare_towers,
    enclosed_by,
    houses_in,
    standing,
    with_palaces,
)
from masons.engine.rules.placement import line_ends
from masons.engine.rules.scoring import all_values, city_values, land_rest
from masons.engine.state.areas import encloses, outline
from masons.engine.state.layout import LABELS_BYTE, LAND_HOUSES, NONE, PALACE_SUPPLY, WALLS

_LINE_WORDS: Final = 16
# Workspace: uint64[AREAS], zeros at first and wherever the board changes.
AREAS: Final = MAX_LINES * _LINE_WORDS

_LINES, _WALLED, _INSIDE, _AREA, _CORNERS = U(0), U(4), U(8), U(12), U(14)


@inner
def forget_areas(areas: Words) -> None:
    """Know of no line any more which area its wall would enclose."""
    for line in range(U(MAX_LINES)):
        at = U(_LINE_WORDS) * line + _AREA
        areas[at] = areas[at + U(1)] = U(0)


@inner
def _is_known(state: Words, area: Words) -> bool:
    """Whether what is kept of a line, whose wall stands in `state`, is right."""
    differs = U(0)
    for w in range(U(4)):
        differs |= (state[WALLS + w] & area[_LINES + w]) ^ area[_WALLED + w]
    return (area[_AREA] | area[_AREA + U(1)]) != U(0) and differs == U(0)


@inner
def _find_area(state: Words, board: Words, line: Word, area: Words) -> bool:
    """Fill `area` with what the wall on a line, which stands in `state`, encloses; if anything."""
    b = bytes_of(state)
    first, second = line_ends(board, line)
    label = U(b[LABELS_BYTE + first])
    if label == NONE or label != U(b[LABELS_BYTE + second]):
        return False
    if board[HOLES] and encloses(state, board, line) == U(0):
        return False
    lo, hi = enclosed_by(state, board, line)
    edge = outline(board, lo, hi)
    for w in range(U(4)):
        walls = state[WALLS + w] & edge[w + U(4)]
        area[_LINES + w] = edge[w + U(4)]
        area[_WALLED + w] = walls
        area[_INSIDE + w] = walls & ~edge[w]
    area[_AREA], area[_AREA + U(1)] = lo, hi
    area[_CORNERS], area[_CORNERS + U(1)] = edge[8], edge[9]
    return True


@inner
def _corners_kept(state: Words, board: Words, area: Words) -> tuple[Word, Word]:
    """The area's corners without those whose towers go back to the supply with the walls inside."""
    ends_lo, ends_hi = area[_CORNERS], area[_CORNERS + U(1)]
    inside = area[_INSIDE] | area[_INSIDE + U(1)] | area[_INSIDE + U(2)] | area[_INSIDE + U(3)]
    if inside:
        for w in range(U(4)):
            state[WALLS + w] ^= area[_INSIDE + w]
        ends_lo ^= bare_towers(state, board, U(0), ends_lo & standing(state, U(0)))
        ends_hi ^= bare_towers(state, board, U(1), ends_hi & standing(state, U(1)))
        for w in range(U(4)):
            state[WALLS + w] ^= area[_INSIDE + w]
    return ends_lo, ends_hi


@inner
def _area_values(state: Words, board: Words, area: Words) -> tuple[Word, Word, Word, Word]:
    """VALUES for an area whose last wall stands in `state`."""
    lo, hi = area[_AREA], area[_AREA + U(1)]
    houses, land = houses_in(state, board, lo, hi)
    pieces, _ = with_palaces(houses, state[PALACE_SUPPLY])
    ends = _corners_kept(state, board, area)
    city = city_values(state, popcount(lo) + popcount(hi), pieces, ends)
    lines = area[_LINES], area[_LINES + U(1)], area[_LINES + U(2)], area[_LINES + U(3)]
    corners = area[_CORNERS], area[_CORNERS + U(1)]
    rest = land_rest(state, board, lines, corners, U(1))
    return all_values(city, state[LAND_HOUSES] - land, rest)


@inner
def values_if_closed(
    state: Words, board: Words, line: Word, areas: Words
) -> tuple[bool, tuple[Word, Word, Word, Word]]:
    """VALUES as if a wall on an open line completed its city, merged with none.

    First whether it completes one; if not, nothing scores. `state` is the same afterwards. `areas`
    (uint64[AREAS]) is workspace, of this board only.
    """
    values = U(0), U(0), U(0), U(0)
    area = offset(areas, U(_LINE_WORDS) * line)
    before = state[WALLS + (line >> U(6))]
    add(state, WALLS, line)
    closes = _is_known(state, area) or _find_area(state, board, line, area)
    if closes:
        values = _area_values(state, board, area)
    state[WALLS + (line >> U(6))] = before
    return closes, values
