"""A game played at a terminal: pages out, answers in, until it is over or somebody leaves."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from masons.cli.terminal.dialogue.game_display import GameDisplay
from masons.cli.terminal.dialogue.typed_commands import Commands, Leave
from masons.cli.terminal.dialogue.typed_moves import VERBS, card_named, read_move
from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.errors import MoveError
from masons.engine.plain_text import count, does, owner, victory
from masons.match.playing.game_words import END_WORDS

if TYPE_CHECKING:
    from masons.cli.terminal.dialogue.terminal import Terminal
    from masons.match.playing.played_game import PlayedGame

_CARD_VERBS: Final = VERBS[VERBS.index("play") :]


class TurnLoop:
    """Asks for what is due until the game is over."""

    def __init__(self, played: PlayedGame, terminal: Terminal) -> None:
        self._played = played
        self._terminal = terminal
        self._display = GameDisplay(played, terminal)
        self._commands = Commands(self._display)
        self._several = len(played.setup.people) > 1
        self._at_keys: int | None = None  # whose cards may stand on the screen
        self.interrupted = False  # whether Ctrl-C ended it

    def run(self) -> bool:
        """Play; whether the game came to its end."""
        self._display.say(*self._fair_lines())
        try:
            while self._played.due != "over":
                self._step()
        except (Leave, EOFError) as left:
            self.interrupted = isinstance(left, Leave) and left.interrupted
            self._goodbye()
            return False
        self._end()
        return True

    def _fair_lines(self) -> list[str]:
        """What a fair game has committed to, and who begins it."""
        setup = self._played.setup
        if setup.fair is None:
            return []
        begins = does(self._display.names[setup.first], "begins")
        return [f"A fair game: {begins}, as it was drawn.", f"  {setup.fair.commitment}"]

    def _step(self) -> None:
        due = self._played.due
        try:
            if due == "engine":
                if self._terminal.live:
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
        """After Ctrl-C: leave, unless somebody says no. A second one leaves at once."""
        try:
            if not self._terminal.live:
                self._terminal.show([""])
            if self._display.yes("leave the game? it is kept."):
                raise Leave(interrupted=True)
        except KeyboardInterrupt:
            raise Leave(interrupted=True) from None

    def _ask(self, prompt: str, words: Sequence[str]) -> str | None:
        """An answer that is no command; None where it was one, or nothing."""
        answer = self._display.ask(prompt, [*self._commands.words, *words])
        return None if self._commands.run(answer) else answer or None

    # --- own dice and cards, typed in

    def _roll(self) -> None:
        game = self._played.game
        self._display.page(None)
        what = "tower and two house dice" if game.rolls_tower else "two house dice"
        answer = self._ask(
            f"{owner(self._display.names[game.seat])} {what}: ", HOUSE_DIE + TOWER_DIE
        )
        if answer is not None:
            self._display.attempt(
                lambda: self._played.give_roll(*read_roll(answer, game.rolls_tower))
            )

    def _card(self) -> None:
        seat = self._played.game.seat
        self._hand_over(seat)
        answer = self._ask(f"{owner(self._display.names[seat])} new card: ", CARDS)
        if answer is not None:
            kinds = range(len(CARDS))
            self._display.attempt(lambda: self._played.give_card(card_named(answer, kinds)))

    # --- a person's decision

    def _hand_over(self, seat: int) -> None:
        """Where several people play: nobody sees another's hand."""
        if self._at_keys == seat or not self._several:
            return
        if self._at_keys is not None:
            self._display.hide(scrolled=True)
        self._at_keys = None
        while self._at_keys is None:
            try:
                self._display.ask(f"pass the keyboard to {self._display.names[seat]}, press Enter ")
                self._at_keys = seat
            except KeyboardInterrupt:
                self._may_leave()

    def _decide(self) -> None:
        """Show the page, then ask until something happens to the game."""
        game = self._played.game
        seat, decided = game.seat, game.decisions
        self._hand_over(seat)
        self._display.page(seat)
        while self._played.due == "person" and (game.seat, game.decisions) == (seat, decided):
            answer = self._ask(f"{self._display.names[seat]}, {game.phase}: ", self._completions())
            if answer is not None:
                self._display.attempt(self._make, answer)

    def _make(self, text: str) -> None:
        game = self._played.game
        items = self._played.items()
        self._played.make(read_move(text, game.phase, self._hand(), items, game.board))
        self._display.all_ids = False

    def _hand(self) -> Sequence[int]:
        game = self._played.game
        hand = game.view(game.seat).hands[game.seat]
        assert not isinstance(hand, int)
        return hand

    def _completions(self) -> list[str]:
        moves = [str(item.move) for item in self._played.items()]
        cards = [CARDS[kind] for kind in self._hand()]
        return [*moves, *(f"{verb} {card}" for verb in _CARD_VERBS for card in cards)]

    # --- the end

    def _goodbye(self) -> None:
        keeper = self._played.keeper
        name = shlex.quote(keeper.name) if keeper else ""
        kept = f"the game is kept: masons-engine play --resume {name}" if keeper else ""
        self._display.say(*([] if self._terminal.live else [""]), kept)
        self._display.close()

    def _end(self) -> None:
        game, resigned = self._played.game, self._played.resigned
        if self._several:
            self._display.hide(scrolled=True)
        self._display.page(None)
        names, result = self._display.names, game.result
        if resigned is not None:
            self._display.say(f"{does(names[resigned], 'gives up')}.")
        elif result is not None:
            won = victory([names[seat] for seat in result.winners])
            self._display.say(
                f"The game ends: {END_WORDS[result.end]}. {won}.",
                "; ".join(
                    f"{name} {count(score, 'point')}, {count(cards, 'card')}"
                    for name, score, cards in zip(
                        names, result.scores, result.hand_sizes, strict=True
                    )
                ),
            )
        if self._played.keeper is not None:
            name = self._played.keeper.name
            self._display.say(f"record: {name}")
            if self._played.setup.fair is not None:
                self._display.say(f"its dice and cards: masons-engine verify {shlex.quote(name)}")
        self._display.close()


def read_roll(text: str, with_tower: bool) -> tuple[str | None, str, str]:
    """A roll as typed: `white red ?`, without a tower die `red ?`. Raises MoveError."""
    words = text.lower().replace("/", " ").replace(",", " ").split()
    if not with_tower and words[:1] == ["-"]:
        words = words[1:]
    if len(words) != (3 if with_tower else 2):
        example = "white red ?" if with_tower else "red ?"
        raise MoveError(f"a roll is written here like: {example}")
    return (words[0] if with_tower else None), words[-2], words[-1]
