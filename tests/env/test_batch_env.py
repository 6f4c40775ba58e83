"""`BatchEnv`: arrays, seeds, threads, states, ends of games, refusals."""

from __future__ import annotations

import copy
import gc
import json
import os
import pickle
import re
import threading
import time
from typing import Any

import numpy as np
import pytest

from masons.cli.commands import bench
from masons.cli.main import run
from masons.engine.errors import MasonsError, MoveError
from masons.env import BatchEnv, BatchStep
from masons.env.stepping.env_layout import ROW_WORDS
from tests.support.playing import board_of


def begun(**options: Any) -> BatchEnv:
    env = BatchEnv(**({"num_envs": 8, "seed": 1} | options))
    env.reset()
    return env


def copied(step: BatchStep) -> list[bytes]:
    return [np.ascontiguousarray(field).tobytes() for field in step]


def same_step(*envs: BatchEnv) -> None:
    """Pick and make actions in environments that must do the same."""
    actions = [env.pick_actions().copy() for env in envs]
    assert all(np.array_equal(actions[0], other) for other in actions)
    steps = [copied(env.step(actions[0])) for env in envs]
    assert all(step == steps[0] for step in steps)


def test_arrays_have_fixed_dtypes_and_shapes_and_are_shared_without_a_copy() -> None:
    env = begun(num_envs=5)
    step = env.step(env.pick_actions())
    assert env.num_actions == 344
    assert [(field.dtype.name, field.shape) for field in step] == [
        ("uint8", (5, env.observation_size)),
        ("bool", (5, 344)),
        ("int64", (5,)),
        ("float32", (5, 4)),
        ("bool", (5,)),
    ]
    again = env.step(env.pick_actions())
    assert all(a is b for a, b in zip(step, again, strict=True)), "the same memory each time"
    for field in step:
        assert field.ctypes.data % 64 == 0, "as JAX wants it"
        assert np.shares_memory(np.from_dlpack(field), field)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_games_however_many_threads() -> None:
    def played(seed: int, threads: int) -> list[list[bytes]]:
        with BatchEnv(90, "mixed", seed=seed, threads=threads) as env:
            env.reset()
            return [copied(env.step(env.pick_actions())) for _ in range(150)]

    alone = played(7, 1)
    assert all(played(7, threads) == alone for threads in (2, 3, 64))
    assert played(8, 1) != alone
    assert any(np.frombuffer(done, np.bool_).any() for *_, done in alone)


def test_threads_pick_the_same_actions_also_when_they_have_slept() -> None:
    envs = [begun(num_envs=70, threads=threads) for threads in (1, 4)]
    for number in range(30):
        if number % 10 == 9:
            time.sleep(0.002)
        same_step(*envs)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    env = begun(num_envs=70, threads=3)
    env.step(env.pick_actions())
    child = os.fork()
    if not child:
        env.step(env.pick_actions())
        os._exit(int(env.steps.sum() != 140))
    assert os.waitpid(child, 0)[1] == 0
    assert env.steps.sum() == 70


def test_threads_end_with_their_environments() -> None:
    before = set(threading.enumerate())
    env = begun(num_envs=200, threads=4)
    env.step(env.pick_actions())
    started = set(threading.enumerate()) - before  # others may end meanwhile
    assert len(started) == 3
    del env
    gc.collect()
    for thread in started:
        thread.join(10)
    assert not any(thread.is_alive() for thread in started)


def test_an_environment_does_not_depend_on_the_others() -> None:
    few, many = begun(num_envs=3), begun(num_envs=9)
    for _ in range(200):
        actions = many.pick_actions()
        many.step(actions)
        few.step(actions[:3])
        assert np.array_equal(few.last.observation[:3], many.last.observation[:3])


