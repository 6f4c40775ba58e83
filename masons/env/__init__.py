"""Environments for learning: one call steps thousands of games; adapters serve other tools.

| file or folder | contents |
| --- | --- |
| `batch_env.py` | `BatchEnv`: many games at once |
| `encoding.py` | how actions and observations are encoded as numbers; the encoding's fingerprint |
| `env_arguments.py` | checks of the arguments that callers pass |
| `opponents.py` | games against a named player, such as `greedy` |
| `datasets.py` | games between named players, stored as arrays on disk |
| `stepping/` | the kernels for actions and observations, and the threads that run them |
| `adapters/` | environments for PettingZoo, Gymnasium and OpenSpiel |

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
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from masons.env.batch_env import BatchEnv, BatchStep
    from masons.env.encoding import Encoding

if __name__ != "masons.env":
    # A module imported under two names would corrupt numba's cache of compiled kernels.
    raise ImportError(f"import this package as masons.env, not as {__name__}")

# Constants of `datasets.py`. They are here because the command line needs them before numpy is
# loaded.
FORMS: Final = ("npz", "parquet")
MAX_GAMES: Final = 10**7
MAX_SHARD_GAMES: Final = 10_000

_HOMES = {"BatchEnv": "batch_env", "BatchStep": "batch_env", "Encoding": "encoding"}

__all__ = ["BatchEnv", "BatchStep", "Encoding"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'masons.env' has no attribute {name!r}")
    return getattr(import_module(f"masons.env.{_HOMES[name]}"), name)
