"""What each card scores: all 30 values at once, for a just-completed (or chosen) city.

Rules, section 6. The values stand in the state as bytes, in the order of the cards; they hold for a
whole scoring, since the board does not change during one.
"""

from __future__ import annotations

from typing import Final

from masons.engine.board.packed_board import SHORE
from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, halves_of, inlined, inner
from masons.engine.rules.cities_and_palaces import (
    EACH_BYTE,
    TOP_BITS,
    build_palaces,
    complete_alone,
    nibbles_to_bytes,
    palaces_to_bytes,
)
from masons.engine.state.areas import city_area, corners
from masons.engine.state.layout import (
    CITIES,
    CITY,
    CITY_LINES,
    CITY_TOWERS,
    LAND_HOUSES,
    NONE,
    SPACES_HALF,
    TOWERS,
    VALUES,
    WALLS,
)

# Where the values of the city cards begin: the bit in the first word of VALUES, or in the second.
_SIZE_7 = U(8 * 3)
_COLORS = U(8 * 4)
_TOWERS_COLOR = U(8 * 5)
_HOUSES_COLOR = U(8 * 1)
_TOWERS_ALL = U(8 * 6)
_BELOW_TOP = U(0x7F7F7F7F7F)
_NO_LINES: Final = (U(0),) * 4
_NO_TOWERS: Final = (U(0),) * 2


@inner
def score_cards(state: Words, board: Words, root: Word) -> None:
    """Fill VALUES for the city of `root`; with NONE the city cards score 0."""
    size, ends = U(0), (U(0), U(0))
    if root != NONE:
        lo, hi = city_area(state, board, root)
        size, ends = popcount(lo) + popcount(hi), corners(board, lo, hi)
    score_city(state, board, root, size, ends)


@inner
def score_new_city(state: Words, board: Words) -> None:
    """Complete the city that this turn's wall encloses, merge it with none, and fill VALUES."""
    size, ends_lo, ends_hi = complete_alone(state, board)
    build_palaces(state)
    score_city(state, board, U(bytes_of(state)[CITY]), size, (ends_lo, ends_hi))


@inlined
def score_city(state: Words, board: Words, root: Word, size: Word, ends: tuple[Word, Word]) -> None:
    """Fill VALUES for the city of `root`, whose spaces are counted and whose corners are known."""
    city = U(0), U(0)
    if root != NONE:
        city = city_values(state, size, U(halves_of(state)[SPACES_HALF + root]), ends)
    rest = land_rest(state, board, _NO_LINES, _NO_TOWERS, U(0))
    values = all_values(city, state[LAND_HOUSES], rest)
    for i in range(U(4)):
        state[VALUES + i] = values[i]


@inlined
def all_values(city: tuple[Word, Word], houses: Word, rest: Word) -> tuple[Word, Word, Word, Word]:
    """VALUES: of the city cards, of houses on the land (LAND_HOUSES), and of the rest there."""
    first, second = city
    return first, second | (houses << U(56)), (houses >> U(8)) | (rest << U(56)), rest >> U(8)


@inlined
def land_rest(
    state: Words, board: Words, lines: tuple[Word, ...], ends: tuple[Word, ...], more: Word
) -> Word:
    """What the cards 23 to 29 score, a byte each: land-towers to land-walls, and cities.

    Of `more` cities these are lines (four words) and corners (two).
    """
    points = (state[CITIES] + more) << U(48)
    towers = U(0)
    land_lo = ~(state[CITY_TOWERS] | ends[0])
    land_hi = ~(state[CITY_TOWERS + U(1)] | ends[1])
    standing_lo = standing_hi = U(0)
    for color in range(U(3)):
        outside_lo = state[TOWERS + U(2) * color] & land_lo
        outside_hi = state[TOWERS + U(2) * color + U(1)] & land_hi
        count = popcount(outside_lo) + popcount(outside_hi)
        towers += count
        points |= count << (U(9) + U(8) * color)
        standing_lo |= outside_lo
        standing_hi |= outside_hi
    shore = popcount(standing_lo & board[SHORE]) + popcount(standing_hi & board[SHORE + U(1)])
    walls = U(0)
    for w in range(U(4)):
        walls += popcount(state[WALLS + w] & ~(state[CITY_LINES + w] | lines[w]))
    return points | towers | (shore << U(33)) | (walls << U(40))


@inlined
def city_values(
    state: Words, size: Word, pieces: Word, ends: tuple[Word, Word]
) -> tuple[Word, Word]:
    """What the cards 0 to 14 score, a byte each, by a city's spaces, pieces and corners."""
    # Sizes are as good as random: no branches.
    small, large = U(size <= U(3)), U(size >= U(7))
    first = (small * (U(5) + size)) << (U(8) * ((size - U(1)) & U(3)))
    first |= (large * U(9)) << _SIZE_7
    # A byte for each colour of houses.
    palaces = palaces_to_bytes(pieces)
    points = nibbles_to_bytes(pieces) + U(3) * palaces
    colors = popcount((points + _BELOW_TOP) & TOP_BITS)
    first |= (U(colors >= U(2)) * U(4) + U(colors >= U(4)) * U(3)) << _COLORS
    second = (points << _HOUSES_COLOR) | (((palaces * EACH_BYTE) >> U(32)) & U(255))
    towers = U(0)
    for color in range(U(3)):
        count = popcount(state[TOWERS + U(2) * color] & ends[0])
        count += popcount(state[TOWERS + U(2) * color + U(1)] & ends[1])
        towers += count
        first |= count << (_TOWERS_COLOR + U(1) + U(8) * color)
    return first, second | (towers << _TOWERS_ALL)
