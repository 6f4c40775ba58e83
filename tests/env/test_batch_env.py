"""`BatchEnv`: arrays, seeds, threads, states, ends of games, and what is refused."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import re
import threading
import time
from typing import Any

import numpy as np
import pytest

import masons
from masons.engine.errors import MasonsError, MoveError
from masons.engine.kernels.bits import U
from masons.env import BatchEnv, BatchStep
from masons.env.stepping import shared_work
from masons.env.stepping.env_layout import ROW_WORDS
from masons.env.stepping.shared_work import PICK_JOB, begin_job, finish_job
from tests.support.playing import board_of


def begun(**options: Any) -> BatchEnv:
    env = BatchEnv(**({"num_envs": 8, "seed": 1} | options))
    env.reset()
    return env


def copied(step: BatchStep) -> list[bytes]:
    return [np.ascontiguousarray(field).tobytes() for field in step]


def run(env: BatchEnv, steps: int) -> list[list[bytes]]:
    env.reset()
    rng = np.random.default_rng(0)
    found = []
    for _ in range(steps):
        mask = env.last.mask
        actions = (mask * rng.random(mask.shape)).argmax(axis=1)
        found.append(copied(env.step(actions)))
    return found


def test_the_arrays_are_what_is_said() -> None:
    env = begun(num_envs=5)
    step = env.step(env.pick_actions())
    assert [(field.dtype.name, field.shape) for field in step] == [
        ("uint8", (5, env.observation_size)),
        ("bool", (5, env.num_actions)),
        ("int64", (5,)),
        ("float32", (5, 4)),
        ("bool", (5,)),
    ]
    assert env.num_actions == 344
    again = env.step(env.pick_actions())
    assert all(a is b for a, b in zip(step, again, strict=True)), "the same memory each time"


@pytest.mark.slow
def test_the_same_seed_gives_the_same_games_however_many_threads() -> None:
    alone = run(BatchEnv(90, "mixed", seed=7), 150)
    for threads in (2, 3, 64):
        env = BatchEnv(90, "mixed", seed=7, threads=threads)
        assert run(env, 150) == alone
        env.close()
    assert run(BatchEnv(90, "mixed", seed=8), 150) != alone
    assert any(np.frombuffer(done, np.bool_).any() for *_, done in alone)


def test_threads_pick_the_same_actions_also_when_they_have_slept() -> None:
    one, many = (begun(num_envs=70, threads=threads) for threads in (1, 4))
    for number in range(30):
        if number % 10 == 9:
            time.sleep(0.002)
        assert np.array_equal(one.pick_actions(), many.pick_actions())
        for env in (one, many):
            env.step(env.pick_actions())
        assert copied(one.last) == copied(many.last)


def test_threads_that_are_late_are_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    env, other = begun(num_envs=70, threads=3), begun(num_envs=70)
    late = [number % 3 == 0 for number in range(40)]

    def finish(*_: Any) -> int:
        if late and late.pop():
            return 1
        return finish_job(*_)

    monkeypatch.setattr(shared_work, "finish_job", finish)
    monkeypatch.setattr(shared_work, "_PATIENCE", 0)
    for _ in range(120):
        actions = env.pick_actions().copy()
        assert np.array_equal(actions, other.pick_actions())
        assert copied(env.step(actions)) == copied(other.step(actions))
    assert len(late) < 40
    with pytest.raises(MoveError, match="environment 0"):
        env.step([999] * 70)


def test_a_job_that_was_left_in_the_middle_ends_before_the_next() -> None:
    env, other = begun(num_envs=70, threads=3), begun(num_envs=70)
    for _ in range(5):
        assert np.array_equal(env.pick_actions(), other.pick_actions())
        pool = env._workers._pool
        time.sleep(0.001)  # the others sleep, so that nothing is done
        begin_job(pool.batch, pool.shared, PICK_JOB, U(0))
        other.pick_actions()
        actions = env.pick_actions().copy()
        assert np.array_equal(actions, other.pick_actions())
        assert copied(env.step(actions)) == copied(other.step(actions))


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
    env = BatchEnv(200, threads=4, seed=1)
    env.reset()
    env.step(env.pick_actions())
    own = set(threading.enumerate()) - before  # others may end meanwhile
    assert len(own) == 3
    del env
    gc.collect()
    for thread in own:
        thread.join(10)
    assert not any(thread.is_alive() for thread in own)


def test_an_environment_does_not_depend_on_the_others() -> None:
    few, many = begun(num_envs=3), begun(num_envs=9)
    for _ in range(200):
        actions = many.pick_actions()
        many.step(actions)
        few.step(actions[:3])
        assert np.array_equal(few.last.observation, many.last.observation[:3])


def test_a_seed_begins_anew() -> None:
    env = begun()
    first = copied(env.last)
    env.step(env.pick_actions())
    env.reset()
    assert copied(env.last) != first, "the next games"
    env.reset(seed=1)
    assert copied(env.last) == first
    one = env.last.observation[3].copy()
    env.reset(seed=9, where=[3])
    assert not np.array_equal(env.last.observation[3], one)
    assert env.last.observation[4].tobytes() in first[0]


def test_a_seed_for_each_environment() -> None:
    env = BatchEnv(4, seed=1)
    env.reset(seed=[5, 6, 7, 8])
    first = env.state()
    env.reset(seed=[8, 6], where=[3, 1])
    assert np.array_equal(env.state(), first)
    env.reset(seed=[5, None], where=[0, 2])
    now = env.state()
    assert np.array_equal(now[[0, 1, 3]], first[[0, 1, 3]])
    assert not np.array_equal(now[2], first[2])
    with pytest.raises(MasonsError, match=r"a list of 2, one for each environment"):
        env.reset(seed=[1, 2, 3], where=[0, 2])


def test_rewards_of_a_game_sum_up_to_nothing() -> None:
    env = BatchEnv(64, "mixed", seed=2)
    step = env.reset()
    ended = 0
    for _ in range(400):
        env.step(env.pick_actions())
        assert (step.reward[~step.done] == 0).all()
        for number in np.flatnonzero(step.done).tolist():
            players = int(env.players[number])
            own = step.reward[number]
            assert abs(own.sum()) < 1e-6
            assert (own[players:] == 0).all()
            best = env.final_scores[number, :players].max()
            assert own[:players].argmax() in np.flatnonzero(env.final_scores[number] == best)
            assert own.max() <= 1
            ended += 1
    assert ended > 60
    assert env.games.sum() == ended


def test_points_as_rewards_sum_up_to_the_score() -> None:
    env = BatchEnv(16, 3, seed=2, reward="points")
    step = env.reset()
    total = np.zeros((16, 4))
    for _ in range(300):
        env.step(env.pick_actions())
        total += step.reward
        for number in np.flatnonzero(step.done).tolist():
            assert total[number].tolist() == env.final_scores[number].tolist()
            total[number] = 0
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
    env.step([-1] * 4)
    assert not step.done.any()
    env.reset(where=[2])
    assert step.player.tolist() == [-1, -1, 0, -1]
    assert env.step([-1, -1, 5, -1]).player[2] >= 0


def test_states_come_back() -> None:
    env = begun(num_envs=16, players="mixed")
    for _ in range(50):
        env.step(env.pick_actions())
    kept, shown = env.state(), copied(env.last)[:3]
    later = []
    actions = []
    for _ in range(40):
        actions.append(env.pick_actions().copy())
        later.append(copied(env.step(actions[-1])))
    other = BatchEnv(16, 2, seed=99)
    for one in (env, other):
        assert copied(one.set_state(kept))[:3] == shown
        assert [copied(one.step(chosen)) for chosen in actions] == later
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


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 1], "actions has the shape (2,): it must be (8,), one for each environment"),
        (3, "actions has the shape (): it must be (8,)"),
        (np.zeros(8), "actions is an array of float64: it must be an array of 8 whole numbers"),
        (np.zeros(8, dtype=bool), "an array of bool"),
        (["wall"] * 8, "it must be an array of 8 whole numbers"),
        (None, "actions is None: it must be an array of 8 whole numbers"),
        ([[1], [2, 3]], "it must be an array of 8 whole numbers"),
        ([0, 0, 0, 344, 0, 0, 0, 0], "environment 3: action 344 is not legal: legal are 0 (wall"),
        ([0, -2, 0, 0, 0, 0, 0, 0], "environment 1: action -2 is not legal"),
        ([0] * 7 + [2**62], f"environment 7: action {2**62} is not legal"),
        ([171] + [0] * 7, "environment 0: action 171 (city:1) is not legal: legal are 0 (wall:0)"),
    ],
)  # fmt: skip
def test_bad_actions_harm_nothing(actions: Any, message: str) -> None:
    env = begun()
    before, shown = env.state(), copied(env.last)
    with pytest.raises(MasonsError, match=re.escape(message)) as raised:
        env.step(actions)
    assert "\n" not in str(raised.value)
    assert np.array_equal(before, env.state())
    assert copied(env.last) == shown


def test_bad_actions_harm_nothing_that_threads_share() -> None:
    env = begun(num_envs=40, threads=2)
    before, shown = env.state(), copied(env.last)
    with pytest.raises(MoveError, match="environment 33: action 343 "):
        env.step([0] * 33 + [343] * 7)
    assert np.array_equal(before, env.state())
    assert copied(env.last) == shown
    assert env.step([0] * 40).player.shape == (40,)


def test_any_whole_numbers_are_actions() -> None:
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.uint64):
        env = begun()
        env.step(np.arange(8, dtype=kind))
        assert env.steps.tolist() == [1] * 8
    env.reset()
    env.step(np.arange(32)[::4] + 100)
    assert env.step([-1] * 8).reward.sum() == 0


def test_what_a_caller_writes_into_the_arrays_changes_no_game() -> None:
    env, other = begun(), begun()
    for _ in range(60):
        actions = env.pick_actions()
        for field in env.last:
            field[...] = 1
        env.step(actions)
        other.step(actions)
        assert copied(env.last) == copied(other.last)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs is 0: it must be a whole number from 1 to 1048576"),
        ({"num_envs": 2.5}, "num_envs is 2.5"),
        ({"players": 5}, "players is 5: it must be 2, 3, 4 or 'mixed'"),
        ({"players": "some"}, "players is 'some'"),
        ({"players": None}, "players is None"),
        ({"threads": 0}, "threads is 0: it must be a whole number from 1 to 256"),
        ({"seed": "x"}, "seed is 'x': it must be a whole number or None"),
        ({"auto_reset": 1}, "auto_reset is 1: it must be True or False"),
        ({"reward": "money"}, "reward is 'money': it must be 'win' or 'points'"),
        ({"reward": None}, "reward is None"),
        ({"early_roll": "yes"}, "early_roll is 'yes'"),
        ({"board": 7}, "board is 7"),
        ({"board": "nowhere"}, "no board"),
    ],
)
def test_impossible_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(MasonsError, match=re.escape(message)):
        BatchEnv(**({"num_envs": 2} | options))


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ([8], "environment 8: there are those from 0 to 7"),
        ([-1], "environment -1: there are"),
        ([1, 1], "an environment stands in it twice"),
        ([0.5], "where is [0.5]: give numbers of environments, or 8 truth values"),
        ([True], "where is [True]"),
        ("all", "where is 'all'"),
        ([[1, 2]], "where is [[1, 2]]"),
    ],
)
def test_environments_that_there_are_not(where: Any, message: str) -> None:
    env = begun()
    for call in (lambda: env.reset(where=where), lambda: env.state(where)):
        with pytest.raises(MasonsError, match=re.escape(message)):
            call()
    assert env.reset(where=np.arange(8) > 3).player.tolist() == [0] * 8
    assert env.state([]).shape == (0, ROW_WORDS)


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
    with pytest.raises(MoveError, match="is not legal there"):
        env.encode("merge:none")
    with pytest.raises(MoveError, match="from 0 to 343"):
        env.decode(344)
    with pytest.raises(MoveError, match="'wall:170' is no action: one of wall:0 to early-roll"):
        env.encoding.actions.number("wall:170")
    with pytest.raises(MasonsError, match="environment from 0 to 7"):
        env.encode("wall:57", 8)


def test_the_fingerprint_tells_encodings_apart() -> None:
    prints = {
        BatchEnv(1, board=board_of(name)).encoding.fingerprint for name in ("classic", "hexagon-24")
    }
    assert len(prints) == 2
    encoding = BatchEnv(1).encoding
    encoding.check(encoding.fingerprint, "data.npz")
    with pytest.raises(MasonsError, match=r"data\.npz has the encoding 'abc', but this version's"):
        encoding.check("abc", "data.npz")
    assert masons.__version__


@pytest.mark.parametrize("threads", [1, 2])
def test_copies_and_pickles_go_on_by_themselves(threads: int) -> None:
    env = begun(num_envs=20, players="mixed", threads=threads, reward="points", beliefs=True)
    for _ in range(30):
        env.step(env.pick_actions())
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        before = copied(env.last)
        assert copied(other.last) == before
        other.step(other.pick_actions())
        assert copied(other.last) != before == copied(env.last)
    with copy.copy(env) as other:
        actions = other.pick_actions().copy()
        assert np.array_equal(actions, env.pick_actions())
        assert copied(other.step(actions)) == copied(env.step(actions))
    with pytest.raises(MasonsError, match="were closed"):
        other.step([0] * 20)


def test_arrays_are_shared_without_a_copy() -> None:
    step = begun().last
    assert {field.ctypes.data % 64 for field in step} == {0}, "as JAX wants it"
    for field in (step.observation, step.mask, step.player, step.reward, step.done):
        shared = np.from_dlpack(field)
        assert np.shares_memory(shared, field)
