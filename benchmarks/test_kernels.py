"""Benchmarks of the kernels with pytest-benchmark.

pytest benchmarks --benchmark-enable
"""

from __future__ import annotations

import numpy as np
import pytest

from masons.ai.search import Search, SearchOptions
from masons.engine.board import load_board
from masons.engine.choices import POLICIES
from masons.engine.game import Game
from masons.engine.play import TALLY_WORDS, play_games, play_outs
from masons.engine.record import check_record, game_record
from masons.engine.rng import new_rng
from masons.engine.start import empty_state
from masons.engine.table import Table
from masons.engine.text import format_position, parse_position

GAMES = 1000


@pytest.fixture(scope="module")
def midgame() -> Game:
    """A game in mid-game, by moves picked here and there."""
    game = Game(2, seed=1)
    while game.position.turn < 12:
        moves = game.legal_moves()
        game.apply(moves[7 * game.decisions % len(moves)])
    return game


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("policy", POLICIES)
def test_full_games(benchmark, policy, players):
    table = Table(load_board("classic"))
    start = empty_state(table.packed, players)
    room, tally = start.copy(), np.zeros(TALLY_WORDS, dtype=np.uint64)
    rng, number = new_rng(1), POLICIES.index(policy)
    benchmark(play_games, start, table.packed, rng, number, GAMES, room, tally)


@pytest.mark.parametrize("policy", POLICIES)
def test_playouts(benchmark, midgame, policy):
    state = midgame.state
    room, tally = state.copy(), np.zeros(TALLY_WORDS, dtype=np.uint64)
    rng, number = new_rng(1), POLICIES.index(policy)
    benchmark(play_outs, state, midgame.table.packed, rng, number, GAMES, room, tally)


@pytest.mark.parametrize("policy", POLICIES)
def test_iterations(benchmark, midgame, policy):
    def search() -> None:
        Search(midgame.table, midgame.view(midgame.seat), 1, SearchOptions(policy=policy)).run(
            GAMES
        )

    benchmark(search)


def test_legal_moves(benchmark, midgame):
    benchmark(midgame.legal_moves)


def test_state_copy(benchmark, midgame):
    benchmark(midgame.state.copy)


def test_position_out(benchmark, midgame):
    benchmark(format_position, midgame.position, midgame.board)


def test_position_in(benchmark, midgame):
    benchmark(parse_position, midgame.text)


def test_record_check(benchmark):
    game = Game(2, seed=1)
    while not game.is_over:
        game.apply(game.legal_moves()[0])
    benchmark(check_record, game_record(game))
