"""The distinct outcomes of a roll: ways of placing towers and houses (rules, 3.3 and 3.4).

A set of outcomes is one word read as an 8x8 grid: bit 8*x + y, the outcome's *code*, is color x at
the first place and color y at the second, NO_COLOR (7) where nothing is put. Supplies are words
with a count a byte.

What an outcome does is its *step*. Steps are made for runs of turns, which keep supplies in
variables: a step is taken off a supply as it is, and above its pieces counts choices down.

| bits of towers | of houses | what                                                           |
| -------------- | --------- | -------------------------------------------------------------- |
| 0-11           | 0-39      | pieces of each color, in 4 or 8 bits (`packed_towers`)        |
| 12-19          | 40-47     | 1 where there was a choice                                     |
| 20-21, 22-23   |           | the color at the first and at the second place, from 1, or 0  |
|                | 58-63     | the code                                                       |

Of a supply it only matters whether none, one or more pieces of a color are left: 3^colors levels.
Towers have a table by level and dice. Houses have one by the colors in supply, which is smaller
by far: where one of a color is left, two of it are taken out.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from masons.engine.board.components import HOUSE_COLORS, TOWER_COLORS
from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.jit import Word, WordArray, inlined
from masons.engine.state.layout import JOKER, NO_COLOR

_NOWHERE: Final = int(NO_COLOR)

TOWER_COUNTS = U((1 << 12) - 1)
TOWER_FIRST = U(20)
TOWER_SECOND = U(22)
TOWER_COLOR = U(3)
HOUSE_COUNTS = U((1 << 40) - 1)
HOUSE_CODE = U(58)
_CHOICES = U(255)

# The empty ends of a wall, added up.
FIRST_END = U(1)
SECOND_END = U(2)
ENDS = U(4)

# Faces of a house die, and of two.
FACES = U(int(JOKER) + 1)
PAIRS_OF_DICE = FACES * FACES
TOWER_FACES = U(len(TOWER_COLORS))  # that differ

# A count a byte becomes 0, 1 or 2 a byte, and those a number in base 3, which comes out at bit 32.
_ONE_OR_MORE = U(0x7F7F7F7F7F)
_TWO_OR_MORE = U(0x7E7E7E7E7E)
_HIGH_BIT = U(7)
_LOW_BITS = U(0x0101010101)
_BASE_2 = U(sum(1 << (i + 8 * (4 - i)) for i in range(len(HOUSE_COLORS))))
_BASE_3 = U(sum(3**i << (8 * (4 - i)) for i in range(len(HOUSE_COLORS))))
_HOUSES_PLENTY = U(0x8080808080)
_LEVEL_SHIFT = U(32)
_LEVEL_BITS = U(255)


def _levels(colors: int) -> WordArray:
    """uint64[colors, 3^colors, 1, 1]: how many pieces (2 for more) each level of a supply has."""
    number = np.arange(3**colors, dtype=np.uint64)
    return np.array([number // U(3**color) % U(3) for color in range(colors)])[:, :, None, None]


def _bit(color: int) -> np.uint64:
    return np.uint64(1 << color)


def _cell(first: int, second: int) -> np.uint64:
    """Return the set of one outcome."""
    return np.uint64(1 << (8 * first + second))


def _in_supply(levels: WordArray) -> WordArray:
    """Return the set of colors of which there is at least one."""
    bits = [(level != 0) * _bit(color) for color, level in enumerate(levels)]
    combined: WordArray = np.bitwise_or.reduce(bits)
    return combined


def _rolled(die: WordArray, colors: WordArray) -> WordArray:
    """Return the colors that a die allows: its own, or any in supply for a joker or a lack."""
    own_color = np.uint64(1) << die
    return np.where((die != JOKER) & (colors & own_color != 0), own_color, colors)


def _one_piece(colors: WordArray, first: bool, second: bool) -> WordArray:
    """Return a piece of one of some colors, at the first place, at the second, or at either."""
    grid = np.zeros_like(colors)
    for color in range(len(HOUSE_COLORS)):
        cells = first * _cell(color, _NOWHERE) | second * _cell(_NOWHERE, color)
        grid |= np.where(colors & _bit(color) != 0, cells, U(0))
    return grid


def _two_pieces(levels: WordArray, die_1: WordArray, die_2: WordArray) -> WordArray:
    """One die's piece at either place, then the other die's at the other one (the last: alone)."""
    colors = _in_supply(levels)
    rolled = _rolled(die_1, colors)
    grid = np.zeros_like(rolled | die_2)
    for color, level in enumerate(levels):
        left = np.where(level == 1, colors & ~_bit(color), colors)
        others = np.where(rolled & _bit(color) != 0, _rolled(die_2, left), U(0))
        for other in range(len(levels)):
            cells = _cell(color, other) | _cell(other, color)
            grid |= np.where(others & _bit(other) != 0, cells, U(0))
    return np.where(levels.sum(axis=0) == 1, _one_piece(colors, True, True), grid)


def _tower_table() -> WordArray:
    """Return the outcomes of the tower die: uint64[level, empty ends (0, 1st, 2nd, both), die]."""
    levels = _levels(len(TOWER_COLORS))
    die = np.arange(len(TOWER_COLORS), dtype=np.uint64)[None, :, None]
    rolled = _rolled(die, _in_supply(levels))
    ends = (
        np.full_like(rolled, _cell(_NOWHERE, _NOWHERE)),
        _one_piece(rolled, True, False),
        _one_piece(rolled, False, True),
        _two_pieces(levels, die, np.full_like(die, JOKER)),
    )
    table: WordArray = np.stack(ends, axis=1)
    return table.reshape(-1, int(ENDS), int(TOWER_FACES))


def _house_table() -> WordArray:
    """uint64[level, spaces - 1, dice]; of one space either die may be used."""
    levels = _levels(len(HOUSE_COLORS))
    faces = np.arange(int(JOKER) + 1, dtype=np.uint64)
    die_1, die_2 = faces[None, :, None], faces[None, None, :]
    colors = _in_supply(levels)
    beside = (
        _one_piece(_rolled(die_1, colors) | _rolled(die_2, colors), True, False),
        _two_pieces(levels, die_1, die_2) | _two_pieces(levels, die_2, die_1),
    )
    table: WordArray = np.stack(beside, axis=1)
    return table.reshape(-1, 2, int(PAIRS_OF_DICE))


def _tower_steps() -> WordArray:
    """uint64[choice, 64]: the step of each code."""
    steps = np.zeros((2, 64), dtype=np.uint64)
    for code in range(64):
        for color, place in ((code >> 3, TOWER_FIRST), (code & 7, TOWER_SECOND)):
            if color < len(TOWER_COLORS):
                steps[:, code] += U((1 << 4 * color) + (color + 1 << int(place)))
    steps[1] += U(1 << 12)
    return steps


def _house_steps() -> tuple[WordArray, WordArray]:
    """uint64[choice, 64]: the step of each code; uint64[64]: its houses as pieces of its spaces."""
    steps = np.zeros((2, 64), dtype=np.uint64)
    pieces = np.zeros(64, dtype=np.uint64)
    for code in range(64):
        steps[:, code] = U(code << int(HOUSE_CODE))
        for color, place in ((code >> 3, 0), (code & 7, 32)):
            if color < len(HOUSE_COLORS):
                steps[:, code] += U(1 << 8 * color)
                pieces[code] += U(1 << place + 4 * color)
    steps[1] += U(1 << 40)
    return steps, pieces


TOWER_OUTCOMES = _tower_table()
_TOWER_TABLE = TOWER_OUTCOMES.ravel()

# Tables of houses by the colors in supply: 32 sets instead of 243 levels stay near the processor.
_HOUSE_LEVELS = _house_table()
# uint64[spaces - 1, dice]: the outcomes as long as two houses of each color are left.
PLENTY_OF_HOUSES = _HOUSE_LEVELS[-1]
_SETS = range(1 << len(HOUSE_COLORS))


def _level(colors: int, single: int = -1) -> int:
    """Return the level with two of each of a set of colors, or one of the color `single`."""
    counts = [(colors >> c & 1) * (1 if c == single else 2) for c in range(len(HOUSE_COLORS))]
    return sum(count * int(3**c) for c, count in enumerate(counts))


# uint64[colors, spaces - 1, dice]: the outcomes while there are two of each of the colors.
_HOUSE_TABLE = _HOUSE_LEVELS[[_level(colors) for colors in _SETS]].ravel()
# uint64[colors]: two houses of one of some colors.
_DOUBLES = np.array(
    [sum(1 << 9 * c for c in range(5) if s >> c & 1) for s in _SETS], dtype=np.uint64
)
# uint64[colors, 8]: the outcomes for two spaces where both dice come to a color's last house.
_LAST_HOUSE = np.array(
    [
        [_HOUSE_LEVELS[_level(s, c), 1, 7 * c] if c < 5 and s >> c & 1 else 0 for c in range(8)]
        for s in _SETS
    ],
    dtype=np.uint64,
).ravel()
TOWER_STEPS_BY_CHOICE: Final = _tower_steps()
HOUSE_STEPS_BY_CHOICE, HOUSE_PIECES = _house_steps()
TOWER_STEPS: Final = TOWER_STEPS_BY_CHOICE[0]
HOUSE_STEPS: Final = HOUSE_STEPS_BY_CHOICE[0]


@inlined
def packed_towers(supply: Word) -> Word:
    """Return a tower supply with 4 bits for each color, instead of a byte."""
    return (supply & U(0xF)) | ((supply >> U(4)) & U(0xF0)) | ((supply >> U(8)) & U(0xF00))


@inlined
def tower_bytes(packed: Word) -> Word:
    """Return a tower supply with a byte for each color again."""
    return (packed & U(0xF)) | ((packed & U(0xF0)) << U(4)) | ((packed & U(0xF00)) << U(8))


@inlined
def choices_made(towers: Word, houses: Word) -> Word:
    """Return how many choices were counted down in supplies that steps were taken off."""
    return (~(towers >> U(12)) + U(1) & _CHOICES) + (~(houses >> U(40)) + U(1) & _CHOICES)


@inlined
def has_plenty_of_houses(supply: Word) -> bool:
    """Return whether a house supply has two or more of every color."""
    return (supply + _TWO_OR_MORE) & _HOUSES_PLENTY == _HOUSES_PLENTY


@inlined
def _some_and_more(supply: Word) -> tuple[Word, Word]:
    """Return a byte for each color of a supply: 1 for one piece or more; 1 for two or more."""
    some = ((supply + _ONE_OR_MORE) >> _HIGH_BIT) & _LOW_BITS
    return some, ((supply + _TWO_OR_MORE) >> _HIGH_BIT) & _LOW_BITS


@inlined
def tower_outcomes(supply: Word, die: Word, empty: Word) -> Word:
    """Return the outcomes for a wall with these ends empty: FIRST_END, SECOND_END or both added.

    With 0 there is one outcome, nothing, whatever the die.
    """
    some, more = _some_and_more(supply)
    level = ((some + more) * _BASE_3 >> _LEVEL_SHIFT) & _LEVEL_BITS
    outcomes: Word = _TOWER_TABLE[(level * ENDS + empty) * TOWER_FACES + die]
    return outcomes


@inlined
def house_outcomes(supply: Word, dice: Word, both: Word) -> Word:
    """Return the outcomes of two dice (6 * first + second) beside two spaces (`both` 1) or one."""
    some, more = _some_and_more(supply)
    colors = (some * _BASE_2 >> _LEVEL_SHIFT) & _LEVEL_BITS
    single = ((some ^ more) * _BASE_2 >> _LEVEL_SHIFT) & _LEVEL_BITS
    outcomes: Word = _HOUSE_TABLE[(colors * U(2) + both) * PAIRS_OF_DICE + dice]
    left: Word = outcomes & ~_DOUBLES[single]
    if left == U(0) and outcomes:
        left = _LAST_HOUSE[(colors << U(3)) + (lowest(outcomes) & NO_COLOR)]
    return left
