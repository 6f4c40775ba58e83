"""Pictures of a board and the pieces on it, as stand-alone SVG.

A picture is one line of well-formed XML, and equal input gives equal text. The module is pure
Python and works on plain data.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

from masons.engine.board import board_picture as paint
from masons.engine.board.board_description import BoardFields
from masons.engine.board.components import HOUSE_COLORS
from masons.engine.plain_text import plain

# Lengths are in units of 1/100 of a triangle's side.
SIDE: Final = 100.0
MARGIN: Final = 64.0
HEADING: Final = 44.0  # height of a title above the board
TOWER_RADIUS: Final = 14.0
WALL_WIDTH: Final = 11.0

FONTS: Final = "'Source Sans Pro', 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif"
# Outlines around the point (0, 0), about 1 wide and 1 high.
HOUSE_SHAPE: Final = ((-0.42, 0.45), (-0.42, -0.08), (0, -0.5), (0.42, -0.08), (0.42, 0.45))
PALACE_SHAPE: Final = (
    *((-0.62, 0.5), (-0.62, -0.34), (-0.45, -0.62), (-0.28, -0.34), (-0.28, -0.22), (0, -0.66)),
    *((0.28, -0.22), (0.28, -0.34), (0.45, -0.62), (0.62, -0.34), (0.62, 0.5)),
)
# Size of a house in a space that has 1, 2, 3 or 4 rows of pieces.
HOUSE_SIZES: Final = (32.0, 23.0, 16.0, 12.0)

# A wall is drawn in layers.
MASONRY: Final[dict[str, dict[str, str | float]]] = {
    "mortar": {"stroke": "#4d3a2c", "stroke_width": WALL_WIDTH},
    "walls": {
        "stroke": "#b4845c", "stroke_width": WALL_WIDTH - 4.5, "stroke_dasharray": "8.2 1.8"
    },
}  # fmt: skip

# Characters that are not allowed: surrogates, control characters and line separators.
_UNFIT = re.compile(r"[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]+")

Point = tuple[float, float]


def board_svg(
    board: BoardFields,
    position: paint.Picture | None = None,
    *,
    labels: bool = False,
    title: str = "",
) -> str:
    """Return the SVG of a board with the pieces of `position`; `labels` adds the ids.

    The SVG is one line of text without a newline at the end. Raises PositionError if `position`
    names an id that the board does not have.
    """
    return tostring(draw_board(board, position, labels=labels, title=title).root, "unicode")


def draw_board(
    board: BoardFields,
    position: paint.Picture | None = None,
    *,
    labels: bool = False,
    title: str = "",
) -> Canvas:
    """Draw the picture that `board_svg` returns as text, and return its canvas.

    The canvas's `root` can be embedded in another picture.
    """
    picture = position or paint.Picture()
    paint.check_picture(board, picture)
    canvas = Canvas(board, clean(title))
    canvas.water()
    canvas.spaces(picture)
    canvas.outline(picture.focus)
    canvas.lines(picture)
    canvas.tower_spaces(picture.towers)
    canvas.pieces(picture)
    if labels:
        canvas.ids(picture)
    canvas.marks(picture.marks)
    return canvas


def clean(text: str) -> str:
    """Return a text as one printable line without the characters that XML forbids."""
    return plain(_UNFIT.sub(" ", text).strip())


def glow_of(weight: float) -> str:
    """Return the color of a highlighted line; a greater weight (0 to 1) has a darker color.

    The colors can be told apart even in grayscale.
    """
    return next(color for least, color in paint.GLOWS if weight >= least)


def number(value: float) -> str:
    """Return a number as text with at most two decimals.

    The text is never -0, so that equal pictures have equal text.
    """
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def points_text(points: Collection[Point]) -> str:
    """Return points in the form of an SVG attribute's value."""
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)


