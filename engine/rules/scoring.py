"""What each card scores: all 30 values at once, for a just-completed (or chosen) city.

Rules, section 6. The values stand in the state as bytes, in the order of the cards; they hold for a
whole scoring, since the board does not change during one.
"""

from __future__ import annotations

from masons.engine.board.packed_board import SHORE
from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, halves_of, inner
from masons.engine.rules.cities_and_palaces import (
    build_palaces,
    newly_enclosed,
    standing,
    take_off_land,
)
from masons.engine.state.areas import city_area, corners, outline
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
    VALUES_BYTE,
    WALLS,
)

# Card numbers of the city cards.
_SIZE_1 = VALUES_BYTE
_SIZE_7 = VALUES_BYTE + U(3)
_COLORS = VALUES_BYTE + U(4)
_TOWERS_COLOR = VALUES_BYTE + U(5)
_PALACES = VALUES_BYTE + U(8)
_HOUSES_COLOR = VALUES_BYTE + U(9)
_TOWERS_ALL = VALUES_BYTE + U(14)


@inner
def score_cards(state: Words, board: Words, root: Word) -> None:
    """Fill VALUES for the city of `root`; with NONE the city cards score 0."""
    lo = hi = U(0)
    if root != NONE:
        lo, hi = city_area(state, board, root)
    score_area(state, board, root, lo, hi)


@inner
def score_new_city(state: Words, board: Words) -> None:
    """Complete the city that this turn's wall encloses, merge it with none, and fill VALUES."""
    lo, hi = newly_enclosed(state, board)
    take_off_land(state, board, lo, hi, outline(board, lo, hi))
    build_palaces(state)
    score_area(state, board, U(bytes_of(state)[CITY]), lo, hi)


@inner
def score_area(state: Words, board: Words, root: Word, lo: Word, hi: Word) -> None:
    """Fill VALUES for the city of `root`, whose area is known."""
    land = _land_rest(state, board)
    houses = state[LAND_HOUSES]
    state[VALUES] = U(0)
    state[VALUES + U(1)] = houses << U(56)
    state[VALUES + U(2)] = (houses >> U(8)) | (land << U(56))
    state[VALUES + U(3)] = land >> U(8)
    if root != NONE:
        _score_city(state, board, root, lo, hi)


@inner
def _land_rest(state: Words, board: Words) -> Word:
    """What the cards 23 to 29 score, a byte each: land-towers to land-walls, and cities."""
    towers = shore = U(0)
    points = state[CITIES] << U(48)
    for color in range(U(3)):
        count = U(0)
        for w in range(U(2)):
            outside = state[TOWERS + U(2) * color + w] & ~state[CITY_TOWERS + w]
            count += popcount(outside)
            shore += popcount(outside & board[SHORE + w])
        towers += count
        points |= count << (U(9) + U(8) * color)
    walls = U(0)
    for w in range(U(4)):
        walls += popcount(state[WALLS + w] & ~state[CITY_LINES + w])
    return points | towers | (shore << U(33)) | (walls << U(40))


@inner
def _score_city(state: Words, board: Words, root: Word, lo: Word, hi: Word) -> None:
    b = bytes_of(state)
    size = popcount(lo) + popcount(hi)
    if size <= U(3):
        b[_SIZE_1 + size - U(1)] = U(5) + size
    elif size >= U(7):
        b[_SIZE_7] = U(9)
    pieces = U(halves_of(state)[SPACES_HALF + root])
    colors = U(0)
    palaces = U(0)
    for color in range(U(5)):
        own_houses = (pieces >> (U(4) * color)) & U(15)
        own_palaces = (pieces >> (U(20) + U(2) * color)) & U(3)
        palaces += own_palaces
        points = U(3) * own_palaces + own_houses
        colors += U(1) if points else U(0)
        b[_HOUSES_COLOR + color] = points
    b[_PALACES] = palaces
    if colors >= U(2):
        b[_COLORS] = U(4) if colors <= U(3) else U(7)
    ends_lo, ends_hi = corners(board, lo, hi)
    for color in range(U(3)):
        count = popcount(state[TOWERS + U(2) * color] & ends_lo)
        count += popcount(state[TOWERS + U(2) * color + U(1)] & ends_hi)
        b[_TOWERS_COLOR + color] = U(2) * count
    all_towers = popcount(standing(state, U(0)) & ends_lo)
    b[_TOWERS_ALL] = all_towers + popcount(standing(state, U(1)) & ends_hi)
