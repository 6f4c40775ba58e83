"""The coaches' verdicts on moves that were made. Later reviews of the games adopt these verdicts.

A review plays fewer games than the coach did, so by chance it could name another best move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from masons.engine.formats.position_text import format_position

if TYPE_CHECKING:
    from masons.ai.review.decision_loss import LossVerdict
    from masons.engine.board.geometry import Board
    from masons.engine.game.observation import Observation

_MOST: Final = 4096  # the number of verdicts that are kept, until the program ends


class CoachedVerdicts:
    """The latest verdicts, by the move played and the position as the deciding seat saw it."""

    def __init__(self) -> None:
        self._verdicts: dict[tuple[str, str], LossVerdict] = {}

    def add(self, board: Board, view: Observation, verdict: LossVerdict) -> None:
        """Keep the verdict on a move that was made."""
        key = format_position(view.position, board), verdict.played
        self._verdicts.pop(key, None)
        self._verdicts[key] = verdict
        while len(self._verdicts) > _MOST:
            del self._verdicts[next(iter(self._verdicts))]

    def find(self, board: Board, view: Observation, move: str) -> LossVerdict | None:
        """Return the coach's verdict on a move, or None if no coach rated it."""
        return self._verdicts.get((format_position(view.position, board), move))
