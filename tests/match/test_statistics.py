"""Statistics of a match: means and intervals, variance saved, luck, the sequential test."""

from __future__ import annotations

import json
import random
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import exp, inf, isinf, log, sqrt
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from masons.engine.board.components import CARDS
from masons.engine.errors import MasonsError
from masons.match.match_summary import EngineLine, engine_line, kind_values
from masons.match.running.match_file import GameOutcome, SeatChance
from masons.match.statistics.engine_scores import pair_score, pair_scores, pair_values
from masons.match.statistics.estimates import (
    Estimate,
    elo_estimate,
    elo_of,
    estimate,
    score_of,
    t_quantile,
)
from masons.match.statistics.luck_adjusted import (
    adjusted,
    adjusted_values,
    pair_variance_cut,
    variance_cut,
)
from masons.match.statistics.sprt import SprtBounds, adjusted_sprt, sprt
from tests.support.commands import called, told

T = TypeVar("T")


NO_PLAYS = np.zeros((2, len(CARDS)), dtype=np.int32)


def cards(**counts: int) -> bytes:
    """So many of each kind, `_` for `-`."""
    return bytes(counts.get(kind.replace("-", "_"), 0) for kind in CARDS)


def some(value: T | None) -> T:
    """Return what is there."""
    assert value is not None
    return value


def game(
    number: int,
    engines: Sequence[int],
    scores: Sequence[int],
    *,
    block: int = 0,
    hands: Sequence[int] = (),
    forfeits: Sequence[int] = (),
    chance: Sequence[SeatChance] = (),
) -> GameOutcome:
    sizes = tuple(hands) or (0,) * len(engines)
    return GameOutcome(
        block, number, tuple(engines), tuple(scores), sizes, frozenset(forfeits),
        names=(), settings="", seed=0, faults=(), seconds=(), slowest=(), plays=NO_PLAYS,
        replaced=(0,) * len(engines), decisions=(0,) * len(engines),
        late=(0,) * len(engines), latest=(0.0,) * len(engines),
        chance=tuple(chance) or (SeatChance(cards(), 0, 0),) * len(engines),
    )  # fmt: skip


def pairs(first: Sequence[int], second: Sequence[int], count: int) -> list[list[GameOutcome]]:
    """Blocks of two games between 0 and 1 in turned seats, all with the same scores by seat."""
    return [
        [game(2 * b, (0, 1), first, block=b), game(2 * b + 1, (1, 0), second, block=b)]
        for b in range(count)
    ]


# Places.


@pytest.mark.parametrize(
    ("scores", "hands", "forfeits", "places", "shares"),
    [
        ([30, 20], [6, 6], [], (1, 2), (1, 0)),
        ([30, 30], [5, 6], [], (2, 1), (0, 1)),
        ([30, 30], [6, 6], [], (1, 1), (0.5, 0.5)),
        ([30, 20], [6, 6], [0], (2, 1), (0, 1)),
        ([10, 30, 30, 20], [6, 4, 4, 6], [], (4, 1, 1, 3), (0, 0.5, 0.5, 0)),
        ([40, 10, 30, 20], [6, 6, 6, 6], [0, 3], (3, 2, 1, 3), (0, 0, 1, 0)),
        ([7, 7, 7], [6, 6, 6], [], (1, 1, 1), (1 / 3, 1 / 3, 1 / 3)),
        ([0, 9], [0, 0], [0, 1], (1, 1), (0.5, 0.5)),
    ],
)
def test_places(
    scores: list[int],
    hands: list[int],
    forfeits: list[int],
    places: tuple[int, ...],
    shares: tuple[float, ...],
) -> None:
    result = game(0, range(len(scores)), scores, hands=hands, forfeits=forfeits)
    assert result.places == places
    assert result.first_shares == pytest.approx(shares)


