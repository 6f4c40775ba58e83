"""Cities: completing one, what its inside gives back, merging, and palaces (rules, section 4)."""

from __future__ import annotations

from typing import NamedTuple

from masons.engine.board.components import HOUSES_PER_PALACE
from masons.engine.board.packed_board import (
    LINE_SPACES,
    REGION,
    TOWER_LINES,
)
from masons.engine.kernels.bits import U, lowest, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, halves_of, inner
from masons.engine.rules.placement import LAND_REGION_SHIFT
from masons.engine.state.areas import city_area, enclosed_area, outline, take_space
from masons.engine.state.layout import (
    CITIES,
    CITY,
    CITY_LINES,
    CITY_TOWERS,
    CLOSING,
    DOUBLE,
    END,
    END_PALACES,
    HOUSE_SUPPLY,
    IN_CITY,
    IS_CITY,
    LABELS_BYTE,
    LAND_HOUSES,
    LINE,
    NONE,
    OPEN,
    PALACE_SUPPLY,
    PIECES,
    SPACES_HALF,
    TOUCHED,
    TOWER_SUPPLY,
    TOWERS,
    WALL_LEFT,
    WALLS,
)

_PAIR = U(HOUSES_PER_PALACE)
# Bits of the five 4-bit counts where a colour has a pair of houses.
_TWO_HOUSES = U(0xEEEEE)


class NewCity(NamedTuple):
    """A city that was just completed, inside kernels."""

    beside_lo: Word  # the cities that it can be merged with: the set of their lowest spaces
    beside_hi: Word
    lo: Word  # its area
    hi: Word
    ends_lo: Word  # the area's corners
    ends_hi: Word


@inner
def standing(state: Words, w: Word) -> Word:
    """Word w of the set of tower spaces that have a tower."""
    return state[TOWERS + w] | state[TOWERS + U(2) + w] | state[TOWERS + U(4) + w]


@inner
def _take_back_walls(state: Words, w: Word, walls: Word) -> None:
    """Return the walls of word w to the supply."""
    state[WALLS + w] &= ~walls
    b = bytes_of(state)
    b[WALL_LEFT] = U(b[WALL_LEFT]) + popcount(walls)


@inner
def bare_towers(state: Words, board: Words, w: Word, towers: Word) -> Word:
    """Those of the towers of word w that no wall touches."""
    bare = U(0)
    while towers:
        bit = towers & (~towers + U(1))
        lines = TOWER_LINES + U(4) * ((w << U(6)) + lowest(towers))
        towers ^= bit
        walls = U(0)
        for i in range(U(4)):
            walls |= board[lines + i] & state[WALLS + i]
        if walls == U(0):
            bare |= bit
    return bare


@inner
def _take_back_towers(state: Words, board: Words, w: Word, towers: Word) -> None:
    """Return those of the towers of word w to the supply that no wall touches any more."""
    bare = bare_towers(state, board, w, towers)
    state[CITY_TOWERS + w] &= ~bare
    for color in range(U(3)):
        own = TOWERS + U(2) * color + w
        state[TOWER_SUPPLY] += popcount(state[own] & bare) << (U(8) * color)
        state[own] &= ~bare
    while bare:
        bytes_of(state)[LABELS_BYTE + (w << U(6)) + lowest(bare)] = NONE
        bare &= bare - U(1)


@inner
def _house_count(pieces: Word) -> Word:
    """The number of houses in the five 4-bit counts."""
    pairs = (pieces & U(0xF0F0F)) + ((pieces >> U(4)) & U(0x0F0F))
    return (pairs + (pairs >> U(8)) + (pairs >> U(16))) & U(255)


@inner
def houses_in(state: Words, board: Words, lo: Word, hi: Word) -> tuple[Word, Word]:
    """The houses of an area, as pieces of one space, and what they are of LAND_HOUSES."""
    halves, table = halves_of(state), bytes_of(board)
    total = land = U(0)
    while lo | hi:
        space, lo, hi = take_space(lo, hi)
        houses = U(halves[SPACES_HALF + space])
        total += houses
        land += _house_count(houses) << (LAND_REGION_SHIFT + U(8) * U(table[REGION + space]))
    for color in range(U(5)):
        land += ((total >> (U(4) * color)) & U(15)) << (U(8) * color)
    return total, land


@inner
def _gather_houses(state: Words, board: Words, lo: Word, hi: Word, root: Word) -> None:
    """Put the houses of an area on its root, mark its spaces, and take them off the land."""
    halves = halves_of(state)
    houses, land = houses_in(state, board, lo, hi)
    while lo | hi:
        space, lo, hi = take_space(lo, hi)
        halves[SPACES_HALF + space] = IN_CITY | root
    halves[SPACES_HALF + root] = IS_CITY | houses
    state[LAND_HOUSES] -= land


@inner
def enclosed_by(state: Words, board: Words, line: Word) -> tuple[Word, Word]:
    """The area that the wall on a line, which completes a city, encloses."""
    table = bytes_of(board)
    first = U(table[LINE_SPACES + U(2) * line])
    second = U(table[LINE_SPACES + U(2) * line + U(1)])
    return enclosed_area(state, board, first, second)


@inner
def newly_enclosed(state: Words, board: Words) -> tuple[Word, Word]:
    """The area that this turn's wall encloses; sets CITY to its lowest space."""
    b = bytes_of(state)
    lo, hi = enclosed_by(state, board, U(b[LINE]))
    b[CITY] = lowest(lo) if lo else U(64) + lowest(hi)
    return lo, hi


