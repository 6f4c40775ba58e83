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

    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position
    from masons.match.playing.scored_view import ScoredView

# Columns that the panels need beside the board, and rows below it.
BESIDE: Final = {"large": 30, "small": 18}
BELOW: Final = {"large": 6, "small": 6}
_FEWEST: Final = 3  # rows that are written below the board in a terminal that is lower than it
LOW: Final = 11  # with fewer rows below the board the news stand beside it, in few words
_NEWS: Final = 6  # rows of news for which the legend makes room


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
    brief: Sequence[str] = ()  # the news in few words, for a narrow panel
    menu: Sequence[str] = ()
    notes: Sequence[Text | str] = ()  # answers to what was typed
    look: Look = field(default_factory=Look)


def size_for(board: Board, frame: Frame) -> str:
    """The size of a board's drawing: large, small, or `words` where neither fits."""
    if frame.size:
        plan = board_plan(board, frame.size)
        if plan.width <= frame.width and plan.height + BELOW[frame.size] <= frame.height:
            return frame.size
    for size in ("large", "small"):
        plan = board_plan(board, size)
        wide = plan.width + 1 + BESIDE[size] <= frame.width
        if wide and plan.height + BELOW[size] <= frame.height:
            return size
    return "small" if board_plan(board, "small").width <= frame.width else "words"


def rows_below(board: Board, frame: Frame) -> int:
    """How many rows notes may take: those between the board and the line that is typed."""
    size = size_for(board, frame)
    if size == "words":
        return max(frame.height - 1, 1)
    plan = board_plan(board, size)
    beside = frame.width - plan.width - 1 >= BESIDE[size]
    return max(frame.height - 1 - plan.height - (0 if beside else _FEWEST), _FEWEST)


def draw_page(scene: Scene, frame: Frame) -> list[Text]:
    """The lines of a page, none wider than the terminal.

    They leave a row for what is typed, wherever the terminal is high enough for the board.
    """
    size = size_for(scene.board, frame)
    look = replace(scene.look, color=frame.color, ascii=frame.ascii)
    if size == "words":
        return fit(_listed(scene, look), frame.width)
    drawing = draw_board(scene.board, scene.position, replace(look, size=size))
    width_left = frame.width - board_plan(scene.board, size).width - 1
    rows = max(frame.height - 1 - len(drawing), _FEWEST)
    if size == "large" and width_left >= BESIDE["large"]:
        panel = _whole_panel(scene, look, width_left, len(drawing))
        return [*_beside(drawing, panel), *_below(scene, frame, rows)]
    if width_left >= BESIDE["small"]:
        low = rows < LOW
        panel = fit(_table_panel(scene, look), width_left)
        if low:
            panel = fit(_short_panel(scene, look, width_left), width_left)
            panel += _news(scene.brief or scene.news, width_left, len(drawing) - len(panel))
        below = _below(scene, frame, rows, hand=True, news=not low)
        return [*_beside(drawing, panel[: len(drawing)]), *below]
    table = fit(_table_rows(scene, look), frame.width)[:_FEWEST]
    below = _below(scene, frame, max(rows - len(table), _FEWEST), hand=True, news=True)
    return [*drawing, *table, *below]


def _below(
    scene: Scene, frame: Frame, rows: int, *, hand: bool = False, news: bool = False
) -> list[Text]:
    """What stands below the board: hand, menu and notes first, news where there is room."""
    notes = fit(scene.notes, frame.width)[-rows:]
    cards = _hand(scene, frame.width, rows - len(notes), _FEWEST) if hand else []
    rows -= len(notes) + len(cards)
    menu = _menu(scene.menu, frame.width, rows, ending=not notes)
    told = _news(scene.news, frame.width, rows - len(menu)) if news else []
    return [*told, *cards, *menu, *notes]


def _menu(menu: Sequence[str], width: int, rows: int, *, ending: bool) -> list[Text]:
    """Whole entries that fit; `ending`: the last one, which tells how to answer, whatever fits."""
    entries = [fit([line], width) for line in menu]
    last = entries.pop() if entries and ending else []
    if len(last) > rows:
        return []
    lines: list[Text] = []
    for entry in entries:
        if len(lines) + len(entry) + len(last) > rows:
            break
        lines += entry
    return [*lines, *last]


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


def _short_panel(scene: Scene, look: Look, width: int) -> list[Text]:
    """The same without blank lines and titles."""
    position = scene.position
    turn = Text(f"turn {position.turn + 1} ").append(
        TASKS.get(position.phase, position.phase), "bold"
    )
    players = players_panel(position, scene.names, look.strokes.here, width)
    return [turn, *players, *supply_panel(position)]


def _table_rows(scene: Scene, look: Look) -> list[Text]:
    """The same in two lines."""
    players = players_panel(scene.position, scene.names, look.strokes.here)
    gap = Text("  ")
    return [gap.join([_turn(scene), *players]), gap.join(supply_panel(scene.position))]


def _whole_panel(scene: Scene, look: Look, width: int, height: int) -> list[Text]:
    """The table, the hand and the news one below the other."""
    table = fit(_table_panel(scene, look), width)
    letters = fit([Text(""), *legend(look.strokes.shore)], width)
    hand: list[Text] = []
    if scene.seat is not None:
        cards = _hand(scene, min(width, 30), height - len(table) - 4)
        hand = fit([Text(""), Text("hand, with points now", "cyan"), *cards], width)
    if len(table) + len(letters) + len(hand) + _NEWS > height:
        letters = []
    lines = [*table, *letters, *hand]
    rows_left = height - len(lines)
    if rows_left >= _FEWEST + 2 and scene.news:
        lines += [Text(""), Text("what happened", "cyan")]
        rows_left -= 2
    return [*lines, *_news(scene.news, width, rows_left)]


def _hand(scene: Scene, width: int, rows: int = 99, spare: int = 0) -> list[Text]:
    if scene.seat is None or scene.scored_view is None:
        return []
    return hand_panel(card_values(scene.scored_view, scene.seat), width, rows, spare)


def _news(news: Sequence[str], width: int, rows: int) -> list[Text]:
    """The last lines that fit."""
    return [row for line in news for row in _hanging(line, width)][-rows:] if rows > 0 else []


def _hanging(line: str, width: int) -> list[Text]:
    """A line broken with its own indent before each row, where there is room for that."""
    words = line.lstrip()
    indent = line[: len(line) - len(words)] if width > 2 * (len(line) - len(words)) else ""
    return [Text(indent).append_text(row) for row in fit([words], width - len(indent))]


def _listed(scene: Scene, look: Look) -> list[Text]:
    lines = _table_panel(scene, look)
    lines += [Text(line) for line in list_board(scene.position)]
    lines += [*_hand(scene, 0), *map(Text, scene.news[-6:]), *map(Text, scene.menu)]
    return [*lines, *(Text(note) if isinstance(note, str) else note for note in scene.notes)]


def fit(lines: Sequence[Text | str], width: int) -> list[Text]:
    """Lines broken between words, or within a word that is wider than the terminal."""
    from rich.console import Console

    console = Console(width=max(width, 1), color_system=None, legacy_windows=False)
    texts = [Text(line) if isinstance(line, str) else line for line in lines]
    return [
        part for line in texts for part in (line.wrap(console, max(width, 1)) if line else [line])
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
