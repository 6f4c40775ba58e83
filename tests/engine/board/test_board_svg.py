"""Pictures of boards: well-formed, the same every time, and everything asked for is in them."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masons.engine.board.board_picture import TOWER_PAINT, Picture
from masons.engine.board.board_svg import board_svg
from masons.engine.board.components import HOUSE_COLORS
from masons.engine.board.geometry import load_board
from masons.engine.errors import PositionError
from tests.support.paths import BOARDS

SVG = "{http://www.w3.org/2000/svg}"
# The boards that are large enough for the pieces of BUSY.
FILES = [path for path in sorted(BOARDS.glob("*.json")) if len(load_board(path).line_towers) > 32]
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


def points_of(polygon: ElementTree.Element) -> list[list[float]]:
    return [[*map(float, pair.split(","))] for pair in polygon.attrib["points"].split()]


def texts(element: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in element.iter(f"{SVG}text")]


@pytest.mark.parametrize("board", ["classic", *FILES], ids=lambda path: Path(path).stem)
def test_an_empty_board(board: str | Path) -> None:
    shape = load_board(board)
    svg = board_svg(shape)
    assert "\n" not in svg
    assert len(layer(svg, "spaces")) == len(shape.space_region)
    assert len(layer(svg, "lines")) == len(shape.line_towers)
    assert len(layer(svg, "towers")) == len(shape.tower_xy) + sum(shape.tower_shore)
    assert texts(layer(svg, "regions")) == ["I", "II", "III"][: shape.regions]
    assert len({space.get("fill") for space in layer(svg, "spaces")}) == shape.regions
    for empty in ("highlights", "walls", "pieces"):
        assert len(layer(svg, empty)) == 0


def test_pieces() -> None:
    svg = board_svg(load_board("classic"), BUSY)
    assert len(layer(svg, "walls")) == 4
    assert len(layer(svg, "highlights")) == 2  # weight 0 is no highlight
    fills = [disc.get("fill") for disc in layer(svg, "towers")]
    assert fills.count(TOWER_PAINT["black"][0]) == 2
    assert fills.count(TOWER_PAINT["gray"][0]) == 1
    pieces = layer(svg, "pieces")
    kinds = [piece.get("class") for piece in pieces.iter(f"{SVG}polygon")]
    assert (kinds.count("house"), kinds.count("palace")) == (3, 6)
    assert sorted(texts(pieces)) == ["12", "2", "2", "2", "2", "2", "3"]


def test_cities_are_tinted_and_their_inner_lines_are_thin() -> None:
    board = load_board("classic")
    spaces = layer(board_svg(board, Picture(cities=((3, 4), (40,)))), "spaces")
    tinted = [i for i, space in enumerate(spaces) if space.get("fill") == spaces[3].get("fill")]
    assert tinted == [3, 4, 40]
    border = board.line_spaces.index((3, 4))  # between two regions
    assert board.space_region[3] != board.space_region[4]
    widths = [
        float(layer(svg, "lines")[border].attrib["stroke-width"])
        for svg in (board_svg(board), board_svg(board, Picture(cities=((3, 4),))))
    ]
    assert widths[0] > widths[1]


@pytest.mark.parametrize("space", [0, 1])
@pytest.mark.parametrize("count", [1, 4, 10])
def test_any_crowd_of_pieces_stays_in_its_space(count: int, space: int) -> None:
    """Up to ten colors and kinds in one space, pointing either way."""
    palaces = dict.fromkeys(HOUSE_COLORS[: max(0, count - 5)], 1)
    houses = dict.fromkeys(HOUSE_COLORS[: min(5, count)], 1)
    picture = Picture(houses={space: houses}, palaces={space: palaces})
    svg = board_svg(load_board("classic"), picture)
    shapes = list(layer(svg, "pieces").iter(f"{SVG}polygon"))
    assert len(shapes) == count
    box = list(zip(*points_of(layer(svg, "spaces")[space]), strict=True))
    for point in (point for shape in shapes for point in points_of(shape)):
        for axis, value in enumerate(point):
            assert min(box[axis]) < value < max(box[axis])


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
