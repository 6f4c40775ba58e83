"""An analysis as data: what `analyze --json` prints.

| key           | value                                                                        |
| ------------- | ---------------------------------------------------------------------------- |
| `format`      | `masons-analysis`                                                            |
| `version`     | 1                                                                            |
| `position`    | the position analyzed as text: the seat's view, unless `open`                |
| `open`        | whether the hidden cards were given to the search                            |
| `guesses`     | whether it predicted the hidden hands by what was chosen so far              |
| `seat`        | who decides                                                                  |
| `phase`       | what is decided: wall, towers, houses, merge, score, swap or final           |
| `method`      | `halving` (sequential halving) or `ismcts` (information-set MCTS)            |
| `policy`      | how the playouts of a tree search were played, or null                       |
| `level`       | the level of sequential halving, 10 being the highest, or null               |
| `seed`        | the seed                                                                     |
| `threads`     | how many threads searched, each a tree of its own                            |
| `iterations`  | search iterations                                                            |
| `stopped`     | true if Ctrl-C ended the search                                              |
| `wins`        | win probability of each seat, from 0 to 1, over the whole search             |
| `scores`      | expected final score of each seat, over the whole search                     |
| `best`        | the text of the best move                                                    |
| `decided`     | whether the game is as good as won or lost, so that the margin ranks         |
| `equal`       | the texts of the moves that can't be told apart from the best, it included   |
| `moves`       | the moves, best first, as below                                              |
| `expected`    | what is expected after the best move (`pieces`, `answer`, `cards`...)        |
| `why`         | the best move against others: `win` and `points` in `parts`, which sum up    |
| `seconds`     | with `--timing` only: how long the search took                               |

A move: `rank` (from 1), `move` (its text), `words`, `visits`, `win` (win probability of the seat
that decides), its standard error by chance `error` (null after one visit, as none is known),
`interval` (half of the interval of 95 %, the evaluator's known error included), `loss` against the
best and `loss_interval`, `margin_loss` (points) and `margin_interval`, `wins` and `scores` of each
seat, `line` (the moves expected to follow; of a tree with `roll:` and `draw:` texts),
`line_shares` (in which share of the games played on each was made). Probabilities and scores have
six decimals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from masons.engine.formats.position_text import format_position
from masons.engine.plain_text import rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.ai.explain.explanation import Explanation
    from masons.ai.search.results import Analysis, MoveStats
    from masons.cli.reports.search_query import SearchQuery

FORMAT: Final = "masons-analysis"
VERSION: Final = 1
_LEAST: Final = 1e-6


def _rounded(values: Sequence[float]) -> list[float]:
    return [rounded(value) for value in values]


def _known(interval: float | None) -> float | None:
    return None if interval is None else rounded(interval)


def _move(rank: int, stats: MoveStats, words: str) -> dict[str, Any]:
    return {
        "rank": rank,
        "move": str(stats.move),
        "words": words,
        "visits": stats.visits,
        "win": _known(stats.win),
        "games": stats.games,
        "equal": stats.is_equal,
        "error": None if stats.error is None else max(rounded(stats.error), _LEAST),
        "interval": _known(stats.interval),
        "loss": _known(stats.loss),
        "loss_interval": _known(stats.loss_interval),
        "margin_loss": _known(stats.margin_loss),
        "margin_interval": _known(stats.margin_interval),
        "wins": _rounded(stats.wins),
        "scores": _rounded(stats.scores),
        "line": list(stats.line),
        "line_shares": _rounded(stats.line_shares),
    }


def analysis_figures(
    query: SearchQuery,
    analysis: Analysis,
    top: int,
    explanation: Explanation | None = None,
    *,
    timing: bool = False,
) -> dict[str, Any]:
    """Return the JSON object of an analysis, with its `top` best moves."""
    figures: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "position": format_position(query.view, query.table.board),
        "open": query.is_open,
        "guesses": query.predicts_hands,
        "seat": analysis.seat,
        "phase": analysis.phase,
        "method": query.options.method,
        "policy": query.options.policy,
        "level": query.options.level,
        "seed": query.seed,
        "threads": query.options.threads,
        "iterations": analysis.iterations,
        "rollouts": analysis.rollouts,
        "stopped": analysis.stopped,
        "wins": _rounded(analysis.wins),
        "scores": _rounded(analysis.scores),
        "best": str(analysis.best),
        "decided": analysis.is_decided,
        "equal": [str(stats.move) for stats in analysis.equal],
        "moves": [
            _move(rank, stats, query.words(stats.move))
            for rank, stats in enumerate(analysis.moves[:top], 1)
        ],
    }
    if explanation is not None:
        names = [f"seat {seat}" for seat in range(query.view.players)]
        figures["expected"] = explanation.line.to_data()
        figures["why"] = [
            {**split.to_data(), "words": split.words(names)} for split in explanation.differences
        ]
    if timing:
        figures["seconds"] = rounded(analysis.seconds)
    return figures
