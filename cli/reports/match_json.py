"""A match as data: what `match --json` prints.

| key                 | value                                                                  |
| ------------------- | ---------------------------------------------------------------------- |
| `format`, `version` | `masons-match`, 1                                                      |
| `players`, `board`, `early_roll`, `fair`, `seed`, `limits`, `strict` | how it was played     |
| `games`, `blocks`   | how many are counted                                                   |
| `engines`           | for each engine that played, as below                                  |
| `elo`               | with two engines: `score` of the first (0 to 1), `elo`, each an        |
|                     | estimate                                                               |
| `groups`, `levels`  | with more engines: whose ratings compare, by name                      |
| `sprt`              | `llr`, `lower`, `upper`, `accepted` (null, `H0` or `H1`), or null      |
| `pairing`           | variance of block means divided by that of as many independent games,  |
|                     | of `same_seatings` and of `any_seatings`: `value`, `error`; or null    |
| `adjusted`          | with `--luck`: the results with luck taken off, or null: `engines`     |
|                     | (`name`, `first`, `luck`), `score`, `elo`, `correlation` of luck with  |
|                     | the victory, `games` needed (`value`, `error`) for the same interval,  |
|                     | and `independent` ones; `by_blocks`, `by_luck`: what either alone needs |

An engine: `name`, `games` (seats in games), `forfeits`, the estimates `first` (share of victories),
`score`, `margin`, `place`, with more than two engines `rating`, then `faults` (by kind) and
`luck`: `rolls`, `jokers` (a roll), `cards`, `card_value`, `hand_value`. An estimate is `mean`,
`low` and `high`, the 95% interval over blocks; null is an infinite or an unknown number. Six
decimals.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from masons.engine.plain_text import rounded

if TYPE_CHECKING:
    from masons.match.match_summary import Summary
    from masons.match.running.schedule import Settings
    from masons.match.statistics.engine_scores import EngineLine, PairLine
    from masons.match.statistics.estimates import Estimate
    from masons.match.statistics.luck_adjusted import LuckLine, Ratio

FORMAT: Final = "masons-match"
VERSION: Final = 1


def _number(value: float) -> float | None:
    return rounded(value) if isfinite(value) else None


def estimate_figures(value: Estimate | None) -> dict[str, float | None] | None:
    """An estimate as the module says."""
    if value is None:
        return None
    return {"mean": _number(value.mean), "low": _number(value.low), "high": _number(value.high)}


def _ratio(value: Ratio | None) -> dict[str, float | None] | None:
    if value is None:
        return None
    return {"value": _number(value.value), "error": _number(value.error)}


def _luck(line: LuckLine) -> dict[str, Any]:
    return {
        "rolls": estimate_figures(line.rolls),
        "jokers": estimate_figures(line.jokers),
        "cards": estimate_figures(line.cards),
        "card_value": estimate_figures(line.card_value),
        "hand_value": estimate_figures(line.hand_value),
    }


def _engine(summary: Summary, line: EngineLine) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "name": summary.settings.entries[line.engine].name,
        "games": line.games,
        "forfeits": line.forfeits,
        "first": estimate_figures(line.first),
        "score": estimate_figures(line.score),
        "margin": estimate_figures(line.margin),
        "place": estimate_figures(line.place),
    }
    if summary.ratings is not None:
        rating = summary.ratings.ratings[line.engine]
        figures["rating"] = {
            "mean": _number(rating.rating),
            "low": _number(rating.low),
            "high": _number(rating.high),
        }
    luck = next(own for own in summary.luck if own.engine == line.engine)
    return {**figures, "faults": dict(sorted(summary.faults[line.engine].items())),
            "luck": _luck(luck)}  # fmt: skip


def _pair(pair: PairLine) -> dict[str, Any]:
    elo = {"mean": pair.elo, "low": pair.elo_low, "high": pair.elo_high}
    return {
        "score": estimate_figures(pair.score),
        "elo": {key: _number(value) for key, value in elo.items()},
    }


def _limits(settings: Settings) -> dict[str, Any]:
    control = settings.time_control
    return {
        "movetime": control.movetime,
        "clock": control.clock,
        "inc": control.inc,
        "sims": control.sims,
    }


def _adjusted(summary: Summary) -> dict[str, Any] | None:
    found = summary.adjusted
    if found is None:
        return None
    return {
        "engines": [
            {
                "name": summary.settings.entries[line.engine].name,
                "first": estimate_figures(line.first),
                "luck": estimate_figures(line.luck),
            }
            for line in found.lines
        ],
        "score": estimate_figures(found.score),
        "elo": found.elo
        and dict(zip(("mean", "low", "high"), map(_number, found.elo), strict=True)),
        "correlation": _number(found.correlation),
        "games": _ratio(found.games),
        "independent": _ratio(found.independent),
        "by_blocks": _ratio(found.by_blocks),
        "by_luck": _ratio(found.by_luck),
    }


def match_figures(summary: Summary) -> dict[str, Any]:
    """The JSON object of a match."""
    settings = summary.settings
    board = settings.board
    figures: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "players": settings.players,
        "board": json.loads(board)["name"] if board.startswith("{") else board,
        "early_roll": settings.early_roll,
        "fair": settings.fair,
        "seed": settings.seed,
        "limits": _limits(settings),
        "strict": settings.time_control.strict,
        "games": summary.games,
        "blocks": summary.blocks,
        "engines": [_engine(summary, line) for line in summary.engines],
    }
    if summary.pair is not None:
        figures["elo"] = _pair(summary.pair)
    if summary.ratings is not None:
        for key, groups in (
            ("groups", summary.ratings.groups),
            ("levels", summary.ratings.levels),
        ):
            figures[key] = [[settings.entries[engine].name for engine in own] for own in groups]
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
