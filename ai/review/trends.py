"""The trends of players over several reviewed games."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, Final, NamedTuple

import numpy as np

from masons.ai.review.performance import elo_of_loss
from masons.engine.plain_text import rounded

MIN_GAMES: Final = 3  # fewest games from which a trend of the loss is computed
Report = Mapping[str, Any]


def trends(reports: Sequence[tuple[int, Report]]) -> dict[str, dict[str, Any]]:
    """Return each player's results over all games, such as the loss, the rating and the luck.

    `reports` contains pairs of a game's number and the game's review. In the results, `history`
    contains the losses game by game. `elo` is computed from the games with the most frequent number
    of players. `costs_most` is the kind of decision that cost the most points (None if no kind cost
    any).
    """
    games: dict[str, list[_Game]] = defaultdict(list)
    for number, report in reports:
        for seat, (player, account) in enumerate(
            zip(report["players"], report["accounts"], strict=True)
        ):
            if player["decisions"]:
                points = [d["points"] for d in report["decisions"] if d["seat"] == seat]
                games[report["names"][seat]].append(
                    _Game(number, player, account, points, len(report["names"]))
                )
    return {name: _trend(played) for name, played in games.items()}


class _Game(NamedTuple):
    """A player's part of the review of one game, with the points that each decision lost."""

    number: int
    player: Report
    account: Report
    points: list[float]
    seats: int  # number of seats in the game


def _trend(games: Sequence[_Game]) -> dict[str, Any]:
    numbers = np.array([game.player["decisions"] for game in games])
    decisions = int(numbers.sum())

    def mean(name: str) -> float:
        return rounded(np.array([game.player[name] for game in games]) @ numbers / decisions)

    def error(name: str) -> float:
        errors = np.array([game.player[name] for game in games]) * numbers
        return rounded(math.hypot(*errors) / decisions)

    seats = Counter(game.seats for game in games).most_common(1)[0][0]
    elo = elo_of_loss(
        seats, [lost for game in games if game.seats == seats for lost in game.points]
    )
    kinds: Counter[str] = Counter()
    for game in games:
        kinds.update({kind: part["points"] for kind, part in game.player["kinds"].items()})
    kind, most = max(kinds.items(), key=lambda item: item[1], default=("", 0.0))
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
        "slope": _slope([game.player["mean_loss"] for game in games]),
    }


def _slope(losses: Sequence[float]) -> dict[str, float] | None:
    """Return the change of the loss per game and its standard error, or None for too few games."""
    if len(losses) < MIN_GAMES:
        return None
    line, covariance = np.polyfit(range(len(losses)), losses, 1, cov=True)
    return {"mean": rounded(line[0]), "error": rounded(math.sqrt(covariance[0, 0]))}
