"""`learn`: lessons at the terminal, and what is kept of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from masons.cli.main import run
from tests.support.paths import ROOT

DATA = ROOT / "engine" / "lessons" / "data"


def learnt(typed: str, *words: str) -> tuple[int, str, str]:
    """Return the exit code and what is printed of a real process."""
    process = subprocess.run(
        [sys.executable, "-m", "masons.cli", "learn", *words],
        input=typed, capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    return process.returncode, process.stdout, process.stderr


def test_a_lesson_is_done_by_typing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    progress = ["--progress", str(tmp_path / "lessons.json")]
    typed = "0\n82\n86\nhint\nundo\nshow\n1\n\n\nq\n"
    code, out, err = learnt(typed, "4", *progress)
    assert (code, err) == (0, "masons-engine learn continues here\n")
    assert "Not yet.\nSpace 53 lies between the towers 30, 31 and 38;" in out
    assert "The city is space 53:" in out
    assert "Not yet.\nThe city is space 53:" not in out
    assert "! wall:82 is not legal now" in out
    assert "The answer is wall:86." in out
    assert "Its two green houses became a palace" in out
    assert "5. Palaces and merging" in out
    assert run(["learn", "--list", *progress]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if "done" in line] == ["4"]


def test_a_lesson_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text((DATA / "07-the-swap.toml").read_text(encoding="utf-8"), encoding="utf-8")
    swap = "swap:city-towers-gray+city-palaces+land-yellow+land-region-2+land-towers-white"
    code, out, err = learnt(f"{swap}\n\n\n", str(path))
    assert (code, err) == (0, "")
    assert "You drew cities" in out
    path.write_text("title = 1", encoding="utf-8")
    code, out, err = learnt("", str(path))
    assert (code, out) == (1, "")
    assert err == f"error: {path}: a lesson has a title and steps, and nothing else\n"
