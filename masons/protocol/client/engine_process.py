"""An engine's process, with the lines sent to it and received from it.

Three threads serve the pipes, so that neither side can block the other. The first writes lines, the
second reads lines into an inbox of limited size, and the third keeps the last part of the engine's
standard error.
"""

from __future__ import annotations

import logging
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Final

from masons.engine.files import uninterrupted
from masons.engine.plain_text import plain
from masons.protocol.client.reaper import REAPER, kill_group
from masons.protocol.messages.error_codes import EngineCrash, ProtocolFault
from masons.protocol.messages.line_streams import MAX_LINE

MAX_WAITING: Final = 1 << 24  # the most bytes of lines that wait to be read
LINE_COST: Final = 64  # bytes of memory that a line takes besides its characters
_CHUNK: Final = 1 << 16
_TAIL: Final = 1 << 12  # the number of bytes kept from the end of standard error
_TAIL_LINES: Final = 5  # the lines of standard error that a crash report quotes
_LINGER: Final = 1.0  # the seconds within which the process must end after its output has ended
NOTICE_SECONDS: Final = 10.0  # `tell` is called after this number of seconds without a line
_LEAST_LEFT: Final = 0.5  # the seconds of a wait that must be left for a call of `tell`
_POLL_SECONDS: Final = 0.2  # the longest time in seconds until a call of `shorten` is noticed
_POSIX: Final = os.name == "posix"
# On Windows this keeps Ctrl-C from reaching the engine; on POSIX systems a new session does so.
_OWN_GROUP: Final = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)


Tell = Callable[[str], None]


class Inbox:
    """A queue of received lines. If too many wait, the oldest `info` lines are dropped."""

    def __init__(self) -> None:
        self._lines: deque[tuple[str, float]] = deque()
        self.read_at = 0.0  # when the line that `get` last returned had arrived (`time.monotonic`)
        self._size = 0
        self._change = threading.Condition()
        self._ended = False
        self._fault = ""

    def put(self, line: str) -> bool:
        """Add a line; return False if the inbox is full and no `info` line can be dropped."""
        with self._change:
            self._lines.append((line, time.monotonic()))
            self._size += len(line) + LINE_COST
            while self._size > MAX_WAITING:
                if not self._lines[0][0].startswith("info"):
                    return False
                self._size -= len(self._lines.popleft()[0]) + LINE_COST
            self._change.notify_all()
            return True

    def end(self, fault: str = "") -> None:
        """Mark the end of the output; `fault` is the reason if the engine broke a rule."""
        with self._change:
            self._ended = True
            self._fault = self._fault or fault
            self._change.notify_all()

    def get(self, deadline: float | None) -> str | None:
        """Return the next line, or None once the deadline (`time.monotonic`) has passed.

        Raises EOFError at the end of the output, or ProtocolFault if a fault ended the output.
        """
        with self._change:
            while not self._lines and not self._ended:
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    return None
                self._change.wait(left)
            if self._lines:
                line, self.read_at = self._lines.popleft()
                self._size -= len(line) + LINE_COST
                return line
            if self._fault:
                raise ProtocolFault(self._fault, text=self._fault)
            raise EOFError


