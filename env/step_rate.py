"""Measurement of the rate at which environments are stepped."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Final

from masons.env.batch_env import BatchEnv

# Steps of each environment in one pass. After a pass, every environment is in a later game.
_STEPS: Final = 400
_WARM_STEPS: Final = 200
# Steps in a short pass, which other work on the machine does not always interrupt, and the number
# of short passes.
_SHORT: Final = 25
_SHORT_PASSES: Final = 60


def env_rates(players: int, envs: int, threads: int, passes: int) -> list[float]:
    """Return the steps per second in each pass.

    Seconds are CPU time for one thread, and real time for several threads.
    """
    clock = time.process_time if threads == 1 else time.perf_counter
    with _playing(players, envs, threads) as env:
        return [_STEPS * envs / _seconds(env, _STEPS, clock) for _ in range(passes)]


def thread_gains(players: int, envs: int, threads: int) -> tuple[float, float]:
    """Return the speedup of several threads over one thread, in short passes that alternate.

    The first value compares the fastest passes; the second value is the median over pairs of
    passes.
    """
    with _playing(players, envs, 1) as single, _playing(players, envs, threads) as shared:
        spent = [
            [_seconds(env, _SHORT, time.perf_counter) for env in (single, shared)]
            for _ in range(_SHORT_PASSES)
        ]
    best, fastest = (min(side) for side in zip(*spent, strict=True))
    return best / fastest, statistics.median(a / b for a, b in spent)


def _playing(players: int, envs: int, threads: int) -> BatchEnv:
    """Return environments that are in the middle of their games."""
    env = BatchEnv(envs, players, threads=threads, seed=0)
    env.reset()
    for _ in range(_WARM_STEPS):
        env.step(env.pick_actions())
    return env


def _seconds(env: BatchEnv, steps: int, clock: Callable[[], float]) -> float:
    """Return the seconds that `steps` steps take, without the choice of actions."""
    spent = 0.0
    for _ in range(steps):
        actions = env.pick_actions()
        began = clock()
        env.step(actions)
        spent += clock() - began
    return max(spent, 1e-9)
