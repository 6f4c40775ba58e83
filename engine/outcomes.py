"""What a roll can come to: the distinct ways of placing towers and houses (rules, 3.3 and 3.4).

A set of outcomes is one word read as an 8x8 grid: bit 8*x + y is colour x at the first place and
colour y at the second, NO_COLOR (7) where nothing is put. Supplies are words with a count a byte.
"""

from __future__ import annotations

from masons.engine.bits import U, lowest, popcount
from masons.engine.jit import inner
from masons.engine.layout import JOKER

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


@inner
def in_supply(supply: int) -> int:
    """The colours of which there is at least one, as bits 0-4."""
    return ((((supply + _ONE_OR_MORE) & _HIGH_BITS) >> U(7)) * _GATHER >> U(32)) & _COLORS


@inner
def in_plenty(supply: int) -> int:
    """The colours of which there are at least two, as bits 0-4."""
    return ((((supply + _TWO_OR_MORE) & _HIGH_BITS) >> U(7)) * _GATHER >> U(32)) & _COLORS


@inner
def spread(colors: int) -> int:
    """The colours x in bits 0-4 moved to rows of the grid: bit 8*x."""
    return (colors * _SPREAD) & _LOW_BITS


@inner
def die_colors(die: int, supply: int) -> int:
    """What a die allows: its colour, or any in supply for a joker or a colour that is out."""
    if die != JOKER and (supply >> die) & U(1):
        return U(1) << die  # type: ignore[no-any-return]
    return supply


@inner
def after_one(supply: int, plenty: int, color: int) -> int:
    """The colours still in supply after one piece of `color` is taken."""
    return supply & ~((U(1) << color) & ~plenty)  # type: ignore[no-any-return]


@inner
def _last_piece(supply: int) -> int:
    """Two places and one piece left: it goes to either (rules, 3.3 and 3.4, settled)."""
    return (spread(supply) << _FIRST_ONLY) | (supply << _SECOND_ONLY)  # type: ignore[no-any-return]


@inner
def tower_outcomes(supply: int, plenty: int, die: int, first: bool, second: bool) -> int:
    """The outcomes for a wall whose first and second end are empty or not; 0 for neither.

    `supply` and `plenty` are the colours with one or more and two or more towers left.
    """
    if not (first and second):
        colors = die_colors(die, supply)
        if first:
            return spread(colors) << _FIRST_ONLY  # type: ignore[no-any-return]
        return colors << _SECOND_ONLY if second else U(0)  # type: ignore[no-any-return]
    if plenty == U(0) and popcount(supply) == U(1):
        return _last_piece(supply)
    outcomes = U(0)
    rolled = die_colors(die, supply)
    while rolled:
        color = lowest(rolled)
        rolled &= rolled - U(1)
        others = after_one(supply, plenty, color)
        outcomes |= (others << (color << U(3))) | (spread(others) << color)
    return outcomes  # type: ignore[no-any-return]


@inner
def _in_turn(supply: int, plenty: int, die_1: int, die_2: int) -> int:
    """The outcomes with one die's house put on either space first, then the other die's."""
    outcomes = U(0)
    rolled = die_colors(die_1, supply)
    while rolled:
        color = lowest(rolled)
        rolled &= rolled - U(1)
        others = die_colors(die_2, after_one(supply, plenty, color))
        outcomes |= (others << (color << U(3))) | (spread(others) << color)
    return outcomes  # type: ignore[no-any-return]


@inner
def house_outcomes(supply: int, plenty: int, die_1: int, die_2: int, both: bool) -> int:
    """The outcomes for a wall with two spaces beside it (`both`) or one."""
    if not both:
        colors = die_colors(die_1, supply) | die_colors(die_2, supply)
        return spread(colors) << _FIRST_ONLY  # type: ignore[no-any-return]
    if plenty == U(0) and popcount(supply) == U(1):
        return _last_piece(supply)
    return _in_turn(supply, plenty, die_1, die_2) | _in_turn(supply, plenty, die_2, die_1)
