"""A game's pages at a terminal, and questions of yes or no: for turns and for commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, ParamSpec

from masons.cli.terminal.dialogue.marks import marks
from masons.cli.terminal.dialogue.menu import line_groups, may_roll_early
from masons.cli.terminal.drawing.text_page import Scene, draw_page
from masons.engine.errors import MasonsError
from masons.engine.formats.plain_words import count

if TYPE_CHECKING:
    from rich.text import Text

    from masons.cli.terminal.dialogue.played_game import PlayedGame
    from masons.cli.terminal.dialogue.terminal import Terminal

P = ParamSpec("P")

_TALL: Final = 40  # rows of a terminal that can show more of the menu
_SHOWN: Final = (3, 5)  # moves of the menu on a page, low or tall
_WIDE: Final = 12  # lines of a group that are named on a page


class GameDisplay:
    """Shows a game's pages at a terminal."""

    def __init__(self, played: PlayedGame, terminal: Terminal) -> None:
        self.played = played
        self.terminal = terminal
        self.all_ids = False  # whether all lines are numbered on the board

    @property
    def names(self) -> Sequence[str]:
        """The names of the seats, fit to be shown."""
        return self.played.names

    @property
    def decider(self) -> int | None:
        """The seat of the person that decides now."""
        return self.played.game.seat if self.played.due == "person" else None

    def say(self, *lines: Text | str) -> None:
        """Print lines."""
        self.terminal.show(lines)

    def yes(self, question: str) -> bool:
        """Whether an answer says yes; asked again after nonsense."""
        while True:
            answer = self.terminal.ask(f"{question} y or n: ").lower()
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
        played, game = self.played, self.played.game
        alone = played.setup.people[0] if len(played.setup.people) == 1 else None
        owner = alone if seat is None else seat
        position = game.position.observed_by(-1) if owner is None else game.view(owner)
        scene = Scene(
            board=game.board,
            position=position,
            names=self.names,
            seat=owner,
            scored_view=None if owner is None else played.scored_view(owner),
            news=played.news(owner),
            menu=self._menu() if seat is not None and seat == self.decider else (),
            look=marks(played, seat, all_ids=self.all_ids),
        )
        self.say(*draw_page(scene, self.terminal.frame()))

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
            more = " ..." if len(named) > _WIDE else ""
            lines.append(f"{group.title}: {', '.join(named[:_WIDE])}{more}")
        early = ", early-roll" if may_roll_early(game.legal_moves()) else ""
        lines.append(f"type a line's number (lines shows all of them){early}, hint or help")
        return lines