class EngineProcess:
    """A running engine's process. Raises EngineCrash if the command cannot be started."""

    def __init__(
        self,
        command: Sequence[str],
        logger: logging.Logger,
        *,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._log = logger
        try:
            with uninterrupted():  # an interrupt here could leave a process that nobody ends
                if _POSIX:
                    REAPER.start()
                self._process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, bufsize=0, cwd=cwd, env=env,
                    start_new_session=_POSIX, creationflags=_OWN_GROUP,
                )  # fmt: skip
                if _POSIX:
                    REAPER.watch(self._process.pid)
        except (OSError, ValueError) as error:
            raise EngineCrash(f"{' '.join(command)} cannot be started: {error}") from None
        self._lock = threading.Lock()
        self._inbox = Inbox()
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._tail = b""
        self._threads = [
            threading.Thread(target=work, args=(stream,), daemon=True)
            for work, stream in (
                (self._write, self._process.stdin),
                (self._read, self._process.stdout),
                (self._listen, self._process.stderr),
            )
        ]
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError as error:
            self.kill()
            raise EngineCrash(f"{' '.join(command)} cannot be served: {error}") from None

    @property
    def pid(self) -> int:
        """The id of the process, which is also the id of its process group."""
        return self._process.pid

    @property
    def read_at(self) -> float:
        """The time at which the last received line arrived (`time.monotonic`)."""
        return self._inbox.read_at

    # --- lines

    def send(self, line: str) -> None:
        """Send a line without waiting. If the engine has ended, only `receive` notices."""
        self._log.debug("> %s", line)
        self._outbox.put(line.encode() + b"\n")

    def send_raw(self, data: bytes) -> None:
        """Send raw bytes, to test how the engine handles them."""
        self._log.debug("> %r", data[:200])
        self._outbox.put(data)

    def close_input(self) -> None:
        """Close the engine's standard input once all lines have been written."""
        self._outbox.put(None)

    def receive(self, deadline: float | None) -> str | None:
        """Return the next line that is not blank, or None after the deadline (`time.monotonic`).

        Raises EngineCrash if the output has ended, and ProtocolFault if the output is not UTF-8,
        contains a line that is too long, or fills the inbox.
        """
        try:
            return self._inbox.get(deadline)
        except EOFError:
            ended_at = time.monotonic()
            ended = self.has_ended(_LINGER)
            self.kill()
            how = self._how_it_ended() if ended else "the process closed its output but still runs"
            raise EngineCrash(how, at=ended_at) from None

    # --- ending

    def has_ended(self, seconds: float) -> bool:
        """Wait at most `seconds` for the process to end; return whether it has ended."""
        deadline = time.monotonic() + seconds
        while not self._is_dead():
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.002)
        return True

    def kill(self) -> None:
        """Kill the process and its group. Further calls have no effect."""
        self._outbox.put(None)
        with self._lock:
            if self._process.returncode is None:
                # A process that has ended keeps its id until `wait`, so the id is not reused yet.
                if _POSIX:
                    kill_group(self._process.pid)
                    REAPER.forget(self._process.pid)
                else:
                    self._process.kill()
                self._process.wait()
        if threading.current_thread() not in self._threads:
            for thread in self._threads:
                if thread.ident is not None:
                    thread.join(_LINGER)

    def _is_dead(self) -> bool:
        with self._lock:
            if self._process.returncode is not None:
                return True
            if not hasattr(os, "waitid"):
                return self._process.poll() is not None
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            try:
                return os.waitid(os.P_PID, self._process.pid, flags) is not None
            except ChildProcessError:  # SIGCHLD is ignored, so the ended child left no trace
                return True

    def _how_it_ended(self) -> str:
        code = self._process.returncode
        how = f"exit code {code}"
        if code < 0:
            try:
                how = f"killed by {signal.Signals(-code).name}"
            except ValueError:
                how = f"killed by signal {-code}"
        lines = map(str.strip, self._tail.decode(errors="replace").splitlines())
        if last_lines := list(filter(None, lines))[-_TAIL_LINES:]:
            how += f"; it said: {' | '.join(last_lines)}"
        return f"the process ended ({how})"

    # --- the threads

    def _write(self, stream: IO[bytes]) -> None:
        try:
            with stream:
                while (data := self._outbox.get()) is not None:
                    view = memoryview(data)
                    while view:
                        view = view[stream.write(view) :]
        except OSError:
            return  # The engine no longer reads; its output or its exit code will say why.

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            fault = self._read_lines(stream)
        self._inbox.end(fault)
        if fault:
            self.kill()

    def _read_lines(self, stream: IO[bytes]) -> str:
        """Put lines into the inbox until the output ends. Return the fault, or ""."""
        rest = b""
        while chunk := _read_some(stream):
            *lines, rest = (rest + chunk).split(b"\n")
            if max(len(rest), *map(len, lines), 0) > MAX_LINE:
                return f"a line of more than {MAX_LINE:,} bytes"
            for data in lines:
                try:
                    line = data.decode().strip()
                except UnicodeDecodeError:
                    return f"a line that is not UTF-8: {data[:60]!r}"
                if not line:
                    continue
                self._log.debug("< %s", line)
                if not self._inbox.put(line):
                    return f"more than {MAX_WAITING:,} bytes of output that was not requested"
        return ""

    def _listen(self, stream: IO[bytes]) -> None:
        rest = b""  # the line that has not ended yet
        with stream:
            while chunk := _read_some(stream):
                self._tail = (self._tail + chunk)[-_TAIL:]
                *lines, rest = (rest + chunk).split(b"\n")
                rest = rest[-_TAIL:]
                self._log_errors(lines)
        self._log_errors([rest] if rest else [])

    def _log_errors(self, lines: Sequence[bytes]) -> None:
        if self._log.isEnabledFor(logging.DEBUG):
            for line in lines:
                self._log.debug("! %s", line.decode(errors="replace").rstrip())


def _read_some(stream: IO[bytes]) -> bytes:
    """Return the next bytes, or b"" at the end of the stream."""
    try:
        return stream.read(_CHUNK)
    except OSError:
        return b""


# --- the wait for an answer


class Waiting:
    """The wait for one answer of an engine. It begins when the object is created.

    The wait ends after `seconds`. If `silence` is not None, the wait also ends after `silence`
    seconds without a line. If no line has come for NOTICE_SECONDS and the wait is not over, `tell`
    is called once with a line of text.
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
        """Begin the wait again, with a new limit of `seconds`."""
        self._heard = self._began = time.monotonic()
        self._end = self._began + seconds

    def shorten(self, seconds: float) -> None:
        """Wait at most `seconds` from now on. Any thread may call this."""
        self._end = min(self._end, time.monotonic() + seconds)

    def heard(self) -> None:
        """Restart the silence limit, as if a line had come."""
        self._heard = time.monotonic()

    @property
    def deadline(self) -> float:
        """The time at which the wait ends (`time.monotonic`)."""
        return self._end if self._silence is None else min(self._end, self._heard + self._silence)

    @property
    def stall(self) -> str:
        """A message that says how long the engine has not answered."""
        if self.deadline < self._end:
            return f"no answer to {self.what} in time: nothing for {self._silence:g} s"
        return f"no answer to {self.what} in time: {self._end - self._began:.3g} s"

    def line(self, receive: Callable[[float], str | None]) -> str | None:
        """Return the next line, or None once the wait is over.

        `receive(deadline)` returns a line, or None after the deadline. An engine that never stops
        sending lines cannot prolong the wait by more than a second.
        """
        while (line := receive(min(self.deadline, time.monotonic() + _POLL_SECONDS))) is None:
            now = time.monotonic()
            if now >= self.deadline:
                return None
            is_due = self._heard + NOTICE_SECONDS <= now < self.deadline - _LEAST_LEFT
            if self._tell is not None and is_due:
                self._tell(
                    f"engine {self._engine} has not answered {self.what} for "
                    f"{now - self._heard:.0f} s; it has {self.deadline - now:.0f} s left"
                )
                self._tell = None
        now = time.monotonic()
        if now > self._end + 1:
            return None
        self._heard = now
        return line
