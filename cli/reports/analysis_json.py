"""An analysis as data: what `analyze --json` prints.

| key           | value                                                                        |
| ------------- | ---------------------------------------------------------------------------- |
| `format`      | `masons-analysis`                                                            |
| `version`     | 1                                                                            |
| `position`    | the position analysed as text: the seat's view, unless `open`                |
| `open`        | whether the hidden cards were given to the search                            |
| `guesses`     | whether it predicted the hidden hands by what was chosen so far              |
| `seat`        | who decides                                                                  |
| `phase`       | what is decided: wall, towers, houses, merge, score, swap or final           |
| `method`      | `halving` (sequential halving) or `tree` (information-set MCTS)              |
| `policy`      | how the playouts of a tree search were played, or null                       |
| `level`       | the level of sequential halving, 10 being the highest, or null               |
| `seed`        | the seed                                                                     |
| `threads`     | how many threads searched, each a tree of its own                            |
| `iterations`  | search iterations                                                            |
| `stopped`     | true if Ctrl-C ended the search                                              |
| `wins`        | win probability of each seat, from 0 to 1, over the whole search             |
| `scores`      | expected final score of each seat, over the whole search                     |
| `best`        | the text of the best move                                                    |
| `moves`       | the moves, best first, as below                                              |
| `seconds`     | with `--timing` only: how long the search took                               |

A move: `rank` (from 1), `move` (its text), `words`, `visits`, `win` (win probability of the seat
that decides) and its standard error `error` (null after one visit, as none is known), `wins` and
`scores` of each seat, `line` (the moves, `roll:` and `draw:` texts that the search expects to
follow). Probabilities and scores have six decimals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from masons.ai.search.search_options import TREE
from masons.engine.formats.position_text import format_position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.ai.search.results import Analysis, MoveStats
    from masons.cli.reports.search_query import SearchQuery

FORMAT: Final = "masons-analysis"
VERSION: Final = 1
_DECIMALS: Final = 6
_LEAST: Final = 10.0**-_DECIMALS
_METHODS: Final = {"ismcts": TREE}


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(value, _DECIMALS) for value in values]


def _move(rank: int, stats: MoveStats, words: str) -> dict[str, Any]:
    return {
        "rank": rank,
        "move": str(stats.move),
        "words": words,
        "visits": stats.visits,
        "win": round(stats.win, _DECIMALS),
        "error": None if stats.error is None else max(round(stats.error, _DECIMALS), _LEAST),
        "wins": _rounded(stats.wins),
        "scores": _rounded(stats.scores),
        "line": list(stats.line),
    }


def analysis_figures(
    query: SearchQuery, analysis: Analysis, top: int, *, timing: bool = False
) -> dict[str, Any]:
    """The JSON object of an analysis, with its `top` best moves."""
    figures: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "position": format_position(query.view, query.table.board),
        "open": query.is_open,
        "guesses": query.predicts_hands,
        "seat": analysis.seat,
        "phase": analysis.phase,
        "method": _METHODS.get(query.options.method, query.options.method),
        "policy": query.options.policy,
        "level": query.options.level,
        "seed": query.seed,
        "threads": query.options.threads,
        "iterations": analysis.iterations,
        "stopped": analysis.stopped,
        "wins": _rounded(analysis.wins),
        "scores": _rounded(analysis.scores),
        "best": str(analysis.best),
        "moves": [
            _move(rank, stats, query.words(stats.move))
            for rank, stats in enumerate(analysis.moves[:top], 1)
        ],
    }
    if timing:
        figures["seconds"] = round(analysis.seconds, _DECIMALS)
    return figures
