"""Work beside the command loop: one job at a time, the time lost beside it, getting ready."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from typing import Final, NamedTuple

from masons.protocol.messages.error_codes import Refused, fault_text
from masons.protocol.messages.line_streams import Output


class Halt(threading.Event):
    """A stop that can be requested before the work that it ends has begun."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[Callable[[], None]] = []

    def set(self) -> None:
        """Request the end; from any thread."""
        super().set()
        for call in tuple(self._calls):
            call()

    def on_set(self, call: Callable[[], None]) -> None:
        """Call something when the end is requested, or at once where it was; maybe twice."""
        # First noted, then looked at: `set` does it the other way round, so none is missed.
        self._calls.append(call)
        if self.is_set():
            call()


class Jobs:
    """Runs one job at a time."""

    def __init__(self, out: Output) -> None:
        self._out = out
        # One thread for all: a new one waits for its first turn longest where much is running.
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._halt = Halt()
        self._id: str | None = None
        self._later: list[str] = []
        self._lock = threading.Lock()
        self._free_since = 0.0  # the end of the last job
        self._done = threading.Event()
        self._done.set()
        self.is_busy = False  # a job has not answered yet
        self.is_search = False  # it is one that takes as long as it was asked to

    def start(
        self,
        work: Callable[[Halt], str],
        ident: str | None = None,
        *,
        is_search: bool = False,
        here: bool = False,
    ) -> None:
        """Run `work`; the line that it returns is the answer, a Refused that it raises an error.

        `here`: at once, in this thread, as handing it over can take longer than it does. Until the
        answer is on its way the job is running. Raises Refused if one is.
        """
        if self.is_busy:
            raise Refused("busy", "a search is running: stop it first", ident)
        halt = Halt()
        self._halt, self._id, self.is_search, self.is_busy = halt, ident, is_search, True
        self._done.clear()

        def run() -> None:
            try:
                answer = work(halt)
            except Refused as refused:
                refused.id = ident
                self._out.refuse(refused, self._finish)
            except Exception as error:
                self._out.refuse(Refused("internal", fault_text(error), ident), self._finish)
            else:
                self._out.line(answer, self._finish)
            with self._lock:
                lines, self._later = self._later, []
            for line in lines:
                self._out.line(line)
            self._done.set()

        if here:
            run()
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        self._work.put(run)

    def _run(self) -> None:
        while True:
            self._work.get()()

    def _finish(self) -> None:
        """Whoever has read the answer may ask for the next job, so this comes before it."""
        self.is_busy = False
        self._free_since = time.monotonic()

    def was_busy(self, at: float) -> bool:
        """Return whether a job was running at a time (`time.monotonic`), or runs now."""
        return self.is_busy or at < self._free_since

    def then_say(self, line: str) -> None:
        """Write a line: at once, or after the answer of the job that is running."""
        with self._lock:
            if self.is_busy:
                self._later.append(line)
                return
        self._out.line(line)

    def stop(self, ident: str | None = None) -> None:
        """End the running job; with an id, only the one that has it."""
        if self.is_busy and ident in (None, self._id):
            self._halt.set()

    def join(self, seconds: float) -> None:
        """Wait for the running job's answer, but not longer than so."""
        self._done.wait(seconds)


def run_command(arguments: Sequence[str], what: str, halt: Halt) -> str:
    """Return the output of one of the engine's own commands, in a process that a stop kills.

    Raises Refused if it was stopped or failed.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "masons.cli", *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    halt.on_set(process.kill)
    output, messages = process.communicate()
    if halt.is_set():
        raise Refused("state", f"{what} was stopped")
    if process.returncode:
        last = messages.strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
        raise Refused("internal", f"{what}: {last[0]}")
    return output


# --- the time that passes beside a search

# Answers that count; of so many the latest one goes by.
_ANSWERS: Final = 64
# Where an answer was put off so long, its `go` may have been too, before anybody here could see it.
_UNSEEN: Final = 2.0
# Of what is left of a limit this share at most is held back.
_MOST: Final = 0.85
# How long the clock is looked at beforehand.
_LOOK_MS: Final = 40.0
# A gap that is none of the clock's: to be put off.
_GAP_MS: Final = 0.3


class Overhead:
    """The delay of the answers of this process, in milliseconds."""

    def __init__(self) -> None:
        self._late: deque[float] = deque(maxlen=_ANSWERS)

    def look(self) -> None:
        """Measure how long this process is put off, before the first search."""
        if not self._late:
            self._late.append(longest_gap(_LOOK_MS))

    def note(self, late_ms: float) -> None:
        """Note an answer that was out so long after its search should have ended."""
        self._late.append(max(late_ms, 0.0))

    def held_back(self, left_ms: float, least_ms: float) -> float:
        """Return the milliseconds to hold back of a limit, at least `least_ms`."""
        return min(max(least_ms, _UNSEEN * max(self._late, default=0.0)), _MOST * left_ms)


def longest_gap(milliseconds: float) -> float:
    """Return the longest that this thread was put off in a time in which it had something to do."""
    longest = 0
    before = began = time.monotonic_ns()
    while before < began + milliseconds * 1e6:
        now = time.monotonic_ns()
        longest = max(longest, now - before)
        before = now
    return longest / 1e6 if longest / 1e6 > _GAP_MS else 0.0


# --- getting ready in the background, with a line for each step that takes time

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
        """Prepare parts, and wait for the end. Raises Refused if that failed."""
        self.start(parts)
        self.wait()

    def wait(self) -> None:
        """Wait for the end. Raises Refused if it failed; then it is tried again."""
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
