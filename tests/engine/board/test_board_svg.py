"""Pictures of boards: well-formed, the same every time, and everything asked for is in them."""

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masons.engine.board.board_picture import Picture
from masons.engine.board.board_svg import board_svg
from masons.engine.board.components import HOUSE_COLORS
from masons.engine.board.geometry import load_board
from masons.engine.board.symbols import symbols
from masons.engine.errors import PositionError
from tests.support.paths import BOARDS

SVG = "{http://www.w3.org/2000/svg}"
# The boards that are large enough for the pieces of BUSY.
FILES = [path for path in sorted(BOARDS.glob("*.json")) if len(load_board(path).line_towers) > 32]
KINDS = ("house", "palace")
SMALL = load_board(BOARDS / "hexagon-24.json")
BUSY = Picture(
    walls={0, 1, 2, 20},
    towers={0: "white", 1: "gray", 7: "black", 8: "black"},
    houses={0: {"red": 1, "green": 3}, 1: {"blue": 12}},
    palaces={0: {"rose": 1}, 1: dict.fromkeys(HOUSE_COLORS, 2)},
    cities=((0,),),
    highlight_lines={30: 1.0, 31: 0.25, 32: 0.0},
)


def layer(svg: str, name: str) -> ElementTree.Element:
    """The group of that class, of a picture that is parsed for it."""
    root = ElementTree.fromstring(svg)
    (group,) = [group for group in root.iter(f"{SVG}g") if group.get("class") == name]
    return group


def symbols_in(element: ElementTree.Element) -> list[str]:
    """The names of the symbols that a group draws, in its order."""
    return [use.attrib["href"].removeprefix("#") for use in element.iter(f"{SVG}use")]


def texts(element: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in element.iter(f"{SVG}text")]


@pytest.mark.parametrize("board", ["classic", *FILES], ids=lambda path: Path(path).stem)
def test_an_empty_board(board: str | Path) -> None:
    shape = load_board(board)
    svg = board_svg(shape)
    assert "\n" not in svg
    spaces = [path for path in layer(svg, "spaces") if path.get("class") != "texture"]
    assert sum(path.attrib["d"].count("M") for path in spaces) == len(shape.space_region)
    assert len({path.get("fill") for path in spaces}) == len(spaces) == shape.regions
    lines = layer(svg, "lines")
    assert sum(path.attrib["d"].count("M") for path in lines) == len(shape.line_towers)
    places = symbols_in(layer(svg, "towers"))
    assert places == ["empty-shore" if shore else "empty" for shore in shape.tower_shore]
    emblems = symbols_in(layer(svg, "regions"))
    assert emblems == ["emblem-1", "emblem-2", "emblem-3"][: shape.regions]
    for empty in ("highlights", "walls", "pieces", "cities"):
        assert len(layer(svg, empty)) == 0


def test_pieces() -> None:
    svg = board_svg(load_board("classic"), BUSY)
    assert len(layer(svg, "walls")) == 4
    assert len(layer(svg, "highlights")) == 2  # weight 0 is no highlight
    towers = symbols_in(layer(svg, "towers"))
    assert [name for name in towers if not name.startswith("empty")] == [
        "shore-white", "tower-gray", "shore-black", "tower-black"
    ]  # fmt: skip
    pieces = layer(svg, "pieces")
    names = Counter(symbols_in(pieces))
    palaces = {"palace-rose": 2} | {
        f"palace-{color}": 1 for color in HOUSE_COLORS if color != "rose"
    }
    assert names == {"house-red": 1, "house-green": 3, "house-blue": 1, **palaces}
    assert sorted(texts(pieces)) == ["12", "2", "2", "2", "2", "2"]


def test_every_symbol_that_is_used_is_there() -> None:
    """Also the symbols of symbols, textures, and pieces of all kinds and colors."""
    root = ElementTree.fromstring(board_svg(load_board("classic"), BUSY))
    there = {element.get("id") for element in root.iter()}
    used = {use.attrib["href"].removeprefix("#") for use in root.iter(f"{SVG}use")}
    links = {
        link for each in root.iter() for link in re.findall(r"url\(#([^)]+)", str(each.attrib))
    }
    assert used | links <= there
    assert {f"{kind}-{color}" for kind in KINDS for color in HOUSE_COLORS} <= there
    assert {"wall-piece", "shore-gray", "tower-black"} <= there  # of the page's icons
    assert len(symbols()) < 20_000  # each picture and page carries all of them


def test_cities_are_tinted_and_their_inner_lines_are_thin() -> None:
    board = load_board("classic")
    picture = Picture(cities=((3, 4), (40,)))
    assert len(layer(board_svg(board, picture), "cities")) == 3
    assert (3, 4) in board.line_spaces  # between two regions
    assert board.space_region[3] != board.space_region[4]
    borders = [
        layer(svg, "lines")[1].attrib["d"].count("M")
        for svg in (board_svg(board), board_svg(board, Picture(cities=((3, 4),))))
    ]
    assert borders[0] == borders[1] + 1


def test_the_same_picture_is_the_same_text() -> None:
    board = load_board("classic")
    turned = Picture(
        walls=[20, 2, 1, 0, 2],
        towers=dict(reversed(list(BUSY.towers.items()))),
        houses={1: {"blue": 12}, 0: {"green": 3, "red": 1}},
        palaces=BUSY.palaces,
        cities=BUSY.cities,
        highlight_lines=dict(reversed(list(BUSY.highlight_lines.items()))),
    )
    assert board_svg(board, turned) == board_svg(board, BUSY)


@pytest.mark.slow
@given(st.text())
def test_any_title_is_well_formed(title: str) -> None:
    svg = board_svg(SMALL, title=title)
    root = ElementTree.fromstring(svg.encode())
    heading = root.findtext(f"{SVG}title")
    assert heading == (title if title and title.isprintable() else heading)
    assert len(svg.splitlines()) == 1


@pytest.mark.parametrize(
    ("picture", "message"),
    [
        (Picture(walls=(42,)), "no line 42: they are 0 to 41"),
        (Picture(highlight_lines={-1: 1.0}), "no line -1"),
        (Picture(towers={19: "white"}), "no tower space 19: they are 0 to 18"),
        (Picture(houses={24: {"red": 1}}), "no space 24: they are 0 to 23"),
    ],
)
def test_pieces_that_fit_no_board(picture: Picture, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        board_svg(SMALL, picture)
