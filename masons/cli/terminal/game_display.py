"""The pages of a game at a terminal, with questions and messages below the board."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, ParamSpec

from masons.cli.terminal.text_page import Scene, cut, draw_page, fit, rows_below
from masons.engine.errors import MasonsError
from masons.engine.formats.text_board import Look
from masons.engine.plain_text import count
from masons.words.events import brief_news
from masons.words.scored_view import Lines, line_groups, line_moves, may_roll_early

if TYPE_CHECKING:
    from rich.text import Text

    from masons.cli.terminal.screen import Screen
    from masons.engine.game.game import Game
    from masons.match.playing.played_game import PlayedGame

P = ParamSpec("P")

_TALL: Final = 30  # a terminal with this number of rows shows more of the menu
_SHOWN: Final = (3, 5)  # the number of moves in the menu on a low and on a tall terminal
_MOST_OFFERED: Final = 12  # the most completions that are shown
_BRIEF_NAME: Final = 16  # the longest name in the narrowest panel


def numbered(look: Look, game: Game, lines: Callable[[], frozenset[int]]) -> Look:
    """Return `look` with numbers on the places to which the moves of a decision refer.

    For a wall decision, `lines` is called and returns the lines to number.
    """
    match game.phase:
        case "wall":
            return replace(look, line_ids=lines())
        case "towers" | "houses":
            put = frozenset(at for move in game.legal_moves() for at, _ in move.put)
            is_towers = game.phase == "towers"
            return replace(look, tower_ids=put) if is_towers else replace(look, space_ids=put)
        case "merge" | "final":
            roots = frozenset(min(city) for city in game.position.cities)
            return replace(look, space_ids=roots)
    return look


class GameDisplay:
    """The display of a game at a terminal.

    A live terminal shows one page at a time, which is redrawn in place before each question. The
    page has the board and, below the board, the lines printed since the last answer. If these lines
    don't fit, they are shown page by page. On other terminals, pages and lines are printed one
    after the other.
    """

    def __init__(self, played: PlayedGame, screen: Screen) -> None:
        self.played = played
        self.screen = screen
        self.names: Sequence[str] = played.names
        self.shows_all_ids = False  # True if all lines are numbered on the board
        self._has_page = False
        self._seat: int | None = None  # the seat for which the page is drawn; None for everybody
        self._notes: list[Text | str] = []  # the lines printed since the last answer
        self._reads_end_first = False

    @property
    def decider(self) -> int | None:
        """The seat of the person who must decide now, or None if no person must decide."""
        return self.played.game.seat if self.played.due == "person" else None

    def line_groups(self) -> list[Lines]:
        """Return the lines on which the deciding person can place a wall, in groups."""
        return line_groups(self.played.scored_view(self.played.game.seat))

    def say(self, *lines: Text | str, from_end: bool = False) -> None:
        """Print lines. On a live terminal, they appear below the board of the next page.

        If the lines need several pages and `from_end` is true, the last page is shown first.
        """
        if self.screen.live:
            self._notes += lines
            self._reads_end_first = from_end
        else:
            self.screen.show(lines)

    def wait(self, line: str) -> None:
        """Show, immediately, a line that says what the game is waiting for."""
        if self.screen.live:
            self._draw([line])
        else:
            self.screen.show([line])

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """Ask for an answer and return it. Tab completes `words`.

        Raises EOFError or KeyboardInterrupt.
        """
        if not self.screen.live:
            return self.screen.ask(prompt, words)
        try:
            if len(self._rows()) > self._max_rows():
                typed = self._read()
                if typed:
                    return typed
                self._notes = []
            self._draw(self._notes)
            return self.screen.ask(
                prompt, words, lambda matches: self._draw(_offer(matches) or self._notes)
            )
        finally:
            self._notes, self._reads_end_first = [], False

    def yes(self, question: str) -> bool:
        """Ask until the answer is yes or no. Return True for yes. Enter means no."""
        while True:
            answer = self.ask(f"{question} y or n: ").lower()
            if answer in ("y", "yes", "n", "no", ""):
                return answer.startswith("y")

    def attempt(self, work: Callable[P, object], *args: P.args, **words: P.kwargs) -> bool:
        """Do some work and return True if it succeeds. If it fails, print the reason."""
        try:
            work(*args, **words)
        except MasonsError as error:
            self.say(f"! {error}")
            return False
        except OSError as error:
            self.say(f"! {error.filename or 'the file'}: {error.strerror}")
            return False
        return True

    def page(self, seat: int | None) -> None:
        """Show the board and its panels to a seat, or to everybody if `seat` is None.

        A live terminal draws the page only when `ask` or `wait` is called next.
        """
        self._has_page, self._seat = True, seat
        if not self.screen.live:
            self.screen.wipe()
            self.screen.show(draw_page(self._scene(()), self.screen.frame()))

    def hide(self) -> None:
        """Clear the page and all lines that have scrolled away."""
        self._has_page = False
        self.screen.wipe(scrolled=True)

    def close(self, *commands: str) -> None:
        """Show the last page with its lines, and then lines with commands, which are not wrapped.

        The program ends after this.
        """
        if self.screen.live:
            fits = len(self._rows()) <= self._max_rows()
            self._draw(self._notes if fits else ())
            self.screen.show(() if fits else self._rows())
        self._notes = []
        self.screen.show(commands, wraps=False)

    def _draw(self, notes: Sequence[Text | str]) -> None:
        """Redraw the page in place, with notes below it."""
        frame = self.screen.frame()
        lines = draw_page(self._scene(notes), frame) if self._has_page else fit(notes, frame.width)
        self.screen.wipe()
        self.screen.show(lines)

    def _rows(self) -> list[Text]:
        return fit(self._notes, self.screen.frame().width)

    def _max_rows(self) -> int:
        frame = self.screen.frame()
        return rows_below(self.played.game.board, frame) if self._has_page else frame.height - 1

    def _read(self) -> str:
        """Show the notes page by page.

        If the user types anything but a command for paging, return this text. Otherwise return "".
        """
        first = max(len(self._rows()) - self._page_rows, 0) if self._reads_end_first else 0
        while True:
            self._draw_rows(first)
            rows, page_rows = len(self._rows()), self._page_rows
            left = rows - first - page_rows
            more = f"{count(left, 'more row')}: Enter" if left > 0 else "Enter: the board"
            back = ", b: back" if first > 0 else ""
            out = ", q: the board" if left > 0 else ""
            answer = self.screen.ask(f"[{more}{back}{out}] ", (), partial(self._draw_rows, first))
            if answer.lower() in ("b", "back"):
                first = max(first - page_rows, 0)
            elif answer or left <= 0:
                return "" if answer.lower() in ("q", "quit", "exit") else answer
            else:
                first += page_rows

    @property
    def _page_rows(self) -> int:
        return max(self.screen.frame().height - 1, 1)

    def _draw_rows(self, first: int, _: Sequence[str] = ()) -> None:
        self.screen.wipe()
        self.screen.show(self._rows()[first : first + self._page_rows])

    def _scene(self, notes: Sequence[Text | str]) -> Scene:
        played, game, seat = self.played, self.played.game, self._seat
        viewer = seat
        if seat is None and len(played.setup.people) == 1:
            viewer = played.setup.people[0]
        names = [cut(name, _BRIEF_NAME) for name in self.names]
        return Scene(
            board=game.board,
            position=game.position.observed_by(None) if viewer is None else game.view(viewer),
            names=self.names,
            seat=viewer,
            scored_view=None if viewer is None else played.scored_view(viewer),
            news=played.news(viewer),
            brief=brief_news(played.changes(viewer), names),
            notes=notes,
            menu=self._menu() if seat is not None and seat == self.decider else (),
            look=self._marks(viewer, has_ids=seat is not None and played.due == "person"),
        )

    def _marks(self, viewer: int | None, *, has_ids: bool) -> Look:
        """Return a look that marks the walls and pieces that are new to a seat.

        With `has_ids`, the look also numbers the places to which the possible moves refer.
        """
        game = self.played.game
        changes = self.played.latest() if viewer is None else self.played.changes(viewer)
        lines = {event["line"] for event in changes if event["e"] == "wall"}
        if game.position.line is not None:
            lines.add(game.position.line)
        towers, houses = (
            frozenset(place for event in changes if event["e"] == kind for place, _ in event["put"])
            for kind in ("towers", "houses")
        )
        look = Look(fresh_lines=frozenset(lines), fresh_towers=towers, fresh_spaces=houses)
        if not has_ids:
            return look
        return numbered(look, game, self._line_ids)

    def _line_ids(self) -> frozenset[int]:
        """Return the lines to number: all legal lines, or only those of the first two groups."""
        if self.shows_all_ids:
            return frozenset(line_moves(self.played.game.legal_moves()))
        groups = [group for group in self.line_groups()[:2] if group.title != "elsewhere"]
        return frozenset(line for group in groups for line in group.lines)

    def _menu(self) -> list[str]:
        """Return the first entries of the menu. The command `moves` shows all moves."""
        game, frame = self.played.game, self.screen.frame()
        most = _SHOWN[frame.height >= _TALL]
        if game.phase != "wall":
            items = self.played.items()
            lines = [f"{item.key:>3} {item.words}" for item in items[:most]]
            left = len(game.legal_moves()) - len(lines)
            if left == 1 and len(items) == len(lines) + 1:
                lines.append(f"{items[-1].key:>3} {items[-1].words}")
            elif left > 0:
                lines.append(f"    ... and {count(left, 'other')}: moves shows them")
            return lines
        lines = []
        for group in self.line_groups()[: most - 1]:
            if group.title == "elsewhere":
                continue
            notes = group.notes or ("",) * len(group.lines)
            names = [
                f"{line} ({note})" if note else str(line)
                for line, note in zip(group.lines, notes, strict=True)
            ]
            lines.append(_in_a_row(f"{group.title}: ", names, frame.width))
        early = ", early-roll" if may_roll_early(game.legal_moves()) else ""
        lines.append(f"type a line's number (lines shows all of them){early}, hint or help")
        return lines


def _in_a_row(title: str, words: Sequence[str], width: int) -> str:
    """Return a row with a title and as many words as fit, but at least one word."""
    shown = len(words)
    while shown > 1 and len(title + ", ".join(words[:shown])) + 4 * (shown < len(words)) > width:
        shown -= 1
    return f"{title}{', '.join(words[:shown])}{' ...' if shown < len(words) else ''}"


def _offer(matches: Sequence[str]) -> list[str]:
    """Return a line that shows the completions, or no line if there are none."""
    if not matches:
        return []
    more = f" and {len(matches) - _MOST_OFFERED} others" if len(matches) > _MOST_OFFERED else ""
    return [f"may be: {', '.join(matches[:_MOST_OFFERED])}{more}"]
