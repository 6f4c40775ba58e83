"""Levels of play: the number of simulations and the error of each level.

A level below the highest adds an error to the value of each move. The error is a normal random
number with the level's standard deviation (in win probability), and is drawn once for each move of
a decision. A weak level therefore often confuses moves of similar value, and rarely moves of very
different value. `docs/strength.md` shows the measured differences between levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Level:
    """A level's limit of simulations per decision, and the standard deviation of its error."""

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
LEVEL_RATINGS: Final = (-274, -204, -147, -48, 35, 88, 154, 238, 296)
"""The measured ratings, in games of two players, of all levels except the highest."""
# The default level of a game at a terminal, at which people have a chance to win.
TABLE_LEVEL: Final = 5


def level_of(number: int) -> Level:
    """Return the level with a number from 1 to TOP_LEVEL."""
    return LEVELS[number - 1]
