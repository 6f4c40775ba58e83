"""How far what an engine says is known to be off, and the interval of 95 % that follows.

More simulations take away the chance in a figure, but not what the net, the predicted hands and the
play below a move get wrong. How much that is was measured: `python -m benchmarks.ruler.coverage`
plays decisions of the ruler on to the end, from what the seat can know, and compares (with
`--method ismcts` those of a tree search). The error of a win probability shrinks where the game is
as good as decided, but not as fast as p (1 - p): who thinks to have won is wrong now and then.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

NORMAL: Final = 1.96  # errors on each side of 95 %


class KnownError(NamedTuple):
    """Standard deviations."""

    value: float  # of a win probability, in units of `_shrunk`
    difference: float  # of the difference of two moves, in units of p (1 - p)
    of_loss: float  # of such a difference, the share of itself
    margin: float  # points, of the difference of two margins
    of_margin: float  # the share of itself


# What a search says, what a tree search by its playouts does (which also chose the move that it
# says most of), and games played on for some turns, then evaluated by the net.
SEARCHED: Final = KnownError(0.50, 0.20, 0.40, 1.2, 0.40)
TREE: Final = KnownError(1.0, 0.45, 0.75, 3.0, 0.70)
PLAYED_ON: Final = KnownError(0.30, 0.15, 0.20, 0.8, 0.20)


def value_error(win: float, chance: float, known: KnownError) -> float:
    """The standard error of a win probability whose error from chance is `chance`."""
    return math.hypot(chance, known.value * _shrunk(win))


def _shrunk(win: float) -> float:
    """How much of an error is left near 0 and 1: a quarter at 0.5, as p (1 - p) is there."""
    return 0.25 * math.pow(4 * max(win * (1 - win), 0.0), 0.6)


def loss_error(win: float, loss: float, chance: float, known: KnownError) -> float:
    """That of what a move loses against one that wins so often."""
    return math.hypot(chance, known.difference * win * (1 - win), known.of_loss * loss)


def margin_error(points: float, chance: float, known: KnownError) -> float:
    """That of the points that a move loses."""
    return math.hypot(chance, known.margin, known.of_margin * points)
