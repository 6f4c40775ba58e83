"""A game's pages at a terminal, and questions of yes or no: for turns and for commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, ParamSpec

from masons.cli.terminal.dialogue.marks import marks
from masons.cli.terminal.drawing.text_page import Scene, draw_page, fit, rows_below
from masons.cli.terminal.drawing.text_panels import cut
from masons.engine.errors import MasonsError
from masons.engine.plain_text import count
from masons.match.playing.game_words import brief_news
from masons.match.playing.scored_view import line_groups, may_roll_early

if TYPE_CHECKING:
    from rich.text import Text

    from masons.cli.terminal.dialogue.terminal import Terminal
    from masons.match.playing.played_game import PlayedGame

P = ParamSpec("P")

_TALL: Final = 30  # rows of a terminal that can show more of the menu
_SHOWN: Final = (3, 5)  # moves of the menu on a page, low or tall
_MOST_OFFERED: Final = 12  # completions of what was typed
_BRIEF_NAME: Final = 16  # letters of a name in the narrowest panel
_BACK: Final = ("b", "back")
_OUT: Final = ("q", "quit", "exit")


class GameDisplay:
    """Shows a game's pages at a terminal.

    A live terminal shows one page at a time, drawn anew in its place before each question: the
    board, and below it what was said since the last answer. What finds no room there is read page
    by page. Elsewhere pages and lines follow one another.
    """

    def __init__(self, played: PlayedGame, terminal: Terminal) -> None:
        self.played = played
        self.terminal = terminal
        self.all_ids = False  # whether all lines are numbered on the board
        self._page: tuple[int | None] | None = None  # for whom the page is that is shown
        self._notes: list[Text | str] = []  # said since the last answer
        self._read_last = False  # whether they are read from their end

    @property
    def names(self) -> Sequence[str]:
        """The names of the seats, fit to be shown."""
        return self.played.names

    @property
    def decider(self) -> int | None:
        """The seat of the person that decides now."""
        return self.played.game.seat if self.played.due == "person" else None

    def say(self, *lines: Text | str, from_end: bool = False) -> None:
        """Print lines, on a live terminal with the next page; `from_end`: its end is read first."""
        if self.terminal.live:
            self._notes += lines
            self._read_last = from_end
        else:
            self.terminal.show(lines)

    def wait(self, line: str) -> None:
        """Say at once what is waited for."""
        if self.terminal.live:
            self._draw([line])
        else:
            self.terminal.show([line])

    def ask(self, prompt: str, words: Sequence[str] = ()) -> str:
        """An answer; `words` complete it. Raises EOFError, KeyboardInterrupt."""
        if not self.terminal.live:
            return self.terminal.ask(prompt, words)
        try:
            if len(self._rows()) > self._room():
                typed = self._read()
                if typed:
                    return typed
                self._notes = []
            self._draw(self._notes)
            return self.terminal.ask(
                prompt, words, lambda found: self._draw(_offered(found) or self._notes)
            )
        finally:
            self._notes, self._read_last = [], False

    def yes(self, question: str) -> bool:
        """Whether an answer says yes; asked again after nonsense."""
        while True:
            answer = self.ask(f"{question} y or n: ").lower()
            if answer in ("y", "yes", "n", "no", ""):
                return answer.startswith("y")

    def attempt(self, work: Callable[P, object], *args: P.args, **words: P.kwargs) -> bool:
        """Do what was asked for; say in a line why it cannot be done."""
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
        """The board and what stands beside it, for a seat or for everybody."""
        self._page = (seat,)
        if not self.terminal.live:
            self.terminal.wipe()
            self.terminal.show(draw_page(self._scene(seat, ()), self.terminal.frame()))

    def hide(self, *, scrolled: bool = False) -> None:
        """No page any more; `scrolled`: what has scrolled away can be seen no more, either."""
        self._page = None
        self.terminal.wipe(scrolled=scrolled)

    def close(self) -> None:
        """Show the last page with what was said, before the program ends."""
        if self.terminal.live and len(self._rows()) <= self._room():
            self._draw(self._notes)
        elif self.terminal.live:
            self._draw(())
            self.terminal.show(self._rows())
        self._notes = []

    def _draw(self, notes: Sequence[Text | str]) -> None:
        """The page in its place, with some notes."""
        frame = self.terminal.frame()
        if self._page is None:
            lines = fit(notes, frame.width)
        else:
            lines = draw_page(self._scene(self._page[0], notes), frame)
        self.terminal.wipe()
        self.terminal.show(lines)

    def _rows(self) -> list[Text]:
        return fit(self._notes, self.terminal.frame().width)

    def _room(self) -> int:
        frame = self.terminal.frame()
        return frame.height - 1 if self._page is None else rows_below(self.played.game.board, frame)

    def _read(self) -> str:
        """Let the notes be read page by page: what was typed in the end, empty to go on."""
        first = max(len(self._rows()) - self._whole, 0) if self._read_last else 0
        while True:
            self._draw_rows(first)
            rows, whole = len(self._rows()), self._whole
            left = rows - first - whole
            more = f"{count(left, 'more row')}: Enter" if left > 0 else "Enter: the board"
            back = ", b: back" if first > 0 else ""
            out = ", q: the board" if left > 0 else ""
            answer = self.terminal.ask(f"[{more}{back}{out}] ", (), partial(self._draw_rows, first))
            if answer.lower() in _BACK:
                first = max(first - whole, 0)
            elif answer or left <= 0:
                return "" if answer.lower() in _OUT else answer
            else:
                first += whole

    @property
    def _whole(self) -> int:
        """Rows of a screen but one."""
        return max(self.terminal.frame().height - 1, 1)

    def _draw_rows(self, first: int, _: Sequence[str] = ()) -> None:
        self.terminal.wipe()
        self.terminal.show(self._rows()[first : first + self._whole])

    def _scene(self, seat: int | None, notes: Sequence[Text | str]) -> Scene:
        played, game = self.played, self.played.game
        alone = played.setup.people[0] if len(played.setup.people) == 1 else None
        owner = alone if seat is None else seat
        position = game.position.observed_by(None) if owner is None else game.view(owner)
        return Scene(
            board=game.board,
            position=position,
            names=self.names,
            seat=owner,
            scored_view=None if owner is None else played.scored_view(owner),
            news=played.news(owner),
            brief=brief_news(
                played.changes(owner), [cut(name, _BRIEF_NAME) for name in self.names]
            ),
            notes=notes,
            menu=self._menu() if seat is not None and seat == self.decider else (),
            look=marks(played, owner, decides=seat is not None, all_ids=self.all_ids),
        )

    def _menu(self) -> list[str]:
        """The moves that are known best; `moves` shows all."""
        game = self.played.game
        if game.phase == "wall":
            return self._wall_menu()
        items = self.played.items()
        lines = [f"{item.key:>3} {item.words}" for item in items[: self._rows_left]]
        left = len(game.legal_moves()) - len(lines)
        if left == 1 and len(items) == len(lines) + 1:
            lines.append(f"{items[-1].key:>3} {items[-1].words}")
        elif left > 0:
            lines.append(f"    ... and {count(left, 'other')}: moves shows them")
        return lines

    @property
    def _rows_left(self) -> int:
        return _SHOWN[self.terminal.frame().height >= _TALL]

    def _wall_menu(self) -> list[str]:
        game = self.played.game
        groups = line_groups(self.played.scored_view(game.seat), game.observe(game.seat))
        lines = []
        for group in groups[: self._rows_left - 1]:
            if group.title == "elsewhere":
                continue
            notes = group.notes or ("",) * len(group.lines)
            named = [
                f"{line} ({note})" if note else str(line)
                for line, note in zip(group.lines, notes, strict=True)
            ]
            lines.append(_in_a_row(f"{group.title}: ", named, self.terminal.frame().width))
        early = ", early-roll" if may_roll_early(game.legal_moves()) else ""
        lines.append(f"type a line's number (lines shows all of them){early}, hint or help")
        return lines


def _in_a_row(title: str, words: Sequence[str], width: int) -> str:
    """As many words behind a title as fit in a row, at least one."""
    shown = len(words)
    while shown > 1 and len(title + ", ".join(words[:shown])) + 4 * (shown < len(words)) > width:
        shown -= 1
    return f"{title}{', '.join(words[:shown])}{' ...' if shown < len(words) else ''}"


def _offered(found: Sequence[str]) -> list[str]:
    """What a text may become, in some rows."""
    if not found:
        return []
    more = f" and {len(found) - _MOST_OFFERED} others" if len(found) > _MOST_OFFERED else ""
    return [f"may be: {', '.join(found[:_MOST_OFFERED])}{more}"]
