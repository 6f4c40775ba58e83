"""Commands of the program in processes, and functions that wait for what the commands write."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SECONDS = 120
Called = Callable[..., tuple[int, str, str]]


def start(*words: str) -> subprocess.Popen[str]:
    """Start the program with the arguments `words` in a process, and return the process."""
    return subprocess.Popen(
        [sys.executable, "-m", "masons.cli", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def run_python(
    *arguments: str,
    text: str = "",
    code: int | None = 0,
    cwd: Path | None = None,
    timeout: float | None = SECONDS,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run Python in a process, which must end with the exit code `code`; return its output.

    If `code` is None, the process may end with any. `text` is its input, and `environment` holds
    changed environment variables.
    """
    done = subprocess.run(
        [sys.executable, *arguments], input=text, capture_output=True, encoding="utf-8", cwd=cwd,
        timeout=timeout, env=os.environ | {"PYTHONIOENCODING": "utf-8"} | environment,
    )  # fmt: skip
    assert code in (None, done.returncode), done.stdout + done.stderr
    return done


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true, which must happen within SECONDS."""
    until = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def whole_lines(path: Path) -> int:
    """Return the number of whole lines in a file, or 0 if the file does not exist yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0
