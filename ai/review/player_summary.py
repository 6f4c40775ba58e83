"""Each player's decisions summed up, and rated in a word.

The words are for the mean loss of a decision with a choice, in win probability. Like the ratings of
backgammon programs they mean: against this engine at this many iterations.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from masons.ai.review.decision_loss import MARK_NAMES, Verdict

# Mean loss below this: the word.
RATINGS: Final = (
    (0.002, "masterly"),
    (0.005, "expert"),
    (0.010, "advanced"),
    (0.020, "intermediate"),
    (0.040, "casual"),
)
LAST_RATING: Final = "beginner"
NO_RATING: Final = "-"


@dataclass(frozen=True)
class Summary:
    """One seat's decisions with a choice."""

    seat: int
    decisions: int
    lost: float  # the losses that are sure, added up
    measured: float  # all differences added up, unsure and negative ones too
    error: float  # the standard error of that sum
    marks: dict[str, int]  # by the names of MARK_NAMES

    @property
    def mean_loss(self) -> float:
        """The sure loss of a decision."""
        return self.lost / self.decisions if self.decisions else 0.0

    @property
    def rating(self) -> str:
        """A word."""
        if not self.decisions:
            return NO_RATING
        return next((word for most, word in RATINGS if self.mean_loss < most), LAST_RATING)


def summary_of(seat: int, verdicts: Iterable[Verdict]) -> Summary:
    """The summary of a seat's verdicts."""
    found = list(verdicts)
    marks = Counter(verdict.mark for verdict in found)
    return Summary(
        seat=seat,
        decisions=len(found),
        lost=sum(verdict.loss for verdict in found),
        measured=sum(verdict.difference for verdict in found),
        error=math.sqrt(sum(verdict.error**2 for verdict in found)),
        marks={name: marks[name] for name in MARK_NAMES},
    )