def test_a_seed_begins_anew_in_all_environments_or_in_some() -> None:
    env = begun(num_envs=4)
    first = env.state()
    env.step(env.pick_actions())
    env.reset()
    assert not np.array_equal(env.state(), first), "the next games"
    env.reset(seed=1)
    assert np.array_equal(env.last.observation, begun(num_envs=4).last.observation)
    env.reset(seed=[5, 6, 7, 8])
    first = env.state()
    env.reset(seed=[8, 6], where=[3, 1])
    assert np.array_equal(env.state(), first)
    env.reset(seed=[5, None], where=[0, 2])
    is_same = (env.state() == first).all(axis=1)
    assert is_same.tolist() == [True, True, False, True]
    with pytest.raises(MasonsError, match=r"a list of 2, one for each environment"):
        env.reset(seed=[1, 2, 3], where=[0, 2])


def test_rewards_of_a_game_sum_to_nothing() -> None:
    env = BatchEnv(64, "mixed", seed=2)
    step = env.reset()
    ended = 0
    for _ in range(400):
        env.step(env.pick_actions())
        assert (step.reward[~step.done] == 0).all()
        for number in np.flatnonzero(step.done).tolist():
            players, rewards = int(env.players[number]), step.reward[number]
            assert abs(rewards.sum()) < 1e-6
            assert (rewards[players:] == 0).all()
            best = env.final_scores[number, :players].max()
            assert rewards[:players].argmax() in np.flatnonzero(env.final_scores[number] == best)
            assert rewards.max() <= 1
            ended += 1
    assert env.games.sum() == ended > 60


def test_points_as_rewards_sum_to_the_score() -> None:
    env = BatchEnv(16, 3, seed=2, reward="points")
    step = env.reset()
    total = np.zeros((16, 4))
    for _ in range(300):
        env.step(env.pick_actions())
        total += step.reward
        assert np.array_equal(total[step.done], env.final_scores[step.done])
        total[step.done] = 0
        assert np.array_equal(total, env.scores)


def test_without_auto_reset_an_environment_stops() -> None:
    env = BatchEnv(4, seed=3, auto_reset=False)
    step = env.reset()
    while (step.player >= 0).any():
        env.step(env.pick_actions())
    assert not step.mask.any()
    before = env.state()
    message = "environment 2: action 5 (wall:5), but its game is over: give -1, or reset it"
    with pytest.raises(MoveError, match=re.escape(message)):
        env.step([-1, -1, 5, -1])
    assert np.array_equal(before, env.state())
    assert not env.step([-1] * 4).done.any()
    env.reset(where=[2])
    assert step.player.tolist() == [-1, -1, 0, -1]
    assert env.step([-1, -1, 5, -1]).player[2] >= 0


def test_states_come_back() -> None:
    env = begun(num_envs=16, players="mixed")
    for _ in range(50):
        env.step(env.pick_actions())
    kept, shown = env.state(), copied(env.last)[:3]
    actions = [env.pick_actions().copy()]
    later = [copied(env.step(actions[-1]))]
    for _ in range(40):
        actions.append(env.pick_actions().copy())
        later.append(copied(env.step(actions[-1])))
    other = BatchEnv(16, "mixed", seed=99)
    for env_again in (env, other):
        assert copied(env_again.set_state(kept))[:3] == shown
        assert [copied(env_again.step(chosen)) for chosen in actions] == later
    other.set_state(kept[[4]], where=[9])
    assert np.array_equal(other.state([9]), kept[[4]])


@pytest.mark.parametrize(
    ("states", "message"),
    [
        (None, "states is a NoneType: it must be what state() gives, an array of uint64"),
        (np.zeros((2, ROW_WORDS)), "it must be what state() gives"),
        (np.zeros((3, ROW_WORDS), np.uint64), f"has the shape (3, {ROW_WORDS}): it must be (2, "),
        (np.zeros((2, ROW_WORDS), np.uint64), "state 0 was not made by state()"),
    ],
)
def test_other_states_are_refused(states: Any, message: str) -> None:
    env = begun(num_envs=2)
    before = env.state()
    with pytest.raises(MasonsError, match=re.escape(message)):
        env.set_state(states)
    assert np.array_equal(before, env.state())


