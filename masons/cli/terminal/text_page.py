"""The page that a terminal shows for a decision: the board, panels, news and a menu."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

from masons.cli.terminal.styled_board import HOUSES, TOWERS, draw_board
from masons.engine.board import components as box
from masons.engine.formats.text_board import HOUSE_LETTERS, TOWER_LETTERS, Look, plan_board
from masons.words.moves import card_name
from masons.words.positions import board_lines, supply_of
from masons.words.scored_view import ScoredView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style

    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position

# The words that the page shows for some phases. All other phases are shown by their own names.
TASKS: Final = {"roll": "dice", "draw": "a card", "score": "cards", "final": "last cards"}


def hand_letter(number: int) -> str:
    """Return the letter of a card in the hand: a to z, then aa, bb and so on."""
    return chr(ord("a") + number % 26) * (1 + number // 26)


def cut(name: str, width: int) -> str:
    """Shorten a name to `width` columns.

    What stands in parentheses at its end is left out first. If that is not enough, the name ends in
    a dot.
    """
    short = name if len(name) <= width else re.sub(r"(.) \(.+\)$", r"\1", name)
    return short if len(short) <= width else f"{short[: max(width - 1, 1)].rstrip()}."


def flow(items: Sequence[Text], gap: int, width: int) -> list[Text]:
    """Arrange items in rows. Each row has as many items as fit."""
    rows: list[Text] = []
    for item in items:
        if rows and len(rows[-1]) + gap + len(item) <= width:
            rows[-1].append(" " * gap).append_text(item)
        else:
            rows.append(item.copy())
    return rows


def supply_panel(position: Position) -> list[Text]:
    """Return lines with the supply and the sizes of the deck and the discard pile."""
    left = supply_of(position)
    capitals = [letter.upper() for letter in HOUSE_LETTERS]
    return [
        Text(f"walls {left.walls}"),
        _lettered(TOWER_LETTERS, [f"{n} " for n in left.towers], TOWERS),
        _lettered(HOUSE_LETTERS, [f"{n} " for n in left.houses], HOUSES),
        _lettered(capitals, [f"{n} " for n in left.palaces], HOUSES),
        Text(f"deck {position.deck_size} open {len(position.discard)}"),
    ]


def _lettered(letters: Sequence[str], words: Sequence[str], styles: Sequence[Style]) -> Text:
    """Return a line of colored letters, each followed by its word."""
    line = Text()
    for letter, word, style in zip(letters, words, styles, strict=True):
        line.append(letter, style).append(word)
    line.rstrip()
    return line


def legend(shore: str) -> list[Text]:
    """Return the legend that explains the letters in the drawing.

    `shore` is the character for an empty tower space on the shore.
    """
    towers, houses = ([f" {name}  " for name in x] for x in (box.TOWER_COLORS, box.HOUSE_COLORS))
    return [
        _lettered(TOWER_LETTERS, towers, TOWERS),
        _lettered(HOUSE_LETTERS[:3], houses[:3], HOUSES[:3]),
        _lettered(HOUSE_LETTERS[3:], houses[3:], HOUSES[3:]),
        Text(f"capitals: palaces, {shore} shore, regions I II III", "dim"),
    ]


def panel_legend(here: str, width: int) -> list[Text]:
    """Return the legend of a narrow panel: its figures, and the letters in the drawing."""
    names = (*box.TOWER_COLORS, *box.HOUSE_COLORS)
    pieces = zip((*TOWER_LETTERS, *HOUSE_LETTERS), names, (*TOWERS, *HOUSES), strict=True)
    letters = [Text.assemble((letter, style), f" {name}") for letter, name, style in pieces]
    return [
        Text(f"{here} decides; points,", "dim"),
        Text("(cards in hand),", "dim"),
        Text("then the supply:", "dim"),
        *flow(letters, 1, width),
        Text("capitals: palaces", "dim"),
    ]


def card_values(scored_view: ScoredView, seat: int) -> list[tuple[str, str]]:
    """Return (name, points) for each card in a hand, with the points it would score now.

    City cards score only if a city has just been completed. In the final scoring, each card scores
    for its best city. A card that cannot score has `-`.
    """
    view = scored_view.view
    if view.phase == "final" and view.cities:
        tables = [scored_view.card_points(min(city)) for city in view.cities]
        points = [max(column) for column in zip(*tables, strict=True)]
    else:
        points = scored_view.card_points(view.city)
    counts = view.city is not None or view.phase == "final"
    return [
        (card_name(kind), str(points[kind]) if counts or kind >= box.FIRST_LAND else "-")
        for kind in scored_view.hand(seat)
    ]


BESIDE: Final = {"large": 30, "small": 18}  # the number of columns for panels beside the board
BELOW: Final = 6  # the number of rows below the board
_FEWEST: Final = 3  # this number of rows is printed below the board even if the terminal is too low
LOW_ROWS: Final = 11  # the brief news is beside the board if there are fewer rows below
_NEWS: Final = 6  # without room for this number of rows of news, the legend is left out
LETTERS: Final = "abcdefghij"  # the letters that stand for the moves of a puzzle


@dataclass(frozen=True)
class Frame:
    """The size of a terminal in columns and rows, and the style of drawings on it."""

    width: int
    height: int
    color: bool = True
    ascii: bool = False
    size: str = ""  # "large" or "small" if the user chose a size


@dataclass(frozen=True)
class Scene:
    """The contents of a page for the person in `seat`, or for everybody if `seat` is None."""

    board: Board
    position: Position  # must not contain any card that the reader may not see
    names: Sequence[str]
    seat: int | None = None
    scored_view: ScoredView | None = None  # gives the points of the cards that `seat` holds
    news: Sequence[str] = ()
    brief: Sequence[str] = ()  # a short version of the news, for a narrow panel
    menu: Sequence[str] = ()
    notes: Sequence[Text | str] = ()  # the answer to the last input
    look: Look = field(default_factory=Look)


def size_for(board: Board, frame: Frame) -> str:
    """Return the largest drawing that fits: "large", "small", or "words" for no drawing."""
    sizes = [(frame.size, 0)] if frame.size else []
    sizes += [(size, 1 + columns) for size, columns in BESIDE.items()]
    for size, columns in sizes:
        plan = plan_board(board, size)
        if plan.width + columns <= frame.width and plan.height + BELOW <= frame.height:
            return size
    return "small" if plan_board(board, "small").width <= frame.width else "words"


def rows_below(board: Board, frame: Frame) -> int:
    """Return the number of rows for notes between the board and the input line."""
    size = size_for(board, frame)
    if size == "words":
        return max(frame.height - 1, 1)
    plan = plan_board(board, size)
    is_beside = frame.width - plan.width - 1 >= BESIDE[size]
    return max(frame.height - 1 - plan.height - (0 if is_beside else _FEWEST), _FEWEST)


def draw_page(scene: Scene, frame: Frame) -> list[Text]:
    """Return the lines of a page. No line is wider than the terminal.

    If the terminal is high enough for the board, one row stays free for the input.
    """
    size = size_for(scene.board, frame)
    look = replace(scene.look, color=frame.color, ascii=frame.ascii)
    if size == "words":
        needed = plan_board(scene.board, "small")
        better = f"{needed.width + 1 + BESIDE['small']} by {needed.height + BELOW}"
        note = f"no board: it needs {needed.width} columns ({better} is better)"
        return fit(_listed(scene, look, note), frame.width)
    drawing = draw_board(scene.board, scene.position, replace(look, size=size))
    width_left = frame.width - plan_board(scene.board, size).width - 1
    rows = max(frame.height - 1 - len(drawing), _FEWEST)
    if size == "large" and width_left >= BESIDE["large"]:
        panel = _whole_panel(scene, look, width_left, len(drawing))
        return [*_beside(drawing, panel), *_below(scene, frame, rows)]
    if width_left >= BESIDE["small"]:
        is_low = rows < LOW_ROWS
        panel = fit(_table_panel(scene, look), width_left)
        if is_low:
            panel = fit(list(chain(*_table(scene, look, width_left))), width_left)
            panel += _news(scene.brief or scene.news, width_left, len(drawing) - len(panel))
        letters = panel_legend(look.strokes.here, width_left)
        if len(panel) + len(letters) <= len(drawing):
            panel += letters
        below = _below(scene, frame, rows, has_hand=True, has_news=not is_low)
        return [*_beside(drawing, panel[: len(drawing)]), *below]
    table = fit([Text("  ").join(row) for row in _table(scene, look)], frame.width)[:_FEWEST]
    rows = max(rows - len(table), _FEWEST)
    return [*drawing, *table, *_below(scene, frame, rows, has_hand=True, has_news=True)]


def fit(lines: Sequence[Text | str], width: int) -> list[Text]:
    """Wrap lines between words. A word that is wider than `width` is broken."""
    console = Console(width=max(width, 1), color_system=None, legacy_windows=False)
    texts = [Text(line) if isinstance(line, str) else line for line in lines]
    return [
        part for line in texts for part in (line.wrap(console, max(width, 1)) if line else [line])
    ]


def hang(line: Text | str, margin: int, width: int) -> list[Text]:
    """Wrap a line whose first `margin` columns are a label or blank. Wrapped rows are indented.

    If there is little room, they are not indented.
    """
    if width <= 2 * margin:
        return fit([line], width)
    label, words = (Text(line) if isinstance(line, str) else line).divide([margin])
    first, *others = fit([words], width - margin)
    blank = Text(" " * margin)
    return [label.append_text(first), *(blank.copy().append_text(row) for row in others)]


def pages_of(notes: Sequence[Text | str], width: int, rows: int) -> list[list[Text]]:
    """Wrap notes and distribute them over pages of at most `rows` rows.

    A note is not split unless it is longer than a page. Blank notes never begin a page.
    """
    pages: list[list[Text]] = [[]]
    for note in notes:
        lines = fit([note], width)
        if len(pages[-1]) + len(lines) > rows and pages[-1]:
            pages.append([])
        if not note and not pages[-1]:
            continue
        while len(lines) > rows:
            pages[-1] += lines[:rows]
            lines = lines[rows:]
            pages.append([])
        pages[-1] += lines
    return pages if pages[-1] or len(pages) == 1 else pages[:-1]


def _beside(left: Sequence[Text], right: Sequence[Text]) -> list[Text]:
    """Return two columns side by side. All lines of the left column must be equally wide."""
    blank = Text(" " * len(left[0]))
    return [
        line if panel is None else Text.assemble(line, " ", panel)
        for line, panel in zip_longest([*left, *[blank] * (len(right) - len(left))], right)
    ]


def _below(
    scene: Scene, frame: Frame, rows: int, *, has_hand: bool = False, has_news: bool = False
) -> list[Text]:
    """Return at most `rows` lines to print below the board.

    The lines are the menu and the notes. With `has_hand` and `has_news`, the hand and the latest
    news come first if they fit.
    """
    notes = fit(scene.notes, frame.width)[-rows:]
    cards = _hand(scene, frame.width, rows - len(notes), _FEWEST) if has_hand else []
    rows -= len(notes) + len(cards)
    menu = _menu(scene.menu, frame.width, rows, keeps_last=not notes)
    news = _news(scene.news, frame.width, rows - len(menu)) if has_news else []
    return [*news, *cards, *menu, *notes]


def _menu(menu: Sequence[str], width: int, rows: int, *, keeps_last: bool) -> list[Text]:
    """Return the entries of a menu that fit completely into `rows`.

    With `keeps_last`, the last entry has priority. If it does not fit, the result is empty.
    """
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


def _table(scene: Scene, look: Look, width: int = 0) -> tuple[list[Text], list[Text]]:
    """Return lines with the turn and the players, and separate lines with the supply.

    Each player has a line with the points and the number of cards. The line of the deciding seat is
    marked. If `width` is not 0, the players' lines are shortened to this width.
    """
    position = scene.position
    task = TASKS.get(position.phase, position.phase)
    lines = [Text.assemble(f"turn {position.turn + 1}{'' if width else ':'} ", (task, "bold"))]
    digits = max(len(str(score)) for score in position.scores) if width else 3
    for seat, name in enumerate(scene.names):
        is_due = seat == position.seat and position.phase != "over"
        line = Text(f"{look.strokes.here if is_due else ' '} ", style="bold" if is_due else "")
        line.append(f"{position.scores[seat]:>{digits}} ", "bold")
        cards = f" ({position.hand_sizes[seat]})"
        line.append(cut(name, width - len(line) - len(cards)) if width else name)
        lines.append(line.append(cards, "dim"))
    return lines, supply_panel(position)


def _table_panel(scene: Scene, look: Look) -> list[Text]:
    """Return a panel with the turn, the players and the supply."""
    players, supply = _table(scene, look)
    return [*players, Text(""), Text("supply", "cyan"), *supply]


def _whole_panel(scene: Scene, look: Look, width: int, height: int) -> list[Text]:
    """Return a panel with the turn, players, supply, legend, hand and news.

    If there is not enough room, the legend and the news are left out.
    """
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
    """Return rows with the cards in the hand, their letters and their points.

    The cards are aligned in columns if this leaves `spare` of the `rows` free. Otherwise each row
    has as many cards as fit. If some cards do not fit at all, the last row says so.
    """
    if scene.seat is None or scene.scored_view is None:
        return []
    values = card_values(scene.scored_view, scene.seat)
    if not values:
        return [Text("no cards")]
    cards = [
        Text.assemble((f"{hand_letter(at)} ", "bold cyan"), name, (f" {points}", "bold"))
        for at, (name, points) in enumerate(values)
    ]
    widest = max(len(name) + len(points) for name, points in values) + 5
    per_row = max(min((width + 2) // widest, len(cards)), 1)
    if -(-len(cards) // per_row) > rows - spare:
        lines = flow(cards, 2, width)
    else:
        lines = [Text() for _ in cards[::per_row]]
        for at, card in enumerate(cards):
            lines[at // per_row].append_text(card).append(" " * (widest - len(card)))
        for line in lines:
            line.rstrip()
    if len(lines) <= rows:
        return lines
    return [*lines[: rows - 1], Text("... cards shows the others", "dim")] if rows > 1 else []


def _news(news: Sequence[str], width: int, rows: int) -> list[Text]:
    """Return the last rows of news that fit. Wrapped rows stay indented if there is room."""
    lines: list[Text] = []
    for line in news:
        lines += hang(line, len(line) - len(line.lstrip()), width)
    return lines[-rows:] if rows > 0 else []


def _listed(scene: Scene, look: Look, needed: str) -> list[Text]:
    """Return a page without a drawing. `needed` says what a drawing needs."""
    pieces = board_lines(scene.position) if scene.position.walls else []
    words = [*scene.news[-6:], *scene.menu, *scene.notes]
    return [
        *_table_panel(scene, look),
        Text(needed),
        *map(Text, pieces),
        *_hand(scene, 0),
        *(Text(line) if isinstance(line, str) else line for line in words),
    ]
