"""Gymnasium's own check of its adapter, the vector environment, and games against players."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import re
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from masons.engine.errors import MasonsError, MoveError
from masons.env.adapters import gymnasium_env
from masons.env.opponents import Opponents

START_METHODS = sorted({"fork", "spawn"} & set(multiprocessing.get_all_start_methods()))


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_makers_check(players: int) -> None:
    env = gymnasium.make(gymnasium_env.ID, opponent="greedy", players=players, render_mode="ansi")
    check_env(env.unwrapped)


def test_a_game_to_its_end() -> None:
    env = gymnasium.make(gymnasium_env.ID, opponent="random", reward="points")
    for seed in range(3):
        _, info = env.reset(seed=seed)
        total, is_over = 0.0, False
        while not is_over:
            _, reward, is_over, _, more = env.step(env.action_space.sample())
            total += reward
        assert total == more["scores"][info["seat"]]
    with pytest.raises(MoveError, match="the game is over: reset it"):
        env.unwrapped.step(0)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (300, "action 300 (play:land-towers-black) is not legal: legal are"),
        (-1, "action -1 is not legal: legal are"),  # to `BatchEnv` it is no action
        (np.int8(-1), "action -1 is not legal"),
        (np.uint64(2**64 - 1), "action -1 is not legal"),
    ],
)
def test_an_illegal_action_loses_or_raises(action: Any, message: str) -> None:
    env = gymnasium_env.MasonsEnv("random")
    env.reset(seed=1)
    _, reward, is_over, is_cut, info = env.step(action)
    assert (reward, is_over, is_cut) == (-1, True, False)
    assert f"environment 0: {message}" in info["illegal"]
    with pytest.raises(MoveError, match="was lost by an action that is not legal: reset it"):
        env.step(0)
    env.reset(seed=2)
    assert not env.step(env.action_space.sample())[2]
    strict = gymnasium_env.MasonsEnv("random", illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(MoveError, match=re.escape(f"environment 0: {message}")):
        strict.step(action)


@pytest.mark.parametrize("action", [999, -1])
def test_an_illegal_action_of_many_loses_or_raises(action: int) -> None:
    envs = gymnasium_env.MasonsVectorEnv(3, "random")
    envs.reset(seed=1)
    actions = envs.legal_actions().copy()
    actions[1] = action
    _, reward, is_over, _, infos = envs.step(actions)
    assert (reward.tolist(), is_over.tolist()) == ([0, -1, 0], [False, True, False])
    assert infos["illegal"][1].startswith(f"environment 1: action {action} is not legal")
    assert infos["_illegal"].tolist() == (~infos["_scores"]).tolist() == is_over.tolist()
    _, _, is_over, _, infos = envs.step(envs.legal_actions())
    assert not is_over.any()
    assert infos["_seat"].tolist() == [False, True, False]
    assert "illegal" not in infos
    strict = gymnasium_env.MasonsVectorEnv(3, "random", illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(MoveError, match=f"environment 1: action {action} is not legal"):
        strict.step(actions)


def test_samples_are_legal_and_scores_an_array_in_each_mode() -> None:
    for mode in ("sync", "vector_entry_point"):
        envs = gymnasium.make_vec(
            gymnasium_env.ID, num_envs=2, vectorization_mode=mode, opponent="random", players=3
        )
        shown = envs.reset(seed=1)[0]
        envs.action_space.seed(2)
        was_over, resets = np.zeros(2, bool), 0
        for _ in range(60):
            actions = envs.action_space.sample(mask=tuple(shown["action_mask"]))
            shown, _, is_over, _, infos = envs.step(actions)
            assert "illegal" not in infos
            if was_over.all():
                assert "scores" not in infos, mode
            else:
                assert (infos["scores"].dtype, infos["scores"].shape) == (np.int64, (2, 3)), mode
                assert infos["_scores"].tolist() == (~was_over).tolist(), mode
            was_over, resets = is_over, resets + int(was_over.any())
        assert resets, mode


def test_a_seed_for_each_environment() -> None:
    envs = gymnasium.make_vec(
        gymnasium_env.ID, num_envs=2, vectorization_mode="vector_entry_point", opponent="busy",
        seat=0,
    )  # fmt: skip

    def dealt(seed: object) -> list[bytes]:
        return [row.tobytes() for row in envs.reset(seed=seed)[0]["observation"]]

    def played() -> list[bytes]:
        rng = np.random.default_rng(0)
        shown = envs.reset(seed=[1, 2])[0]
        for _ in range(10):
            chosen = [int(rng.choice(np.flatnonzero(mask))) for mask in shown["action_mask"]]
            shown = envs.step(np.array(chosen))[0]
        return [shown["observation"].tobytes(), *dealt(None)]

    first = dealt([1, 2])
    assert dealt([1, 2]) == dealt((1, 2)) == dealt(np.array([1, 2])) == first
    assert played() == played(), "what the opponent does, and the games to come, too"
    other = dealt([1, 3])
    assert other[0] == first[0]
    assert other[1] != first[1]
    some = dealt([None, 2])
    assert some[1] == first[1]
    assert some[0] != first[0]
    assert dealt([None, None]) != dealt([None, None])
    for wrong in ([1], [1, 2, 3], [1, 2.5], ["1", 2], [1, True]):
        with pytest.raises(MasonsError, match=r"seed is .*: it must be a whole number, or a list"):
            envs.reset(seed=wrong)
    assert dealt(1) == dealt(1)


def test_many_games() -> None:
    envs = gymnasium.make_vec(
        gymnasium_env.ID, num_envs=6, vectorization_mode="vector_entry_point", opponent="random"
    )
    shown, info = envs.reset(seed=1)
    assert info["seat"].tolist() == [0, 1] * 3
    assert info["_seat"].all()
    ended, stopped = 0, np.zeros(6, dtype=bool)
    for _ in range(150):
        shown, reward, is_over, is_cut, info = envs.step(envs.unwrapped.legal_actions())
        assert info["scores"].shape == (6, 2)
        assert (info["_scores"] == ~stopped).all(), "as in Gymnasium's own vector environments"
        assert info.get("_seat", np.zeros(6)).tolist() == stopped.tolist()
        assert (reward[stopped] == 0).all()
        assert not is_over[stopped].any()
        assert ((reward != 0) <= is_over).all()
        assert not is_cut.any()
        assert (shown["action_mask"].any(axis=1) == ~is_over).all()
        stopped, ended = is_over, ended + is_over.sum()
    assert envs.observation_space.contains(shown)
    assert ended > 12
    seats = envs.unwrapped.encoding.layout.features(shown["observation"]).seats
    assert seats[:, 0, 6].tolist() == [0, 1] * 3


def test_many_games_are_truncated() -> None:
    envs = gymnasium.make_vec(
        gymnasium_env.ID, num_envs=2, vectorization_mode="vector_entry_point", max_episode_steps=6,
        opponent="random",
    )  # fmt: skip
    first, _ = envs.reset(seed=1)
    cuts = []
    for step in range(1, 15):
        shown, _, is_over, is_cut, _ = envs.step(envs.unwrapped.legal_actions())
        assert not is_over.any()
        assert shown["action_mask"].any(axis=1).all()
        cuts.append(is_cut.tolist())
        if step == 7:  # a new game, of which no action has been made
            assert not np.array_equal(shown["observation"], first["observation"])
            parts = envs.unwrapped.encoding.layout.features(shown["observation"])
            assert (parts.lines[:, :, 0].sum(axis=1) <= 1).all()  # walls
    assert [number for number, cut in enumerate(cuts, 1) if all(cut)] == [6, 13]
    assert sum(map(any, cuts)) == 2
    with pytest.raises(MasonsError, match="max_episode_steps is 0: it must be"):
        gymnasium_env.MasonsVectorEnv(2, max_episode_steps=0)


def test_the_metadata_has_what_wrappers_look_for() -> None:
    assert gymnasium_env.MasonsEnv.metadata["render_fps"] == 1
    assert gymnasium_env.MasonsVectorEnv.metadata["render_fps"] == 1


def test_opponents_play_all_but_the_learners_seat() -> None:
    games = Opponents(4, "greedy", players=3, seed=1, seat=2)
    step = games.reset()
    won = np.zeros(4)
    while (step.player >= 0).any():
        assert (step.player[step.player >= 0] == 2).all()
        games.step(games.env.pick_actions())
        won += games.gained
    assert won.sum() < 0, "random play loses against greedy"
    with pytest.raises(MasonsError, match="no player 'nobody'"):
        Opponents(1, "nobody")
    with pytest.raises(MasonsError, match="seat is 2: it must be a whole number from 0 to 1"):
        Opponents(1, seat=2)


def goes_on(env: Any, steps: int = 20) -> list[Any]:
    """Return the results of random actions, also in the games that follow."""
    acted = []
    for _ in range(steps):
        action = int(env.action_space.sample())
        shown, reward, is_over, _, _ = env.step(action)
        acted += [action, shown["observation"].tobytes(), reward]
        if is_over:
            acted.append(env.reset()[0]["observation"].tobytes())
    return acted


def begun(opponent: str, **options: Any) -> Any:
    env = gymnasium.make(gymnasium_env.ID, opponent=opponent, **options)
    env.reset(seed=1)
    env.action_space.seed(1)
    goes_on(env)
    return env


@pytest.mark.parametrize("opponent", ["random", "greedy", "heuristic", "policy", "default:sims=8"])
def test_copies_and_pickles_go_on_by_themselves(opponent: str) -> None:
    env = begun(opponent, players=3)
    others = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    first, second = map(goes_on, others)
    assert first == second == goes_on(env)


@pytest.mark.parametrize("context", START_METHODS)
def test_environments_in_other_processes(context: str) -> None:
    """A pickled one goes on there, and Gymnasium's own are the same as in this process."""
    env = begun("greedy")
    with multiprocessing.get_context(context).Pool(1) as pool:
        assert pool.apply(goes_on, (env,)) == goes_on(env)
    makers = [gymnasium_env.MasonsEnv] * 2
    played = []
    for envs in (AsyncVectorEnv(makers, context=context), SyncVectorEnv(makers)):
        shown = [envs.reset(seed=3)[0]]
        for _ in range(10):
            chosen = envs.call("action_masks")
            shown.append(envs.step(np.array([mask.argmax() for mask in chosen]))[0])
        played.append([seen["observation"].tobytes() for seen in shown])
        envs.close()
    assert played[0] == played[1]


