"""Sample games and positions for the compliance test. They are the same in every run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cached_property

from masons.ai.players.simple_players import BusyPlayer
from masons.engine.board.components import CARDS, HAND, HOUSE_DIE, TOWER_DIE
from masons.engine.formats.move_text import Move
from masons.engine.formats.position_text import format_position
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.plain_text import joined
from masons.protocol.messages.seat_events import Drew, Moved, Rolled, SeatEvent


class Sample:
    """A position on the board `classic` in which a seat has a decision to make."""

    def __init__(self, whole: str) -> None:
        self.whole = whole  # the text with all hands

    @cached_property
    def game(self) -> Game:
        """A game that has reached the position."""
        return Game.from_position(self.whole)

    @cached_property
    def text(self) -> str:
        """The position as the seat sees it."""
        return format_position(self.game.view(self.game.seat), self.game.board)

    @cached_property
    def moves(self) -> Sequence[str]:
        """The legal moves."""
        return [str(move) for move in self.game.legal_moves()]

    def value(self, name: str) -> str:
        """Return what a word in braces stands for in a session."""
        game = self.game
        match name:
            case "opening":
                options = " options early_roll" if game.early_roll else ""
                return f"newgame players {game.players} seat {game.seat} board classic{options}"
            case "phase":
                return game.phase
            case "seat":
                return str(game.seat)
            case "scores":
                return joined(game.scores)
            case "others":
                return " ".join(self.moves[:-1])
        return self.whole if name == "whole" else self.text


class Stage:
    """A game played step by step, in which a seed determines the dice, cards and moves."""

    def __init__(self, players: int, seed: int) -> None:
        deck = list(CARDS) * 2
        random.Random(seed).shuffle(deck)
        hands = [deck[HAND * seat : HAND * (seat + 1)] for seat in range(players)]
        self.game = Game(players, hands=hands, chance=Outside())
        self._rng = random.Random(seed)
        self._player = BusyPlayer(seed)

    def observe(self, seat: int) -> str:
        """Return the position as a seat sees it."""
        return format_position(self.game.view(seat), self.game.board)

    def advance(self, move: Move | None = None) -> SeatEvent:
        """Make one step of the game and return it as an event.

        If a roll or a draw is due, its outcome is random. Otherwise `move` is made, or if `move` is
        None, a move that the busy player chooses.
        """
        game, rng = self.game, self._rng
        seat = game.seat
        if game.phase == "roll":
            tower = rng.choice(TOWER_DIE) if game.rolls_tower else None
            rolled = Rolled(tower, rng.choice(HOUSE_DIE), rng.choice(HOUSE_DIE))
            game.give_roll(*rolled)
            return rolled
        if game.phase == "draw":
            card = CARDS[rng.choice(game.position.unseen)]
            game.give_card(card)
            return Drew(seat, card)
        chosen = self._player.choose(game.table, game.observe(seat), game.legal_moves())
        chosen = chosen if move is None else move
        game.apply(chosen)
        return Moved(seat, chosen)
