"""Pieces to draw on a board, as plain data, and the colors in which to draw them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from masons.engine.board.board_description import BoardFields
from masons.engine.errors import PositionError

REGION_TINTS: Final = ("#cfdfba", "#efdcc9", "#d8d3e8")
REGION_MARKS: Final = ("I", "II", "III")
CITY_TINT: Final = "#f6cf6b"
TEXT_COLOR: Final = "#3b332c"
LAND: Final = "#f3eee2"
SEA: Final = "#a9cfe3"
COAST: Final = "#fdf6df"
SHORE: Final = "#2f7fa8"
EMPTY: Final = "#fffdf7"  # a tower space without a tower
HIGHLIGHT: Final = "#d6246e"  # lines that a search prefers, and new pieces
# Colors of highlighted lines, from dark to light. Each color comes with the lowest weight for which
# it is used.
GLOWS: Final = ((0.9, "#8a0d43"), (0.5, "#e0559a"), (0.0, "#f2a9cc"))
FRESH: Final = "#ffffff"  # the halo of this turn's wall
GOLD: Final = "#d9a514"
SPACE_TEXT_COLOR: Final = "#8a2f12"  # ids of spaces
# For each color name, the fill color and a text color that is legible on the fill. The fills also
# differ in lightness, so that color-blind people can tell them apart.
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


@dataclass(frozen=True)
class Picture:
    """Pieces to draw on a board, given by ids of places and names of colors."""

    walls: Collection[int] = ()  # line ids
    towers: Mapping[int, str] = field(default_factory=dict)  # tower space -> color
    houses: Mapping[int, Mapping[str, int]] = field(default_factory=dict)  # space -> color -> n
    palaces: Mapping[int, Mapping[str, int]] = field(default_factory=dict)  # in the same form
    cities: tuple[tuple[int, ...], ...] = ()  # the spaces of each completed city
    highlight_lines: Mapping[int, float] = field(default_factory=dict)  # line -> weight from 0 to 1
    marks: Mapping[int, str] = field(default_factory=dict)  # line -> a short text on its middle
    fresh: Collection[int] = ()  # lines whose walls are highlighted as new
    focus: Collection[int] = ()  # spaces to outline


def check_picture(board: BoardFields, picture: Picture) -> None:
    """Raise PositionError if a picture names an id that the board does not have."""
    city_spaces = [space for city in picture.cities for space in city]
    for kind, ids, count in (
        (
            "line",
            [*picture.walls, *picture.highlight_lines, *picture.marks, *picture.fresh],
            len(board.line_towers),
        ),
        ("tower space", list(picture.towers), len(board.tower_xy)),
        (
            "space",
            [*picture.houses, *picture.palaces, *city_spaces, *picture.focus],
            len(board.space_region),
        ),
    ):
        for item in ids:
            if not 0 <= item < count:
                raise PositionError(f"no {kind} {item}: they are 0 to {count - 1}")
