"""Fixtures of the tests of matches."""

from __future__ import annotations

import pytest

from masons.cli.main import run
from tests.support.commands import Called


@pytest.fixture
def called(capsys: pytest.CaptureFixture[str]) -> Called:
    """The program in this process: exit code, stdout, stderr."""

    def call(*words: str) -> tuple[int, str, str]:
        code = run(list(words))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call
