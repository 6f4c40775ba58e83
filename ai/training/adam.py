"""Adam: steps down a noisy gradient (Kingma and Ba 2015)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BETA_1, BETA_2 = 0.9, 0.999  # the decay of the moments
_TINY = 1e-8


class Adam:
    """The steps for some numbers; it keeps the moments of their gradients."""

    def __init__(self, numbers: NDArray[Any]) -> None:
        self._mean, self._square = np.zeros_like(numbers), np.zeros_like(numbers)
        self._steps = 0

    def step(self, slope: NDArray[Any]) -> NDArray[Any]:
        """The step (to be subtracted) after one more gradient, of the same shape."""
        self._steps += 1
        self._mean = BETA_1 * self._mean + (1 - BETA_1) * slope
        self._square = BETA_2 * self._square + (1 - BETA_2) * slope * slope
        mean = self._mean / (1 - BETA_1**self._steps)
        step: NDArray[Any] = mean / (np.sqrt(self._square / (1 - BETA_2**self._steps)) + _TINY)
        return step
