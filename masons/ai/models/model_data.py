"""The weights of the models: the contents of `data/learned.json`, in the form that kernels read.

| key           | value                                                                      |
| ------------- | -------------------------------------------------------------------------- |
| `heuristic`   | the PARAMETERS of the heuristics, by third of the game (`heuristic_moves`) |
| `net`         | the WEIGHTS of the net (see `value_net`)                                   |
| `policy`      | the WEIGHTS of the policy, a net that was tuned by playing (`net_policy`)  |
| `hands`       | the HANDS_NUMBERS that predict hidden hands (see `hand_model`)             |
| `prior`       | the PRIOR_NUMBERS, for hands in positions without a history (`hand_model`) |
| `biases`      | the BIASES of the policy in rollouts (see `choice_biases`)                |
| `calibration` | the CALIBRATION that corrects a halving search (see `calibration`)         |

The names in capitals are the numbers of weights. `python -m benchmarks.training.train` makes a new
file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.calibration import CALIBRATION
from masons.ai.models.choice_biases import BIASES
from masons.ai.models.hand_model import HANDS_NUMBERS, PRIOR_NUMBERS
from masons.ai.models.packed_net import kernel_nets
from masons.ai.models.value_net import WEIGHTS
from masons.ai.policies.heuristic_moves import PARAMETERS
from masons.engine.board.components import MAX_PLAYERS
from masons.engine.kernels.jit import Floats, Singles

Numbers = NDArray[Any]
NO_BIASES: Final = np.zeros(BIASES)
Real = TypeVar("Real", bound=np.floating[Any])
_SIZES: Final = {
    "heuristic": PARAMETERS, "net": WEIGHTS, "policy": WEIGHTS, "hands": HANDS_NUMBERS,
    "prior": PRIOR_NUMBERS, "biases": BIASES, "calibration": CALIBRATION,
}  # fmt: skip
_NETS: Final = ("net", "policy")


class Models(NamedTuple):
    """The models that play and evaluate inside kernels. Kernels do not modify them."""

    heuristic: Floats  # float64[players * PARAMETERS] (see `heuristic_moves`)
    net: Singles  # float32[KERNEL_NET] (see `value_net`)
    biases: Floats  # float64[BIASES] of the policy (see `choice_biases`)


def learned_models(players: int = MAX_PLAYERS) -> Models:
    """Return the shipped heuristics, net and biases, for `players` seats."""
    heuristic = np.tile(learned()["heuristic"], players)
    return Models(heuristic, learned_net(), learned()["biases"])


@cache
def learned() -> dict[str, Numbers]:
    """Return the shipped weights by key; the nets are float32 and all other weights float64."""
    text = files("masons.ai.models").joinpath("data/learned.json").read_text(encoding="utf-8")
    numbers_by_key = {
        key: np.array(numbers, dtype=np.float32 if key in _NETS else np.float64)
        for key, numbers in json.loads(text).items()
    }
    assert {key: len(numbers) for key, numbers in numbers_by_key.items()} == _SIZES
    return numbers_by_key


@cache
def learned_net(key: str = "net") -> Numbers:
    """Return a shipped net in the form that kernels read: float32[KERNEL_NET]."""
    return kernel_nets([learned()[key]])


def parts_of(numbers: NDArray[Real], shapes: Sequence[tuple[int, ...]]) -> list[NDArray[Real]]:
    """Return views of the matrices with these shapes, which follow one another in `numbers`."""
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    assert ends[-1] == len(numbers)
    flat = np.split(numbers, ends[:-1])
    return [part.reshape(shape) for part, shape in zip(flat, shapes, strict=True)]


def heuristic_weights() -> Numbers:
    """Return the heuristics' parameters for all seats: float64[MAX_PLAYERS * PARAMETERS]."""
    return np.tile(learned()["heuristic"], MAX_PLAYERS)
