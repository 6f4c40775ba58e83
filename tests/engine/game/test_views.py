"""Views with hidden hands: read from text and written again, with their legal moves."""

from __future__ import annotations

import random

import pytest

import masons
from masons.engine.errors import MasonsError, PositionError
from masons.engine.game.observation import Observation
from tests.support.playing import BOARDS, moves_by_chance


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_view_from_text_is_that_of_the_game(players: int) -> None:
    game, looked = masons.Game(players, seed=players), 0
    for _ in moves_by_chance(game, random.Random(players)):
        for seat in range(players):
            seen = game.observe(seat)
            view = masons.Observation.from_text(seen.text)
            assert (view.position, view.hidden) == (game.view(seat), seen.hidden)
            assert view.hand(seat) == game.hand(seat)
            assert view.hand((seat + 1) % players) is None or not game.hand((seat + 1) % players)
            if seat == game.seat:
                assert list(view.legal_moves()) == list(game.legal_moves()) == [*seen.legal_moves()]
                looked += 1
            elif seen.hidden[game.seat]:
                with pytest.raises(PositionError, match=f"the hand of seat {game.seat}, which dec"):
                    view.legal_moves()
    assert looked > 20


def test_a_view_with_hidden_hands_from_a_text_of_another_board() -> None:
    file = BOARDS / "rhombus-2.json"
    text = masons.Game(board=file, seed=1).observe(0).text
    with pytest.raises(PositionError, match="is not built in"):
        masons.Observation.from_text(text)
    view = masons.Observation.from_text(text, board=file)
    assert view.text == text
    assert view.board == masons.load_board(file)


def test_what_is_no_position_is_refused_and_says_what_reads_text() -> None:
    with pytest.raises(PositionError, match=r"text is read by masons\.Observation\.from_text"):
        masons.Position("nonsense")  # type: ignore[arg-type]
    with pytest.raises(PositionError, match="players is 5"):
        masons.Position(5)
    with pytest.raises(PositionError):
        masons.Observation.from_text("nonsense")
    text = masons.Game(seed=1).observe(0).text
    assert text.count("?6") == 1
    with pytest.raises(MasonsError, match=r"use masons\.Observation\.from_text\(text\)"):
        masons.Game.from_position(text)


def test_a_view_without_a_board_has_no_text_and_no_moves() -> None:
    state = masons.Game(seed=1).observe(0).state
    view = Observation(state, (0, 6))
    with pytest.raises(PositionError, match="has no board"):
        view.legal_moves()
    with pytest.raises(MasonsError, match="has no board"):
        assert view.text
    shown = (
        "<Observation: sees the hand of seat 0, hidden cards (0, 6); seat 0 has a wall decision>"
    )
    assert str(view) == repr(view) == shown
    other = repr(masons.Game(players=3, seed=1).observe(1))
    assert "sees the hand of seat 1, hidden cards (6, 0, 6); seat 0 has a wall decision" in other


def test_hands_are_names() -> None:
    game = masons.Game(seed=1)
    assert all(len(game.hand(seat)) == size for seat, size in enumerate(game.position.hand_sizes))
    assert masons.Game(seed=1, hands=[game.hand(0), game.hand(1)]).hand(1) == game.hand(1)
    with pytest.raises(MasonsError, match="seat is 4"):
        game.hand(4)
