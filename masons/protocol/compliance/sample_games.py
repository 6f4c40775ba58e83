"""Sample games and positions for the compliance test. They are the same in every run."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from typing import Final

from masons.ai.players.simple_players import BusyPlayer
from masons.engine.board.components import CARDS, HAND, HOUSE_DIE, TOWER_DIE
from masons.engine.formats.move_text import Move
from masons.engine.formats.position_text import format_position
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.state.packed_move import DECISIONS
from masons.protocol.messages.seat_events import Drew, Moved, Rolled, SeatEvent

MOST_MOVES: Final = 10_000  # the longest list that `query legal` must give
_GAMES: Final = 20  # the number of games in which `samples` looks for a position of each phase


@dataclass(frozen=True)
class Sample:
    """A position in which a seat has a decision to make, with the legal moves.

    `text` is the position as the seat sees it, and `whole` is the same position with all hands.
    `opening` is the matching `newgame` line.
    """

    players: int
    seat: int
    phase: str
    opening: str
    text: str
    whole: str
    moves: tuple[str, ...]
    scores: tuple[int, ...]


def opening(players: int, seat: int, *, early_roll: bool = False) -> str:
    """Return a `newgame` line for the board `classic`."""
    options = " options early_roll" if early_roll else ""
    return f"newgame players {players} seat {seat} board classic{options}"


class Stage:
    """A game played step by step, in which a seed determines the dice, cards and moves."""

    def __init__(self, players: int, seed: int, *, early_roll: bool = False) -> None:
        deck = list(CARDS) * 2
        random.Random(seed).shuffle(deck)
        hands = [deck[HAND * seat : HAND * (seat + 1)] for seat in range(players)]
        self.game = Game(players, hands=hands, chance=Outside(), early_roll=early_roll)
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

    def finish(self) -> None:
        """Play to the end of the game."""
        while not self.game.is_over:
            self.advance()

    @property
    def is_decision(self) -> bool:
        """True if a seat has a decision to make."""
        return self.game.phase in DECISIONS

    def sample(self) -> Sample:
        """Return the current position as a sample."""
        game = self.game
        return Sample(
            game.players, game.seat, game.phase,
            opening(game.players, game.seat, early_roll=game.early_roll),
            self.observe(game.seat), game.text, tuple(map(str, game.legal_moves())), game.scores,
        )  # fmt: skip


@cache
def samples() -> dict[str, Sample]:
    """Return a position for each phase in which a seat decides, from games of 2, 3 or 4 players."""
    samples: dict[str, Sample] = {}
    for seed in range(_GAMES):
        stage = Stage(2 + seed % 3, seed)
        while not stage.game.is_over and len(samples) < len(DECISIONS):
            game, phase = stage.game, stage.game.phase
            # Skip positions without pieces on the board.
            is_wanted = stage.is_decision and phase not in samples and game.position.houses
            if is_wanted and 1 < len(game.legal_moves()) <= MOST_MOVES:
                samples[phase] = stage.sample()
            stage.advance()
    return {phase: samples[phase] for phase in DECISIONS}
