"""Colors, letters and strokes of the board on a terminal. Letters say all without colors.

Every cell of the board has its own background and text color, so that it looks the same on dark
and on light terminals; rich finds the nearest of 256 or 16 colors where a terminal has no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rich.style import Style

from masons.engine.board import board_picture
from masons.engine.board.board_picture import HOUSE_PAINT, TOWER_PAINT

REGIONS: Final = board_picture.REGION_TINTS
CITY: Final = board_picture.CITY_TINT
WATER: Final = Style(color=board_picture.SHORE, bgcolor=board_picture.SEA)
FRESH: Final = board_picture.HIGHLIGHT
LABEL: Final = Style(color=board_picture.SPACE_TEXT_COLOR, bgcolor=board_picture.EMPTY, bold=True)
WALL: Final = Style(color="#ffffff", bgcolor="#6b4a34", bold=True)
FRESH_WALL: Final = Style(color="#ffffff", bgcolor=FRESH, bold=True)
OPEN: Final = Style(color="#9b927f")
BORDER: Final = Style(color="#7a6f5e")


def _painted(fill: str, text: str) -> Style:
    return Style(color=text, bgcolor=fill, bold=True)


# As in pictures, but where a letter reads better on another color.
TOWERS: Final[tuple[Style, ...]] = (
    _painted("#ffffff", "#1a1613"),
    _painted(TOWER_PAINT["gray"][0], "#000000"),
    _painted(*TOWER_PAINT["black"]),
)
HOUSES: Final[tuple[Style, ...]] = (
    _painted("#c62b28", "#ffffff"),
    _painted(*HOUSE_PAINT["rose"]),
    _painted(*HOUSE_PAINT["yellow"]),
    _painted("#3b8f46", "#ffffff"),
    _painted(*HOUSE_PAINT["blue"]),
)


@dataclass(frozen=True)
class Strokes:
    """The characters that are drawn, one column each."""

    level: str
    falling: str  # from north-west to south-east
    rising: str
    fresh: str
    open: str
    border: str  # an open line between two regions
    empty: str  # a tower space
    shore: str  # an empty tower space on the shore
    water: str
    city: str  # blanks of a city, without colors
    here: str  # whose turn it is


FANCY: Final = Strokes("━", "╲", "\u2571", "#", "·", ":", "∘", "≈", "~", "░", "▸")
ASCII: Final = Strokes("=", "\\", "/", "#", ".", ":", "o", "~", "~", "'", ">")

# Where a terminal has 16 colors the nearest one is not always the one that is meant.
_BASIC: Final = {
    **dict.fromkeys((board_picture.LAND, *REGIONS, board_picture.EMPTY), "bright_white"),
    **dict.fromkeys(
        (board_picture.TEXT_COLOR, "#1a1613", "#000000", "#6b4a34", board_picture.SPACE_TEXT_COLOR),
        "black",
    ),
    TOWER_PAINT["black"][0]: "black",
    **dict.fromkeys(("#9b927f", "#7a6f5e"), "bright_black"),
    TOWER_PAINT["gray"][0]: "white",
    "#ffffff": "bright_white",
    CITY: "yellow",
    FRESH: "magenta",
    board_picture.SEA: "bright_cyan",
    board_picture.SHORE: "blue",
    "#c62b28": "red",
    HOUSE_PAINT["rose"][0]: "bright_magenta",
    HOUSE_PAINT["yellow"][0]: "bright_yellow",
    "#3b8f46": "green",
    HOUSE_PAINT["blue"][0]: "blue",
}


def basic_style(style: Style) -> Style:
    """A style of the board in the 16 colors that every terminal has."""
    color, ground = (
        _BASIC.get(painted.name) if painted is not None else None
        for painted in (style.color, style.bgcolor)
    )
    return style + Style(color=color, bgcolor=ground)
