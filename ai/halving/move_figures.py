"""From means of simulations to the figures of each move, calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from masons.ai.halving.workspace import ENDED, SCORES, VISITS, WINS
from masons.ai.models.calibration import calibrated
from masons.ai.models.features import game_left_of
from masons.ai.search.results import MoveStats
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.state import layout as at
from masons.engine.state.position import byte_in, scores_in

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Figures:
    """What turns means into figures."""

    view: Observation
    moves: Sequence[Move]
    calibration: Numbers  # float64[FITTED]

    def of(self, order: Sequence[int], means: Numbers) -> tuple[MoveStats, ...]:
        """Return the figures of each move, in this order; `means` by the moves' numbers."""
        wins, scores = self._calibrated(means[order])
        seat = self.view.seat
        return tuple(
            MoveStats(
                move=self.moves[i], visits=visits, win=shares[seat], sampled=visits,
                wins=tuple(shares), scores=tuple(totals),
            )
            for i, visits, shares, totals in zip(
                order, means[order, VISITS].astype(int).tolist(), wins.tolist(), scores.tolist(),
                strict=True,
            )
        )  # fmt: skip

    def _calibrated(self, means: Numbers) -> tuple[Numbers, Numbers]:
        """Return win probabilities and scores, calibrated, of rows of means."""
        seat, players = self.view.seat, self.view.players
        raw, points = (means[:, first : first + players] for first in (WINS, SCORES))
        left, ended = game_left_of(self.view.state), means[:, ENDED]
        raw = np.clip(raw, 0.0, 1.0)
        wins, scores = calibrated(self.calibration, left, seat, raw, points, ended)
        if not byte_in(self.view.state, at.OPTIONS) & int(at.EARLY_ROLL_OPTION):
            # Nothing but an early roll lowers a score, but nets and calibration do not know that.
            scores = np.maximum(scores, scores_in(self.view.state, players))
        return wins, scores
