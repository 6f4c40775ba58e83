"""The example of a GUI: whole games, and a person who leaves."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.paths import EXAMPLES

PLAYER = f"{sys.executable} {EXAMPLES / 'plain_random.py'}"


def gui(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / "gui_loop.py"), *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)


@pytest.mark.slow
def test_a_game_by_chance_comes_to_its_end() -> None:
    done = gui("--auto", "--players", "3", "--seat", "1", "--seed", "35", PLAYER)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[:2] == ["seat 0: Plain Random 1", "seat 2: Plain Random 1"]
    assert lines[-1].startswith("winners: ")
    assert {line.split()[1] for line in lines if line.startswith("move")} == {"0", "1", "2"}
    # What the others draw stays hidden.
    drawn = [line.split() for line in lines if line.startswith("draw")]
    assert drawn
    assert all((words[1] == "1") == (words[2] != "?") for words in drawn)


@pytest.mark.slow
def test_a_person_moves_asks_and_leaves() -> None:
    done = gui("--seed", "5", PLAYER, text="?\nwall:3\n")
    assert done.returncode == 1
    assert "wall:0 wall:1" in done.stdout
    assert "move 0 wall:3" in done.stdout
    assert done.stderr == "\nthe game was broken off\n"


@pytest.mark.slow
def test_bad_usage_is_one_line() -> None:
    for arguments in (["no-such-engine"], ["--seat", "3", PLAYER]):
        done = gui(*arguments)
        assert done.returncode != 0
        assert "error:" in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr
