"""How a game of a file of records, and a decision in it, is named on the command line."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from masons.cli.main import run
from masons.cli.sources import NamedGame, named_game, whole_game
from masons.engine.errors import RecordError
from tests.support.paths import EXAMPLES

GAMES = str(EXAMPLES / "games.jsonl")


@pytest.mark.parametrize(
    ("argument", "parts"),
    [
        ("a.jsonl", ("a.jsonl", None, None)), ("a.jsonl#3", ("a.jsonl", 3, None)),
        ("a.jsonl@12", ("a.jsonl", None, 12)), ("a.jsonl#003@012", ("a.jsonl", 3, 12)),
        ("a#b.jsonl", ("a#b.jsonl", None, None)), ("-", ("-", None, None)),
    ],
)  # fmt: skip
def test_names(argument: str, parts: tuple[str, int | None, int | None]) -> None:
    assert named_game(argument) == NamedGame(*parts)


def test_a_file_of_just_that_name_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "a#2"
    file.touch()
    assert named_game(str(file)) == NamedGame(str(file))


@pytest.mark.parametrize("argument", ["", "a#0", "a@0", "a#1@00", "a#1234567890"])
def test_names_that_nothing_has(argument: str) -> None:
    with pytest.raises(RecordError):
        named_game(argument)


def test_a_whole_game_is_named_once() -> None:
    assert whole_game("a#2", None) == ("a", 2)
    assert whole_game("a", 2) == ("a", 2)
    for argument, number in (("a#2", 2), ("a@1", None)):
        with pytest.raises(click.UsageError):
            whole_game(argument, number)


@pytest.mark.parametrize("command", ["review", "practice"])
def test_commands_take_a_game_of_a_file(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, f"{GAMES}#9"]) == 1
    assert "has 3 records, no record 9" in capsys.readouterr().err
    assert run([command, f"{GAMES}#1", "--game", "1"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_review_is_of_the_game_that_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--sims", "4", "--rollouts", "8", "--playouts", "8", "--json"]
    assert run(["review", f"{GAMES}#2", *words]) == 0
    named = capsys.readouterr().out
    assert run(["review", GAMES, "--game", "2", *words]) == 0
    assert capsys.readouterr().out == named
