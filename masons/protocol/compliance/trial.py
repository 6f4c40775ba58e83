"""The processes of the engine that the compliance test talks to.

The package `client` hides the protocol from its callers. `TestedEngine`, by contrast, sends raw
lines and bytes and returns the answers line by line.
"""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from masons.engine.errors import MasonsError, MoveError
from masons.engine.formats.move_text import Move, parse_move
from masons.protocol.client.client_arguments import Timeouts
from masons.protocol.client.engine_process import EngineProcess, Tell, Waiting
from masons.protocol.compliance.sample_games import Sample
from masons.protocol.messages.replies import Info, parse_bestmove, parse_error, parse_info, shown

ANSWERS: Final = (
    "id", "option", "protocol", "meiok", "readyok", "info", "bestmove", "response", "error",
)  # fmt: skip
_KEPT_INFOS: Final = 10_000  # the most infos kept per search; an engine may send more
_LOG: Final = logging.getLogger("masons.protocol.compliance")


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


def move_in(line: str, text: str) -> Move:
    """Parse a move that an engine's line contains. Raises Unmet, with the line."""
    try:
        return parse_move(text)
    except MoveError as error:
        raise Unmet(f"{shown(line)}: {error}") from None


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
        self.late_infos: list[Info] = []  # those about a search that came after its `bestmove`
        self.read_at = 0.0  # when the last answer that a step waited for had arrived
        self.process = EngineProcess(command, _LOG)
        self._end = end
        self._tell = tell
        self._name = " ".join(command)  # until the engine has told its name
        self.last = "isready"  # the last line that a step sent
        self._awaited = "the start"
        self._searches = 0  # the number of calls of `go`

    def send(self, *lines: str) -> None:
        """Send each of the given lines."""
        for line in lines:
            self.infos.clear()
            self.last, self._awaited = line, line.split()[0]
            self.process.send(line)

    def send_raw(self, data: bytes) -> None:
        """Send raw bytes."""
        text = data.decode(errors="backslashreplace").rstrip("\r\n")
        self.last, self._awaited = text, "a line"
        self.process.send_raw(data)

    # --- receiving

    def line(self, seconds: float | None = None) -> str:
        """Return the next line that is not an `info`; parse and keep the infos before it.

        After a `bestmove`, check that nothing but infos follows.
        """
        line = self._next(self._waiting(self.timeouts.reply if seconds is None else seconds))
        if line.split()[0] == "bestmove":
            self._check_end(line)
        return line

    def _check_end(self, answer: str) -> None:
        infos, read_at = self.infos, self.read_at
        self.infos = deque(maxlen=_KEPT_INFOS)
        said = self.sync()
        self.late_infos = [info for info in self.infos if not info.string]
        self.infos, self.read_at = infos, read_at
        if said:
            what = "a second bestmove" if said[0].split()[0] == "bestmove" else "another line"
            raise Unmet(f"{what}: {shown(said[0])} after {shown(answer)}")

    def quiet(self, seconds: float) -> None:
        """Check that for some time the engine sends nothing but infos."""
        if (line := self._answer(self._waiting(seconds))) is not None:
            raise Unmet(f"{shown(self.last)} was answered by {shown(line)}")

    def _waiting(self, seconds: float, silence: float | None = None) -> Waiting:
        left = max(self._end - time.monotonic(), 0.0)
        return Waiting(self._name, self._awaited, min(seconds, left), silence, self._tell)

    def _answer(self, waiting: Waiting) -> str | None:
        """Return the next line that is not an `info`, or None if the wait is over before it."""
        while (line := waiting.line(self.process.receive)) is not None:
            word = line.split()[0]
            expect(word in ANSWERS, f"{shown(line)}, which is not a line of the protocol")
            if word != "info":
                self.read_at = self.process.read_at
                return line
            self.infos.append(parse_info(line))
        return None

    def _next(self, waiting: Waiting) -> str:
        if (line := self._answer(waiting)) is not None:
            return line
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
        self._awaited = "isready"
        self.process.send("isready")
        return self.until("readyok", self.timeouts.ready, self.timeouts.silence)

    # --- commands with their answers

    def hello(self) -> list[str]:
        """Send `mei` and return the lines before `meiok`."""
        self.send("mei")
        lines = self.until("meiok", self.timeouts.handshake)
        names = [line.split(None, 2)[2:] for line in lines if line.startswith("id name ")]
        self._name = names[0][0] if names else self._name
        return lines

    def accepts(self, *lines: str) -> None:
        """Send commands to which the engine must not answer."""
        self.send(*lines)
        if said := self.sync():
            raise Unmet(f"{shown(self.last)} was answered by {shown(said[0])}")

    def refuses(self, line: str, *codes: str) -> None:
        """Send a command that the engine must answer with exactly one error."""
        self.send(line)
        self.expect_error(*codes)

    def expect_error(self, *codes: str, name: str = "") -> None:
        """Check that the engine has answered the last command with exactly one error.

        The error must have one of `codes`, if any are given, and the id `name`.
        """
        said = self.sync()
        answer = shown(" / ".join(said)) if said else "nothing"
        came = f"{shown(self.last)} was answered by {answer}"
        expect(len(said) == 1 and said[0].startswith("error"), came)
        code, ident, _ = parse_error(said[0])
        wanted = f"the code must be {' or '.join(codes)}"
        expect(not codes or code in codes, f"{came}: {wanted}")
        expect(ident == name, f"{came}: {f'the id is {ident}' if ident else 'the id is missing'}")

    def go(self, words: str) -> str:
        """Search and return the move."""
        self._searches += 1
        name = f"c{self._searches}"
        self.send(f"go id {name} {words}")
        line = self.line(self.patience())
        expect(line.startswith("bestmove"), f"{shown(line)} instead of bestmove")
        move, ident = parse_bestmove(line)
        expect(ident == name, f"{shown(line)}: the id must be {name}")
        return move

    def patience(self) -> float:
        """Return how many seconds the answer to the last command may take."""
        words = self.last.split()
        if "movetime" in words:
            return int(words[words.index("movetime") + 1]) / 1000 + self.timeouts.grace
        limits = {"go": self.timeouts.search, "stop": self.timeouts.grace}
        return limits.get(words[0], self.timeouts.reply)

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


