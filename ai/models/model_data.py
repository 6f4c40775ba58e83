"""What was learned from games: the numbers of `data/learned.json`, as the kernels take them.

| key           | value                                                                      |
| ------------- | -------------------------------------------------------------------------- |
| `heuristic`   | the PARAMETERS of the heuristics, by third of the game (`heuristic_moves`) |
| `net`         | the WEIGHTS of the net (see `net_shapes`)                                  |
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
from masons.ai.models.net_shapes import WEIGHTS
from masons.ai.policies.heuristic_moves import PARAMETERS
from masons.engine.board.components import MAX_PLAYERS

Numbers = NDArray[Any]
Real = TypeVar("Real", bound=np.floating[Any])
_SIZES: Final = {
    "heuristic": PARAMETERS, "net": WEIGHTS, "policy": WEIGHTS, "hands": HANDS_NUMBERS,
    "calibration": CALIBRATION,
}  # fmt: skip
_NETS: Final = ("net", "policy")
_CACHE_LINE: Final = 64


@cache
def learned() -> dict[str, Numbers]:
    """The numbers of each key: float64, the nets' float32."""
    text = files("masons.ai.models").joinpath("data/learned.json").read_text(encoding="utf-8")
    found = {
        key: _aligned(numbers) if key in _NETS else np.array(numbers)
        for key, numbers in json.loads(text).items()
    }
    assert {key: len(numbers) for key, numbers in found.items()} == _SIZES
    return found


def _aligned(numbers: Sequence[float]) -> Numbers:
    """float32[n] that begins with a cache line: rows that lie across two are read more slowly."""
    item = np.dtype(np.float32).itemsize
    memory = np.empty(len(numbers) + _CACHE_LINE // item, dtype=np.float32)
    begin = -memory.ctypes.data % _CACHE_LINE // item
    found = memory[begin : begin + len(numbers)]
    found[:] = numbers
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
