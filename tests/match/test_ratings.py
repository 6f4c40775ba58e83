"""Worths and ratings, against published estimates, and where the data are awkward."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import exp, inf, log

import numpy as np
import pytest

from masons.match.statistics.engine_scores import GameResult
from masons.match.statistics.ratings import (
    Ranking,
    choices,
    connections,
    count_choices,
    covariance,
    fit,
    rate,
)
from tests.support.paths import DATA

FAINT = 1e-8  # a prior that changes no digit of the published numbers


def worths(
    rankings: Sequence[Ranking], players: int, *, prior: float, counts: Sequence[float] = ()
) -> list[float]:
    """The log worths, then the logs of how common ties are."""
    weights = np.array([counts or [1] * len(rankings)], dtype=np.float64)
    (at,) = fit(count_choices(rankings, players, prior), weights)
    if prior == FAINT:  # which says nothing of the mean
        at[:players] -= at[:players].mean()
    return [float(value) for value in at]


# Published numbers.

# A. Agresti, Categorical Data Analysis (2002), page 438: the American League's eastern division in
# 1987. Home team, away team, home wins, away wins.
TEAMS = ["Baltimore", "Boston", "Cleveland", "Detroit", "Milwaukee", "New York", "Toronto"]
BASEBALL = """
Milwaukee:  Detroit 4-3, Toronto 4-2, New York 4-3, Boston 6-1, Cleveland 4-2, Baltimore 6-0
Detroit:    Milwaukee 3-3, Toronto 4-2, New York 4-3, Boston 6-0, Cleveland 6-1, Baltimore 4-3
Toronto:    Milwaukee 2-5, Detroit 4-3, New York 2-4, Boston 4-3, Cleveland 4-2, Baltimore 6-0
New York:   Milwaukee 3-3, Detroit 5-1, Toronto 2-5, Boston 4-3, Cleveland 4-2, Baltimore 6-1
Boston:     Milwaukee 5-1, Detroit 2-5, Toronto 3-3, New York 4-2, Cleveland 5-2, Baltimore 6-0
Cleveland:  Milwaukee 2-5, Detroit 3-3, Toronto 3-4, New York 4-3, Boston 4-2, Baltimore 2-4
Baltimore:  Milwaukee 2-5, Detroit 1-5, Toronto 1-6, New York 2-4, Boston 1-6, Cleveland 3-4
"""


def test_bradley_terry_baseball() -> None:
    """His table 10.11, to the three decimals that glm gives, relative to Baltimore."""
    rankings, counts = [], []
    for line in BASEBALL.strip().splitlines():
        home, away_games = line.split(":")
        for entry in away_games.split(","):
            away, score = entry.strip().rsplit(" ", 1)
            pair = TEAMS.index(home), TEAMS.index(away)
            for order, wins in zip((pair, pair[::-1]), score.split("-"), strict=True):
                rankings.append([[order[0]], [order[1]]])
                counts.append(float(wins))
    logs = worths(rankings, 7, prior=FAINT, counts=counts)
    relative = [value - logs[0] for value in logs]
    assert sum(counts) == 273
    assert relative == pytest.approx(
        [0, 1.1077, 0.6839, 1.4364, 1.5814, 1.2476, 1.2945], abs=0.0001
    )


# R. R. Davidson, On extending the Bradley-Terry model to accommodate ties (1970): brands i and j of
# pudding, how often i, j and neither was preferred.
PUDDING = [
    (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13),
    (2, 4, 23, 19, 9), (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12),
    (3, 5, 16, 15, 17), (4, 5, 17, 14, 16), (1, 6, 18, 21, 12), (2, 6, 22, 20, 12),
    (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
]  # fmt: skip


def test_davidson_pudding() -> None:
    """The estimates of the PlackettLuce package's introduction, which stop where Davidson did.

    That is, after seven steps of an algorithm that had not converged: the likeliest worths are less
    than 3e-5 away.
    """
    rankings: list[Ranking] = []
    counts: list[float] = []
    for i, j, wins, losses, ties in PUDDING:
        rankings += [[[i - 1], [j - 1]], [[j - 1], [i - 1]], [[i - 1, j - 1]]]
        counts += [wins, losses, ties]
    *brands, tie = worths(rankings, 6, prior=FAINT, counts=counts)
    total = sum(map(exp, brands))
    logs = [exp(brand) / total for brand in brands], exp(tie)
    published = [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855], 0.7468147
    assert logs[0] == pytest.approx(published[0], abs=3e-5)
    assert logs[1] == pytest.approx(published[1], abs=3e-5)


FRUITS: list[Ranking] = [
    [[0], [1]],
    [[1], [2], [0]],
    [[1, 2], [0]],
    [[0], [1], [2]],
    [[1, 2], [0]],
    [[0], [2]],
]


def test_ties_and_prior() -> None:
    """The PlackettLuce package's test of its default prior, with ties: _snaps/S3-methods.md."""
    logs = worths(FRUITS, 3, prior=0.5)
    relative = [value - logs[0] for value in logs[:3]]
    assert relative == pytest.approx([0, 0.2867987, -0.4636687], abs=1e-6)
    assert logs[3] == pytest.approx(-1.0701129, abs=2e-6)
    spread = covariance(count_choices(FRUITS, 3), np.array(logs))
    # Its standard errors leave out the prior's games; with them less is unknown.
    assert 0 < spread[3, 3] ** 0.5 < 0.9043


