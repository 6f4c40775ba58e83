"""An engine on trial: lines out, and what comes back held against the protocol.

Where `client` hides the protocol, this shows it: bytes as they are, and answers one by one.
"""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import PurePath
from typing import Final

from masons.engine.errors import MasonsError
from masons.protocol.client.client_arguments import Timeouts
from masons.protocol.client.engine_connection import Tell, Waiting
from masons.protocol.client.engine_process import EngineProcess
from masons.protocol.messages.error_codes import ProtocolFault
from masons.protocol.messages.replies import Info, parse_bestmove, parse_error, parse_info, shown

ANSWERS: Final = (
    "id", "option", "protocol", "meiok", "readyok", "info", "bestmove", "response", "error",
)  # fmt: skip
_KEPT_INFOS: Final = 10_000  # of a search: an engine may send them without end
_LOG: Final = logging.getLogger("masons.protocol.compliance.trial")


class Unmet(MasonsError):  # noqa: N818
    """An answer that is not what the protocol says."""


class OutOfTime(MasonsError):  # noqa: N818
    """The time of the whole run is over."""


class NotOffered(MasonsError):  # noqa: N818
    """An optional command was answered by `error unknown`."""


class TestedEngine:
    """One process of the engine, just started.

    Nothing is waited for beyond `end` (`time.monotonic`); `tell` gets a line where an answer is
    long in coming.
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
        self._end = end
        self._tell = tell
        self._name = PurePath(command[0]).name
        self._asked = "the start"  # the last command
        self._process = EngineProcess(command, _LOG)
        self.infos: deque[Info] = deque(maxlen=_KEPT_INFOS)  # since the last `go`

    def close(self) -> None:
        """Kill the process."""
        self._process.kill()

    # --- out

    def send(self, *lines: str) -> None:
        """Send lines."""
        for line in lines:
            self._asked = (line.split() or ["a line"])[0]
            self._process.send(line)

    def send_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._process.send_raw(data)

    def end_input(self) -> None:
        """End the engine's input."""
        self._process.close_input()

    def is_gone(self, seconds: float) -> bool:
        """Return whether the process ends by itself within so many seconds."""
        return self._process.has_ended(seconds)

    # --- in

    def line(self, seconds: float | None = None) -> str:
        """Return the next line but for infos, which are read and kept.

        Raises Unmet where none comes in time or it is not one of the protocol, EngineCrash.
        """
        return self._next(self._waiting(self.timeouts.reply if seconds is None else seconds))

    def _waiting(self, seconds: float, silence: float | None = None) -> Waiting:
        left = max(self._end - time.monotonic(), 0.0)
        return Waiting(self._name, self._asked, min(seconds, left), silence, self._tell)

    def _next(self, waiting: Waiting) -> str:
        while (line := waiting.line(self._process.receive)) is not None:
            if waiting.is_outrun:
                break
            waiting.heard()
            word = line.split()[0]
            if word in ANSWERS and word != "info":
                return line
            if word != "info":
                raise Unmet(f"{shown(line)}, which is no line of the protocol")
            self._take_info(line)
        if time.monotonic() >= self._end:
            raise OutOfTime(f"{waiting.stall}, when the time of the whole run was over")
        raise Unmet(waiting.stall)

    def _take_info(self, line: str) -> None:
        try:
            self.infos.append(parse_info(line))
        except ProtocolFault as error:
            raise Unmet(str(error)) from None

    def until(self, last: str, seconds: float, silence: float | None = None) -> list[str]:
        """Return the lines before the one that is `last`, within so many seconds in all."""
        waiting = self._waiting(seconds, silence)
        lines: list[str] = []
        while (line := self._next(waiting)) != last:
            lines.append(line)
        return lines

    def sync(self) -> list[str]:
        """Return what the engine still says before it answers `isready`."""
        self.send("isready")
        return self.until("readyok", self.timeouts.ready, self.timeouts.silence)

    # --- out and in

    def hello(self) -> list[str]:
        """Say `mei`; the lines of the answer."""
        self.send("mei")
        return self.until("meiok", self.timeouts.handshake)

    def accepts(self, *lines: str) -> None:
        """Send commands that are answered by nothing. Raises Unmet where something comes."""
        self.send(*lines)
        if said := self.sync():
            last = lines[-1] if lines else "isready"
            raise Unmet(f"{shown(last)} was answered by {shown(said[0])}")

    def refuses(self, line: str, *codes: str, name: str = "") -> None:
        """Send a command that must be answered by one error, with one of these codes if any.

        `name` is the id that the error must carry.
        """
        self.send(line)
        said = self.sync()
        if len(said) != 1 or not said[0].startswith("error"):
            raise Unmet(
                f"{shown(line)} was answered by {shown(' / '.join(said)) if said else 'nothing'}"
            )
        self.check_error(line, said[0], *codes, name=name)

    def check_error(self, line: str, said: str, *codes: str, name: str = "") -> None:
        """Hold an `error` line against what it must be."""
        try:
            code, ident, _ = parse_error(said)
        except ProtocolFault as error:
            raise Unmet(str(error)) from None
        if (codes and code not in codes) or ident != name:
            raise Unmet(f"{shown(line)} was answered by {shown(said)}")

    def go(self, words: str, seconds: float | None = None) -> tuple[str, str]:
        """Search: the move and the id of `bestmove`."""
        self.infos.clear()
        self.send(f"go {words}")
        return self.bestmove(seconds)

    def bestmove(self, seconds: float | None = None) -> tuple[str, str]:
        """Return the move and the id of the `bestmove` that must come next."""
        line = self.line(self.timeouts.search if seconds is None else seconds)
        if not line.startswith("bestmove"):
            raise Unmet(f"{shown(line)} instead of bestmove")
        try:
            return parse_bestmove(line)
        except ProtocolFault as error:
            raise Unmet(str(error)) from None

    def ask(self, command: str, key: str) -> str:
        """Return the `response` to an optional command, after its key. Raises NotOffered."""
        self.send(command)
        line = self.line()
        if line.startswith("error"):
            code = parse_error(line)[0]
            if code == "unknown":
                raise NotOffered(line)
            raise Unmet(f"{shown(command)} was answered by {shown(line)}")
        words = line.split(None, 2)
        if words[:2] != ["response", key]:
            raise Unmet(f"{shown(command)} was answered by {shown(line)}")
        return words[2] if len(words) > 2 else ""

    def offers(self, command: str) -> bool:
        """Return whether an optional command is known (it may be refused for other reasons)."""
        self.send(command)
        return not any(line.startswith("error unknown") for line in self.sync())


