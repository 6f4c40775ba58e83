"""Following a game as a seat: what a witness knows is what the seat sees of the real game."""

from __future__ import annotations

import random

import pytest

from masons.engine.errors import MoveError, PositionError
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import parse_position
from masons.engine.game.observer import Witness
from masons.protocol.messages.seat_events import Drew, Moved, Rolled, Step
from tests.support.following import new_game, steps


def tell(witness: Witness, step: Step) -> None:
    """What happened, as the witness's seat is told it."""
    if isinstance(step, Moved):
        witness.saw_move(step.seat, step.move)
    elif isinstance(step, Rolled):
        witness.saw_roll(*step)
    else:
        assert isinstance(step, Drew)
        witness.saw_draw(step.seat, step.card if step.seat == witness.own else None)


@pytest.mark.parametrize("early_roll", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_witness_sees_what_its_seat_sees(players: int, early_roll: bool) -> None:
    reshuffles = 0
    for seed in (1, 4):
        game = new_game(players, seed, early_roll=early_roll)
        witnesses = [Witness.of(game.board, game.view(s), s) for s in range(players)]
        for step in steps(game, random.Random(seed)):
            for witness in witnesses:
                tell(witness, step)
                assert witness.view(witness.own) == game.view(witness.own)
                assert (witness.phase, witness.seat) == (game.phase, game.seat)
                if witness.is_known:
                    assert list(witness.legal_moves()[:99]) == list(game.legal_moves()[:99])
        assert [w.result for w in witnesses] == [game.result] * players
        reshuffles += len(game.log.decks) - 1
    assert reshuffles


def test_following_may_begin_anywhere() -> None:
    game = new_game(3, 1)
    chance = random.Random(5)
    for number, step in enumerate(steps(game, chance)):
        if number % 7 == 0:
            witness = Witness.of(game.board, game.view(2), 2)
        else:
            tell(witness, step)
        assert witness.view(2) == game.view(2)


VIEW = (
    "masons1 board=classic players=2 active=0 phase=score city=89 scores=3,0 "
    "hands=city-green+city-green+cities/?3 discard=land-red+land-red+land-walls "
    "walls=138,140,141 towers=white:58;gray:51;black:50 houses=red:89*2"
)


def score_witness(own: int = 0) -> Witness:
    board, position = parse_position(VIEW)
    return Witness.of(board, position, own)


def test_a_hidden_card_is_shown() -> None:
    witness = score_witness()
    witness.saw_move(0, parse_move("abstain:cities"))
    witness.saw_draw(0, "land-shore")
    witness.saw_draw(0, "land-shore")
    witness.saw_move(1, parse_move("play:land-green+land-green"))
    assert witness.phase == "draw"
    assert [hand if isinstance(hand, int) else len(hand) for hand in witness.view(0).hands] == [
        4,
        1,
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("play:city-green", "sees both elsewhere"),  # seat 0 holds them
        ("play:land-red", "sees both elsewhere"),  # they lie face up
        ("play:cities+cities", "sees both elsewhere"),
        ("wall:3", "not legal now"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(text: str, why: str) -> None:
    witness = score_witness()
    witness.saw_move(0, parse_move("play:city-green"))
    witness.saw_draw(0, "cities")
    before = witness.state.tolist(), witness.text
    with pytest.raises(MoveError, match=why):
        witness.saw_move(1, parse_move(text))
    assert (witness.state.tolist(), witness.text) == before


def test_more_cards_than_the_hand_has_are_refused() -> None:
    board, position = parse_position(VIEW.replace("/?3", "/?1"))
    witness = Witness.of(board, position, 0)
    witness.saw_move(0, parse_move("play:city-green"))
    witness.saw_draw(0, "cities")
    before = witness.state.tolist()
    with pytest.raises(MoveError):
        witness.saw_move(1, parse_move("play:land-green+land-blue"))
    assert witness.state.tolist() == before


def test_steps_out_of_turn_are_refused() -> None:
    witness = score_witness()
    with pytest.raises(MoveError, match="seat 1 decides nothing now"):
        witness.saw_move(1, parse_move("abstain:cities"))
    with pytest.raises(MoveError, match="no roll is due"):
        witness.saw_roll("white", "red", "red")
    with pytest.raises(MoveError, match="seat 0 draws nothing now"):
        witness.saw_draw(0, "cities")
    witness.saw_move(0, parse_move("play:cities"))
    with pytest.raises(MoveError, match="must be named"):
        witness.saw_draw(0, None)
    with pytest.raises(MoveError, match="sees both elsewhere"):
        witness.saw_draw(0, "land-red")


def test_the_own_hand_must_be_known() -> None:
    board, position = parse_position(VIEW)
    with pytest.raises(PositionError, match="the hand of seat 1 is hidden"):
        Witness.of(board, position, 1)
    with pytest.raises(PositionError, match="seat 2 does not play"):
        Witness.of(board, position, 2)