def test_a_state_that_was_changed_is_refused() -> None:
    env = begun(num_envs=2)
    for word in range(ROW_WORDS):
        states = env.state()
        states[1, word] ^= np.uint64(1 << 33)
        with pytest.raises(MasonsError, match="state 1 was not made"):
            env.set_state(states)
    with pytest.raises(MasonsError, match="state 0 was not made"):
        begun(board=board_of("hexagon-24"), num_envs=2).set_state(env.state())


def test_a_state_of_other_rules_is_refused() -> None:
    env = begun(num_envs=2, players=3)
    before = env.state()
    for other, message in (
        (begun(num_envs=2, players=2), "state 0 has 2 players, these games have 3"),
        (begun(num_envs=2, players="mixed"), "state 0 has 2 players, these games have 3"),
        (begun(num_envs=2, players=3, early_roll=True), "state 0 allows early rolls, unlike these"),
    ):
        with pytest.raises(MasonsError, match=message):
            env.set_state(other.state())
        assert np.array_equal(before, env.state())
    with pytest.raises(MasonsError, match="state 0 forbids early rolls, unlike these games"):
        begun(num_envs=2, players=3, early_roll=True).set_state(before)


def test_a_mixed_environment_takes_over_the_players_of_a_state() -> None:
    env = begun(num_envs=3, players="mixed")
    env.set_state(env.state([2]), where=[0])
    assert env.players.tolist() == [4, 3, 4]
    assert env.reset(where=[0]).observation.shape[0] == 3
    assert env.players.tolist() == [4, 3, 4]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 1], "actions has the shape (2,): it must be (40,), one for each environment"),
        (3, "actions has the shape (): it must be (40,)"),
        (np.zeros(40), "actions is an array of float64: it must be an array of 40 whole numbers"),
        (["wall"] * 40, "it must be an array of 40 whole numbers"),
        (None, "actions is None: it must be an array of 40 whole numbers"),
        ([0] * 33 + [344] * 7, "environment 33: action 344 is not legal: legal are 0 (wall"),
        ([0] * 39 + [2**62], f"environment 39: action {2**62} is not legal"),
        ([171] + [0] * 39, "environment 0: action 171 (city:1) is not legal: legal are 0 (wall:0)"),
    ],
)  # fmt: skip
def test_bad_actions_harm_nothing(actions: Any, message: str, threads: int) -> None:
    env = begun(num_envs=40, threads=threads)
    before, shown = env.state(), copied(env.last)
    with pytest.raises(MasonsError, match=re.escape(message)) as raised:
        env.step(actions)
    assert "\n" not in str(raised.value)
    assert np.array_equal(before, env.state())
    assert copied(env.last) == shown
    assert env.step([0] * 40).player.shape == (40,)


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "i4", "u4", "u8", "strided"])
def test_any_whole_numbers_are_actions(kind: str) -> None:
    env = begun()
    env.step(np.arange(32)[::4] + 100 if kind == "strided" else np.arange(8, dtype=kind))
    assert env.steps.tolist() == [1] * 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs is 0: it must be a whole number from 1 to 1048576"),
        ({"players": 5}, "players is 5: it must be 2, 3, 4 or 'mixed'"),
        ({"threads": 0}, "threads is 0: it must be a whole number from 1 to 256"),
        ({"seed": "x"}, "seed is 'x': it must be a whole number or None"),
        ({"auto_reset": 1}, "auto_reset is 1: it must be True or False"),
        ({"reward": "money"}, "reward is 'money': it must be 'win' or 'points'"),
        ({"early_roll": "yes"}, "early_roll is 'yes'"),
        ({"board": 7}, "board is 7"),
    ],
)
def test_impossible_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(MasonsError, match=re.escape(message)):
        BatchEnv(**({"num_envs": 2} | options))


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (
            [8],
            "where is [8]: it must be a list of environments, from 0 to 7, or an array of 8 bools",
        ),
        ([1, 1], "where is [1, 1]: it must be a list that names each environment once"),
        ([0.5], "where is [0.5]: it must be a list of environments"),
        ("all", "where is 'all'"),
        ([[1, 2]], "where is [[1, 2]]"),
    ],
)
def test_unknown_environments(where: Any, message: str) -> None:
    env = begun()
    for call in (lambda: env.reset(where=where), lambda: env.state(where)):
        with pytest.raises(MasonsError, match=re.escape(message)):
            call()
    assert env.reset(where=np.arange(8) > 3).player.tolist() == [0] * 8
    assert env.state([]).shape == (0, ROW_WORDS)


