"""Levels of play: how much of a search a level does, and how well it tells moves apart.

A level below the highest sees what each move is worth with an error of its own: normal, drawn anew
for each move of a decision, with the deviation given (in win probability). So it confuses
moves that are nearly as good, the more the weaker it is, and hardly ever those that are far apart.
How far apart the levels are is measured in `docs/strength.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Level:
    """A level: iterations of a decision at most, and the error of a move's worth."""

    sims: int | None
    error: float


LEVELS: Final = (
    Level(400, 1.6),
    Level(400, 0.95),
    Level(400, 0.55),
    Level(400, 0.29),
    Level(400, 0.205),
    Level(400, 0.14),
    Level(400, 0.083),
    Level(400, 0.047),
    Level(400, 0.0),
    Level(None, 0.0),
)
TOP_LEVEL: Final = len(LEVELS)
# Of a game at a terminal, where people have to have a chance.
TABLE_LEVEL: Final = 5


def level_of(number: int) -> Level:
    """Return the level with a number from 1 to TOP_LEVEL."""
    return LEVELS[number - 1]
