"""The difference of two moves, split by where it comes from, in points and win probability.

Both are played on in the same deals with the same luck. Points are those of the seat that decides
less the mean of the others'. Each part is measured as points; it counts for as much win probability
as points do in these games (least squares over their ends, own and others' points apart). What the
points of these games do not account for is the last part: so the parts sum up to the whole, which
is the difference that the analysis says.

| part     | what                                                                             |
| -------- | -------------------------------------------------------------------------------- |
| `now`    | own points from cards played in this turn                                        |
| `cities` | own points in the cities of the next turns, by whoever completes them            |
| `hand`   | own points later: what the hand still brings                                     |
| `others` | what the others gain, now and later                                              |
| `tempo`  | what is later gained because the game goes on longer, or ends sooner             |
| `rest`   | when the points come, and what the search sees beyond these games                |
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.explain.closed_cities import ClosedCity, closed_cities
from masons.ai.explain.held_cards import HeldCard, held_cards
from masons.ai.explain.paired_games import Continuations, error_of_mean
from masons.ai.search.known_error import NORMAL, PLAYED_ON, loss_error, margin_error
from masons.ai.search.results import UNKNOWN_POINTS, UNKNOWN_WIN, Analysis
from masons.engine.formats.move_text import Move
from masons.engine.plain_words import rounded

Numbers = NDArray[np.float64]

PARTS: Final = ("now", "cities", "hand", "others", "tempo", "rest")
_RIDGE: Final = 1e-6


@dataclass(frozen=True)
class Part:
    """One part: points and win probability with their half intervals (95 %)."""

    name: str
    points: float
    points_interval: float
    win: float
    win_interval: float


@dataclass(frozen=True)
class Side:
    """What was counted after one of the moves, on average over the games."""

    now: float  # own points in this turn
    others_now: tuple[float, ...]  # of each seat, its own 0
    cities: float  # own points in the cities of the next turns
    others: tuple[float, ...]  # what each seat gains in all, its own 0
    own_city: float  # the share of games in which the seat completes a city in the next turns
    other_city: float  # the same of the others
    answer: float  # and of the very next turn
    left: float  # the share of the game that is left after the next turns
    ended: float  # the share of games that ended in them
    kept: float  # own points after them
    cities_closed: tuple[ClosedCity, ...]  # in this turn and the next ones, the likeliest first


@dataclass(frozen=True)
class Difference:
    """What a move has over another one."""

    move: Move
    other: Move
    seat: int
    deals: int
    turns: int
    win: float
    win_interval: float
    points: float
    points_interval: float
    parts: tuple[Part, ...]  # by PARTS
    here: Side
    there: Side
    cards: tuple[HeldCard, ...]  # that both moves keep, those that differ most first

    def to_data(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        figures = ("win", "win_interval", "points", "points_interval")
        return {
            "move": str(self.move),
            "against": str(self.other),
            "deals": self.deals,
            "turns": self.turns,
            **{name: rounded(getattr(self, name)) for name in figures},
            "parts": [
                {"part": part.name, **{name: rounded(getattr(part, name)) for name in figures}}
                for part in self.parts
            ],
            "cards": [card.to_data() for card in self.cards],
            "after": _plain(self.here),
            "after_other": _plain(self.there),
        }


def _plain(side: Side) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, value in vars(side).items():
        if name == "cities_closed":
            data[name] = [city.to_data() for city in value]
        elif isinstance(value, tuple):
            data[name] = [rounded(number, 4) for number in value]
        else:
            data[name] = rounded(value, 4)
    return data


@dataclass(frozen=True)
class _Points:
    """Points in each game after one move: [deals]; of the others the mean of them."""

    now: Numbers
    cities: Numbers
    later: Numbers
    others: Numbers  # now and in the next turns
    others_later: Numbers
    left: Numbers


def difference(
    analysis: Analysis, games: Continuations, move: Move, other: Move, turns: int
) -> Difference:
    """Split what a move has over another, both played on in `games` and searched in `analysis`."""
    here, there = games.moves.index(move), games.moves.index(other)
    a, b = _points_of(games, here), _points_of(games, there)
    point, point_others = _value_of_points(games, (here, there))
    pace, pace_others = _value_of_time(a, b)
    longer = a.left - b.left
    own = {"now": a.now - b.now, "cities": a.cities - b.cities}
    own["hand"] = a.later - b.later - pace * longer
    theirs = a.others - b.others + a.others_later - b.others_later - pace_others * longer
    points = {**own, "others": -theirs, "tempo": (pace - pace_others) * longer}
    wins = {name: point * found for name, found in own.items()}
    wins["others"] = -point_others * theirs
    wins["tempo"] = (point * pace - point_others * pace_others) * longer
    parts = [Part(name, *_mean(points[name], 1.0), *_mean(wins[name], 1e-4)) for name in PARTS[:-1]]
    whole = _whole(analysis, games, here, there)
    left = whole[0] - sum(part.points for part in parts), whole[2] - sum(part.win for part in parts)
    spread = [
        _mean(np.sum([*found.values()], axis=0), prior)[1]
        for found, prior in ((points, 1.0), (wins, 1e-4))
    ]
    rest = Part(
        PARTS[-1],
        left[0],
        math.hypot(whole[1], spread[0]),
        left[1],
        math.hypot(whole[3], spread[1]),
    )
    return Difference(
        move, other, games.seat, games.deals, turns, whole[2], whole[3], whole[0], whole[1],
        (*parts, rest), _side(games, here), _side(games, there), held_cards(games, here, there),
    )  # fmt: skip


def _whole(
    analysis: Analysis, games: Continuations, here: int, there: int
) -> tuple[float, float, float, float]:
    """Points and win probability with their intervals, as the analysis has them."""
    one, two = analysis.of(games.moves[here]), analysis.of(games.moves[there])
    best = analysis.moves[0]
    win, points = two.loss - one.loss, two.margin_loss - one.margin_loss
    for first, second in ((one, two), (two, one)):
        if first is best and second.loss_interval is not None:
            return points, second.margin_interval or 0.0, win, second.loss_interval
    apart = games.wins[:, here, games.seat] - games.wins[:, there, games.seat]
    margins = games.margins[:, here] - games.margins[:, there]
    chance = _mean(apart, UNKNOWN_WIN)[1] / NORMAL, _mean(margins, UNKNOWN_POINTS)[1] / NORMAL
    return (
        points,
        NORMAL * margin_error(points, chance[1], PLAYED_ON),
        win,
        NORMAL * loss_error(best.win, win, chance[0], PLAYED_ON),
    )


def _mean(values: Numbers, prior: float) -> tuple[float, float]:
    """A mean and its half interval, with one more value of the variance `prior`."""
    return float(values.mean()), NORMAL * error_of_mean(values, prior)


def _points_of(games: Continuations, number: int) -> _Points:
    gained, is_choice, turn, _ = (part[:, number] for part in games.points)
    seat, others = games.seat, [s for s in range(games.players) if s != games.seat]
    is_now = is_choice & (turn == games.turn)
    soon = is_choice & ~is_now
    after = gained * np.logical_not(is_choice)[..., None]
    later = games.scores[:, number] - games.has[:, number] + after.sum(axis=1)
    early = (gained * is_choice[..., None]).sum(axis=1)
    return _Points(
        now=(gained[..., seat] * is_now).sum(axis=1),
        cities=(gained[..., seat] * soon).sum(axis=1),
        later=later[:, seat],
        others=early[:, others].mean(axis=1),
        others_later=later[:, others].mean(axis=1),
        left=games.left[:, number],
    )


def _value_of_points(games: Continuations, numbers: tuple[int, int]) -> tuple[float, float]:
    """The win probability that a point counts for: an own one, one of each of the others."""
    seat = games.seat
    scores = games.scores[:, numbers].reshape(-1, games.players)
    wins = games.wins[:, numbers, seat].ravel()
    own = scores[:, seat]
    rest = (scores.sum(axis=1) - own) / (games.players - 1)
    columns = np.stack([own - own.mean(), rest - rest.mean()], axis=1)
    square = columns.T @ columns + _RIDGE * len(own) * np.eye(2)
    found = np.linalg.solve(square, columns.T @ (wins - wins.mean()))
    return max(float(found[0]), 0.0), min(float(found[1]), 0.0) * -1.0


def _value_of_time(a: _Points, b: _Points) -> tuple[float, float]:
    """The later points that the whole of a game brings: own, and of the others."""
    left = np.concatenate([a.left, b.left])
    spread = left - left.mean()
    total = float(spread @ spread)
    if total < _RIDGE * len(left):
        return 0.0, 0.0
    found = [
        float(spread @ np.concatenate(later)) / total
        for later in ((a.later, b.later), (a.others_later, b.others_later))
    ]
    return found[0], found[1]


def _side(games: Continuations, number: int) -> Side:
    gained, is_choice, turn, active = (part[:, number] for part in games.points)
    seat, own = games.seat, _points_of(games, number)
    is_now = is_choice & (turn == games.turn)
    scored = (gained.sum(axis=2) > 0) & is_choice & ~is_now
    all_gained = games.scores[:, number] - games.has[:, number] + gained.sum(axis=1)
    now = (gained * is_now[..., None]).sum(axis=1)
    seats = range(games.players)
    return Side(
        now=float(own.now.mean()),
        others_now=tuple(0.0 if s == seat else float(now[:, s].mean()) for s in seats),
        cities=float(own.cities.mean()),
        others=tuple(0.0 if s == seat else float(all_gained[:, s].mean()) for s in seats),
        own_city=float((scored & (active == seat)).any(axis=1).mean()),
        other_city=float((scored & (active != seat)).any(axis=1).mean()),
        answer=float((scored & (turn == games.turn + 1)).any(axis=1).mean()),
        left=float(own.left.mean()),
        ended=float(games.ended[:, number].mean()),
        kept=float(own.later.mean()),
        cities_closed=closed_cities(games, number),
    )
