"""Drawings of the board in the colors of a terminal (see `text_board`).

If a terminal has only 256 or 16 colors, rich uses the nearest color.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rich.style import Style
from rich.text import Text

from masons.engine.board import board_picture
from masons.engine.board.board_picture import HOUSE_PAINT, TOWER_PAINT
from masons.engine.formats import text_board
from masons.engine.formats.text_board import Look, Paint, plan_board

if TYPE_CHECKING:
    from rich.console import Console

    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position


@lru_cache(maxsize=256)
def style_of(paint: Paint) -> Style:
    """Return a paint as a style of a terminal."""
    slanted = paint.is_slanted or None
    return Style(
        color=paint.color, bgcolor=paint.ground, bold=paint.is_bold or None, underline=slanted,
        italic=slanted,
    )  # fmt: skip


TOWERS: Final = tuple(map(style_of, text_board.TOWERS))
HOUSES: Final = tuple(map(style_of, text_board.HOUSES))

# The colors for terminals with 16 colors, because the nearest color is not always the best one.
_BASIC: Final = {
    **dict.fromkeys((board_picture.LAND, *text_board.REGIONS, board_picture.EMPTY), "bright_white"),
    **dict.fromkeys(
        (board_picture.TEXT_COLOR, "#1a1613", "#000000", "#6b4a34", board_picture.SPACE_TEXT_COLOR),
        "black",
    ),
    TOWER_PAINT["black"][0]: "black",
    **dict.fromkeys(("#9b927f", "#7a6f5e"), "bright_black"),
    TOWER_PAINT["gray"][0]: "white",
    "#ffffff": "bright_white",
    text_board.CITY: "yellow",
    text_board.FRESH: "magenta",
    board_picture.SEA: "bright_cyan",
    board_picture.SHORE: "blue",
    "#c62b28": "red",
    HOUSE_PAINT["rose"][0]: "bright_magenta",
    HOUSE_PAINT["yellow"][0]: "bright_yellow",
    "#3b8f46": "green",
    HOUSE_PAINT["blue"][0]: "blue",
}


def basic_style(style: Style) -> Style:
    """Return a style of the board, converted to the 16 basic colors."""
    color, ground = (
        _BASIC.get(painted.name) if painted is not None else None
        for painted in (style.color, style.bgcolor)
    )
    return style + Style(color=color, bgcolor=ground)


def fitting_look(console: Console, board: Board, rows: int = 0, beside: int = 0) -> Look | None:
    """Return the look of the largest drawing that fits a console, or None if none fits.

    A terminal with fewer than `rows` rows gets the small drawing. `beside` is the number of columns
    to leave free.
    """
    is_low = console.is_terminal and console.height < rows
    for size in ("small",) if is_low else ("large", "small"):
        if plan_board(board, size).width + beside <= console.width:
            has_color = console.is_terminal and not console.no_color
            return Look(size, has_color, not console.encoding.lower().startswith("utf"))
    return None


def draw_board(board: Board, position: Position, look: Look | None = None) -> list[Text]:
    """Return the drawing of a board as lines of text, each `BoardPlan.width` columns wide."""
    drawing = text_board.draw_board(board, position, look)
    return [_row(*row) for row in zip(drawing.signs, drawing.paints, strict=True)]


def _row(signs: list[str], paints: list[Paint]) -> Text:
    """Return a row of cells as text. Neighboring cells of the same paint form one span."""
    line = Text(no_wrap=True, end="")
    start = 0
    for at in range(1, len(signs) + 1):
        if at == len(signs) or paints[at] != paints[start]:
            line.append("".join(signs[start:at]), style_of(paints[start]))
            start = at
    return line
