"""How well a seat decided: by kind of decision, by part of the game, as a rank and like Elo.

Ranks and ratings go by the mean loss of a decision in points of margin: win probability says
little in a game that is lost. The rating is that of the level of the engine (`default:level=`) that
gives away as much. `benchmarks/ruler/review_levels.py` measured both, by the number of players.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from masons.ai.review.decision_loss import MARKED, Verdict
from masons.ai.review.player_summary import Summary, summary_of
from masons.ai.review.timeline import Step, Timeline
from masons.ai.rollout.paired_sums import NORMAL

# The rating of a player that loses nothing, and how much each point of margin lost a decision takes
# off; by the number of players. Levels 1 to 9 were measured, so no rating lies outside of theirs.
_FIT: Final = {2: (320, 385), 3: (320, 385), 4: (320, 385)}
LEAST_ELO: Final = -274
MOST_ELO: Final = 296
# The ranks, and from which rating on they are given.
RANKS: Final = ("expert", "advanced", "intermediate", "casual", "beginner")
_RANK_ELOS: Final = (200, 90, -60, -300)
CUTS: Final = {
    players: tuple((most - elo) / slope for elo in _RANK_ELOS)
    for players, (most, slope) in _FIT.items()
}
"""The mean loss of a decision, in points, from which on it is the next rank."""
_MIN_DECISIONS: Final = 10
_CRITICAL: Final = 5

Part = Callable[[Timeline, Step], str]

_KIND_NAMES: Final = {
    "early-roll": "walls", "wall": "walls", "towers": "placement", "houses": "placement",
    "merge": "placement", "score": "scorings", "final": "scorings", "swap": "swaps",
}  # fmt: skip
THIRDS: Final = ("opening", "middle", "end")


def _kind(_: Timeline, step: Step) -> str:
    return _KIND_NAMES[step.phase]


def _third(timeline: Timeline, step: Step) -> str:
    turns = max(own.turn for own in timeline.steps)
    return THIRDS[min(3 * (step.turn - 1) // turns, 2)]


KINDS: Final[tuple[Part, tuple[str, ...]]] = (_kind, tuple(dict.fromkeys(_KIND_NAMES.values())))
PHASES: Final[tuple[Part, tuple[str, ...]]] = (_third, THIRDS)


def by_part(
    verdicts: Mapping[int, Verdict], timeline: Timeline, parts: tuple[Part, tuple[str, ...]]
) -> dict[str, Summary]:
    """Return the sums for each part."""
    part, names = parts
    of_part = {index: part(timeline, timeline.steps[index]) for index in verdicts}
    return {
        name: summary_of(verdict for index, verdict in verdicts.items() if of_part[index] == name)
        for name in names
    }


def rank_of(players: int, summary: Summary) -> tuple[str | None, float | None]:
    """Return a rank, where the whole 95 % interval lies in two neighbouring ones.

    Else how many times the time would do, as an error shrinks with the root of it; None where
    nothing but more decisions would.
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


def elo_of_loss(players: int, points: Sequence[float]) -> tuple[float, float, float] | None:
    """Return a rating with its 95 % interval by the losses of decisions, in points.

    None for too few of them.
    """
    if len(points) < _MIN_DECISIONS:
        return None
    most, slope = _FIT[players]
    mean = float(np.mean(points))
    reach = NORMAL * float(np.std(points, ddof=1)) / math.sqrt(len(points))
    middle, low, high = np.clip(
        [most - slope * loss for loss in (mean, mean + reach, mean - reach)], LEAST_ELO, MOST_ELO
    ).tolist()
    return middle, low, high


def critical(verdicts: Iterable[Verdict], numbers: Sequence[int]) -> list[int]:
    """Return the numbers of the decisions with a mark that gave away most, the dearest first."""
    marked = [
        (-verdict.loss, number)
        for verdict, number in zip(verdicts, numbers, strict=True)
        if verdict.mark in MARKED
    ]
    return [number for _, number in sorted(marked)][:_CRITICAL]
