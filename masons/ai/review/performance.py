"""The performance of players: their total losses, ranks and Elo ratings.

Ranks and ratings are computed from the mean loss per decision in points of margin, because win
probability hardly changes in a lost game. A player has the rating of the engine's level
(`default:level=`) with the same mean loss. `benchmarks/ruler/review_levels.py` measured the ratings
and losses of the levels for each number of players.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from masons.ai.review.decision_loss import MARK_NAMES, MARKED, LossVerdict
from masons.ai.review.timeline import Step, Timeline
from masons.ai.rollout.evidence import NORMAL
from masons.ai.search.search_options import LEVEL_RATINGS


@dataclass(frozen=True)
class Summary:
    """Sums over the decisions of one seat or of one kind, with their standard errors."""

    decisions: int
    lost: float  # win probability lost
    error: float
    points: float  # points of margin lost
    points_error: float
    marks: dict[str, int]  # number of decisions with each mark of MARK_NAMES

    def mean(self, total: float) -> float:
        """Return `total` (a sum or its error) per decision, or 0 if there are no decisions."""
        return total / self.decisions if self.decisions else 0.0


def summary_of(verdicts: Iterable[LossVerdict]) -> Summary:
    """Return the sums over the given verdicts."""
    verdicts = list(verdicts)
    marks = Counter(verdict.mark for verdict in verdicts)
    return Summary(
        decisions=len(verdicts),
        lost=sum(verdict.difference for verdict in verdicts),
        error=math.hypot(*(verdict.error for verdict in verdicts)),
        points=sum(verdict.points for verdict in verdicts),
        points_error=math.hypot(*(verdict.points_error for verdict in verdicts)),
        marks={name: marks[name] for name in MARK_NAMES},
    )


# For each number of players: the rating of a player who loses nothing, and the decrease of the
# rating per point of margin lost per decision. Only levels 1 to 9 were measured, so ratings are
# limited to the range of these levels.
_FIT: Final = {2: (360, 420), 3: (375, 425), 4: (375, 425)}
LEAST_ELO: Final = LEVEL_RATINGS[0]
MOST_ELO: Final = LEVEL_RATINGS[-1]
# The ranks, and the lowest rating of each rank except the last.
RANKS: Final = ("expert", "advanced", "intermediate", "casual", "beginner")
_RANK_ELOS: Final = (220, 120, 30, -250)
CUTS: Final = {
    players: tuple((most - elo) / slope for elo in _RANK_ELOS)
    for players, (most, slope) in _FIT.items()
}
"""For each number of players, the mean losses per decision, in points, that separate ranks."""
_MIN_DECISIONS: Final = 10
_CRITICAL: Final = 5

Part = Callable[[Timeline, Step], str]

KIND_OF_PHASE: Final = {
    "wall": "walls", "towers": "placement", "houses": "placement",
    "merge": "placement", "score": "scorings", "final": "scorings", "swap": "swaps",
}  # fmt: skip
THIRDS: Final = ("opening", "middle", "end")


def _kind(_: Timeline, step: Step) -> str:
    return KIND_OF_PHASE[step.phase]


def _third(timeline: Timeline, step: Step) -> str:
    turns = max(each.turn for each in timeline.steps)
    return THIRDS[min(3 * (step.turn - 1) // turns, 2)]


KINDS: Final[tuple[Part, tuple[str, ...]]] = (_kind, tuple(dict.fromkeys(KIND_OF_PHASE.values())))
PHASES: Final[tuple[Part, tuple[str, ...]]] = (_third, THIRDS)


def by_part(
    verdicts: Mapping[int, LossVerdict], timeline: Timeline, parts: tuple[Part, tuple[str, ...]]
) -> dict[str, Summary]:
    """Return the sums for each part: a kind of decision, or a third of the game."""
    part, names = parts
    of_part = {index: part(timeline, timeline.steps[index]) for index in verdicts}
    return {
        name: summary_of(verdict for index, verdict in verdicts.items() if of_part[index] == name)
        for name in names
    }


def rank_of(players: int, summary: Summary) -> tuple[str | None, float | None]:
    """Return a player's rank, or the factor by which the time of the review would have to grow.

    If the 95 % interval of the mean loss lies within two neighboring ranks, the result is the rank
    and None. Otherwise, the result is None and the factor, on the assumption that the error shrinks
    with the square root of the time. If there are too few decisions, both results are None.
    """
    if summary.decisions < _MIN_DECISIONS:
        return None, None
    mean = summary.mean(summary.points)
    reach = NORMAL * summary.mean(summary.points_error)
    edges = [-math.inf, *CUTS[players], math.inf]
    room = max(min(mean - low, high - mean) for low, high in zip(edges, edges[2:], strict=False))
    if reach > room:
        return None, (reach / room) ** 2
    return RANKS[int(np.searchsorted(CUTS[players], mean, side="right"))], None


def elo_of_loss(players: int, points: Sequence[float]) -> list[int] | None:
    """Return a rating and the ends of its 95 % interval, or None if there are too few decisions.

    `points` are the points lost in each decision.
    """
    if len(points) < _MIN_DECISIONS:
        return None
    most, slope = _FIT[players]
    mean = float(np.mean(points))
    reach = NORMAL * float(np.std(points, ddof=1)) / math.sqrt(len(points))
    ends = [most - slope * loss for loss in (mean, mean + reach, mean - reach)]
    return [round(elo) for elo in np.clip(ends, LEAST_ELO, MOST_ELO).tolist()]


def critical(verdicts: Iterable[LossVerdict], numbers: Sequence[int]) -> list[int]:
    """Return the numbers of the marked decisions with the greatest losses, costliest first."""
    marked = [
        (-verdict.difference, number)
        for verdict, number in zip(verdicts, numbers, strict=True)
        if verdict.mark in MARKED
    ]
    return [number for _, number in sorted(marked)][:_CRITICAL]