def test_ranking() -> None:
    assert game(0, (2, 0, 1, 0), (5, 9, 5, 1)).ranking == ((0,), (1, 2), (0,))
    with pytest.raises(ValueError, match="each seat"):
        game(0, (0, 1), (3,))
    with pytest.raises(ValueError, match="forfeits"):
        game(0, (0, 1), (3, 4), forfeits=[2])


# Student's t.


# The usual table, two-sided 95% and 99%: Abramowitz and Stegun, table 26.10.
@pytest.mark.parametrize(
    ("df", "at_975", "at_995"),
    [
        (1, 12.706, 63.657), (2, 4.303, 9.925), (3, 3.182, 5.841), (4, 2.776, 4.604),
        (5, 2.571, 4.032), (6, 2.447, 3.707), (10, 2.228, 3.169), (15, 2.131, 2.947),
        (30, 2.042, 2.750), (60, 2.000, 2.660), (120, 1.980, 2.617), (10**9, 1.960, 2.576),
    ],
)  # fmt: skip
def test_the_table_of_t(df: int, at_975: float, at_995: float) -> None:
    assert t_quantile(0.975, df) == pytest.approx(at_975, abs=0.0005)
    assert t_quantile(0.995, df) == pytest.approx(at_995, abs=0.0006)
    assert t_quantile(0.025, df) == -t_quantile(0.975, df)


# Estimates.

# "Student", The probable error of a mean (1908): additional hours of sleep by two drugs.
FIRST = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def test_students_sleep() -> None:
    """The interval that R's t.test(paired = TRUE) prints for its data set `sleep`."""
    result = estimate([b - a for a, b in zip(FIRST, SECOND, strict=True)])
    assert result.mean == pytest.approx(1.58)
    assert (result.low, result.high) == pytest.approx((0.7001142, 2.4598858), abs=1e-7)


def test_values_that_are_all_alike() -> None:
    """20 of 20: the exact binomial interval of Clopper and Pearson begins at 0.8316."""
    won = estimate([1.0] * 20, (0, 1))
    assert (won.low, won.high) == (pytest.approx(0.8316, abs=5e-5), 1.0)
    even = estimate([0.5] * 20, (0, 1))
    assert (even.low, even.high) == pytest.approx((0.5 * 0.83157, 1 - 0.5 * 0.83157), abs=1e-5)
    assert estimate([1.0], (0, 1)).low == pytest.approx(0.025)
    assert (estimate([3.0]).low, estimate([3.0]).high) == (-inf, inf)
    bounded = estimate([1, 1, 1, 0.5], (0, 1))
    assert (bounded.mean, bounded.high) == (0.875, 1)
    with pytest.raises(ValueError, match="block"):
        estimate([])


# Engines and pairs.


def match_of_two() -> list[list[GameOutcome]]:
    """Three blocks: A wins both; one each; A wins and shares."""
    return [
        [game(0, (0, 1), (30, 20)), game(1, (1, 0), (10, 24))],
        [game(2, (0, 1), (30, 20), block=1), game(3, (1, 0), (22, 20), block=1)],
        [game(4, (0, 1), (31, 20), block=2), game(5, (1, 0), (25, 25), block=2)],
    ]


def line_of(blocks: Sequence[Sequence[GameOutcome]], engine: int) -> EngineLine:
    return engine_line(blocks, engine, kind_values(NO_PLAYS))


def test_a_line_of_the_table() -> None:
    line = line_of(match_of_two(), 0)
    assert (line.games, line.forfeits) == (6, 0)
    assert line.first.mean == pytest.approx((1 + 0.5 + 0.75) / 3)
    assert line.score.mean == pytest.approx((27 + 25 + 28) / 3)
    assert line.margin.mean == pytest.approx((12 + 4 + 5.5) / 3)
    assert line.place.mean == pytest.approx((1 + 1.5 + 1) / 3)
    other = line_of(match_of_two(), 1)
    assert line.first.mean + other.first.mean == pytest.approx(1)
    assert line.margin.mean == pytest.approx(-other.margin.mean)