@inner
def complete_city(state: Words, board: Words) -> NewCity:
    """Make the area that this turn's wall encloses a city: clear it and take it off the land."""
    lo, hi = newly_enclosed(state, board)
    edge = outline(board, lo, hi)
    beside_lo, beside_hi = _cities_beside(state, board, edge, U(bytes_of(state)[CITY]))
    take_off_land(state, board, lo, hi, edge)
    return NewCity(beside_lo, beside_hi, lo, hi, edge[8], edge[9])


@inner
def take_off_land(state: Words, board: Words, lo: Word, hi: Word, edge: tuple[Word, ...]) -> None:
    """Make an area (with its `outline`) the city CITY: clear it and take it off the land."""
    root = U(bytes_of(state)[CITY])
    cleared = U(0)
    for w in range(U(4)):
        all_lines = edge[w + U(4)]
        inside = state[WALLS + w] & all_lines & ~edge[w]
        if inside:
            _take_back_walls(state, w, inside)
            cleared = U(1)
        state[CITY_LINES + w] |= all_lines
        state[OPEN + w] &= ~all_lines
        state[TOUCHED + w] &= ~all_lines
        state[DOUBLE + w] &= ~all_lines
        state[CLOSING + w] &= ~all_lines
    for w in range(U(2)):
        ends = edge[w + U(8)]
        if cleared:
            _take_back_towers(state, board, w, ends & standing(state, w))
        state[CITY_TOWERS + w] |= ends & standing(state, w)
    _gather_houses(state, board, lo, hi, root)
    state[CITIES] += U(1)


@inner
def _cities_beside(
    state: Words, board: Words, edge: tuple[Word, ...], root: Word
) -> tuple[Word, Word]:
    """The cities across the border of `root`'s area (its `outline`): their lowest spaces."""
    halves = halves_of(state)
    table = bytes_of(board)
    roots_lo = roots_hi = U(0)
    for w in range(U(4)):
        lines = edge[w] & state[CITY_LINES + w]
        while lines:
            at = LINE_SPACES + U(2) * ((w << U(6)) + lowest(lines))
            lines &= lines - U(1)
            for j in range(U(2)):
                space = U(table[at + j])
                if space == NONE:
                    continue
                other = city_of(U(halves[SPACES_HALF + space]), space)
                if other != NONE and other != root:
                    roots_lo |= U(other < U(64)) << (other & U(63))
                    roots_hi |= U(other >= U(64)) << (other & U(63))
    return roots_lo, roots_hi


@inner
def new_city(state: Words, board: Words) -> NewCity:
    """The just-completed city CITY, which waits to be merged."""
    root = U(bytes_of(state)[CITY])
    lo, hi = city_area(state, board, root)
    edge = outline(board, lo, hi)
    beside_lo, beside_hi = _cities_beside(state, board, edge, root)
    return NewCity(beside_lo, beside_hi, lo, hi, edge[8], edge[9])


@inner
def city_of(word: Word, space: Word) -> Word:
    """The lowest space of the city that a space with this word belongs to, or NONE."""
    if word & IN_CITY:
        return word & U(255)
    return space if word & IS_CITY else NONE


@inner
def merge_cities(state: Words, board: Words, city: NewCity, other: Word) -> NewCity:
    """Merge the just-completed city with that whose lowest space is `other`; what comes of it."""
    b = bytes_of(state)
    halves = halves_of(state)
    root = U(b[CITY])
    there_lo, there_hi = city_area(state, board, other)
    here_lo, here_hi = city.lo, city.hi
    here = outline(board, here_lo, here_hi)
    there = outline(board, there_lo, there_hi)
    for w in range(U(4)):
        _take_back_walls(state, w, here[w] & there[w])
    for w in range(U(2)):
        shared = here[w + U(8)] & there[w + U(8)]
        _take_back_towers(state, board, w, shared & standing(state, w))
    kept = min(root, other)
    gone = max(root, other)
    pieces = (U(halves[SPACES_HALF + root]) & PIECES) + (U(halves[SPACES_HALF + other]) & PIECES)
    lo, hi = (here_lo, here_hi) if gone == root else (there_lo, there_hi)
    while lo | hi:
        space, lo, hi = take_space(lo, hi)
        halves[SPACES_HALF + space] = IN_CITY | kept
    halves[SPACES_HALF + kept] = IS_CITY | pieces
    b[CITY] = kept
    state[CITIES] -= U(1)
    return NewCity(
        U(0), U(0), here_lo | there_lo, here_hi | there_hi, here[8] | there[8], here[9] | there[9]
    )


@inner
def with_palaces(pieces: Word, palaces: Word) -> tuple[Word, Word]:
    """A city's pieces with palaces for pairs of houses, as far as `palaces` (bytes) allow.

    And how many were built: bytes, too.
    """
    all_built = U(0)
    if pieces & _TWO_HOUSES:
        for color in range(U(5)):
            pairs = ((pieces >> (U(4) * color)) & U(15)) // _PAIR
            built = min(pairs, (palaces >> (U(8) * color)) & U(255))
            pieces += (built << (U(20) + U(2) * color)) - ((built * _PAIR) << (U(4) * color))
            all_built |= built << (U(8) * color)
    return pieces, all_built


@inner
def build_palaces(state: Words) -> None:
    """Make palaces of the pairs of houses in the just-completed city, while the supply lasts."""
    b = bytes_of(state)
    halves = halves_of(state)
    root = SPACES_HALF + U(b[CITY])
    pieces, built = with_palaces(U(halves[root]), state[PALACE_SUPPLY])
    halves[root] = pieces
    left = state[PALACE_SUPPLY] - built
    state[PALACE_SUPPLY] = left
    state[HOUSE_SUPPLY] += built * _PAIR
    if left == U(0) and b[END] == U(0):
        b[END] = END_PALACES
