"""The page that a terminal shows at a decision: board, panels, news, menu; and that of a puzzle."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from rich.text import Text

from masons.cli.terminal import text_panels as panels
from masons.cli.terminal.text_board import Look, draw_board, plan_board
from masons.engine.state.packed_move import FINAL, HOUSES, MERGE, SWAP, TOWERS, WALL
from masons.match.playing.scored_view import ScoredView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.ai.practice.puzzles import Puzzle
    from masons.engine.board.geometry import Board
    from masons.engine.formats.move_text import Move
    from masons.engine.state.position import Position

# Columns that the panels need beside the board, and rows below it.
BESIDE: Final = {"large": 30, "small": 18}
BELOW: Final = 6
_FEWEST: Final = 3  # rows written below the board even where the terminal is lower
_LOW: Final = 11  # with fewer rows below the board, the news stand beside it, in few words
_NEWS: Final = 6  # rows of news for which the legend makes room
LETTERS: Final = "abcdefghij"  # of the moves of a puzzle


@dataclass(frozen=True)
class Frame:
    """The size of a terminal in columns and rows, and what it can show."""

    width: int
    height: int
    color: bool = True
    ascii: bool = False
    size: str = ""  # large or small if the user chose one


@dataclass(frozen=True)
class Scene:
    """Return the page for the person at `seat`, or for anybody (None)."""

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
    """Return the size of a board's drawing: large, small, or `words` if neither fits."""
    sizes = [(frame.size, 0)] if frame.size else []
    sizes += [(size, 1 + columns) for size, columns in BESIDE.items()]
    for size, columns in sizes:
        plan = plan_board(board, size)
        if plan.width + columns <= frame.width and plan.height + BELOW <= frame.height:
            return size
    return "small" if plan_board(board, "small").width <= frame.width else "words"


def rows_below(board: Board, frame: Frame) -> int:
    """Return how many rows notes may take, between the board and the line that is typed."""
    size = size_for(board, frame)
    if size == "words":
        return max(frame.height - 1, 1)
    plan = plan_board(board, size)
    is_beside = frame.width - plan.width - 1 >= BESIDE[size]
    return max(frame.height - 1 - plan.height - (0 if is_beside else _FEWEST), _FEWEST)


def draw_page(scene: Scene, frame: Frame) -> list[Text]:
    """Return the lines of a page, none wider than the terminal.

    They leave a row for what is typed if the terminal is high enough for the board.
    """
    size = size_for(scene.board, frame)
    look = replace(scene.look, color=frame.color, ascii=frame.ascii)
    if size == "words":
        return fit(_listed(scene, look), frame.width)
    drawing = draw_board(scene.board, scene.position, replace(look, size=size))
    width_left = frame.width - plan_board(scene.board, size).width - 1
    rows = max(frame.height - 1 - len(drawing), _FEWEST)
    if size == "large" and width_left >= BESIDE["large"]:
        panel = _whole_panel(scene, look, width_left, len(drawing))
        return [*_beside(drawing, panel), *_below(scene, frame, rows)]
    if width_left >= BESIDE["small"]:
        is_low = rows < _LOW
        panel = fit(_table_panel(scene, look), width_left)
        if is_low:
            panel = fit(_short_panel(scene, look, width_left), width_left)
            panel += _news(scene.brief or scene.news, width_left, len(drawing) - len(panel))
        below = _below(scene, frame, rows, has_hand=True, has_news=not is_low)
        return [*_beside(drawing, panel[: len(drawing)]), *below]
    table = fit(_table_rows(scene, look), frame.width)[:_FEWEST]
    rows = max(rows - len(table), _FEWEST)
    return [*drawing, *table, *_below(scene, frame, rows, has_hand=True, has_news=True)]


def fit(lines: Sequence[Text | str], width: int) -> list[Text]:
    """Break lines between words, or within a word that is wider than the terminal."""
    from rich.console import Console

    console = Console(width=max(width, 1), color_system=None, legacy_windows=False)
    texts = [Text(line) if isinstance(line, str) else line for line in lines]
    return [
        part for line in texts for part in (line.wrap(console, max(width, 1)) if line else [line])
    ]


def _beside(left: Sequence[Text], right: Sequence[Text]) -> list[Text]:
    """Return two columns; the left one's lines are equally wide."""
    blank = Text(" " * len(left[0]))
    return [
        line if panel is None else Text.assemble(line, " ", panel)
        for line, panel in zip_longest([*left, *[blank] * (len(right) - len(left))], right)
    ]


def _below(
    scene: Scene, frame: Frame, rows: int, *, has_hand: bool = False, has_news: bool = False
) -> list[Text]:
    """Return what stands below the board: hand, menu and notes first, news if there is room."""
    notes = fit(scene.notes, frame.width)[-rows:]
    cards = _hand(scene, frame.width, rows - len(notes), _FEWEST) if has_hand else []
    rows -= len(notes) + len(cards)
    menu = _menu(scene.menu, frame.width, rows, keeps_last=not notes)
    news = _news(scene.news, frame.width, rows - len(menu)) if has_news else []
    return [*news, *cards, *menu, *notes]


