"""Environments for learning: thousands of games stepped at once, and what other tools know them by.

| folder or file | what it holds |
| --- | --- |
| `stepping/` | the kernels: actions, observations, batches |
| `action_encoding.py` | the numbers of actions, their names, moves as actions |
| `observation_layout.py` | the parts of an observation by name, the board as a graph |
| `encoding.py` | both for one board, and the fingerprint that files of data carry |
| `worker_threads.py` | threads that share a batch |
| `env_arguments.py` | what callers give, looked at |
| `env_memory.py` | the arrays of environments, and what can be read out of them |
| `batch_env.py` | `BatchEnv`: many games at once |
| `step_rate.py` | how fast it is |
| `opponents.py` | games against a named player |
| `adapters/` | PettingZoo, Gymnasium, OpenSpiel |
| `datasets/` | games of named players as data |

>>> from masons.env import BatchEnv
>>> env = BatchEnv(num_envs=4, players=2, seed=7)
>>> observation, mask, player, reward, done = env.reset()
>>> mask.shape, player.tolist()
((4, 344), [0, 0, 0, 0])
>>> env.step(env.pick_actions()).done.any()
np.False_
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from masons.env.batch_env import BatchEnv
    from masons.env.encoding import Encoding
    from masons.env.env_memory import BatchStep

if __name__ != "masons.env":
    # One file under two names would poison numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.env, not as {__name__}")

_HOMES = {"BatchEnv": "batch_env", "BatchStep": "env_memory", "Encoding": "encoding"}

__all__ = ["BatchEnv", "BatchStep", "Encoding"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'masons.env' has no attribute {name!r}")
    return getattr(import_module(f"masons.env.{_HOMES[name]}"), name)
