"""OpenSpiel's own tests of its adapter: random simulations, playthroughs, search, resampling."""

from __future__ import annotations

import random
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from absl import flags
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import generate_playthrough, ismcts, mcts
from open_spiel.python.observation import make_observation

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
    game = pyspiel.load_game(NAME, {"players": 3})
    assert (game.num_players(), game.num_distinct_actions()) == (3, 344)
    assert game.observation_tensor_shape() == [game.tools.encoding.layout.size]


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
def test_the_makers_random_simulations(players: int) -> None:
    game = pyspiel.load_game(NAME, {"players": players})
    pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)


@pytest.mark.slow
def test_a_playthrough_is_the_same_again() -> None:
    """A whole game as the maker's tool writes it; after a change its `update_path` does anew."""
    flags.FLAGS.mark_as_parsed()
    path = Path(__file__).parent / "playthroughs" / "python_masons.txt"
    expected, replayed = generate_playthrough.replay(path)
    assert replayed.splitlines() == expected.splitlines()
    steps = ("wall:", "tower:", "house:", "city:", "play:", "discard:", "roll:", "card:", "nothing")
    assert all(f'# Apply action "{step}' in expected for step in steps)


@pytest.mark.parametrize("players", [2, 3])
def test_the_makers_checks_of_the_interface(players: int) -> None:
    game = pyspiel.load_game(NAME, {"players": players})
    states = [walked(game, seed, 40 * seed) for seed in range(5)]

    class Checks(api_test.EnforceAPIOnPartialTreeBase):  # type: ignore[misc]
        @classmethod
        def setUpClass(cls) -> None:
            cls.game, cls.game_name, cls.game_type = game, NAME, game.get_type()
            cls.some_states = states

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Checks).run(result)
    assert (result.testsRun, result.failures, result.errors) == (5, [], [])


def test_an_observation_is_that_of_the_environments_by_parts() -> None:
    game = pyspiel.load_game(NAME)
    state = walked(game, 4, 60)
    observation = make_observation(game)
    observation.set_from(state, 1)
    layout = game.tools.encoding.layout
    assert list(observation.dict) == [part.name for part in layout.sections]
    joined = np.concatenate(list(observation.dict.values()))
    assert joined.tolist() == state.inside.seen_by(1).tolist() == state.observation_tensor(1)


def test_the_public_and_a_players_secrets_are_apart() -> None:
    game = pyspiel.load_game(NAME, {"players": 3})
    kinds = pyspiel.IIGObservationType, pyspiel.PrivateInfoType

    def text(state: Any, player: int, public: bool, private: Any, recalls: bool = False) -> str:
        kind = kinds[0](public_info=public, perfect_recall=recalls, private_info=private)
        return str(make_observation(game, kind).string_from(state, player))

    single, none = kinds[1].SINGLE_PLAYER, kinds[1].NONE
    for steps in (3, 18, 60, 400):
        state = walked(game, 4, steps)
        other = state.resample_from_infostate(1, np.random.default_rng(1).random)
        for recalls in (False, True):
            public = {text(world, 1, True, none, recalls) for world in (state, other)}
            assert len(public) == 1
            assert text(state, 0, True, none, recalls) in public
        secrets = [text(state, player, False, single) for player in range(3)]
        assert secrets[1] == text(other, 1, False, single)
        if steps == 18:
            assert [secret.count("+") for secret in secrets] == [5, 5, 5]
            assert all(secret.split()[0].removeprefix("hand=") in str(state) for secret in secrets)
        assert text(state, 0, False, none) == ""
    hands = kinds[0](public_info=True, perfect_recall=False, private_info=kinds[1].ALL_PLAYERS)
    assert make_observation(game, hands) is None
    recalled = make_observation(game, kinds[0](perfect_recall=True))
    assert (recalled.tensor, recalled.dict) == (None, {})


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
    for seed in range(7):
        state = walked(game, seed, 12 + 20 * seed)
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


@pytest.mark.slow
def test_cards_that_another_seat_has_named_but_not_shown_are_resampled() -> None:
    game = pyspiel.load_game(NAME, {"players": 2})
    rng, draw = random.Random(1), np.random.default_rng(1).random
    held = looked = decisions = 0
    for seed in range(6):
        state = walked(game, seed, 0)
        while not state.is_terminal():
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(actions, weights)[0])
                continue
            action, seat = rng.choice(state.legal_actions()), state.current_player()
            kind, _, card = state.action_to_string(seat, action).partition(":")
            state.apply_action(action)
            if kind not in ("play", "discard") or not state.inside.is_mid_decision:
                continue
            decisions += 1
            for _ in range(20):
                other = state.resample_from_infostate(1 - seat, draw)
                assert seen(other, 1 - seat) == seen(state, 1 - seat)
                assert other.current_player() == seat
                held += card in other.inside.secret_text(seat).split()[0]
                looked += 1
    assert decisions > 10
    assert held < 0.4 * looked, held / looked  # it was in 92 % of the hands, and is in 20 %


def test_hidden_cards_are_in_nobody_elses_information() -> None:
    state = walked(pyspiel.load_game(NAME), 5, 12)
    holder, other = (state.information_state_string(seat) for seat in range(2))
    assert holder.count("gets:?") == other.count("gets:?") == 6
    assert holder.split()[1].startswith("0:gets:")
    assert "?" not in holder.split()[1]
    assert other.split()[1] == "0:gets:?"


@pytest.mark.slow
def test_the_makers_search_plays() -> None:
    """A whole game on a small board: every kind of action is searched."""
    game = pyspiel.load_game(NAME, {"board": str(BOARDS / "rhombus-2.json")})
    bot = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), uct_c=1.0,
        max_simulations=5, random_state=np.random.RandomState(2),
    )  # fmt: skip
    state, rng, due = game.new_initial_state(), random.Random(1), set()
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, rng.random))
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(rng.choice(state.legal_actions()))
            continue
        action = bot.step(state)
        due.add(state.action_to_string(action).split(":")[0])
        state.apply_action(action)
    assert due >= {"wall", "tower", "house", "city", "play", "discard", "nothing"}


@pytest.mark.parametrize("parameters", [{"players": 5}, {"board": "nowhere"}])
def test_refused_parameters(parameters: dict[str, Any]) -> None:
    with pytest.raises(MasonsError):
        pyspiel.load_game(NAME, parameters)
