"""How fast environments are stepped, beside those of others: each in turn, round after round.

    python -m benchmarks.environments [--rounds 5] [--envs 1024] [--seconds 1]

Steps a CPU second, random legal actions chosen outside of what is measured, observation and mask
of every step made. Two threads are timed by the clock and want two idle cores. Others are measured
where they are installed: `pip install open_spiel pettingzoo envpool pgx`.

- OpenSpiel's backgammon, from Python: apply_action, legal_actions and observation_tensor; chance
  nodes are passed outside.
- EnvPool's and Pgx's backgammon: `--envs` at once; Pgx on JAX's CPU backend, whose threads count.
- PettingZoo's connect four, one at a time, and our own AECEnv.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measuring import Table, positive


class Side(NamedTuple):
    """Something to be stepped."""

    name: str
    # Makes so many steps at least, and says how many and how long they took.
    run: Callable[[float], tuple[int, float]]


def _timed(
    seconds: float, step: Callable[[], int], choose: Callable[[], None], clock: Callable[[], float]
) -> tuple[int, float]:
    steps, spent = 0, 0.0
    while spent < seconds:
        choose()
        began = clock()
        steps += step()
        spent += clock() - began
    return steps, spent


def _ours(envs: int, threads: int, *, beliefs: bool = False) -> Side:
    from masons.env import BatchEnv

    env = BatchEnv(envs, threads=threads, seed=0, beliefs=beliefs)
    env.reset()
    actions = [env.pick_actions()]

    def choose() -> None:
        actions[0] = env.pick_actions()

    def step() -> int:
        env.step(actions[0])
        return envs

    for _ in range(100):
        choose()
        step()
    clock = time.process_time if threads == 1 else time.perf_counter
    words = f"{envs:,} environment{'s' * (envs > 1)}" + (
        f", {threads} threads by the clock" if threads > 1 else ""
    )
    words += ", with beliefs" * beliefs
    return Side(f"BatchEnv, {words}", lambda seconds: _timed(seconds, step, choose, clock))


def _openspiel() -> Side:
    import pyspiel

    game = pyspiel.load_game("backgammon")
    rng = random.Random(0)
    state = [game.new_initial_state()]
    action = [0]

    def choose() -> None:
        while state[0].is_terminal() or state[0].is_chance_node():
            if state[0].is_terminal():
                state[0] = game.new_initial_state()
            else:
                actions, weights = zip(*state[0].chance_outcomes(), strict=True)
                state[0].apply_action(rng.choices(actions, weights)[0])
        action[0] = rng.choice(state[0].legal_actions())

    def step() -> int:
        state[0].apply_action(action[0])
        if not state[0].is_terminal():
            state[0].legal_actions()
            state[0].observation_tensor(0)
        return 1

    return Side(
        "OpenSpiel backgammon from Python",
        lambda seconds: _timed(seconds, step, choose, time.process_time),
    )


def _pettingzoo(name: str, make: Callable[[], Any]) -> Side:
    env = make()
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    action: list[Any] = [0]

    def choose() -> None:
        shown, _, is_over, is_cut, _ = env.last()
        if is_over or is_cut:
            env.reset()
            shown = env.last()[0]
        action[0] = rng.choice(np.flatnonzero(shown["action_mask"]))

    def step() -> int:
        env.step(action[0])
        env.last()
        return 1

    return Side(name, lambda seconds: _timed(seconds, step, choose, time.process_time))


def _envpool(envs: int) -> Side:
    import envpool

    env = envpool.make_gymnasium("Backgammon-v1", num_envs=envs, num_threads=1)
    info = [env.reset()[1]]
    rng = np.random.default_rng(0)
    actions: list[Any] = [None]

    def choose() -> None:
        mask = info[0]["legal_action_mask"]
        actions[0] = (mask * rng.random(mask.shape)).argmax(axis=1).astype(np.int32)

    def step() -> int:
        info[0] = env.step(actions[0])[4]
        return envs

    return Side(
        f"EnvPool backgammon, {envs:,} environments",
        lambda seconds: _timed(seconds, step, choose, time.process_time),
    )


def _pgx(envs: int) -> Side:
    import jax
    import pgx
    from pgx.experimental.utils import act_randomly

    game = pgx.make("backgammon")
    step_all = jax.jit(jax.vmap(game.step))
    keys = jax.random.split(jax.random.PRNGKey(0), envs)
    state = [jax.jit(jax.vmap(game.init))(keys)]
    key, actions = [jax.random.PRNGKey(1)], [None]
    reset = jax.jit(jax.vmap(game.init))
    renew = jax.jit(
        lambda old, new: jax.tree_util.tree_map(
            lambda a, b: jax.numpy.where(old.terminated.reshape((-1,) + (1,) * (a.ndim - 1)), b, a),
            old,
            new,
        )
    )

    def choose() -> None:
        key[0], pick_key, other, more = jax.random.split(key[0], 4)
        state[0] = renew(state[0], reset(jax.random.split(other, envs)))
        actions[0] = jax.block_until_ready(act_randomly(pick_key, state[0].legal_action_mask))
        step_keys[0] = jax.random.split(more, envs)

    step_keys = [keys]

    def step() -> int:
        state[0] = jax.block_until_ready(step_all(state[0], actions[0], step_keys[0]))
        return envs

    choose()
    step()
    return Side(
        f"Pgx backgammon, {envs:,} environments",
        lambda seconds: _timed(seconds, step, choose, time.process_time),
    )


def sides(envs: int) -> list[Side]:
    """All that can be measured here, ours first."""
    from masons.engine.errors import MasonsError

    def ours_aec() -> Side:
        from masons.env.adapters import pettingzoo_env

        return _pettingzoo("our AECEnv for PettingZoo", pettingzoo_env.env)

    def connect_four() -> Side:
        from pettingzoo.classic import connect_four_v3

        return _pettingzoo("PettingZoo connect four", connect_four_v3.env)

    makers: list[Callable[[], Side]] = [
        partial(_ours, envs, 1), partial(_ours, envs, 2), partial(_ours, 1, 1),
        partial(_ours, envs, 1, beliefs=True), ours_aec,
        _openspiel, partial(_envpool, envs), partial(_pgx, envs), connect_four,
    ]  # fmt: skip
    installed = []
    for make in makers:
        with suppress(ImportError, MasonsError, OSError):  # not installed, or not all of it
            installed.append(make())
    return installed


def table(rounds: int, envs: int, seconds: float) -> Table:
    """Measure."""
    all_sides = sides(envs)
    rates: dict[str, list[float]] = {side.name: [] for side in all_sides}
    for _ in range(rounds):
        for side in all_sides:
            steps, spent = side.run(seconds)
            rates[side.name].append(steps / spent)
    first = next(iter(rates.values()))
    rows = []
    for name, rate_list in rates.items():
        ratio = statistics.median(a / b for a, b in zip(first, rate_list, strict=True))
        spread = f"{min(rate_list):,.0f} to {max(rate_list):,.0f}"
        rows.append((name, f"{statistics.median(rate_list):,.0f}", spread, f"{ratio:,.2f}"))
    return Table(("environment", "steps/s", "least to most", "first row to this"), rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--envs", type=positive, default=1024)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    print(table(options.rounds, options.envs, options.seconds))


if __name__ == "__main__":
    main()
