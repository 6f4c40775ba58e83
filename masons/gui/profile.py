"""The profile of a player: rating, results, luck, and the decisions that cost most.

A profile is made from kept reviews.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, Final

from masons.ai.review.performance import KIND_OF_PHASE, KINDS, LEAST_ELO, MOST_ELO
from masons.ai.review.trends import PlayerRating
from masons.ai.search.search_options import LEVEL_RATINGS, TOP_LEVEL
from masons.match.statistics.estimates import t_quantile

if TYPE_CHECKING:
    from masons.gui.kept_reviews import KeptDecision, KeptReview

RECENT: Final = 20
"""The most games that determine a rating: the latest games with the usual number of seats."""
_MOST_POINTS: Final = 60  # the most points of the curve
_THIRDS: Final = ("early", "middle", "late")
_LEVEL: Final = re.compile(r"^Engine(?: \d+)? \(level (\d+)\)$")


class PlayedGames:
    """The reviewed games of one player, with the oldest first."""

    def __init__(self, player: str, reviews: Iterable[KeptReview]) -> None:
        self.games: list[tuple[KeptReview, list[KeptDecision]]] = []
        for review in sorted(reviews, key=lambda each: (each.ended, each.file)):
            if player in review.names:
                seat = review.names.index(player)
                decisions = [each for each in review.decisions if each.seat == seat]
                if decisions:
                    self.games.append((review, decisions))
        points = [
            (len(review.names), [each.points for each in decisions])
            for review, decisions in self.games
        ]
        self.rating = PlayerRating(points, RECENT)

    @property
    def recent(self) -> Sequence[tuple[KeptReview, list[KeptDecision]]]:
        """The last games, with any number of seats."""
        return self.games[-RECENT:]

    def curve(self) -> list[list[Any]]:
        """Return `[date, rating, low, high]` after each of the latest games that have a rating."""
        usual = [review for review, _ in self.games if len(review.names) == self.rating.seats]
        rated = [
            (review.ended, self.rating.settled(number)) for number, review in enumerate(usual, 1)
        ]
        return [[ended, *elo] for ended, elo in rated if elo is not None][-_MOST_POINTS:]

    def level(self) -> int:
        """Return the level to offer.

        It begins at 1. After each game that leaves a settled rating, it moves at most one level
        towards that rating, up or down.
        """
        level = 1
        for _, *rating in self.curve():
            level += max(-1, min(level_near(rating) - level, 1))
        return level

    def kinds(self) -> list[dict[str, Any]]:
        """Return the points lost in the last games for each kind of decision.

        The costliest kind comes first.
        """
        points: dict[str, list[float]] = {kind: [] for kind in KINDS[1]}
        for _, decisions in self.recent:
            for each in decisions:
                points[KIND_OF_PHASE[each.phase]].append(each.points)
        return sorted(self._losses(points), key=lambda each: -each["game"])

    def thirds(self) -> list[dict[str, Any]]:
        """Return the points lost in the last games for each third of a game's turns, in order."""
        points: dict[str, list[float]] = {third: [] for third in _THIRDS}
        for review, decisions in self.recent:
            turns = 1 + max(each.turn for each in (*review.decisions, *review.others))
            for each in decisions:
                points[_THIRDS[len(_THIRDS) * each.turn // turns]].append(each.points)
        return self._losses(points)

    def _losses(self, points: dict[str, list[float]]) -> list[dict[str, Any]]:
        return [
            {
                "kind": kind,
                "decisions": len(lost),
                "points": round(fmean(lost), 3),
                "interval": round(_half_width(lost), 3),
                "game": round(sum(lost) / len(self.recent), 2),
            }
            for kind, lost in points.items()
            if len(lost) > 1
        ]

    def results(self) -> list[dict[str, Any]]:
        """Return the finished games by number of seats and level of the engines, and those won.

        The level is that of the strongest engine, and None if there is no engine with a level. A
        shared victory counts in part.
        """
        games: dict[tuple[int, int], list[float]] = {}
        for review, decisions in self.games:
            if not review.has_end:
                continue
            seat, best = decisions[0].seat, max(review.margins)
            won = review.margins[seat] == best and 1 / review.margins.count(best)
            levels = [int(level) for name in review.names for level in _LEVEL.findall(name)]
            games.setdefault((len(review.names), max(levels, default=0)), []).append(won)
        return [
            {"seats": seats, "level": level or None, "games": len(won), "won": round(sum(won), 2)}
            for (seats, level), won in sorted(games.items())
        ]

    def luck(self) -> tuple[float, float] | None:
        """Return the mean luck of the last finished games in points, and its 95 % interval."""
        luck = [
            review.luck[decisions[0].seat] for review, decisions in self.recent if review.has_end
        ]
        return (round(fmean(luck), 1), round(_half_width(luck), 1)) if len(luck) > 1 else None

    def mistakes(self) -> list[tuple[KeptReview, KeptDecision]]:
        """Return the mistakes of the last games, beginning with the costliest kind."""
        costliest = next((each["kind"] for each in self.kinds()), "")
        mistakes = [
            (review, each)
            for review, decisions in reversed(self.recent)
            for each in review.mistakes([decisions[0].seat])
        ]
        return sorted(mistakes, key=lambda pair: KIND_OF_PHASE[pair[1].phase] != costliest)


def _half_width(values: Sequence[float]) -> float:
    """Return the half width of the 95 % interval of the mean, using the t distribution."""
    return t_quantile(0.975, len(values) - 1) * stdev(values) / math.sqrt(len(values))


def players_of(reviews: Iterable[KeptReview]) -> list[str]:
    """Return the names of all rated players, beginning with the one who played most games."""
    names = Counter(
        review.names[seat]
        for review in reviews
        for seat in {each.seat for each in review.decisions}
    )
    return [name for name, _ in names.most_common()]


def level_near(rating: Sequence[int] | None) -> int:
    """Return the level whose rating is nearest to a player's rating.

    Without a rating, this is level 1.
    """
    if rating is None:
        return 1
    if rating[0] >= MOST_ELO:
        return TOP_LEVEL
    distances = [abs(rating[0] - each) for each in LEVEL_RATINGS]
    return 1 + distances.index(min(distances))


def profile_message(reviews: Sequence[KeptReview], player: str, missing: int) -> dict[str, Any]:
    """Return the `profile` message for a player.

    If there is no such player, the message is for whoever has played the most games. `missing` is
    the number of finished games without a review.
    """
    players = players_of(reviews)
    player = player if player in players else next(iter(players), "")
    played = PlayedGames(player, reviews)
    rating = played.rating.settled()
    return {
        "type": "profile",
        "player": player,
        "players": players,
        "games": len(played.games),
        "missing": missing,
        "recent": RECENT,
        "rated": played.rating.games,
        "rating": rating,
        "more": played.rating.more_games(),
        "seats": played.rating.seats,
        "ends": [LEAST_ELO, MOST_ELO],
        "level": level_near(rating),
        "levels": list(LEVEL_RATINGS),
        "curve": played.curve(),
        "kinds": played.kinds(),
        "thirds": played.thirds(),
        "results": played.results(),
        "luck": played.luck(),
        "offered": played.level(),
        "mistakes": len(played.mistakes()),
    }
