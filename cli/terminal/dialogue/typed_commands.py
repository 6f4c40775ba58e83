"""What a person may type instead of a move."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from masons.cli.terminal.dialogue.advice import advice
from masons.cli.terminal.dialogue.help_page import help_lines
from masons.cli.terminal.dialogue.menu import line_groups
from masons.cli.terminal.drawing.text_page import size_for
from masons.engine.board.components import CARD_MEANINGS, CARDS
from masons.engine.formats.plain_words import count

if TYPE_CHECKING:
    from masons.cli.terminal.dialogue.host import Host


class Leave(Exception):  # noqa: N818
    """Somebody leaves the game, which stays as it is."""


class Commands:
    """The commands by their words; none of them decides anything but undo and resign."""

    def __init__(self, host: Host) -> None:
        self._host = host
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
        if self._host.decider is None:
            self._host.say("! there is nothing to decide now")
        return self._host.decider is None

    def _help(self, _: str) -> None:
        self._host.say(*help_lines(self._host.played.game.phase))

    def _hint(self, _: str) -> None:
        played = self._host.played
        if not self._nobody():
            self._host.say("thinking ...")
            found = played.hint()
            self._host.say(*advice(played.scored_view(played.game.seat), found))

    def _undo(self, _: str) -> None:
        if not self._nobody() and self._host.attempt(self._host.played.undo):
            self._host.say("taken back")

    def _save(self, name: str) -> None:
        keeper = self._host.played.keeper
        if not name:
            self._host.say("! save needs the name of a file: save game.jsonl")
        elif keeper is None:
            self._host.say("! this game is not kept")
        elif self._host.attempt(keeper.save, name):
            self._host.say(f"saved: play --resume {name} goes on from here")

    def _board(self, _: str) -> None:
        self._host.terminal.wipe()
        self._host.page(self._host.decider)

    def _lines(self, _: str) -> None:
        """All the numbers of lines, on the board or, where that is not drawn, in groups."""
        game = self._host.played.game
        if game.phase != "wall" or self._host.decider is None:
            self._host.say("! no wall is due")
            return
        self._host.all_ids = True
        self._board("")
        if size_for(game.board, self._host.terminal.frame()) != "words":
            return
        for group in line_groups(self._host.played.scored_view(game.seat), game.observe(game.seat)):
            self._host.say(f"{group.title}: {', '.join(map(str, group.lines))}")

    def _moves(self, _: str) -> None:
        if self._nobody():
            return
        items = self._host.played.items()
        self._host.say(*(f"{item.key:>4} {item.words}" for item in items))
        left = len(self._host.played.game.legal_moves()) - len(items)
        if left > 0:
            self._host.say(f"     and {count(left, 'more', 'more')}: type the cards")

    def _cards(self, _: str) -> None:
        """What the cards of the hand mean, and what lies face up."""
        played = self._host.played
        if played.viewers:
            seat = played.viewers[0]
            hand = played.view(seat).hands[seat]
            assert not isinstance(hand, int)
            for kind in dict.fromkeys(hand):
                self._host.say(f"{CARDS[kind]}: {CARD_MEANINGS[CARDS[kind]]}")
        position = played.game.position
        up = [CARDS[kind] for kind in position.discard]
        named = [f"{name} x2" if up.count(name) > 1 else name for name in dict.fromkeys(up)]
        self._host.say(f"face up: {', '.join(named) or 'nothing'}")
        self._host.say(f"face down: {count(position.deck_size, 'card')}")

    def _log(self, _: str) -> None:
        self._host.say(*(self._host.played.news(None) or ["nothing has happened yet"]))

    def _resign(self, _: str) -> None:
        if self._nobody():
            return
        seat = self._host.played.game.seat
        if self._host.yes(f"{self._host.names[seat]} gives up: sure?"):
            self._host.attempt(self._host.played.resign, seat)

    def _quit(self, _: str) -> None:
        if self._host.yes("leave the game? it is kept."):
            raise Leave
