"""The work that runs beside the command loop.

Searches and benchmarks run as jobs, one at a time. `Overhead` measures how much of a time limit
must be held back so that answers come in time. `Preparation` loads or compiles what is needed.
"""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Final, NamedTuple

from masons.ai.search.threads import Stop
from masons.protocol.messages.error_codes import Refused, fault_text
from masons.protocol.messages.line_streams import Output


class Halt(Stop):
    """A request to stop a job. The job can check for the request or wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self._requested = threading.Event()

    def set(self) -> None:
        """Request the stop. Any thread may call this."""
        self._requested.set()
        super().set()

    def wait(self) -> None:
        """Wait for the request."""
        self._requested.wait()


class Jobs:
    """The jobs of the engine. Only one job runs at a time."""

    def __init__(self, out: Output) -> None:
        self._out = out
        # One thread runs all jobs, because a new thread may start late on a busy machine.
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._halt = Halt()
        self._id: str | None = None
        self._later: list[str] = []
        self._lock = threading.Lock()
        self._free_since = 0.0  # when the last job ended (`time.monotonic`)
        self._done = threading.Event()  # set when the last job has answered
        self._done.set()
        self.is_busy = False  # True from the start of a job to its answer
        self.command = ""  # the command that started the last job

    def start(
        self,
        work: Callable[[Halt], str],
        command: str,
        ident: str | None = None,
        *,
        here: bool = False,
    ) -> None:
        """Run `work`, and answer with the line that it returns or the Refused that it raises.

        `command` is the first word of the command that the job carries out. With `here`, the job
        runs in this thread. This suits short jobs, because handing a job to another thread can take
        longer than the job itself. Raises Refused if another job has not answered yet.
        """
        if self.is_busy:
            raise self.refusal(ident)
        halt = Halt()
        self._halt, self._id, self.command, self.is_busy = halt, ident, command, True
        done = self._done = threading.Event()

        def run() -> None:
            later: list[str] = []
            finish = partial(self._finish, later)
            try:
                answer = work(halt)
            except Refused as refused:
                refused.id = ident
                self._out.refuse(refused, finish)
            except Exception as error:
                self._out.refuse(Refused("internal", fault_text(error), ident), finish)
            else:
                self._out.line(answer, finish)
            for line in later:
                self._out.line(line)
            done.set()

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

    def _finish(self, later: list[str]) -> None:
        """Mark the job as done, and move the lines that wait for its answer to `later`.

        Called just before the answer is written. As soon as it is read, the next job may begin, and
        lines that wait for the next answer must not be written with this one.
        """
        with self._lock:
            self.is_busy = False
            later += self._later
            self._later = []
        self._free_since = time.monotonic()

    def was_busy(self, at: float) -> bool:
        """Return whether a job is running now or was running at a time (`time.monotonic`)."""
        return self.is_busy or at < self._free_since

    def refusal(self, ident: str | None = None) -> Refused:
        """Return the refusal of a command that has to wait for the running job."""
        what, answer = "a search", "its bestmove"
        if self.command != "go":
            what, answer = self.command, "its response"
        return Refused("busy", f"{what} is running: stop it, or wait for {answer}", ident)

    @property
    def is_searching(self) -> bool:
        """True while a job runs that `go` started."""
        return self.is_busy and self.command == "go"

    def then_say(self, line: str) -> None:
        """Write a line now, or after the answer of the running job if there is one."""
        with self._lock:
            if self.is_busy:
                self._later.append(line)
                return
        self._out.line(line)

    def stop(self, ident: str | None = None) -> None:
        """Stop the running job. If `ident` is given, stop the job only if it has that id."""
        if self.is_busy and ident in (None, self._id):
            self._halt.set()

    def join(self, seconds: float) -> None:
        """Wait at most `seconds` for the running job's answer."""
        self._done.wait(seconds)


def run_command(arguments: Sequence[str], what: str, halt: Halt) -> str:
    """Run a command of `masons-engine` in a separate process and return its output.

    `halt` kills the process. Raises Refused if the command was stopped or failed.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "masons.cli", *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with halt.ending([SimpleNamespace(stop=process.kill)]):
        output, messages = process.communicate()
    if halt.is_set:
        raise Refused("state", f"{what} was stopped")
    if process.returncode:
        last = messages.strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
        raise Refused("internal", f"{what}: {last[0]}")
    return output


# --- the part of a time limit that is held back, so that answers come in time

_ANSWERS: Final = 64  # the number of recent answers whose longest delay counts
# Only the delay of an answer can be measured. The delay of its `go` may have been just as long.
_UNSEEN: Final = 2.0
_MOST: Final = 0.85  # the largest share of the remaining time that is held back
_LOOK_MS: Final = 40.0  # the duration of the first measurement
_GAP_MS: Final = 0.3  # a shorter gap between two readings of the clock is ignored


class Overhead:
    """The delays of this process's answers, in milliseconds."""

    def __init__(self) -> None:
        self._late: deque[float] = deque(maxlen=_ANSWERS)

    def measure_first_delay(self) -> None:
        """Measure an initial delay if no answer has been timed yet."""
        if not self._late:
            self._late.append(longest_gap(_LOOK_MS))

    def add_delay(self, late_ms: float) -> None:
        """Add the delay of an answer, which is the time since its search should have ended."""
        self._late.append(max(late_ms, 0.0))

    def reserved_ms(self, left_ms: float, least_ms: float) -> float:
        """Return how many of the remaining `left_ms` milliseconds to hold back.

        This is at least `least_ms`, unless that is more than the share _MOST of `left_ms`.
        """
        return min(max(least_ms, _UNSEEN * max(self._late, default=0.0)), _MOST * left_ms)


def longest_gap(milliseconds: float) -> float:
    """Read the clock for some milliseconds. Return the longest gap in ms, or 0 if it is short."""
    longest = 0
    before = began = time.monotonic_ns()
    while before < began + milliseconds * 1e6:
        now = time.monotonic_ns()
        longest = max(longest, now - before)
        before = now
    return longest / 1e6 if longest / 1e6 > _GAP_MS else 0.0


# --- preparation in the background

_SIGN_SECONDS: Final = 10.0  # the time between two `info string` lines while a command waits


class Part(NamedTuple):
    """A part of the preparation. `is_kept` returns True if the part is compiled already."""

    name: Hashable
    title: str
    is_kept: Callable[[], bool]
    prepare: Callable[[], None]


class Preparation:
    """The preparation in the background. The parts are prepared one after the other, each once."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._known: set[Hashable] = set()  # the names of all parts passed to `start`
        self._thread: threading.Thread | None = None
        self._under_way = ""
        self._fault = ""

    def start(self, parts: Sequence[Part]) -> None:
        """Have all new parts prepared in the background, after the parts of earlier calls."""
        todo = [part for part in parts if part.name not in self._known]
        if todo:
            self._known.update(part.name for part in todo)
            self._thread = threading.Thread(
                target=self._run, args=(todo, self._thread), daemon=True
            )
            self._thread.start()

    def ensure(self, parts: Sequence[Part]) -> None:
        """Prepare parts and wait until they are ready. Raises Refused if that fails."""
        self.start(parts)
        self.wait()

    def wait(self) -> None:
        """Wait until all parts are prepared.

        Raises Refused if a part failed; the next `start` tries the failed parts again.
        """
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
