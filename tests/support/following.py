"""Games with chance from outside, step by step as a referee passes them on."""

from __future__ import annotations

import random
from collections.abc import Iterator

from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.protocol.messages.seat_events import Drew, Moved, Rolled, SeatEvent
from tests.support.playing import deal, pick, rolls_tower


def new_game(players: int, seed: int, board: str = "classic", *, early_roll: bool = False) -> Game:
    """Return a game of which the dice and cards will be given."""
    hands = deal(players, random.Random(seed))
    return Game(
        players, board=board, first=seed % players, chance=Outside(), hands=hands,
        early_roll=early_roll,
    )  # fmt: skip


def steps(game: Game, chance: random.Random) -> Iterator[SeatEvent]:
    """Play a game to its end; each step when it has been made."""
    while not game.is_over:
        yield advance(game, chance)


def advance(game: Game, chance: random.Random) -> SeatEvent:
    """Make one step."""
    seat = game.seat
    if game.phase == "roll":
        tower = chance.choice(TOWER_DIE) if rolls_tower(game) else None
        rolled = Rolled(tower, chance.choice(HOUSE_DIE), chance.choice(HOUSE_DIE))
        game.give_roll(*rolled)
        return rolled
    if game.phase == "draw":
        card = CARDS[chance.choice(game.position.unseen)]
        game.give_card(card)
        return Drew(seat, card)
    move = pick(game, chance)
    game.apply(move)
    return Moved(seat, move)
