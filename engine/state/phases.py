"""What a state can wait for. Pure Python: loads no compiler."""

from typing import Final

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
"""What is due, by the number that a state holds (see `layout`)."""

NO_DECISION: Final = {
    "roll": "the dice are due",
    "draw": "a card is due",
    "over": "the game is over",
}
"""The phases in which nobody decides, and what to say about each."""

DECISIONS: Final = tuple(name for name in PHASE_NAMES if name not in NO_DECISION)
"""The phases in which a seat decides."""
