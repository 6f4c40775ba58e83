"""`learn`: lessons at the terminal, and what is kept of them."""

from __future__ import annotations

from pathlib import Path

from tests.support.commands import called, told
from tests.support.paths import PACKAGE

DATA = PACKAGE / "engine" / "lessons" / "data"


def test_a_lesson_is_done_by_typing(tmp_path: Path) -> None:
    progress = ("--progress", str(tmp_path / "lessons.json"))
    shown = "0\n82\n86\nhint\nundo\nshow\n1\n\n\nq\n"
    called("learn", "4", *progress, text=shown)
    assert "done" not in told("learn", "--list", *progress)  # its answer was shown
    typed = shown.replace("show\n", "show\nundo\n86\n")
    code, out, err = called("learn", "4", *progress, text=typed)
    assert (code, err) == (0, "masons-engine learn continues here\n")
    assert "Not yet.\nSpace 53 lies between the towers 30, 31 and 38;" in out
    assert "The city is space 53:" in out
    assert "Not yet.\nThe city is space 53:" not in out
    assert "! wall:82 is not legal now" in out
    assert "The answer is wall:86." in out
    assert "Its two green houses became a palace" in out
    assert "5. Palaces and merging" in out
    lines = told("learn", "--list", *progress).splitlines()
    assert [line.split()[0] for line in lines if "done" in line] == ["4"]


def test_a_lesson_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text((DATA / "07-the-swap.toml").read_text(encoding="utf-8"), encoding="utf-8")
    swap = "swap:city-towers-gray+city-palaces+land-yellow+land-region-2+land-towers-white"
    code, out, err = called("learn", str(path), text=f"{swap}\n\n\n")
    assert (code, err) == (0, "")
    assert "You drew “Completed cities”" in out
    path.write_text("title = 1", encoding="utf-8")
    said = f"error: {path}: a lesson has a title and steps, and nothing else\n"
    assert called("learn", str(path)) == (1, "", said)
