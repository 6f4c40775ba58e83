"""Pictures of a board and the pieces on it, as stand-alone SVG.

Pieces and ornaments are symbols of `symbols.svg`. A picture is one line of well-formed XML, and
equal input gives equal text. The module is pure Python and works on plain data. Shapes have the
classes that `masons/gui/static/board-dark.css` paints darker.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Final
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring
from zlib import crc32

from masons.engine.board import board_picture as paint
from masons.engine.board.board_description import BoardFields
from masons.engine.board.piece_layout import Corners, Point, Shape, piece_shapes
from masons.engine.board.symbols import symbols
from masons.engine.plain_text import plain

# Lengths are in units of 1/100 of a triangle's side.
SIDE: Final = 100.0
MARGIN: Final = 64.0  # west and east of the land
ABOVE: Final = 48.0  # north of the land, where towers reach beyond it
BELOW: Final = 36.0
HEADING: Final = 44.0  # height of a title above the board
WALL_WIDTH: Final = 15.0
HOUSE_WIDTH: Final = 100.0  # of the symbols of houses

FONTS: Final = "'Source Sans Pro', 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif"
# What grows beyond the edge, by number of the line: symbol, place along the line, and distance.
_GROVES: Final = (
    (("hill", 0.3, 1.45), ("tree", 0.66, 1.0)),
    (("tree", 0.25, 1.1), ("tree", 0.55, 0.75), ("hill", 0.85, 1.3)),
    (("tree", 0.15, 0.8), ("hill", 0.5, 1.5)),
)

# Characters that are not allowed: surrogates, control characters and line separators.
_UNFIT = re.compile(r"[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]+")


def board_svg(
    board: BoardFields,
    position: paint.Picture | None = None,
    *,
    labels: bool = False,
    letters: bool = False,
    title: str = "",
) -> str:
    """Return the SVG of a board with the pieces of `position`.

    `labels` adds the ids of places, and `letters` the letters of colors. The SVG is one line of
    text without a newline at the end. Raises PositionError if `position` names an id that the board
    does not have.
    """
    canvas = draw_board(board, position, labels=labels, letters=letters, title=title)
    return tostring(canvas.root, "unicode")


def draw_board(
    board: BoardFields,
    position: paint.Picture | None = None,
    *,
    labels: bool = False,
    letters: bool = False,
    title: str = "",
) -> Canvas:
    """Draw the picture that `board_svg` returns as text, and return its canvas.

    The canvas's `root` can be embedded in another picture.
    """
    picture = position or paint.Picture()
    paint.check_picture(board, picture)
    canvas = Canvas(board, clean(title), letters=letters)
    canvas.land()
    canvas.cities(picture.cities)
    canvas.emblems(picture)
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


def _closed(points: Collection[Point]) -> str:
    """Return a closed outline as part of a path."""
    return f"M{points_text(points)}Z"


def points_text(points: Collection[Point]) -> str:
    """Return points in the form of an SVG attribute's value."""
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)


