"""Our own exponential function beside the system's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from masons.ai.models.exponential import LEAST, MOST, exponential
from masons.engine.kernels.jit import FloatArray, kernel, ptr


@kernel
def exponentials(numbers: FloatArray) -> None:
    """Put the exponential of each number in its place."""
    p = ptr(numbers)
    for i in range(len(numbers)):
        p[i] = exponential(p[i])


@pytest.mark.slow
def test_it_is_off_by_one_unit_in_the_last_place_at_most() -> None:
    rng = np.random.default_rng(1)
    halves = (np.arange(-2042, 2045) / 2) * math.log(2)  # where the power of 2 changes
    numbers = np.concatenate([
        rng.uniform(LEAST, MOST, 100_000), rng.normal(0, 2, 100_000), rng.normal(0, 1e-6, 1000),
        np.clip(np.concatenate([halves, np.nextafter(halves, 0)]), LEAST, MOST),
        [LEAST, MOST, 0.0, -0.0, 5e-324, 1.0, -1.0],
    ])  # fmt: skip
    expected = np.array([math.exp(number) for number in numbers])
    exponentials(numbers)
    assert (np.abs(numbers - expected) / np.spacing(expected)).max() <= 1.0
    beyond = [np.nextafter(LEAST, -math.inf), -1e300, -math.inf, 0.0, MOST + 1e-9, math.inf]
    exponentials(ends := np.array(beyond))
    assert ends.tolist() == [0.0, 0.0, 0.0, 1.0, math.inf, math.inf]
