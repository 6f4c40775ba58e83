"""What a search thinks of a position, as far as a picture shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from masons.engine.errors import MasonsError
from masons.engine.given import shown, text_given, whole_given
from masons.engine.state.packed_move import WALL

if TYPE_CHECKING:
    from masons.ai.search.results import Analysis, MoveStats
    from masons.engine.formats.move_text import Move

LISTED: Final = 6
_MOST_LISTED: Final = 1 << 32


@dataclass(frozen=True)
class Choice:
    """A move with its figures: shares are from 0 to 1, `win` is that of the deciding seat."""

    move: str
    words: str
    share: float  # of all visits
    win: float
    error: float | None
    line: int | None  # where it is a wall


@dataclass(frozen=True)
class Overlay:
    """The best moves, best first, the weight of each line that is liked, and a note.

    A line is liked where its wall has more visits than it would have if all walls had the same;
    the most visited one weighs 1.
    """

    choices: tuple[Choice, ...]
    weights: dict[int, float]  # line -> 0 to 1
    note: str = ""

    @property
    def marks(self) -> dict[int, str]:
        """The rank (from 1) on each line that is among the listed moves."""
        return {
            choice.line: str(rank)
            for rank, choice in enumerate(self.choices, 1)
            if choice.line is not None
        }


def overlay_of(
    analysis: Analysis, words: Callable[[Move], str] = str, *, listed: int = LISTED, note: str = ""
) -> Overlay:
    """The overlay of an analysis; `words` says a move in words, else it is its notation."""
    if type(analysis).__name__ != "Analysis":
        raise MasonsError(f"analysis is {shown(analysis)}: give what analyse gives")
    if not callable(words):
        raise MasonsError(f"words is {shown(words)}: it must be a function of a move")
    listed = whole_given("listed", listed, 0, _MOST_LISTED, "a number of moves from 0 on")
    text_given("note", note)
    total = max(sum(stats.visits for stats in analysis.moves), 1)
    walls = [stats for stats in analysis.moves if stats.move.kind == WALL]
    return Overlay(
        choices=tuple(_choice(stats, total, words) for stats in analysis.moves[:listed]),
        weights=_weights({stats.move.place: stats.visits for stats in walls}),
        note=note or f"{analysis.iterations:,} iterations",
    )


def _weights(visits: dict[int, int]) -> dict[int, float]:
    if not visits:
        return {}
    same, most = sum(visits.values()) / len(visits), max(visits.values())
    if most <= same:
        return dict.fromkeys(visits, 1.0)
    return {line: (count - same) / (most - same) for line, count in visits.items() if count > same}


def _choice(stats: MoveStats, total: int, words: Callable[[Move], str]) -> Choice:
    return Choice(
        move=str(stats.move),
        words=text_given("what words gives", words(stats.move)),
        share=stats.visits / total,
        win=stats.win,
        error=stats.error,
        line=stats.move.place if stats.move.kind == WALL else None,
    )
