"""Where pieces stand: inside their space or city, apart if there is room, else in a pile."""

import math
from collections import Counter
from itertools import combinations

import pytest

from masons.engine.board.board_picture import Picture
from masons.engine.board.board_svg import Canvas
from masons.engine.board.components import HOUSE_COLORS
from masons.engine.board.geometry import load_board
from masons.engine.board.piece_layout import LARGEST, PILED, Shape

BOARD = load_board("classic")
CITY = (3, 4, 17, 16, 18)
WALL = 7.0  # how far a wall reaches from its line
TOWER = (14.0, 26.0, 12.0)  # half its width, and how far it reaches up and down


def shapes_of(
    spaces: tuple[int, ...], houses: dict[str, int], palaces: dict[str, int]
) -> list[Shape]:
    """The shapes of the pieces of a space or, if there are several spaces, of a city."""
    first = max(spaces)  # a state may keep the pieces of a city at any of its spaces
    cities = (spaces,) if len(spaces) > 1 else ()
    picture = Picture(houses={first: houses}, palaces={first: palaces}, cities=cities)
    stocks = Canvas(BOARD, "").stocks(picture)
    assert list(stocks) == [min(spaces)]
    return stocks[min(spaces)]


def box(shape: Shape) -> tuple[float, float, float, float]:
    """The west, east, north and south end of the body of a piece."""
    x, y = shape.at
    wide, high = (0.62, 0.7) if shape.kind == "palace" else (0.44, 0.45)
    return (
        x - wide * shape.size,
        x + wide * shape.size,
        y - high * shape.size,
        y + 0.45 * shape.size,
    )


def is_inside(point: tuple[float, float], corners: tuple[tuple[float, float], ...]) -> bool:
    signs = {
        (bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax) > 0
        for (ax, ay), (bx, by) in zip(corners, (*corners[1:], corners[0]), strict=True)
    }
    return len(signs) == 1


@pytest.mark.parametrize("spaces", [(0,), (1,), (3, 4)], ids=str)
@pytest.mark.parametrize("colors", [2, 3, 5])
def test_a_pile_in_a_small_city_has_large_pieces_that_can_be_told(
    spaces: tuple[int, ...], colors: int
) -> None:
    canvas = Canvas(BOARD, "")
    shapes = shapes_of(spaces, dict.fromkeys(HOUSE_COLORS[:colors], 1), {"red": 1})
    assert len(shapes) == colors + 1
    assert min(shape.size for shape in shapes) >= (PILED if colors < 3 else 0.7 * PILED)
    assert [shape.at[1] for shape in shapes] == sorted(shape.at[1] for shape in shapes)
    for shape in shapes:
        assert any(is_inside(shape.at, canvas.triangle(space)) for space in spaces)
    for one, other in combinations(shapes, 2):  # the roof of the piece behind is to be seen
        assert math.dist(one.at, other.at) >= 0.45 * one.size


@pytest.mark.parametrize(
    ("spaces", "colors"), [((0,), 1), ((3, 4), 1), (CITY, 1), (CITY, 2)], ids=str
)
def test_pieces_with_room_are_free_of_walls_towers_and_each_other(
    spaces: tuple[int, ...], colors: int
) -> None:
    canvas = Canvas(BOARD, "")
    palaces = dict.fromkeys(HOUSE_COLORS[: colors - 1], 1) if len(spaces) > 1 else {}
    shapes = shapes_of(spaces, dict.fromkeys(HOUSE_COLORS[:colors], 1), palaces)
    assert len(shapes) == colors + len(palaces)
    border = [line for line, beside in enumerate(BOARD.line_spaces)
              if sum(space in spaces for space in beside) == 1]  # fmt: skip
    for shape in shapes:
        west, east, north, south = box(shape)
        assert any(is_inside(shape.at, canvas.triangle(space)) for space in spaces)
        for line in border:
            (ax, ay), (bx, by) = canvas.ends(line)
            for x, y in ((west, south), (east, south), (shape.at[0], north)):
                part = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / 100**2
                part = min(max(part, 0.0), 1.0)
                away = math.hypot(ax + part * (bx - ax) - x, ay + part * (by - ay) - y)
                assert away >= WALL - 0.5
            for x, y in ((ax, ay), (bx, by)):
                beside = east < x - TOWER[0] + 1 or west > x + TOWER[0] - 1
                assert beside or south < y - TOWER[1] + 1 or north > y + TOWER[2]
    for one, other in combinations(map(box, shapes), 2):
        apart = one[1] <= other[0] or other[1] <= one[0]
        assert apart or one[3] <= other[2] or other[3] <= one[2]


def test_a_piece_alone_is_large_and_a_palace_is_larger_than_a_house() -> None:
    (house,) = shapes_of((0,), {"red": 1}, {})
    assert house.size == LARGEST
    shapes = shapes_of(CITY, {"blue": 1}, {"red": 1})
    width = {shape.kind: box(shape)[1] - box(shape)[0] for shape in shapes}
    assert width["palace"] > 1.3 * width["house"]
    assert {shape.size for shape in shapes} == {LARGEST}


def test_pieces_of_a_city_are_spread_over_its_spaces() -> None:
    canvas = Canvas(BOARD, "")
    shapes = shapes_of(CITY, dict.fromkeys(HOUSE_COLORS, 1), {})
    where = Counter(
        space for shape in shapes for space in CITY if is_inside(shape.at, canvas.triangle(space))
    )
    assert len(where) >= 4
    assert min(shape.size for shape in shapes) >= 30


def test_houses_on_land_stay_in_their_space() -> None:
    """Region cards count them there, and they belong to the city that their space will be in."""
    canvas = Canvas(BOARD, "")
    stocks = canvas.stocks(Picture(houses={3: {"red": 2}, 4: {"red": 1, "blue": 5}}))
    for space, shapes in stocks.items():
        assert all(is_inside(shape.at, canvas.triangle(space)) for shape in shapes)
    assert sum(shape.number for shape in stocks[3]) == 2
    assert Counter({shape.color: shape.number for shape in stocks[4]}) == {"red": 1, "blue": 5}
