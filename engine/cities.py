"""Cities: completing one, what its inside gives back, merging, and palaces (rules, section 4)."""

from __future__ import annotations

from masons.engine.areas import city_area, corners, enclosed_area, lines_of
from masons.engine.bits import U, count4, drop, has, lowest, popcount
from masons.engine.board import MAX_SPACES
from masons.engine.build import LAND_SHORE_SHIFT, LAND_WALL_SHIFT
from masons.engine.components import HOUSES_PER_PALACE
from masons.engine.jit import Words, bytes_of, halves_of, inner
from masons.engine.layout import (
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
    LAND_REST,
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
from masons.engine.topology import (
    LINE_SPACES,
    REGION,
    SHORE,
    SPACE_NEXT,
    TOWER_LINES,
)

_PAIR = U(HOUSES_PER_PALACE)
_CITY_SHIFT = U(48)
_CITY_BYTE = U(255) << _CITY_SHIFT


@inner
def standing(state: Words, w: int) -> int:
    """Word w of the set of tower spaces that have a tower."""
    return state[TOWERS + w] | state[TOWERS + U(2) + w] | state[TOWERS + U(4) + w]  # type: ignore[no-any-return]


@inner
def _take_back_walls(state: Words, w: int, walls: int) -> None:
    """Return the walls of word w to the supply."""
    state[WALLS + w] &= ~walls
    b = bytes_of(state)
    b[WALL_LEFT] = U(b[WALL_LEFT]) + popcount(walls)


@inner
def _take_back_towers(state: Words, board: Words, w: int, towers: int) -> None:
    """Return those of the towers of word w to the supply that no wall touches any more."""
    b = bytes_of(state)
    while towers:
        tower = (w << U(6)) + lowest(towers)
        towers &= towers - U(1)
        lines = TOWER_LINES + U(4) * tower
        walls = U(0)
        for i in range(U(4)):
            walls |= board[lines + i] & state[WALLS + i]
        if walls:
            continue
        b[LABELS_BYTE + tower] = NONE
        drop(state, CITY_TOWERS, tower)
        for color in range(U(3)):
            if has(state, TOWERS + U(2) * color, tower):
                drop(state, TOWERS + U(2) * color, tower)
                state[TOWER_SUPPLY] += U(1) << (U(8) * color)


@inner
def _recount_land(state: Words, board: Words) -> None:
    """Count anew the towers and walls that belong to no city; the number of cities stays."""
    land = state[LAND_REST] & _CITY_BYTE
    walls = U(0)
    for w in range(U(4)):
        walls += popcount(state[WALLS + w] & ~state[CITY_LINES + w])
    land |= walls << LAND_WALL_SHIFT
    for w in range(U(2)):
        outside = ~state[CITY_TOWERS + w]
        for color in range(U(3)):
            count = popcount(state[TOWERS + U(2) * color + w] & outside)
            land += count + (count << (U(8) + U(8) * color))
        shore = popcount(standing(state, w) & outside & board[SHORE + w])
        land += shore << LAND_SHORE_SHIFT
    state[LAND_REST] = land


@inner
def _house_count(pieces: int) -> int:
    """The number of houses in the five 4-bit counts."""
    return (
        (pieces & U(15))
        + ((pieces >> U(4)) & U(15))
        + ((pieces >> U(8)) & U(15))
        + ((pieces >> U(12)) & U(15))
        + ((pieces >> U(16)) & U(15))
    )


@inner
def _gather_houses(state: Words, board: Words, lo: int, hi: int, root: int) -> None:
    """Put the houses of an area on its root, mark its spaces, and take them off the land."""
    halves = halves_of(state)
    table = bytes_of(board)
    total = U(0)
    land = U(0)
    while lo | hi:
        if lo:
            space = lowest(lo)
            lo &= lo - U(1)
        else:
            space = U(64) + lowest(hi)
            hi &= hi - U(1)
        houses = U(halves[SPACES_HALF + space])
        halves[SPACES_HALF + space] = IN_CITY | root
        total += houses
        land += _house_count(houses) << (U(40) + U(8) * U(table[REGION + space]))
    halves[SPACES_HALF + root] = IS_CITY | total
    for color in range(U(5)):
        land += ((total >> (U(4) * color)) & U(15)) << (U(8) * color)
    state[LAND_HOUSES] -= land


@inner
def complete_city(state: Words, board: Words) -> None:
    """Make the area that this turn's wall encloses a city: clear it and take it off the land.

    Sets CITY to its lowest space.
    """
    b = bytes_of(state)
    table = bytes_of(board)
    line = U(b[LINE])
    first = U(table[LINE_SPACES + U(2) * line])
    second = U(table[LINE_SPACES + U(2) * line + U(1)])
    lo, hi = enclosed_area(state, board, first, second)
    root = lowest(lo) if lo else U(64) + lowest(hi)
    b[CITY] = root
    border = lines_of(board, lo, hi)
    cleared = U(0)
    for w in range(U(4)):
        all_lines = border[w + U(4)]
        inside = state[WALLS + w] & all_lines & ~border[w]
        if inside:
            _take_back_walls(state, w, inside)
            cleared = U(1)
        state[CITY_LINES + w] |= all_lines
        state[OPEN + w] &= ~all_lines
        state[TOUCHED + w] &= ~all_lines
        state[DOUBLE + w] &= ~all_lines
        state[CLOSING + w] &= ~all_lines
    ends = corners(board, lo, hi)
    for w in range(U(2)):
        if cleared:
            _take_back_towers(state, board, w, ends[w] & standing(state, w))
        state[CITY_TOWERS + w] |= ends[w] & standing(state, w)
    _gather_houses(state, board, lo, hi, root)
    state[LAND_REST] += U(1) << _CITY_SHIFT
    _recount_land(state, board)


@inner
def merge_choices(state: Words, board: Words, root: int) -> tuple[int, int]:
    """The cities that share a wall with the city of `root`: the set of their lowest spaces."""
    halves = halves_of(state)
    table = bytes_of(board)
    lo, hi = city_area(state, board, root)
    roots_lo = roots_hi = U(0)
    while lo | hi:
        if lo:
            space = lowest(lo)
            lo &= lo - U(1)
        else:
            space = U(64) + lowest(hi)
            hi &= hi - U(1)
        for j in range(U(3)):
            beside = U(table[SPACE_NEXT + U(4) * space + j])
            if beside == NONE:
                continue
            other = city_of(U(halves[SPACES_HALF + beside]), beside)
            if other == NONE or other == root:
                continue
            if other < U(64):
                roots_lo |= U(1) << other
            else:
                roots_hi |= U(1) << (other - U(64))
    return roots_lo, roots_hi


@inner
def city_of(word: int, space: int) -> int:
    """The lowest space of the city that a space with this word belongs to, or NONE."""
    if word & IN_CITY:
        return word & U(255)
    return space if word & IS_CITY else NONE  # type: ignore[no-any-return]


@inner
def merge_cities(state: Words, board: Words, other: int) -> None:
    """Merge the just-completed city with the city whose lowest space is `other`."""
    b = bytes_of(state)
    halves = halves_of(state)
    root = U(b[CITY])
    here = city_area(state, board, root)
    there = city_area(state, board, other)
    border_here = lines_of(board, here[0], here[1])
    border_there = lines_of(board, there[0], there[1])
    for w in range(U(4)):
        _take_back_walls(state, w, border_here[w] & border_there[w])
    ends_here = corners(board, here[0], here[1])
    ends_there = corners(board, there[0], there[1])
    for w in range(U(2)):
        _take_back_towers(state, board, w, ends_here[w] & ends_there[w] & standing(state, w))
    kept = min(root, other)
    gone = max(root, other)
    pieces = (U(halves[SPACES_HALF + root]) & PIECES) + (U(halves[SPACES_HALF + other]) & PIECES)
    halves[SPACES_HALF + gone] = IN_CITY | gone
    for space in range(U(MAX_SPACES)):
        word = U(halves[SPACES_HALF + space])
        halves[SPACES_HALF + space] = IN_CITY | kept if word == IN_CITY | gone else word
    halves[SPACES_HALF + kept] = IS_CITY | pieces
    b[CITY] = kept
    state[LAND_REST] -= U(1) << _CITY_SHIFT


@inner
def build_palaces(state: Words) -> None:
    """Make palaces of the pairs of houses in the just-completed city, while the supply lasts."""
    b = bytes_of(state)
    halves = halves_of(state)
    root = SPACES_HALF + U(b[CITY])
    pieces = U(halves[root])
    for color in range(U(5)):
        pairs = ((pieces >> (U(4) * color)) & U(15)) // _PAIR
        if pairs == U(0):
            continue
        left = (state[PALACE_SUPPLY] >> (U(8) * color)) & U(255)
        built = min(pairs, left)
        pieces += built << (U(20) + U(2) * color)
        pieces -= (built * _PAIR) << (U(4) * color)
        state[PALACE_SUPPLY] -= built << (U(8) * color)
        state[HOUSE_SUPPLY] += (built * _PAIR) << (U(8) * color)
    halves[root] = pieces
    if state[PALACE_SUPPLY] == U(0) and b[END] == U(0):
        b[END] = END_PALACES
