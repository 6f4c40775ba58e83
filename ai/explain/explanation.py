"""All that is explained of a decision: what is expected, and why the best move is the best.

`explained` says whether and what: `analyze`, the hints and the analysis of the page ask it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from masons.ai.explain.expected_line import ExpectedLine, expected_line, line_words
from masons.ai.explain.reasons import Difference, difference
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.results import Analysis
from masons.engine.formats.move_text import Move
from masons.engine.state.packed_move import PLAY


@dataclass(frozen=True)
class Explanation:
    """What is expected after the best move, and the differences that were asked for."""

    line: ExpectedLine
    differences: tuple[Difference, ...]
    played: Move | None = None  # the move that was played, where a record tells

    def why(self, names: Sequence[str]) -> list[str]:
        """Return why, in sentences; names of all seats."""
        return [sentence for one in self.differences for sentence in one.words(names)]

    def expected(self, names: Sequence[str]) -> list[str]:
        """Return what is expected next, in sentences."""
        following = self.line.next_seat
        return line_words(self.line, names[following - 1], names[following])


def explained(
    analysis: Analysis,
    rollout: Rollout | None,
    *,
    played: Move | None = None,
    pair: tuple[Move, Move] | None = None,
) -> Explanation | None:
    """Return what an analysis explains: the best move against the second and the one `played`.

    Or a `pair` of moves that are to be compared, the one that wins more first. None where there
    were no games after the best move.
    """
    noted = None if rollout is None else rollout.noted
    best = analysis.best
    if rollout is None or noted is None or best not in noted.moves:
        return None
    if pair is None:
        others = [one.move for one in analysis.moves[1:2] if one.games]
        asked = [] if played is None or played not in noted.moves else [played]
        pairs = [(best, move) for move in dict.fromkeys([*others, *asked]) if move != best]
    else:
        wins = {one.move: one.win or 0.0 for one in analysis.moves}
        pairs = [(pair[0], pair[1]) if wins[pair[0]] >= wins[pair[1]] else (pair[1], pair[0])]
    kept = list((Counter(noted.hand) - Counter(best.cards if best.kind >= PLAY else ())).elements())
    found = (difference(rollout, *moves) for moves in pairs)
    return Explanation(
        expected_line(noted, noted.moves.index(best), tuple(kept)),
        tuple(one for one in found if one is not None),
        played if pair is None else None,
    )
