"""All that is explained of a decision: what is expected, and why the best move is the best.

`explained` says whether and what: `analyze`, the hints and the analysis of the page ask it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from masons.ai.explain.expected_line import ExpectedLine, expected_line, line_words
from masons.ai.explain.paired_games import Continuations, continuations
from masons.ai.explain.played_on import TINY, TURNS
from masons.ai.explain.split_difference import Difference, difference
from masons.ai.explain.why_words import why_words
from masons.ai.search.results import Analysis
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.state.packed_move import PLAY
from masons.engine.state.position import Position

LINE_DEALS: Final = 100  # games to the end for what is expected
_DEALS: Final = 200  # for a difference, where the search had none played on


@dataclass(frozen=True)
class Explanation:
    """What is expected after the best move, and the differences that were asked for."""

    line: ExpectedLine
    differences: tuple[Difference, ...]
    played: Move | None = None  # the move that was played, where a record tells

    def why(self, names: Sequence[str]) -> list[str]:
        """Why, in sentences; names of all seats."""
        return [sentence for one in self.differences for sentence in why_words(one, names)]

    def expected(self, names: Sequence[str]) -> list[str]:
        """What is expected next, in sentences."""
        following = self.line.next_seat
        return line_words(self.line, names[following - 1], names[following])


def explained(
    table: Table,
    seen: Position | Observation,
    analysis: Analysis,
    *,
    games: Continuations | None = None,
    played: Move | None = None,
    pair: tuple[Move, Move] | None = None,
    seed: int = 0,
) -> Explanation | None:
    """What an analysis explains: the best move against the second and the one `played`.

    Or a `pair` of moves that are to be compared. None where the analysis says too little: it was
    stopped, or tiny (unless it is asked for a pair), or does not know how sure it is. `games` are
    those that the session played on.
    """
    is_asked = pair is not None
    if analysis.stopped or analysis.moves[0].interval is None:
        return None
    if analysis.iterations < TINY and not is_asked:
        return None
    if pair is not None:
        pairs = [pair]
    else:
        also = (one.move for one in analysis.moves if one.move == played)  # if it was searched
        pairs = pairs_to_explain(analysis, tuple(also))
    return explanation(
        table, seen, analysis, pairs, games=games, seed=seed, played=None if is_asked else played
    )


def explanation(
    table: Table,
    seen: Position | Observation,
    analysis: Analysis,
    pairs: Sequence[tuple[Move, Move]],
    *,
    games: Continuations | None = None,
    seed: int = 0,
    played: Move | None = None,
) -> Explanation:
    """Explain an analysis: `pairs` of moves, the better one first, are compared.

    `games`: see `differences`; `played`: the move of the record, to be told as such.
    """
    best = analysis.best
    ends = continuations(table, seen, [best], deals=LINE_DEALS, turns=0, seed=seed)
    hand = table.view(seen).position.hands[analysis.seat]
    assert not isinstance(hand, int)
    found = differences(table, seen, analysis, pairs, games=games, seed=seed)
    kept = list((Counter(hand) - Counter(best.cards if best.kind >= PLAY else ())).elements())
    return Explanation(expected_line(ends, 0, tuple(kept)), found, played)


def differences(
    table: Table,
    seen: Position | Observation,
    analysis: Analysis,
    pairs: Sequence[tuple[Move, Move]],
    *,
    games: Continuations | None = None,
    seed: int = 0,
) -> tuple[Difference, ...]:
    """What the first move of each pair has over the second.

    `games` are those that the session played on; where they lack a move, others are played.
    """
    moves = list(dict.fromkeys(move for pair in pairs for move in pair))
    if not moves:
        return ()
    if games is None or not set(moves) <= set(games.moves):
        games = continuations(table, seen, moves, deals=_DEALS, turns=TURNS, seed=seed)
    return tuple(difference(analysis, games, *pair, TURNS) for pair in pairs)


def pairs_to_explain(analysis: Analysis, also: Sequence[Move] = ()) -> list[tuple[Move, Move]]:
    """The best move against the second, and against those asked for."""
    best = analysis.best
    others = [stats.move for stats in analysis.moves[1:2]]
    return [(best, move) for move in dict.fromkeys([*others, *also]) if move != best]
