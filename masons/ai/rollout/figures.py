"""The figures of each move after a rollout: means, intervals, differences from the best move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from masons.ai.rollout.evidence import NORMAL, Measure, ShownWins
from masons.ai.rollout.finalists import have_enough_games, ranked_finalists
from masons.ai.rollout.level import Level, level_of
from masons.ai.rollout.noted_games import expected_moves
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.results import UNKNOWN_POINTS, Analysis, MoveStats, is_decided

# In a decided game, moves are ranked by points only if their win probabilities are this close.
_EQUAL_WINS: Final = 0.01


def full_rows(analysis: Analysis) -> int:
    """Return the number of moves at the top of an analysis that have enough games."""
    enough = have_enough_games(np.array([row.games for row in analysis.moves]))
    return next((rank for rank, has_enough in enumerate(enough) if not has_enough), len(enough))


def with_evidence(rollout: Rollout, top: int | None = None) -> Analysis:
    """Return the search's analysis with the figures of the rollout, if any games were measured.

    The first `top` moves (None: all) also get their expected continuation.
    """
    searched = rollout.searched
    with rollout.lock:
        screening, sums, players = rollout.screening, rollout.sums, rollout.view.players
        if screening is None or not sums.games.any():
            return replace(searched.unmeasured(), rollouts=rollout.games)
        margin = Measure.MARGIN * players
        means = [sums.means(measure).tolist() for measure in range(margin + 1)]
        finalists = ranked_finalists(sums, screening)
        shown = rollout.shown_wins
        chances = [float(shown.wins[i]) for i in finalists]
        best = max(finalists, key=lambda i: float(shown.wins[i]))
        level = level_of(rollout, best, float(shown.wins[best]), finalists)
        by_points = is_decided(max(chances) + level.win) and is_decided(min(chances) + level.win)
        by_points = by_points and max(chances) - min(chances) < _EQUAL_WINS
        ranking = means[margin] if by_points else shown.wins.tolist()
        finalists.sort(key=lambda i: -ranking[i])
        means[:players] = shown.shares(players, level.win).tolist()
        others = {i for i in screening.order if sums.games[i]}.difference(finalists)
        stats = {stats.move: stats for stats in searched.moves}
        rows = []
        for i in (*finalists, *sorted(others, key=lambda i: -ranking[i])):
            # A search with few simulations may have left a requested move out.
            before = stats.get(rollout.moves[i]) or MoveStats(rollout.moves[i], 0, None)
            row = _row(rollout, shown, level, i, finalists[0], before, means, by_points=by_points)
            rows.append(row)
    measured = {row.move for row in rows}
    unmeasured = [
        MoveStats(row.move, row.visits, None) for row in searched.moves if row.move not in measured
    ]
    for rank, row in enumerate(rows[:top]):
        if noted := rollout.noted_after(row.move):
            steps = expected_moves(noted, 0)
            line, shares = tuple(str(move) for move, _ in steps), tuple(s for _, s in steps)
            rows[rank] = replace(row, line=line, line_shares=shares)
    return replace(
        searched, moves=(*rows, *unmeasured), wins=rows[0].wins, scores=rows[0].scores,
        rollouts=rollout.games, is_decided=by_points,
    )  # fmt: skip


def with_screening(rollout: Rollout) -> Analysis:
    """Return the search's analysis with the win probabilities of a screening that has not ended.

    The contenders with the most games come first, then those of greater value. The figures have no
    intervals, because the games that selected a move overestimate it.
    """
    tally, searched = rollout.tally, rollout.searched
    played = np.flatnonzero(tally.games).tolist()
    played.sort(key=lambda each: (-tally.games[each], -tally.sums[each] / tally.games[each]))
    visits = {row.move: row.visits for row in searched.moves}
    rows = [
        MoveStats(
            rollout.moves[number],
            visits.get(rollout.moves[number], 0),
            float(tally.wins[number] / tally.games[number]),
        )
        for number in played
    ]
    shown = {row.move for row in rows}
    others = [row for row in searched.unmeasured().moves if row.move not in shown]
    return replace(searched.unmeasured(), moves=(*rows, *others), rollouts=rollout.games)


def _row(
    rollout: Rollout,
    shown: ShownWins,
    level: Level,
    contender: int,
    best: int,
    searched: MoveStats,
    means: Sequence[Sequence[float]],
    *,
    by_points: bool,
) -> MoveStats:
    """Return the figures of a contender and its differences from the contender `best`."""
    assert rollout.screening is not None
    sums, seat, players = rollout.sums, rollout.view.seat, rollout.view.players
    reach = rollout.screening.reach
    error = level.error_of(shown, contender)
    loss = win_error = points = points_error = 0.0
    if contender != best:
        loss, win_error = shown.difference(best, contender)
        margin = Measure.MARGIN * players
        points, points_error = sums.difference(margin, best, contender, UNKNOWN_POINTS)
        points_error *= not rollout.is_exact((best, contender))
        loss = min(loss, means[seat][best])  # no move loses more than the best one wins
    difference, its_error = (points, points_error) if by_points else (loss, win_error)
    return replace(
        searched,
        win=means[seat][contender],
        wins=tuple(means[other][contender] for other in range(players)),
        scores=tuple(
            means[players + other][contender] + level.scores[other] for other in range(players)
        ),
        games=int(sums.games[contender]),
        error=error,
        interval=NORMAL * error,
        loss=loss,
        loss_interval=reach * win_error,
        margin_loss=points,
        margin_interval=reach * points_error,
        is_equal=difference <= reach * its_error,
    )
