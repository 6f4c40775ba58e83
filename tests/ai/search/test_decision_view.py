"""Whatever is given for a view: a search and a player by every door answer by one clear error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

import masons
from masons.ai.beliefs.hand_estimates import belief, estimate_hands
from masons.ai.halving.halving_search import HalvingSearch
from masons.ai.ismcts.tree_search import Search
from masons.ai.players.named_players import make_player
from masons.ai.players.player_names import PLAYERS
from masons.ai.search.search_options import METHODS, SearchOptions
from masons.ai.session import Session, analyze
from masons.engine.board.components import CARDS
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import abstain_move
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.state import layout as at
from tests.support.paths import ROOT

Door = Callable[[Game, object], object]


def at_phase(phase: str, seed: int = 1, **how: object) -> Game:
    """A game where this is due."""
    game, player = Game(seed=seed, **how), make_player("greedy", 1)  # type: ignore[arg-type]
    while game.phase != phase:
        game.apply(player.choose(game.table, game.observe(game.seat), game.legal_moves()))
    return game


def doors() -> Iterator[tuple[str, Door]]:
    for method in METHODS:
        options = SearchOptions(method)

        def whole(game: Game, view: object, options: SearchOptions = options) -> object:
            return analyze(game.table, view, sims=1, options=options)  # type: ignore[arg-type]

        def session(game: Game, view: object, options: SearchOptions = options) -> object:
            return Session(game.table, options=options).search(view, sims=1)  # type: ignore[arg-type]

        yield f"analyze {method}", whole
        yield f"Session {method}", session
    for name in PLAYERS:
        spec = f"{name}:sims=1" if name in ("default", "ismcts") else name

        def choose(game: Game, view: object, spec: str = spec) -> object:
            moves = game.legal_moves() or [abstain_move(0)]
            return make_player(spec, 0).choose(game.table, view, moves)  # type: ignore[arg-type]

        yield f"player {name}", choose
    moves = [abstain_move(0)]
    yield "HalvingSearch", lambda g, view: HalvingSearch(g.table, view, moves, seed=0)  # type: ignore[arg-type]
    yield "Search", lambda g, view: Search(g.table, view, 0, SearchOptions("ismcts"))  # type: ignore[arg-type]


DOORS = dict(doors())


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("phase", ["score", "swap"])
def test_the_view_of_another_seat(door: str, phase: str) -> None:
    game = at_phase(phase)
    other = 1 - game.seat
    for view in (game.observe(other), replace(game.observe(other)), game.view(other)):
        with pytest.raises(
            MasonsError, match=f"hand of seat {game.seat}, which decides, is hidden"
        ):
            DOORS[door](game, view)


@pytest.mark.parametrize("door", DOORS)
def test_nothing_to_decide(door: str) -> None:
    over = at_phase("over")
    with pytest.raises(MasonsError, match="nothing is to be decided: the game is over"):
        DOORS[door](over, over.observe(over.seat))
    outside = Game(hands=[CARDS[:6], CARDS[6:12]], chance=Outside())
    outside.apply("wall:0")
    with pytest.raises(MasonsError, match="nothing is to be decided: the dice are due"):
        DOORS[door](outside, outside.observe(0))


@pytest.mark.parametrize("door", DOORS)
def test_a_view_of_another_board(door: str) -> None:
    game = Game(seed=1)
    other = Game(seed=1, board=load_board(ROOT / "tests/support/boards/ring-128.json"))
    with pytest.raises(MasonsError, match="of the board ring-128, not of the table's, classic"):
        DOORS[door](game, other.observe(0))
    other.apply("wall:223")
    for view in (replace(other.observe(other.seat)), other.view(other.seat)):
        with pytest.raises(MasonsError, match="is not on the board"):
            DOORS[door](game, view)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("view", [None, "wall", 3, np.zeros(128, dtype=np.uint64)], ids=repr)
def test_what_is_no_view(door: str, view: object) -> None:
    with pytest.raises(MasonsError, match=r"view is .*: give what Game.observe gives"):
        DOORS[door](Game(seed=1), view)


@pytest.mark.parametrize("door", DOORS)
def test_a_view_that_was_written_to(door: str) -> None:
    game = at_phase("score")
    view = game.observe(game.seat)
    view.state.view(np.uint8)[int(at.SEAT)] = 1 - game.seat
    with pytest.raises(MasonsError):
        DOORS[door](game, view)
    view.state[:] = 2**64 - 1
    with pytest.raises(MasonsError):
        DOORS[door](game, view)


@pytest.mark.parametrize("method", METHODS)
def test_a_game_is_searched_as_what_its_seat_sees(method: str) -> None:
    game, options = at_phase("score"), SearchOptions(method)
    view = game.observe(game.seat)
    moves = analyze(game.table, view, sims=60, options=options).moves
    assert analyze(game, sims=60, options=options).moves == moves
    assert analyze(game, view, sims=60, options=options).moves == moves
    assert Session(game.table, options=options).analyze(game, sims=60).moves == moves
    assert masons.analyze is masons.analyze
    with pytest.raises(MasonsError, match="view is None: give what Game"):
        analyze(game.table)
    while not game.is_over:
        game.apply(game.legal_moves()[0])
    with pytest.raises(MasonsError, match="nothing is to be decided: the game is over"):
        analyze(game)


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


def test_beliefs_of_what_is_no_view() -> None:
    game = Game(seed=1)
    with pytest.raises(MasonsError, match="view is 3"):
        belief(3, 0)  # type: ignore[arg-type]
    with pytest.raises(MasonsError, match="seat is 2"):
        belief(game.observe(0), 2)
    with pytest.raises(MasonsError, match="deals is 0"):
        estimate_hands(game.table, game.observe(0), 0)
    with pytest.raises(MasonsError, match="view is None"):
        estimate_hands(game.table, None)  # type: ignore[arg-type]
