"""The distinct outcomes of a roll: the different ways to place the towers or houses rolled.

An outcome puts color x at the first place and color y at the second, where NO_COLOR (7) stands for
no piece. The *code* of the outcome is 8*x + y. A set of outcomes is a word in which bit n stands
for the outcome with code n. A supply is a word with the count of each color in a byte.

The *step* of an outcome is a word that is subtracted from a supply: the low bits remove the pieces
placed, and the bits above them decrease a counter of choices. Loops that play many turns keep the
supplies in variables and subtract steps.

| tower step   | house step | content                                                        |
| ------------ | ---------- | -------------------------------------------------------------- |
| bits 0-11    | bits 0-39  | pieces of each color, 4 or 8 bits each (`packed_towers`)       |
| 12-19        | 40-47      | 1 if there was a choice                                        |
| 20-21, 22-23 |            | color at the first and second place, counted from 1; 0: none   |
|              | 58-63      | the code                                                       |

Outcomes depend only on the *level* of a supply, which says whether none, one, or at least two
pieces of each color are left. There are 3^colors levels. Tower outcomes are looked up by level and
die. House outcomes are looked up in a much smaller table, by the set of colors in supply. If only
one house of a color is left, the outcomes that need two houses of this color are removed
afterwards.
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

# The ends of a wall that have no tower; if neither end has one, the two numbers are added. ENDS is
# the number of combinations.
FIRST_END = U(1)
SECOND_END = U(2)
ENDS = U(4)

# Number of different faces of a house die, and of pairs of faces of two house dice.
FACES = U(int(JOKER) + 1)
PAIRS_OF_DICE = FACES * FACES
TOWER_FACES = U(len(TOWER_COLORS))  # number of different faces of the tower die

# The count in each byte of a supply is reduced to 0, 1 or 2. A multiplication turns these digits
# into a number in base 3, the level, which starts at bit 32 of the product.
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
    """Return the number of pieces of each color at each level of a supply.

    Each number is 0, 1 or 2, where 2 means two or more pieces. The result is
    uint64[colors, 3^colors, 1, 1].
    """
    number = np.arange(3**colors, dtype=np.uint64)
    return np.array([number // U(3**color) % U(3) for color in range(colors)])[:, :, None, None]


def _bit(color: int) -> np.uint64:
    return np.uint64(1 << color)


def _cell(first: int, second: int) -> np.uint64:
    """Return the set that contains only the outcome with these two colors."""
    return np.uint64(1 << (8 * first + second))


def _in_supply(levels: WordArray) -> WordArray:
    """Return the set of colors in supply at each level; `levels` is a result of `_levels`."""
    bits = [(level != 0) * _bit(color) for color, level in enumerate(levels)]
    combined: WordArray = np.bitwise_or.reduce(bits)
    return combined


def _rolled(die: WordArray, colors: WordArray) -> WordArray:
    """Return the set of colors that a die allows.

    `colors` is the set of colors in supply. A die allows its own color. A joker, or a color that is
    not in supply, allows any color in supply.
    """
    own_color = np.uint64(1) << die
    return np.where((die != JOKER) & (colors & own_color != 0), own_color, colors)


def _one_piece(colors: WordArray, first: bool, second: bool) -> WordArray:
    """Return the outcomes that place a single piece of one of `colors`.

    `first` and `second` say whether the first and the second place are allowed.
    """
    grid = np.zeros_like(colors)
    for color in range(len(HOUSE_COLORS)):
        cells = first * _cell(color, _NOWHERE) | second * _cell(_NOWHERE, color)
        grid |= np.where(colors & _bit(color) != 0, cells, U(0))
    return grid


def _two_pieces(levels: WordArray, die_1: WordArray, die_2: WordArray) -> WordArray:
    """Return the outcomes that place a piece for the first die, then a piece for the second die.

    The first piece may take either place; the second piece takes the remaining place. If the supply
    has only one piece, the outcomes place that piece alone.
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
    """Return the outcomes of the tower die as uint64[level, empty ends, die].

    The index of the empty ends is 0 for none, 1 for the first, 2 for the second and 3 for both.
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
    """Return the outcomes of the house dice as uint64[level, spaces - 1, dice].

    `spaces` is the number of spaces beside the wall. Beside a single space, either die may be used.
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
    """Return the tower step of each code as uint64[choice, 64].

    `choice` is 1 if there was more than one outcome, else 0.
    """
    steps = np.zeros((2, 64), dtype=np.uint64)
    for code in range(64):
        for color, place in ((code >> 3, TOWER_FIRST), (code & 7, TOWER_SECOND)):
            if color < len(TOWER_COLORS):
                steps[:, code] += U((1 << 4 * color) + (color + 1 << int(place)))
    steps[1] += U(1 << 12)
    return steps


