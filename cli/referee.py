"""One game between named players, each of which is shown its own view only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from masons.ai.players import make_player
from masons.engine.errors import MoveError
from masons.engine.game import Game
from masons.engine.rng import mix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.engine.board import Board


def play_game(
    board: Board, seats: Sequence[str], seed: int, first: int, *, early_roll: bool = False
) -> Game:
    """A finished game. `seats` names a player for each seat, as in `masons.ai.players`.

    The luck comes from `seed`; each player's own from the seed and its seat. Raises MoveError
    where a player answers with a move that is not legal.
    """
    game = Game(len(seats), board=board, seed=seed, first=first, early_roll=early_roll)
    players = [make_player(spec, mix(seed, seat)) for seat, spec in enumerate(seats)]
    while not game.is_over:
        seat = game.seat
        move = players[seat].choose(game.table, game.seen(seat), game.legal_moves())
        try:
            game.apply(move)
        except MoveError as error:
            raise MoveError(f"{seats[seat]}, seat {seat}, game with seed {seed}: {error}") from None
    return game
