"""Engines end with their runner, even where that is killed with SIGKILL.

A process that is killed cannot clean up. So each runner that starts engines also starts one small
helper, this file as a script, and sends it over a pipe which process groups there are. When the
runner ends, however it ends, the pipe does too, and the helper kills what is left. Only on systems
with process groups; what moves to a group of its own escapes.
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
_SECONDS: Final = 5.0  # for the helper to end


def kill_group(group: int) -> None:
    """Kill every process of a group; nothing if there is none left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


class Reaper:
    """The runner's end of the pipe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._helper: subprocess.Popen[bytes] | None = None
        self._groups: set[int] = set()

    def start(self) -> None:
        """Have a helper, before there is anything to watch."""
        with self._lock:
            self._pipe()

    def watch(self, group: int) -> None:
        """Have a process group killed at the end of this process."""
        with self._lock:
            self._groups.add(group)
            self._send(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Forget a group that has ended; its number may soon be another's."""
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
        """In a forked child: the helper and its pipe are the parent's."""
        helper, self._helper = self._helper, None
        self._lock = threading.Lock()
        self._groups = set()
        if helper is not None and helper.stdin is not None:
            helper.returncode = 0  # not this process's child: nothing to wait for
            helper.stdin.close()

    def _send(self, line: str) -> None:
        try:
            self._pipe().write(line.encode())
        except OSError:  # Somebody killed the helper: the next one gets all groups.
            self._helper = None
            with contextlib.suppress(OSError):  # No more processes: `start` will say so.
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
    """Follow which groups there are, as the helper, and kill them when the runner is gone."""
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
