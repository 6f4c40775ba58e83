"""Measure the step rate of our environments and of environments from other projects.

    python -m benchmarks.environments [--rounds 5] [--envs 1024] [--seconds 1]

All environments take turns, round after round. The figures are steps per CPU second. The measured
time includes the observation and the mask of legal actions in every step, but not the choice of
random legal actions. With two threads, wall-clock time is measured, so two idle cores are needed.
These rivals are measured if they are installed (`pip install open_spiel pettingzoo envpool pgx`):

- OpenSpiel's backgammon from Python, with apply_action, legal_actions and observation_tensor. The
  time for chance nodes is not measured.
- EnvPool's and Pgx's backgammon, with `--envs` games at once. Pgx uses JAX's CPU backend, with its
  threads.
- PettingZoo's connect four, with one game at a time. It is compared with our own AECEnv.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measuring import Table, in_turn, median_ratio, parser_of
from masons.engine.errors import MasonsError


class Stepper(NamedTuple):
    """Environments to measure. `choose` prepares actions, and only calls of `step` are timed."""

    name: str
    choose: Callable[[], None]
    step: Callable[[], object]
    envs: int = 1
    clock: Callable[[], float] = time.process_time

    def rate(self, seconds: float, _: int = 0) -> float:
        """Step until the steps have taken `seconds`. Return the number of steps per second."""
        steps, spent = 0, 0.0
        while spent < seconds:
            self.choose()
            began = self.clock()
            self.step()
            spent += self.clock() - began
            steps += self.envs
        return steps / spent


def _ours(envs: int, threads: int) -> Stepper:
    from masons.env import BatchEnv

    env = BatchEnv(envs, threads=threads, seed=0)
    env.reset()
    actions = env.pick_actions()

    def choose() -> None:
        nonlocal actions
        actions = env.pick_actions()

    def step() -> None:
        env.step(actions)

    for _ in range(100):
        choose()
        step()
    words = f"{envs:,} environment{'s' * (envs > 1)}"
    words += f", {threads} threads by the clock" * (threads > 1)
    clock = time.process_time if threads == 1 else time.perf_counter
    return Stepper(f"BatchEnv, {words}", choose, step, envs, clock)


def _openspiel() -> Stepper:
    import pyspiel

    game, rng = pyspiel.load_game("backgammon"), random.Random(0)
    state, action = game.new_initial_state(), 0

    def choose() -> None:
        nonlocal state, action
        while state.is_terminal() or state.is_chance_node():
            if state.is_terminal():
                state = game.new_initial_state()
            else:
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(actions, weights)[0])
        action = rng.choice(state.legal_actions())

    def step() -> None:
        state.apply_action(action)
        if not state.is_terminal():
            state.legal_actions()
            state.observation_tensor(0)

    return Stepper("OpenSpiel backgammon from Python", choose, step)


def _pettingzoo(name: str, make: Callable[[], Any]) -> Stepper:
    env, rng, action = make(), np.random.default_rng(0), 0
    env.reset(seed=0)

    def choose() -> None:
        nonlocal action
        shown, _, is_over, is_cut, _ = env.last()
        if is_over or is_cut:
            env.reset()
            shown = env.last()[0]
        action = rng.choice(np.flatnonzero(shown["action_mask"]))

    def step() -> None:
        env.step(action)
        env.last()

    return Stepper(name, choose, step)


def _our_aec() -> Stepper:
    from masons.env.adapters import pettingzoo_env

    return _pettingzoo("our AECEnv for PettingZoo", pettingzoo_env.env)


def _connect_four() -> Stepper:
    from pettingzoo.classic import connect_four_v3

    return _pettingzoo("PettingZoo connect four", connect_four_v3.env)


def _envpool(envs: int) -> Stepper:
    import envpool

    env = envpool.make_gymnasium("Backgammon-v1", num_envs=envs, num_threads=1)
    info, actions, rng = env.reset()[1], None, np.random.default_rng(0)

    def choose() -> None:
        nonlocal actions
        mask = info["legal_action_mask"]
        actions = (mask * rng.random(mask.shape)).argmax(axis=1).astype(np.int32)

    def step() -> None:
        nonlocal info
        info = env.step(actions)[4]

    return Stepper(f"EnvPool backgammon, {envs:,} environments", choose, step, envs)


def _pgx(envs: int) -> Stepper:
    import jax
    import pgx
    from pgx.experimental.utils import act_randomly

    game = pgx.make("backgammon")
    step_all, reset = jax.jit(jax.vmap(game.step)), jax.jit(jax.vmap(game.init))
    step_keys = jax.random.split(jax.random.PRNGKey(0), envs)
    state, key, actions = reset(step_keys), jax.random.PRNGKey(1), None
    renew = jax.jit(
        lambda old, new: jax.tree_util.tree_map(
            lambda a, b: jax.numpy.where(old.terminated.reshape((-1,) + (1,) * (a.ndim - 1)), b, a),
            old,
            new,
        )
    )

    def choose() -> None:
        nonlocal state, key, actions, step_keys
        key, pick_key, other, more = jax.random.split(key, 4)
        state = renew(state, reset(jax.random.split(other, envs)))
        actions = jax.block_until_ready(act_randomly(pick_key, state.legal_action_mask))
        step_keys = jax.random.split(more, envs)

    def step() -> None:
        nonlocal state
        state = jax.block_until_ready(step_all(state, actions, step_keys))

    choose()
    step()
    return Stepper(f"Pgx backgammon, {envs:,} environments", choose, step, envs)


def steppers(envs: int) -> list[Stepper]:
    """Return all environments that are installed on this machine, beginning with ours."""
    makers: list[Callable[[], Stepper]] = [
        partial(_ours, envs, 1), partial(_ours, envs, 2), partial(_ours, 1, 1),
        _our_aec, _openspiel, partial(_envpool, envs), partial(_pgx, envs), _connect_four,
    ]  # fmt: skip
    installed = []
    for make in makers:
        with suppress(ImportError, MasonsError, OSError):  # not installed, or not completely
            installed.append(make())
    return installed


def table(rounds: int, envs: int, seconds: float) -> Table:
    """Measure all installed environments in turn, and return the table."""
    rates = in_turn({s.name: partial(s.rate, seconds) for s in steppers(envs)}, rounds)
    first = next(iter(rates.values()))
    rows = []
    for name, rate_list in rates.items():
        ratio = median_ratio(first, rate_list)
        spread = f"{min(rate_list):,.0f} to {max(rate_list):,.0f}"
        rows.append((name, f"{statistics.median(rate_list):,.0f}", spread, f"{ratio:,.2f}"))
    return Table(("environment", "steps/s", "least to most", "first row to this"), rows)


def main() -> None:
    """Print the table."""
    parser = parser_of(__doc__, rounds=5, envs=1024)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    print(table(options.rounds, options.envs, options.seconds))


if __name__ == "__main__":
    main()
