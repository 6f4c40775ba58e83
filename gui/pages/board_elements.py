"""The board as one SVG with an element for everything that can stand on it or be chosen.

The page switches these elements, and never draws the board anew:

| element | what |
| --- | --- |
| `w57` | the wall on line 57; `data-v` is 1, or 2 for this turn's |
| `t12` | a `use` for the tower on tower space 12: `tower-white`, on the shore `shore-white` |
| `c40` | the ground of space 40; `data-v` is 1 in a city, 2 in the one that is scored |
| `p40` | the group of the pieces in space 40 |
| `l57`, `k12`, `s40` | what can be clicked: a line, a tower space, a space |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from xml.etree.ElementTree import Element, SubElement, tostring

from masons.engine.board.board_picture import HOUSE_PAINT, Picture
from masons.engine.board.board_svg import MASONRY, Canvas, points_text
from masons.engine.board.components import HOUSE_COLORS, TOWER_COLORS
from masons.engine.state.position import picture_of
from masons.pictures.game_page import add_walls, layer_of

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position

# Symbols are drawn this wide, and scaled where they are used.
SYMBOL: Final = 100.0
_HIT: Final[dict[str, str | float]] = {
    "class": "target line", "stroke_width": 34.0, "stroke": "none",
    "stroke_linecap": "round",
}  # fmt: skip


def board_message(board: Board) -> dict[str, Any]:
    """The board for a page: its SVG, and what lies beside what."""
    return {
        "type": "board",
        "board": board.name,
        "svg": tostring(board_elements(board), "unicode"),
        "lines": [
            [*towers, *spaces]
            for towers, spaces in zip(board.line_towers, board.line_spaces, strict=True)
        ],
        "regions": list(board.space_region),
    }


def board_elements(board: Board) -> Element:
    """The empty board."""
    canvas = Canvas(board, "")
    root = canvas.root
    root.attrib.update({"id": "board", "role": "group", "aria-label": "Board"})
    del root.attrib["width"], root.attrib["height"]
    root.remove(root[0])  # its title would be a tooltip everywhere
    _symbols(canvas)
    canvas.water()
    canvas.spaces(Picture())
    for space, polygon in enumerate(layer_of(canvas, "spaces")):
        polygon.attrib.update({"id": f"c{space}", "data-v": ""})
    canvas.lines(Picture())
    for name in ("highlights", "fresh", *MASONRY):
        root.remove(layer_of(canvas, name))
    _line_layer(canvas, "glows", "g", stroke_linecap="round", stroke_width=13.0)
    add_walls(canvas, range(len(board.line_towers)))
    canvas.tower_spaces({})
    layer = canvas.layer("standing")
    for tower, (x, y) in enumerate(canvas.corners):
        canvas.add(layer, "use", id=f"t{tower}", x=x, y=y, data_v="")
    layer = canvas.layer("stocks", stroke_linejoin="round", font_weight="bold")
    for space in range(len(board.space_region)):
        canvas.add(layer, "g", id=f"p{space}")
    canvas.layer("marks", id="marks", font_weight="bold")
    _targets(canvas)
    return root


def _line_layer(canvas: Canvas, name: str, letter: str, **look: str | float) -> None:
    layer = canvas.layer(name, **look)
    for line in range(len(canvas.board.line_towers)):
        canvas.segment(layer, line, id=f"{letter}{line}", data_v="")


def _targets(canvas: Canvas) -> None:
    """What can be clicked, on top of all; what is no choice now lets clicks through."""
    layer = canvas.layer("targets", id="targets")
    for space in range(len(canvas.board.space_region)):
        canvas.add(
            layer, "polygon", id=f"s{space}", fill="none",
            points=points_text(canvas.triangle(space)), **{"class": "target space"},
        )  # fmt: skip
    lines = canvas.add(layer, "g", id="line-targets")
    for line in range(len(canvas.board.line_towers)):
        canvas.segment(lines, line, id=f"l{line}", **_HIT)
    for tower, at in enumerate(canvas.corners):
        canvas.disc(layer, at, 26, id=f"k{tower}", fill="none", **{"class": "target tower"})


def _symbols(canvas: Canvas) -> None:
    """Pieces round the origin, to be used on the board and beside it."""
    defs = SubElement(canvas.root, "defs")
    for name in TOWER_COLORS:
        for kind, shore in (("tower", False), ("shore", True)):
            tower = canvas.add(defs, "g", id=f"{kind}-{name}", stroke_width=1.6)
            canvas.tower(tower, (0, 0), name, shore=shore)
    for kind in ("house", "palace"):
        for name in HOUSE_COLORS:
            shape = canvas.add(defs, "g", id=f"{kind}-{name}", data_ink=HOUSE_PAINT[name][1])
            canvas.piece(shape, kind, name, 1, (0, 0), SYMBOL)
    canvas.bar(canvas.add(defs, "g", id="wall-piece"), (-40, 0), (40, 0))


class Pieces:
    """What stands on a board, as the page needs it."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._canvas = Canvas(board, "")

    def of(self, position: Position) -> dict[str, Any]:
        """The pieces of a position: ids, and each shape in a space with its place and size."""
        picture = picture_of(position)
        return {
            "walls": sorted(picture.walls),
            "fresh": position.line,
            "towers": {str(k): self._tower(k, name) for k, name in picture.towers.items()},
            "cities": [list(city) for city in picture.cities],
            "scored": list(picture.focus),
            "stocks": self._stocks(picture),
        }  # fmt: skip

    def _tower(self, place: int, name: str) -> str:
        return f"{'shore' if self._board.tower_shore[place] else 'tower'}-{name}"

    def _stocks(self, picture: Picture) -> dict[str, list[list[str | int | float]]]:
        found: dict[str, list[list[str | int | float]]] = {}
        for space in sorted({*picture.houses, *picture.palaces}):
            shapes = self._canvas.stock_places(
                space, _of(picture.houses, space), _of(picture.palaces, space)
            )
            if shapes:
                found[str(space)] = [
                    [f"{kind}-{colour}", count, round(x, 1), round(y, 1), size]
                    for kind, colour, count, (x, y), size in shapes
                ]
        return found


def _of(stocks: Mapping[int, Mapping[str, int]], space: int) -> Mapping[str, int]:
    return stocks.get(space, {})
