"""A helper process that kills engines when their runner ends, even by SIGKILL.

A process that is killed cannot clean up. So each runner that starts engines also starts a helper,
this file as a script, and reports its engines' process groups over a pipe. When the runner ends, in
any way, the pipe is closed, and the helper kills the groups that are left. This works only on
systems with process groups, and not for a process that moves to another group.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading
from typing import IO, Final

# Standard library only: the helper runs without the packages of the project.
_SECONDS: Final = 5.0  # to wait for the helper's end


def kill_group(group: int) -> None:
    """Kill every process of a group that is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


class Reaper:
    """The runner's end of the pipe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._helper: subprocess.Popen[bytes] | None = None
        self._groups: set[int] = set()

    def start(self) -> None:
        """Start the helper, before there is a group to watch."""
        with self._lock:
            self._pipe()

    def watch(self, group: int) -> None:
        """Make the helper kill a process group when this process ends."""
        with self._lock:
            self._groups.add(group)
            self._send(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Stop watching a group that has ended, as its number may be reused."""
        with self._lock:
            self._groups.discard(group)
            self._send(f"-{group}\n")

    def stop(self) -> None:
        """End the helper, which kills the groups that are left."""
        with self._lock:
            helper, self._helper = self._helper, None
            self._groups.clear()
            if helper is None or helper.stdin is None:
                return
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                helper.stdin.close()
                helper.wait(_SECONDS)

    def forked(self) -> None:
        """Drop the helper in a forked child, as it belongs to the parent."""
        helper, self._helper = self._helper, None
        self._lock = threading.Lock()
        self._groups = set()
        if helper is not None and helper.stdin is not None:
            helper.returncode = 0  # it is not this process's child, so there is no wait
            helper.stdin.close()

    def _send(self, line: str) -> None:
        try:
            self._pipe().write(line.encode())
        except OSError:  # The helper was killed: a new one gets all groups.
            self._helper = None
            with contextlib.suppress(OSError):  # Too many processes: `start` will raise.
                self._pipe()

    def _pipe(self) -> IO[bytes]:
        if self._helper is None:
            self._helper = subprocess.Popen(
                [sys.executable, "-I", "-S", __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd=os.sep,
                start_new_session=True,
            )
            assert self._helper.stdin is not None
            for group in self._groups:
                self._helper.stdin.write(f"+{group}\n".encode())
        assert self._helper.stdin is not None
        return self._helper.stdin


def reap(changes: IO[bytes]) -> None:
    """Run as the helper: keep track of the groups, and kill them when the runner ends."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    groups: set[int] = set()
    for line in changes:
        change = groups.add if line.startswith(b"+") else groups.discard
        change(int(line[1:]))
    for group in groups:
        kill_group(group)


if __name__ == "__main__":
    reap(sys.stdin.buffer)
else:
    REAPER: Final = Reaper()
    atexit.register(REAPER.stop)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=REAPER.forked)