class Canvas:
    """A picture of a board as an SVG element, to which layers are added one by one.

    `corners` holds the point of each tower space in the picture.
    """

    def __init__(self, board: BoardFields, title: str, *, letters: bool = False) -> None:
        """Begin a picture of the board's size, with the symbols and a title."""
        self.board = board
        west, north = (min(xy[axis] for xy in board.tower_xy) * SIDE for axis in (0, 1))
        east, south = (max(xy[axis] for xy in board.tower_xy) * SIDE for axis in (0, 1))
        top = ABOVE + (HEADING if title else 0.0)
        self.width, self.height = east - west + 2 * MARGIN, south - north + top + BELOW
        self.north, self.south = top, self.height - BELOW
        self.corners = [
            (x * SIDE - west + MARGIN, y * SIDE - north + top) for x, y in board.tower_xy
        ]
        self.root = Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "class": "board",
                "viewBox": f"0 0 {number(self.width)} {number(self.height)}",
                "width": number(self.width),
                "height": number(self.height),
                "role": "img",
                "font-family": FONTS,
            },
        )
        SubElement(self.root, "title").text = title or f"Board {board.name}"
        defs = symbols()
        if letters:
            defs = defs.replace(' display="none"', "")
        self.root.append(fromstring(defs))
        self.shape(self.root, "rect", "beyond", fill=paint.BEYOND, width=self.width,
                   height=self.height)  # fmt: skip
        self.heading = title

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

    def shape(self, parent: Element, tag: str, kind: str, **attributes: str | float) -> Element:
        """Add an element with a class."""
        return self.add(parent, tag, **{"class": kind, **attributes})

    def use(self, parent: Element, symbol: str, at: Point, scale: float = 1.0) -> Element:
        """Draw a symbol at a point."""
        if scale == 1.0:
            return self.add(parent, "use", href=f"#{symbol}", x=at[0], y=at[1])
        place = f"translate({number(at[0])} {number(at[1])}) scale({number(scale)})"
        return self.add(parent, "use", href=f"#{symbol}", transform=place)

    def segment(self, parent: Element, line: int, **attributes: str | float) -> None:
        """Draw a stroke along a line of the board."""
        (x1, y1), (x2, y2) = self.ends(line)
        self.add(parent, "line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)

    def ends(self, line: int) -> tuple[Point, Point]:
        """Return the ends of a line."""
        a, b = self.board.line_towers[line]
        return self.corners[a], self.corners[b]

    def middle(self, line: int) -> Point:
        """Return the middle of a line."""
        (ax, ay), (bx, by) = self.ends(line)
        return (ax + bx) / 2, (ay + by) / 2

    def disc(self, parent: Element, at: Point, r: float, **attributes: str | float) -> None:
        """Draw a circle of radius `r` around a point."""
        self.add(parent, "circle", cx=at[0], cy=at[1], r=r, **attributes)

    def triangle(self, space: int) -> Corners:
        """Return the three corners of a space."""
        a, b, c = (self.corners[tower] for tower in self.board.space_towers[space])
        return a, b, c

    def centre(self, space: int) -> Point:
        """Return the center of a space."""
        points = self.triangle(space)
        return sum(x for x, _ in points) / 3, sum(y for _, y in points) / 3

    # Layers

    def land(self) -> None:
        """Draw the sea, the land around the board, the title, and the regions of the board."""
        self._surroundings()
        self._sea()
        if self.heading:
            # A long title gets smaller letters rather than being cut off.
            size = min(30.0, 1.9 * (self.width - 2 * MARGIN) / len(self.heading))
            self.text(self.root, (self.width / 2, 30.0), self.heading, size, paint.TEXT_COLOR)
        layer = self.layer("spaces", stroke_width=1, stroke_linejoin="round")
        for region in range(1, self.board.regions + 1):
            outline = "".join(
                _closed(self.triangle(space))
                for space, owner in enumerate(self.board.space_region) if owner == region
            )  # fmt: skip
            tint = paint.REGION_TINTS[region - 1]
            # A stroke in the fill color hides hairlines between neighboring spaces.
            self.shape(layer, "path", f"region-{region}", d=outline, fill=tint, stroke=tint)
            self.shape(layer, "path", "texture", d=outline, fill=f"url(#texture-{region})")
        self._shade()

    def _shade(self) -> None:
        """Draw a soft shadow inside the shore, and the light, which comes from the upper left."""
        layer = self.layer("shade", stroke=paint.TEXT_COLOR, stroke_opacity=0.09)
        for width in paint.SHADES:
            inside = ""
            for line in self._shore_lines():
                (ax, ay), (bx, by) = self.ends(line)
                cx, _ = self.centre(self.board.line_spaces[line][0])
                aside = math.copysign(0.58 * width, cx - (ax + bx) / 2)  # half of the width, aslant
                inside += "M" + points_text([(ax + aside, ay), (bx + aside, by)])
            self.shape(layer, "path", "inside", d=inside, stroke_width=width)
        # Wider than the picture, as a window may show more than it.
        self.add(layer, "rect", fill="url(#light)", stroke="none", x=-self.width / 2,
                 y=-self.height / 2, width=2 * self.width, height=2 * self.height)  # fmt: skip

    def _sea(self) -> None:
        """Draw the sea from each slanting shore line to the nearer side of the picture.

        A shore line is a line on the board's edge between two tower spaces on the shore. The water
        is lighter along the coast.
        """
        water, coast = "", ""
        for line in self._shore_lines():
            a, b = sorted(self.ends(line), key=lambda point: point[1])
            is_west = (a[0] + b[0]) / 2 < self.centre(self.board.line_spaces[line][0])[0]
            side, out = (0.0, -26.0) if is_west else (self.width, 26.0)
            outline = [a, (side, a[1]), (side, b[1]), b]
            shore = [a, b]
            # At the north and south end of the board the sea extends into the margin.
            if a[1] < self.north + 1:
                shore.insert(0, (a[0] + out, 0.0))
                outline[1:2] = [shore[0], (side, 0.0)]
            if b[1] > self.south - 1:
                shore.append((b[0] + out, self.height))
                outline[-2:-1] = [(side, self.height), shore[-1]]
            water += _closed(outline)
            coast += "M" + points_text(shore)
        layer = self.layer("sea", fill="none", stroke_linecap="round", stroke_linejoin="round")
        if not water:
            return
        name = f"sea-{crc32(water.encode()):08x}"
        self.add(self.add(layer, "clipPath", id=name), "path", d=water)
        self.shape(layer, "path", "deep", d=water, fill=paint.SEA, stroke=paint.SEA)
        shallows = self.add(layer, "g", clip_path=f"url(#{name})")
        for index, (color, width) in enumerate(paint.SHALLOWS):
            self.shape(shallows, "path", f"shallow-{index}", d=coast, stroke=color,
                       stroke_width=width)  # fmt: skip
        self.shape(layer, "path", "waves", d=water, fill="url(#waves)")
        self.shape(layer, "path", "sand", d=coast, stroke=paint.COAST, stroke_width=19)

    def _shore_lines(self) -> list[int]:
        shore = self.board.tower_shore
        return [
            line
            for line, (_, beyond) in enumerate(self.board.line_spaces)
            if beyond is None and all(shore[end] for end in self.board.line_towers[line])
            and abs(self.ends(line)[0][1] - self.ends(line)[1][1]) > SIDE / 2
        ]  # fmt: skip

    def _surroundings(self) -> None:
        """Draw trees and hills beyond the edges of the board that are not on the shore."""
        layer, shore = self.layer("surroundings"), set(self._shore_lines())
        for line, (space, beyond) in enumerate(self.board.line_spaces):
            if beyond is not None or line in shore:
                continue
            (ax, ay), (bx, by) = self.ends(line)
            cx, cy = self.centre(space)
            dx, dy = (ax + bx) / 2 - cx, (ay + by) / 2 - cy
            for symbol, along, away in _GROVES[line % len(_GROVES)]:
                x, y = ax + (bx - ax) * along, ay + (by - ay) * along
                self.use(layer, symbol, (x + dx * away, y + dy * away))

    def cities(self, cities: Collection[Collection[int]]) -> None:
        """Draw the ground of each space that is part of a city."""
        layer = self.layer("cities", stroke=paint.CITY_TINT, stroke_linejoin="round")
        for space in sorted(space for city in cities for space in city):
            self.city_space(layer, space)

    def city_space(self, layer: Element, space: int, **attributes: str) -> None:
        """Draw the ground of a space in a city."""
        self.shape(
            layer, "polygon", "city", points=points_text(self.triangle(space)),
            fill=paint.CITY_TINT, **attributes,
        )  # fmt: skip

    def emblems(self, picture: paint.Picture) -> None:
        """Draw the emblem of each region on a space without pieces."""
        layer = self.layer("regions")
        taken = {space for city in picture.cities for space in city}
        taken.update(picture.houses, picture.palaces)
        for region in range(1, self.board.regions + 1):
            self.use(layer, f"emblem-{region}", self._middle(region, taken))

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
        layer = self.layer("lines", stroke=paint.TEXT_COLOR, stroke_linecap="round")
        city_of = {space: which for which, city in enumerate(picture.cities) for space in city}
        paths = {"thin": "", "border": ""}
        for line, (a, b) in enumerate(self.board.line_spaces):
            regions = self.board.space_region
            inside = a in city_of and city_of[a] == city_of.get(-1 if b is None else b)
            border = b is None or (regions[a] != regions[b] and not inside)
            paths["border" if border else "thin"] += "M" + points_text(self.ends(line))
        for kind, width, opacity in (("thin", 1.2, 0.25), ("border", 2.2, 0.5)):
            self.shape(layer, "path", kind, d=paths[kind], stroke_width=width,
                       stroke_opacity=opacity)  # fmt: skip
        glow = self.layer("highlights", stroke=paint.HIGHLIGHT, stroke_linecap="round")
        for line, weight in sorted(picture.highlight_lines.items()):
            share = min(max(weight, 0.0), 1.0) if math.isfinite(weight) else 0.0
            if share > 0:
                self.segment(glow, line, stroke_width=4 + 12 * share, stroke=glow_of(share))
        halo = self.layer("fresh", stroke=paint.FRESH, stroke_linecap="round")
        for line in sorted(set(picture.fresh)):
            self.segment(halo, line, stroke_width=WALL_WIDTH + 11)
        walls = self.layer("walls")
        for line in self.from_north(set(picture.walls)):
            self.wall(walls, line)

    def from_north(self, lines: Collection[int]) -> list[int]:
        """Return lines in the order in which their walls are drawn: nearer walls hide others."""
        return sorted(lines, key=lambda line: (self.middle(line)[1], line))

    def wall(self, parent: Element, line: int) -> None:
        """Draw the wall on a line."""
        (_, west), (_, east) = sorted(self.ends(line))
        level = abs(east - west) < SIDE / 2
        self.use(parent, f"wall-{0 if level else 60 if east < west else 120}", self.middle(line))

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
            at = self.middle(line)
            self.disc(layer, at, 12, fill=paint.HIGHLIGHT, stroke=paint.FRESH, stroke_width=2.5)
            self.text(layer, at, text, 15 if len(text) < 2 else 12, "#ffffff")

    def tower_spaces(self, towers: Mapping[int, str]) -> None:
        """Draw each tower, and a spot on each tower space without one.

        Tower spaces on the shore get a ring.
        """
        layer = self.layer("towers")
        for tower, at in enumerate(self.corners):
            shore, color = self.board.tower_shore[tower], towers.get(tower)
            if color is None:
                self.use(layer, "empty-shore" if shore else "empty", at)
            else:
                self.use(layer, f"{'shore' if shore else 'tower'}-{color}", at)

    def pieces(self, picture: paint.Picture) -> None:
        """Draw palaces and houses; a shape that stands for several pieces has their number."""
        layer = self.layer("pieces")
        for shapes in self.stocks(picture).values():
            for shape in shapes:
                self.piece(layer, shape)

    def stocks(self, picture: paint.Picture) -> dict[int, list[Shape]]:
        """Return the shapes of all houses and palaces, by space.

        The pieces of a city are spread over its spaces and given at its lowest space.
        """
        areas = [sorted(city) for city in picture.cities]
        inside = {space for area in areas for space in area}
        areas += [[space] for space in {*picture.houses, *picture.palaces} - inside]
        stocks = {}
        for area in sorted(areas):
            houses, palaces = (
                sum((Counter(where.get(space, {})) for space in area), Counter())
                for where in (picture.houses, picture.palaces)
            )
            shapes = piece_shapes([self.triangle(space) for space in area], houses, palaces)
            if shapes:
                stocks[area[0]] = shapes
        return stocks

    def piece(self, layer: Element, shape: Shape) -> None:
        """Draw a house or palace, and write the number on it if it stands for several."""
        self.use(layer, shape.symbol, shape.at, shape.size / HOUSE_WIDTH).set("class", shape.kind)
        if shape.number > 1:
            fill, ink = paint.HOUSE_PAINT[shape.color]
            text = self.text(
                layer, (shape.at[0], shape.at[1] + 0.12 * shape.size), str(shape.number),
                0.72 * shape.size, ink,
            )  # fmt: skip
            text.attrib.update({
                "font-weight": "bold", "stroke": fill, "stroke-width": number(0.12 * shape.size),
                "paint-order": "stroke",
            })  # fmt: skip

    def ids(self, picture: paint.Picture) -> None:
        """Draw the ids of lines, spaces and tower spaces.

        The id of a line is drawn at its middle, the id of a space in one of its corners, and the id
        of a tower space at its center.
        """
        layer = self.layer("ids")
        for line in range(len(self.board.line_towers)):
            self.tag(layer, self.middle(line), str(line), paint.TEXT_COLOR)
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
