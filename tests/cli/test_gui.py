"""`gui` before there is a page: what its argument names, and what is wrong with it, in a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from masons.cli.commands import gui
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
