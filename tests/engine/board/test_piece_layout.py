"""Where pieces stand: in rows inside their space or city, free of towers."""

import math
import re
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from masons.engine.board.board_picture import Picture
from masons.engine.board.board_svg import Canvas
from masons.engine.board.components import HOUSE_COLORS
from masons.engine.board.geometry import load_board
from masons.engine.board.piece_layout import LARGEST, SMALLEST, Shape
from masons.engine.board.symbols import symbols

BOARD = load_board("classic")
CITY = (3, 4, 17, 16, 18)
STONES = 7.5  # how far the stones of a wall reach from a level line
LEAST = 2.5  # the distance that pieces keep from another line, of whose stones they hide some
TOWER = (15.0, 25.0, 13.0)  # half its width, and how far it reaches up and down
PIECES = st.dictionaries(st.sampled_from(HOUSE_COLORS), st.integers(1, 3))


def drawn_outline(symbol: str) -> list[tuple[float, float]]:
    """The corners of the body of a symbol, as it is drawn in size 100."""
    _, _, text = symbols().partition(f'<g id="{symbol}"')
    move, scale = (
        float(match[1]) if (match := re.match(pattern, text)) else default
        for pattern, default in (
            (r"[^>]*translate\(0 ([-.\d]+)\)", 0.0), (r"[^>]*scale\(([.\d]+)\)", 1.0)
        )
    )  # fmt: skip
    path = re.search(r'class="b-edge"[^>]* d="([^"]+)"', text)
    assert path
    points = []
    x = y = 0.0
    for step, numbers in re.findall(r"([MLHV])([-. \d]+)", path[1]):
        given = [float(each) for each in re.findall(r"-?[.\d]+", numbers)]
        x = given[0] if step != "V" else x
        y = given[-1] if step != "H" else y
        points.append((scale * x, scale * y + move))
    return points


OUTLINES = {name: drawn_outline(name) for name in ("house", "palace")}


def shapes_of(
    spaces: tuple[int, ...], houses: dict[str, int], palaces: dict[str, int]
) -> list[Shape]:
    """The shapes of the pieces of a space or, if there are several spaces, of a city."""
    first = max(spaces)  # a state may keep the pieces of a city at any of its spaces
    cities = (spaces,) if len(spaces) > 1 else ()
    picture = Picture(houses={first: houses}, palaces={first: palaces}, cities=cities)
    stocks = Canvas(BOARD, "").stocks(picture)
    assert list(stocks) == ([min(spaces)] if houses or palaces else [])
    return stocks.get(min(spaces), [])


def body(shape: Shape) -> list[tuple[float, float]]:
    """The outline of a piece on the board."""
    (x, y), part = shape.at, shape.size / 100
    return [(x + part * px, y + part * py) for px, py in OUTLINES[shape.symbol.rpartition("-")[0]]]


def box(shape: Shape) -> tuple[float, float, float, float]:
    """The west, east, north and south end of the body of a piece."""
    xs, ys = zip(*body(shape), strict=True)
    return min(xs), max(xs), min(ys), max(ys)


def is_inside(point: tuple[float, float], corners: tuple[tuple[float, float], ...]) -> bool:
    signs = {
        (bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax) > 0
        for (ax, ay), (bx, by) in zip(corners, (*corners[1:], corners[0]), strict=True)
    }
    return len(signs) == 1


@pytest.mark.slow
@example(spaces=(0,), houses={"red": 1, "rose": 1, "blue": 1}, palaces={})
@example(spaces=(1,), houses={"blue": 1}, palaces={"blue": 1})
@example(spaces=(0,), houses=dict.fromkeys(HOUSE_COLORS, 3), palaces=dict.fromkeys(HOUSE_COLORS, 3))
@example(spaces=(3, 4), houses={"red": 1, "rose": 1}, palaces={"red": 1, "blue": 1})
@given(
    spaces=st.sampled_from([(0,), (1,), (3, 4), (3, 4, 17), CITY]), houses=PIECES, palaces=PIECES
)
def test_pieces_are_free_of_towers_and_hide_little_of_walls_and_of_each_other(
    spaces: tuple[int, ...], houses: dict[str, int], palaces: dict[str, int]
) -> None:
    canvas = Canvas(BOARD, "")
    shapes = shapes_of(spaces, houses, palaces)
    for kind, counts in (("house", houses), ("palace", palaces)):
        drawn: Counter[str] = Counter()
        for shape in shapes:
            drawn[shape.color] += shape.number if shape.kind == kind else 0
        assert +drawn == Counter(counts)
    assert len({shape.size for shape in shapes}) <= 1
    border = [line for line, beside in enumerate(BOARD.line_spaces)
              if sum(space in spaces for space in beside) == 1]  # fmt: skip
    for shape in shapes:
        assert any(is_inside(shape.at, canvas.triangle(space)) for space in spaces)
        west, east, north, south = box(shape)
        for line in border:
            (ax, ay), (bx, by) = canvas.ends(line)
            for x, y in body(shape):
                part = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / 100**2
                part = min(max(part, 0.0), 1.0)
                away = math.hypot(ax + part * (bx - ax) - x, ay + part * (by - ay) - y)
                if abs(ay - by) > 1:
                    assert away >= LEAST
                elif shape.at[1] < ay:
                    assert away >= STONES
                else:  # it stands before the wall
                    assert y >= ay
            for x, y in ((ax, ay), (bx, by)):
                beside = east < x - TOWER[0] or west > x + TOWER[0]
                assert beside or south < y - TOWER[1] or north > y + TOWER[2]
    for one, other in combinations(map(box, shapes), 2):
        beside, below = (
            min(one[axis + 1], other[axis + 1]) - max(one[axis], other[axis])
            for axis in (0, 2)
        )  # fmt: skip
        width, height = (
            min(each[axis + 1] - each[axis] for each in (one, other)) for axis in (0, 2)
        )
        assert beside <= 0.15 * width or below <= 0.15 * height


@pytest.mark.parametrize("space", [0, 1])
def test_the_pieces_that_a_space_can_have_by_the_rules_are_large(space: int) -> None:
    """A space gets at most three houses, and two of a color become a palace."""
    for houses, palaces in (({"red": 1, "rose": 1, "blue": 1}, {}), ({"blue": 1}, {"red": 1})):
        shapes = shapes_of((space,), houses, palaces)
        assert [shape.number for shape in shapes] == [1] * (len(houses) + len(palaces))
        assert min(shape.size for shape in shapes) >= 26


def test_pieces_that_would_be_too_small_share_shapes() -> None:
    shapes = shapes_of((0,), {"red": 18, "blue": 2}, {})
    assert {(shape.color, shape.number) for shape in shapes} == {("red", 18), ("blue", 2)}
    assert min(shape.size for shape in shapes) > SMALLEST


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
    assert [len(stocks[space]) for space in (3, 4)] == [2, 6]
