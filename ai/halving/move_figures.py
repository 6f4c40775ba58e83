"""From means of simulations to the figures of each move: calibrated, with loss and intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.halving.paired_values import Compared, margins_of
from masons.ai.halving.workspace import ENDED, SCORES, WINS
from masons.ai.models.calibration import calibrated
from masons.ai.models.features import game_left_of
from masons.ai.search.known_error import (
    NORMAL,
    SEARCHED,
    loss_error,
    margin_error,
    value_error,
)
from masons.ai.search.results import MoveStats
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.state import layout as at
from masons.engine.state.position import byte_in, scores_in

Numbers = NDArray[np.float64]

# How far a win probability is moved to see what that does.
_STEP: Final = 1e-3


@dataclass(frozen=True)
class Figures:
    """What turns means into figures."""

    view: Observation
    moves: Sequence[Move]
    calibration: Numbers  # float64[FITTED]
    error: float | None  # the standard error of the best move's mean win

    def of(
        self, order: Sequence[int], visits: Sequence[float], found: Compared
    ) -> tuple[MoveStats, ...]:
        """The figures of each move, in this order; `visits` by the moves' numbers."""
        wins, scores, slopes = self._calibrated(found.means[order])
        seat = self.view.seat
        margins = margins_of(scores, seat)
        best_win, best_margin, chance = wins.item(0, seat), margins.item(0), self.error
        # Lists: an element of an array costs ten times what one of a list does.
        columns = zip(
            order, slopes.tolist(), wins.tolist(), scores.tolist(), margins.tolist(),
            found.win_errors[order].tolist(), found.margin_errors[order].tolist(), strict=True,
        )  # fmt: skip
        moves: list[MoveStats] = []
        for i, slope, shares, totals, margin, apart, margin_apart in columns:
            is_first, is_known = not moves, not moves or math.isfinite(apart)
            win = shares[seat]
            loss, points = best_win - win, best_margin - margin
            error = loss_interval = margin_interval = None
            if chance is not None and is_known:
                error = slope * (chance if is_first else math.hypot(chance, apart))
            if is_first:
                loss_interval = margin_interval = 0.0
            elif is_known:
                loss_interval = NORMAL * loss_error(best_win, loss, slope * apart, SEARCHED)
                margin_interval = NORMAL * margin_error(points, margin_apart, SEARCHED)
            visited = int(visits[i])
            moves.append(
                MoveStats(
                    move=self.moves[i], visits=visited, win=win, error=error, sampled=visited,
                    wins=tuple(shares), scores=tuple(totals), line=(),
                    interval=_interval(win, error), loss=loss, loss_interval=loss_interval,
                    margin_loss=points, margin_interval=margin_interval,
                )
            )  # fmt: skip
        return tuple(moves)

    def _calibrated(self, means: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Win probabilities, scores and how the seat's own changes with the mean simulated.

        All by calibration, of rows of means.
        """
        seat, players = self.view.seat, self.view.players
        raw, points = (means[:, first : first + players] for first in (WINS, SCORES))
        raw = np.clip(raw, 0.0, 1.0)
        left, ended = game_left_of(self.view.state), means[:, ENDED]
        wins, scores = calibrated(self.calibration, left, seat, raw, points, ended)
        if not byte_in(self.view.state, at.OPTIONS) & int(at.EARLY_ROLL_OPTION):
            # Nothing but an early roll lowers a score, but nets and calibration do not know that.
            scores = np.maximum(scores, scores_in(self.view.state, players))
        nearer = raw * (1 - _STEP)
        nearer[:, seat] += _STEP
        there, _ = calibrated(self.calibration, left, seat, nearer, points, ended)
        step = np.maximum(nearer[:, seat] - raw[:, seat], _STEP * _STEP)
        return wins, scores, (there[:, seat] - wins[:, seat]) / step


def _interval(win: float, chance: float | None) -> float | None:
    return None if chance is None else NORMAL * value_error(win, chance, SEARCHED)
