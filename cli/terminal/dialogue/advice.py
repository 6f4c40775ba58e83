"""A hint in words: the move that a search likes best, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from masons.engine.plain_words import count
from masons.engine.state.packed_move import PLAY

if TYPE_CHECKING:
    from masons.ai.search.results import Analysis
    from masons.cli.terminal.scored_view import ScoredView


def advice(scored_view: ScoredView, found: Analysis) -> list[str]:
    """The best move, how it compares with the second, and what it is expected to lead to."""
    best = found.moves[0]
    written = "" if best.move.kind >= PLAY else f"  [{best.move}]"  # cards are named in the words
    lines = [f"hint: {scored_view.words(best.move)}{written}"]
    wins = f"it wins {100 * best.win:.0f} % of {count(best.visits, 'game')}"
    if len(found.moves) > 1 and found.moves[1].visits:
        second = found.moves[1]
        wins += f"; the second, {second.move}, {100 * second.win:.0f} %"
    lines.append(wins)
    if best.scores:
        others = [score for seat, score in enumerate(best.scores) if seat != found.seat]
        lines.append(
            f"points expected at the end: {best.scores[found.seat]:.0f}, "
            f"the best of the others {max(others):.0f}"
        )
    return lines
