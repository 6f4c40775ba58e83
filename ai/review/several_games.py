"""Reviews of several games together: every decision a line, and what changed over time."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from math import hypot, sqrt
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from masons.ai.review.performance import elo_of_loss
from masons.engine.plain_words import rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

Report = dict[str, Any]

_FIELDS: Final = (
    "number", "turn", "seat", "phase", "choices", "played", "best", "win_played", "win_best",
    "difference", "error", "points", "points_error", "loss", "mark",
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
    """Return for each player what all games say: loss, rating, luck, and the change of the loss.

    `history` has the losses game by game, `elo` is that of the number of players met most often,
    `costs_most` the kind of decision that cost most points (null: none did).
    """
    found: dict[str, list[_Game]] = defaultdict(list)
    for number, report in reports:
        for seat, (player, account) in enumerate(
            zip(report["players"], report["accounts"], strict=True)
        ):
            if player["decisions"]:
                points = [d["points"] for d in report["decisions"] if d["seat"] == seat]
                found[report["names"][seat]].append(
                    _Game(number, player, account, points, len(report["names"]))
                )
    return {name: _trend(games) for name, games in found.items()}


class _Game(NamedTuple):
    """A player's part of the review of a game, and the points that each decision lost."""

    number: int
    player: Report
    account: Report
    points: list[float]
    seats: int  # of the game


def _trend(games: Sequence[_Game]) -> dict[str, Any]:
    decisions = sum(game.player["decisions"] for game in games)

    def mean(name: str) -> float:
        return rounded(
            sum(game.player[name] * game.player["decisions"] for game in games) / decisions
        )

    def error(name: str) -> float:
        return rounded(
            hypot(*(game.player[name] * game.player["decisions"] for game in games)) / decisions
        )

    seats = Counter(game.seats for game in games).most_common(1)[0][0]
    points = [lost for game in games if game.seats == seats for lost in game.points]
    elo = elo_of_loss(seats, points)
    kinds: Counter[str] = Counter()
    for game in games:
        kinds.update({kind: part["points"] for kind, part in game.player["kinds"].items()})
    kind, most = max(kinds.items(), key=lambda item: item[1], default=("", 0.0))
    slope = _slope([game.player["mean_loss"] for game in games])
    figures = ("mean_loss", "error", "points_lost", "points_error")
    return {
        "games": len(games),
        "decisions": decisions,
        "mean_loss": mean("mean_loss"),
        "error": error("error"),
        "points_lost": mean("points_lost"),
        "points_error": error("points_error"),
        "elo": elo and [round(figure) for figure in elo],
        "costs_most": kind if most > 0 else None,
        "kinds": {name: rounded(lost / decisions) for name, lost in kinds.items()},
        "history": [
            {"game": game.number, **{name: game.player[name] for name in figures}} for game in games
        ],
        "share": rounded(fmean(game.account["share"] for game in games)),
        "luck": rounded(fmean(game.account["luck"] for game in games)),
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
