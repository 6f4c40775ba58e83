"""Ways to change a net by few numbers, each of about the same weight.

| change       | how many    | what a step of 1 does                                             |
| ------------ | ----------- | ----------------------------------------------------------------- |
| `adds`       | inputs      | an input of a seat adds to the logit: 0.03 a standard deviation   |
| `own`        | inputs      | an input counts 10 % more in the units that are not linear        |
| `others`     | inputs      | the same as that of another seat                                  |
| `thresholds` | other units | a unit that is not linear gets 0.05 more                          |
| `units`      | other units | a unit that is not linear counts 7 % more for the logit           |
| `logit`      | 1           | all logits are 10 % larger                                        |
| `score`      | 1           | all scores are 20 % larger                                        |

An input is one of a seat that differs between seats at all.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.model_data import parts_of
from masons.ai.models.net_shapes import HIDDEN, LINEAR, ONE, SHAPES

Numbers = NDArray[np.float64]
Singles = NDArray[np.float32]

_ADDS, _COUNTS, _THRESHOLD, _UNIT, _LOGIT, _SCORE = 0.03, 0.1, 0.05, 0.07, 0.1, 0.2
_LEAST: Final = 1e-3  # the standard deviation of an input that differs
_OTHERS: Final = HIDDEN - LINEAR


class NetChanges:
    """The changes; `spread` (float64[SEAT_INPUTS]): by how much each input differs between seats.

    That is the standard deviation of the difference between two seats' inputs.
    """

    def __init__(self, spread: Numbers) -> None:
        self._live = np.flatnonzero(spread > _LEAST)
        self._spread = spread[self._live]
        parts = len(self._live), len(self._live), len(self._live), _OTHERS, _OTHERS, 1, 1
        self._ends = np.cumsum(parts)

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return int(self._ends[-1])

    def changed(self, net: Singles, steps: Numbers) -> Singles:
        """Another net (float32[WEIGHTS]): `net` after some steps (float64[count])."""
        found = net.astype(np.float64)
        seats, board, out, _ = parts_of(found, SHAPES)
        adds, own, others, thresholds, units, logit, score = np.split(steps, self._ends[:-1])
        live = self._live
        seats[live, LINEAR:HIDDEN] *= np.exp(_COUNTS * own)[:, None]
        seats[live, HIDDEN + LINEAR :] *= np.exp(_COUNTS * others)[:, None]
        # Through the linear unit that counts most for the logit.
        unit = int(np.abs(out[0, :LINEAR]).argmax())
        seats[live, unit] += _ADDS * adds / self._spread / out[0, unit]
        board[ONE, LINEAR:] += _THRESHOLD * thresholds
        out[0, LINEAR:] *= np.exp(_UNIT * units)
        out *= np.exp([_LOGIT * logit, _SCORE * score])
        return found.astype(np.float32)
