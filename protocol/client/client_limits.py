"""How long: the limits of a search, and the patience with an engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Timeouts:
    """Seconds before an engine counts as stalled."""

    handshake: float = 10.0  # from the start of the process to `meiok`
    ready: float = 300.0  # `isready` to `readyok`: kernels may have to be compiled
    reply: float = 60.0  # a query, `eval`, `belief`
    grace: float = 10.0  # a `bestmove` after its time is up
    search: float = 600.0  # a `bestmove` where no limit names a time
    quit: float = 1.0  # the end of the process after `quit`


@dataclass(frozen=True)
class Limits:
    """What ends a search; times in milliseconds. Without any the engine's default applies."""

    movetime_ms: int | None = None
    sims: int | None = None
    infinite: bool = False
    clock: tuple[int, ...] | None = None
    inc: tuple[int, ...] | None = None
    seed: int | None = None

    def words(self) -> list[str]:
        """The words after `go`."""
        given: list[tuple[str, object]] = [
            ("movetime", self.movetime_ms),
            ("sims", self.sims),
            ("clock", self.clock and ",".join(map(str, self.clock))),
            ("inc", self.inc and ",".join(map(str, self.inc))),
            ("seed", self.seed),
        ]
        words = [f"{word} {value}" for word, value in given if value is not None]
        return [*words, "infinite"] if self.infinite else words

    def longest(self, timeouts: Timeouts, seat: int | None) -> float:
        """The seconds that the answer may take; `seat` is whose clock runs, where that is known."""
        times = [] if self.movetime_ms is None else [self.movetime_ms]
        if self.clock:
            times.append(max(self.clock) if seat is None else self.clock[seat])
        return min(times) / 1000 + timeouts.grace if times else timeouts.search


PATIENCE: Final = Timeouts()
NO_LIMITS: Final = Limits()
