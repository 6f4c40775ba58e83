"""Commands write into no file that they read, and into no file twice."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import click
import pytest

from masons.cli.main import run
from masons.cli.options import check_outputs
from masons.engine.board.board_rows import format_rows
from masons.engine.board.geometry import load_board
from tests.support.paths import BOARDS, EXAMPLES

FILES = {"one.jsonl": EXAMPLES / "games.jsonl", "c.txt": EXAMPLES / "contested.txt"}
READ = "is read as input: choose another name"


@pytest.fixture
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, path in FILES.items():
        shutil.copy(path, name)
    Path("h.rows").write_text(format_rows(load_board(str(BOARDS / "hexagon-24.json"))))
    Path("linked").symlink_to("one.jsonl")


@pytest.mark.skipif(sys.platform == "win32", reason="links")
@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["review", "one.jsonl", "--html", "one.jsonl"], f"one.jsonl {READ}"),
        (["review", "one.jsonl", "--csv", "./one.jsonl"], f"./one.jsonl {READ}"),
        (["review", "one.jsonl#2", "--csv", "linked"], f"linked {READ}"),
        (["review", "one.jsonl", "--resume", "one.jsonl", "--repair"], f"one.jsonl {READ}"),
        (["review", "linked", "--html", "x", "--csv", "./x"], "--html and --csv name one file, x"),
        (
            ["review", "one.jsonl", "--all", "--html", "x.html", "--csv", "x-2.html"],
            "--csv and the page of game 2 name one file, x-2.html",
        ),
        (["show", "one.jsonl", "--html", "one.jsonl"], f"one.jsonl {READ}"),
        (["show", "one.jsonl@3", "--svg", "one.jsonl"], f"one.jsonl {READ}"),
        (["show", "c.txt", "--svg", "c.txt"], f"c.txt {READ}"),
        (["show", "c.txt", "--svg", "x", "--png", "x"], "--svg and --png name one file, x"),
        (["show", "one.jsonl@3", "--board", "h.rows", "--svg", "h.rows"], f"h.rows {READ}"),
        (["board", "h.rows", "--svg", "h.rows"], f"h.rows {READ}"),
        (["board", "h.rows", "--svg", "h.png"], "--svg writes no .png file: choose another name"),
        (["show", "c.txt", "--png", "x.SVG"], "--png writes no .svg file: choose another name"),
        (["selfplay", "--board", "h.rows", "--force", "--out", "h.rows"], f"h.rows {READ}"),
        (
            ["match", "greedy", "random", "--board", "h.rows", "--resume", "--out", "h.rows"],
            f"h.rows {READ}",
        ),
    ],
)
def test_what_is_read_is_not_written(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in Path().iterdir()}
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {said}")
    assert err.count("\n") == 1
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize(
    "outputs",
    [
        {"--html": None, "--csv": None}, {"--html": "x", "--csv": "y"},
        {"--svg": "-", "--png": "-"}, {"--html": os.devnull, "--csv": os.devnull},
        {"--html": "a\0b"}, {"--html": "nowhere/one.jsonl"},
    ],
)  # fmt: skip
def test_other_files_are_written(outputs: Mapping[str, str | None]) -> None:
    check_outputs(outputs, ["one.jsonl", None, "-"])


def test_standard_input_is_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "c.txt"
    file.touch()
    with file.open() as stream:
        monkeypatch.setattr("masons.cli.options._STDIN", stream.fileno())
        with pytest.raises(click.UsageError, match="is read as input"):
            check_outputs({"--svg": str(file)}, ["-"])
