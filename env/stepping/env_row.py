"""One environment as a row of ROW_WORDS uint64: the state of its game, and what goes with it.

| words   | name         | what                                                               |
| ------- | ------------ | ------------------------------------------------------------------ |
| 0-127   |              | the packed state (`masons.engine.state.layout`)                    |
| 128     | RNG          | the generator of its dice and cards                                |
| 129     | (bytes)      | see below                                                          |
| 130     | CHOSEN       | thirty 2-bit counts: the cards chosen so far in this decision      |
| 131-138 | LEGAL        | set of the legal actions                                           |
| 139     | REPORTED     | SCORES when a reward was last given                                |
| 140     | FINAL_SCORES | SCORES of the last game that ended here, 0 before                  |
| 141     | STEPS        | actions in this game                                               |
| 142     | GAMES        | games that ended here                                              |
| 143     | ENCODING     | what the row belongs to: a number of the board and the encoding    |
| 144     | CHECKSUM     | of the other words, in rows that Python keeps                      |

Bytes (offsets from the start of the row)

| byte | name   | what                                                                         |
| ---- | ------ | ---------------------------------------------------------------------------- |
| 1032 | STAGE  | steps of this decision that are made, those without a choice included        |
| 1033 | FIRST  | the colour put at the first place, or the last card chosen (NO_CARD: none)   |
| 1034 | SECOND | the second card of a final scoring, NO_CARD where there is none              |
| 1035 | SEATS  | players of the games played here                                             |
| 1036 | BEGUN  | 1 where some of the steps of this decision were made by choice               |

The state is as it was before the decision until its last action is made.
"""

from __future__ import annotations

from typing import Final

from masons.engine.kernels.bits import U
from masons.engine.state.layout import STATE_WORDS

ROW_WORDS: Final = 145

RNG = U(STATE_WORDS)
MARKS = U(129)
CHOSEN = U(130)
LEGAL = U(131)
LEGAL_WORDS: Final = 8
REPORTED = U(139)
FINAL_SCORES = U(140)
STEPS = U(141)
GAMES = U(142)
ENCODING = U(143)
CHECKSUM = U(144)

# Byte offsets.
STAGE = U(1032)
FIRST = U(1033)
SECOND = U(1034)
SEATS = U(1035)
BEGUN = U(1036)