def _house_steps() -> tuple[WordArray, WordArray]:
    """Return the house step and the houses of each code.

    The steps are uint64[choice, 64], the houses are uint64[64]. A word of houses has two halves of
    32 bits, one for each space, in the format of a space's word.
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

# House outcomes are looked up by the set of colors in supply, because a table of 32 sets fits the
# cache better than one of 243 levels.
_HOUSE_LEVELS = _house_table()
# uint64[spaces - 1, dice]: the outcomes while the supply has at least two houses of each color.
PLENTY_OF_HOUSES = _HOUSE_LEVELS[-1]
_SETS = range(1 << len(HOUSE_COLORS))


def _level(colors: int, single: int = -1) -> int:
    """Return the level at which two pieces of each color in the set `colors` are left.

    The color `single` is an exception: only one piece of it is left.
    """
    counts = [(colors >> c & 1) * (1 if c == single else 2) for c in range(len(HOUSE_COLORS))]
    return sum(count * int(3**c) for c, count in enumerate(counts))


# uint64[colors, spaces - 1, dice]: the outcomes if two houses of each color in the set are left.
_HOUSE_TABLE = _HOUSE_LEVELS[[_level(colors) for colors in _SETS]].ravel()
# uint64[colors]: for each set of colors, the outcomes that place two houses of the same color.
_DOUBLES = np.array(
    [sum(1 << 9 * c for c in range(5) if s >> c & 1) for s in _SETS], dtype=np.uint64
)
# uint64[colors, 8]: the outcomes beside two spaces if both dice show the same color and only one
# house of that color is left.
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
    """Return a packed tower supply (4 bits for each color) unpacked to a byte for each color."""
    return (packed & U(0xF)) | ((packed & U(0xF0)) << U(4)) | ((packed & U(0xF00)) << U(8))


@inlined
def choices_made(towers: Word, houses: Word) -> Word:
    """Return the number of choices that steps have counted in the high bits of the supplies."""
    return (~(towers >> U(12)) + U(1) & _CHOICES) + (~(houses >> U(40)) + U(1) & _CHOICES)


@inlined
def has_plenty_of_houses(supply: Word) -> bool:
    """Return whether a house supply has two or more of every color."""
    return (supply + _TWO_OR_MORE) & _HOUSES_PLENTY == _HOUSES_PLENTY


@inlined
def _some_and_more(supply: Word) -> tuple[Word, Word]:
    """Return two words with a byte for each color.

    A byte of the first word is 1 if at least one piece is left, and a byte of the second word is 1
    if at least two pieces are left.
    """
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
    """Return the outcomes of two house dice.

    `dice` encodes the dice as 6 * first + second. `both` is 1 if the wall has two spaces beside it,
    0 if it has one.
    """
    some, more = _some_and_more(supply)
    colors = (some * _BASE_2 >> _LEVEL_SHIFT) & _LEVEL_BITS
    single = ((some ^ more) * _BASE_2 >> _LEVEL_SHIFT) & _LEVEL_BITS
    outcomes: Word = _HOUSE_TABLE[(colors * U(2) + both) * PAIRS_OF_DICE + dice]
    left: Word = outcomes & ~_DOUBLES[single]
    if left == U(0) and outcomes:
        left = _LAST_HOUSE[(colors << U(3)) + (lowest(outcomes) & NO_COLOR)]
    return left
