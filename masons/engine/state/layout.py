"""The layout of the packed state, offset by offset.

The state of a game is one contiguous array of STATE_WORDS uint64 (1 KiB), so one memcpy copies it.
The state does not hold the order of the deck: each draw takes a random card from the set of cards
left. This has the same distribution as drawing from a shuffled deck, and no state reveals the
future.

Words (64 bits each)

| words   | name                | content                                                          |
| ------- | ------------------- | ---------------------------------------------------------------- |
| 0-3     | WALLS               | set of lines that carry a wall                                   |
| 4-7     | OPEN                | set of lines where a wall may be placed                          |
| 8-11    | TOUCHED             | open lines with a tower at one end or both                       |
| 12-15   | DOUBLE              | open lines with a tower at both ends                             |
| 16-19   | CLOSING             | open lines whose wall would complete a city                      |
| 20-23   | CITY_LINES          | lines beside a space of a completed city                         |
| 24-29   | TOWERS              | sets of tower spaces: white, gray, black (two words each)        |
| 30-31   | CITY_TOWERS         | tower spaces whose tower belongs to a completed city             |
| 32-35   | HANDS               | set of cards of each seat (card = 2 * kind + copy)               |
| 36      | DECK                | set of cards face down                                           |
| 37      | DISCARD             | set of cards face up                                             |
| 38      | LAND_HOUSES         | bytes: current points of land-red to land-region-3 (cards 15-22) |
| 39      | CITIES              | number of completed cities                                       |
| 40      | TOWER_SUPPLY        | bytes: white, gray, black                                        |
| 41      | HOUSE_SUPPLY        | bytes: red, rose, yellow, green, blue                            |
| 42      | PALACE_SUPPLY       | bytes: the same colors                                           |
| 43-44   | (header)            | bytes, see below                                                 |
| 45      | SCORES              | four 16-bit numbers                                              |
| 46      | TURN                | turns begun before this one                                      |
| 47-50   | VALUES              | bytes: points of each of the 30 cards in the current scoring     |
| 51-62   | LABELS              | bytes: label of each tower's component (see `rules.placement`)   |
| 63-126  | SPACES              | 32 bits for each space, see below                                |

Header (byte offsets are from the start of the state)

| byte  | name      | content                                                                  |
| ----- | --------- | ------------------------------------------------------------------------ |
| 344   | PLAYERS   | number of seats                                                          |
| 345   | ACTIVE    | seat whose turn it is                                                    |
| 346   | SEAT      | seat that decides or draws now                                           |
| 347   | PHASE     | decision, roll or draw that is due: a PHASE_ constant                    |
| 348   | END       | reason for the end of the game, an END_ constant; 0 while it goes on     |
| 349   | OPTIONS   | bit 0: early roll allowed                                                |
| 350   | ROLLED    | 1 after an early roll in this turn                                       |
| 351   | WALL_LEFT | walls in supply                                                          |
| 352   | LINE      | line of this turn's wall, NONE before it is placed                       |
| 353   | CLOSES    | 1 if this turn's wall completes a city                                   |
| 354   | DIE       | tower color rolled, NONE if the die was not rolled                       |
| 355   | DICE      | two bytes: house colors rolled, JOKER for `?`                            |
| 357   | CITY      | lowest space of the just-completed city, NONE without one                |
| 358   | DUE       | cards that SEAT still draws                                              |
| 359   | QUEUE     | set of seats that may still swap, SEAT included; 0 outside the swap      |

The bytes of LAND_HOUSES are in the order of the cards.

TOUCHED, DOUBLE and CLOSING are for policies that prefer such lines; kernels that play uniformly
random moves do not update them (see `rules.placement`).

In the 32 bits of a space, bits 0-19 hold five 4-bit counts of houses and bits 20-29 five 2-bit
counts of palaces. All pieces of a completed city are counted on its lowest space, where the bit
IS_CITY is set. Each of the other spaces of the city holds IN_CITY and the number of the lowest
space.

A move is one uint64; `packed_move` describes its bits.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.engine.board.components import ENDS
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Words, copy_words, inlined
from masons.engine.state import packed_move

State = NDArray[np.uint64]

STATE_WORDS: Final = 128

WALLS = U(0)
OPEN = U(4)
TOUCHED = U(8)
DOUBLE = U(12)
CLOSING = U(16)
CITY_LINES = U(20)
TOWERS = U(24)
CITY_TOWERS = U(30)
HANDS = U(32)
DECK = U(36)
DISCARD = U(37)
LAND_HOUSES = U(38)
CITIES = U(39)
TOWER_SUPPLY = U(40)
HOUSE_SUPPLY = U(41)
PALACE_SUPPLY = U(42)
SCORES = U(45)
TURN = U(46)
VALUES = U(47)
LABELS = U(51)
SPACES = U(63)

# The header word that holds LINE to QUEUE, and the value of this word before this turn's wall.
TURN_WORD = U(44)
NO_WALL_YET = U(0x0000FF0000FF00FF)

# Byte offsets.
PLAYERS = U(344)
ACTIVE = U(345)
SEAT = U(346)
PHASE = U(347)
END = U(348)
OPTIONS = U(349)
ROLLED = U(350)
WALL_LEFT = U(351)
LINE = U(352)
CLOSES = U(353)
DIE = U(354)
DICE = U(355)
CITY = U(357)
DUE = U(358)
QUEUE = U(359)
VALUES_BYTE = VALUES * U(8)
LABELS_BYTE = LABELS * U(8)
# Offset in 32-bit halves.
SPACES_HALF = SPACES * U(2)

NONE = U(packed_move.NONE)
NO_COLOR = U(packed_move.NO_COLOR)
NO_CARD = U(packed_move.NO_CARD)
JOKER = U(5)
EARLY_ROLL_OPTION = U(1)

# A space's 32 bits.
IS_CITY = U(1 << 30)
IN_CITY = U(1 << 31)
PIECES = U((1 << 30) - 1)
HOUSE_BITS = U((1 << 20) - 1)

# The set of all cards, and the set of the first copy of every kind.
ALL_CARDS = U((1 << 60) - 1)
FIRST_COPIES = U(0x0555555555555555)

# Phases, in the order of `PHASE_NAMES`. ROLL and DRAW wait for chance, the others for a move.
PHASE_WALL = U(0)
PHASE_ROLL = U(1)
PHASE_TOWERS = U(2)
PHASE_HOUSES = U(3)
PHASE_MERGE = U(4)
PHASE_SCORE = U(5)
PHASE_DRAW = U(6)
PHASE_SWAP = U(7)
PHASE_FINAL = U(8)
PHASE_OVER = U(9)

END_WALLS = U(1)
END_TOWERS = U(2)
END_HOUSES = U(3)
END_PALACES = U(4)
END_NO_LINE = U(5)
END_NAMES = ("", *ENDS)

KIND_SHIFT = U(packed_move.KIND_SHIFT)
WALL_MOVE = U(packed_move.WALL)
EARLY_ROLL_MOVE = U(packed_move.EARLY_ROLL)
TOWERS_MOVE = U(packed_move.TOWERS)
HOUSES_MOVE = U(packed_move.HOUSES)
MERGE_MOVE = U(packed_move.MERGE)
PLAY_MOVE = U(packed_move.PLAY)
ABSTAIN_MOVE = U(packed_move.ABSTAIN)
SWAP_MOVE = U(packed_move.SWAP)
FINAL_MOVE = U(packed_move.FINAL)
EXCHANGE_MOVE = U(packed_move.EXCHANGE)

# The whole move that passes in the final scoring.
PASS_MOVE = (FINAL_MOVE << KIND_SHIFT) | NO_CARD | (NO_CARD << U(5)) | (NONE << U(10))


@inlined
def copy_state(target: Words, source: Words) -> None:
    """Copy a state."""
    copy_words(target, source, U(STATE_WORDS))
