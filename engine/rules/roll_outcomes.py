"""The distinct outcomes of a roll: the ways to place towers and houses (rules, 3.3 and 3.4).

An outcome is color x at the first place and color y at the second, NO_COLOR (7) for no piece; its
*code* is 8*x + y. A set of outcomes is one word with bit 8*x + y set. Supplies are words with a
count in each byte.

The *step* of an outcome is a word that updates the supplies by one subtraction: the pieces in its
low bits are taken off, and a count of choices above them counts down. Playing many turns keeps the
supplies in variables and subtracts steps.

| bits of towers | of houses | content                                                       |
| -------------- | --------- | ------------------------------------------------------------- |
| 0-11           | 0-39      | pieces of each color, 4 or 8 bits each (`packed_towers`)      |
| 12-19          | 40-47     | 1 if there was a choice                                       |
| 20-21, 22-23   |           | color at the first and second place, counted from 1; 0: none  |
|                | 58-63     | the code                                                      |

Outcomes depend on a supply only by its *level*: none, one, or at least two pieces of each color, so
there are 3^colors levels. Tower outcomes are a table by level and die. House outcomes are a much
smaller table by the set of colors in supply; outcomes that need two houses of a color with one
house left are removed afterwards.
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

# Ends of a wall that have no tower; the sum stands for both. ENDS is the number of combinations.
FIRST_END = U(1)
SECOND_END = U(2)
ENDS = U(4)

# Number of different faces of a house die, and of two dice.
FACES = U(int(JOKER) + 1)
PAIRS_OF_DICE = FACES * FACES
TOWER_FACES = U(len(TOWER_COLORS))  # different faces of the tower die

# A supply's byte counts are reduced to 0, 1 or 2 each. A multiplication turns these digits
# into a number in base 3 (the level), found at bit 32 of the product.
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
    """Return the pieces of each color (0, 1, or 2 for more) at each level of a supply.

    The result is uint64[colors, 3^colors, 1, 1].
    """
    number = np.arange(3**colors, dtype=np.uint64)
    return np.array([number // U(3**color) % U(3) for color in range(colors)])[:, :, None, None]


def _bit(color: int) -> np.uint64:
    return np.uint64(1 << color)


def _cell(first: int, second: int) -> np.uint64:
    """Return the set with the one outcome of these two colors."""
    return np.uint64(1 << (8 * first + second))


def _in_supply(levels: WordArray) -> WordArray:
    """Return the set of colors in supply at each level (the argument is that of `_levels`)."""
    bits = [(level != 0) * _bit(color) for color, level in enumerate(levels)]
    combined: WordArray = np.bitwise_or.reduce(bits)
    return combined


def _rolled(die: WordArray, colors: WordArray) -> WordArray:
    """Return the set of colors that a die allows, out of the `colors` in supply.

    A die allows its own color; a joker, or a color that is not in supply, allows any color.
    """
    own_color = np.uint64(1) << die
    return np.where((die != JOKER) & (colors & own_color != 0), own_color, colors)


def _one_piece(colors: WordArray, first: bool, second: bool) -> WordArray:
    """Return the outcomes that place one piece of any of `colors` at the first or second place.

    `first` and `second` say which places are allowed.
    """
    grid = np.zeros_like(colors)
    for color in range(len(HOUSE_COLORS)):
        cells = first * _cell(color, _NOWHERE) | second * _cell(_NOWHERE, color)
        grid |= np.where(colors & _bit(color) != 0, cells, U(0))
    return grid


def _two_pieces(levels: WordArray, die_1: WordArray, die_2: WordArray) -> WordArray:
    """Return the outcomes that place a piece of the first die, then one of the second die.

    The first piece may take either place, the second takes the other one. If only one piece is in
    supply, the outcomes place that piece alone.
    """
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
    """Return the outcomes of the tower die: uint64[level, empty ends, die].

    The empty ends are none, the first, the second, and both.
    """
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
    """Return the outcomes of the house dice: uint64[level, spaces - 1, dice].

    `spaces` is the number of spaces beside the wall; beside one space either die may be used.
    """
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
    """Return the tower step of each code: uint64[choice, 64], `choice` 1 if there was a choice."""
    steps = np.zeros((2, 64), dtype=np.uint64)
    for code in range(64):
        for color, place in ((code >> 3, TOWER_FIRST), (code & 7, TOWER_SECOND)):
            if color < len(TOWER_COLORS):
                steps[:, code] += U((1 << 4 * color) + (color + 1 << int(place)))
    steps[1] += U(1 << 12)
    return steps


def _house_steps() -> tuple[WordArray, WordArray]:
    """Return the house step of each code, uint64[choice, 64], and its houses, uint64[64].

    The houses are two halves of 32 bits, one for each space, in the format of a space's word.
    """
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

# Tables of houses by the set of colors in supply: 32 sets fit the cache better than 243 levels.
_HOUSE_LEVELS = _house_table()
# uint64[spaces - 1, dice]: the outcomes while at least two houses of each color are in supply.
PLENTY_OF_HOUSES = _HOUSE_LEVELS[-1]
_SETS = range(1 << len(HOUSE_COLORS))


def _level(colors: int, single: int = -1) -> int:
    """Return the level with two pieces of each of a set of colors, or one of color `single`."""
    counts = [(colors >> c & 1) * (1 if c == single else 2) for c in range(len(HOUSE_COLORS))]
    return sum(count * int(3**c) for c, count in enumerate(counts))


# uint64[colors, spaces - 1, dice]: the outcomes if two houses of each of the colors are left.
_HOUSE_TABLE = _HOUSE_LEVELS[[_level(colors) for colors in _SETS]].ravel()
# uint64[colors]: the outcomes that place two houses of one color, for each of the colors.
_DOUBLES = np.array(
    [sum(1 << 9 * c for c in range(5) if s >> c & 1) for s in _SETS], dtype=np.uint64
)
# uint64[colors, 8]: the outcomes beside two spaces if both dice show the same color and only
# one house of that color is left.
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
    """Return a tower supply (a byte for each color) packed into 4 bits for each color."""
    return (supply & U(0xF)) | ((supply >> U(4)) & U(0xF0)) | ((supply >> U(8)) & U(0xF00))


@inlined
def tower_bytes(packed: Word) -> Word:
    """Return a packed tower supply (4 bits for each color) with a byte for each color."""
    return (packed & U(0xF)) | ((packed & U(0xF0)) << U(4)) | ((packed & U(0xF00)) << U(8))


@inlined
def choices_made(towers: Word, houses: Word) -> Word:
    """Return the number of choices that were counted down in the two supplies by their steps."""
    return (~(towers >> U(12)) + U(1) & _CHOICES) + (~(houses >> U(40)) + U(1) & _CHOICES)


@inlined
def has_plenty_of_houses(supply: Word) -> bool:
    """Return whether a house supply has two or more of every color."""
    return (supply + _TWO_OR_MORE) & _HOUSES_PLENTY == _HOUSES_PLENTY


@inlined
def _some_and_more(supply: Word) -> tuple[Word, Word]:
    """Return two words with a byte for each color: 1 for at least one piece, 1 for at least two."""
    some = ((supply + _ONE_OR_MORE) >> _HIGH_BIT) & _LOW_BITS
    return some, ((supply + _TWO_OR_MORE) >> _HIGH_BIT) & _LOW_BITS


@inlined
def tower_outcomes(supply: Word, die: Word, empty: Word) -> Word:
    """Return the outcomes of the tower die for a wall.

    `empty` says which ends have no tower: FIRST_END, SECOND_END or their sum. If it is 0, the only
    outcome is to place nothing.
    """
    some, more = _some_and_more(supply)
    level = ((some + more) * _BASE_3 >> _LEVEL_SHIFT) & _LEVEL_BITS
    outcomes: Word = _TOWER_TABLE[(level * ENDS + empty) * TOWER_FACES + die]
    return outcomes


@inlined
def house_outcomes(supply: Word, dice: Word, both: Word) -> Word:
    """Return the outcomes of two house dice, `dice` = 6 * first + second.

    `both` is 1 if the wall has two spaces beside it, 0 if it has one.
    """
    some, more = _some_and_more(supply)
    colors = (some * _BASE_2 >> _LEVEL_SHIFT) & _LEVEL_BITS
    single = ((some ^ more) * _BASE_2 >> _LEVEL_SHIFT) & _LEVEL_BITS
    outcomes: Word = _HOUSE_TABLE[(colors * U(2) + both) * PAIRS_OF_DICE + dice]
    left: Word = outcomes & ~_DOUBLES[single]
    if left == U(0) and outcomes:
        left = _LAST_HOUSE[(colors << U(3)) + (lowest(outcomes) & NO_COLOR)]
    return left
