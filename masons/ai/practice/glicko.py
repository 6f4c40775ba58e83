"""The ratings of Glicko-2, in which every puzzle that is tried for the first time is a game.

The names of the variables are those of Mark Glickman's "Example of the Glicko-2 system" (2022),
<http://www.glicko.net/glicko/glicko2.pdf>, whose example is a test. The packages for Python that
were found are no base for it: `glicko2` 2.1.0 computes the volatility from the rating where the
paper has the deviation, and `glicko2-py` is a first version with few users.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SCALE: Final = 173.7178
MEAN: Final = 1500.0
_TAU: Final = 0.5  # how fast the volatility may change
_PRECISION: Final = 1e-6
_LEAST_DEVIATION: Final = 45.0  # a player who goes on solving puzzles also goes on learning


@dataclass(frozen=True)
class Rating:
    """A rating, its standard deviation, and its volatility."""

    rating: float = MEAN
    deviation: float = 350.0
    volatility: float = 0.06

    @property
    def interval(self) -> float:
        """The half width of the 95 % interval."""
        return 1.96 * self.deviation

    def after(self, games: Sequence[tuple[Rating, float]]) -> Rating:
        """Return the rating after games of one period: opponents, and scores from 0 to 1."""
        mu, phi = (self.rating - MEAN) / SCALE, self.deviation / SCALE
        variance = gain = 0.0
        for opponent, score in games:
            g = 1 / math.sqrt(1 + 3 * (opponent.deviation / SCALE / math.pi) ** 2)
            expected = 1 / (1 + math.exp(-g * (mu - (opponent.rating - MEAN) / SCALE)))
            variance += g * g * expected * (1 - expected)
            gain += g * (score - expected)
        v = 1 / variance
        sigma = _volatility(self.volatility, phi, v, v * gain)
        phi = 1 / math.sqrt(1 / (phi * phi + sigma * sigma) + 1 / v)
        return Rating(MEAN + SCALE * (mu + phi * phi * gain), SCALE * phi, sigma)

    def tried(self, puzzle: float, *, is_solved: bool) -> Rating:
        """Return the rating after a puzzle with the rating `puzzle`."""
        after = self.after([(Rating(puzzle, _LEAST_DEVIATION), float(is_solved))])
        return Rating(after.rating, max(after.deviation, _LEAST_DEVIATION), after.volatility)


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    """Return the new volatility: step 5 of the paper, by the Illinois algorithm."""
    a = math.log(sigma * sigma)

    def f(x: float) -> float:
        e, total = math.exp(x), phi * phi + v + math.exp(x)
        return e * (delta * delta - total) / (2 * total * total) - (x - a) / _TAU**2

    low = a
    if delta * delta > phi * phi + v:
        high = math.log(delta * delta - phi * phi - v)
    else:
        k = 1
        while f(a - k * _TAU) < 0:
            k += 1
        high = a - k * _TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _PRECISION:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)