# --- a step of the compliance test, and the engine that it is tried on

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
        """Return a process of the step's own, to which nothing has been said."""
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
        """Return a process of the step's own that can search."""
        engine = self.process()
        self._get_ready(engine)
        return engine

    def shared(self) -> TestedEngine:
        """Return the shared process, which can search."""
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
class Check:
    """One trial. `run` returns a note, if any, and raises Unmet, NotOffered or EngineError."""

    name: str
    done: str
    expected: str
    run: Callable[[Trial], str]


# --- trying an engine against the protocol

PASS: Final = "pass"
FAIL: Final = "fail"
NOT_OFFERED: Final = "not offered"
NOT_RUN: Final = "not run"
VERDICTS: Final = (PASS, FAIL, NOT_OFFERED, NOT_RUN)

# How long an engine is waited for in a step: each asks for a little only.
PATIENCE: Final = Timeouts(reply=20, search=60)


@dataclass(frozen=True)
class StepOutcome:
    """How a step went. `came`: what came instead of the expected, or a note."""

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
    """Yield the outcome of each step as it is known; the engine's processes are gone at the end.

    After `seconds` in all the steps that are left are not run. `tell` gets a line where an answer
    is long in coming.
    """
    end = time.monotonic() + seconds
    trial = Trial(command, timeouts, end, tell)
    try:
        for step in steps:
            if time.monotonic() < end:
                yield _try_step(trial, step)
            else:
                yield StepOutcome(step.name, step.done, step.expected, NOT_RUN, "", 0.0)
    finally:
        trial.clear(all_of_it=True)


def _try_step(trial: Trial, step: Check) -> StepOutcome:
    began = time.monotonic()
    verdict = PASS
    try:
        came = step.run(trial)
    except NotOffered:
        verdict, came = NOT_OFFERED, ""
    except OutOfTime as error:
        verdict, came = NOT_RUN, str(error)
    except MasonsError as error:
        # Unmet, or an EngineError: the process ended, or was ended as its answers made no sense.
        verdict, came = FAIL, str(error)
    trial.clear(all_of_it=verdict in (FAIL, NOT_RUN))
    seconds = time.monotonic() - began
    return StepOutcome(step.name, step.done, step.expected, verdict, came, seconds)
