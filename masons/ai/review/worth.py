"""Why points and win probability of a loss may not seem to fit, from the games of a verdict.

The margin at the end of the games after a move is about normal. If `points` fewer cost as much as
in an even game at the beginning of a game, nothing is said. If not, the reason is one of two: the
seat is so far ahead or behind that few games are close, or the margin varies more or less than at
the beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, Literal

from masons.ai.rollout.evidence import NORMAL
from masons.engine.plain_text import count

if TYPE_CHECKING:
    from masons.ai.review.decision_loss import LossVerdict

_USUAL: Final = 14.0  # standard deviation of the margin at the beginning, with 2 to 4 players
_FACTOR: Final = 2.0  # a loss that differs by this factor from what is expected needs a word
_LEAST_POINTS: Final = 2.0
_LEAST_LOSS: Final = 0.02
_LEAST_SPREAD: Final = 1.5  # points; where hardly anything is left to chance, no normal margin
_NORMAL: Final = NormalDist()  # the margin at the end, in standard deviations


@dataclass(frozen=True)
class Worth:
    """Why a loss of points costs more or less win probability than is expected.

    For `ahead`, `games` of 100 are won after the move played, and for `behind` after the best one.
    For `margin`, the points decide `games` of 100, since the margin has the standard deviation
    `spread`.
    """

    kind: Literal["ahead", "behind", "margin"]
    games: int
    spread: int  # in points

    def words(self, points: float) -> str:
        """Return a sentence about the loss of `points`."""
        games = count(self.games, "game")
        match self.kind:
            case "ahead":
                return f"Far ahead: the move played still wins about {games} of 100."
            case "behind":
                return f"Far behind: even the best move wins only about {games} of 100."
        return (
            f"The margin at the end of such games varies by about {self.spread} points, so a "
            f"difference of {points:.1f} decides about {games} of 100."
        )


def worth_of(verdict: LossVerdict) -> Worth | None:
    """Return why the points and the win probability that a move loses do not seem to fit.

    Return None if they fit, or if the games of the verdict do not tell why they don't.
    """
    win, loss, points = verdict.win_best, verdict.difference, verdict.points
    interval, deviation = NORMAL * verdict.error, verdict.deviation
    if verdict.played == verdict.best or not 0 < win < 1 or deviation < _LEAST_SPREAD:
        return None
    usual, level = (2 * _NORMAL.cdf(points / each / 2) - 1 for each in (_USUAL, deviation))
    here = win - _NORMAL.cdf(_NORMAL.inv_cdf(win) - points / deviation)
    spread = round(deviation)
    is_clear = points > NORMAL * verdict.points_error
    is_cheap = is_clear and points >= _LEAST_POINTS and _FACTOR * max(loss, 0.0) < usual
    is_dear = is_clear and loss > max(_LEAST_LOSS, interval, _FACTOR * usual)
    if is_cheap and _FACTOR * here < level:
        if win < 1 / len(verdict.scores_best):
            return Worth("behind", round(100 * win), spread)
        return Worth("ahead", round(100 * max(win - loss, 0.0)), spread)
    is_cause = is_cheap if deviation > _USUAL else is_dear
    if is_cause and abs(here - loss) <= interval:
        return Worth("margin", round(100 * here), spread)
    return None