def _menu(menu: Sequence[str], width: int, rows: int, *, keeps_last: bool) -> list[Text]:
    """Return whole entries that fit; `keeps_last`: the last one, on how to answer, goes first."""
    entries = [fit([line], width) for line in menu]
    last = entries.pop() if entries and keeps_last else []
    if len(last) > rows:
        return []
    lines: list[Text] = []
    for entry in entries:
        if len(lines) + len(entry) + len(last) > rows:
            break
        lines += entry
    return [*lines, *last]


def _turn(scene: Scene, colon: str = ":") -> Text:
    position = scene.position
    task = panels.TASKS.get(position.phase, position.phase)
    return Text.assemble(f"turn {position.turn + 1}{colon} ", (task, "bold"))


def _players(scene: Scene, look: Look, width: int = 0) -> list[Text]:
    return panels.players_panel(scene.position, scene.names, look.strokes.here, width)


def _table_panel(scene: Scene, look: Look) -> list[Text]:
    """Return what everybody sees."""
    supply = panels.supply_panel(scene.position)
    return [_turn(scene), *_players(scene, look), Text(""), Text("supply", "cyan"), *supply]


def _short_panel(scene: Scene, look: Look, width: int) -> list[Text]:
    """Return the same without blank lines and titles."""
    supply = panels.supply_panel(scene.position)
    return [_turn(scene, ""), *_players(scene, look, width), *supply]


def _table_rows(scene: Scene, look: Look) -> list[Text]:
    """Return the same in two lines."""
    gap = Text("  ")
    rows = ([_turn(scene), *_players(scene, look)], panels.supply_panel(scene.position))
    return [gap.join(row) for row in rows]


def _whole_panel(scene: Scene, look: Look, width: int, height: int) -> list[Text]:
    """Return the table, the hand and the news one below the other."""
    table = fit(_table_panel(scene, look), width)
    letters = fit([Text(""), *panels.legend(look.strokes.shore)], width)
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
    values = panels.card_values(scene.scored_view, scene.seat)
    return panels.hand_panel(values, width, rows, spare)


def _news(news: Sequence[str], width: int, rows: int) -> list[Text]:
    """Return the last rows that fit; a broken line keeps its indent if there is room for that."""
    lines: list[Text] = []
    for line in news:
        words = line.lstrip()
        margin = len(line) - len(words)
        indent = " " * margin if width > 2 * margin else ""
        lines += [Text(indent).append_text(row) for row in fit([words], width - len(indent))]
    return lines[-rows:] if rows > 0 else []


def _listed(scene: Scene, look: Look) -> list[Text]:
    words = [*scene.news[-6:], *scene.menu, *scene.notes]
    return [
        *_table_panel(scene, look),
        *map(Text, panels.list_board(scene.position)),
        *_hand(scene, 0),
        *(Text(line) if isinstance(line, str) else line for line in words),
    ]


def puzzle_page(puzzle: Puzzle, moves: Sequence[Move], frame: Frame) -> list[Text]:
    """Return the position as its seat sees it, and the moves in words that fit below it."""
    board, position = puzzle.table.board, puzzle.view.position
    view = ScoredView(puzzle.table, position)
    values = panels.card_values(view, position.seat)
    cards = [name if points == "-" else f"{name} {points}" for name, points in values]
    rows = rows_below(board, frame)
    has_hand_beside = size_for(board, frame) == "small" and rows < _LOW
    hand = [] if has_hand_beside else fit([f"hand: {', '.join(cards)}"], frame.width)
    lettered = list(zip(LETTERS, moves, strict=False))
    words = fit([f"{letter}  {view.words(move)}" for letter, move in lettered], frame.width)
    if len(words) + len(hand) > rows:
        short = [Text(f"{letter} {_short(move)}") for letter, move in lettered]
        words = fit(panels.flow(short, 3, frame.width), frame.width)
    scene = Scene(
        board=board,
        position=position,
        names=[f"seat {seat}" for seat in range(position.players)],
        brief=["", "hand", *cards],
        notes=[*hand, *words],
        look=_numbered(moves),
    )
    return draw_page(scene, frame)


def _short(move: Move) -> str:
    """Return a move's notation without a first word that all moves of a decision share."""
    text = str(move)
    return text.partition(":")[2] if move.kind in (WALL, TOWERS, HOUSES, SWAP) else text


def _numbered(moves: Sequence[Move]) -> Look:
    """Return a look with the numbers of the moves' places."""
    cities = [
        move.place if move.kind == MERGE else move.city
        for move in moves
        if move.kind in (MERGE, FINAL)
    ]
    houses = [at for move in moves if move.kind == HOUSES for at, _ in move.put]
    return Look(
        line_ids=frozenset(move.place for move in moves if move.kind == WALL),
        tower_ids=frozenset(at for move in moves if move.kind == TOWERS for at, _ in move.put),
        space_ids=frozenset([*houses, *(city for city in cities if city is not None)]),
    )
