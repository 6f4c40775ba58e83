"""The loss of one decision: the win probability and the points that the move played gives away.

Only the view of the seat that decided is used, so a move is never judged by information that its
player did not have. A search names the contenders, and a rollout measures the loss (see
`loss_rollout`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from masons.ai.explain.explanation import Difference, difference
from masons.ai.review.loss_rollout import LossRollout
from masons.ai.review.luck import MOST_FIGURE
from masons.ai.rollout.evidence import NORMAL, Measure
from masons.ai.rollout.level import level_of
from masons.ai.rollout.plan import contenders_of
from masons.ai.search.limits import MAX_ROLLOUTS, REVIEW_DEFAULT, Limits
from masons.ai.session import Session
from masons.engine.checks import check_list, real
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table

MARKS: Final = ((0.10, "blunder"), (0.05, "error"), (0.02, "inaccuracy"))
BEST: Final = "best"
GOOD: Final = "good"
UNSURE: Final = "unsure"
MARK_NAMES: Final = (BEST, GOOD, UNSURE, *(name for _, name in reversed(MARKS)))
MARKED: Final = tuple(name for _, name in MARKS)
_LEAST: Final = min(loss for loss, _ in MARKS)
FIGURES: Final = (
    "win_played", "win_best", "win_error", "difference", "error", "points", "points_error",
    "deviation",
)  # fmt: skip
_GAMES_A_MS: Final = 4
_FEW_GAMES: Final = 32  # games to play even if the time has run out
# A decision gets up to _MOST_TIMES the number of games if the standard error of its loss is larger
# than _LARGE_ERROR.
_MOST_TIMES: Final = 2
_LARGE_ERROR: Final = 0.012


class Interrupted(Exception):  # noqa: N818
    """An interruption by Ctrl-C while a decision is rated; the decision then has no verdict."""


@dataclass(frozen=True)
class LossVerdict:
    """The verdict on a decision among several moves; win probabilities range from 0 to 1."""

    played: str
    best: str
    win_played: float
    win_best: float
    difference: float  # the measured loss of win probability; may be negative
    error: float  # standard error of the difference
    scores_played: tuple[float, ...]  # expected final score of each seat
    scores_best: tuple[float, ...]
    points: float = 0.0  # the measured loss of score margin
    points_error: float = 0.0  # standard error of `points`
    win_error: float = 0.0  # standard error of `win_best`
    deviation: float = 0.0  # standard deviation of the final margin after the best move
    why: tuple[str, ...] = ()  # reasons against the move played, for marks in MARKS only
    # The difference between the best move and the move played, from which `why` was made. It is not
    # saved.
    against: Difference | None = field(default=None, compare=False, repr=False)
    # Moves that can't be told apart from the best one, without the move played. Not saved either.
    equal: tuple[str, ...] = field(default=(), compare=False, repr=False)
    games: int = field(default=0, compare=False, repr=False)  # that measured the loss; not saved

    @property
    def mark(self) -> str:
        """The mark, one of MARK_NAMES, which depends on the 95 % interval of the loss.

        A decision gets a mark of MARKS if the whole interval lies above that mark's limit, `good`
        if the whole interval lies below all limits, and `unsure` otherwise. If the move played is
        the best move, the mark is `best`.
        """
        if self.played == self.best:
            return BEST
        least, most = (self.difference + side * NORMAL * self.error for side in (-1, 1))
        unmarked = GOOD if most < _LEAST else UNSURE
        return next((name for loss, name in MARKS if least >= loss), unmarked)

    @property
    def moves(self) -> tuple[Move, Move]:
        """The move played and the best move."""
        return parse_move(self.played), parse_move(self.best)

    def to_data(self) -> dict[str, Any]:
        """Return this verdict as a dict that can be written as JSON."""
        data = asdict(replace(self, against=None))
        del data["against"], data["equal"], data["games"]
        return data

    @classmethod
    def from_data(cls, data: dict[str, Any], players: int) -> LossVerdict:
        """Return the verdict stored in a dict that `to_data` has made.

        Raises MasonsError, TypeError, ValueError or KeyError for any other content.
        """
        scores = {
            key: tuple(_figure(score) for score in data[key])
            for key in ("scores_played", "scores_best")
        }
        if any(len(figures) != players for figures in scores.values()):
            raise ValueError(players)
        numbers = {key: _figure(data[key]) for key in FIGURES}
        if (
            not 0 <= numbers["win_best"] <= 1
            or min(numbers[each] for each in FIGURES if each.endswith(("error", "deviation"))) < 0
        ):
            raise ValueError(numbers)
        why = tuple(check_list("why", data["why"], str, "a list of texts"))
        verdict = cls(**{**data, **scores, **numbers, "why": why})
        for text in (verdict.played, verdict.best):
            parse_move(text)
        return verdict


def _figure(value: object) -> float:
    number = real(value)
    if number is None or abs(number) > MOST_FIGURE:
        raise ValueError(value)
    return number


def rate_decision(
    table: Table, view: Observation, played: Move, limits: Limits, names: Sequence[str] = ()
) -> LossVerdict:
    """Return the verdict on a move.

    `limits` contains a seed, the number of simulations of the search that names the contenders, and
    either the time for the whole decision or the number of games. If the loss is uncertain, up to
    twice as many games are played. `names` lists the names of the seats for sentences; if it is
    empty, the names are "seat 0" and so on. Raises Interrupted on Ctrl-C, and MasonsError for an
    illegal move.
    """
    began, ms = time.monotonic_ns(), limits.movetime_ms
    seed, sims = limits.seed or 0, limits.sims or REVIEW_DEFAULT.sims
    session = Session(table, seed=seed)
    if not session.search(view, sims=sims, also=[played]):
        raise Interrupted
    searched = session.searched()
    games = limits.rollouts or REVIEW_DEFAULT.rollouts or 1
    if ms is not None:
        games = int(_GAMES_A_MS * ms)  # an estimate
    contenders = contenders_of(searched, (), games, view.phase)
    if played not in contenders.moves[: contenders.eligible]:
        contenders = contenders_of(searched, [played], games, view.phase)
    rollout = LossRollout(table, view, contenders, played, searched=searched, seed=seed)
    if ms is not None:
        rollout.run(MAX_ROLLOUTS, began + int(1e6 * ms))
    else:
        rollout.run(games)
    number = rollout.moves.index(played)
    if not all(half.games[number] for half in rollout.halves):
        rollout.run(rollout.games + _FEW_GAMES)
    if ms is None and rollout.loss_of(number)[1] > _LARGE_ERROR:
        rollout.run(_MOST_TIMES * games)
    return verdict_of(rollout, number, names or [f"seat {seat}" for seat in range(view.players)])


def verdict_of(rollout: LossRollout, played: int, names: Sequence[str]) -> LossVerdict:
    """Return the verdict on contender `played` of a rollout.

    `names` lists the seats' names, which are used in the sentences of the verdict.
    """
    seat, players = rollout.view.seat, rollout.view.players
    loss, error = rollout.loss_of(played)
    points, points_error = rollout.points_of(played)
    means = [rollout.sums.means(measure).tolist() for measure in range(Measure.NOW * players)]
    best = rollout.best_by(rollout.sums)
    assert rollout.screening is not None
    level = level_of(rollout, best, means[seat][best], rollout.screening.order)
    win = min(max(means[seat][played] + level.win, 0.0), 1.0)
    scores = [
        (row[played] + added, row[best] + added)
        for row, added in zip(means[Measure.SCORE * players :], level.scores, strict=False)
    ]
    verdict = LossVerdict(
        played=str(rollout.moves[played]),
        best=str(rollout.moves[best]),
        win_played=win,
        win_best=win if best == played else min(max(win + loss, 0.0), 1.0),
        difference=loss,
        error=error,
        scores_played=tuple(score for score, _ in scores),
        scores_best=tuple(score for _, score in scores),
        points=points,
        points_error=points_error,
        win_error=level.error_of(rollout.shown_wins, best),
        deviation=math.sqrt(rollout.sums.variance(Measure.MARGIN * players, best)),
        equal=tuple(str(rollout.moves[i]) for i in rollout.equal_to(best) if i != played),
        games=int(rollout.sums.games.sum()),
    )
    if verdict.mark not in MARKED:
        return verdict
    split = difference(rollout, *verdict.moves[::-1])
    if split is None:
        return verdict
    return replace(verdict, why=tuple(split.words(names)), against=split)
