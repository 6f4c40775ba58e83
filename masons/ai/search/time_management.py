"""Time management: the division of a clock among the decisions of a game.

The time left is divided evenly among the decisions that the seat probably still has to make, so a
game that takes longer gets shorter decisions and never runs out of time. The number of decisions is
estimated from the walls left in the supply.

For each number of seats, the estimate was fitted to 72 games of `greedy` against itself and to 24
games of `ismcts` with 200 iterations against itself (`python -m benchmarks.decisions`, revision
dfc4b58f). The table shows the mean number of decisions that a seat makes in a game, counting only
decisions with more than one move. It also shows the line that was fitted to the number of decisions
still to come, with equal weight for both kinds of games:

| seats | `greedy` | `ismcts` | still to come     | root mean square error |
| ----: | -------: | -------: | ----------------- | ---------------------: |
|     2 |       66 |       43 | 3.7 + 1.55 a wall |                     11 |
|     3 |       49 |       23 | 6.9 + 0.77 a wall |                     12 |
|     4 |       41 |       17 | 4.6 + 0.66 a wall |                     10 |

The final scoring has 1.2 to 1.5 decisions per seat. Most of the error comes from games of `ismcts`.
If this player can win by ending a game early, it does so, even if most of the walls are still in
the supply.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from masons.ai.search.limits import Limits
from masons.engine.errors import MasonsError
from masons.engine.game.observation import Observation
from masons.engine.state import layout

# The fitted line for each number of seats: its intercept, and its slope per wall in the supply.
_TO_COME: Final = {2: (3.7, 1.55), 3: (6.9, 0.77), 4: (4.6, 0.66)}
_FINAL: Final = 1.5
# Milliseconds that are never spent, and milliseconds that each decision takes in addition to the
# search.
_MARGIN_MS: Final = 50.0
_LAG_MS: Final = 5.0
# Largest share of the clock that `_MARGIN_MS` and `_LAG_MS` may reserve.
_RESERVED: Final = 0.5
# Share of the increment that is spent on the decision that earns the increment.
_INCREMENT: Final = 0.8
_LEAST_MS: Final = 1.0


def decisions_left(view: Observation) -> float:
    """Return an estimate of the decisions left for the seat of a view, including this one."""
    small = view.state.view(np.uint8)
    if small[int(layout.END)]:
        return _FINAL
    anyhow, each = _TO_COME[view.players]
    return anyhow + each * int(small[int(layout.WALL_LEFT)])


def allot(left_ms: int, inc_ms: int, decisions_left: float) -> float:
    """Return the number of seconds for a search if the seat's clock shows `left_ms`.

    `inc_ms` is the increment per decision, and `decisions_left` is the number of decisions for
    which the time must last, including this one (at least 1). Negative times count as 0. The result
    grows with the time left and falls with the number of decisions. It is at least 1 ms. Apart from
    this minimum, it never exceeds the time left minus a reserve. The reserve is 50 ms plus 5 ms per
    decision, but at most half of the time left.
    """
    left, inc, decisions = max(left_ms, 0), max(inc_ms, 0), max(decisions_left, 1.0)
    free = left - min(_MARGIN_MS + _LAG_MS * decisions, _RESERVED * left)
    spent = min(free / decisions + _INCREMENT * inc, free)
    return max(spent, _LEAST_MS) / 1000


def thinking_ms(limits: Limits, view: Observation) -> float | None:
    """Return the time for a decision in milliseconds, or None if there is no time limit.

    The result is the move time or the share of the clock, whichever is shorter. Raises MasonsError
    for a clock with another number of seats.
    """
    times = [] if limits.movetime_ms is None else [limits.movetime_ms]
    if limits.clock is not None:
        for clock in (limits.clock, limits.inc):
            if clock and len(clock) != view.players:
                raise MasonsError(f"a clock needs a time for each of the {view.players} seats")
        inc = limits.inc[view.seat] if limits.inc else 0
        times.append(1000 * allot(limits.clock[view.seat], inc, decisions_left(view)))
    return min(times, default=None)
