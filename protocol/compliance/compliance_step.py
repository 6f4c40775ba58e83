"""A step of the compliance test, and the engine that it is tried on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from masons.protocol.client.client_limits import Timeouts
from masons.protocol.compliance.transcript import Talk


class Trial:
    """The engine on trial: its command, and the process that steps share until one fails."""

    def __init__(self, command: Sequence[str], timeouts: Timeouts) -> None:
        self.command = command
        self.timeouts = timeouts
        self._shared: Talk | None = None
        self._own: list[Talk] = []

    def process(self) -> Talk:
        """A process of the step's own, to which nothing has been said."""
        talk = Talk(self.command, self.timeouts)
        self._own.append(talk)
        return talk

    def ready(self) -> Talk:
        """A process of the step's own that can search."""
        talk = self.process()
        talk.hello()
        talk.accepts()
        return talk

    def talk(self) -> Talk:
        """The shared process, which can search."""
        if self._shared is None:
            talk = Talk(self.command, self.timeouts)
            self._shared = talk
            talk.hello()
            talk.accepts()
        return self._shared

    def clear(self, *, all_of_it: bool) -> None:
        """End the step's own processes, and maybe the shared one."""
        for talk in self._own:
            talk.close()
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