def test_legal_and_huge_actions() -> None:
    env = begun(num_envs=2)
    assert env.refusal(1, 5) == "environment 1: action 5 (wall:5) is legal"
    for actions in ([10**20, 5], [-(10**30), 5], [2**63, 5]):
        assert env.are_legal(actions).tolist() == [False, True]
        with pytest.raises(MoveError, match=f"environment 0: action {actions[0]} is not legal"):
            env.step(actions)
    with pytest.raises(MasonsError, match="it must be an array of 2 whole numbers"):
        env.are_legal([10**20, 1.5])


def test_nothing_is_stepped_before_it_began_or_after_it_was_closed() -> None:
    env = BatchEnv(2)
    for call in (lambda: env.step([0, 0]), env.pick_actions, env.state, lambda: env.observe(0)):
        with pytest.raises(MasonsError, match=re.escape("no games have begun: call reset() first")):
            call()
    env.reset()
    env.close()
    for call in (env.reset, lambda: env.step([0, 0])):
        with pytest.raises(MasonsError, match="were closed"):
            call()


def test_moves_and_actions() -> None:
    env = begun()
    assert env.encode("wall:57") == [57]
    assert env.decode(57) == "wall:57"
    assert env.encoding.actions.number("play:cities") == 170 + 104 + 29
    with pytest.raises(MoveError, match="environment 0: merge:none is not legal now: seat 0"):
        env.encode("merge:none")
    with pytest.raises(MoveError, match="from 0 to 343"):
        env.decode(344)
    with pytest.raises(MoveError, match="'wall:170' is not an action: choose one of wall:0 to"):
        env.encoding.actions.number("wall:170")
    with pytest.raises(MasonsError, match="environment from 0 to 7"):
        env.encode("wall:57", 8)


@pytest.mark.parametrize("threads", [1, 2])
def test_copies_and_pickles_go_on_by_themselves(threads: int) -> None:
    env = begun(num_envs=20, players="mixed", threads=threads, reward="points")
    for _ in range(30):
        env.step(env.pick_actions())
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        before = copied(env.last)
        assert copied(other.last) == before
        other.step(other.pick_actions())
        assert copied(other.last) != before == copied(env.last)
    with copy.copy(env) as other:
        same_step(env, other)
    with pytest.raises(MasonsError, match="were closed"):
        other.step([0] * 20)


def test_bench_prints_the_rate_of_steps(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"ENV_STEPS": 20, "WARM_STEPS": 2, "SHORT_PASSES": 3}.items():
        monkeypatch.setattr(bench, name, value)
    for threads in ("1", "2"):
        assert run(["bench", "--env", "--envs", "40", "--threads", threads, "--json"]) == 0
        said = json.loads(capsys.readouterr().out)
        assert (said["envs"], said["threads"], said["players"]) == (40, int(threads), 2)
        least, most = said["spread"]["env_steps_per_s"]
        assert 0 < least <= said["env_steps_per_s"] <= most
        gains = [said[name] for name in said if name.startswith("threads_gain_")]
        assert (len(gains), min(gains, default=1) > 0) == (2 * (threads == "2"), True)
    assert run(["bench", "--env", "--envs", "8"]) == 0
    assert "env_steps_per_s" in capsys.readouterr().out
    assert run(["bench", "--env", "--envs", "0"]) == 2
