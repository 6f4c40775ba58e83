"""Points of all 30 cards, for a completed city or for a city that a wall would complete.

The state stores the points as bytes (VALUES), in the order of the cards. The points stay valid for
a whole scoring, because the board does not change during a scoring.

A search also needs the points that the cards would score if a wall on a certain line completed a
city. `values_if_closed` computes these points without building the city. The area that such a wall
would enclose seldom changes, so the area is cached for each line. An entry is valid while exactly
the same lines of the area carry walls.

| words of a line | name    | content                                                        |
| --------------- | ------- | -------------------------------------------------------------- |
| 0-3             | LINES   | set of all lines of the area                                   |
| 4-7             | WALLED  | lines of the area with a wall, including the completing wall   |
| 8-11            | INSIDE  | lines with a wall that have the area on both sides             |
| 12-13           | AREA    | spaces of the area; empty if nothing is cached for the line    |
| 14-15           | CORNERS | tower spaces at the corners of the area's spaces               |
"""

from __future__ import annotations

from typing import Final

from masons.engine.board.board_description import MAX_LINES
from masons.engine.board.packed_board import HOLES, SHORE
from masons.engine.kernels.bits import U, add, popcount
from masons.engine.kernels.jit import (
    Word,
    Words,
    bytes_of,
    halves_of,
    inlined,
    inner,
    offset,
)
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.rules.cities_and_palaces import (
    EACH_BYTE,
    TOP_BITS,
    bare_towers,
    build_palaces,
    complete_city,
    enclosed_by,
    houses_in,
    nibbles_to_bytes,
    palaces_to_bytes,
    standing,
    with_palaces,
)
from masons.engine.rules.placement import line_ends
from masons.engine.state import layout
from masons.engine.state.areas import corners, enclosed_area, encloses, outline

# Bit offsets of groups of city cards. Each offset is within the first or second word of VALUES.
_SIZE_7 = U(8 * 3)
_COLORS = U(8 * 4)
_TOWERS_COLOR = U(8 * 5)
_HOUSES_COLOR = U(8 * 1)
_TOWERS_ALL = U(8 * 6)
_BELOW_TOP = U(0x7F7F7F7F7F)
_NO_LINES: Final = (U(0),) * 4
_NO_TOWERS: Final = (U(0),) * 2


@inner
def values_of(state: Words) -> tuple[Word, Word, Word, Word]:
    """Return the four words of VALUES of a state."""
    return (
        state[layout.VALUES],
        state[layout.VALUES + U(1)],
        state[layout.VALUES + U(2)],
        state[layout.VALUES + U(3)],
    )


@inner
def put_values(state: Words, values: tuple[Word, Word, Word, Word]) -> None:
    """Write the four words of VALUES of a state."""
    for i in range(U(4)):
        state[layout.VALUES + i] = values[i]


@inner
def points_of(state: Words, first: Word, second: Word) -> Word:
    """Return the points of two kinds of cards in VALUES; a kind that is no card (30, 31) has 0."""
    b = bytes_of(state)
    return U(b[layout.VALUES_BYTE + first]) + U(b[layout.VALUES_BYTE + second])


@inner
def score_cards(state: Words, board: Words, root: Word) -> None:
    """Fill VALUES for the city whose lowest space is `root`; if NONE, city cards score 0."""
    size, ends = U(0), (U(0), U(0))
    if root != layout.NONE:
        lo, hi = enclosed_area(state, board, root, layout.NONE)
        size, ends = popcount(lo) + popcount(hi), corners(board, lo, hi)
    score_city(state, board, root, size, ends)


@inner
def score_new_city(state: Words, board: Words) -> None:
    """Complete the city that this turn's wall encloses, without merging it, and fill VALUES."""
    city = complete_city(state, board, False)
    build_palaces(state)
    size = popcount(city.lo) + popcount(city.hi)
    score_city(state, board, U(bytes_of(state)[layout.CITY]), size, (city.ends_lo, city.ends_hi))


@inlined
def score_city(state: Words, board: Words, root: Word, size: Word, ends: tuple[Word, Word]) -> None:
    """Fill VALUES for the city whose lowest space is `root`.

    `size` is the number of spaces of the city, and `ends` is the set of tower spaces at its
    corners.
    """
    city = U(0), U(0)
    if root != layout.NONE:
        city = city_values(state, size, U(halves_of(state)[layout.SPACES_HALF + root]), ends)
    rest = land_rest(state, board, _NO_LINES, _NO_TOWERS, U(0))
    put_values(state, all_values(city, state[layout.LAND_HOUSES], rest))