def test_nascar() -> None:
    """Hunter's 36 races of 43 drivers, his best and worst by average place, relative to driver 1.

    As in the PlackettLuce package's introduction, with its prior. The last four were always last.
    """
    races = [
        [[int(number) - 1] for number in line.split()]
        for line in (DATA / "nascar2002.txt").read_text().splitlines()
        if not line.startswith("#")
    ]
    assert len(races) == 36
    logs = worths(races, 87, prior=0.5)
    expected = {58: 3.20, 68: 2.77, 51: 1.91, 15: 0.02, 17: -0.38, 40: -0.12,
                84: -2.17, 85: -1.74, 86: -1.59, 87: -1.77}  # fmt: skip
    for driver, worth in expected.items():
        assert logs[driver - 1] - logs[0] == pytest.approx(worth, abs=0.0051)


# The model itself.


def test_choices() -> None:
    assert choices([[2], [0, 1], [2]]) == [
        ((2,), (0, 1, 2, 2)),
        ((0, 1), (0, 1, 2)),
    ]


def test_two_seats_of_one_player_win_twice_as_often() -> None:
    """Equal worths: A A B, where A is first in two games of three and last in two of three."""
    logs = worths([[[0], [0], [1]], [[0], [1], [0]], [[1], [0], [0]]], 2, prior=FAINT)
    assert logs == pytest.approx([0, 0], abs=1e-9)


# Ratings of a match.


def game(number: int, engines: tuple[int, ...], scores: Sequence[int], size: int) -> GameResult:
    return GameResult(number // size, number, engines, tuple(scores), (0,) * len(engines))


def pairs(
    engines: Sequence[tuple[int, int]], scores: Sequence[tuple[int, int]]
) -> list[list[GameResult]]:
    """Blocks of one game each."""
    both = enumerate(zip(engines, scores, strict=True))
    return [[game(number, seats, points, 1)] for number, (seats, points) in both]


def simulated(
    rng: random.Random, strengths: Sequence[float], blocks: int
) -> list[list[GameResult]]:
    """Blocks of three games between three engines, that go round the seats, by Gumbel's noise."""
    logs = []
    for block in range(blocks):
        games = []
        for turn in range(3):
            engines = tuple((seat + turn) % 3 for seat in range(3))
            scores = [strengths[e] - log(-log(rng.random())) for e in engines]
            games.append(game(3 * block + turn, engines, [int(1e6 * s) for s in scores], 3))
        logs.append(games)
    return logs


def test_ratings_find_the_strengths() -> None:
    """Scores with Gumbel's noise are ranked by exactly this model."""
    strengths = [0.0, 0.5, 1.3]
    table = rate(simulated(random.Random(2), strengths, 400), 3)
    mean = sum(strengths) / 3
    for rating, strength in zip(table.ratings, strengths, strict=True):
        assert rating.low < (strength - mean) * 400 / log(10) < rating.high
        assert rating.low < rating.mean < rating.high < rating.low + 60
    assert sum(rating.mean for rating in table.ratings) == pytest.approx(0, abs=1e-6)
    assert table.groups == table.levels == ((0, 1, 2),)


@pytest.mark.slow
def test_intervals_hold_about_as_often_as_they_say() -> None:
    rng, held = random.Random(11), 0
    true = (1.0 - 0.5) * 400 / log(10)
    for _ in range(60):
        best = rate(simulated(rng, [0, 0.5, 1.0], 40), 3, resamples=200).ratings[2]
        held += best.low <= true <= best.high
    assert held >= 60 * 0.95 - 5


def test_one_that_always_wins() -> None:
    """Finite, by the prior; the interval is wide though every sample is the same."""
    table = rate(pairs([(0, 1)] * 20, [(9, 3)] * 20), 2)
    best, worst = table.ratings
    assert best.mean == pytest.approx(-worst.mean)
    assert 300 < best.mean < 1000
    assert best.low < best.mean - 100 < best.mean + 100 < best.high
    assert (table.groups, table.levels) == (((0, 1),), ((0,), (1,)))


@pytest.mark.slow
def test_groups_that_never_met() -> None:
    games = pairs([(0, 1), (0, 1), (2, 3), (2, 3)], [(2, 1), (1, 2), (5, 1), (1, 1)])
    table = rate(games, 5)
    assert table.groups == ((0, 1), (2, 3), (4,))
    assert table.levels == table.groups
    for group in table.groups:
        assert sum(table.ratings[e].mean for e in group) == pytest.approx(0, abs=1e-6)
    assert table.ratings[2].mean > 10
    assert table.ratings[4].mean == pytest.approx(0)


def test_connections_by_way_of_others() -> None:
    chain = [[[0], [1]], [[1], [2]], [[3], [2]]]
    assert connections(chain, 4) == (((0, 1, 2, 3),), ((0,), (1,), (2,), (3,)))
    assert connections([*chain, [[2], [0]]], 4)[1] == ((0, 1, 2), (3,))
    assert connections([[[0, 1], [2]]], 3)[1] == ((0, 1), (2,))


def test_one_block_bounds_nothing() -> None:
    (block, other) = pairs([(0, 1), (1, 0)], [(2, 1), (2, 1)])
    (rating, _) = rate([[*block, *other]], 2).ratings
    assert (rating.low, rating.high) == (-inf, inf)
    with pytest.raises(ValueError, match="block"):
        rate([], 2)
