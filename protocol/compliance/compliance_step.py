"""A step of the compliance test, and the engine that it is tried on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from masons.protocol.client.client_limits import Timeouts
from masons.protocol.compliance.transcript import Transcript


class Trial:
    """The engine on trial: its command, and the process that steps share until one fails."""

    def __init__(self, command: Sequence[str], timeouts: Timeouts) -> None:
        self.command = command
        self.timeouts = timeouts
        self._shared: Transcript | None = None
        self._own: list[Transcript] = []

    def process(self) -> Transcript:
        """A process of the step's own, to which nothing has been said."""
        transcript = Transcript(self.command, self.timeouts)
        self._own.append(transcript)
        return transcript

    def ready(self) -> Transcript:
        """A process of the step's own that can search."""
        transcript = self.process()
        transcript.hello()
        transcript.accepts()
        return transcript

    def transcript(self) -> Transcript:
        """The shared process, which can search."""
        if self._shared is None:
            transcript = Transcript(self.command, self.timeouts)
            self._shared = transcript
            transcript.hello()
            transcript.accepts()
        return self._shared

    def clear(self, *, all_of_it: bool) -> None:
        """End the step's own processes, and maybe the shared one."""
        for transcript in self._own:
            transcript.close()
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