# After this number of processes in a row that did not become ready, each step that needs a process
# fails without trying.
MOST_FAILURES: Final = 3


class Trial:
    """The processes of the tested engine.

    The steps share one process until a step fails. A step can also start processes for itself.
    `sample` is the position that the step is about.
    """

    sample: Sample

    def __init__(self, start: Callable[[], TestedEngine]) -> None:
        self._start = start
        self._failures = 0  # the number of processes in a row that have not become ready
        self._shared: TestedEngine | None = None
        self._own: list[TestedEngine] = []  # the processes for this step alone

    def new(self, *, is_greeted: bool = False, is_ready: bool = False) -> TestedEngine:
        """Start a process for this step alone; return it after its handshake or ready to search."""
        self._own.append(self._start())
        if is_ready:
            self._make_ready(self._own[-1])
        elif is_greeted:
            self._own[-1].hello()
        return self._own[-1]

    @property
    def engine(self) -> TestedEngine:
        """The last process for this step alone, or else the shared process, ready to search."""
        if self._own:
            return self._own[-1]
        if self._shared is None:
            self._shared = self._start()
            self._make_ready(self._shared)
        return self._shared

    def _make_ready(self, engine: TestedEngine) -> None:
        if self._failures >= MOST_FAILURES:
            raise Unmet(f"not tried: {self._failures} processes in a row did not get ready")
        self._failures += 1
        engine.hello()
        engine.accepts()
        self._failures = 0

    def clear(self, *, all_of_it: bool) -> None:
        """Kill the processes of this step and, if `all_of_it` is true, the shared process."""
        for engine in self._own:
            engine.process.kill()
        self._own.clear()
        if all_of_it and self._shared is not None:
            self._shared.process.kill()
            self._shared = None
