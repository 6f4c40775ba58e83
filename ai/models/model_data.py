"""What was learned from games: the numbers of `data/learned.json`, as the kernels take them.

| key           | value                                                                      |
| ------------- | -------------------------------------------------------------------------- |
| `heuristic`   | the PARAMETERS of the heuristics, by third of the game (`heuristic_moves`) |
| `net`         | the WEIGHTS of the net (see `value_net`)                                   |
| `policy`      | the same for the policy: a net tuned by playing (`net_policy`)             |
| `hands`       | the HANDS_NUMBERS by which hidden hands are predicted (see `hand_model`)   |
| `calibration` | the CALIBRATION of what a search by halving finds (see `calibration`)      |

`python -m masons.ai.training.train` makes the file anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.calibration import CALIBRATION
from masons.ai.models.hand_model import HANDS_NUMBERS
from masons.ai.models.value_net import WEIGHTS
from masons.ai.policies.heuristic_moves import PARAMETERS
from masons.engine.board.components import MAX_PLAYERS

Numbers = NDArray[Any]
Real = TypeVar("Real", bound=np.floating[Any])
_SIZES: Final = {
    "heuristic": PARAMETERS, "net": WEIGHTS, "policy": WEIGHTS, "hands": HANDS_NUMBERS,
    "calibration": CALIBRATION,
}  # fmt: skip
_NETS: Final = ("net", "policy")


@cache
def learned() -> dict[str, Numbers]:
    """The numbers of each key: float64, the nets' float32."""
    text = files("masons.ai.models").joinpath("data/learned.json").read_text(encoding="utf-8")
    found = {
        key: np.array(numbers, dtype=np.float32 if key in _NETS else np.float64)
        for key, numbers in json.loads(text).items()
    }
    assert {key: len(numbers) for key, numbers in found.items()} == _SIZES
    return found


def parts_of(numbers: NDArray[Real], shapes: Sequence[tuple[int, ...]]) -> list[NDArray[Real]]:
    """The matrices that stand one after the other: views of the same memory."""
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    assert ends[-1] == len(numbers)
    flat = np.split(numbers, ends[:-1])
    return [part.reshape(shape) for part, shape in zip(flat, shapes, strict=True)]


def heuristic_weights() -> Numbers:
    """float64[MAX_PLAYERS * PARAMETERS]: the same for every seat."""
    return np.tile(learned()["heuristic"], MAX_PLAYERS)
