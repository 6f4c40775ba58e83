"""The rankings of moves that a page has seen in its studies, and the games behind them.

A page that comes back to a decision sees the last ranking at once, and the search goes on from its
games. Of older decisions, only the ranking is kept: it stays until a new search has as many games.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from masons.ai.explain.explanation import explained
from masons.ai.search.limits import Limits
from masons.ai.session import Session
from masons.engine.game.table import Table
from masons.gui.explanation_messages import explained_data
from masons.gui.position_messages import ranked_moves
from masons.words.scored_view import ScoredView

if TYPE_CHECKING:
    from masons.ai.search.results import Analysis
    from masons.ai.search.threads import Stop
    from masons.engine.board.geometry import Board
    from masons.engine.game.observation import Observation
    from masons.gui.live_searches import Tell

LISTED: Final = 8
_INTERVAL: Final = 0.4  # the seconds between two reports
_ENDLESS: Final = Limits(infinite=True)
_MOST_SEARCHES: Final = 5  # the latest decisions whose games are kept, up to 40 MB each
_MOST: Final = 1000  # the decisions whose last ranking is kept


class KeptRankings:
    """The last rankings of a page, by what the deciding seat knew."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._kept: dict[tuple[str, bytes], KeptRanking] = {}  # the latest ones last

    def of(self, view: Observation) -> KeptRanking:
        """Return the ranking of a view, which is empty at first."""
        key = view.text, b"" if view.history is None else view.history.tobytes()
        kept = self._kept.pop(key, None) or KeptRanking(self._board, view)
        self._kept[key] = kept
        for older in [*self._kept.values()][:-_MOST_SEARCHES]:
            older.forget_games()
        if len(self._kept) > _MOST:
            del self._kept[next(iter(self._kept))]
        return kept

    def forget_games(self) -> None:
        """Keep no games, only the rankings."""
        for each in self._kept.values():
            each.forget_games()


class KeptRanking:
    """The last ranking of the moves of one decision."""

    def __init__(self, board: Board, view: Observation) -> None:
        self._board, self._view = board, view
        self._lock = Lock()  # held while a search runs: one that was stopped may not have ended yet
        self._session: Session | None = None
        self._seconds = 0.0  # the time of all searches of this session
        self._last: dict[str, Any] = {}

    def forget_games(self) -> None:
        """Let the next search begin anew."""
        self._session = None

    def rank(self, stop: Stop, tell: Tell) -> dict[str, Any] | None:
        """Rank the moves until `stop`, and return the final ranking, or None if nothing was done.

        `tell` is called with the last ranking, and then from time to time with a new one and its
        reasons. None has fewer games than the one before.
        """
        with self._lock:
            if stop.is_set:
                return None
            session = self._session = self._session or Session(Table(self._board))
            rollout = session.rollout
            if rollout is not None and not rollout.sums.games.any():
                rollout = None  # it was stopped while it chose the moves to measure
            spent = 0.0 if rollout is None else self._seconds
            scored = ScoredView(session.table, self._view.position)

            def ranked(analysis: Analysis) -> dict[str, Any]:
                if analysis.measuring_games >= self._last.get("games", 0):
                    self._last = {
                        **ranked_moves(analysis, scored, listed=LISTED),
                        "seconds": round(spent + analysis.seconds, 1),
                        "wins": [round(win, 4) for win in analysis.wins],
                        "scores": [round(score, 1) for score in analysis.scores],
                        **explained_data(explained(analysis, session.rollout)),
                    }
                return self._last

            if self._last:
                tell({"type": "info", **self._last})
            analysis = session.analyze(
                self._view, limits=_ENDLESS, stop=stop, interval=_INTERVAL, top=LISTED,
                rollout=rollout, progress=lambda so_far: tell({"type": "info", **ranked(so_far)}),
            )  # fmt: skip
            self._seconds = spent + analysis.seconds
            last = ranked(analysis)
            return {"type": "bestmove", "move": last["choices"][0]["move"], **last}
