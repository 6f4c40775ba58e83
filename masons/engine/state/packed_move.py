"""The packed move: the kinds of moves, and the values that stand for "none".

This module is pure Python and imports no compiler. A move is one uint64: bits 60-63 hold its kind,
and the bits below hold a payload. The table gives the numbers of the bits.

| kind       | payload                                                                          |
| ---------- | -------------------------------------------------------------------------------- |
| WALL       | 0-7 line                                                                         |
| EARLY_ROLL |                                                                                  |
| TOWERS     | 0-7 and 8-15 tower spaces, 16-18 and 19-21 colors (no second: NONE, NO_COLOR)    |
| HOUSES     | the same with spaces instead of tower spaces                                     |
| MERGE      | 0-7 lowest space of the other city, NONE for no merge                            |
| PLAY       | 0-4 and 5-9 cards, ascending (NO_CARD: no second)                                |
| ABSTAIN    | 0-4 card                                                                         |
| SWAP       | thirty 2-bit counts of the cards to discard                                      |
| FINAL      | 0-9 like PLAY (NO_CARD twice: pass), 10-17 lowest space of the city or NONE      |
| EXCHANGE   | 0-4 card: one card of a swap, for a search that decides a swap card by card      |

Kernels use the constants of `layout` with the suffix `_MOVE` for these kinds.
"""

from typing import Final

KIND_SHIFT: Final = 60

WALL: Final = 1
EARLY_ROLL: Final = 2
TOWERS: Final = 3
HOUSES: Final = 4
MERGE: Final = 5
PLAY: Final = 6
ABSTAIN: Final = 7
SWAP: Final = 8
FINAL: Final = 9
EXCHANGE: Final = 10

NONE: Final = 255  # no place
NO_COLOR: Final = 7
NO_CARD: Final = 31


PHASE_NAMES: Final = (
    "wall",
    "roll",
    "towers",
    "houses",
    "merge",
    "score",
    "draw",
    "swap",
    "final",
    "over",
)
"""Names of the phases, indexed by the number in the state's PHASE byte (see `layout`)."""

NO_DECISION: Final = {
    "roll": "the dice are due",
    "draw": "a card is due",
    "over": "the game is over",
}
"""The phases in which nobody decides, each with the words that messages use for it."""

DECISIONS: Final = tuple(name for name in PHASE_NAMES if name not in NO_DECISION)
"""The phases in which a seat decides."""
