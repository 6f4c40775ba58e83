"""Commands of the program, in this process or in others, and waiting for what they write."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from masons.cli.main import run

SECONDS = 120
Called = Callable[..., tuple[int, str, str]]


def called(*arguments: str, text: str = "") -> tuple[int, str, str]:
    """Run a command in this process. Return its exit code, stdout and stderr.

    `text` is what the command reads from standard input.
    """
    written = [io.BytesIO(), io.BytesIO()]
    out, err = (io.TextIOWrapper(b, "utf-8", newline="", write_through=True) for b in written)
    typed = io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8")
    with patch("sys.stdin", typed), redirect_stdout(out), redirect_stderr(err):
        code = run(list(arguments))
    said, complained = (b.getvalue().decode() for b in written)
    assert "Traceback" not in complained
    return code, said, complained


def told(*arguments: str, text: str = "") -> str:
    """Run a command that must succeed in this process. Return its stdout."""
    code, out, err = called(*arguments, text=text)
    assert code == 0, err
    return out


def start(*words: str) -> subprocess.Popen[str]:
    """Start the program with the arguments `words` in a process, and return the process."""
    return subprocess.Popen(
        [sys.executable, "-m", "masons.cli", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true, which must happen within SECONDS."""
    until = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def whole_lines(path: Path) -> int:
    """Return the number of whole lines in a file, or 0 if the file does not exist yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0
