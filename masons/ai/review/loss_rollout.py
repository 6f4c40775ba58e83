"""A rollout that measures the loss of one move.

Which contender comes out best is partly chance, so the games that select a contender must not
measure it. The worlds are therefore divided into two halves, and each half measures the contender
that was best in the other half. If this contender is the move played, the half measures a loss of
0. A loss measured in this way is unbiased, but chance can make it negative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from masons.ai.evaluation.rewards import POINT_VALUE
from masons.ai.rollout.evidence import (
    Measure,
    PairedSums,
    WinEstimate,
    measured,
    measures_of,
    selected_normal,
)
from masons.ai.rollout.finalists import Screening
from masons.ai.rollout.games import PlayedChunk
from masons.ai.rollout.plan import Contenders
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.executors import Workers
from masons.ai.search.results import UNKNOWN_POINTS, Analysis
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table

_SEARCH_GAMES: Final = 100  # the search's value of a move weighs as much as this number of games


class LossRollout(Rollout):
    """A rollout of the move `played` and the best few contenders, all with as many games.

    Each half of the worlds has its own sums (`halves`). With a result of a `screening`, no games
    are spent on another one.
    """

    def __init__(
        self,
        table: Table,
        view: Observation,
        contenders: Contenders,
        played: Move,
        *,
        searched: Analysis | None = None,
        seed: int = 0,
        screening: Screening | None = None,
        executor: Workers | None = None,
    ) -> None:
        super().__init__(table, view, contenders, searched=searched, seed=seed, executor=executor)
        self.screening = screening
        self._played = self.moves.index(played)
        count, measures = len(self.moves), measures_of(view.players)
        self.halves = PairedSums(count, measures), PairedSums(count, measures)

    def _screened(self, alive: Sequence[int], _dropped: Sequence[int]) -> Screening:
        few = tuple(dict.fromkeys((*alive, self._played)))
        return Screening(few, len(few), len(few))

    def _promote(self, _screening: Screening) -> None:
        """Do nothing, because all contenders have as many games."""

    def _add(self, played: PlayedChunk) -> None:
        super()._add(played)
        values = measured(played.results, self.view.seat, self.view.players)
        for number, half in enumerate(self.halves):
            half.add(played.chunk.contenders, values[number::2])

    def best_by(self, sums: PairedSums) -> int:
        """Return the best contender, as measured by the games in `sums` and by the search."""
        assert self.screening is not None
        few, margin = [*self.screening.order], Measure.MARGIN * self.view.players
        values = self._estimate_of(sums).means()[few] + POINT_VALUE * sums.means(margin)[few]
        prior = np.array(self.contenders.values)[few]
        return few[int(np.argmax(sums.games[few] * values + _SEARCH_GAMES * prior))]

    def _bests(self, played: int) -> list[tuple[PairedSums, int]]:
        """Return for each half of the worlds the contender that is best in the other half.

        A half in which this is `played` is left out, since its loss is 0.
        """
        halves = zip(self.halves, self.halves[::-1], strict=True)
        bests = [(half, self.best_by(other)) for half, other in halves]
        return [(half, best) for half, best in bests if best != played]

    def loss_of(self, played: int) -> tuple[float, float]:
        """Return the loss of contender `played` in win probability, and its standard error.

        Each half of the worlds measures the contender that is best in the other half.
        """
        losses, squares, bias = list[float](), 0.0, 0.0
        for half, best in self._bests(played):
            estimate = self._estimate_of(half)
            loss, error = estimate.difference(best, played)
            losses.append(loss)
            net = estimate.bias(best, played)
            squares += error**2 - net**2
            bias += net  # it is the same error in both halves
        return sum(losses) / 2, math.hypot(math.sqrt(max(squares, 0.0)), bias) / 2

    def points_of(self, played: int) -> tuple[float, float]:
        """Return the same as `loss_of`, but in points of the margin."""
        margin = Measure.MARGIN * self.view.players
        pairs = [
            half.difference(margin, best, played, UNKNOWN_POINTS)
            for half, best in self._bests(played)
        ]
        return sum(mean for mean, _ in pairs) / 2, math.hypot(*(error for _, error in pairs)) / 2

    @property
    def win_estimate(self) -> WinEstimate:
        """The estimate that the moves' win probabilities come from."""
        return self._estimate_of(self.sums)

    def _estimate_of(self, sums: PairedSums) -> WinEstimate:
        assert self.screening is not None
        return self.estimate(sums, self.screening.order)

    def equal_to(self, best: int) -> list[int]:
        """Return the contenders that can't be told apart from `best`.

        In the games of both halves, neither the difference in wins nor that in points exceeds its
        interval.
        """
        assert self.screening is not None
        few, sums, margin = self.screening.order, self.sums, Measure.MARGIN * self.view.players
        reach, estimate = selected_normal(len(few)), self.win_estimate

        def is_equal(other: int) -> bool:
            points = sums.difference(margin, best, other, UNKNOWN_POINTS)
            pairs = estimate.difference(best, other), points
            return all(abs(mean) <= reach * error for mean, error in pairs)

        return [i for i in few if i != best and sums.games[i] and is_equal(i)]
