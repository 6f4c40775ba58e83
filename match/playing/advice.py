"""A hint in words: the move that a search likes best, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from masons.engine.plain_words import percent, within
from masons.engine.state.packed_move import PLAY

if TYPE_CHECKING:
    from masons.ai.explain.explanation import Explanation
    from masons.ai.search.results import Analysis, MoveStats
    from masons.match.playing.scored_view import ScoredView


def _win(stats: MoveStats) -> str:
    interval = f" {within(stats.interval)}" if stats.games else ""
    return f"{percent(stats.win or 0.0)}{interval}"


def advice(
    scored_view: ScoredView,
    found: Analysis,
    explanation: Explanation | None = None,
    names: Sequence[str] = (),
) -> list[str]:
    """The best move, how it compares with the second and why, and what is expected next."""
    best = found.moves[0]
    written = "" if best.move.kind >= PLAY else f"  [{best.move}]"  # cards are named in the words
    lines = [f"hint: {scored_view.words(best.move)}{written}"]
    wins = f"it wins {_win(best)} %"
    if len(found.moves) > 1 and found.moves[1].win is not None:
        second = found.moves[1]
        wins += f"; the second, {second.move}, {_win(second)} %"
    if len(found.equal) > 1:
        wins += f"; {len(found.equal)} moves can't be told apart"
    lines.append(wins)
    if best.scores:
        others = [score for seat, score in enumerate(best.scores) if seat != found.seat]
        lines.append(
            f"points expected at the end: {best.scores[found.seat]:.0f}, "
            f"the best of the others {max(others):.0f}"
        )
    if explanation is not None and names:
        lines += [f"why: {sentence}" for sentence in explanation.why(names)]
        lines += [f"next: {sentence}" for sentence in explanation.expected(names)]
    return lines
