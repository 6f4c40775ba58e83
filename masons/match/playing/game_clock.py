"""The clock of a game between people: the time that each seat has left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from masons.engine import checks
from masons.engine.errors import MasonsError

MAX_SECONDS: Final = 4 * 3600
MAX_INCREMENT: Final = 600
_WALL: Final = "wall:"
# The decimals of seconds in a game's file.
_DECIMALS: Final = 2


@dataclass(frozen=True)
class ClockTerms:
    """The time of each seat at the beginning, and what each wall adds to it, in seconds."""

    seconds: int
    increment: int = 0


def clock_terms(value: object) -> ClockTerms:
    """Parse the terms of a clock in the form in which a game's file has them.

    Raises MasonsError.
    """
    if not isinstance(value, Mapping) or set(value) != {"seconds", "increment"}:
        raise MasonsError(f"clock is {checks.shown(value)}: it needs seconds and increment")
    seconds = checks.check_whole("clock.seconds", value["seconds"], 1, MAX_SECONDS)
    return ClockTerms(
        seconds, checks.check_whole("clock.increment", value["increment"], 0, MAX_INCREMENT)
    )


def seconds(value: object) -> float:
    """Return a number of seconds as a game's file has it. Raises MasonsError."""
    if not isinstance(value, (int, float)) or not 0 <= value <= MAX_SECONDS:
        raise MasonsError(f"spent is {checks.shown(value)}: it is a number of seconds")
    return round(float(value), _DECIMALS)


class GameClock:
    """The seconds that each seat has left. They change only with decisions."""

    def __init__(self, terms: ClockTerms, players: int) -> None:
        self.terms = terms
        self.left = [float(terms.seconds)] * players

    def decide(self, seat: int, move: str, spent: float) -> None:
        """Take the seconds that a decision took, and add the increment for a wall."""
        increment = self.terms.increment if move.startswith(_WALL) else 0
        self.left[seat] = max(self.left[seat] - spent, 0.0) + increment
