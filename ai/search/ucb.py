"""The logarithm in upper confidence bounds, in arithmetic that is the same on every machine."""

from __future__ import annotations

import math
from typing import Final

from masons.engine.kernels.bits import U, leading_zeros
from masons.engine.kernels.jit import Word, inner

_LN_2: Final = math.log(2.0)


@inner
def natural_log(n: Word) -> float:
    """Ln n for n >= 1, to 1e-7, by exact arithmetic only: the same on every machine."""
    exponent = U(63) - leading_zeros(n)
    mantissa = float(n) / float(U(1) << exponent)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    q = s * s
    series = 1.0 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q / 13)))))
    return float(exponent) * _LN_2 + 2.0 * s * series
