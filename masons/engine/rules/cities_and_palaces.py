"""Completing, clearing and merging cities, and building palaces."""

from __future__ import annotations

from typing import NamedTuple

from masons.engine.board.components import HOUSES_PER_PALACE
from masons.engine.board.packed_board import (
    LAND_REGION_SHIFT,
    LINE_PLACES,
    LINE_SPACES,
    REGION,
    SPACE_SIDES,
    TOWER_LINES,
)
from masons.engine.kernels.bits import U, lowest, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, halves_of, inlined, inner
from masons.engine.state import layout
from masons.engine.state.areas import (
    NO_OUTLINE,
    Outline,
    add_to_outline,
    corners,
    enclosed_area,
    outline,
    take_space,
)

_PAIR = U(HOUSES_PER_PALACE)
# A word with five 4-bit counts is shifted right by one bit and masked to halve each count, which
# gives the number of pairs. TOP_BITS and EACH_BYTE are for words with five counts of one byte each.
_PAIRS_MASK = U(0x77777)
TOP_BITS = U(0x8080808080)
EACH_BYTE = U(0x0101010101)


class NewCity(NamedTuple):
    """A city just completed, with its neighbors. Each set is two words, lo and hi."""

    beside_lo: Word  # the lowest space of each city that it can be merged with
    beside_hi: Word
    lo: Word  # its spaces
    hi: Word
    ends_lo: Word  # tower spaces at the corners of its spaces
    ends_hi: Word


@inner
def standing(state: Words, w: Word) -> Word:
    """Return word w (0 or 1) of the set of tower spaces that have a tower."""
    return (
        state[layout.TOWERS + w] | state[layout.TOWERS + U(2) + w] | state[layout.TOWERS + U(4) + w]
    )


@inner
def _take_back_walls(state: Words, w: Word, walls: Word) -> None:
    """Return walls to the supply; `walls` is word `w` of the set of lines that carry them."""
    state[layout.WALLS + w] &= ~walls
    b = bytes_of(state)
    b[layout.WALL_LEFT] = U(b[layout.WALL_LEFT]) + popcount(walls)


@inner
def bare_towers(state: Words, board: Words, w: Word, towers: Word) -> Word:
    """Return the subset of `towers`, word `w` of a set of tower spaces, that no wall touches."""
    bare = U(0)
    while towers:
        bit = towers & (~towers + U(1))
        lines = TOWER_LINES + U(4) * ((w << U(6)) + lowest(towers))
        towers ^= bit
        walls = U(0)
        for i in range(U(4)):
            walls |= board[lines + i] & state[layout.WALLS + i]
        if walls == U(0):
            bare |= bit
    return bare


@inner
def _take_back_towers(state: Words, board: Words, w: Word, towers: Word) -> None:
    """Return towers to the supply if no wall touches them any longer.

    `towers` is word w of the set of tower spaces to check.
    """
    bare = bare_towers(state, board, w, towers)
    state[layout.CITY_TOWERS + w] &= ~bare
    for color in range(U(3)):
        towers_at = layout.TOWERS + U(2) * color + w
        state[layout.TOWER_SUPPLY] += popcount(state[towers_at] & bare) << (U(8) * color)
        state[towers_at] &= ~bare
    while bare:
        bytes_of(state)[layout.LABELS_BYTE + (w << U(6)) + lowest(bare)] = layout.NONE
        bare &= bare - U(1)


@inner
def _house_count(pieces: Word) -> Word:
    """Return the total number of houses in a space's word, over all colors."""
    pairs = (pieces & U(0xF0F0F)) + ((pieces >> U(4)) & U(0x0F0F))
    return (pairs + (pairs >> U(8)) + (pairs >> U(16))) & U(255)


@inner
def nibbles_to_bytes(counts: Word) -> Word:
    """Return the five 4-bit counts in bits 0 to 19 as five bytes."""
    counts &= U(0xFFFFF)
    counts = (counts | (counts << U(16))) & U(0xF0000FFFF)
    counts = (counts | (counts << U(8))) & U(0xF00FF00FF)
    return (counts | (counts << U(4))) & U(0x0F0F0F0F0F)


@inner
def _bytes_to_nibbles(counts: Word) -> Word:
    """Return five one-byte counts, each below 16, as five 4-bit counts."""
    counts = (counts | (counts >> U(4))) & U(0xF00FF00FF)
    counts = (counts | (counts >> U(8))) & U(0xF0000FFFF)
    return (counts | (counts >> U(16))) & U(0xFFFFF)


