"""Boards typed as rows: what they become, the way back, and faults with their places."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from pathlib import Path

import pytest

from masons.cli.main import run
from masons.engine.board.board_rows import Rows, format_rows, is_rows
from masons.engine.board.geometry import Board, builtin_boards, load_board
from masons.engine.errors import BoardError
from tests.support.paths import ROOT
from tests.support.playing import BOARD_NAMES, board_of

SMALL = """\
board small
 ~ o ~
 11122
~ o o ~
 11222
 ~ o ~
"""


def loaded(text: str, folder: Path) -> Board:
    path = folder / "typed.txt"
    path.write_text(text, encoding="utf-8")
    return load_board(path)


def refused(text: str, folder: Path) -> str:
    with pytest.raises(BoardError) as fault:
        loaded(text, folder)
    said = str(fault.value)
    assert "\n" not in said
    return said.partition("typed.txt': ")[2]


@pytest.mark.parametrize("name", BOARD_NAMES)
def test_boards_go_to_rows_and_back(name: str) -> None:
    board = board_of(name)
    text = format_rows(board)
    assert is_rows(text)
    again = Board.from_dict(Rows(text).description())
    for field in ("space_region", "space_lines", "space_towers", "line_spaces", "line_towers"):
        assert getattr(again, field) == getattr(board, field), field
    assert (again.name, again.tower_shore) == (board.name, board.tower_shore)
    assert format_rows(again) == text


def test_comments_dots_and_ends_of_lines_mean_nothing(tmp_path: Path) -> None:
    strange = "# mine\r\n\r\n" + SMALL.replace("\n", "  \r\n").replace(" ~ o ~", ".~.o.~")
    assert loaded(strange, tmp_path) == loaded(SMALL, tmp_path)
    assert loaded("\ufeff" + SMALL, tmp_path) == loaded(SMALL, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("board small", "board a b", "line 1: board and the board's name must stand here"),
        ("board small", "board sm/all", "the board's name must be"),
        (" 11122", " 111222", "line 3, column 7: this space needs a tower space at line 2"),
        (" 11122", "111122", "line 3, column 1: this space needs a tower space"),
        ("~ o o ~", "~ o o ~ ~", "line 4, column 9: no space touches this tower space"),
        (" 11122", " 11x22", "line 3, column 4: 'x' is not a sign of a board: write o for"),
        (" 11122", " 1o122", "line 3: tower spaces and spaces stand in lines of their own"),
        (" 11122\n", "", "line 3: spaces (1, 2, 3) are due here"),
        ("~ o o ~\n", "", "line 4: tower spaces (o, ~) are due here"),
        ("~ o o ~", " ~ o o ~", "line 4, column 2: no tower space can stand in this column"),
        (" 11122", " 11121", "region 1 is not connected: no way through lines from space 0 ("),
        ("~ o o ~", "~ ~ o ~", "tower 4 (line 4, column 3) is on the shore but not"),
        (" 11122", " 11133", "region 2 has no space"),
        ("\n ~ o ~\n", "\n", "a board begins and ends with a row of tower spaces"),
        ("\t", "", ""),
    ],
)  # fmt: skip
def test_faults_are_named_with_their_places(old: str, new: str, fault: str, tmp_path: Path) -> None:
    if old == "\t":
        assert "column 1: '\\t' is not a sign" in refused(SMALL.replace(" ~ o", "\t~ o"), tmp_path)
        return
    at = SMALL.rindex(old) if old.startswith("\n") else SMALL.index(old)
    text = SMALL[:at] + new + SMALL[at + len(old) :]
    if fault == "region 2 has no space":
        text = text.replace("11222", "11133")
    assert refused(text, tmp_path).startswith(fault)


@pytest.mark.slow
def test_any_rows_are_a_board_or_a_board_error(tmp_path: Path) -> None:
    chance = random.Random(18)
    for _ in range(120):
        text = format_rows(board_of(chance.choice(BOARD_NAMES))).replace("classic", "mine")
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(text))
            text = (
                text[:at] + chance.choice(["", "o", "~", "1", " ", "\n", "x", "9"]) + text[at + 1 :]
            )
        with suppress(BoardError):
            board = loaded(text, tmp_path)
            assert Board.from_dict(board.to_dict()) == board


def test_rows_that_cannot_say_a_boards_numbers_are_refused() -> None:
    board = board_of("hexagon-24").to_dict()
    spaces = board["spaces"]
    assert isinstance(spaces, list)
    swap = {0: 1, 1: 0}
    spaces[0]["id"], spaces[1]["id"] = 1, 0
    spaces[:2] = [spaces[1], spaces[0]]
    for line in board["lines"]:  # type: ignore[attr-defined]
        line["spaces"] = [swap.get(space, space) for space in line["spaces"]]
    with pytest.raises(BoardError, match="use --json"):
        format_rows(Board.from_dict(board))


# ---- the command and its guide


def test_a_board_is_drawn_and_counted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(SMALL, encoding="utf-8")
    assert run(["board", str(path), "--check"]) == 0
    out = capfd.readouterr().out
    counted = re.findall(r"(\d+) towers, (\d+) shore", out)
    assert counted == [("3", "2"), ("4", "2"), ("3", "2")]
    assert re.findall(r"5: (\d\+\d)", out) == ["3+2", "2+3"]
    assert "small" in out
    assert "reconstruction" not in out
    assert run(["board", str(path), "--check", "--rows"]) == 2


@pytest.mark.parametrize("name", builtin_boards())
def test_a_built_in_board_is_called_what_it_is(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["board", name]) == 0
    assert "a reconstruction: no rulebook says" in capfd.readouterr().out
    for command in ("board", "play"):
        assert run([command, "--help"]) == 0
        assert "is a reconstruction" in " ".join(capfd.readouterr().out.split())


def test_the_board_of_the_guide_is_sound(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "boards.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"<!-- board -->\n```text\n(.*?)```", page, re.DOTALL)
    board = loaded(text, tmp_path)
    assert (board.name, board.regions) == ("mine", 3)
    shifted = text.replace("\n 111222333\n", "\n 1112223333\n", 1)
    assert refused(shifted, tmp_path) in page
