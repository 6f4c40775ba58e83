"""Dividing a clock: how long to think about a decision when a whole game must be paid from it.

What is left is shared evenly among the decisions that the seat has probably still to make, so a
game that turns out longer makes them shorter and never stops. How many they are is told best by the
walls left in the supply; the turn, other supplies and the open lines were tried, and tell no more.

`python -m benchmarks.decisions` counts them in games of `greedy` and of `ismcts` with 200
iterations against themselves, 72 and 24 games for each number of seats. The mean of decisions with
more than one move that a seat makes in a game, and the line fitted to those still to come, with
games of both kinds in equal weight:

| seats | `greedy` | `ismcts` | still to come     | off by (root mean square) |
| ----: | -------: | -------: | ----------------- | ------------------------: |
|     2 |       66 |       43 | 3.7 + 1.55 a wall |                        11 |
|     3 |       49 |       23 | 6.9 + 0.77 a wall |                        12 |
|     4 |       41 |       17 | 4.6 + 0.66 a wall |                        10 |

In the final scoring they are 1.2 to 1.5. The search ends games early, with most of the walls still
there, where that wins: hence most of the error.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from masons.ai.search.limits import Limits
from masons.engine.errors import MasonsError
from masons.engine.game.observation import Observation
from masons.engine.state import layout as at

# By number of seats: decisions that come anyhow, and for each wall left.
_TO_COME: Final = {2: (3.7, 1.55), 3: (6.9, 0.77), 4: (4.6, 0.66)}
_FINAL: Final = 1.5
# Milliseconds never spent, and those that pass at each decision beside the search.
_MARGIN_MS: Final = 50.0
_LAG_MS: Final = 5.0
# These two together take this share of the clock at most.
_RESERVED: Final = 0.5
# How much of an increment is spent on the decision that will bring it.
_INCREMENT: Final = 0.8
_LEAST_MS: Final = 1.0


def decisions_left(view: Observation) -> float:
    """Estimate how many decisions the seat of a view has left, this one included."""
    small = view.state.view(np.uint8)
    if small[int(at.END)]:
        return _FINAL
    anyhow, each = _TO_COME[view.players]
    return anyhow + each * int(small[int(at.WALL_LEFT)])


def allot(left_ms: int, inc_ms: int, decisions_left: float) -> float:
    """Seconds to search this decision, with so many milliseconds left on the seat's clock.

    `inc_ms` is what the clock gains with each decision, `decisions_left` how many are to be paid,
    this one included; less than 1 is 1, and a clock or an increment below 0 is 0. More time left
    never gives less, and more decisions never give more. It is 1 ms at least, and else never more
    than what is left without a margin: 50 ms and 5 ms a decision, or half of it if that is less.
    """
    left, inc, decisions = max(left_ms, 0), max(inc_ms, 0), max(decisions_left, 1.0)
    free = left - min(_MARGIN_MS + _LAG_MS * decisions, _RESERVED * left)
    spent = min(free / decisions + _INCREMENT * inc, free)
    return max(spent, _LEAST_MS) / 1000


def thinking_ms(limits: Limits, view: Observation) -> float | None:
    """Return how long the seat of a view may think: its time, or less if its clock allots less.

    None if there is neither. Raises MasonsError for a clock of another number of seats.
    """
    times = [] if limits.movetime_ms is None else [limits.movetime_ms]
    if limits.clock is not None:
        for clock in (limits.clock, limits.inc):
            if clock and len(clock) != view.players:
                raise MasonsError(f"a clock needs a time for each of the {view.players} seats")
        inc = limits.inc[view.seat] if limits.inc else 0
        times.append(1000 * allot(limits.clock[view.seat], inc, decisions_left(view)))
    return min(times, default=None)
