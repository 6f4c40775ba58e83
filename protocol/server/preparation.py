"""Getting an engine ready in the background, with a line for each step that takes time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

from masons.protocol.messages.error_codes import Refused
from masons.protocol.messages.line_streams import Output


class Part(NamedTuple):
    """Something to prepare: kernels that are loaded or, where they are not kept, compiled."""

    title: str
    is_kept: Callable[[], bool]
    prepare: Callable[[], None]


class Preparation:
    """Prepares some parts once, in a thread of its own."""

    def __init__(self, parts: Sequence[Part], out: Output) -> None:
        self._parts = parts
        self._out = out
        self._thread: threading.Thread | None = None
        self._fault = ""

    def start(self) -> None:
        """Begin, if that has not happened yet."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Wait for the end. Raises Refused where it failed."""
        self.start()
        assert self._thread is not None
        self._thread.join()
        if self._fault:
            raise Refused("internal", f"the engine could not be prepared: {self._fault}")

    def _run(self) -> None:
        try:
            for number, part in enumerate(self._parts, 1):
                if not part.is_kept():
                    step = f"({number} of {len(self._parts)})"
                    self._out.line(f"info string compiling {part.title} {step}")
                part.prepare()
        except Exception as error:
            self._fault = f"{type(error).__name__}: {error}"
