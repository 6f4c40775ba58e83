"""The colours, shapes and sizes that boards are drawn with."""

from __future__ import annotations

from typing import Final

# Lengths are in units of 1/100 of a triangle's side.
SIDE: Final = 100.0
MARGIN: Final = 64.0
HEADING: Final = 44.0  # height of a title above the board
TOWER_RADIUS: Final = 14.0
WALL_WIDTH: Final = 11.0

REGION_TINTS: Final = ("#cfdfba", "#efdcc9", "#d8d3e8")
REGION_MARKS: Final = ("I", "II", "III")
CITY_TINT: Final = "#f6cf6b"
TEXT_COLOR: Final = "#3b332c"
LAND: Final = "#f3eee2"
SEA: Final = "#a9cfe3"
COAST: Final = "#fdf6df"
SHORE: Final = "#2f7fa8"
EMPTY: Final = "#fffdf7"
FONTS: Final = "'Source Sans Pro', 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif"
HIGHLIGHT: Final = "#d6246e"
FRESH: Final = "#ffffff"
GOLD: Final = "#d9a514"
SPACE_TEXT_COLOR: Final = "#8a2f12"  # ids of spaces
# Colour name -> fill, and a text colour that reads on it. The fills differ in lightness too, so that people
# who see few colours can tell them apart.
TOWER_PAINT: Final = {
    "white": ("#fffefa", TEXT_COLOR),
    "gray": ("#9aa0a6", "#1d2023"),
    "black": ("#26282c", "#ffffff"),
}
HOUSE_PAINT: Final = {
    "red": ("#b8242a", "#ffffff"),
    "rose": ("#f2a3bd", TEXT_COLOR),
    "yellow": ("#f7e04a", TEXT_COLOR),
    "green": ("#4bb268", TEXT_COLOR),
    "blue": ("#2a5caa", "#ffffff"),
}
# Outlines round (0, 0), about 1 wide and high.
HOUSE_SHAPE: Final = ((-0.42, 0.45), (-0.42, -0.08), (0, -0.5), (0.42, -0.08), (0.42, 0.45))
PALACE_SHAPE: Final = (
    *((-0.62, 0.5), (-0.62, -0.34), (-0.45, -0.62), (-0.28, -0.34), (-0.28, -0.22), (0, -0.66)),
    *((0.28, -0.22), (0.28, -0.34), (0.45, -0.62), (0.62, -0.34), (0.62, 0.5)),
)
# Size of a house where 1, 2, 3 or 4 rows of pieces stand in a space.
HOUSE_SIZES: Final = (32.0, 23.0, 16.0, 12.0)

# A wall is drawn in layers.
MASONRY: Final[dict[str, dict[str, str | float]]] = {
    "mortar": {"stroke": "#4d3a2c", "stroke_width": WALL_WIDTH},
    "walls": {
        "stroke": "#b4845c", "stroke_width": WALL_WIDTH - 4.5, "stroke_dasharray": "8.2 1.8"
    },
}  # fmt: skip
