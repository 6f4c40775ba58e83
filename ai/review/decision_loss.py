"""One decision rated: what the move played costs against the best one, in win probability.

Only the view of the seat that decided is searched, by the method of the strongest player, so nobody
is blamed for what could not be known. It is the search of `analyze`, with the same figures: the
move played is looked at as closely as the best one, in the same determinizations, and both are
played on with the same luck, which the search had no part in. Where the loss has a mark, the same
games say why.

The loss is the difference of the two win probabilities. Its standard error is that of hidden cards
and dice and of what the evaluator is known to get wrong. A loss below `SURE` errors counts as none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from masons.ai.explain.explanation import explained
from masons.ai.review.chance_values import MOST_FIGURE
from masons.ai.rollout.paired_sums import NORMAL
from masons.ai.search.limits import Limits
from masons.ai.search.results import WIDEST
from masons.ai.session import Session
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.given import list_given, real

SURE: Final = 2.0  # standard errors
MARKS: Final = ((0.10, "blunder"), (0.05, "error"), (0.02, "inaccuracy"))
BEST: Final = "best"
GOOD: Final = "good"
UNSURE: Final = "unsure"
MARK_NAMES: Final = (BEST, GOOD, UNSURE, *(name for _, name in reversed(MARKS)))
_MARKED: Final = tuple(name for _, name in MARKS)
_PROBABILITIES: Final = ("win_played", "win_best", "difference", "error")
_MOST_PROBABILITY: Final = 2.0  # a standard error can be more than 1


class Interrupted(Exception):  # noqa: N818
    """Ctrl-C came while a decision was searched: nothing is known of it."""


@dataclass(frozen=True)
class Verdict:
    """What was found out about a decision with a choice; win probabilities from 0 to 1."""

    played: str
    best: str
    win_played: float
    win_best: float
    difference: float  # of the two, as measured: it may be below 0
    error: float  # its standard error
    scores_played: tuple[float, ...]  # expected final score of each seat
    scores_best: tuple[float, ...]
    why: tuple[str, ...] = ()  # what the best move has over the one played; marks of MARKS only

    @property
    def loss(self) -> float:
        """The win probability that the move played gave away, as far as that is sure."""
        sure = self.difference > 0 and self.difference >= SURE * self.error
        return self.difference if sure else 0.0

    @property
    def mark(self) -> str:
        """One of MARK_NAMES."""
        if self.played == self.best:
            return BEST
        if self.loss == 0:
            return UNSURE
        return next((name for least, name in MARKS if self.loss >= least), GOOD)

    @property
    def moves(self) -> tuple[Move, Move]:
        """The move played and the best one."""
        return parse_move(self.played), parse_move(self.best)

    def to_data(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any], players: int) -> Verdict:
        """A verdict from `to_data`.

        Raises MasonsError, TypeError, ValueError or KeyError where it is none.
        """
        scores = {
            key: tuple(_figure(score, MOST_FIGURE) for score in data[key])
            for key in ("scores_played", "scores_best")
        }
        if any(len(figures) != players for figures in scores.values()):
            raise ValueError(players)
        numbers = {key: _figure(data[key], _MOST_PROBABILITY) for key in _PROBABILITIES}
        if numbers["error"] < 0:
            raise ValueError(numbers["error"])
        why = tuple(list_given("why", data["why"], str, "a list of texts"))
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
) -> Verdict:
    """The verdict on a move; the limits are those of the whole decision, with a seed.

    `names` of the seats, for what it says in words ("seat 0", ...). Raises Interrupted on Ctrl-C,
    MasonsError for an illegal move.
    """
    session = Session(table, seed=limits.seed or 0)
    found = session.analyse(view, limits=limits, also=[played], top=0)
    if found.stopped:
        raise Interrupted
    other, there = found.moves[0], found.of(played)
    if other.move == played or other.win is None or there.win is None:
        return _same(str(played), there.win or 0.0, there.scores)
    interval = there.loss_interval or 0.0
    verdict = Verdict(
        played=str(played),
        best=str(other.move),
        win_played=there.win,
        win_best=other.win,
        difference=other.win - there.win,
        error=interval / NORMAL if there.games else WIDEST,
        scores_played=there.scores,
        scores_best=other.scores,
    )
    if verdict.mark not in _MARKED:
        return verdict
    names = names or [f"seat {seat}" for seat in range(view.players)]
    explanation = explained(found, session.rollout, pair=(other.move, played))
    return replace(verdict, why=() if explanation is None else tuple(explanation.why(names)))


def _same(move: str, win: float, scores: tuple[float, ...]) -> Verdict:
    return Verdict(move, move, win, win, 0.0, 0.0, scores, scores)
