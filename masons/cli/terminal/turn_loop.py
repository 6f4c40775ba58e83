"""The loop that runs a game at a terminal until the game ends or a person leaves."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from masons.cli.reports.analysis_report import advice
from masons.cli.terminal.game_display import GameDisplay
from masons.cli.terminal.text_page import size_for
from masons.cli.terminal.typed_moves import (
    CARD_LIST,
    CARD_VERBS,
    RETYPE,
    card_of_game,
    faces_line,
    read_move,
    read_roll,
)
from masons.engine.board.components import CARD_MEANINGS, CARD_NAMES, CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.plain_text import count, does, multiset, owner, victory
from masons.words.events import END_WORDS
from masons.words.moves import card_name

if TYPE_CHECKING:
    from masons.cli.terminal.screen import Screen
    from masons.match.playing.played_game import PlayedGame

_LEAVE: Final = "leave the game? It is saved."
_PHASE_HELP: Final = {
    "wall": "a wall: type the line's number (57); lines shows all numbers",
    "towers": "towers: type the number of a move of the menu",
    "houses": "houses: type the number of a move of the menu",
    "merge": "a merge: type the number of a move of the menu",
    "score": "cards: a number of the menu, or play a c, play cities, abstain b",
    "swap": "a swap: none, or the cards to exchange: swap a c, swap cities",
    "final": "last cards: a number of the menu, or final 17 a c, or pass",
    "draw": "the card that was drawn: its name, its id or the id's beginning (land-sh)",
}
_PANEL_HELP: Final = (
    "beside the board: who decides (marked), points, name (cards in hand);",
    "then the supply: W10 = 10 white towers, r12 = 12 red houses, R3 = 3 red palaces",
)
_HELP: Final = {
    "hint": "see what the engine would do, and why",
    "moves": "list all moves",
    "lines": "show the numbers of all lines, for a wall",
    "board": "show the page again",
    "cards": "explain your cards, and list those face up",
    "log": "read the whole game so far",
    "undo": "take back your last move if it revealed nothing (--practice: any)",
    "save FILE": "copy the game to another file",
    "resign": "give up",
    "quit": "leave; the game is saved and can be resumed",
}


class LeaveGame(Exception):  # noqa: N818
    """A person's request to leave the unfinished game."""

    def __init__(self, *, interrupted: bool = False) -> None:
        super().__init__()
        self.interrupted = interrupted  # True if Ctrl-C was pressed


