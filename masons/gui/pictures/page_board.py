"""The board of a page, which is an SVG with an element for each place of a piece.

The page shows and hides these elements and never draws the board again:

| element | use |
| --- | --- |
| `w57` | the wall on line 57; `data-v` is 1, or 2 for this turn's wall |
| `t12` | the tower on tower space 12, which uses `tower-white` or, on the shore, `shore-white` |
| `c40` | space 40 as part of a city; `data-v` is 1, or 2 in the city being scored |
| `p40` | the group of the pieces in space 40, or in the city whose lowest space is 40 |
| `l57`, `k12`, `s40` | the click targets for a line, a tower space and a space |
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, tostring

from masons.engine.board.board_picture import FRESH, Picture
from masons.engine.board.board_svg import WALL_WIDTH, Canvas, points_text

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position


def board_message(board: Board) -> dict[str, Any]:
    """Return the `board` message, with the SVG of the board and the neighbors of each line."""
    return {
        "type": "board",
        "board": board.name,
        "svg": tostring(page_board(board, range(len(board.line_towers)), choices=True), "unicode"),
        "lines": [
            [*towers, *spaces]
            for towers, spaces in zip(board.line_towers, board.line_spaces, strict=True)
        ],
        "regions": list(board.space_region),
    }


def page_board(
    board: Board,
    lines: Collection[int],
    *,
    crowded: Collection[int] = (),
    choices: bool = False,
) -> Element:
    """Return the empty board, with a hidden wall on each of `lines`.

    The emblems of the regions are not put on `crowded` spaces. `choices` adds the click targets
    and the glow of lines that can be chosen.
    """
    canvas = Canvas(board, "")
    root = canvas.root
    root.set("id", "board")
    del root.attrib["width"], root.attrib["height"]
    if choices:
        root.attrib.update({"role": "group", "aria-label": "Board"})
        root.remove(root[0])  # the title, which would be a tooltip on the whole board
    canvas.land()
    cities = canvas.layer("cities", stroke_linejoin="round")
    for space in range(len(board.space_region)):
        canvas.city_space(cities, space, id=f"c{space}", data_v="")
    canvas.emblems(Picture(houses={space: {} for space in crowded}))
    canvas.lines(Picture())
    for name in ("highlights", "fresh", "walls"):
        root.remove(_layer(root, name))
    if choices:
        glows = canvas.layer("glows", stroke_linecap="round")
        for line in lines:
            canvas.segment(glows, line, id=f"g{line}", data_v="")
    masonry = canvas.layer("masonry")
    for line in canvas.from_north(lines):
        wall = canvas.add(masonry, "g", id=f"w{line}", data_v="")
        canvas.segment(
            wall, line, **{"class": "halo"}, stroke=FRESH, stroke_width=WALL_WIDTH + 11,
            stroke_linecap="round",
        )  # fmt: skip
        canvas.wall(wall, line)
    canvas.tower_spaces({})
    standing = canvas.layer("standing")
    for tower, (x, y) in enumerate(canvas.corners):
        canvas.add(standing, "use", id=f"t{tower}", x=x, y=y, data_v="")
    stocks = canvas.layer("stocks", font_weight="bold")
    for space in range(len(board.space_region)):
        canvas.add(stocks, "g", id=f"p{space}")
    if choices:
        canvas.layer("marks", id="marks", font_weight="bold")
        _targets(canvas)
    return root


def _layer(root: Element, name: str) -> Element:
    return next(group for group in root if group.get("class") == name)


def _targets(canvas: Canvas) -> None:
    """Add the click targets on top. A target that cannot be chosen now lets clicks through."""
    layer = canvas.layer("targets", id="targets")
    for space in range(len(canvas.board.space_region)):
        canvas.add(
            layer, "polygon", id=f"s{space}", fill="none",
            points=points_text(canvas.triangle(space)), **{"class": "target space"},
        )  # fmt: skip
    lines = canvas.add(layer, "g", id="line-targets")
    for line in range(len(canvas.board.line_towers)):
        canvas.segment(
            lines, line, id=f"l{line}", **{"class": "target line"}, stroke_width=34.0,
            stroke="none", stroke_linecap="round",
        )  # fmt: skip
    for tower, at in enumerate(canvas.corners):
        canvas.disc(layer, at, 26, id=f"k{tower}", fill="none", **{"class": "target tower"})


@lru_cache(4)
def _empty_canvas(board: Board) -> Canvas:
    return Canvas(board, "")


def page_pieces(board: Board, position: Position) -> dict[str, Any]:
    """Return the pieces of a position.

    `stocks` maps a space, or the lowest space of a city, to its pieces: a list of
    `[symbol, count, x, y, size]`.
    Walls, towers and cities are given by the ids of their places.
    """
    from masons.engine.state.position import picture_of  # loads the kernels, which takes long

    picture = picture_of(position)
    stocks = {
        str(space): [
            [each.symbol, each.number, round(each.at[0], 1), round(each.at[1], 1), each.size]
            for each in shapes
        ]
        for space, shapes in _empty_canvas(board).stocks(picture).items()
    }
    return {
        "walls": sorted(picture.walls),
        "fresh": position.line,
        "towers": {
            str(place): f"{'shore' if board.tower_shore[place] else 'tower'}-{color}"
            for place, color in picture.towers.items()
        },
        "cities": [list(city) for city in picture.cities],
        "scored": list(picture.focus),
        "stocks": stocks,
    }
