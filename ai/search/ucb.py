"""The natural logarithm for upper confidence bounds, with equal results on every machine."""

from __future__ import annotations

import math
from typing import Final

from masons.engine.kernels.bits import U, leading_zeros
from masons.engine.kernels.jit import Word, inner

_LN_2: Final = math.log(2.0)


@inner
def natural_log(n: Word) -> float:
    """Return ln n for n >= 1, with an error of at most 1e-7.

    The function uses only exactly rounded operations, so every machine computes the same bits.
    """
    exponent = U(63) - leading_zeros(n)
    mantissa = float(n) / float(U(1) << exponent)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    q = s * s
    series = 1.0 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q / 13)))))
    return float(exponent) * _LN_2 + 2.0 * s * series
