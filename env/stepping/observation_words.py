"""Where an observation has what: sections of 64-bit words, their records and features.

Plain data, for the kernels that write observations and for the Python that names their parts.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from masons.engine.board.components import CARDS, HOUSE_COLORS, MAX_PLAYERS, TOWER_COLORS


class Feature(NamedTuple):
    """One byte of a record."""

    name: str
    most: int  # the greatest value that it can have


def _features(*names: str, most: int = 1) -> tuple[Feature, ...]:
    return tuple(Feature(name, most) for name in names)


GAME: Final = (
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
"""Of the game: what is due, supplies, dice, and what was chosen already in this decision."""

SEATS: Final = (
    *_features("plays"),
    Feature("points", 255),
    Feature("cards", 60),
    *_features("its-turn", "may-swap", "decides"),
    Feature("seat", MAX_PLAYERS - 1),
)
"""Of each seat, the one that sees this first, then clockwise."""

KINDS: Final = (
    Feature("hand", 2),
    Feature("discarded", 2),
    Feature("unseen", 2),
    Feature("points", 255),
    Feature("chosen", 2),
)
"""Of each kind of card."""

SPACES: Final = (
    *_features(*(f"{color}-houses" for color in HOUSE_COLORS), most=15),
    *_features("in-city", "city", "just-completed"),
    *_features(*(f"{color}-palaces" for color in HOUSE_COLORS), most=3),
    *_features("due-here", "beside-wall"),
    Feature("points", 255),
)
"""Of each space. The pieces of a completed city lie on its lowest space, which is its `city`."""

LINES: Final = _features("wall", "open", "closing", "this-turn")
"""Of each line."""

TOWERS: Final = _features(*TOWER_COLORS, "in-city", "due-here", "beside-wall")
"""Of each tower space."""

HUNDREDTHS: Final = 100  # to a card
BELIEFS: Final = tuple(Feature(card, 2 * HUNDREDTHS) for card in CARDS)
"""Of each seat, the one that sees this first: how many of each kind it can be expected to hold, by
what it chose, in hundredths of a card. Only where it was asked for."""

# Bytes from a record to the next.
GAME_BYTES: Final = 56
SEAT_BYTES: Final = 8
KIND_BYTES: Final = 8
SPACE_BYTES: Final = 16
LINE_BYTES: Final = 4
TOWER_BYTES: Final = 8
BELIEF_BYTES: Final = 32

# Where the sections begin, as far as boards do not matter, in words.
SEATS_WORD: Final = GAME_BYTES // 8
KINDS_WORD: Final = SEATS_WORD + MAX_PLAYERS * SEAT_BYTES // 8
SPACES_WORD: Final = KINDS_WORD + len(CARDS) * KIND_BYTES // 8


def lines_word(spaces: int) -> int:
    """Where the lines begin, for a board with so many spaces."""
    return SPACES_WORD + spaces * SPACE_BYTES // 8


def towers_word(spaces: int, lines: int) -> int:
    """Where the tower spaces begin."""
    return lines_word(spaces) + (lines + 1) // 2


def beliefs_word(spaces: int, lines: int, towers: int) -> int:
    """Where the beliefs begin, or the observation ends that has none."""
    return towers_word(spaces, lines) + towers * TOWER_BYTES // 8


def observation_words(spaces: int, lines: int, towers: int, *, beliefs: bool) -> int:
    """The words of an observation."""
    more = MAX_PLAYERS * BELIEF_BYTES // 8 if beliefs else 0
    return beliefs_word(spaces, lines, towers) + more
