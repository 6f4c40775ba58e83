"""Whatever is given for a view, every search and every player answers with one clear error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from masons.ai.halving.halving_search import HalvingSearch
from masons.ai.ismcts.tree_search import Search
from masons.ai.players.named_players import make_player
from masons.ai.players.player_names import PLAYERS, SEARCHERS
from masons.ai.search.search_options import METHODS, SearchOptions
from masons.ai.session import Session, analyze
from masons.engine.board.components import CARDS
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import abstain_move
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.state import layout
from tests.support.named_play import brought_to
from tests.support.paths import BOARDS

at_phase = cache(brought_to)


def choose(spec: str, game: Game, view: Any) -> object:
    moves = game.legal_moves() or [abstain_move(0)]
    return make_player(spec, 0).choose(game.table, view, moves)


def search_session(method: str, game: Game, view: Any) -> object:
    return Session(game.table, options=SearchOptions(method)).search(view, sims=1)


# Everything that takes a view of a decision.
TAKERS: dict[str, Callable[[Game, Any], object]] = {
    "analyze": lambda game, view: analyze(game.table, view, sims=1),
    **{f"Session {method}": partial(search_session, method) for method in METHODS},
    **{
        f"player {name}": partial(choose, name + ":sims=1" * (name in SEARCHERS))
        for name in PLAYERS
    },
    "HalvingSearch": lambda game, view: HalvingSearch(game.table, view, [abstain_move(0)], seed=0),
    "Search": lambda game, view: Search(game.table, view, 0, SearchOptions("ismcts")),
}
by_each = pytest.mark.parametrize("take", TAKERS.values(), ids=TAKERS)


@by_each
@pytest.mark.parametrize("phase", ["score", "swap"])
def test_the_view_of_another_seat(take: Any, phase: str) -> None:
    game = at_phase(phase)
    other, said = 1 - game.seat, f"hand of seat {game.seat}, which decides, is hidden"
    for view in (game.observe(other), replace(game.observe(other)), game.view(other)):
        with pytest.raises(MasonsError, match=said):
            take(game, view)


@by_each
def test_nothing_to_decide(take: Any) -> None:
    outside = Game(hands=[CARDS[:6], CARDS[6:12]], chance=Outside())
    outside.apply("wall:0")
    for game, why in ((at_phase("over"), "the game is over"), (outside, "the dice are due")):
        with pytest.raises(MasonsError, match=f"there is nothing to decide: {why}"):
            take(game, game.observe(0))


@by_each
def test_a_view_of_another_board(take: Any) -> None:
    game, other = Game(seed=1), Game(seed=1, board=load_board(BOARDS / "ring-128.json"))
    with pytest.raises(MasonsError, match="of the board ring-128, not of the table's, classic"):
        take(game, other.observe(0))
    other.apply("wall:223")
    for view in (replace(other.observe(other.seat)), other.view(other.seat)):
        with pytest.raises(MasonsError, match="is not on the board"):
            take(game, view)


@by_each
@pytest.mark.parametrize("view", [None, "wall", 3, np.zeros(128, dtype=np.uint64)], ids=repr)
def test_what_is_no_view(take: Any, view: object) -> None:
    with pytest.raises(MasonsError, match=r"view is .*: give what Game.observe gives"):
        take(Game(seed=1), view)


@by_each
def test_a_view_that_was_written_to(take: Any) -> None:
    game = at_phase("score")
    view = game.observe(game.seat)
    view.state.view(np.uint8)[int(layout.SEAT)] = 1 - game.seat
    with pytest.raises(MasonsError):
        take(game, view)
    view.state[:] = 2**64 - 1
    with pytest.raises(MasonsError):
        take(game, view)


@pytest.mark.parametrize("method", METHODS)
def test_a_game_is_searched_as_what_its_seat_sees(method: str) -> None:
    game, options = at_phase("score"), SearchOptions(method)
    view = game.observe(game.seat)
    moves = analyze(game.table, view, sims=60, options=options).moves
    assert analyze(game, sims=60, options=options).moves == moves
    assert analyze(game, view, sims=60, options=options).moves == moves
    assert Session(game.table, options=options).analyze(game, sims=60).moves == moves
    with pytest.raises(MasonsError, match="view is None: give what Game"):
        analyze(game.table)
    with pytest.raises(MasonsError, match="there is nothing to decide: the game is over"):
        analyze(at_phase("over"))


def test_a_view_made_by_hand_is_searched_as_the_position_that_it_says() -> None:
    game = at_phase("score")
    made = game.observe(game.seat)
    for view in (replace(made), Observation(made.state.copy(), made.hidden, made.history)):
        assert analyze(game.table, view, sims=60).moves == analyze(game.table, made, sims=60).moves
    wrong = Observation(made.state, made.hidden, np.full(3, np.nan))
    with pytest.raises(MasonsError, match="history"):
        analyze(game.table, wrong, sims=1)


def test_what_is_no_state() -> None:
    state = Game(seed=1).state
    for wrong in (state[:64], state.astype(np.int64), state.reshape(2, 64), state[::-1], None):
        with pytest.raises(MasonsError, match="a state is an array of 128 uint64"):
            Observation(wrong, (0, 6))  # type: ignore[arg-type]
    with pytest.raises(MasonsError, match="hidden"):
        Observation(state, [0, 6])  # type: ignore[arg-type]
