"""Preparing an engine in the background, with a line for each step that takes time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Final, NamedTuple

from masons.protocol.messages.error_codes import Refused, fault_text
from masons.protocol.messages.line_streams import Output

# So often a sign of life is given while somebody waits.
_SIGN_SECONDS: Final = 10.0


class Part(NamedTuple):
    """Something to prepare: `is_kept` says that it need not be compiled."""

    name: Hashable
    title: str
    is_kept: Callable[[], bool]
    prepare: Callable[[], None]


def _has_kernels() -> bool:
    from masons.engine.kernels.c_module import native_library

    if native_library() is not None:
        return True
    from masons.engine.kernels.loading import is_ready

    return is_ready()


def _load_kernels() -> None:
    """Compile or load all kernels, and import what searches."""
    import masons.protocol.server.thinker  # noqa: F401
    from masons.engine.kernels.c_module import native_library

    if native_library() is None:
        from masons.engine.kernels.loading import compile_ahead

        compile_ahead()


KERNELS: Final = Part("kernels", "the kernels", _has_kernels, _load_kernels)


class Preparation:
    """Prepares parts, each once, one after the other, in threads of its own."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._known: set[Hashable] = set()  # the names of those that are prepared, or will be
        self._thread: threading.Thread | None = None
        self._under_way = ""
        self._fault = ""

    def start(self, parts: Sequence[Part]) -> None:
        """Begin with those that are not known yet, after the current ones."""
        todo = [part for part in parts if part.name not in self._known]
        if todo:
            self._known.update(part.name for part in todo)
            self._thread = threading.Thread(
                target=self._run, args=(todo, self._thread), daemon=True
            )
            self._thread.start()

    def ensure(self, parts: Sequence[Part]) -> None:
        """Prepare parts, and wait for the end. Raises Refused where that failed."""
        self.start(parts)
        self.wait()

    def wait(self) -> None:
        """Wait for the end. Raises Refused where it failed; then it is tried again."""
        began = time.monotonic()
        while self._thread is not None and self._thread.is_alive():
            self._thread.join(_SIGN_SECONDS)
            if self._thread.is_alive():
                seconds = time.monotonic() - began
                self._out.line(f"info string still {self._under_way}, {seconds:.0f} s")
        if self._fault:
            fault, self._fault = self._fault, ""
            raise Refused("internal", f"the engine could not be prepared: {fault}")

    def _run(self, parts: Sequence[Part], before: threading.Thread | None) -> None:
        if before is not None:
            before.join()
        for number, part in enumerate(parts, 1):
            try:
                self._under_way = f"preparing {part.title}"
                if not part.is_kept():
                    self._under_way = f"compiling {part.title}"
                    self._out.line(f"info string {self._under_way} ({number} of {len(parts)})")
                part.prepare()
            except Exception as error:
                self._fault = fault_text(error)
                self._known.difference_update(left.name for left in parts[number - 1 :])
                return
