"""The tested engine, the steps of the compliance test, and the function that runs them.

The package `client` hides the protocol from its callers. `TestedEngine`, by contrast, sends raw
lines and bytes and returns the answers line by line.
"""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import Final

from masons.engine.errors import MasonsError
from masons.protocol.client.client_arguments import Timeouts
from masons.protocol.client.engine_process import EngineProcess, Tell, Waiting
from masons.protocol.messages.replies import Info, parse_bestmove, parse_error, parse_info, shown

ANSWERS: Final = (
    "id", "option", "protocol", "meiok", "readyok", "info", "bestmove", "response", "error",
)  # fmt: skip
_KEPT_INFOS: Final = 10_000  # the most infos kept per search; an engine may send more
_LOG: Final = logging.getLogger("masons.protocol.compliance.trial")


class Unmet(MasonsError):  # noqa: N818
    """An answer that breaks the protocol."""


class OutOfTime(MasonsError):  # noqa: N818
    """A step that could not end before the time limit of the whole run."""


class NotOffered(MasonsError):  # noqa: N818
    """An optional command that the engine answered with `error unknown`."""


def expect(condition: bool, otherwise: str) -> None:
    """Raise Unmet with the message `otherwise` unless the condition holds."""
    if not condition:
        raise Unmet(otherwise)


class TestedEngine:
    """A new process of the tested engine.

    No wait lasts beyond the time `end` (`time.monotonic`). `tell` is called with a line of text if
    an answer takes long. A wrong answer raises Unmet or an EngineError.
    """

    def __init__(
        self,
        command: Sequence[str],
        timeouts: Timeouts,
        end: float = math.inf,
        tell: Tell | None = None,
    ) -> None:
        self.timeouts = timeouts
        self.began = time.monotonic()
        self.infos: deque[Info] = deque(maxlen=_KEPT_INFOS)  # the infos since the last `go`
        self.process = EngineProcess(command, _LOG)
        self._end = end
        self._tell = tell
        self._name = PurePath(command[0]).name
        self._last_command = "the start"

    def send(self, *lines: str) -> None:
        """Send each of the given lines."""
        for line in lines:
            self._last_command = (line.split() or ["a line"])[0]
            self.process.send(line)

    # --- receiving

    def line(self, seconds: float | None = None) -> str:
        """Return the next line that is not an `info`; parse and keep the infos before it."""
        return self._next(self._waiting(self.timeouts.reply if seconds is None else seconds))

    def _waiting(self, seconds: float, silence: float | None = None) -> Waiting:
        left = max(self._end - time.monotonic(), 0.0)
        return Waiting(self._name, self._last_command, min(seconds, left), silence, self._tell)

    def _next(self, waiting: Waiting) -> str:
        while (line := waiting.line(self.process.receive)) is not None:
            word = line.split()[0]
            expect(word in ANSWERS, f"{shown(line)}, which is not a line of the protocol")
            if word != "info":
                return line
            self.infos.append(parse_info(line))
        if time.monotonic() >= self._end:
            raise OutOfTime(f"{waiting.stall}, when the time of the whole run was over")
        raise Unmet(waiting.stall)

    def until(self, last: str, seconds: float, silence: float | None = None) -> list[str]:
        """Return the lines before the line `last`, which must come within `seconds`."""
        waiting = self._waiting(seconds, silence)
        lines: list[str] = []
        while (line := self._next(waiting)) != last:
            lines.append(line)
        return lines

    def sync(self) -> list[str]:
        """Send `isready` and return the lines before `readyok`."""
        self.send("isready")
        return self.until("readyok", self.timeouts.ready, self.timeouts.silence)

    # --- commands with their answers

    def hello(self) -> list[str]:
        """Send `mei` and return the lines before `meiok`."""
        self.send("mei")
        return self.until("meiok", self.timeouts.handshake)

    def accepts(self, *lines: str) -> None:
        """Send commands to which the engine must not answer."""
        self.send(*lines)
        if said := self.sync():
            last = lines[-1] if lines else "isready"
            raise Unmet(f"{shown(last)} was answered by {shown(said[0])}")

    def refuses(self, line: str, *codes: str, name: str = "") -> None:
        """Send a command that the engine must answer with exactly one error.

        The error must have one of `codes`, if any are given, and the id `name`.
        """
        self.send(line)
        said = self.sync()
        came = f"{shown(line)} was answered by {shown(' / '.join(said)) if said else 'nothing'}"
        expect(len(said) == 1 and said[0].startswith("error"), came)
        code, ident, _ = parse_error(said[0])
        expect((not codes or code in codes) and ident == name, came)

    def refuses_bytes(self, data: bytes, what: str, *, error: str = "error") -> None:
        """Send raw bytes that the engine must answer with one error, which begins with `error`.

        `what` names the bytes in messages.
        """
        self.process.send_raw(data)
        said = self.sync()
        came = f"{shown(' / '.join(said)) if said else 'nothing'} for {what}"
        expect(len(said) == 1 and said[0].startswith(error), came)

    def go(self, words: str, seconds: float | None = None) -> tuple[str, str]:
        """Search and return the move and the id of `bestmove`."""
        self.infos.clear()
        self.send(f"go {words}")
        return self.bestmove(seconds)

    def bestmove(self, seconds: float | None = None) -> tuple[str, str]:
        """Return the move and the id in the next line, which must be a `bestmove`."""
        line = self.line(self.timeouts.search if seconds is None else seconds)
        expect(line.startswith("bestmove"), f"{shown(line)} instead of bestmove")
        return parse_bestmove(line)

    def ask(self, command: str, key: str) -> str:
        """Send an optional command and return the text after `response KEY`. Raises NotOffered."""
        self.send(command)
        line = self.line()
        if line.startswith("error") and parse_error(line)[0] == "unknown":
            raise NotOffered(line)
        words = line.split(None, 2)
        expect(words[:2] == ["response", key], f"{shown(command)} was answered by {shown(line)}")
        return words[2] if len(words) > 2 else ""

    def offers(self, command: str) -> bool:
        """Return whether the engine knows an optional command, even if it is refused now."""
        self.send(command)
        return not any(line.startswith("error unknown") for line in self.sync())


