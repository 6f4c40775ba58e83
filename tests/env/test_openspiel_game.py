"""OpenSpiel's own tests of its adapter: random simulations, playthroughs, search, resampling."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts, outcome_sampling_mccfr

from masons.engine.errors import MasonsError
from masons.env.adapters import openspiel_game
from tests.support.paths import BOARDS

NAME = openspiel_game.NAME


def walked(game: Any, seed: int, steps: int) -> Any:
    """A state after so many actions by chance, or at the end."""
    rng = random.Random(seed)
    state = game.new_initial_state()
    for _ in range(steps):
        if state.is_terminal():
            break
        if state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(actions, weights)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    return state


def test_it_is_registered() -> None:
    assert NAME in pyspiel.registered_names()
    game = pyspiel.load_game(NAME, {"players": 3})
    assert (game.num_players(), game.num_distinct_actions()) == (3, 344)
    assert game.observation_tensor_shape() == [game.tools.encoding.layout.size]


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
def test_the_makers_random_simulations(players: int) -> None:
    game = pyspiel.load_game(NAME, {"players": players})
    pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)


@pytest.mark.slow
def test_a_playthrough_is_written_and_read_again() -> None:
    """On a small board, as the maker's tool writes every number of every observation."""
    name = f"{NAME}(board={BOARDS / 'hexagon-24.json'},players=2)"
    text = generate_playthrough.playthrough(name, [], seed=7)
    assert 'GameType.short_name = "python_masons"' in text.splitlines()
    actions = [int(number) for number in re.findall(r"^action: (\d+)$", text, re.MULTILINE)]
    assert len(actions) > 60
    state = pyspiel.load_game(NAME, {"board": str(BOARDS / "hexagon-24.json")}).new_initial_state()
    states = {str(state)}
    for action in actions:
        state.apply_action(action)
        states.add(str(state))
    assert state.is_terminal()
    shown = set(re.findall(r"^# ((?:masons1|deal).*)$", text, re.MULTILINE))
    assert len(shown) > 5
    assert shown <= states


def test_states_are_copied_and_written_down() -> None:
    game = pyspiel.load_game(NAME)
    for steps in (3, 14, 60, 200):
        state = walked(game, steps, steps)
        clone = state.clone()
        again = game.deserialize_state(state.serialize())
        for other in (clone, again):
            assert str(other) == str(state)
            assert other.history() == state.history()
            assert other.legal_actions() == state.legal_actions()
        if not state.is_terminal():
            before = str(state)
            clone.apply_action(clone.legal_actions()[0])
            assert str(state) == before


def seen(state: Any, player: int) -> tuple[str, str, list[float]]:
    return (
        state.information_state_string(player), state.observation_string(player),
        state.observation_tensor(player),
    )  # fmt: skip


@pytest.mark.parametrize("players", [2, 3, 4])
def test_resampled_worlds_agree_and_are_not_always_the_truth(players: int) -> None:
    game = pyspiel.load_game(NAME, {"players": players})
    differ = looked = 0
    for seed in range(12):
        state = walked(game, seed, 12 + 11 * seed)
        rng = np.random.default_rng(seed)
        for player in range(players):
            other = state.resample_from_infostate(player, rng.random)
            assert seen(other, player) == seen(state, player)
            assert other.current_player() == state.current_player()
            if state.current_player() == player:
                assert other.legal_actions() == state.legal_actions()
            assert other.is_terminal() == state.is_terminal()
            differ += str(other) != str(state)
            looked += 1
    assert differ > 0.8 * looked


def test_a_resampled_world_can_be_played_on() -> None:
    game = pyspiel.load_game(NAME)
    for seed in range(4):
        state = walked(game, seed, 70)
        if state.is_terminal() or state.is_chance_node():
            continue
        other = state.resample_from_infostate(state.current_player())
        while not other.is_terminal():
            outcomes = other.legal_actions()  # of chance, too
            other.apply_action(outcomes[0])
        assert abs(sum(other.returns())) < 1e-9


def test_hidden_cards_are_in_nobody_elses_information() -> None:
    game = pyspiel.load_game(NAME)
    state = walked(game, 5, 12)
    own, other = state.information_state_string(0), state.information_state_string(1)
    assert own.count("gets:?") == other.count("gets:?") == 6
    assert own.split()[1].startswith("0:gets:")
    assert "?" not in own.split()[1]
    assert other.split()[1] == "0:gets:?"


@pytest.mark.slow
def test_the_makers_search_plays() -> None:
    game = pyspiel.load_game(NAME)
    state = walked(game, 3, 40)
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    bot = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), uct_c=1.0,
        max_simulations=3, random_state=np.random.RandomState(2),
    )  # fmt: skip
    assert bot.step(state) in state.legal_actions()


def test_counterfactual_regret_is_sampled() -> None:
    game = pyspiel.load_game(NAME)
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(game)
    solver.iteration()
    state = walked(game, 1, 12)
    assert len(solver.average_policy().action_probabilities(state)) == 170


def test_what_is_refused() -> None:
    for parameters in ({"players": 5}, {"board": "nowhere"}):
        with pytest.raises(MasonsError):
            pyspiel.load_game(NAME, parameters)
