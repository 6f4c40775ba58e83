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
_measured: Final[dict[str, list[tuple[float, float]]]] = {}  # until the program ends


def margins(scores: Sequence[float]) -> list[float]:
    """Return the margin of each seat, rounded to hundredths."""
    return [
        round(float(margins_of(np.array(scores, float), seat)), 2) for seat in range(len(scores))
    ]


def luck_of(work: Work) -> list[tuple[float, float]]:
    """Return the part of each seat's margin that is due to chance, and its standard error.

    Both are rounded to hundredths. The luck of a game is measured only once.
    """
    if work.key not in _measured:
        luck = margin_luck(work.timeline, _SAMPLES, work.settings.seed)
        _measured[work.key] = [(round(points, 2), round(error, 2)) for points, error in luck]
    return _measured[work.key]


def margin_result(
    seat: int, margin: float, luck: float, error: float, seats: int
) -> dict[str, Any]:
    """Return a margin divided into luck and play as the data of a `MarginResult`.

    The rounded `luck` and `play` add up to the rounded `margin`. `interval` is the half width of
    the 95 % confidence interval of the luck, whose standard error is `error`. `digits` is the
    number of decimals of the other figures.
    """
    digits = 0 if seats == 2 else 1
    margin, luck = round(margin, digits), round(luck, digits)
    return {
        "seat": seat,
        "margin": margin,
        "luck": luck,
        "play": round(margin - luck, digits),
        "digits": digits,
        "interval": round(NORMAL * error, 1),
    }