class Commands:
    """The commands that can be typed instead of a move. Only undo and resign change the game."""

    def __init__(self, display: GameDisplay) -> None:
        self._display = display
        self._played = display.played
        self._by_word: dict[str, Callable[[str], None]] = {
            "help": self._help,
            "?": self._help,
            "hint": self._hint,
            "undo": self._undo,
            "save": self._save,
            "board": lambda _: display.page(display.decider),
            "lines": self._lines,
            "moves": self._moves,
            "cards": self._cards,
            "log": self._log,
            "resign": self._resign,
            "quit": self._quit,
            "exit": self._quit,
        }
        self.words = tuple(self._by_word)

    def run(self, text: str) -> bool:
        """Carry out a text if it is a command. Return True if it was a command.

        Raises LeaveGame or EOFError.
        """
        word, _, rest = text.partition(" ")
        command = self._by_word.get(word.lower())
        if command is None or (word == "?" and rest):  # a typed roll may begin with ?
            return False
        command(rest.strip())
        return True

    def _is_idle(self) -> bool:
        """Return True, and print a message, if no person has a decision to make."""
        if self._display.decider is None:
            self._display.say("! there is nothing to decide now")
        return self._display.decider is None

    def _help(self, _: str) -> None:
        phase = self._played.game.phase
        self._display.say(
            *([_PHASE_HELP[phase]] if phase in _PHASE_HELP else []),
            *([CARD_LIST] if phase == "draw" else []),
            *([RETYPE] if self._played.setup.hands is not None else []),
            "moves can also be written: wall:57, play:cities+land-red; Tab completes them",
            *(f"{name:<10} {what}" for name, what in _HELP.items()),
            *_PANEL_HELP,
        )

    def _hint(self, _: str) -> None:
        if not self._is_idle():
            played = self._played
            self._display.wait("thinking ...")
            analysis = played.hint()
            view = played.scored_view(played.game.seat)
            self._display.say(*advice(view, analysis, played.explain(analysis), played.names))

    def _undo(self, _: str) -> None:
        played = self._played
        is_persons = played.game.seat in played.people and not played.why_no_undo
        if is_persons or played.setup.hands is None:
            if self._display.attempt(played.undo):
                self._display.say("taken back")
        elif self._display.attempt(played.take_back_typed):
            self._display.say("the last roll or card that was typed in is taken back: type it anew")

    def _save(self, name: str) -> None:
        keeper = self._played.keeper
        if not name:
            self._display.say("! save needs the name of a file: save game.jsonl")
        elif keeper is None:
            self._display.say("! this game is not saved in a file")
        elif self._display.attempt(keeper.save, name):
            again = f"masons-engine play --resume {shlex.quote(name)}"
            self._display.say("saved; this command continues from here:", again)

    def _lines(self, _: str) -> None:
        """Show the numbers of all lines on the board, or list them if the board is not drawn."""
        display, game = self._display, self._played.game
        if game.phase != "wall" or display.decider is None:
            display.say("! no wall is due")
            return
        display.shows_all_ids = True
        display.page(display.decider)
        if size_for(game.board, display.screen.frame()) == "words":
            for group in display.line_groups():
                display.say(f"{group.title}: {', '.join(map(str, group.lines))}")

    def _moves(self, _: str) -> None:
        if self._is_idle():
            return
        items = self._played.items()
        self._display.say(*(f"{item.key:>4} {item.words}" for item in items))
        left = len(self._played.game.legal_moves()) - len(items)
        if left > 0:
            self._display.say(f"     and {left} more: type the cards")

    def _cards(self, _: str) -> None:
        """Explain the cards in the hand, and list the cards that lie face up."""
        if self._played.viewers:
            seat = self._played.viewers[0]
            hand = self._played.scored_view(seat).hand(seat)
            for card in dict.fromkeys(CARDS[kind] for kind in hand):
                self._display.say(f"{CARD_NAMES[card]}: {CARD_MEANINGS[card]}")
        position = self._played.game.position
        face_up = multiset(Counter(map(card_name, position.discard)))
        self._display.say(f"face up: {face_up or 'nothing'}")
        self._display.say(f"face down: {count(position.deck_size, 'card')}")

    def _log(self, _: str) -> None:
        news = self._played.news(None) or ["nothing has happened yet"]
        self._display.say(*news, from_end=True)

    def _resign(self, _: str) -> None:
        if self._is_idle():
            return
        seat = self._played.game.seat
        is_alone = len(self._played.setup.people) == 1
        if self._display.yes("Resign?" if is_alone else f"{self._display.names[seat]}: resign?"):
            self._display.attempt(self._played.resign, seat)

    def _quit(self, _: str) -> None:
        if self._display.yes(_LEAVE):
            raise LeaveGame


