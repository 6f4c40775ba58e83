"""The JSON that `match` prints (docs/formats.md).

An estimate has a `mean`, and also `low` and `high`, the ends of its 95% interval over blocks.
Infinite and unknown numbers are null. All other numbers are rounded to six decimals.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from masons.engine.plain_text import rounded

if TYPE_CHECKING:
    from masons.match.match_summary import EngineLine, MatchSummary
    from masons.match.statistics.estimates import Estimate
    from masons.match.statistics.luck_adjusted import Ratio

    Interval = dict[str, float | None]

FORMAT: Final = "masons-match"
VERSION: Final = 1


def _number(value: float) -> float | None:
    return rounded(value) if isfinite(value) else None


def estimate_figures(value: Estimate | None) -> Interval | None:
    """Return the JSON object of an estimate, or None if there is no estimate."""
    if value is None:
        return None
    return {"mean": _number(value.mean), "low": _number(value.low), "high": _number(value.high)}


def _ratio(value: Ratio | None) -> dict[str, float | None] | None:
    if value is None:
        return None
    return {"value": _number(value.value), "error": _number(value.error)}


def _fields(line: EngineLine, *names: str) -> dict[str, Any]:
    return {name: estimate_figures(getattr(line, name)) for name in names}


def _engine(summary: MatchSummary, line: EngineLine) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "name": summary.name(line.engine),
        "games": line.games,
        "forfeits": line.forfeits,
        **_fields(line, "first", "score", "margin", "place"),
    }
    if line.rating is not None:
        figures["rating"] = estimate_figures(line.rating)
    figures["faults"] = dict(sorted(line.faults.items()))
    figures["first_fault"] = None
    if line.first_fault is not None:
        game, fault = line.first_fault
        said = {"decision": fault.decision, "kind": fault.kind, "text": fault.text}
        figures["first_fault"] = {"game": game, **said}
    figures["moves"] = {"decisions": line.decisions, "replaced": line.replaced}
    if summary.settings.time_control.is_timed:
        figures["late"] = {"decisions": line.late, "most": _number(line.latest)}
    figures["luck"] = _fields(line, "rolls", "jokers", "cards", "card_value", "hand_value")
    return figures


def _adjusted(summary: MatchSummary) -> dict[str, Any] | None:
    results = summary.adjusted
    if results is None:
        return None
    return {
        "engines": [
            {
                "name": summary.name(line.engine),
                "first": estimate_figures(line.without_luck),
                "luck": estimate_figures(line.luck),
            }
            for line in summary.engines
        ],
        "score": estimate_figures(results.score),
        "elo": estimate_figures(results.elo),
        "correlation": _number(results.correlation),
        "games": _ratio(results.games),
        "independent": _ratio(results.independent),
        "by_blocks": _ratio(results.by_blocks),
        "by_luck": _ratio(results.by_luck),
    }


def match_figures(summary: MatchSummary) -> dict[str, Any]:
    """Return the JSON object of a match."""
    settings = summary.settings
    control = settings.time_control
    board = settings.board
    figures: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "players": settings.players,
        "board": json.loads(board)["name"] if board.startswith("{") else board,
        "early_roll": settings.early_roll,
        "seed": settings.seed,
        "limits": {key: getattr(control, key) for key in ("movetime", "clock", "inc", "sims")},
        "time_margin": control.margin if control.is_timed else None,
        "strict": control.strict,
        "games": summary.games,
        "blocks": summary.blocks,
        "engines": [_engine(summary, line) for line in summary.engines],
    }
    if summary.score is not None:
        score, elo = estimate_figures(summary.score), estimate_figures(summary.elo)
        figures["elo"] = {"score": score, "elo": elo}
    if summary.ratings is not None:
        for key, groups in (("groups", summary.ratings.groups), ("levels", summary.ratings.levels)):
            figures[key] = [[summary.name(engine) for engine in group] for group in groups]
    figures["sprt"] = summary.verdict and asdict(summary.verdict)
    if figures["sprt"]:
        for key in ("llr", "lower", "upper"):
            figures["sprt"][key] = _number(figures["sprt"][key])
    figures["adjusted"] = _adjusted(summary)
    cut = summary.cut
    figures["pairing"] = cut and {
        "same_seatings": _ratio(cut.same_seatings),
        "any_seatings": _ratio(cut.any_seatings),
    }
    return figures
