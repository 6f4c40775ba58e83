"""Pieces to draw on a board, as plain data, and the colors in which to draw them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from masons.engine.board.board_description import BoardFields
from masons.engine.errors import PositionError

REGION_TINTS: Final = ("#bdd39a", "#f0dcb2", "#cbc1dd")
REGION_MARKS: Final = ("I", "II", "III")
CITY_TINT: Final = "#f1cb6a"
TEXT_COLOR: Final = "#3b332c"
LAND: Final = "#f3eee2"  # the paper around a board
BEYOND: Final = "#b7c68f"  # the land around a board
SEA: Final = "#7fb9d6"
SHALLOWS: Final = (("#93c6de", 84.0), ("#acd6e6", 58.0), ("#c9e7ee", 38.0))  # color, width
COAST: Final = "#f6ead0"
SHADES: Final = (20.0, 11.0, 5.0)  # the widths of the shadow inside the shore
SHORE: Final = "#1f6f9c"
EMPTY: Final = "#fffdf7"  # a tower space without a tower
HIGHLIGHT: Final = "#d6246e"  # lines that a search prefers, and new pieces
# Colors of highlighted lines, from dark to light. Each color comes with the lowest weight for which
# it is used.
GLOWS: Final = ((0.9, "#8a0d43"), (0.5, "#e0559a"), (0.0, "#f2a9cc"))
FRESH: Final = "#ffffff"  # the halo of this turn's wall
SPACE_TEXT_COLOR: Final = "#8a2f12"  # ids of spaces
# For each color name, the fill color and a text color that is legible on the fill.
TOWER_PAINT: Final = {
    "white": ("#fffcf2", TEXT_COLOR),
    "gray": ("#9aa1a9", "#1d2023"),
    "black": ("#2e3036", "#ffffff"),
}
# The lightness of any two of these colors differs by at least 8, also as color-blind people see
# them.
HOUSE_PAINT: Final = {
    "red": ("#cf3027", "#ffffff"),
    "rose": ("#f8b0cf", TEXT_COLOR),
    "yellow": ("#ffe95c", TEXT_COLOR),
    "green": ("#45ae64", TEXT_COLOR),
    "blue": ("#1b3678", "#ffffff"),
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