class Canvas:
    """A picture of a board as an SVG element, to which layers are added one by one.

    `corners` holds the point of each tower space in the picture.
    """

    def __init__(self, board: BoardFields, title: str) -> None:
        """Draw empty land of the board's size below the title."""
        self.board = board
        west, north = (min(xy[axis] for xy in board.tower_xy) * SIDE for axis in (0, 1))
        east, south = (max(xy[axis] for xy in board.tower_xy) * SIDE for axis in (0, 1))
        top = MARGIN + (HEADING if title else 0.0)
        self.width, self.height = east - west + 2 * MARGIN, south - north + top + MARGIN
        self.north, self.south = top, self.height - MARGIN
        self.corners = [
            (x * SIDE - west + MARGIN, y * SIDE - north + top) for x, y in board.tower_xy
        ]
        self.root = Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {number(self.width)} {number(self.height)}",
                "width": number(self.width),
                "height": number(self.height),
                "role": "img",
                "font-family": FONTS,
            },
        )
        SubElement(self.root, "title").text = title or f"Board {board.name}"
        self.add(self.root, "rect", fill=paint.LAND, width=self.width, height=self.height)
        if title:
            # A long title gets smaller letters rather than being cut off.
            size = min(30.0, 1.9 * (self.width - 2 * MARGIN) / len(title))
            self.text(self.root, (self.width / 2, top - 44), title, size, paint.TEXT_COLOR)

    # Drawing tools

    def layer(self, name: str, **attributes: str | float) -> Element:
        """Return a new group on top of all other groups."""
        return self.add(self.root, "g", **{"class": name, **attributes})

    def add(self, parent: Element, tag: str, **attributes: str | float) -> Element:
        """Add an element to a parent; `_` in a keyword stands for `-` in the attribute's name."""
        values = {
            key.replace("_", "-"): value if isinstance(value, str) else number(value)
            for key, value in attributes.items()
        }
        return SubElement(parent, tag, values)

    def text(self, parent: Element, at: Point, text: str, size: float, fill: str) -> Element:
        """Add a text that is centered at a point; capital letters are about 0.7 * `size` high."""
        x, y = at
        element = self.add(
            parent, "text", x=x, y=y + 0.35 * size, font_size=size, fill=fill,
            text_anchor="middle",
        )  # fmt: skip
        element.text = text
        return element

    def segment(self, parent: Element, line: int, **attributes: str | float) -> None:
        """Draw a stroke along a line of the board."""
        (x1, y1), (x2, y2) = (self.corners[end] for end in self.board.line_towers[line])
        self.add(parent, "line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)

    def disc(self, parent: Element, at: Point, r: float, **attributes: str | float) -> None:
        """Draw a circle of radius `r` around a point."""
        self.add(parent, "circle", cx=at[0], cy=at[1], r=r, **attributes)

    def triangle(self, space: int) -> list[Point]:
        """Return the three corners of a space."""
        return [self.corners[tower] for tower in self.board.space_towers[space]]

    def centre(self, space: int) -> Point:
        """Return the center of a space."""
        points = self.triangle(space)
        return sum(x for x, _ in points) / 3, sum(y for _, y in points) / 3

    # Layers

    def water(self) -> None:
        """Draw the sea from each slanting shore line to the nearer side of the picture.

        A shore line is a line on the board's edge between two tower spaces on the shore.
        """
        sea = self.layer("sea", fill=paint.SEA, stroke=paint.SEA)
        coast = self.layer("coast", stroke=paint.COAST, stroke_width=16, stroke_linecap="round")
        for line, (space, beyond) in enumerate(self.board.line_spaces):
            ends = self.board.line_towers[line]
            a, b = sorted((self.corners[end] for end in ends), key=lambda point: point[1])
            level = b[1] - a[1] < SIDE / 2
            if beyond is not None or level or not all(self.board.tower_shore[end] for end in ends):
                continue
            west = (a[0] + b[0]) / 2 < self.centre(space)[0]
            side = 0.0 if west else self.width
            outline = [a, (side, a[1]), (side, b[1]), b]
            # At the north and south end of the board the sea extends into the margin.
            if a[1] < self.north + 1:
                outline[1:2] = [(a[0], 0.0), (side, 0.0)]
            if b[1] > self.south - 1:
                outline[-2:-1] = [(side, self.height), (b[0], self.height)]
            self.add(sea, "polygon", points=points_text(outline))
            self.segment(coast, line)

    def spaces(self, picture: paint.Picture) -> None:
        """Draw the spaces, tinted by region or as part of a city, and the regions' numerals."""
        in_city = {space for city in picture.cities for space in city}
        layer = self.layer("spaces", stroke_width=1, stroke_linejoin="round")
        for space, region in enumerate(self.board.space_region):
            tint = paint.CITY_TINT if space in in_city else paint.REGION_TINTS[region - 1]
            points = points_text(self.triangle(space))
            # A stroke in the fill color hides hairlines between neighboring spaces.
            self.add(layer, "polygon", points=points, fill=tint, stroke=tint)
        marks = self.layer("regions", opacity=0.25, font_weight="bold")
        for region in range(1, self.board.regions + 1):
            mark = paint.REGION_MARKS[region - 1]
            taken = in_city.union(picture.houses, picture.palaces)
            x, y = self._middle(region, taken)
            self.text(marks, (x, y), mark, 0.38 * SIDE, paint.TEXT_COLOR)
            # Serifs are drawn, because the font may lack them.
            wide = 12 * len(mark) + 14
            for level in (y - 18, y + 14):
                self.add(
                    marks,
                    "rect",
                    x=x - wide / 2,
                    y=level,
                    width=wide,
                    height=4,
                    fill=paint.TEXT_COLOR,
                )

    def _middle(self, region: int, taken: Collection[int]) -> Point:
        """Return the center of the space not in `taken` that is nearest to the middle of a region.

        If all spaces of the region are taken, all of them are considered. Horizontal distance
        counts double, so a space above or below the middle is preferred to a space beside it.
        """
        owners = enumerate(self.board.space_region)
        spaces = [space for space, owner in owners if owner == region]
        centres = [self.centre(space) for space in spaces]
        free = [self.centre(space) for space in spaces if space not in taken]
        mean_x, mean_y = (sum(at[axis] for at in centres) / len(centres) for axis in (0, 1))

        def off(at: Point) -> float:
            return round(2 * abs(at[0] - mean_x) + abs(at[1] - mean_y), 6)

        return min(free or centres, key=lambda at: (off(at), at))

    def lines(self, picture: paint.Picture) -> None:
        """Draw the lines, the highlights, the halos of new walls, and the walls.

        Borders of regions are drawn a little stronger than other lines.
        """
        thin = self.layer("lines", stroke=paint.TEXT_COLOR, stroke_linecap="round")
        city_of = {space: which for which, city in enumerate(picture.cities) for space in city}
        for line, (a, b) in enumerate(self.board.line_spaces):
            regions = self.board.space_region
            inside = a in city_of and city_of[a] == city_of.get(-1 if b is None else b)
            border = b is None or (regions[a] != regions[b] and not inside)
            width, opacity = (2.6, 0.55) if border else (1.5, 0.28)
            self.segment(thin, line, stroke_width=width, stroke_opacity=opacity)
        glow = self.layer("highlights", stroke=paint.HIGHLIGHT, stroke_linecap="round")
        for line, weight in sorted(picture.highlight_lines.items()):
            share = min(max(weight, 0.0), 1.0) if math.isfinite(weight) else 0.0
            if share > 0:
                self.segment(glow, line, stroke_width=4 + 12 * share, stroke=glow_of(share))
        halo = self.layer("fresh", stroke=paint.FRESH, stroke_linecap="round")
        for line in sorted(set(picture.fresh)):
            self.segment(halo, line, stroke_width=WALL_WIDTH + 11)
        self.walls(sorted(set(picture.walls)))

    def walls(self, walls: Collection[int]) -> None:
        """Draw stone walls in two layers: the mortar of all walls, and then the stones."""
        for name, look in MASONRY.items():
            layer = self.layer(name, **look)
            for line in walls:
                self.segment(layer, line)

    def bar(self, parent: Element, start: Point, end: Point) -> None:
        """Draw a stone wall between two points."""
        (x1, y1), (x2, y2) = start, end
        for look in MASONRY.values():
            self.add(parent, "line", x1=x1, y1=y1, x2=x2, y2=y2, **look)

    def outline(self, spaces: Collection[int]) -> None:
        """Draw a glow along the border of a set of spaces."""
        layer = self.layer("focus", stroke=paint.FRESH, stroke_linecap="round", stroke_width=26)
        for line, beside in enumerate(self.board.line_spaces):
            if sum(space in spaces for space in beside) == 1:
                self.segment(layer, line)

    def marks(self, marks: Mapping[int, str]) -> None:
        """Draw short texts in discs on the middles of lines."""
        layer = self.layer("marks", font_weight="bold")
        for line, text in sorted(marks.items()):
            (ax, ay), (bx, by) = (self.corners[end] for end in self.board.line_towers[line])
            at = ((ax + bx) / 2, (ay + by) / 2)
            self.disc(layer, at, 12, fill=paint.HIGHLIGHT, stroke=paint.FRESH, stroke_width=2.5)
            self.text(layer, at, text, 15 if len(text) < 2 else 12, "#ffffff")

    def tower_spaces(self, towers: Mapping[int, str]) -> None:
        """Draw a spot for each empty tower space, and a disc for each tower.

        Tower spaces on the shore get a ring.
        """
        layer = self.layer("towers", stroke_width=1.6)
        for tower, at in enumerate(self.corners):
            self.tower(layer, at, towers.get(tower), shore=self.board.tower_shore[tower])

    def tower(self, layer: Element, at: Point, color: str | None, *, shore: bool) -> None:
        """Draw a tower space, with its tower if it has one."""
        radius = TOWER_RADIUS if color else 6.0
        if shore:
            self.disc(layer, at, radius + 3.4, fill=paint.COAST, stroke=paint.SHORE, stroke_width=3)
        if color is None:
            self.disc(
                layer, at, radius, fill=paint.EMPTY, stroke=paint.TEXT_COLOR, stroke_opacity=0.6
            )
            return
        fill, color = paint.TOWER_PAINT[color]
        self.disc(layer, at, radius, fill=fill, stroke=paint.TEXT_COLOR)
        # Draw battlements as a ring of merlons inside the rim.
        self.disc(
            layer, at, radius - 4, fill="none", stroke=color, stroke_width=3,
            stroke_opacity=0.55, stroke_dasharray=f"{number((radius - 4) * math.pi / 8)}",
        )  # fmt: skip

    def pieces(self, picture: paint.Picture) -> None:
        """Draw palaces and houses: in each space, one shape for each kind and color of piece.

        A shape that stands for several pieces carries their number.
        """
        layer = self.layer("pieces", stroke_linejoin="round", font_weight="bold")
        for space in range(len(self.board.space_region)):
            houses, palaces = picture.houses.get(space, {}), picture.palaces.get(space, {})
            self.stock(layer, space, houses, palaces)

    def stock(
        self, layer: Element, space: int, houses: Mapping[str, int], palaces: Mapping[str, int]
    ) -> None:
        """Draw the pieces in one space."""
        for kind, color, count, at, size in self.stock_places(space, houses, palaces):
            self.piece(layer, kind, color, count, at, size)

    def stock_places(
        self, space: int, houses: Mapping[str, int], palaces: Mapping[str, int]
    ) -> list[tuple[str, str, int, Point, float]]:
        """Return the kind, color, number, center and size of each shape in a space."""
        here = [
            (kind, color, stock[color])
            for kind, stock in (("palace", palaces), ("house", houses))
            for color in HOUSE_COLORS
            if stock.get(color, 0) > 0
        ]
        places, size = self._places(space, len(here))
        return [(*item, at, size) for item, at in zip(here, places, strict=True)]

    def piece(
        self, layer: Element, kind: str, color: str, count: int, at: Point, size: float
    ) -> None:
        """Draw a house or palace about `size` wide, and write `count` on it if above 1."""
        fill, color = paint.HOUSE_PAINT[color]
        palace = kind == "palace"
        shape = PALACE_SHAPE if palace else HOUSE_SHAPE
        outline = [(at[0] + dx * size, at[1] + dy * size) for dx, dy in shape]
        edge, width = (paint.GOLD, 0.1 * size) if palace else (paint.TEXT_COLOR, 0.05 * size)
        self.add(
            layer, "polygon", **{"class": kind}, points=points_text(outline), fill=fill,
            stroke=edge, stroke_width=width,
        )  # fmt: skip
        if count > 1:
            self.text(layer, (at[0], at[1] + 0.12 * size), str(count), 0.62 * size, color)

    def _places(self, space: int, count: int) -> tuple[list[Point], float]:
        """Return the centers of `count` pieces in a space, and the size of a house in this space.

        The triangle is divided into 1, 4, 9 or 16 smaller triangles. Pieces are put into the
        smaller triangles that point the same way as the space, beginning with the widest row.
        """
        rows = next(n for n in (1, 2, 3, 4) if n * (n + 1) // 2 >= count)
        centre = self.centre(space)
        points = self.triangle(space)
        apex = max(points, key=lambda point: abs(point[1] - centre[1]))
        up = apex[1] < centre[1]
        height = SIDE * math.sqrt(3) / 2
        # Pieces keep clear of walls and towers; two pieces alone in a row move towards the middle.
        across, along = (0.82, 0.4 if count == 2 else 0.76)
        places = []
        for row in range(rows - 1, -1, -1):  # row 0 is the apex, and row r holds r + 1 pieces
            for i in range(row + 1):
                dx = (i - row / 2) * SIDE / rows * across
                depth = (row + 2 / 3) * height / rows - 2 / 3 * height
                places.append((centre[0] + dx, centre[1] + depth * along * (1 if up else -1)))
        return places[:count], HOUSE_SIZES[rows - 1]

    def ids(self, picture: paint.Picture) -> None:
        """Draw the ids of lines, spaces and tower spaces.

        The id of a line is drawn at its middle, the id of a space in one of its corners, and the id
        of a tower space at its center.
        """
        layer = self.layer("ids")
        for line, (a, b) in enumerate(self.board.line_towers):
            (ax, ay), (bx, by) = self.corners[a], self.corners[b]
            self.tag(layer, ((ax + bx) / 2, (ay + by) / 2), str(line), paint.TEXT_COLOR)
        for space in range(len(self.board.space_region)):
            x, y = self.centre(space)
            apex = max(self.triangle(space), key=lambda point: abs(point[1] - y))
            at = (x, apex[1] + (y - apex[1]) * 0.48)
            crowded = sum(len(stock.get(space, {})) for stock in (picture.houses, picture.palaces))
            if crowded > 2:
                self.tag(layer, at, str(space), paint.SPACE_TEXT_COLOR)
            else:
                self.text(layer, at, str(space), 9.5, paint.SPACE_TEXT_COLOR)
        for tower, at in enumerate(self.corners):
            color = picture.towers.get(tower)
            if color is None:
                self.disc(layer, at, 9, fill=paint.EMPTY, fill_opacity=0.9)
            color = paint.TOWER_PAINT[color][1] if color else paint.SHORE
            self.text(layer, at, str(tower), 9, color)

    def tag(self, layer: Element, at: Point, text: str, color: str) -> None:
        """Draw a short text on a light rectangle."""
        width = 5.2 * len(text) + 5
        self.add(
            layer, "rect", x=at[0] - width / 2, y=at[1] - 5.5, width=width, height=11, rx=4,
            fill=paint.EMPTY, fill_opacity=0.88,
        )  # fmt: skip
        self.text(layer, at, text, 8.5, color)