def test_the_interval_is_over_blocks() -> None:
    """Blocks of two games that mirror each other have no spread, however games differ."""
    first = line_of(pairs((30, 20), (30, 20), 30), 0).first
    assert first.mean == 0.5
    assert first.high - first.low < 0.13


def test_an_engine_in_several_seats() -> None:
    block = [game(0, (0, 1, 1), (10, 30, 20), forfeits=[2])]
    line = line_of([block], 1)
    assert (line.games, line.forfeits) == (2, 1)
    assert line.first.mean == pytest.approx(0.5)
    assert line.margin.mean == pytest.approx(((30 - 15) + (20 - 20)) / 2)
    assert line.place.mean == pytest.approx(2)
    assert (line.place.low, line.place.high) == (pytest.approx(1.025), pytest.approx(2.975))
    with pytest.raises(ValueError, match="block"):
        line_of([block], 7)


def test_pairs_of_seats() -> None:
    result = game(0, (0, 1, 1, 2), (20, 30, 20, 5))
    assert pair_scores(result, 0, 1) == [0, 0.5]
    assert pair_scores(result, 1, 0) == [1, 0.5]
    assert pair_scores(result, 1, 2) == [1, 1]
    assert pair_values([[result], [game(1, (1, 2), (4, 5))]], 0, 1) == (0.25,)


def test_a_pair() -> None:
    assert pair_values(match_of_two(), 0, 1) == (1.0, 0.5, 0.75)
    score = some(pair_score(match_of_two(), 0, 1))
    assert score.mean == 0.75
    elo = elo_estimate(score)
    assert elo.mean == pytest.approx(190.848502)
    assert elo.low < elo.mean < elo.high
    assert isinf(elo.high)
    mirrored = elo_estimate(some(pair_score(match_of_two(), 1, 0)))
    assert (mirrored.mean, mirrored.low) == (pytest.approx(-elo.mean), -inf)
    assert mirrored.high == pytest.approx(-elo.low)
    assert pair_score(match_of_two(), 0, 2) is None
    assert elo_estimate(Estimate(0.5, -0.1, 1.1)) == Estimate(0, -inf, inf)


# What pairing saves.


