"""How long a decision may take, and what becomes of an engine that fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from masons.ai.search.limits import Limits
from masons.engine.errors import MasonsError
from masons.engine.formats.record_endings import FORFEITS

# An answer that comes this much after its time is still in time: seconds.
MARGIN: Final = 0.2
# Failures of one decision before a move is made for the seat.
MAX_ATTEMPTS: Final = 3
# Stalls of a seat in one game with which it forfeits: each is a long time without anything.
MAX_STALLS: Final = 2
FAULTS: Final = FORFEITS


@dataclass(frozen=True)
class TimeControl:
    """Limits in seconds: of each decision, or a clock for each seat with an increment a decision.

    Raises MasonsError for limits that contradict each other.
    """

    movetime: float | None = None
    clock: float | None = None
    inc: float = 0.0
    sims: int | None = None
    strict: bool = False  # the first fault forfeits the game

    def __post_init__(self) -> None:
        if self.movetime is not None and self.clock is not None:
            raise MasonsError("a match has a time for each decision or a clock, not both")


@dataclass(frozen=True)
class Fault:
    """Something that a seat did wrong: one of FAULTS, at which of the game's decisions."""

    seat: int
    kind: str
    decision: int
    text: str


class Clocks:
    """What is left to each seat, in seconds."""

    def __init__(self, players: int, time_control: TimeControl) -> None:
        self._time_control = time_control
        self.left = None if time_control.clock is None else [time_control.clock] * players

    def limit(self, seat: int) -> float | None:
        """The most that the seat's next decision may take."""
        return self._time_control.movetime if self.left is None else self.left[seat]

    def limits(self) -> Limits:
        """What ends the next decision of whoever makes it, in whole milliseconds."""
        rule = self._time_control
        if self.left is None:
            return Limits(rule.sims, None if rule.movetime is None else _ms(rule.movetime))
        inc = (_ms(rule.inc),) * len(self.left) if rule.inc else None
        return Limits(rule.sims, clock=tuple(map(_ms, self.left)), inc=inc)

    def charge(self, seat: int, seconds: float) -> None:
        """Take the time of a failure off: who stalls or crashes gains none by it."""
        if self.left is not None:
            self.left[seat] = max(self.left[seat] - seconds, 0.0)

    def spend(self, seat: int, seconds: float, own: float | None = None) -> bool:
        """Take the time of a decision off; whether it was kept, by the seat's own part of it."""
        limit = self.limit(seat)
        self.charge(seat, seconds)
        if self.left is not None:
            self.left[seat] += self._time_control.inc
        return limit is None or (seconds if own is None else own) <= limit + MARGIN


def _ms(seconds: float) -> int:
    return max(round(seconds * 1000), 1)
