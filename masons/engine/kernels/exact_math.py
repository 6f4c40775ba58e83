"""Functions in plain arithmetic, with the same bits on every machine.

The functions that operating systems provide differ in the last bit, which would change the results
of searches. These functions use only exactly rounded operations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from masons.engine.kernels.bits import U, leading_zeros
from masons.engine.kernels.jit import Compiled, Word, inner

_float_of_bits: Callable[[Word], float] = Compiled("float_of_bits")

# Below LEAST, `exponential` returns 0 (not a subnormal number), and above MOST infinity.
LEAST: Final = -708.0
MOST: Final = 709.0
_LN_2: Final = math.log(2.0)
_PER_LN_2: Final = 1.0 / _LN_2
# The logarithm of 2 in two parts; the first part has few enough bits for its multiples to be exact.
_LN_2_FIRST: Final = 0.6931471806019545
_LN_2_REST: Final = -4.2009150726810846e-11
_BIAS: Final = 1023.0  # the bias of a float's exponent
_EXPONENT: Final = U(52)  # the lowest bit of a float's exponent

_C3, _C4, _C5, _C6, _C7, _C8, _C9, _C10, _C11, _C12, _C13 = (
    1.0 / math.factorial(n) for n in range(3, 14)
)


@inner
def exponential(x: float) -> float:
    """Return e to the power x, with an error of at most one unit in the last place.

    x is split into n * ln 2 and a remainder whose absolute value is at most half of ln 2. The
    result is the product of 2**n and the series of the remainder. The number 2**n is assembled from
    its bits, and the terms of the series are paired for parallel evaluation.
    """
    if x < LEAST:
        return 0.0
    if x > MOST:
        return math.inf
    biased = U(x * _PER_LN_2 + (_BIAS + 0.5))
    n = float(biased) - _BIAS
    r = (x - n * _LN_2_FIRST) - n * _LN_2_REST
    r2 = r * r
    r4 = r2 * r2
    low = (_C4 + _C5 * r) + r2 * (_C6 + _C7 * r)
    high = ((_C8 + _C9 * r) + r2 * (_C10 + _C11 * r)) + r4 * (_C12 + _C13 * r)
    series = 1.0 + (r + (r2 * (0.5 + _C3 * r) + r4 * (low + r4 * high)))
    return series * _float_of_bits(biased << _EXPONENT)


@inner
def natural_log(n: Word) -> float:
    """Return ln n for n >= 1, with an error of at most 1e-7."""
    exponent = U(63) - leading_zeros(n)
    mantissa = float(n) / float(U(1) << exponent)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    q = s * s
    series = 1.0 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q / 13)))))
    return float(exponent) * _LN_2 + 2.0 * s * series
