"""The result of each seat in points, divided into luck and play.

A margin is a seat's points minus the mean points of the other seats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from masons.ai.review.luck import margin_luck
from masons.ai.rollout.evidence import NORMAL, margins_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.ai.review.review_work import Work

_SAMPLES: Final = 128  # takes one or two seconds for a game of two players


def margins(scores: Sequence[float]) -> list[float]:
    """Return the margin of each seat."""
    return [float(margins_of(np.array(scores, float), seat)) for seat in range(len(scores))]


def luck_of(work: Work) -> list[tuple[float, float]]:
    """Return the part of each seat's margin that is due to chance, and its standard error."""
    return margin_luck(work.timeline, _SAMPLES, work.settings.seed)


def margin_result(
    seat: int, margin: float, luck: float, error: float, seats: int
) -> dict[str, Any]:
    """Return a margin divided into luck and play as the data of a `MarginResult`.

    The rounded `luck` and `play` add up to the rounded `margin`. `interval` is the half width of
    the 95 % confidence interval of the luck, whose standard error is `error`.
    """
    digits = 0 if seats == 2 else 1
    margin, luck = round(margin, digits), round(luck, digits)
    return {
        "seat": seat,
        "margin": margin,
        "luck": luck,
        "play": round(margin - luck, digits),
        "interval": round(NORMAL * error, 1),
    }
