"""A step of the compliance test, and the engine that it is tried on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from masons.protocol.client.client_limits import Timeouts
from masons.protocol.compliance.tested_engine import TestedEngine


class Trial:
    """The engine on trial: its command, and the process that steps share until one fails."""

    def __init__(self, command: Sequence[str], timeouts: Timeouts) -> None:
        self.command = command
        self.timeouts = timeouts
        self._shared: TestedEngine | None = None
        self._own: list[TestedEngine] = []

    def process(self) -> TestedEngine:
        """A process of the step's own, to which nothing has been said."""
        engine = TestedEngine(self.command, self.timeouts)
        self._own.append(engine)
        return engine

    def ready(self) -> TestedEngine:
        """A process of the step's own that can search."""
        engine = self.process()
        engine.hello()
        engine.accepts()
        return engine

    def shared(self) -> TestedEngine:
        """The shared process, which can search."""
        if self._shared is None:
            engine = TestedEngine(self.command, self.timeouts)
            self._shared = engine
            engine.hello()
            engine.accepts()
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
