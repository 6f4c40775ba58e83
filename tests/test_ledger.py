"""Who built what: against a count of our own, told to all seats alike."""

from __future__ import annotations

import random

import numpy as np
import pytest

from masons.engine.game import Game
from masons.engine.ledger import FIRST_LAND, LANDS, Ledger, built
from masons.engine.text import format_position, parse_position
from masons.engine.witness import Witness
from tests.following import new_game, steps
from tests.playing import pick
from tests.test_witness import tell


def ledger_of(game: Game, seat: int = 0) -> Ledger:
    """The ledger that a seat sees."""
    ledger = game.seen(seat).ledger
    assert ledger is not None
    return ledger


@pytest.mark.parametrize("early_roll", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_each_seat_added(players: int, early_roll: bool) -> None:
    game, luck = Game(players, seed=players, early_roll=early_roll), random.Random(players)
    added = [[0.0] * LANDS for _ in range(players)]
    before, mover, turn, taken = [0.0] * LANDS, -1, -1, 0
    while not game.is_over:
        if game.phase == "wall" and game.position.turn != turn:
            now = [float(n) for n in game.table.card_points(game.state, None)[FIRST_LAND:]]
            for land, (old, new) in enumerate(zip(before, now, strict=True)):
                taken += new < old
                for seat in range(players):
                    if new < old:
                        added[seat][land] *= new / old
                    elif seat == mover:
                        added[seat][land] += new - old
            before, mover, turn = now, game.seat, game.position.turn
        for seat in range(players):
            ledger = ledger_of(game, seat)
            assert ledger[:LANDS].tolist() == before
            assert [built(ledger, s).tolist() for s in range(players)] == [
                pytest.approx(row) for row in added
            ]
        game.apply(pick(game, luck))
    assert taken > 5


def test_taking_back_gives_the_ledger_of_then() -> None:
    game, luck = Game(2, seed=3), random.Random(3)
    then = []
    for _ in range(60):
        then.append(ledger_of(game).copy())
        game.apply(pick(game, luck))
    for ledger in reversed(then):
        game.undo()
        assert np.array_equal(ledger_of(game), ledger)
    assert not ledger_of(game)[LANDS : LANDS * 3].any()


def test_a_witness_keeps_the_same_ledger() -> None:
    game = new_game(3, 1)
    witnesses = [Witness.of(game.board, game.view(s), s) for s in range(3)]
    for step in steps(game, random.Random(2)):
        for witness in witnesses:
            tell(witness, step)
            assert np.array_equal(ledger_of(witness), ledger_of(game))


def test_a_position_in_the_middle_of_a_game_does_not_tell_who_built_what() -> None:
    game = Game(2, seed=3)
    board = game.board
    first, _ = Game.from_position(game.text), game.apply(game.legal_moves()[9])
    assert first.seen(0).ledger is not None
    luck = random.Random(3)
    for _ in range(20):
        game.apply(pick(game, luck))
    assert Game.from_position(game.text).seen(0).ledger is None
    text = format_position(game.view(0), board)
    assert Witness.of(board, parse_position(text)[1], 0).seen_now.ledger is None
    assert game.table.view(game.view(game.seat)).ledger is None
