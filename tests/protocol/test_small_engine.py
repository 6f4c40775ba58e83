"""The example engine that leaves the rules to the project."""

from __future__ import annotations

import json
import re
import sys

import pytest

import masons
from masons.protocol.compliance.sessions import FAIL
from tests.support.commands import called, told
from tests.support.paths import BOARDS, EXAMPLES

COMMAND = f"{sys.executable} {EXAMPLES / 'small_engine.py'}"
pytestmark = pytest.mark.usefixtures("compiled")


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--early-roll",), ("--players", "3", "--time", "1m+1s")])
def test_it_plays_without_a_fault(words: tuple[str, ...]) -> None:
    board = ("--board", str(BOARDS / "hexagon-24.json"))
    arguments = ("match", f"small={COMMAND}", "random", "--games", "2", "--json", *board, *words)
    figures = json.loads(told(*arguments))
    assert [engine["faults"] for engine in figures["engines"]] == [{}, {}]


def test_it_uses_public_names_alone() -> None:
    code = (EXAMPLES / "small_engine.py").read_text()
    assert "from masons" not in code
    assert set(re.findall(r"\bmasons\.(\w+)", code)) <= set(masons.__all__)


@pytest.mark.slow
def test_it_complies() -> None:
    code, out, _ = called("compliance", *COMMAND.split())
    assert code == 0
    assert not [line for line in out.splitlines() if line.startswith(FAIL)]
