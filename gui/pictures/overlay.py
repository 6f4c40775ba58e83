"""The best moves of an analysis, as a picture shows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from masons.engine.checks import check_text, check_whole, shown
from masons.engine.errors import MasonsError
from masons.engine.state.packed_move import WALL

if TYPE_CHECKING:
    from masons.ai.search.results import Analysis, MoveStats
    from masons.engine.formats.move_text import Move

LISTED: Final = 6
_MOST_LISTED: Final = 1 << 32
# The weight of a line by the most that its wall loses, in percent or points.
BANDS: Final = ((0.5, 1.0), (2.0, 0.6), (5.0, 0.25))


@dataclass(frozen=True)
class RankedMove:
    """A move with its figures, None if there are none; intervals are half widths at 95 %.

    `win` is the win probability of the deciding seat, from 0 to 1. `loss` against the best move is
    win probability, or points where the game is decided.
    """

    move: str
    words: str
    win: float | None
    interval: float | None
    loss: float | None
    loss_interval: float | None
    is_equal: bool  # not told apart from the best move
    line: int | None  # that of a wall


@dataclass(frozen=True)
class Overlay:
    """The best moves in order, the weight of each line by the loss of its wall, and a note.

    Weights are those of BANDS; a line whose wall loses more than the last of them has none.
    """

    choices: tuple[RankedMove, ...]
    weights: dict[int, float]  # line -> 0 to 1
    note: str = ""
    by_points: bool = False  # losses are points: the game is practically decided

    @property
    def legend(self) -> list[tuple[float, str]]:
        """Return the weights with their meanings."""
        unit = "points" if self.by_points else "%"
        lows = [0.0, *(most for most, _ in BANDS)]
        return [
            (
                weight,
                f"loses {low:g} to {most:g} {unit}" if low else f"loses less than {most:g} {unit}",
            )
            for low, (most, weight) in zip(lows, BANDS, strict=False)
        ]

    @property
    def marks(self) -> dict[int, str]:
        """Return the rank (from 1) on each line that is among the listed moves."""
        return {
            choice.line: str(rank)
            for rank, choice in enumerate(self.choices, 1)
            if choice.line is not None
        }


def overlay_of(
    analysis: Analysis, words: Callable[[Move], str] = str, *, listed: int = LISTED, note: str = ""
) -> Overlay:
    """Return the overlay of an analysis; `words` says a move in words (default: its notation).

    Raises MasonsError for arguments of other types.
    """
    if type(analysis).__name__ != "Analysis":
        raise MasonsError(f"analysis is {shown(analysis)}: give what analyze gives")
    if not callable(words):
        raise MasonsError(f"words is {shown(words)}: it must be a function of a move")
    listed = check_whole("listed", listed, 0, _MOST_LISTED, "a number of moves from 0 on")
    check_text("note", note)
    moves = analysis.moves
    by_points = bool(moves) and analysis.is_decided

    def loss_of(stats: MoveStats) -> float | None:
        """Return the loss of a move, by the search's values where there was no rollout."""
        loss = stats.margin_loss if by_points else stats.loss
        if loss is None and stats.win is not None and moves[0].win is not None:
            return moves[0].win - stats.win
        return loss

    weights = {}
    for stats in moves:  # of walls with rollouts
        if stats.move.kind == WALL and (stats.loss_interval is not None or stats is moves[0]):
            loss = (loss_of(stats) or 0.0) * (1 if by_points else 100)
            if weight := next((weight for most, weight in BANDS if loss < most), 0.0):
                weights[stats.move.place] = weight
    usual = f"{analysis.iterations:,} iterations"
    if analysis.rollouts:
        usual = f"{analysis.rollouts:,} games"
    return Overlay(
        choices=tuple(
            RankedMove(
                move=str(stats.move),
                words=check_text("what words gives", words(stats.move)),
                win=stats.win,
                interval=stats.interval,
                loss=loss_of(stats),
                loss_interval=stats.margin_interval if by_points else stats.loss_interval,
                is_equal=stats.is_equal,
                line=stats.move.place if stats.move.kind == WALL else None,
            )
            for stats in moves[:listed]
        ),
        weights=weights,
        note=note or usual,
        by_points=by_points,
    )
