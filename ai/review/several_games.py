"""Reviews of several games together: every decision a line, and what changed over time."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from masons.engine.plain_words import rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

Report = dict[str, Any]

_FIELDS: Final = (
    "number", "turn", "seat", "phase", "choices", "played", "best", "win_played", "win_best",
    "difference", "error", "loss", "mark",
)  # fmt: skip
MIN_GAMES: Final = 3
_FORMULA: Final = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # with wide = + - @


def decisions_csv(reports: Sequence[tuple[int, Report]]) -> str:
    """A line for each decision with a choice; the first has the names of the columns."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(("game", "player", *_FIELDS))
    for number, report in reports:
        for own in report["decisions"]:
            name = report["names"][own["seat"]]
            writer.writerow(map(_cell, (number, name, *(own[field] for field in _FIELDS))))
    return out.getvalue()


def _cell(value: Any) -> Any:
    """A value that no spreadsheet takes for a formula; numbers stay as they are."""
    is_formula = isinstance(value, str) and value.startswith(_FORMULA)
    return f"'{value}" if is_formula else value


def trends(reports: Sequence[tuple[int, Report]]) -> dict[str, dict[str, Any]]:
    """For each player `games`, mean loss a decision, luck, and the change of the loss a game."""
    found: dict[str, list[tuple[int, dict[str, Any], dict[str, Any]]]] = defaultdict(list)
    for number, report in reports:
        for name, player, account in zip(
            report["names"], report["players"], report["accounts"], strict=True
        ):
            if player["decisions"]:
                found[name].append((number, player, account))
    return {name: _trend(games) for name, games in found.items()}


def _trend(games: Sequence[tuple[int, dict[str, Any], dict[str, Any]]]) -> dict[str, Any]:
    decisions = sum(player["decisions"] for _, player, _ in games)
    slope = _slope([player["mean_loss"] for _, player, _ in games])
    return {
        "games": len(games),
        "decisions": decisions,
        "mean_loss": rounded(sum(player["lost"] for _, player, _ in games) / decisions),
        "share": rounded(fmean(account["share"] for _, _, account in games)),
        "luck": rounded(fmean(account["luck"] for _, _, account in games)),
        "slope": slope and {"mean": rounded(slope[0]), "error": rounded(slope[1])},
    }


def _slope(losses: Sequence[float]) -> tuple[float, float] | None:
    """By how much the loss changes a game, with its standard error."""
    count = len(losses)
    if count < MIN_GAMES:
        return None
    middle, mean = (count - 1) / 2, fmean(losses)
    spread = sum((i - middle) ** 2 for i in range(count))
    slope = sum((i - middle) * (loss - mean) for i, loss in enumerate(losses)) / spread
    rest = sum((loss - mean - slope * (i - middle)) ** 2 for i, loss in enumerate(losses))
    return slope, sqrt(rest / (count - 2) / spread)
