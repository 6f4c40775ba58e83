"""The time that passes beside a search: measured, and held back from its limit.

Between a `go` and its `bestmove` there is more than the search: threads hand over, results are
written, and on a busy machine a process is put off for some milliseconds at any moment. How late
the last answers were tells how late the next one may be; before there are any, how long this
process is put off while it does nothing but look at the clock.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Final

# Answers that count; of so many the latest one goes by.
_ANSWERS: Final = 64
# Where an answer was put off so long, its `go` may have been too, before anybody here could see it.
_UNSEEN: Final = 2.0
# Of what is left of a limit this share at most is held back.
_MOST: Final = 0.85
# How long the clock is looked at beforehand.
_LOOK_MS: Final = 40.0
# A gap that is none of the clock's: to be put off.
_GAP_MS: Final = 0.3


class Overhead:
    """How late the answers of this process come, in milliseconds."""

    def __init__(self) -> None:
        self._late: deque[float] = deque(maxlen=_ANSWERS)

    def look(self) -> None:
        """Measure how long this process is put off, before the first search."""
        if not self._late:
            self._late.append(longest_gap(_LOOK_MS))

    def note(self, late_ms: float) -> None:
        """An answer was out so long after its search should have ended."""
        self._late.append(max(late_ms, 0.0))

    def held_back(self, left_ms: float, least_ms: float) -> float:
        """What to hold back of a time: what the answer may need, `least_ms` if that is more."""
        return min(max(least_ms, _UNSEEN * max(self._late, default=0.0)), _MOST * left_ms)


def longest_gap(milliseconds: float) -> float:
    """The longest that this thread was put off in a time in which it had something to do."""
    longest = 0
    before = began = time.monotonic_ns()
    while before < began + milliseconds * 1e6:
        now = time.monotonic_ns()
        longest = max(longest, now - before)
        before = now
    return longest / 1e6 if longest / 1e6 > _GAP_MS else 0.0
