"""Each player's decisions summed up: losses with their errors, and marks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from masons.ai.review.decision_loss import MARK_NAMES, Verdict


@dataclass(frozen=True)
class Summary:
    """Decisions with a choice of one seat, or of one kind: sums, with their standard errors."""

    decisions: int
    lost: float  # win probability
    error: float
    points: float  # of margin
    points_error: float
    marks: dict[str, int]  # by the names of MARK_NAMES

    def mean(self, total: float) -> float:
        """Return a sum, or its error, for one decision."""
        return total / self.decisions if self.decisions else 0.0


def summary_of(verdicts: Iterable[Verdict]) -> Summary:
    """Return the sums of some verdicts."""
    found = list(verdicts)
    marks = Counter(verdict.mark for verdict in found)
    return Summary(
        decisions=len(found),
        lost=sum(verdict.loss for verdict in found),
        error=math.hypot(*(verdict.error for verdict in found)),
        points=sum(verdict.points for verdict in found),
        points_error=math.hypot(*(verdict.points_error for verdict in found)),
        marks={name: marks[name] for name in MARK_NAMES},
    )
