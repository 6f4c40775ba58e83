"""The layout of an environment's row and of an observation.

An environment is a row of ROW_WORDS uint64, which hold the state of its game and further data.

| words   | name         | contents                                                           |
| ------- | ------------ | ------------------------------------------------------------------ |
| 0-127   |              | the packed state (`masons.engine.state.layout`)                    |
| 128     | RNG          | the generator of its dice and cards                                |
| 129     | (bytes)      | see below                                                          |
| 130     | CHOSEN       | thirty 2-bit counts: the cards chosen so far in this decision      |
| 131-138 | LEGAL        | set of the legal actions                                           |
| 139     | REPORTED     | SCORES at the time of the last reward                              |
| 140     | FINAL_SCORES | SCORES of the last finished game, 0 before the first game ends     |
| 141     | STEPS        | number of actions made in this game                                |
| 142     | GAMES        | number of finished games                                           |
| 143     | ENCODING     | number that identifies the board and the encoding                  |
| 144     | CHECKSUM     | checksum of the other words; only set in copies made by `state`    |

Bytes (offsets from the start of the row)

| byte | name   | contents                                                                     |
| ---- | ------ | ---------------------------------------------------------------------------- |
| 1032 | STAGE  | steps made in this decision, including forced ones                           |
| 1033 | FIRST  | the color put at the first place, or the last card chosen, or NO_CARD        |
| 1034 | SECOND | the second card of a final scoring, or NO_CARD if there is none              |
| 1035 | SEATS  | number of players                                                            |
| 1036 | BEGUN  | 1 if some steps of this decision were made by choice                         |

The packed state does not change until the last action of a decision is made.

An observation consists of sections, and a section consists of records, for example one for each
space. A feature is one byte of a record. A section fills a whole number of 64-bit words. The
Python code that names the parts of observations uses the tables below. The kernels take from them
where features stand, except for records that they write as whole words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from masons.engine.board.components import CARDS, HOUSE_COLORS, MAX_PLAYERS, TOWER_COLORS
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Word
from masons.engine.state.layout import STATE_WORDS

ROW_WORDS: Final = 145

RNG = U(STATE_WORDS)
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


class Feature(NamedTuple):
    """A feature, which is one byte of a record."""

    name: str
    most: int  # greatest possible value


def bytes_by_name(features: Sequence[Feature]) -> dict[str, Word]:
    """Return the byte of each feature in its record."""
    return {feature.name: U(byte) for byte, feature in enumerate(features)}


def _features(*names: str, most: int = 1) -> tuple[Feature, ...]:
    return tuple(Feature(name, most) for name in names)


GAME_FEATURES: Final = (
    *_features("wall", "towers", "houses", "merge", "score", "swap", "final"),
    Feature("players", MAX_PLAYERS),
    *_features("first-step", "second-step", "later-step"),
    Feature("walls-left", 33),
    *_features(*(f"{color}-towers-left" for color in TOWER_COLORS), most=10),
    Feature("cities", 18),
    *_features(*(f"{color}-houses-left" for color in HOUSE_COLORS), most=12),
    Feature("deck", 60),
    Feature("discards", 60),
    Feature("turn", 255),
    *_features(*(f"{color}-palaces-left" for color in HOUSE_COLORS), most=3),
    *_features("ends", "rolled-early", "closes"),
    *_features(*(f"die-{color}" for color in TOWER_COLORS)),
    *_features(*(f"die-1-{face}" for face in (*HOUSE_COLORS, "joker"))),
    *_features(*(f"die-2-{face}" for face in (*HOUSE_COLORS, "joker"))),
    Feature("chosen", 6),
    *_features(*(f"first-place-{color}" for color in range(5))),
    Feature("first-place-nothing", 1),
)
"""Features of the game: the phase, the supplies, the dice, and the choices of this decision."""

SEAT_FEATURES: Final = (
    *_features("plays"),
    Feature("points", 255),
    Feature("cards", 60),
    *_features("its-turn", "may-swap", "decides"),
    Feature("seat", MAX_PLAYERS - 1),
)
"""Features of each seat. The observing seat comes first, then the other seats clockwise."""

KIND_FEATURES: Final = (
    Feature("hand", 2),
    Feature("discarded", 2),
    Feature("unseen", 2),
    Feature("points", 255),
    Feature("chosen", 2),
)
"""Features of each kind of card."""

SPACE_FEATURES: Final = (
    *_features(*(f"{color}-houses" for color in HOUSE_COLORS), most=15),
    *_features("in-city", "city", "just-completed"),
    *_features(*(f"{color}-palaces" for color in HOUSE_COLORS), most=3),
    *_features("due-here", "beside-wall"),
    Feature("points", 255),
)
"""Features of each space. All pieces of a completed city are on its lowest space (`city`)."""

LINE_FEATURES: Final = _features("wall", "open", "closing", "this-turn")
"""Features of each line."""

TOWER_FEATURES: Final = _features(*TOWER_COLORS, "in-city", "due-here", "beside-wall")
"""Features of each tower space."""

# Size of a record in each section, in bytes.
GAME_BYTES: Final = 56
SEAT_BYTES: Final = 8
KIND_BYTES: Final = 8
SPACE_BYTES: Final = 16
LINE_BYTES: Final = 4
TOWER_BYTES: Final = 8

# The words at which the first sections begin. Where the other sections begin depends on the board.
SEATS_WORD: Final = GAME_BYTES // 8
KINDS_WORD: Final = SEATS_WORD + MAX_PLAYERS * SEAT_BYTES // 8
SPACES_WORD: Final = KINDS_WORD + len(CARDS) * KIND_BYTES // 8
