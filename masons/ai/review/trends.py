"""The ratings and the trends of players over several reviewed games."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, Final, NamedTuple

import numpy as np

from masons.ai.review.performance import Summary, elo_of_loss, rank_of
from masons.engine.plain_text import rounded

MIN_GAMES: Final = 3  # fewest games for a rating, and for a trend of the loss
Report = Mapping[str, Any]


class PlayerRating:
    """The rating of a player from the latest games with the usual number of seats."""

    def __init__(self, games: Sequence[tuple[int, Sequence[float]]], latest: int) -> None:
        """Begin with the seats and the points lost in each decision of games, oldest game first.

        The last `latest` games determine the usual number of seats, and the last `latest` games
        with this number of seats the rating. Between numbers of seats with equally many games, the
        usual number is the one with more decisions.
        """
        count, decisions = Counter[int](), Counter[int]()
        for seats, points in games[-latest:]:
            count[seats] += 1
            decisions[seats] += len(points)
        self.seats = max(count, key=lambda seats: (count[seats], decisions[seats]), default=2)
        self._latest = latest
        self._lost = [points for seats, points in games if seats == self.seats]

    @property
    def games(self) -> int:
        """The number of games that determine the rating."""
        return len(self._lost[-self._latest :])

    def estimate(self, games: int | None = None) -> list[int] | None:
        """Return the estimated rating after a number of games, with its 95 % interval.

        The default is all games. Return None if there are too few decisions.
        """
        return elo_of_loss(self.seats, self._points(games))

    def settled(self, games: int | None = None) -> list[int] | None:
        """Return the estimate after some games, or None while a rating needs more games."""
        return None if self.more_games(games) else self.estimate(games)

    def more_games(self, games: int | None = None) -> int:
        """Return the number of games that are still needed for a rating after the first `games`.

        If `games` is None, this counts from all games. A rating needs MIN_GAMES games and an
        interval within two neighboring ranks. After `latest` games there is always a rating,
        because further games do not narrow its interval.
        """
        points, count = self._points(games), len(self._lost[:games])
        if count < MIN_GAMES:
            return MIN_GAMES - count
        error = stdev(points) * math.sqrt(len(points)) if len(points) > 1 else 0.0
        rank, times = rank_of(
            self.seats, Summary(len(points), 0.0, 0.0, sum(points), error, marks={})
        )
        if rank is not None or (times is not None and count >= self._latest):
            return 0
        return max(min(math.ceil(count * (times or 1.0)), self._latest) - count, 1)

    def _points(self, games: int | None) -> list[float]:
        """Return the points lost in each decision of the latest of some games."""
        return [lost for points in self._lost[:games][-self._latest :] for lost in points]


def trends(reports: Sequence[tuple[int, Report]]) -> dict[str, dict[str, Any]]:
    """Return each player's results over all games, such as the loss, the rating and the luck.

    `reports` contains pairs of a game's number and the game's review. In the results, `history`
    contains the losses game by game. `elo` is computed from the games with the most frequent number
    of players: `elo_games` games with `elo_players` players. `costs_most` is the kind of decision
    that cost the most points (None if no kind cost any).
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

    rating = PlayerRating([(game.seats, game.points) for game in games], len(games))
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
        "elo": rating.estimate(),
        "elo_games": rating.games,
        "elo_players": rating.seats,
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
