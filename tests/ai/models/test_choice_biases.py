"""The biases of the policy: interpolated over the game, and what they do to games."""

from __future__ import annotations

import numpy as np
import pytest

from masons.ai.models.choice_biases import BIASES, CLOSED, KINDS, KNOTS, SWAPPED, bias_of
from masons.ai.models.features import game_left_of
from masons.ai.models.model_data import NO_BIASES, learned
from masons.ai.self_play.self_play import play_policy_games
from masons.engine.game.game import Game
from masons.engine.game.table import Table
from masons.engine.kernels.jit import Floats, Word, Words
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.state.layout import State

NET = learned()["net"]
# Mean scores of searches of 1,000 simulations against each other, by the number of players.
OF_SEARCHES = {2: 70.0, 3: 75.5, 4: 76.5}


@kernel
def note_bias(kind: Word, state: Words, biases: Floats, out: Floats) -> None:
    """Write the bias of a kind to `out` (float64[1])."""
    out[0] = bias_of(kind, state, biases)


def states(players: int) -> list[State]:
    """Return the states of a game."""
    game, listed = Game(players=players, seed=players), []
    while not game.is_over:
        listed.append(game.state.copy())
        game.apply(game.legal_moves()[-1])
    return listed


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_bias_is_interpolated_between_the_knots(players: int) -> None:
    biases = np.random.default_rng(players).standard_normal(BIASES)
    table = biases.reshape(len(KINDS), 3, KNOTS)
    knots = (np.arange(KNOTS) + 0.5) / KNOTS
    overs, out = set(), np.zeros(1)
    for state in states(players):
        over = 1 - game_left_of(state)
        overs.add(over)
        for kind in (CLOSED, SWAPPED):
            plain = np.interp(over, knots, table[int(kind), players - 2])
            note_bias(kind, state, biases, out)
            assert out[0] == pytest.approx(plain, abs=0.01)
    assert min(overs) == 0
    assert max(overs) > 0.9


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_end_with_the_scores_of_games_of_searches(players: int, table: Table) -> None:
    seeds = range(1000)
    with_biases, without = (
        play_policy_games(table, players, seeds, NET, biases)
        for biases in (learned()["biases"], NO_BIASES)
    )
    mean = float(np.floor(with_biases.points).mean())
    assert mean == pytest.approx(OF_SEARCHES[players], abs=3)
    assert with_biases.cities.mean() > without.cities.mean()