class TurnLoop:
    """The loop of a game. It asks people for decisions, dice and cards, and runs engines."""

    def __init__(self, played: PlayedGame, screen: Screen) -> None:
        self._played = played
        self._screen = screen
        self._display = GameDisplay(played, screen)
        self._commands = Commands(self._display)
        self._has_several_people = len(played.setup.people) > 1
        self._at_keys: int | None = None  # the seat whose cards the screen may show
        self.interrupted = False  # True if Ctrl-C ended the game

    def run(self) -> bool:
        """Play the game. Return True if the game ended."""
        setup = self._played.setup
        if setup.fair is not None:
            begins = does(self._display.names[setup.first], "begins")
            fair_lines = (f"A fair game: {begins}, as it was drawn.", f"  {setup.fair.commitment}")
            self._display.say(*fair_lines)
        if setup.hands is not None:
            self._display.say(RETYPE)
        try:
            while self._played.due != "over":
                self._step()
        except (LeaveGame, EOFError) as left:
            self.interrupted = isinstance(left, LeaveGame) and left.interrupted
            keeper = self._played.keeper
            saved = []
            if keeper is not None:
                resume = f"masons-engine play --resume {shlex.quote(keeper.name)}"
                saved = [] if self._screen.live else [""]
                saved.append(f"the game is saved: {resume}")
            self._display.close(*saved)
            return False
        self._end()
        return True

    def _step(self) -> None:
        due = self._played.due
        try:
            if due == "engine":
                if self._screen.live:
                    self._display.page(None)
                name = self._display.names[self._played.game.seat]
                self._display.wait(f"{does(name, 'decides')} ...")
                self._played.engine_moves()
            elif due == "person":
                self._decide()
            elif due == "roll":
                self._roll()
            else:
                self._card()
        except KeyboardInterrupt:
            self._may_leave()

    def _may_leave(self) -> None:
        """Ask whether to leave the game after Ctrl-C. A second Ctrl-C leaves at once."""
        try:
            if not self._screen.live:
                self._screen.show([""])
            if self._display.yes(_LEAVE):
                raise LeaveGame(interrupted=True)
        except KeyboardInterrupt:
            raise LeaveGame(interrupted=True) from None

    def _ask(self, prompt: str, words: Sequence[str]) -> str | None:
        """Ask for an answer and return it.

        If the answer is a command, carry it out and return None. For an empty answer, also return
        None.
        """
        answer = self._display.ask(prompt, [*self._commands.words, *words])
        return None if self._commands.run(answer) else answer or None

    # --- dice and cards from a real table, which people type in

    def _roll(self) -> None:
        game = self._played.game
        self._display.page(None)
        self._display.say(faces_line(has_tower=game.rolls_tower))
        what = "tower die and two house dice" if game.rolls_tower else "two house dice"
        example = "W r ?" if game.rolls_tower else "r ?"
        prompt = f"{owner(self._display.names[game.seat])} {what}, such as {example}: "
        answer = self._ask(prompt, HOUSE_DIE + TOWER_DIE)
        if answer is not None:
            self._display.attempt(
                lambda: self._played.give_roll(*read_roll(answer, game.rolls_tower))
            )

    def _card(self) -> None:
        seat = self._played.game.seat
        self._hand_over(seat)
        whose = owner(self._display.names[seat])
        answer = self._ask(f"{whose} new card, such as land-shore (?: all cards): ", CARDS)
        if answer is not None:
            self._display.attempt(lambda: self._played.give_card(card_of_game(answer.lower())))

    # --- a person's decision

    def _hand_over(self, seat: int) -> None:
        """Hide the page until the next person is at the keyboard."""
        if self._at_keys == seat or not self._has_several_people:
            return
        if self._at_keys is not None:
            self._display.hide()
        self._at_keys = None
        while self._at_keys is None:
            try:
                name = self._display.names[seat]
                self._display.ask(f"Pass the keyboard to {name}, then press Enter: ")
                self._at_keys = seat
            except KeyboardInterrupt:
                self._may_leave()

    def _decide(self) -> None:
        """Show the page, and ask until the person has decided or a command has changed the game."""
        game = self._played.game
        seat, decided = game.seat, game.decisions
        self._hand_over(seat)
        self._display.page(seat)
        while self._played.due == "person" and (game.seat, game.decisions) == (seat, decided):
            moves = [str(item.move) for item in self._played.items()]
            cards = [f"{verb} {CARDS[kind]}" for verb in CARD_VERBS for kind in self._hand()]
            prompt = f"{self._display.names[seat]}, {game.phase}: "
            answer = self._ask(prompt, [*moves, *cards])
            if answer is not None:
                self._display.attempt(self._make, answer)

    def _make(self, text: str) -> None:
        phase, board = self._played.game.phase, self._played.game.board
        self._played.make(read_move(text, phase, self._hand(), self._played.items(), board))
        self._display.shows_all_ids = False

    def _hand(self) -> Sequence[int]:
        seat = self._played.game.seat
        return self._played.scored_view(seat).hand(seat)

    def _end(self) -> None:
        game, stopped = self._played.game, self._played.stopped
        names, result = self._display.names, game.result
        if self._has_several_people:
            self._display.hide()
        self._display.page(None)
        if stopped is not None and stopped.seat is not None:
            others = [name for seat, name in enumerate(names) if seat != stopped.seat]
            won = f" {victory(others)}." if len(others) == 1 else ""
            self._display.say(f"{does(names[stopped.seat], 'resigns')}.{won}")
        elif result is not None:
            won = victory([names[seat] for seat in result.winners])
            scores = "; ".join(
                f"{name} {count(score, 'point')}, {count(cards, 'card')}"
                for name, score, cards in zip(names, result.scores, result.hand_sizes, strict=True)
            )
            self._display.say(f"The game ends: {END_WORDS[result.end]}. {won}.", scores)
        files = []
        if self._played.keeper is not None:
            name = self._played.keeper.name
            files.append(f"record: {name}")
            files.append(f"what could have been better: masons-engine review {shlex.quote(name)}")
            if self._played.setup.fair is not None:
                files.append(f"its dice and cards: masons-engine verify {shlex.quote(name)}")
        self._display.close(*files)
