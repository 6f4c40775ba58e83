"""A step of the compliance test, and the engine that it is tried on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from masons.protocol.client.client_limits import Timeouts
from masons.protocol.client.waiting import Tell
from masons.protocol.compliance.tested_engine import TestedEngine, Unmet

# Processes in a row that do not get ready, after which no more are waited for.
MOST_FAILURES: Final = 3


class Trial:
    """The engine on trial: its command, and the process that steps share until one fails.

    `end` and `tell` are those of `TestedEngine`.
    """

    def __init__(
        self,
        command: Sequence[str],
        timeouts: Timeouts,
        end: float = inf,
        tell: Tell | None = None,
    ) -> None:
        self.timeouts = timeouts
        self._command = command
        self._end = end
        self._tell = tell
        self._failures = 0  # to get ready, one after the other
        self._shared: TestedEngine | None = None
        self._own: list[TestedEngine] = []

    def process(self) -> TestedEngine:
        """A process of the step's own, to which nothing has been said."""
        engine = self._start()
        self._own.append(engine)
        return engine

    def _start(self) -> TestedEngine:
        return TestedEngine(self._command, self.timeouts, self._end, self._tell)

    def _get_ready(self, engine: TestedEngine) -> None:
        if self._failures >= MOST_FAILURES:
            raise Unmet(f"not tried: {self._failures} processes in a row did not get ready")
        self._failures += 1
        engine.hello()
        engine.accepts()
        self._failures = 0

    def ready(self) -> TestedEngine:
        """A process of the step's own that can search."""
        engine = self.process()
        self._get_ready(engine)
        return engine

    def shared(self) -> TestedEngine:
        """The shared process, which can search."""
        if self._shared is None:
            self._shared = self._start()
            self._get_ready(self._shared)
        return self._shared

    def clear(self, *, all_of_it: bool) -> None:
        """End the step's own processes, and maybe the shared one."""
        for engine in self._own:
            engine.close()
        self._own.clear()
        if all_of_it and self._shared is not None:
            self._shared.close()
            self._shared = None


@dataclass(frozen=True)
class Step:
    """One trial. `run` returns a note, if any, and raises Unmet, NotOffered or EngineError."""

    name: str
    done: str
    expected: str
    run: Callable[[Trial], str]
