"""The colours of a board and of the pieces on it, for pictures and terminals alike."""

from __future__ import annotations

from typing import Final

REGION_TINTS: Final = ("#cfdfba", "#efdcc9", "#d8d3e8")
REGION_MARKS: Final = ("I", "II", "III")
CITY_TINT: Final = "#f6cf6b"
TEXT_COLOR: Final = "#3b332c"
LAND: Final = "#f3eee2"
SEA: Final = "#a9cfe3"
COAST: Final = "#fdf6df"
SHORE: Final = "#2f7fa8"
EMPTY: Final = "#fffdf7"  # a tower space without a tower
HIGHLIGHT: Final = "#d6246e"  # of what a search likes, or what is new
# Lines by weight, least weight first named last: from dark to light.
GLOWS: Final = ((0.9, "#8a0d43"), (0.5, "#e0559a"), (0.0, "#f2a9cc"))
FRESH: Final = "#ffffff"  # round this turn's wall
GOLD: Final = "#d9a514"
SPACE_TEXT_COLOR: Final = "#8a2f12"  # ids of spaces
# Colour name -> fill, and a text colour that reads on it. The fills differ in lightness too, so
# that people who see few colours can tell them apart.
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
