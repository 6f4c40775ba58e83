"""How well a seat decided: by kind of decision, by part of the game, and as a rating like Elo.

The rating is that of the level of the engine (`default:level=`) that gives away as much a decision.
It goes by the mean measured loss, unsure ones and negative ones too: that depends little on how
long each decision was searched, from `LEAST_SIMS` on. Below that nothing is rated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from masons.ai.review.decision_loss import MARKS, Verdict
from masons.ai.review.timeline import Step, Timeline
from masons.ai.rollout.paired_sums import NORMAL

# Mean measured loss of a decision with a choice and the Elo of who loses so much: levels 9, 7, 5, 3
# and 1 (docs/review.md says how it was measured, docs/strength.md what the ratings are).
RATED: Final = ((0.0032, 296), (0.0118, 154), (0.0190, 35), (0.0277, -147), (0.0304, -274))
_MIN_DECISIONS: Final = 10
LEAST_SIMS: Final = 1000  # fewer find twice as much, and nothing that is sure
_CRITICAL: Final = 5
_LEAST: Final = min(loss for loss, _ in MARKS)

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


def loss_by(
    verdicts: Mapping[int, Verdict], timeline: Timeline, parts: tuple[Part, tuple[str, ...]]
) -> dict[str, tuple[int, float]]:
    """For each part the number of decisions and their losses added up."""
    part, names = parts
    found = dict.fromkeys(names, (0, 0.0))
    for index, verdict in verdicts.items():
        name = part(timeline, timeline.steps[index])
        number, lost = found[name]
        found[name] = number + 1, lost + verdict.loss
    return found


def elo_of_loss(differences: Sequence[float]) -> tuple[float, float, float] | None:
    """A rating with its 95% interval by the measured losses; None for too few decisions."""
    if len(differences) < _MIN_DECISIONS:
        return None
    mean = float(np.mean(differences))
    reach = NORMAL * float(np.std(differences, ddof=1)) / math.sqrt(len(differences))
    return _elo(mean), _elo(mean + reach), _elo(mean - reach)


def _elo(loss: float) -> float:
    """Between the players measured by straight lines; beyond them it is theirs."""
    losses, ratings = zip(*RATED, strict=True)
    return float(np.interp(loss, losses, ratings))


def critical(verdicts: Iterable[Verdict], numbers: Sequence[int]) -> list[int]:
    """The numbers of the decisions with a mark that gave away most, the dearest first."""
    ranked = sorted(
        (-verdict.loss, number) for verdict, number in zip(verdicts, numbers, strict=True)
    )
    return [number for loss, number in ranked if -loss >= _LEAST][:_CRITICAL]
