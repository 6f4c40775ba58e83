"""What a person may type instead of a move."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from masons.cli.terminal.dialogue.help_page import help_lines
from masons.cli.terminal.drawing.text_page import size_for
from masons.engine.board.components import CARD_MEANINGS, CARDS
from masons.engine.plain_text import count, does
from masons.match.playing.game_words import advice
from masons.match.playing.scored_view import line_groups

if TYPE_CHECKING:
    from masons.cli.terminal.dialogue.game_display import GameDisplay


class Leave(Exception):  # noqa: N818
    """Somebody leaves the game, which stays as it is; `interrupted`: by Ctrl-C."""

    def __init__(self, *, interrupted: bool = False) -> None:
        super().__init__()
        self.interrupted = interrupted


class Commands:
    """The commands by their words; none of them decides anything but undo and resign."""

    def __init__(self, display: GameDisplay) -> None:
        self._display = display
        self._known: dict[str, Callable[[str], None]] = {
            "help": self._help,
            "?": self._help,
            "hint": self._hint,
            "undo": self._undo,
            "save": self._save,
            "board": self._board,
            "lines": self._lines,
            "moves": self._moves,
            "cards": self._cards,
            "log": self._log,
            "resign": self._resign,
            "quit": self._quit,
            "exit": self._quit,
        }

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are commands."""
        return tuple(self._known)

    def run(self, text: str) -> bool:
        """Whether a text is a command; then it was carried out. Raises Leave, EOFError."""
        word, _, rest = text.partition(" ")
        command = self._known.get(word.lower())
        if command is None or (word == "?" and rest):  # dice may show a ?
            return False
        command(rest.strip())
        return True

    def _nobody(self) -> bool:
        """Whether no person decides now, which is said."""
        if self._display.decider is None:
            self._display.say("! there is nothing to decide now")
        return self._display.decider is None

    def _help(self, _: str) -> None:
        self._display.say(*help_lines(self._display.played.game.phase))

    def _hint(self, _: str) -> None:
        played = self._display.played
        if not self._nobody():
            self._display.wait("thinking ...")
            found = played.hint()
            view = played.scored_view(played.game.seat)
            self._display.say(*advice(view, found, played.explain(found), played.names))

    def _undo(self, _: str) -> None:
        if not self._nobody() and self._display.attempt(self._display.played.undo):
            self._display.say("taken back")

    def _save(self, name: str) -> None:
        keeper = self._display.played.keeper
        if not name:
            self._display.say("! save needs the name of a file: save game.jsonl")
        elif keeper is None:
            self._display.say("! this game is not kept")
        elif self._display.attempt(keeper.save, name):
            again = f"masons-engine play --resume {shlex.quote(name)}"
            self._display.say(f"saved: {again} goes on from here")

    def _board(self, _: str) -> None:
        self._display.page(self._display.decider)

    def _lines(self, _: str) -> None:
        """All the numbers of lines, on the board or, where that is not drawn, in groups."""
        game = self._display.played.game
        if game.phase != "wall" or self._display.decider is None:
            self._display.say("! no wall is due")
            return
        self._display.all_ids = True
        self._board("")
        if size_for(game.board, self._display.terminal.frame()) != "words":
            return
        for group in line_groups(
            self._display.played.scored_view(game.seat), game.observe(game.seat)
        ):
            self._display.say(f"{group.title}: {', '.join(map(str, group.lines))}")

    def _moves(self, _: str) -> None:
        if self._nobody():
            return
        items = self._display.played.items()
        self._display.say(*(f"{item.key:>4} {item.words}" for item in items))
        left = len(self._display.played.game.legal_moves()) - len(items)
        if left > 0:
            self._display.say(f"     and {count(left, 'more', 'more')}: type the cards")

    def _cards(self, _: str) -> None:
        """What the cards of the hand mean, and what lies face up."""
        played = self._display.played
        if played.viewers:
            seat = played.viewers[0]
            hand = played.view(seat).hands[seat]
            assert not isinstance(hand, int)
            for kind in dict.fromkeys(hand):
                self._display.say(f"{CARDS[kind]}: {CARD_MEANINGS[CARDS[kind]]}")
        position = played.game.position
        up = [CARDS[kind] for kind in position.discard]
        named = [f"{name} x2" if up.count(name) > 1 else name for name in dict.fromkeys(up)]
        self._display.say(f"face up: {', '.join(named) or 'nothing'}")
        self._display.say(f"face down: {count(position.deck_size, 'card')}")

    def _log(self, _: str) -> None:
        self._display.say(
            *(self._display.played.news(None) or ["nothing has happened yet"]), from_end=True
        )

    def _resign(self, _: str) -> None:
        if self._nobody():
            return
        seat = self._display.played.game.seat
        if self._display.yes(f"{does(self._display.names[seat], 'gives up')}: sure?"):
            self._display.attempt(self._display.played.resign, seat)

    def _quit(self, _: str) -> None:
        if self._display.yes("leave the game? it is kept."):
            raise Leave
