"""Boards: the classic board by the rule that defines it, good descriptions, and every fault."""

import copy
import json
import math
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masons.engine.board.geometry import Board, builtin_boards, load_board
from masons.engine.errors import BoardError
from tests.support.paths import BOARDS
from tests.support.playing import BOARD_NAMES, board_of
from tests.support.triangles import Description, Triangle, beside, describe


def hexagon() -> Description:
    """The smallest board worth a game: 24 spaces round one tower space, 8 to each region."""
    description: Description = json.loads((BOARDS / "hexagon-24.json").read_text())
    return description


def as_file(folder: Path, text: str | bytes) -> Path:
    path = folder / "board.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# --- Good boards -------------------------------------------------------------------------------


def test_classic_is_the_board_of_the_box() -> None:
    board = load_board("classic")
    assert builtin_boards() == ("classic",)
    assert len(board.space_region) == 104
    assert len(board.line_towers) == 170
    assert len(board.tower_xy) == 67
    assert sum(board.tower_shore) == 18
    assert sorted(Counter(board.space_region).items()) == [(1, 35), (2, 34), (3, 35)]
    assert all(board.tower_shore[corner] for corner in (0, 6, 60, 66))


def test_canonical_text_of_classic_is_frozen() -> None:
    """Records carry this hash: the text of a board must never change."""
    board = load_board("classic")
    assert board.to_json().startswith(
        '{"name":"classic","regions":3,"towers":[{"id":0,"x":0.5,"y":0.0,"shore":true},'
    )
    assert '{"id":7,"x":0.0,"y":0.866025404,"shore":true}' in board.to_json()
    assert board.to_json().endswith('{"id":169,"spaces":[102,null],"towers":[65,66]}]}')
    assert board.sha256 == "998958f7cf1ae54dafbade9d6314b5c621114d72304d13c19da1d4c07088b53c"


@pytest.mark.parametrize("name", BOARD_NAMES)
def test_round_trips(name: str) -> None:
    board = board_of(name)
    assert name == "classic" or len(board.space_region) == int(name.rpartition("-")[2])
    again = Board.from_dict(json.loads(board.to_json()))
    assert again == board == Board.from_dict(board.to_dict())
    assert again.to_json() == board.to_json()
    assert again.sha256 == board.sha256
    assert "\n" not in board.to_json()
    assert " " not in board.to_json()


def test_any_order_and_small_errors_give_the_same_board() -> None:
    sloppy: Description = json.loads(load_board("classic").to_json())
    for space in sloppy["spaces"]:
        space["lines"].reverse()
        space["towers"].reverse()
    for line in sloppy["lines"]:
        if line["spaces"][1] is not None:
            line["spaces"].reverse()
    for tower in sloppy["towers"][1:]:
        tower["x"] += 3e-7
        tower["y"] = round(tower["y"], 7)
    sloppy["towers"][0]["y"] = -0.0
    assert Board.from_dict(sloppy) == load_board("classic")
    assert Board.from_dict(sloppy).sha256 == load_board("classic").sha256


def test_a_board_may_lie_anywhere() -> None:
    moved = hexagon()
    for tower in moved["towers"]:
        tower["x"] += 12.345678901
        tower["y"] -= 7
    board = Board.from_dict(moved)
    assert Board.from_dict(json.loads(board.to_json())).to_json() == board.to_json()
    assert board.line_towers == Board.from_dict(hexagon()).line_towers


def test_a_file_may_repeat_a_built_in_board(tmp_path: Path) -> None:
    path = as_file(tmp_path, b"\xef\xbb\xbf" + load_board("classic").to_json().encode() + b"\r\n")
    assert load_board(path) == load_board("classic")


@st.composite
def islands(draw: st.DrawFn) -> dict[Triangle, int]:
    """Any connected handful of triangles, all in one region."""
    island: dict[Triangle, int] = {(5, 5): 1}
    for _ in range(draw(st.integers(0, 40))):
        island[draw(st.sampled_from(beside(draw(st.sampled_from(sorted(island))))))] = 1
    return island


@pytest.mark.slow
@given(islands())
def test_every_connected_set_of_triangles_is_a_board(island: dict[Triangle, int]) -> None:
    description = describe("island", island)
    assert Board.from_dict(copy.deepcopy(description)).to_dict() == description


# --- Faults in a description -------------------------------------------------------------------


def place_of(description: Any, path: Sequence[str | int]) -> Any:
    for key in path:
        description = description[key]
    return description


def put(*path: str | int, value: object) -> Callable[[Description], None]:
    """The change that puts a value at a place in a description."""
    return lambda description: place_of(description, path[:-1]).__setitem__(path[-1], value)


def drop(*path: str | int) -> Callable[[Description], None]:
    """The change that takes one item out of a description."""
    return lambda description: place_of(description, path[:-1]).__delitem__(path[-1])


