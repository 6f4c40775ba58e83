"""Commands called in the tests' process, which is faster, or at a terminal of their own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import pytest

from masons.cli.main import run
from masons.cli.process import prepare

Called = Callable[..., tuple[int, str, str]]
Told = Callable[..., str]


@pytest.fixture(scope="session")
def _compiled() -> None:
    """No command has to compile first, and to say so."""
    prepare()


@pytest.fixture
def called(capsys: pytest.CaptureFixture[str], _compiled: None) -> Called:
    """Return a function that runs a command: its exit code, stdout and stderr."""

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def told(called: Called) -> Told:
    """Return a function that runs a command which must succeed: its stdout."""

    def call(*arguments: str) -> str:
        code, out, err = called(*arguments)
        assert code == 0, err
        return out

    return call


def spawn(*words: str, cols: int = 100, rows: int = 40) -> Any:
    """Start a command at a terminal, as a child of pexpect."""
    pexpect = pytest.importorskip("pexpect")
    env = {**os.environ, "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm-256color"}
    env.pop("NO_COLOR", None)
    child = pexpect.spawn(
        sys.executable, ["-m", "masons.cli", *words],
        env=env, dimensions=(rows, cols), encoding="utf-8", timeout=120,
    )  # fmt: skip
    child.delaybeforesend = None
    return child
