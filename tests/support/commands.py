"""Commands of the program, and waiting for what they write."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SECONDS = 120
Called = Callable[..., tuple[int, str, str]]


def start(*words: str) -> subprocess.Popen[str]:
    """Return the program with some words, in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "masons.cli", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait for something that must come to pass."""
    until = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def whole_lines(path: Path) -> int:
    """Return the number of whole lines of a file that may not be there yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0
