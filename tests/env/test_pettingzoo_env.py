"""PettingZoo's own tests of its adapter, and some more."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from pettingzoo.utils.conversions import parallel_to_aec, turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

from masons.engine.errors import MasonsError
from masons.env.adapters import pettingzoo_env

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


OPTIONS: list[dict[str, Any]] = [
    {"players": 2, "reward": "points"},
    {"players": 3},
    {"players": 4, "early_roll": True, "threads": 2},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_the_makers_test_of_the_interface(options: dict[str, Any]) -> None:
    api_test(pettingzoo_env.env(**options), num_cycles=100)
    parallel_api_test(pettingzoo_env.parallel_env(**options), num_cycles=100)


def test_the_makers_test_of_the_interface_in_the_makers_wrappers() -> None:
    in_turn = turn_based_aec_to_parallel(pettingzoo_env.env())
    parallel_api_test(in_turn, num_cycles=60)
    losing = TerminateIllegalWrapper(pettingzoo_env.raw_env(), illegal_reward=-1)
    api_test(OrderEnforcingWrapper(losing), num_cycles=60)


def test_the_makers_test_of_seeds() -> None:
    seed_test(pettingzoo_env.env, num_cycles=60)
    parallel_seed_test(pettingzoo_env.parallel_env, num_cycles=60)


def test_the_makers_test_of_cycles() -> None:
    """It wants every agent to act once in each cycle, as in the parallel environment."""
    max_cycles_test(
        SimpleNamespace(
            parallel_env=pettingzoo_env.parallel_env,
            env=lambda **options: parallel_to_aec(pettingzoo_env.parallel_env(**options)),
        )
    )


def test_the_makers_test_of_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(pettingzoo_env.env)
    printed = capsys.readouterr().out.splitlines()
    assert {line.split(" board=")[0] for line in printed} == {"masons1"}
    parallel = pettingzoo_env.parallel_env(render_mode="human")
    parallel.reset(seed=0)
    parallel.step({"seat_0": 57})
    assert capsys.readouterr().out.startswith("masons1 board=classic players=2 active=0 phase=")


@pytest.mark.parametrize("others", [{}, {"seat_1": None}, {"seat_1": 999, "seat_2": "wait"}])
def test_actions_of_seats_that_are_not_to_move_are_ignored(others: dict[str, Any]) -> None:
    env = pettingzoo_env.parallel_env(players=3)
    shown, _ = env.reset(seed=1)
    for _ in range(30):
        (due,) = (agent for agent in env.agents if shown[agent]["action_mask"].any())
        given = {agent: others.get(agent) for agent in others if agent != due}
        shown = env.step({**given, due: int(shown[due]["action_mask"].argmax())})[0]
    with pytest.raises(MasonsError, match=r"no action of seat_., which is to move"):
        env.step({})


def played(env: Any, seed: int) -> list[float]:
    env.reset(seed=seed)
    total = dict.fromkeys(env.possible_agents, 0.0)
    rng = np.random.default_rng(seed)
    for agent in env.agent_iter():
        shown, reward, is_over, is_cut, _ = env.last()
        total[agent] += reward
        action = None
        if not (is_over or is_cut):
            action = rng.choice(np.flatnonzero(shown["action_mask"]))
        env.step(action)
    return list(total.values())


def test_a_game_to_its_end() -> None:
    games = [played(pettingzoo_env.env(players=3), seed) for seed in range(4)]
    assert [round(sum(rewards), 6) for rewards in games] == [0.0] * 4
    assert {max(rewards) for rewards in games} <= {1.0, 0.25}


def test_a_game_is_cut_short_when_a_seat_has_taken_so_many_steps() -> None:
    env = pettingzoo_env.env(max_cycles=7)
    env.reset(seed=0)
    steps = dict.fromkeys(env.possible_agents, 0)
    while not any(env.truncations.values()):
        assert max(steps.values()) < 7
        steps[env.agent_selection] += 1
        env.step(env.action_space(env.agent_selection).sample())
    assert max(steps.values()) == 7
    assert all(env.truncations.values())
    assert not any(env.terminations.values())


@pytest.mark.parametrize("make", [pettingzoo_env.env, pettingzoo_env.parallel_env])
def test_copies_and_pickles_go_on_by_themselves(make: Any) -> None:
    def goes_on(env: Any) -> list[Any]:
        acted = []
        for _ in range(20):
            due = env.unwrapped._due
            action = int(env.action_space(due).sample())
            env.step(action if make is pettingzoo_env.env else {due: action})
            acted += [action, env.unwrapped.observe(due)["observation"].tobytes()]
        return acted

    env = make(players=3)
    env.reset(seed=2)
    for space in map(env.action_space, env.possible_agents):
        space.seed(2)
    goes_on(env)
    others = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    first, second = map(goes_on, others)
    assert first == second == goes_on(env)


def test_what_is_refused() -> None:
    env = pettingzoo_env.env(render_mode="ansi")
    env.reset(seed=0)
    with pytest.raises(MasonsError, match=r"environment 0: action 300 .* is not legal"):
        env.step(300)
    with pytest.raises(MasonsError, match=r"environment 0: action -1 is not legal"):
        env.step(-1)
    assert env.render().startswith("masons1 board=classic players=2")
    for options in ({"players": 5}, {"max_cycles": 0}, {"render_mode": "rgb_array"}):
        with pytest.raises(MasonsError):
            pettingzoo_env.env(**options)
    parallel = pettingzoo_env.parallel_env()
    parallel.reset(seed=0)
    with pytest.raises(MasonsError, match="no action of seat_0, which is to move"):
        parallel.step({"seat_1": 0})
    with pytest.raises(MasonsError, match=r"environment 0: action -1 is not legal"):
        parallel.step({"seat_0": -1, "seat_1": 0})