@pytest.mark.slow
@pytest.mark.parametrize("context", multiprocessing.get_all_start_methods())
def test_stable_baselines_learns_with_masks(context: str) -> None:
    """`MaskablePPO` finds `action_masks` by itself, in processes too."""
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from stable_baselines3.common.env_checker import check_env as check
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import SubprocVecEnv

    check(gymnasium_env.MasonsEnv("random"))
    options = {"n_steps": 16, "batch_size": 32, "n_epochs": 1, "seed": 1}
    envs = make_vec_env(
        f"{gymnasium_env.__name__}:{gymnasium_env.ID}",
        n_envs=2,
        env_kwargs={"opponent": "random", "illegal": "raise"},
        vec_env_cls=SubprocVecEnv,
        vec_env_kwargs={"start_method": context},
    )
    sb3_contrib.MaskablePPO("MultiInputPolicy", envs, **options).learn(64)
    envs.close()


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (gymnasium_env.MasonsEnv, {"render_mode": "human"}),
        (gymnasium_env.MasonsVectorEnv, {"render_mode": "ansi"}),
        (gymnasium_env.MasonsEnv, {"reward": "gold"}),
    ],
)
def test_refused_arguments(make: Any, options: dict[str, str]) -> None:
    ((name, value),) = options.items()
    with pytest.raises(MasonsError, match=f"{name} is '{value}'"):
        make(**options)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (gymnasium_env.MasonsEnv, "MasonsEnv"),
        (gymnasium_env.MasonsVectorEnv, "MasonsVectorEnv"),
        (Opponents, "Opponents"),
    ],
)
def test_an_unknown_argument_is_named_with_those_that_there_are(make: Any, name: str) -> None:
    with pytest.raises(
        TypeError, match=f"^{name} has no argument 'foo': it has .*opponent.*players"
    ):
        make(foo=1)
