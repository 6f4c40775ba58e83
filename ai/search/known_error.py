"""How far what a search says is known to be off, and the interval of 95 % that follows.

More simulations take away the chance in a figure, but not what the net, the predicted hands and the
play below a move get wrong. How much that is was measured: `python -m benchmarks.ruler.coverage`
plays decisions of the ruler on from what the seat can know, thousands of games each, and compares.
The error of a win probability shrinks where the game is as good as decided, as do its chances.
"""

from __future__ import annotations

import math
from typing import Final

NORMAL: Final = 1.96  # errors on each side of 95 %
# In units of p (1 - p): of a win probability, and of the difference of two moves; and of such a
# difference the share of itself that is off.
OF_VALUE: Final = 0.22
OF_DIFFERENCE: Final = 0.06
OF_LOSS: Final = 0.3
# Points: of a difference of margins, and the share of itself.
OF_MARGIN: Final = 0.5
OF_MARGIN_LOSS: Final = 0.3


def value_interval(win: float, error: float | None) -> float | None:
    """The half interval of a win probability with a standard error from chance."""
    if error is None:
        return None
    return NORMAL * math.hypot(error, OF_VALUE * win * (1 - win))


def loss_interval(win: float, loss: float, error: float) -> float:
    """The half interval of what a move loses against one that wins so often."""
    return NORMAL * math.hypot(error, OF_DIFFERENCE * win * (1 - win), OF_LOSS * loss)


def margin_interval(loss: float, error: float) -> float:
    """The half interval of the points that a move loses against another."""
    return NORMAL * math.hypot(error, OF_MARGIN, OF_MARGIN_LOSS * loss)
