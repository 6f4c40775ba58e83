"""An engine on trial: lines out, and what comes back held against the protocol.

Where `client` hides the protocol, this shows it: bytes as they are, and answers one by one.
"""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

from masons.engine.errors import MasonsError
from masons.protocol.client.client_limits import Timeouts
from masons.protocol.client.engine_process import EngineProcess
from masons.protocol.client.waiting import Tell, Waiting
from masons.protocol.messages.engine_faults import ProtocolFault
from masons.protocol.messages.replies import Info, parse_bestmove, parse_error, parse_info, shown

ANSWERS: Final = (
    "id", "option", "protocol", "meiok", "readyok", "info", "bestmove", "response", "error",
)  # fmt: skip
_KEPT_INFOS: Final = 10_000  # of a search: an engine may send them without end
_LOG: Final = logging.getLogger("masons.protocol.compliance.compliance_run")


class Unmet(MasonsError):  # noqa: N818
    """What came is not what the protocol says."""


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
        """Whether the process ends by itself within so many seconds."""
        return self._process.has_ended(seconds)

    # --- in

    def line(self, seconds: float | None = None) -> str:
        """The next line but for infos, which are read and kept.

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
        """The lines up to the one that is `last`, without it, within so many seconds in all."""
        waiting = self._waiting(seconds, silence)
        found: list[str] = []
        while (line := self._next(waiting)) != last:
            found.append(line)
        return found

    def sync(self) -> list[str]:
        """What the engine still says before it answers `isready`."""
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
        """The move and the id of the `bestmove` that must come next."""
        line = self.line(self.timeouts.search if seconds is None else seconds)
        if not line.startswith("bestmove"):
            raise Unmet(f"{shown(line)} instead of bestmove")
        try:
            return parse_bestmove(line)
        except ProtocolFault as error:
            raise Unmet(str(error)) from None

    def ask(self, command: str, key: str) -> str:
        """The `response` to an optional command, after its key. Raises NotOffered."""
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
        """Whether an optional command is known (it may be refused for other reasons)."""
        self.send(command)
        return not any(line.startswith("error unknown") for line in self.sync())
