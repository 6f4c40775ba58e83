"""Commands called in the tests' process, which is faster where kernels are needed."""

from __future__ import annotations

from collections.abc import Callable

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
