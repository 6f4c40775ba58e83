"""Following a game as a seat: what an observer knows is what the seat sees of the real game."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from masons.ai.beliefs.determinization import determinized
from masons.engine.board.components import CARDS
from masons.engine.errors import MoveError, PositionError
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import parse_position, parse_settled
from masons.engine.game.chance import Outside
from masons.engine.game.observation import Observation, view_of
from masons.engine.game.observer import Observer
from masons.engine.game.record import format_record, game_record, parse_record
from masons.engine.game.replay import check_record
from masons.engine.kernels.rng import new_rng
from masons.engine.state import layout
from masons.engine.state.packed_move import DECISIONS
from masons.engine.state.position import unpack_state
from tests.support.playing import new_game, show, steps
from tests.support.thinned import thinned

CARD_SETS = slice(int(layout.HANDS), int(layout.DISCARD) + 1)
FIRST = np.uint64(sum(1 << 2 * kind for kind in range(len(CARDS))))  # one copy of each card


def assert_same_view(view: Observation, other: Observation) -> None:
    """Two views are the same to the bit, so that no taker of a view can tell them apart."""
    assert view.state.tobytes() == other.state.tobytes()
    assert view.hidden == other.hidden
    assert np.array_equal(view.history, other.history)  # type: ignore[arg-type]


def test_a_view_is_the_same_whatever_is_hidden() -> None:
    """Cards dealt anew change nothing in it, and they are not always those that are there."""
    rng, others = new_rng(1), Counter[str]()
    for players in (2, 3, 4):
        game = new_game(players, 1, early_roll=True)
        for _ in steps(game, random.Random(players)):
            for seat in range(players):
                view = game.observe(seat)
                state = determinized(view, rng)
                # The two copies of each card change places.
                state[CARD_SETS] = (state[CARD_SETS] & FIRST) << 1 | state[CARD_SETS] >> 1 & FIRST
                assert_same_view(view_of(state, seat, view.history), view)
                dealt = unpack_state(state)
                assert dealt.observed_by(seat) == game.view(seat)
                others[game.phase] += dealt != game.position
    assert others.keys() >= {*DECISIONS, "roll", "draw"}
    assert min(others.values()) > 0


@pytest.mark.slow
@pytest.mark.parametrize("early_roll", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_witness_sees_what_its_seat_sees(players: int, early_roll: bool) -> None:
    reshuffles = 0
    for seed in thinned((1, 4)):
        game = new_game(players, seed, early_roll=early_roll)
        observers = [Observer.of(game.board, game.view(s), s) for s in range(players)]
        for step in steps(game, random.Random(seed)):
            for observer in observers:
                show(observer, step)
                assert_same_view(observer.observation, game.observe(observer.own_seat))
                assert observer.view(observer.own_seat) == game.view(observer.own_seat)
                assert (observer.phase, observer.seat) == (game.phase, game.seat)
                if observer.is_known:
                    assert list(observer.legal_moves()[:99]) == list(game.legal_moves()[:99])
        assert [w.result for w in observers] == [game.result] * players
        assert check_record(parse_record(format_record(game_record(game)))) is None
        reshuffles += len(game.log.decks) - 1
    assert reshuffles


VIEW = (
    "masons1 board=classic players=2 active=0 phase=score city=89 scores=3,0 "
    "hands=city-green+city-green+land-rose+land-blue+cities/?6 "
    "discard=land-red+land-red+land-walls walls=1,2,20,138,140,141 "
    "towers=white:0,7,58;gray:8,51;black:50 houses=red:0,1,13,76,88,89,90;rose:0,89;yellow:0,89"
)


def score_observer() -> Observer:
    board, position = parse_position(VIEW)
    return Observer.of(board, position, 0)


def test_a_hidden_card_is_shown() -> None:
    observer = score_observer()
    observer.follow_move(0, parse_move("abstain:cities"))
    observer.follow_draw(0, "land-shore")
    observer.follow_draw(0, "land-shore")
    observer.follow_move(1, parse_move("play:land-green+land-green"))
    assert observer.phase == "draw"
    assert observer.view(0).hand_sizes == (6, 4)


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
    observer = score_observer()
    observer.follow_move(0, parse_move("play:city-green"))
    observer.follow_draw(0, "cities")
    before = observer.state.tolist(), observer.text
    with pytest.raises(MoveError, match=why):
        observer.follow_move(1, parse_move(text))
    assert (observer.state.tolist(), observer.text) == before


def test_more_cards_than_the_hand_has_are_refused() -> None:
    board, position = parse_settled(VIEW.replace("/?6", "/?1"))
    whole = replace(position, hands=(position.hands[0], position.unseen[-1:]))
    observer = Observer._of_settled(whole, board, None, Outside())
    observer.own_seat = 0
    observer.follow_move(0, parse_move("play:city-green"))
    observer.follow_draw(0, "cities")
    before = observer.state.tolist()
    with pytest.raises(MoveError):
        observer.follow_move(1, parse_move("play:land-green+land-blue"))
    assert observer.state.tolist() == before


def test_steps_out_of_turn_are_refused() -> None:
    observer = score_observer()
    with pytest.raises(MoveError, match="seat 1 decides nothing now"):
        observer.follow_move(1, parse_move("abstain:cities"))
    with pytest.raises(MoveError, match="no roll is due"):
        observer.give_roll("white", "red", "red")
    with pytest.raises(MoveError, match="seat 0 draws nothing now"):
        observer.follow_draw(0, "cities")
    observer.follow_move(0, parse_move("play:cities"))
    with pytest.raises(MoveError, match="must be named"):
        observer.follow_draw(0, None)
    with pytest.raises(MoveError, match="sees both elsewhere"):
        observer.follow_draw(0, "land-red")


def test_the_own_hand_must_be_known() -> None:
    board, position = parse_position(VIEW)
    with pytest.raises(PositionError, match="the hand of seat 1 is hidden"):
        Observer.of(board, position, 1)
    with pytest.raises(PositionError, match="seat 2 does not play"):
        Observer.of(board, position, 2)
