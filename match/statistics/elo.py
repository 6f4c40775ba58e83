"""Logistic Elo: the scale of chess, 400 points for odds of 10 to 1."""

from __future__ import annotations

from math import inf, log, log10
from typing import Final

SCALE: Final = 400.0
ELO_PER_NATURAL: Final = SCALE / log(10)
"""Elo points for each unit of a natural log-odds: 400 / ln 10."""


def elo_of(score: float) -> float:
    """The Elo difference at which a share of `score` is expected; infinite for 0 and 1."""
    if score <= 0:
        return -inf
    if score >= 1:
        return inf
    return SCALE * log10(score / (1 - score))


def score_of(elo: float) -> float:
    """The share expected at an Elo difference."""
    return float(1 / (1 + 10 ** (-elo / SCALE)))
