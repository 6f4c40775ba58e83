"""A review of the game that is studied, as `review` makes it, and its mistakes as puzzles."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from masons.ai.practice.puzzles import Puzzle, mistakes, puzzle_of
from masons.ai.review.review_data import report_of
from masons.ai.review.review_work import Settings, Work
from masons.ai.review.timeline import timeline_of
from masons.engine.plain_text import signed_percent
from masons.match.playing.scored_view import ScoredView
from masons.pictures.review.review_tables import verdict_on_result

if TYPE_CHECKING:
    from masons.ai.search.stop import Stop
    from masons.engine.board.geometry import Board
    from masons.engine.formats.move_text import Move
    from masons.engine.game.observation import Observation

# Quicker than the command's review: a game of two takes a quarter of a minute.
SIMS: Final = 1000
_ROLLOUTS: Final = 1000
_PLAYOUTS: Final = 32
_SEED: Final = 0

Tell = Callable[[dict[str, Any]], None]


def review_work(record: dict[str, Any], board: Board, sims: int = SIMS) -> Work:
    """The work of a review. Raises MasonsError for a record that cannot be reviewed."""
    return Work(
        timeline_of(record, board), Settings(sims, None, _PLAYOUTS, _SEED, _ROLLOUTS), key=""
    )


def review_game(work: Work, lock: Lock, stop: Stop, tell: Tell) -> dict[str, Any] | None:
    """The review, telling how far it is; None where it was stopped. Goes on where it was left.

    `lock` keeps off another thread that was stopped, but has not ended yet.
    """
    with lock:
        while work.done < work.total:
            if stop.is_set:
                return None
            work.go_on()
            tell({"type": "info", "done": work.done, "total": work.total})
        return _told(work)


def _told(work: Work) -> dict[str, Any]:
    table = work.timeline.table

    def words(view: Observation, move: Move) -> str:
        return ScoredView(table, view.position).words(move)

    report = report_of(work, words)
    return {
        "type": "review",
        "decisions": report["decisions"],
        "moments": [[one["number"], one["wins"]] for one in report["moments"]],
        "players": report["players"],
        "critical": report["critical"],
        "result": verdict_on_result(report, signed_percent),
    }


def own_puzzles(work: Work) -> list[tuple[str, Callable[[], Puzzle | None]]]:
    """The mistakes of a review as puzzles, each made when it is asked."""

    def make(index: int) -> Callable[[], Puzzle | None]:
        return lambda: puzzle_of(work, index, _SEED)

    return [(str(index), make(index)) for index in mistakes(work)]