def swap_ids(description: Description) -> None:
    towers = description["towers"]
    towers[3], towers[4] = towers[4], towers[3]


def same_point(description: Description) -> None:
    for axis in ("x", "y"):
        description["towers"][5][axis] = description["towers"][0][axis]


def twin(kind: str) -> Callable[[Description], None]:
    """The change that adds the first item once more."""

    def change(description: Description) -> None:
        items = description[kind]
        items.append(copy.deepcopy(items[0]) | {"id": len(items)})

    return change


def idle_line(description: Description) -> None:
    """One more line, to a tower beside the board, that is not a side of any space."""
    new = len(description["towers"])
    first = description["towers"][0]
    description["towers"].append({"id": new, "x": first["x"] - 1, "y": first["y"], "shore": False})
    description["lines"].append(
        {"id": len(description["lines"]), "spaces": [0, None], "towers": [0, new]}
    )


def idle_tower(description: Description) -> None:
    new = len(description["towers"])
    description["towers"].append({"id": new, "x": 9.5, "y": 0, "shore": False})


def squash(description: Description) -> None:
    for tower in description["towers"]:
        tower["y"] *= 1.01


def turn(description: Description) -> None:
    """The same board with its rows running north to south."""
    for tower in description["towers"]:
        tower["x"], tower["y"] = tower["y"], tower["x"]


