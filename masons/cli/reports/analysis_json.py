"""The JSON that `analyze` prints (docs/formats.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from masons.engine.formats.position_text import format_position
from masons.engine.plain_text import all_rounded, rounded

if TYPE_CHECKING:
    from masons.ai.explain.explanation import Explanation
    from masons.ai.search.results import Analysis, MoveStats
    from masons.cli.search_query import SearchQuery


FORMAT: Final = "masons-analysis"
VERSION: Final = 1
_LEAST: Final = 1e-6


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
        "wins": all_rounded(stats.wins),
        "scores": all_rounded(stats.scores),
        "line": list(stats.line),
        "line_shares": all_rounded(stats.line_shares),
    }


def analysis_figures(
    query: SearchQuery,
    analysis: Analysis,
    top: int,
    explanation: Explanation | None = None,
    *,
    timing: bool = False,
) -> dict[str, Any]:
    """Return the JSON object of an analysis, with the best `top` moves."""
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
        "rollout_player": query.options.rollout_player,
        "stopped": analysis.stopped,
        "wins": all_rounded(analysis.wins),
        "scores": all_rounded(analysis.scores),
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
