"""Everything that a terminal shows at a decision: the board, the panels, the news, the menu."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from rich.text import Text

from masons.cli.terminal.drawing.position_list import list_board
from masons.cli.terminal.drawing.text_board import Look, board_plan, draw_board
from masons.cli.terminal.drawing.text_panels import (
    TASKS,
    card_values,
    hand_panel,
    legend,
    players_panel,
    supply_panel,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.cli.terminal.scored_view import ScoredView
    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position

# Columns that the panels need beside the board, and rows below it.
BESIDE: Final = {"large": 30, "small": 18}
BELOW: Final = {"large": 6, "small": 6}


@dataclass(frozen=True)
class Frame:
    """A terminal: columns, rows, and what it can show."""

    width: int
    height: int
    color: bool = True
    ascii: bool = False
    size: str = ""  # large or small where somebody has chosen


@dataclass(frozen=True)
class Scene:
    """What is to be shown to whoever sits at `seat`; None: to anybody."""

    board: Board
    position: Position  # without the cards that they must not see
    names: Sequence[str]
    seat: int | None = None
    scored_view: ScoredView | None = None  # for the hand of `seat`
    news: Sequence[str] = ()
    menu: Sequence[str] = ()
    look: Look = field(default_factory=Look)


def size_for(board: Board, frame: Frame) -> str:
    """The size of a board's drawing: large, small, or `words` where neither fits."""
    if frame.size and board_plan(board, frame.size).width <= frame.width:
        return frame.size
    for size in ("large", "small"):
        plan = board_plan(board, size)
        wide = plan.width + 1 + BESIDE[size] <= frame.width
        if wide and plan.height + BELOW[size] <= frame.height:
            return size
    return "small" if board_plan(board, "small").width <= frame.width else "words"


def draw_page(scene: Scene, frame: Frame) -> list[Text]:
    """The lines of a page, none wider than the terminal."""
    size = size_for(scene.board, frame)
    look = replace(scene.look, color=frame.color, ascii=frame.ascii)
    if size == "words":
        return _fit(_listed(scene, look), frame.width)
    drawing = draw_board(scene.board, scene.position, replace(look, size=size))
    width_left = frame.width - board_plan(scene.board, size).width - 1
    if size == "large" and width_left >= BESIDE["large"]:
        return [
            *_beside(drawing, _whole_panel(scene, look, width_left, len(drawing))),
            *_menu(scene, frame),
        ]
    hand = _hand(scene, frame.width)
    below = [*hand, *_news(scene.news, frame.width, max(frame.height - len(drawing) - 6, 2))]
    if width_left >= BESIDE["small"]:
        panel = _fit(_table_panel(scene, look), width_left)
        return [*_beside(drawing, panel[: len(drawing)]), *below, *_menu(scene, frame)]
    table = _fit(_table_panel(scene, look), frame.width)
    return [*drawing, *table, *below, *_menu(scene, frame)]


def _turn(scene: Scene) -> Text:
    position = scene.position
    text = Text(f"turn {position.turn + 1}: ")
    return text.append(TASKS.get(position.phase, position.phase), "bold")


def _table_panel(scene: Scene, look: Look) -> list[Text]:
    """What everybody sees."""
    return [
        _turn(scene),
        *players_panel(scene.position, scene.names, look.strokes.here),
        Text(""),
        Text("supply", "cyan"),
        *supply_panel(scene.position),
    ]


def _whole_panel(scene: Scene, look: Look, width: int, height: int) -> list[Text]:
    """The table, the hand and the news one below the other."""
    lines = _table_panel(scene, look)
    lines += [Text(""), *legend(look.strokes.shore)]
    if scene.seat is not None:
        lines += [Text(""), Text("hand, with points now", "cyan"), *_hand(scene, min(width, 30))]
    lines = _fit(lines, width)
    rows_left = height - len(lines) - 2
    if rows_left > 0 and scene.news:
        lines += [Text(""), Text("what happened", "cyan"), *_news(scene.news, width, rows_left)]
    return lines


def _hand(scene: Scene, width: int) -> list[Text]:
    if scene.seat is None or scene.scored_view is None:
        return []
    return hand_panel(card_values(scene.scored_view, scene.seat), width)


def _news(news: Sequence[str], width: int, rows: int) -> list[Text]:
    """The last lines that fit."""
    lines = _fit([Text(line) for line in news], width)
    return lines[-rows:] if rows > 0 else []


def _menu(scene: Scene, frame: Frame) -> list[Text]:
    return _fit([Text(line) for line in scene.menu], frame.width)


def _listed(scene: Scene, look: Look) -> list[Text]:
    lines = _table_panel(scene, look)
    lines += [Text(line) for line in list_board(scene.position)]
    lines += [*_hand(scene, 0), *map(Text, scene.news[-6:]), *map(Text, scene.menu)]
    return lines


def _fit(lines: Sequence[Text], width: int) -> list[Text]:
    """Lines broken between words, or within a word that is wider than the terminal."""
    from rich.console import Console

    console = Console(width=max(width, 1), color_system=None, legacy_windows=False)
    return [
        part for line in lines for part in (line.wrap(console, max(width, 1)) if line else [line])
    ]


def _beside(left: Sequence[Text], right: Sequence[Text]) -> list[Text]:
    """Two columns; the left one's lines are equally wide."""
    blank = Text(" " * (len(left[0]) if left else 0))
    rows = max(len(left), len(right))
    lines = []
    for at in range(rows):
        line = (left[at] if at < len(left) else blank).copy()
        if at < len(right):
            line.append(" ")
            line.append_text(right[at])
        lines.append(line)
    return lines
