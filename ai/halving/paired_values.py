"""The search's means, compared in the determinizations that a move shares with the best one.

Moves that stay in longer meet more determinizations, so their means differ by chance alone. A move
is compared with the reference over those that both met, with the same dice and cards (common random
numbers); its own mean becomes that of the reference less the difference (a control variate).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.halving.workspace import COLUMNS, SCORES, SQUARES, VISITS, WINS

Numbers = NDArray[np.float64]


class Round(NamedTuple):
    """Some determinizations, met by the same moves."""

    moves: NDArray[np.uint64]  # their numbers
    sums: Numbers  # [moves, COLUMNS]: what was added to those of each


def paired_means(sums: Numbers, rounds: Sequence[Round], reference: int) -> Numbers:
    """Return the means of all moves beside the reference: [moves, COLUMNS].

    `sums` ([moves, COLUMNS]) are over all rounds.
    """
    means = sums / np.maximum(sums[:, VISITS], 1)[:, None]
    means[:, VISITS] = sums[:, VISITS]
    shared, differences = np.zeros(len(sums)), np.zeros_like(sums)
    for played in rounds:
        is_reference = played.moves == reference
        if not is_reference.any():
            continue
        numbers = played.moves.astype(np.int64)
        shared[numbers] += played.sums[is_reference][0, VISITS]
        differences[numbers] += played.sums[is_reference] - played.sums
    known = np.flatnonzero(shared)
    for column in (*range(WINS, SQUARES), *range(SCORES, COLUMNS)):
        difference = differences[known, column] / shared[known]
        means[known, column] = means[reference, column] - difference
    return means


def margins_of(scores: Numbers, seat: int) -> Numbers:
    """Return a seat's score less the mean of the others', by the last axis of `scores`."""
    own = scores[..., seat]
    margin: Numbers = own - (scores.sum(axis=-1) - own) / (scores.shape[-1] - 1)
    return margin