@inner
def palaces_to_bytes(pieces: Word) -> Word:
    """Return the five 2-bit counts of palaces in a city's word as five bytes."""
    counts = (pieces >> U(20)) & U(0x3FF)
    counts = (counts | (counts << U(8))) & U(0x300FF)
    counts = (counts | (counts << U(4))) & U(0x30F0F)
    return nibbles_to_bytes((counts | (counts << U(2))) & U(0x33333))


@inner
def houses_in(state: Words, board: Words, lo: Word, hi: Word) -> tuple[Word, Word]:
    """Return the houses of an area, both as a space's word and as bytes of LAND_HOUSES."""
    halves, table = halves_of(state), bytes_of(board)
    total = land = U(0)
    while lo | hi:
        space, lo, hi = take_space(lo, hi)
        houses = U(halves[layout.SPACES_HALF + space])
        total += houses
        land += _house_count(houses) << (U(LAND_REGION_SHIFT) + U(8) * U(table[REGION + space]))
    return total, land + nibbles_to_bytes(total)


@inlined
def _claim_spaces(state: Words, board: Words, lo: Word, hi: Word, root: Word) -> Outline:
    """Turn an area into a city, and move its houses to its lowest space, `root`.

    Returns the `outline` of the area.
    """
    halves, table = halves_of(state), bytes_of(board)
    area = NO_OUTLINE
    houses = land = U(0)
    while lo | hi:
        space, lo, hi = take_space(lo, hi)
        area = add_to_outline(board, space, area)
        pieces = U(halves[layout.SPACES_HALF + space])
        houses += pieces
        land += _house_count(pieces) << (U(LAND_REGION_SHIFT) + U(8) * U(table[REGION + space]))
        halves[layout.SPACES_HALF + space] = layout.IN_CITY | root
    halves[layout.SPACES_HALF + root] = layout.IS_CITY | houses
    state[layout.LAND_HOUSES] -= land + nibbles_to_bytes(houses)
    return area


@inner
def enclosed_by(state: Words, board: Words, line: Word) -> tuple[Word, Word]:
    """Return the area that the wall on `line` encloses.

    The wall must stand and complete a city.
    """
    table = bytes_of(board)
    first = U(table[LINE_SPACES + U(2) * line])
    second = U(table[LINE_SPACES + U(2) * line + U(1)])
    return enclosed_area(state, board, first, second)


@inlined
def complete_city(state: Words, board: Words, finds_neighbors: bool) -> NewCity:
    """Turn the area that this turn's wall encloses into a city, and clear the walls inside.

    CITY is set to the city's lowest space. The city's lines, towers and houses no longer count as
    land. The caller merges cities and builds palaces afterwards. `finds_neighbors` is a constant;
    if it is False, no cities to merge with are looked for, and the `beside` words are 0.
    """
    b = bytes_of(state)
    lo, hi = enclosed_by(state, board, U(b[layout.LINE]))
    root = lowest(lo) if lo else U(64) + lowest(hi)
    b[layout.CITY] = root
    area = _claim_spaces(state, board, lo, hi, root)
    beside_lo = beside_hi = U(0)
    if finds_neighbors:
        beside_lo, beside_hi = _cities_beside(state, board, lo, hi, root)
    _take_off_land(state, board, area)
    return NewCity(beside_lo, beside_hi, lo, hi, area.corners[0], area.corners[1])


@inlined
def _take_off_land(state: Words, board: Words, city: Outline) -> None:
    """Clear the inside of a new city, and stop counting the city's lines and towers as land."""
    inside = U(0)
    for w in range(U(4)):
        inside |= state[layout.WALLS + w] & city.lines[w] & ~city.border[w]
    for w in range(U(4)):
        lines = city.lines[w]
        state[layout.CITY_LINES + w] |= lines
        state[layout.OPEN + w] &= ~lines
        state[layout.TOUCHED + w] &= ~lines
        state[layout.DOUBLE + w] &= ~lines
        state[layout.CLOSING + w] &= ~lines
    if inside:
        for w in range(U(4)):
            _take_back_walls(state, w, state[layout.WALLS + w] & city.lines[w] & ~city.border[w])
        for w in range(U(2)):
            _take_back_towers(state, board, w, city.corners[w] & standing(state, w))
    for w in range(U(2)):
        state[layout.CITY_TOWERS + w] |= city.corners[w] & standing(state, w)
    state[layout.CITIES] += U(1)


