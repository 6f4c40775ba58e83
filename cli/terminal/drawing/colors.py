"""Colours, letters and strokes of the board on a terminal. Letters tell all without colours.

Every cell of the board has its own background and ink, so that it looks the same on dark and on
light terminals; rich finds the nearest of 256 or 16 colours where a terminal has no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rich.style import Style

TOWER_LETTERS: Final = ("W", "G", "B")
HOUSE_LETTERS: Final = ("r", "s", "y", "g", "b")  # palaces: capitals

TEXT_COLOR: Final = "#3b332c"
LAND: Final = "#f3eee2"
REGIONS: Final = ("#cfdfba", "#efdcc9", "#d8d3e8")
REGION_MARKS: Final = ("I", "II", "III")
CITY: Final = "#f6cf6b"
WATER: Final = Style(color="#2f7fa8", bgcolor="#a9cfe3")
FRESH: Final = "#d6246e"
LABEL: Final = Style(color="#8a2f12", bgcolor="#fffdf7", bold=True)
WALL: Final = Style(color="#ffffff", bgcolor="#6b4a34", bold=True)
FRESH_WALL: Final = Style(color="#ffffff", bgcolor=FRESH, bold=True)
OPEN: Final = Style(color="#9b927f")
BORDER: Final = Style(color="#7a6f5e")
TOWERS: Final[tuple[Style, ...]] = (
    Style(color="#1a1613", bgcolor="#ffffff", bold=True),
    Style(color="#000000", bgcolor="#9aa0a6", bold=True),
    Style(color="#ffffff", bgcolor="#26282c", bold=True),
)
HOUSES: Final[tuple[Style, ...]] = (
    Style(color="#ffffff", bgcolor="#c62b28", bold=True),
    Style(color="#3b332c", bgcolor="#f2a3bd", bold=True),
    Style(color="#3b332c", bgcolor="#f7e04a", bold=True),
    Style(color="#ffffff", bgcolor="#3b8f46", bold=True),
    Style(color="#ffffff", bgcolor="#2a5caa", bold=True),
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
    city: str  # blanks of a city, without colours
    here: str  # whose turn it is


FANCY: Final = Strokes("━", "╲", "\u2571", "#", "·", ":", "∘", "≈", "~", "░", "▸")
ASCII: Final = Strokes("=", "\\", "/", "#", ".", ":", "o", "~", "~", "'", ">")

# Where a terminal has 16 colours the nearest one is not always the one that is meant.
_BASIC: Final = {
    **dict.fromkeys((LAND, *REGIONS, "#fffdf7"), "bright_white"),
    **dict.fromkeys((TEXT_COLOR, "#1a1613", "#000000", "#26282c", "#6b4a34", "#8a2f12"), "black"),
    **dict.fromkeys(("#9b927f", "#7a6f5e"), "bright_black"),
    "#9aa0a6": "white",
    "#ffffff": "bright_white",
    CITY: "yellow",
    FRESH: "magenta",
    "#a9cfe3": "bright_cyan",
    "#2f7fa8": "blue",
    "#c62b28": "red",
    "#f2a3bd": "bright_magenta",
    "#f7e04a": "bright_yellow",
    "#3b8f46": "green",
    "#2a5caa": "blue",
}


def basic_style(style: Style) -> Style:
    """A style of the board in the 16 colours that every terminal has."""
    colors, ground = (
        _BASIC.get(color.name) if color is not None else None
        for color in (style.color, style.bgcolor)
    )
    return style + Style(color=colors, bgcolor=ground)