# --- a step of the compliance test, and the processes that it uses

# After this number of processes in a row that did not become ready, each step that needs a process
# fails without trying.
MOST_FAILURES: Final = 3


class Trial:
    """The processes of the tested engine.

    The steps share one process until a step fails. A step can also start processes for itself.
    """

    def __init__(self, start: Callable[[], TestedEngine]) -> None:
        self._start = start
        self._failures = 0  # the number of processes in a row that have not become ready
        self._shared: TestedEngine | None = None
        self._others: list[TestedEngine] = []  # the processes for this step alone

    def process(self) -> TestedEngine:
        """Return a new process for this step alone, before its handshake."""
        self._others.append(self._start())
        return self._others[-1]

    def ready(self) -> TestedEngine:
        """Return a new process for this step alone, ready to search."""
        return self._made_ready(self.process())

    def shared(self) -> TestedEngine:
        """Return the shared process, ready to search."""
        if self._shared is None:
            self._shared = self._start()
            self._made_ready(self._shared)
        return self._shared

    def _made_ready(self, engine: TestedEngine) -> TestedEngine:
        if self._failures >= MOST_FAILURES:
            raise Unmet(f"not tried: {self._failures} processes in a row did not get ready")
        self._failures += 1
        engine.hello()
        engine.accepts()
        self._failures = 0
        return engine

    def clear(self, *, all_of_it: bool) -> None:
        """Kill the processes of this step and, if `all_of_it` is true, the shared process."""
        for engine in self._others:
            engine.process.kill()
        self._others.clear()
        if all_of_it and self._shared is not None:
            self._shared.process.kill()
            self._shared = None


@dataclass(frozen=True)
class Check:
    """A step of the compliance test.

    `done` says in words what the step does, and `expected` says what the engine must do. `run`
    returns a note or None. It raises Unmet, NotOffered, OutOfTime or EngineError if the step does
    not pass.
    """

    name: str
    done: str
    expected: str
    run: Callable[[Trial], str | None]


class Steps(list[Check]):
    """A list of steps of the compliance test, in the order in which they run."""

    def add(
        self, name: str, done: str, expected: str
    ) -> Callable[[Callable[[Trial], str | None]], Callable[[Trial], str | None]]:
        """Return a decorator that adds a function to the list as a step."""

        def added(run: Callable[[Trial], str | None]) -> Callable[[Trial], str | None]:
            self.append(Check(name, done, expected, run))
            return run

        return added


# --- the run of all steps

PASS: Final = "pass"
FAIL: Final = "fail"
NOT_OFFERED: Final = "not offered"
NOT_RUN: Final = "not run"

# These time-outs are shorter than those of a client, because each step takes little work.
PATIENCE: Final = Timeouts(reply=20, search=60)


@dataclass(frozen=True)
class StepOutcome:
    """The outcome of a step. `came` is the fault if the step failed, and otherwise a note."""

    name: str
    done: str
    expected: str
    verdict: str
    came: str
    seconds: float


def try_engine(
    command: Sequence[str],
    steps: Sequence[Check],
    timeouts: Timeouts = PATIENCE,
    *,
    seconds: float = math.inf,
    tell: Tell | None = None,
) -> Iterator[StepOutcome]:
    """Run the steps, and yield the outcome of each step as soon as the step ends.

    Once `seconds` have passed, the remaining steps are not run. `tell` is called with a line of
    text if an answer takes long. All processes are killed at the end.
    """
    end = time.monotonic() + seconds
    trial = Trial(partial(TestedEngine, command, timeouts, end, tell))
    try:
        for step in steps:
            began = time.monotonic()
            verdict, came = _tried(trial, step) if began < end else (NOT_RUN, "")
            took = time.monotonic() - began if began < end else 0.0
            yield StepOutcome(step.name, step.done, step.expected, verdict, came, took)
    finally:
        trial.clear(all_of_it=True)


def _tried(trial: Trial, step: Check) -> tuple[str, str]:
    """Run a step. Return its verdict, and either its note or the fault."""
    verdict, came = PASS, ""
    try:
        came = step.run(trial) or ""
    except NotOffered:
        verdict = NOT_OFFERED
    except OutOfTime as error:
        verdict, came = NOT_RUN, str(error)
    except MasonsError as error:
        # The error is Unmet, or an EngineError after which the process has ended.
        verdict, came = FAIL, str(error)
    trial.clear(all_of_it=verdict in (FAIL, NOT_RUN))
    return verdict, came
