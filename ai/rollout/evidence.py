"""From the sums of a rollout to the figures of each move."""

from __future__ import annotations

from dataclasses import replace

from masons.ai.rollout.expected_moves import expected_moves
from masons.ai.rollout.paired_sums import NORMAL, selected_normal
from masons.ai.rollout.rollout import Measure, Rollout, better_than_finalists
from masons.ai.search.results import (
    UNKNOWN_POINTS,
    UNKNOWN_WIN,
    Analysis,
    MoveStats,
    is_decided,
)


def with_evidence(rollout: Rollout, top: int | None = None) -> Analysis:
    """Return the search's analysis with the figures of the rollout, once anything was measured.

    The first `top` moves (None: all) get their likeliest continuation.
    """
    searched = rollout.searched
    with rollout.lock:
        chosen = rollout.screening
        if chosen is None or not rollout.sums.games.any():
            return replace(searched.unmeasured(), rollouts=rollout.games)
        measured = {i for i in chosen.order if rollout.sums.games[i]}
        figures = _Figures(rollout)
        went_on = list(chosen.order[: chosen.finalists])
        went_on += better_than_finalists(rollout.sums, rollout.view.seat, chosen)
        chances = [figures.win(i) for i in went_on]
        by_points = is_decided(max(chances)) and is_decided(min(chances))
        rank = figures.margin if by_points else figures.win
        finalists = sorted(went_on, key=lambda i: -rank(i))
        others = sorted(measured.difference(finalists), key=lambda i: -rank(i))
        best = finalists[0]
        reach = selected_normal(chosen.measured)
        stats = {stats.move: stats for stats in searched.moves}
        rows = []
        for i in (*finalists, *others):
            # A search of few simulations may have left out a move that was asked for.
            before = stats.get(rollout.moves[i]) or MoveStats(rollout.moves[i], 0, None)
            rows.append(figures.row(i, best, reach, before, by_points=by_points))
    shown = {row.move for row in rows}
    unmeasured = [
        MoveStats(one.move, one.visits, None) for one in searched.moves if one.move not in shown
    ]
    if noted := rollout.noted:
        numbers = {move: number for number, move in enumerate(noted.moves)}
        for rank_, row in enumerate(rows[:top]):
            steps = expected_moves(noted, numbers[row.move])
            line, shares = tuple(str(move) for move, _ in steps), tuple(s for _, s in steps)
            rows[rank_] = replace(row, line=line, line_shares=shares)
    return replace(
        searched, moves=(*rows, *unmeasured), wins=rows[0].wins, scores=rows[0].scores,
        rollouts=rollout.games, is_decided=by_points,
    )  # fmt: skip


class _Figures:
    """The figures of contenders, by their numbers."""

    def __init__(self, rollout: Rollout) -> None:
        self._sums, self._seat = rollout.sums, rollout.view.seat
        self._players = rollout.view.players
        self._margin = Measure.MARGIN * self._players
        self._means = [rollout.sums.means(n).tolist() for n in range(self._margin + 1)]

    def win(self, contender: int) -> float:
        return float(self._means[self._seat][contender])

    def margin(self, contender: int) -> float:
        return float(self._means[self._margin][contender])

    def row(
        self, contender: int, best: int, reach: float, searched: MoveStats, *, by_points: bool
    ) -> MoveStats:
        """Return the figures of a contender beside the best; losses are known to `reach` errors."""
        players = self._players
        error = self._sums.error(self._seat, contender, UNKNOWN_WIN)
        loss = win_error = points = points_error = 0.0
        if contender != best:
            loss, win_error = self._sums.difference(self._seat, best, contender, UNKNOWN_WIN)
            points, points_error = self._sums.difference(
                self._margin, best, contender, UNKNOWN_POINTS
            )
        apart, apart_error = (points, points_error) if by_points else (loss, win_error)
        return replace(
            searched,
            win=self.win(contender),
            wins=tuple(self._means[seat][contender] for seat in range(players)),
            scores=tuple(self._means[players + seat][contender] for seat in range(players)),
            games=int(self._sums.games[contender]),
            error=error,
            interval=NORMAL * error,
            loss=loss,
            loss_interval=reach * win_error,
            margin_loss=points,
            margin_interval=reach * points_error,
            is_equal=abs(apart) <= reach * apart_error,
        )
