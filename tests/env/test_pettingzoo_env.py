"""PettingZoo's own tests of its adapter, and what they do not look at."""

from __future__ import annotations

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
    seed_test,
)
from pettingzoo.utils.conversions import parallel_to_aec

from masons.engine.errors import MasonsError
from masons.env.adapters import pettingzoo_env

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_makers_test_of_the_interface(players: int) -> None:
    api_test(pettingzoo_env.env(players=players, reward="points"), num_cycles=100)
    parallel_api_test(pettingzoo_env.parallel_env(players=players), num_cycles=100)


def test_the_makers_test_of_seeds() -> None:
    seed_test(pettingzoo_env.env, num_cycles=60)
    parallel_seed_test(pettingzoo_env.parallel_env, num_cycles=60)


def test_the_makers_test_of_cycles() -> None:
    """It counts cycles in which all agents act: those of the parallel environment."""
    max_cycles_test(
        SimpleNamespace(
            parallel_env=pettingzoo_env.parallel_env,
            env=lambda **options: parallel_to_aec(pettingzoo_env.parallel_env(**options)),
        )
    )


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
    rewards = [played(pettingzoo_env.env(players=3), seed) for seed in range(4)]
    assert [round(sum(own), 6) for own in rewards] == [0.0] * 4
    assert {max(own) for own in rewards} <= {1.0, 0.25}


def test_a_game_that_is_cut_short() -> None:
    env = pettingzoo_env.env(max_cycles=7)
    played(env, 0)
    assert env.unwrapped._seats.is_cut
    assert not env.unwrapped._seats.is_over


def test_each_agent_is_shown_its_own_hand() -> None:
    env = pettingzoo_env.env(players=2)
    env.reset(seed=3)
    game = env.unwrapped._seats.game
    for seat in range(2):
        shown = env.observe(f"seat_{seat}")
        kinds = game.encoding.layout.features(shown["observation"]).kinds
        hand = game.position(0).hands[seat]
        assert kinds[:, 0].tolist() == [hand.count(kind) for kind in range(30)]
        assert shown["action_mask"].any() == (seat == 0)


def test_what_is_refused() -> None:
    env = pettingzoo_env.env(render_mode="ansi")
    env.reset(seed=0)
    with pytest.raises(MasonsError, match=r"environment 0: action 300 .* is not legal"):
        env.step(300)
    with pytest.raises(MasonsError, match=r"environment 0: action -1 is not legal"):
        env.step(-1)
    assert env.render().startswith("masons1 board=classic players=2")
    for options in ({"players": 5}, {"max_cycles": 0}, {"render_mode": "human"}):
        with pytest.raises(MasonsError):
            pettingzoo_env.env(**options)
    parallel = pettingzoo_env.parallel_env()
    parallel.reset(seed=0)
    with pytest.raises(MasonsError, match="no action of seat_0, which is to move"):
        parallel.step({"seat_1": 0})
    with pytest.raises(MasonsError, match=r"environment 0: action -1 is not legal"):
        parallel.step({"seat_0": -1, "seat_1": 0})
