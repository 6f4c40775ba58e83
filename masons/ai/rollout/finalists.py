"""The finalists of a rollout: the moves that play in every world, and how they are exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.rollout.evidence import PairedSums, WinEstimate, selected_normal
from masons.engine.kernels.jit import FloatArray

LEAST_SHARE: Final = 1 / 3
"""The games that a move needs to be ranked, as a share of the highest number of games."""


@dataclass(frozen=True)
class Screening:
    """The result of a screening: the contenders, finalists first, and how many are measured."""

    order: tuple[int, ...]  # the finalists, then the other measured contenders, then the rest
    finalists: int  # number of finalists, which play in every world
    measured: int  # number of contenders that play full games, including the finalists

    @property
    def reach(self) -> float:
        """Half the width of a loss's 95 % interval, in standard errors.

        The best move is the highest of the finalists, so the other moves do not count.
        """
        return selected_normal(self.finalists)

    @property
    def finalist_ids(self) -> tuple[int, ...]:
        """The finalists, best first."""
        return self.order[: self.finalists]

    @property
    def measured_ids(self) -> tuple[int, ...]:
        """The contenders that play full games, beginning with the finalists."""
        return self.order[: self.measured]


def better_than_finalists(
    sums: PairedSums, estimate: WinEstimate, screening: Screening
) -> list[int]:
    """Return the measured non-finalists that win significantly more often than the best finalist.

    The games that show the difference also selected these contenders, and therefore overestimate
    them.
    """
    wins = estimate.means()
    best = max(ranked_finalists(sums, screening), key=lambda i: float(wins[i]))
    better = []
    for number in screening.order[screening.finalists : screening.measured]:
        if sums.games[number]:
            loss, error = estimate.difference(best, number)
            if loss < -selected_normal(screening.measured) * error:
                better.append(number)
    return better


def worse_finalists(
    sums: PairedSums, estimate: WinEstimate, screening: Screening, keep: Sequence[int]
) -> list[int]:
    """Return the finalists that win significantly less often than the best one.

    The best two finalists and those in `keep` are not among them.
    """
    wins, reach = estimate.means(), selected_normal(screening.measured)
    ranked = sorted(ranked_finalists(sums, screening), key=lambda i: -float(wins[i]))
    worse = []
    for number in ranked[2:]:
        loss, error = estimate.difference(ranked[0], number)
        if number not in keep and loss > reach * error:
            worse.append(number)
    return worse


def have_enough_games(games: FloatArray) -> NDArray[np.bool_]:
    """Return for each of several moves whether it has at least LEAST_SHARE of the most games.

    The figures of a move with fewer games are less certain, and may be too high. Such a move was
    dropped early, or became a finalist only recently.
    """
    return np.asarray(games >= LEAST_SHARE * games.max(initial=0))


def ranked_finalists(sums: PairedSums, screening: Screening) -> list[int]:
    """Return the finalists with enough games to be ranked."""
    finalists = screening.finalist_ids
    enough = have_enough_games(sums.games[list(finalists)])
    return [i for i, has_enough in zip(finalists, enough, strict=True) if has_enough]