def ratios(rows: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Both ratios by their definitions."""
    means = statistics.variance([statistics.fmean(row) for row in rows])
    same = statistics.fmean(map(statistics.variance, zip(*rows, strict=True)))
    every = statistics.variance([value for row in rows for value in row])
    return means / (same / len(rows[0])), means / (every / len(rows[0]))


def test_ratios_and_their_errors_are_as_defined() -> None:
    """Games whose luck turns with the seats, with a bonus of the first seat and noise."""
    rng = random.Random(1)
    rows = []
    for _ in range(7):
        common = rng.gauss(0, 1) + 2
        rows.append([common + rng.gauss(0, 1), -common + rng.gauss(0, 1)])
    blocks = pairs((0, 0), (0, 0), 7)
    cut = some(variance_cut(blocks, lambda item: rows[item.block][item.number % 2]))
    cuts = some(cut.same_seatings), some(cut.any_seatings)
    assert tuple(ratio.value for ratio in cuts) == pytest.approx(ratios(rows))
    left_out = [ratios([*rows[:i], *rows[i + 1 :]]) for i in range(7)]
    for result, values in zip(cuts, zip(*left_out, strict=True), strict=True):
        expected = sqrt(6 / 7 * sum((v - statistics.fmean(values)) ** 2 for v in values))
        assert result.error == pytest.approx(expected)


def test_lineups_are_compared_within_themselves() -> None:
    """Pairs of different strength: what differs between line-ups is not luck."""
    rng = random.Random(6)
    blocks, values = [], {}
    for b in range(600):
        pair = ((0, 1), (0, 2), (1, 2))[b % 3]
        common = rng.gauss(0, 2)
        blocks.append([game(2 * b, pair, (0, 0)), game(2 * b + 1, pair[::-1], (0, 0))])
        for g in range(2):
            values[2 * b + g] = 50 * (b % 3) + (common, -common)[g] + rng.gauss(0, 1)
    cut = some(variance_cut(blocks, lambda item: values[item.number]))
    every = some(cut.any_seatings)
    assert abs(every.value - 0.2) < 3 * every.error
    assert every.error < 0.017  # it would be greater without one of the three line-ups


def test_cuts_that_cannot_be_told() -> None:
    assert pair_variance_cut(match_of_two()[:2], 0, 1) is None
    cut = some(pair_variance_cut(pairs((2, 1), (1, 2), 5), 0, 1))  # engine 0 always wins
    assert (cut.same_seatings, cut.any_seatings) == (None, None)
    cut = some(pair_variance_cut(pairs((2, 1), (2, 1), 5), 0, 1))  # the first seat always wins
    assert cut.same_seatings is None
    assert some(cut.any_seatings).value == 0


# Luck.


def test_the_value_of_a_kind() -> None:
    plays = NO_PLAYS.copy()
    assert kind_values(plays) == [0.0] * len(CARDS)
    plays[:, CARDS.index("cities")] = 4, 12
    plays[:, CARDS.index("land-red")] = 1, 8
    values = dict(zip(CARDS, kind_values(plays), strict=True))
    assert (values["cities"], values["land-red"], values["city-red"]) == (3.0, 8.0, 4.0)


def test_the_luck_of_engines() -> None:
    plays = np.array([[*cards(cities=2, land_red=1)], [*cards(cities=6, land_red=6)]])
    none = SeatChance(cards(), rolls=0, jokers=0)
    chances = [
        (SeatChance(cards(cities=4, land_red=2), rolls=10, jokers=2), none),
        (SeatChance(cards(land_red=2), rolls=30, jokers=6), none),
        (SeatChance(cards(cities=2), rolls=10, jokers=5), none),
    ]
    games = [game(n, (0, 1), (0, 0), chance=chance) for n, chance in enumerate(chances)]
    first, second = (engine_line([games[:2], games[2:]], e, kind_values(plays)) for e in (0, 1))
    assert (first.games, second.games) == (3, 3)
    assert first.rolls.mean == pytest.approx((20 + 10) / 2)
    assert some(first.jokers).mean == pytest.approx((0.2 + 0.5) / 2)
    assert first.cards.mean == pytest.approx((4 + 2) / 2)
    assert first.hand_value.mean == pytest.approx((18 + 6) / 2)
    assert some(first.card_value).mean == pytest.approx((4.5 + 3) / 2)
    assert first.hand_value.low == 0 < first.hand_value.high
    assert (second.jokers, second.card_value) == (None, None)
    assert second.hand_value.mean == 0


# The sequential test.

PENTANOMIAL = (0.0, 0.25, 0.5, 0.75, 1.0)
TRINOMIAL = (0.0, 0.5, 1.0)


def values_of(counts: Sequence[int]) -> list[float]:
    """The values of blocks that were counted by kind, from the worst."""
    kinds = {3: TRINOMIAL, 5: PENTANOMIAL}[len(counts)]
    return [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]


# fastchess, app/tests/sprt_test.cpp, the logistic tests: two decimals.
@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        ([223, 9863, 20279 + 1000, 10037, 246], 0.5, 2.5, -3.07),
        ([21184, 40708, 21404], 0.5, 2.5, -1.57),
    ],
)
def test_fastchess(counts: list[int], elo0: float, elo1: float, llr: float) -> None:
    assert sprt(values_of(counts), SprtBounds(elo0, elo1)).llr == pytest.approx(llr, abs=0.005)


# LLR_logistic of fishtest, server/fishtest/stats/LLRcalc.py; the first two on the data that its
# stat_util.py tries itself with. Where a kind did not occur, fishtest counts it as 0.001; here only
# 0 and 1 are so counted, which is why the kinds between them all occur.
@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        ([10789, 19328, 33806, 19402, 10543], -3, 1, 2.1310678117940807),
        ([39, 2226, 31451, 2412, 40], 0.2, 0.9, 2.1625425800483593),
        ([3, 10, 20, 12, 0], 0, 5, -0.18807080345449173),
        ([1, 4, 9, 11, 3], 0, 60, 1.939234988522787),
    ],
)
def test_fishtest(counts: list[int], elo0: float, elo1: float, llr: float) -> None:
    assert sprt(values_of(counts), SprtBounds(elo0, elo1)).llr == pytest.approx(llr, rel=1e-6)


def test_elo_and_score() -> None:
    assert score_of(400) == pytest.approx(10 / 11)
    assert elo_of(0.75) == pytest.approx(190.848502)
    assert elo_of(score_of(-123.4)) == pytest.approx(-123.4)
    assert (elo_of(0), elo_of(1)) == (-inf, inf)


@pytest.mark.parametrize(("beyond", "accepted"), [(-1e-9, None), (0.0, "edge"), (1e-9, "edge")])
def test_a_hypothesis_is_accepted_at_its_bound(beyond: float, accepted: str | None) -> None:
    bounds = SprtBounds(0, 10, alpha=0.01, beta=0.1)
    lower, upper = bounds.verdict().lower, bounds.verdict().upper
    assert bounds.verdict(lower - beyond).accepted == (accepted and "H0")
    assert bounds.verdict(upper + beyond).accepted == (accepted and "H1")


def test_bounds() -> None:
    verdict = sprt([], SprtBounds(0, 10))
    assert (verdict.llr, verdict.accepted) == (0.0, None)
    assert verdict.upper == pytest.approx(log(19))
    assert verdict.lower == pytest.approx(-log(19))
    uneven = sprt([], SprtBounds(0, 10, alpha=0.01, beta=0.1))
    assert uneven.upper == pytest.approx(log(90))
    assert uneven.lower == pytest.approx(log(0.1 / 0.99))


@pytest.mark.parametrize("value", [0.0, 0.25, 0.5, 1.0])
def test_blocks_all_alike(value: float) -> None:
    """Nothing was seen but one value; 0 and 1 stay possible, so the ratio stays finite."""
    verdict = sprt([value] * 40, SprtBounds(0, 100))
    assert abs(verdict.llr) < 1000
    assert (verdict.llr > 0) == (value > 0.6)
    if value == 1:
        assert verdict.llr == pytest.approx(40 * log(score_of(100) / score_of(0)), abs=0.02)


@pytest.mark.parametrize(
    "bounds",
    [(5, 5), (5, 0), (0, float("nan")), (0, inf), (0, 2001), (0, 5, 0, 0.05), (0, 5, 0.05, 1),
     (0, 5, 0.5, 0.5)],
)  # fmt: skip
def test_bounds_that_make_no_test(bounds: tuple[float, ...]) -> None:
    with pytest.raises(MasonsError):
        SprtBounds(*bounds)


def tilted(chances: Sequence[float], mean: float) -> list[float]:
    """The distribution nearest to `chances` over the five kinds that has a mean."""
    low, high = -50.0, 50.0
    for _ in range(100):
        tilt = (low + high) / 2
        weights = [p * exp(tilt * kind) for p, kind in zip(chances, PENTANOMIAL, strict=True)]
        total = sum(weights)
        mean_now = sum(w * kind for w, kind in zip(weights, PENTANOMIAL, strict=True)) / total
        low, high = (tilt, high) if mean_now < mean else (low, tilt)
    return [w / total for w in weights]


@pytest.mark.slow
@pytest.mark.parametrize("truth", [0, 60])
def test_error_rates(truth: float) -> None:
    """300 tests of two engines of equal strength, and of two that are 60 Elo apart."""
    chances = tilted([0.1, 0.2, 0.4, 0.2, 0.1], score_of(truth))
    rng, accepted = random.Random(7), []
    for _ in range(300):
        counts: Counter[float] = Counter()
        for value in rng.choices(PENTANOMIAL, chances, k=1500):
            counts[value] += 1
            if verdict := sprt(counts, SprtBounds(0, 60)).accepted:
                accepted.append(verdict)
                break
    assert len(accepted) == 300
    # 5% of 300, give or take two standard errors.
    assert 15 - 8 <= accepted.count("H1" if truth == 0 else "H0") <= 15 + 8


# Results without luck.


def lucky_blocks(count: int, edge: float, seed: int) -> list[list[GameOutcome]]:
    """Games that luck decides, and skill of engine 0 by `edge` more."""
    rng = random.Random(seed)
    blocks: list[list[GameOutcome]] = [[] for _ in range(count)]
    for number in range(2 * count):
        luck = rng.choice((-0.4, 0.4))
        scores, lucks = [10 + (rng.random() < 0.5 + luck + edge), 10.5], [luck, -luck]
        step = -1 if number % 2 else 1  # turned seats
        result = game(number, (0, 1)[::step], [int(2 * score) for score in scores[::step]])
        blocks[number // 2].append(replace(result, luck=tuple(lucks[::step])))
    return blocks


def test_the_mean_stays_and_the_interval_narrows() -> None:
    blocks = lucky_blocks(400, 0.05, 1)
    result, lines = some(adjusted(blocks, (0, 1))), [line_of(blocks, engine) for engine in (0, 1)]
    score, games, by_luck = some(result.score), some(result.games), some(result.by_luck)
    assert score.low < 0.55 < score.high
    luck = some(lines[0].luck)
    assert luck.low < 0 < luck.high
    assert 0.2 < games.value < 0.6
    assert games.error < 0.15
    assert some(result.independent).value == pytest.approx(games.value, rel=0.2)
    # Luck differs from game to game here: blocks save nothing, and luck as much with them.
    assert some(result.by_blocks).value == pytest.approx(1, abs=0.2)
    assert by_luck.value == pytest.approx(games.value, rel=0.2)
    assert by_luck.error < 0.1
    assert result.correlation > 0.6
    assert sum(some(line.without_luck).mean for line in lines) == pytest.approx(1)


def test_of_nothing_and_of_little() -> None:
    assert adjusted([], (0, 1)) is None
    assert some(adjusted(lucky_blocks(2, 0, 1), (0, 1))).games is None
    for values in ([1.0, 0.9, 1.1], [1.0] * 50):
        assert adjusted_sprt(values, SprtBounds(0, 10)).accepted is None


@pytest.mark.slow
@pytest.mark.parametrize(("edge", "wanted"), [(0.0, "H0"), (0.11, "H1")])
def test_the_sequential_test(edge: float, wanted: str) -> None:
    """Elo 0 against 80 (a score of 0.613): wrong in a twentieth of the cases, or less."""
    wrong = 0
    for seed in range(30):
        values = adjusted_values(lucky_blocks(600, edge, seed), 0)
        ends = (adjusted_sprt(values[:n], SprtBounds(0, 80)) for n in range(16, len(values) + 1, 4))
        verdict = next((v for v in ends if v.accepted), None)
        wrong += verdict is None or verdict.accepted != wanted
    assert wrong <= 5


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    words = ("match", "policy", "greedy", "--games", "4", "--seed", "3")
    file = ("--out", str(tmp_path / "match.jsonl"))
    told(*words, *file)
    # What was played without is weighed afterwards, and says the same as weighed at once.
    later = json.loads(told(*words, *file, "--resume", "--luck", "--json"))["adjusted"]
    at_once = json.loads(told(*words, "--luck", "--json"))["adjusted"]
    assert later == at_once
    assert [line["name"] for line in later["engines"]] == ["policy", "greedy"]
    assert "without luck" in told(*words, *file, "--resume", "--luck")
    assert called(*words, "--players", "3", "--luck", "--sprt", "0,9")[0] == 2
