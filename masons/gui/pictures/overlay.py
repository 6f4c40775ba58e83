"""The best moves of an analysis, as a picture shows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from masons.ai.search.results import Analysis
from masons.engine.checks import check_text, check_type, check_whole, refuse
from masons.engine.plain_text import count
from masons.engine.state.packed_move import WALL

if TYPE_CHECKING:
    from masons.ai.search.results import MoveStats
    from masons.engine.formats.move_text import Move

LISTED: Final = 6
_MOST_LISTED: Final = 1 << 32
# Pairs (loss in percent or points, weight): a wall that loses less gives its line this weight.
BANDS: Final = ((0.5, 1.0), (2.0, 0.6), (5.0, 0.25))


@dataclass(frozen=True)
class RankedMove:
    """A move with its figures, which are None if they are unknown.

    `win` is the win probability of the deciding seat, from 0 to 1. `loss` is the loss against the
    best move, in win probability or, if the game is decided, in points. Intervals are half widths
    of 95 % confidence intervals.
    """

    move: str
    win: float | None
    interval: float | None
    loss: float | None
    loss_interval: float | None
    is_equal: bool  # True if the move cannot be told apart from the best move
    line: int | None  # the line of a wall; None for other moves


@dataclass(frozen=True)
class Overlay:
    """The best moves in order, the weights of lines, and a note.

    The weight of a line says how strongly it is highlighted. BANDS has the weight for the loss of
    the line's wall. A line whose wall loses more than the largest loss in BANDS has no weight.
    """

    choices: tuple[RankedMove, ...]
    weights: dict[int, float]  # by line, from 0 to 1
    words: tuple[str, ...] = ()  # a description of each move of `choices`
    note: str = ""
    by_points: bool = False  # True if losses are in points, as the game is practically decided

    @property
    def legend(self) -> list[tuple[float, str]]:
        """The weights with their meanings."""
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
        """The rank of each listed wall, from 1, by its line."""
        return {
            choice.line: str(rank)
            for rank, choice in enumerate(self.choices, 1)
            if choice.line is not None
        }


def overlay_of(
    analysis: Analysis, words: Callable[[Move], str] = str, *, listed: int = LISTED, note: str = ""
) -> Overlay:
    """Return the overlay of an analysis.

    `words` describes a move; the default is its notation. `listed` is the number of moves to list.
    Raises MasonsError for arguments of other types.
    """
    check_type("analysis", analysis, Analysis, "an Analysis, like analyze gives")
    if not callable(words):
        refuse("words", words, "a function of a move")
    listed = check_whole("listed", listed, 0, _MOST_LISTED, "a number of moves from 0 on")
    check_text("note", note)
    moves = analysis.moves
    by_points = bool(moves) and analysis.is_decided

    def loss_of(stats: MoveStats) -> float | None:
        """Return the loss of a move, from the search's values if there was no rollout."""
        loss = stats.margin_loss if by_points else stats.loss
        if loss is None and not by_points and stats.win is not None and moves[0].win is not None:
            return moves[0].win - stats.win
        return loss

    weights = {}
    for stats in moves:  # only walls with rollouts have weights
        if stats.move.kind == WALL and (stats.loss_interval is not None or stats is moves[0]):
            loss = (loss_of(stats) or 0.0) * (1 if by_points else 100)
            if weight := next((weight for most, weight in BANDS if loss < most), 0.0):
                weights[stats.move.place] = weight
    usual = count(analysis.iterations, "iteration")
    if games := analysis.measuring_games:
        usual = count(games, "game")
    return Overlay(
        choices=tuple(
            RankedMove(
                move=str(stats.move),
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
        words=tuple(check_text("what words gives", words(each.move)) for each in moves[:listed]),
        note=note or usual,
        by_points=by_points,
    )
