"""`gui` before there is a page: what its argument names, and what is wrong with it, in a line."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from masons.cli.commands import gui
from masons.cli.main import run
from tests.support.paths import EXAMPLES

RECORDS = str(EXAMPLES / "games.jsonl")


@pytest.mark.parametrize(
    ("argument", "game", "step"),
    [("", 1, None), ("#2", 2, None), ("@12", 1, 11), ("#3@1", 3, 0)],
)
def test_a_record_is_studied_where_the_argument_says(
    argument: str, game: int, step: int | None
) -> None:
    opened = gui._opened(RECORDS + argument)
    assert (opened.game, opened.step, opened.resume) == (game, step, "")
    assert opened.text.count("\n") == 2


def test_a_position_and_a_game_that_was_left(tmp_path: Path) -> None:
    text = "masons1 board=classic players=2"
    assert gui._opened(text).text == text
    assert gui._opened(str(EXAMPLES / "midgame.txt")).text.startswith("masons1")
    left = tmp_path / "left.jsonl"
    left.write_text('{"format": "masons-play", "version": 1}\n')
    assert gui._opened(str(left)).resume == str(left)
    assert gui._opened(None) == gui.Opened()


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        (["nothing.jsonl"], 1, "'nothing.jsonl' is neither a position"),
        (["\x00"], 1, "is neither a position"),
        (["--board", "nothing.json"], 1, "nothing.json"),
        (["--port", "70000"], 2, "from 0 to 65535"),
        (["--host", "nowhere.invalid"], 1, "cannot listen on nowhere.invalid"),
        (["--engine", "plain"], 2, "write NAME=COMMAND"),
        (["--engine", "a=b", "--engine", "a=c"], 2, "each name once"),
        (["--engine", "a=nocommand --x"], 2, "--engine a: there is no program 'nocommand'"),
        (["--engine", "a=./nocommand"], 2, "--engine a: there is no program './nocommand'"),
        (["--engine", "a='b"], 2, "--engine a: "),
        (["--engine", "a= "], 2, "--engine a: an engine needs a command line"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    words: list[str], code: int, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gui", "--no-open", *words]) == code
    said = capsys.readouterr()
    assert what in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_an_empty_file_and_one_that_is_no_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, data in (("empty", b"\n"), ("binary", b"\xff\xfe\x00")):
        (tmp_path / name).write_bytes(data)
        assert run(["gui", "--no-open", str(tmp_path / name)]) == 1
        assert capsys.readouterr().err.count("\n") == 1


def test_without_the_extra_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec

    def none(name: str, *more: Any) -> Any:
        return None if name == "uvicorn" else find(name, *more)

    monkeypatch.setattr(importlib.util, "find_spec", none)
    assert run(["gui", "--no-open"]) == 1
    assert capsys.readouterr().err == (
        "error: the board in the browser needs uvicorn: pip install 'masons-engine[gui]'\n"
    )