# Faults of the hexagon: what is changed, and what the message must say.
FAULTS: dict[str, tuple[Callable[[Description], None], str]] = {
    "missing key": (drop("regions"), "the board lacks the key 'regions'; its keys are name, "),
    "unknown key": (put("colour", value=1), "the board has the unknown key 'colour'"),
    "missing line key": (drop("lines", 4, "spaces"), "line 4 lacks the key 'spaces'"),
    "strange key": (put("a\nb", value=1), r"unknown key 'a\\nb'"),
    "name empty": (put("name", value=""), "name must be"),
    "name newline": (put("name", value="word\n"), r"not 'word\\n'"),
    "name long": (put("name", value="x" * 65), r"name must be .*, not 'x{40}\.\.\.'"),
    "name not ASCII": (put("name", value="плато"), "name must be"),
    "regions 4": (put("regions", value=4), "from 1 to 3, not 4"),
    "regions 3.0": (put("regions", value=3.0), r"not 3\.0"),
    "regions huge": (put("regions", value=10**5000), "not a huge number"),
    "towers object": (put("towers", value={}), "towers must be a list, not an object"),
    "no towers": (put("towers", value=[]), "1 to 96 towers, not 0"),
    "too many towers": (put("towers", value=[{}] * 97), "1 to 96 towers, not 97"),
    "space a list": (put("spaces", 2, value=[1]), "space 2 must be an object .*, not a list of 1"),
    "id wrong": (put("lines", 3, "id", value=4), "line 3 has the id 4; ids run 0, 1, 2"),
    "ids swapped": (swap_ids, "tower 3 has the id 4"),
    "shore 1": (put("towers", 0, "shore", value=1), "tower 0: shore must be true or false, not 1"),
    "x text": (put("towers", 1, "x", value="1"), "tower 1: x must be a number .*, not '1'"),
    "y infinite": (put("towers", 0, "y", value=-math.inf), "tower 0: y must be .*, not -inf"),
    "y far": (put("towers", 0, "y", value=1000.5), "from -1000 to 1000, not 1000.5"),
    "off lattice": (put("towers", 7, "x", value=0.25), "tower 7 at .* is off the lattice"),
    "wrong parity": (put("towers", 7, "x", value=1.0), "tower 7 at .* is off the lattice"),
    "squashed": (squash, "is off the lattice of tower 0: rows run west to east 0.866025404 apart"),
    "rows upright": (turn, "is off the lattice of tower 0: rows run west to east"),
    "same point": (same_point, "towers 0 and 5 stand at the same point"),
    "idle tower": (idle_tower, "tower 19 is at the end of no line"),
    "line ends": (put("lines", 0, "towers", value=[0]), "line 0: towers must be a list of 2"),
    "line end off": (put("lines", 0, "towers", value=[0, 19]), "from 0 to 18, not 19"),
    "line upside down": (put("lines", 0, "towers", value=[1, 0]), r"lower id first, \[0, 1\]"),
    "long line": (
        put("lines", 0, "towers", value=[0, 2]),
        "line 0 joins towers 0 and 2, .* not at",
    ),
    "same line": (twin("lines"), "lines 0 and 42 join the same two towers"),
    "idle line": (idle_line, "line 42 is not a side of any space"),
    "space of two lines": (
        put("spaces", 0, "lines", value=[0, 1]),
        "space 0: lines must be a list",
    ),
    "line twice": (put("spaces", 0, "lines", value=[0, 1, 1]), r"different ids, not \[0, 1, 1\]"),
    "not its line": (put("spaces", 0, "lines", value=[0, 1, 9]), "space 0: lines .* are not the"),
    "not a triangle": (put("spaces", 0, "towers", value=[0, 1, 9]), "space 0: towers .* triangle"),
    "same space": (twin("spaces"), "spaces 0 and 24 are the same triangle"),
    "null first": (put("lines", 0, "spaces", value=[None, 1]), "line 0: spaces must have null sec"),
    "no space": (put("lines", 0, "spaces", value=[None, None]), "must name at least one space"),
    "not null": (
        put("lines", 0, "spaces", value=[1, 0]),
        r"spaces are \[0, 1\], but .* \[1, null\]",
    ),
    "wrong space": (put("lines", 0, "spaces", value=[2, None]), r"spaces are \[2, null\], but"),
    "region 4": (put("spaces", 5, "region", value=4), "space 5: region must be .* 1 to 3, not 4"),
    "inland shore": (put("towers", 9, "shore", value=True), "tower 9 is on the shore but not on"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named(fault: str) -> None:
    change, message = FAULTS[fault]
    description = hexagon()
    change(description)
    with pytest.raises(BoardError, match=message) as caught:
        Board.from_dict(description)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("value", [None, True, 3, "classic", [], (), {1: 2}, object(), math.nan])
def test_a_description_is_an_object(value: object) -> None:
    with pytest.raises(BoardError, match=r"the board (must be an object|has the unknown key)"):
        Board.from_dict(value)


@pytest.mark.parametrize(
    ("regions", "message"),
    [
        ([1, 1, 1, 1], "region 2 has no space; regions 1 to 3 each have one"),
        ([1, 2, 1, 3], "region 1 is not connected: .* from space 0 to space 2 inside it"),
    ],
)
def test_regions_hang_together(regions: list[int], message: str) -> None:
    description = describe("row", {(0, at): region for at, region in enumerate(regions)})
    with pytest.raises(BoardError, match=message):
        Board.from_dict(description | {"regions": 3})


def test_spaces_that_share_only_a_corner_are_not_connected() -> None:
    description = describe("bow-tie", {(0, 0): 1, (0, 2): 1})
    with pytest.raises(BoardError, match="space 1 is not connected with space 0 through lines"):
        Board.from_dict(description)


# --- Faults of a file --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "neither rows nor JSON; the first line must be `board NAME`"),
        (" ~ o ~\n 11222\n", "neither rows nor JSON; the first line must be `board NAME`"),
        ("masons1 board=classic", "or the file a JSON object"),
        ('{"name": "x"', "not JSON at line 1, column 13"),
        ('{"name": "x"}', "the board lacks the key 'regions'"),
        ('{"name": "x",\n "name": "y"}', "the key 'name' occurs twice in one object"),
        ('{"name": NaN}', "NaN is not a JSON number"),
        ('{"name": -Infinity}', "-Infinity is not a JSON number"),
        ('{"regions": 1' + "0" * 6000 + "}", "a number has too many digits"),
        ('{"regions": 1e999}', "1e999 is not a JSON number"),
        ("[" * 200_000, "nested too deeply"),
        (b"\xff\xfe{", "not UTF-8 at byte 0; the first line must be `board NAME`"),
        (b"{\x00}", "not JSON at line 1, column 2"),
        ('{"\\ud800": 1}', "has the unknown key"),
        (" " * (1 << 20) + "{}", "too big: at most 1048576 bytes"),
    ],
    ids=range(15),
)
def test_a_bad_file_is_named(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = as_file(tmp_path, text)
    with pytest.raises(BoardError, match=message) as caught:
        load_board(path)
    assert "board.json" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 5000, "\ud800", "../boards/classic", "a\nb"])
def test_a_name_that_is_no_name(name: str) -> None:
    with pytest.raises(BoardError) as caught:
        load_board(name)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 500


def test_what_is_no_board(tmp_path: Path) -> None:
    with pytest.raises(BoardError, match=r"no board 'clasic': .* built-in board \(classic\) nor a"):
        load_board("clasic")
    with pytest.raises(BoardError, match=r"cannot read board file .*; give a file of rows or JSON"):
        load_board(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="needs a device file")
def test_reading_is_bounded() -> None:
    with pytest.raises(BoardError, match="too big"):
        load_board("/dev/zero")


def test_the_name_of_a_built_in_board_is_taken(tmp_path: Path) -> None:
    path = as_file(tmp_path, json.dumps(hexagon() | {"name": "classic"}))
    with pytest.raises(BoardError, match="'classic' is a built-in board; give this one another"):
        load_board(path)
