"""How long: the limits of a search as words of `go`, and the patience with an engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from masons.ai.search.limits import Limits


@dataclass(frozen=True)
class Timeouts:
    """Seconds before an engine counts as stalled."""

    handshake: float = 10.0  # from the start of the process to `meiok`
    ready: float = 300.0  # `isready` to `readyok`: kernels may have to be compiled
    reply: float = 60.0  # a query, `eval`, `belief`
    grace: float = 10.0  # a `bestmove` after its time is up, or after `stop`
    search: float = 600.0  # a `bestmove` where no limit names a time
    silence: float = 60.0  # of the two that take minutes: as long as this without any line
    quit: float = 1.0  # the end of the process after `quit`


PATIENCE: Final = Timeouts()


def go_words(limits: Limits) -> list[str]:
    """The words after `go`; times in whole milliseconds, 1 at least for a search."""
    ms = limits.movetime_ms
    given: list[tuple[str, object]] = [
        ("movetime", None if ms is None else max(round(ms), 1)),
        ("sims", limits.sims),
        ("clock", limits.clock and ",".join(map(str, limits.clock))),
        ("inc", limits.inc and ",".join(map(str, limits.inc))),
        ("seed", limits.seed),
    ]
    words = [f"{word} {value}" for word, value in given if value is not None]
    return [*words, "infinite"] if limits.infinite else words


def longest_answer(
    limits: Limits, timeouts: Timeouts, seat: int | None
) -> tuple[float, float | None]:
    """The seconds that the answer may take, and those without a line, where that is limited.

    `seat` is whose clock runs, where that is known.
    """
    times = [] if limits.movetime_ms is None else [limits.movetime_ms]
    if limits.clock:
        times.append(max(limits.clock) if seat is None else limits.clock[seat])
    if times:
        return min(times) / 1000 + timeouts.grace, None
    return timeouts.search, timeouts.silence
