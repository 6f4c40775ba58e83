"""How fast environments are stepped."""

from __future__ import annotations

import time
from typing import Final

from masons.env.batch_env import BatchEnv

# Steps of each environment in a pass; every environment is in another game by then.
_STEPS: Final = 400
_WARM_STEPS: Final = 200


def env_rates(players: int, envs: int, threads: int, passes: int) -> list[float]:
    """Steps a second in each pass: of a CPU second with one thread, by the clock with several."""
    env = BatchEnv(envs, players, threads=threads, seed=0)
    env.reset()
    clock = time.process_time if threads == 1 else time.perf_counter
    for _ in range(_WARM_STEPS):
        env.step(env.pick_actions())
    rates = []
    for _ in range(passes):
        spent = 0.0
        for _ in range(_STEPS):
            actions = env.pick_actions()
            began = clock()
            env.step(actions)
            spent += clock() - began
        rates.append(_STEPS * envs / max(spent, 1e-9))
    env.close()
    return rates
