"""Commands of the program, in this process or in others, and waiting for what they write."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from masons.cli.main import run

SECONDS = 120
PROGRAM = (sys.executable, "-m", "masons.cli")
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


def process(*words: str, text: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, which ends without a traceback."""
    done = run_python("-m", "masons.cli", *words, text=text, code=None, **environment)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def start(*words: str, **options: Any) -> subprocess.Popen[str]:
    """Start a command in a process of its own. `options` are further options of `Popen`."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*PROGRAM, *words], text=True, **pipes, **options)


def spawn(*words: str, cols: int = 100, rows: int = 40) -> Any:
    """Start a command at a terminal, as a child of pexpect."""
    pexpect = pytest.importorskip("pexpect")
    env = {**os.environ, "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm-256color"}
    env.pop("NO_COLOR", None)
    child = pexpect.spawn(
        PROGRAM[0], [*PROGRAM[1:], *words],
        env=env, dimensions=(rows, cols), encoding="utf-8", timeout=SECONDS,
    )  # fmt: skip
    child.delaybeforesend = None
    return child


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
        timeout=timeout, env=os.environ | environment,
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