@inlined
def all_values(city: tuple[Word, Word], houses: Word, rest: Word) -> tuple[Word, Word, Word, Word]:
    """Return the four words of VALUES, assembled from three parts.

    `city` is the result of `city_values`, `houses` is LAND_HOUSES, and `rest` is the result of
    `land_rest`.
    """
    first, second = city
    return first, second | (houses << U(56)), (houses >> U(8)) | (rest << U(56)), rest >> U(8)


@inlined
def land_rest(
    state: Words, board: Words, lines: tuple[Word, ...], ends: tuple[Word, ...], more: Word
) -> Word:
    """Return the points of cards 23 to 29 (land-towers to land-walls, and cities) as a byte each.

    In addition to the completed cities of the state, `more` cities count as completed, with the
    lines `lines` (four words) and the corners `ends` (two words).
    """
    points = (state[layout.CITIES] + more) << U(48)
    towers = U(0)
    land_lo = ~(state[layout.CITY_TOWERS] | ends[0])
    land_hi = ~(state[layout.CITY_TOWERS + U(1)] | ends[1])
    standing_lo = standing_hi = U(0)
    for color in range(U(3)):
        outside_lo = state[layout.TOWERS + U(2) * color] & land_lo
        outside_hi = state[layout.TOWERS + U(2) * color + U(1)] & land_hi
        count = popcount(outside_lo) + popcount(outside_hi)
        towers += count
        points |= count << (U(9) + U(8) * color)
        standing_lo |= outside_lo
        standing_hi |= outside_hi
    shore = popcount(standing_lo & board[SHORE]) + popcount(standing_hi & board[SHORE + U(1)])
    walls = U(0)
    for w in range(U(4)):
        walls += popcount(state[layout.WALLS + w] & ~(state[layout.CITY_LINES + w] | lines[w]))
    return points | towers | (shore << U(33)) | (walls << U(40))


@inlined
def city_values(
    state: Words, size: Word, pieces: Word, ends: tuple[Word, Word]
) -> tuple[Word, Word]:
    """Return the points of cards 0 to 14 for a city, as two words with a byte for each card.

    `size` is the number of spaces of the city, `pieces` is the word of its lowest space, and `ends`
    is the set of tower spaces at its corners.
    """
    # The processor cannot predict the sizes of cities, so this code avoids branches.
    small, large = U(size <= U(3)), U(size >= U(7))
    first = (small * (U(5) + size)) << (U(8) * ((size - U(1)) & U(3)))
    first |= (large * U(9)) << _SIZE_7
    # A byte for each color of houses.
    palaces = palaces_to_bytes(pieces)
    points = nibbles_to_bytes(pieces) + U(3) * palaces
    colors = popcount((points + _BELOW_TOP) & TOP_BITS)
    first |= (U(colors >= U(2)) * U(4) + U(colors >= U(4)) * U(3)) << _COLORS
    second = (points << _HOUSES_COLOR) | (((palaces * EACH_BYTE) >> U(32)) & U(255))
    towers = U(0)
    for color in range(U(3)):
        count = popcount(state[layout.TOWERS + U(2) * color] & ends[0])
        count += popcount(state[layout.TOWERS + U(2) * color + U(1)] & ends[1])
        towers += count
        first |= count << (_TOWERS_COLOR + U(1) + U(8) * color)
    return first, second | (towers << _TOWERS_ALL)


_LINE_WORDS: Final = 16
# The cache is uint64[AREAS]. It must hold zeros before its first use, and before it is used with
# another board.
AREAS: Final = MAX_LINES * _LINE_WORDS

_LINES, _WALLED, _INSIDE, _AREA, _CORNERS = U(0), U(4), U(8), U(12), U(14)


@inner
def forget_areas(areas: Words) -> None:
    """Empty the cache of areas (`areas` is modified in place)."""
    for line in range(U(MAX_LINES)):
        at = U(_LINE_WORDS) * line + _AREA
        areas[at] = areas[at + U(1)] = U(0)


