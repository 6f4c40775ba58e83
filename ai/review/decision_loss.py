"""One decision rated: the loss of the move played, in win probability and points.

Only the view of the seat that decided counts, so nobody is blamed for what could not be known. A
search names the contenders, and the best few and the move played are rolled out (see
`masons.ai.rollout`). The best of many is the luckiest too, so games that chose it don't measure it:
the worlds are split in halves, and each half measures what the other one chose. So the loss is
right on average, and below 0 as often as chance has it. It is 0 if the move played is chosen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np

from masons.ai.evaluation.rewards import POINT_VALUE
from masons.ai.explain.explanation import difference
from masons.ai.review.luck import MOST_FIGURE
from masons.ai.rollout.evidence import NORMAL, Measure, PairedSums
from masons.ai.rollout.plan import contenders_of
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.limits import MAX_ROLLOUTS, REVIEW_DEFAULT, Limits
from masons.ai.search.results import UNKNOWN_POINTS, UNKNOWN_WIN
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
_FIGURES: Final = ("win_played", "win_best", "difference", "error", "points", "points_error")
_SEARCH_GAMES: Final = 100  # what the search says of a move counts as much as so many games
_GAMES_A_MS: Final = 4
_FEW_GAMES: Final = 32  # where the time was over before there were any
# A decision gets up to so many times its games while the standard error of its loss is larger.
_MOST_TIMES: Final = 2
_LARGE_ERROR: Final = 0.012


class Interrupted(Exception):  # noqa: N818
    """Ctrl-C came while a decision was searched: nothing is known of it."""


@dataclass(frozen=True)
class LossVerdict:
    """The loss of a decision with a choice; win probabilities from 0 to 1."""

    played: str
    best: str
    win_played: float
    win_best: float
    difference: float  # of the two, as measured: it may be below 0
    error: float  # its standard error
    scores_played: tuple[float, ...]  # expected final score of each seat
    scores_best: tuple[float, ...]
    points: float = 0.0  # the difference of the margins of points, and its standard error
    points_error: float = 0.0
    why: tuple[str, ...] = ()  # reasons against the move played; marks of MARKS only

    @property
    def mark(self) -> str:
        """One of MARK_NAMES, by the whole 95 % interval of the loss."""
        if self.played == self.best:
            return BEST
        least, most = (self.difference + side * NORMAL * self.error for side in (-1, 1))
        unmarked = GOOD if most < _LEAST else UNSURE
        return next((name for loss, name in MARKS if least >= loss), unmarked)

    @property
    def moves(self) -> tuple[Move, Move]:
        """The move played and the best one."""
        return parse_move(self.played), parse_move(self.best)

    def to_data(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any], players: int) -> LossVerdict:
        """Return a verdict from `to_data`.

        Raises MasonsError, TypeError, ValueError or KeyError if it is none.
        """
        scores = {
            key: tuple(_figure(score, MOST_FIGURE) for score in data[key])
            for key in ("scores_played", "scores_best")
        }
        if any(len(figures) != players for figures in scores.values()):
            raise ValueError(players)
        numbers = {key: _figure(data[key], MOST_FIGURE) for key in _FIGURES}
        if not 0 <= numbers["win_best"] <= 1 or min(numbers["error"], numbers["points_error"]) < 0:
            raise ValueError(numbers)
        why = tuple(check_list("why", data["why"], str, "a list of texts"))
        verdict = cls(**{**data, **scores, **numbers, "why": why})
        for text in (verdict.played, verdict.best):
            parse_move(text)
        return verdict


def _figure(value: object, most: float) -> float:
    number = real(value)
    if number is None or abs(number) > most:
        raise ValueError(value)
    return number


def rate_decision(
    table: Table, view: Observation, played: Move, limits: Limits, names: Sequence[str] = ()
) -> LossVerdict:
    """Return the verdict on a move.

    `limits`: simulations of the search that names contenders; the time of the whole decision, else
    games (up to twice as many where it stays unsure); a seed. `names` of the seats, for what it
    says in words ("seat 0", ...). Raises Interrupted on Ctrl-C, MasonsError for an illegal move.
    """
    began, ms = time.monotonic_ns(), limits.movetime_ms
    seed, sims = limits.seed or 0, limits.sims or REVIEW_DEFAULT.sims
    searched = Session(table, seed=seed).analyze(view, sims=sims, also=[played], top=0)
    if searched.stopped:
        raise Interrupted
    games = limits.rollouts or REVIEW_DEFAULT.rollouts or 1
    if ms is not None:
        games = int(_GAMES_A_MS * ms)  # about
    contenders = contenders_of(searched, (), games, view.phase)
    if played not in contenders.moves[: contenders.eligible]:
        contenders = contenders_of(searched, [played], games, view.phase)
    rollout = Rollout(table, view, contenders, searched=searched, seed=seed, loss_of=played)
    if ms is not None:
        rollout.run(MAX_ROLLOUTS, began + int(1e6 * ms))
    else:
        rollout.run(games)
    number = rollout.moves.index(played)
    if not all(half.games[number] for half in rollout.halves):
        rollout.run(rollout.games + _FEW_GAMES)
    if ms is None and loss_of(rollout, number, view.seat, UNKNOWN_WIN)[1] > _LARGE_ERROR:
        rollout.run(_MOST_TIMES * games)
    return _verdict(rollout, number, names or [f"seat {seat}" for seat in range(view.players)])


def best_by(rollout: Rollout, sums: PairedSums) -> int:
    """Return the best of the contenders measured, by some games together with the search."""
    assert rollout.screening is not None
    few, margin = [*rollout.screening.order], Measure.MARGIN * rollout.view.players
    values = sums.means(rollout.view.seat)[few] + POINT_VALUE * sums.means(margin)[few]
    prior = np.array(rollout.contenders.values)[few]
    return few[int(np.argmax(sums.games[few] * values + _SEARCH_GAMES * prior))]


def loss_of(rollout: Rollout, played: int, measure: int, prior: float) -> tuple[float, float]:
    """Return how much contender `played` loses in a measure, and the standard error.

    Each half of the worlds measures the best contender of the other one.
    """
    pairs = [
        half.difference(measure, best, played, prior)
        for half, other in zip(rollout.halves, rollout.halves[::-1], strict=True)
        if (best := best_by(rollout, other)) != played
    ]
    return sum(mean for mean, _ in pairs) / 2, math.hypot(*(error for _, error in pairs)) / 2


def _verdict(rollout: Rollout, played: int, names: Sequence[str]) -> LossVerdict:
    seat, players = rollout.view.seat, rollout.view.players
    loss, error = loss_of(rollout, played, seat, UNKNOWN_WIN)
    points, points_error = loss_of(rollout, played, Measure.MARGIN * players, UNKNOWN_POINTS)
    means = [rollout.sums.means(measure).tolist() for measure in range(Measure.NOW * players)]
    win, scores = means[seat], means[Measure.SCORE * players :]
    best = best_by(rollout, rollout.sums)
    verdict = LossVerdict(
        played=str(rollout.moves[played]),
        best=str(rollout.moves[best]),
        win_played=win[played],
        win_best=win[played] if best == played else min(max(win[played] + loss, 0.0), 1.0),
        difference=loss,
        error=error,
        scores_played=tuple(row[played] for row in scores),
        scores_best=tuple(row[best] for row in scores),
        points=points,
        points_error=points_error,
    )
    if verdict.mark not in MARKED:
        return verdict
    split = difference(rollout, *verdict.moves[::-1])
    return verdict if split is None else replace(verdict, why=tuple(split.words(names)))
