"""Adam: which way to go down a noisy slope (Kingma and Ba 2015)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FORGET_1, FORGET_2 = 0.9, 0.999
_TINY = 1e-8


class Adam:
    """The way for some numbers; it remembers their slopes' mean and mean square."""

    def __init__(self, numbers: NDArray[Any]) -> None:
        self._mean, self._square = np.zeros_like(numbers), np.zeros_like(numbers)
        self._steps = 0

    def after(self, slope: NDArray[Any]) -> NDArray[Any]:
        """The way to go (against it) after one more slope."""
        self._steps += 1
        self._mean = FORGET_1 * self._mean + (1 - FORGET_1) * slope
        self._square = FORGET_2 * self._square + (1 - FORGET_2) * slope * slope
        mean = self._mean / (1 - FORGET_1**self._steps)
        way: NDArray[Any] = mean / (np.sqrt(self._square / (1 - FORGET_2**self._steps)) + _TINY)
        return way