@inner
def _is_known(state: Words, area: Words) -> bool:
    """Return whether a line's cache entry is valid.

    The line's wall must stand in `state`.
    """
    differs = U(0)
    for w in range(U(4)):
        differs |= (state[layout.WALLS + w] & area[_LINES + w]) ^ area[_WALLED + w]
    return (area[_AREA] | area[_AREA + U(1)]) != U(0) and differs == U(0)


@inner
def _find_area(state: Words, board: Words, line: Word, area: Words) -> bool:
    """Fill a line's cache entry, or return False if the line's wall completes no city.

    The wall must stand in `state`.
    """
    b = bytes_of(state)
    first, second = line_ends(board, line)
    label = U(b[layout.LABELS_BYTE + first])
    if label == layout.NONE or label != U(b[layout.LABELS_BYTE + second]):
        return False
    if board[HOLES] and encloses(state, board, line) == U(0):
        return False
    lo, hi = enclosed_by(state, board, line)
    city = outline(board, lo, hi)
    for w in range(U(4)):
        walls = state[layout.WALLS + w] & city.lines[w]
        area[_LINES + w] = city.lines[w]
        area[_WALLED + w] = walls
        area[_INSIDE + w] = walls & ~city.border[w]
    area[_AREA], area[_AREA + U(1)] = lo, hi
    area[_CORNERS], area[_CORNERS + U(1)] = city.corners
    return True


@inner
def _corners_kept(state: Words, board: Words, area: Words) -> tuple[Word, Word]:
    """Return the corners of an area that keep their towers once the walls inside are removed."""
    ends_lo, ends_hi = area[_CORNERS], area[_CORNERS + U(1)]
    inside = area[_INSIDE] | area[_INSIDE + U(1)] | area[_INSIDE + U(2)] | area[_INSIDE + U(3)]
    if inside:
        for w in range(U(4)):
            state[layout.WALLS + w] ^= area[_INSIDE + w]
        ends_lo ^= bare_towers(state, board, U(0), ends_lo & standing(state, U(0)))
        ends_hi ^= bare_towers(state, board, U(1), ends_hi & standing(state, U(1)))
        for w in range(U(4)):
            state[layout.WALLS + w] ^= area[_INSIDE + w]
    return ends_lo, ends_hi


@inner
def _area_values(state: Words, board: Words, area: Words) -> tuple[Word, Word, Word, Word]:
    """Return VALUES for a cached area whose last wall stands in `state`."""
    lo, hi = area[_AREA], area[_AREA + U(1)]
    houses, land = houses_in(state, board, lo, hi)
    pieces, _ = with_palaces(houses, state[layout.PALACE_SUPPLY])
    ends = _corners_kept(state, board, area)
    city = city_values(state, popcount(lo) + popcount(hi), pieces, ends)
    lines = area[_LINES], area[_LINES + U(1)], area[_LINES + U(2)], area[_LINES + U(3)]
    corners = area[_CORNERS], area[_CORNERS + U(1)]
    rest = land_rest(state, board, lines, corners, U(1))
    return all_values(city, state[layout.LAND_HOUSES] - land, rest)


@inner
def values_if_closed(
    state: Words, board: Words, line: Word, areas: Words
) -> tuple[bool, tuple[Word, Word, Word, Word]]:
    """Return whether a wall on an open line would complete a city, and VALUES for that city.

    The new city is not merged with any other. If the wall would complete no city, all values are 0.
    `state` is the same after the call. The cache `areas` (uint64[AREAS], modified in place) must be
    used with one board only.
    """
    values = U(0), U(0), U(0), U(0)
    area = offset(areas, U(_LINE_WORDS) * line)
    before = state[layout.WALLS + (line >> U(6))]
    add(state, layout.WALLS, line)
    closes = _is_known(state, area) or _find_area(state, board, line, area)
    if closes:
        values = _area_values(state, board, area)
    state[layout.WALLS + (line >> U(6))] = before
    return closes, values


@kernel
def fill_closing_values(state: Words, board: Words, line: Word, areas: Words) -> Word:
    """Fill VALUES in `state` for the city that a wall on an open line would complete.

    Returns the number of spaces of the city. If the wall would complete no city, the number and all
    values are 0. `state` and the cache `areas` (uint64[AREAS]) are modified in place.
    """
    closes, values = values_if_closed(state, board, line, areas)
    put_values(state, values)
    area = offset(areas, U(_LINE_WORDS) * line + _AREA)
    return popcount(area[U(0)]) + popcount(area[U(1)]) if closes else U(0)
