"""A helper process that kills engines when the program that runs them ends or is killed.

A process that is killed cannot clean up. A process that runs engines, the runner, therefore also
starts a helper process, which runs this file as a script. The runner tells the helper over a pipe
which process groups its engines have. When the runner ends for any reason, the pipe closes, and the
helper kills the remaining groups. This works only on systems with process groups. An engine's child
process that moves to another group is not killed.
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

# Import only the standard library, because the helper runs without the project's packages.
_SECONDS: Final = 5.0  # the longest wait for the helper to end


def kill_group(group: int) -> None:
    """Kill every process that remains in a process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


class Reaper:
    """The runner's end of the pipe to the helper process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._helper: subprocess.Popen[bytes] | None = None
        self._groups: set[int] = set()

    def start(self) -> None:
        """Start the helper, which must run before the first group can be watched."""
        with self._lock:
            self._pipe()

    def watch(self, group: int) -> None:
        """Have the helper kill a process group when this process ends."""
        with self._lock:
            self._groups.add(group)
            self._send(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Stop watching a group that has ended, because the system may reuse its number."""
        with self._lock:
            self._groups.discard(group)
            self._send(f"-{group}\n")

    def stop(self) -> None:
        """End the helper, which then kills the remaining groups."""
        with self._lock:
            helper, self._helper = self._helper, None
            self._groups.clear()
            if helper is None or helper.stdin is None:
                return
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                helper.stdin.close()
                helper.wait(_SECONDS)

    def forked(self) -> None:
        """Forget the helper in a forked child, because the helper belongs to the parent."""
        helper, self._helper = self._helper, None
        self._lock = threading.Lock()
        self._groups = set()
        if helper is not None and helper.stdin is not None:
            helper.returncode = 0  # the helper is not this process's child: don't wait for it
            helper.stdin.close()

    def _send(self, line: str) -> None:
        try:
            self._pipe().write(line.encode())
        except OSError:  # The helper was killed. Start a new helper, which gets all groups.
            self._helper = None
            with contextlib.suppress(OSError):  # If no process can start, `start` will raise.
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
    """Do the helper's work: keep track of the groups, and kill them when the runner ends."""
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
