"""Lines to an engine's process and back, and what becomes of an engine that breaks the protocol.

An answer that does not come in time or makes no sense ends the process, with all that it has
started; it can be started again.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from masons.engine.checks import shown
from masons.engine.errors import MasonsError
from masons.engine.plain_text import plain
from masons.protocol.client.engine_process import EngineProcess
from masons.protocol.messages.error_codes import EngineError, EngineStall, ProtocolFault
from masons.protocol.messages.line_streams import MAX_LINE
from masons.protocol.messages.replies import fault

Tell = Callable[[str], None]

NOTICE_SECONDS: Final = 10.0  # without a line, until somebody is told that it takes long
_POLL_SECONDS: Final = 0.2  # how soon another thread's `shorten` is noticed


class Waiting:
    """The wait for one answer of an engine, from now on.

    It is over after `seconds` in all, and after `silence` seconds without a line if there is such a
    limit. `tell` gets one line where nothing came for NOTICE_SECONDS and more will be waited.
    """

    def __init__(
        self, engine: str, what: str, seconds: float, silence: float | None, tell: Tell | None
    ) -> None:
        self.what = what
        self._engine = plain(engine)
        self._silence = silence
        self._tell = tell
        self.restart(seconds)

    def restart(self, seconds: float) -> None:
        """Wait so many seconds in all from now on."""
        self._heard = self._began = time.monotonic()
        self._end = self._began + seconds

    def shorten(self, seconds: float) -> None:
        """Wait so many seconds from now on at most; from any thread."""
        self._end = min(self._end, time.monotonic() + seconds)

    def heard(self) -> None:
        """Something was said: the silence begins anew."""
        self._heard = time.monotonic()

    @property
    def deadline(self) -> float:
        """When it is over (`time.monotonic`)."""
        return self._end if self._silence is None else min(self._end, self._heard + self._silence)

    @property
    def is_outrun(self) -> bool:
        """True where lines came without end, until after the deadline."""
        return time.monotonic() > self._end + 1

    @property
    def stall(self) -> str:
        """The fault, in words, once it is over."""
        if self.deadline < self._end:
            return f"no answer to {self.what} in time: nothing for {self._silence:g} s"
        return f"no answer to {self.what} in time: {self._end - self._began:.3g} s"

    def line(self, receive: Callable[[float], str | None]) -> str | None:
        """Return the next line; None when it is over. `receive` waits for one until a time."""
        while (line := receive(min(self.deadline, time.monotonic() + _POLL_SECONDS))) is None:
            now = time.monotonic()
            if now >= self.deadline:
                return None
            if self._tell is not None and now >= self._heard + NOTICE_SECONDS:
                left = self.deadline - self._heard
                self._tell(
                    f"engine {self._engine} has not answered {self.what} for "
                    f"{now - self._heard:.0f} s; waiting until {left:.0f} s"
                )
                self._tell = None
        return line


# --- lines to an engine's process and back, and what becomes of an engine that breaks the protocol


class Connection:
    """The process of an engine, while there is one; `name` is for messages and the log.

    `tell` gets a line where an answer is long in coming.
    """

    def __init__(
        self,
        command: Sequence[str],
        name: str,
        *,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        tell: Tell | None = None,
    ) -> None:
        self.name = name
        self._tell = tell
        self._command = command
        self._cwd, self._env = cwd, env
        self._process: EngineProcess | None = None

    @property
    def is_running(self) -> bool:
        """True while there is a process that has not been ended."""
        return self._process is not None

    @property
    def pid(self) -> int | None:
        """The process's id, and its group's; None where none runs."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start a process, in place of any before it. Raises EngineCrash where that fails."""
        self.close()
        self._process = EngineProcess(self._command, self._log, cwd=self._cwd, env=self._env)

    def quit(self, seconds: float) -> bool:
        """Ask the process to end, and kill it where it does not; whether it ended by itself."""
        process = self._process
        if process is None:
            return True
        process.send("quit")
        process.close_input()
        polite = process.has_ended(seconds)
        self.close()
        return polite

    def close(self) -> None:
        """Kill the process and all that it has started, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()

    def send(self, line: str) -> None:
        """Send a line. Raises MasonsError for what is none, and where no process runs."""
        process = self._running()
        if "\n" in line or "\r" in line:
            raise MasonsError("a command is one line")
        try:
            size = len(line.encode())
        except UnicodeEncodeError:
            raise MasonsError(f"a command is UTF-8 text, which {shown(line)} is not") from None
        if size > MAX_LINE:
            raise MasonsError(f"a command has at most {MAX_LINE:,} bytes")
        process.send(line)

    @property
    def read_at(self) -> float:
        """When the last line received had come (`time.monotonic`)."""
        return self._running().read_at

    def waiting(self, what: str, seconds: float, silence: float | None = None) -> Waiting:
        """Return the wait for an answer, which begins now."""
        return Waiting(self.name, what, seconds, silence, self._tell)

    def receive(self, waiting: Waiting) -> str:
        """Return the next line; end the engine where none comes in time."""
        line = self.next_line(waiting)
        if line is None:
            error = EngineStall(waiting.stall)
            self._fail(error)
            raise error
        waiting.heard()
        return line

    def next_line(self, waiting: Waiting) -> str | None:
        """Return the next line; None where none comes in time."""
        process = self._running()
        try:
            line = waiting.line(process.receive)
        except EngineError as error:
            self._fail(error)
            raise
        # An engine that never stops sending must not outrun the deadline either.
        return None if waiting.is_outrun else line

    @contextmanager
    def sensible(self) -> Iterator[None]:
        """End the engine where a line makes no sense."""
        try:
            yield
        except ProtocolFault as error:
            self._fail(error)
            raise

    def refuse(self, line: str, why: str) -> None:
        """End the engine for a line. Raises ProtocolFault."""
        with self.sensible():
            fault(line, why)

    def _running(self) -> EngineProcess:
        if self._process is None:
            raise MasonsError(f"{self.name} is not running: start it first")
        return self._process

    def _fail(self, error: EngineError) -> None:
        """End an engine of which nothing more can be expected."""
        self._log.debug("%s: %s", error.kind, error)
        self.close()

    @property
    def _log(self) -> logging.Logger:
        """The logger of an engine's traffic: `masons.protocol.NAME`."""
        return logging.getLogger(f"masons.protocol.{re.sub('[^A-Za-z0-9_-]+', '_', self.name)}")
