"""Lines to an engine's process and back, and what becomes of an engine that breaks the protocol.

An answer that does not come in time or makes no sense ends the process, with all that it has
started; it can be started again.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from masons.engine.errors import MasonsError
from masons.engine.given import shown
from masons.protocol.client.engine_process import EngineProcess
from masons.protocol.client.waiting import Tell, Waiting
from masons.protocol.messages.engine_faults import EngineError, EngineStall, ProtocolFault
from masons.protocol.messages.line_streams import MAX_LINE
from masons.protocol.messages.replies import fault


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
        """Whether there is a process that has not been ended."""
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
        """The wait for an answer, which begins now."""
        return Waiting(self.name, what, seconds, silence, self._tell)

    def receive(self, waiting: Waiting) -> str:
        """The next line; the end of the engine where none comes in time."""
        line = self.next_line(waiting)
        if line is None:
            error = EngineStall(waiting.stall)
            self._fail(error)
            raise error
        waiting.heard()
        return line

    def next_line(self, waiting: Waiting) -> str | None:
        """The next line; None where none comes in time."""
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
