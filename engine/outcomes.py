"""What a roll can come to: the distinct ways of placing towers and houses (rules, 3.3 and 3.4).

A set of outcomes is one word read as an 8x8 grid: bit 8*x + y is colour x at the first place and
colour y at the second, NO_COLOR (7) where nothing is put. Supplies are words with a count a byte.

As long as two pieces of every colour are left, which is nearly always, the set depends on the dice
alone and stands in a table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from masons.engine.bits import U, lowest, popcount
from masons.engine.components import HOUSE_COLORS, TOWER_COLORS
from masons.engine.jit import Word, inlined, inner
from masons.engine.layout import JOKER, NO_COLOR

_LOW_BITS = U(0x0101010101)
_HIGH_BITS = U(0x8080808080)
_ONE_OR_MORE = U(0x7F7F7F7F7F)
_TWO_OR_MORE = U(0x7E7E7E7E7E)
# Multiplying gathers bits 0, 8, 16, 24, 32 at 32-36; or spreads bits 0-4 to 0, 8, 16, 24, 32.
_GATHER = U((1 << 32) | (1 << 25) | (1 << 18) | (1 << 11) | (1 << 4))
_SPREAD = U(1 | (1 << 7) | (1 << 14) | (1 << 21) | (1 << 28))
_FIRST_ONLY = U(7)
_SECOND_ONLY = U(56)
_COLORS = U(31)

# The empty ends of a wall, added up.
FIRST_END = U(1)
SECOND_END = U(2)
BOTH_ENDS = U(3)

# The high bits that tell of two or more of every tower colour, and of every house colour.
_TOWERS_PLENTY = U(0x808080)
_HOUSES_PLENTY = U(0x8080808080)


def _plenty_towers() -> NDArray[np.uint64]:
    """[empty ends: 0, first, second, both][die]: the outcomes where no colour is short."""
    none, colors = int(NO_COLOR), range(len(TOWER_COLORS))
    grids = []
    for empty in range(4):
        for die in colors:
            cells = (
                [set[int](), {8 * die + none}, {8 * none + die}][empty]
                if empty < 3
                else {cell for other in colors for cell in (8 * die + other, 8 * other + die)}
            )
            grids.append(sum(1 << cell for cell in cells))
    return np.array(grids, dtype=np.uint64)


def _plenty_houses() -> NDArray[np.uint64]:
    """[spaces - 1][die_1][die_2]: the outcomes where no colour is short."""
    faces = [*((color,) for color in range(len(HOUSE_COLORS))), tuple(range(len(HOUSE_COLORS)))]
    one, two = [], []
    for die_1 in faces:
        for die_2 in faces:
            one.append(sum(1 << (8 * x + int(NO_COLOR)) for x in {*die_1, *die_2}))
            pairs = {(x, y) for x in die_1 for y in die_2}
            pairs |= {(y, x) for x, y in pairs}
            two.append(sum(1 << (8 * x + y) for x, y in pairs))
    return np.array(one + two, dtype=np.uint64)


_PLENTY_TOWERS = _plenty_towers()
_PLENTY_HOUSES = _plenty_houses()


@inner
def in_supply(supply: Word) -> Word:
    """The colours of which there is at least one, as bits 0-4."""
    return ((((supply + _ONE_OR_MORE) & _HIGH_BITS) >> U(7)) * _GATHER >> U(32)) & _COLORS


@inner
def in_plenty(supply: Word) -> Word:
    """The colours of which there are at least two, as bits 0-4."""
    return ((((supply + _TWO_OR_MORE) & _HIGH_BITS) >> U(7)) * _GATHER >> U(32)) & _COLORS


@inner
def spread(colors: Word) -> Word:
    """The colours x in bits 0-4 moved to rows of the grid: bit 8*x."""
    return (colors * _SPREAD) & _LOW_BITS


@inner
def die_colors(die: Word, supply: Word) -> Word:
    """What a die allows: its colour, or any in supply for a joker or a colour that is out."""
    if die != JOKER and (supply >> die) & U(1):
        return U(1) << die
    return supply


@inner
def after_one(supply: Word, plenty: Word, color: Word) -> Word:
    """The colours still in supply after one piece of `color` is taken."""
    return supply & ~((U(1) << color) & ~plenty)


@inner
def _last_piece(supply: Word) -> Word:
    """Two places and one piece left: it goes to either (rules, 3.3 and 3.4, settled)."""
    return (spread(supply) << _FIRST_ONLY) | (supply << _SECOND_ONLY)


@inner
def _scarce_towers(supply: Word, die: Word, empty: Word) -> Word:
    """`tower_outcomes` where some colour may be short."""
    if empty == U(0):
        return U(0)
    colors, plenty = in_supply(supply), in_plenty(supply)
    rolled = die_colors(die, colors)
    if empty == FIRST_END:
        return spread(rolled) << _FIRST_ONLY
    if empty == SECOND_END:
        return rolled << _SECOND_ONLY
    if plenty == U(0) and popcount(colors) == U(1):
        return _last_piece(colors)
    outcomes = U(0)
    while rolled:
        color = lowest(rolled)
        rolled &= rolled - U(1)
        others = after_one(colors, plenty, color)
        outcomes |= (others << (color << U(3))) | (spread(others) << color)
    return outcomes


@inlined
def tower_outcomes(supply: Word, die: Word, empty: Word) -> Word:
    """The outcomes for a wall with these ends empty (FIRST_END, SECOND_END, both added, or 0)."""
    if (supply + _TWO_OR_MORE) & _TOWERS_PLENTY == _TOWERS_PLENTY:
        return _PLENTY_TOWERS[U(3) * empty + die]
    return _scarce_towers(supply, die, empty)


@inner
def _in_turn(supply: Word, plenty: Word, die_1: Word, die_2: Word) -> Word:
    """The outcomes with one die's house put on either space first, then the other die's."""
    outcomes = U(0)
    rolled = die_colors(die_1, supply)
    while rolled:
        color = lowest(rolled)
        rolled &= rolled - U(1)
        others = die_colors(die_2, after_one(supply, plenty, color))
        outcomes |= (others << (color << U(3))) | (spread(others) << color)
    return outcomes


@inner
def _scarce_houses(supply: Word, die_1: Word, die_2: Word, both: bool) -> Word:
    """`house_outcomes` where some colour may be short."""
    colors, plenty = in_supply(supply), in_plenty(supply)
    if not both:
        either = die_colors(die_1, colors) | die_colors(die_2, colors)
        return spread(either) << _FIRST_ONLY
    if plenty == U(0) and popcount(colors) == U(1):
        return _last_piece(colors)
    return _in_turn(colors, plenty, die_1, die_2) | _in_turn(colors, plenty, die_2, die_1)


@inlined
def house_outcomes(supply: Word, die_1: Word, die_2: Word, both: bool) -> Word:
    """The outcomes for a wall with two spaces beside it (`both`) or one."""
    if (supply + _TWO_OR_MORE) & _HOUSES_PLENTY == _HOUSES_PLENTY:
        return _PLENTY_HOUSES[U(36) * U(both) + U(6) * die_1 + die_2]
    return _scarce_houses(supply, die_1, die_2, both)