@inlined
def _cities_beside(state: Words, board: Words, lo: Word, hi: Word, root: Word) -> tuple[Word, Word]:
    """Return the cities across the border of the city `root`, as a set of their lowest spaces.

    `lo` and `hi` are the spaces of the city `root`.
    """
    halves, table = halves_of(state), bytes_of(board)
    roots_lo = roots_hi = U(0)
    while lo | hi:
        space, lo, hi = take_space(lo, hi)
        # The processor cannot predict where cities are, so this code uses arithmetic, not branches.
        for j in range(U(3)):
            line = U(table[SPACE_SIDES + U(4) * space + j])
            places = LINE_PLACES + U(8) * line
            # The space across the line, or the space itself on the edge of the board.
            across = U(table[places + U(2)]) + U(table[places + U(3)]) - space
            word = U(halves[layout.SPACES_HALF + across])
            other = across + U(word >= layout.IN_CITY) * ((word & U(255)) - across)
            is_city, is_high = U(word >= layout.IS_CITY), other >> U(6)
            roots_lo |= (is_city & ~is_high) << (other & U(63))
            roots_hi |= (is_city & is_high) << (other & U(63))
    low = U(1) << (root & U(63))
    return roots_lo & ~(low if root < U(64) else U(0)), roots_hi & ~(low if root >= U(64) else U(0))


@inner
def new_city(state: Words, board: Words) -> NewCity:
    """Return the city just completed while a merge is due; CITY is its lowest space."""
    root = U(bytes_of(state)[layout.CITY])
    lo, hi = enclosed_area(state, board, root, layout.NONE)
    beside_lo, beside_hi = _cities_beside(state, board, lo, hi, root)
    ends_lo, ends_hi = corners(board, lo, hi)
    return NewCity(beside_lo, beside_hi, lo, hi, ends_lo, ends_hi)


@inner
def merge_cities(state: Words, board: Words, city: NewCity, other: Word) -> NewCity:
    """Merge the city just completed with the city whose lowest space is `other`.

    Returns the merged city, with no further cities to merge with.
    """
    b = bytes_of(state)
    halves = halves_of(state)
    root = U(b[layout.CITY])
    there_lo, there_hi = enclosed_area(state, board, other, layout.NONE)
    here_lo, here_hi = city.lo, city.hi
    here = outline(board, here_lo, here_hi)
    there = outline(board, there_lo, there_hi)
    for w in range(U(4)):
        _take_back_walls(state, w, here.border[w] & there.border[w])
    for w in range(U(2)):
        shared = here.corners[w] & there.corners[w]
        _take_back_towers(state, board, w, shared & standing(state, w))
    kept = min(root, other)
    gone = max(root, other)
    pieces = (U(halves[layout.SPACES_HALF + root]) & layout.PIECES) + (
        U(halves[layout.SPACES_HALF + other]) & layout.PIECES
    )
    lo, hi = (here_lo, here_hi) if gone == root else (there_lo, there_hi)
    while lo | hi:
        space, lo, hi = take_space(lo, hi)
        halves[layout.SPACES_HALF + space] = layout.IN_CITY | kept
    halves[layout.SPACES_HALF + kept] = layout.IS_CITY | pieces
    b[layout.CITY] = kept
    state[layout.CITIES] -= U(1)
    return NewCity(
        U(0),
        U(0),
        here_lo | there_lo,
        here_hi | there_hi,
        here.corners[0] | there.corners[0],
        here.corners[1] | there.corners[1],
    )


@inner
def with_palaces(pieces: Word, palaces: Word) -> tuple[Word, Word]:
    """Turn pairs of houses into palaces while the supply lasts.

    `pieces` is the word of a city's pieces, and `palaces` is the supply of palaces, a byte for each
    color. Returns the new word, and the number of palaces built, a byte for each color.
    """
    pairs = nibbles_to_bytes((pieces >> U(1)) & _PAIRS_MASK)
    # All colors at once: the top bit of a byte is set if the supply of its color suffices.
    enough = (((palaces | TOP_BITS) - pairs) >> U(7)) & EACH_BYTE
    enough *= U(255)
    built = (pairs & enough) | (palaces & ~enough)
    counts = _bytes_to_nibbles(built)
    by_two = (counts | (counts >> U(2))) & U(0x30F0F)
    by_two = (by_two | (by_two >> U(4))) & U(0x300FF)
    by_two = (by_two | (by_two >> U(8))) & U(0x3FF)
    return pieces + (by_two << U(20)) - counts * _PAIR, built


@inlined
def build_palaces(state: Words) -> None:
    """Turn pairs of houses in the city just completed into palaces while the supply lasts."""
    b = bytes_of(state)
    halves = halves_of(state)
    root = layout.SPACES_HALF + U(b[layout.CITY])
    pieces, built = with_palaces(U(halves[root]), state[layout.PALACE_SUPPLY])
    halves[root] = pieces
    left = state[layout.PALACE_SUPPLY] - built
    state[layout.PALACE_SUPPLY] = left
    state[layout.HOUSE_SUPPLY] += built * _PAIR
    if left == U(0) and b[layout.END] == U(0):
        b[layout.END] = layout.END_PALACES
