"""What is left of the results when the luck of dice and cards is taken off.

From each share of the victory what deal, dice and cards gave its seat is subtracted
(`masons.ai.review.luck`). That luck is 0 on average for whoever plays, so the mean stays what it
was, and only its interval gets narrower (a control variate with the coefficient 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf, sqrt
from statistics import fmean
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.match.statistics.engine_scores import Block, GameResult, pair_scores
from masons.match.statistics.estimates import Estimate, elo_of, estimate

Numbers = NDArray[np.float64]

MIN_BLOCKS: Final = 3


@dataclass(frozen=True)
class Ratio:
    """A variance divided by another, and its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class VarianceCut:
    """The variance of block means, as a ratio to that of independent games; None: no variance."""

    blocks: int
    same_seatings: Ratio | None
    any_seatings: Ratio | None


def _variances(total: Numbers, squares: Numbers, count: int) -> Numbers:
    """Sample variances, from sums of values and of squares about any point."""
    return np.maximum(squares - total**2 / count, 0) / (count - 1)


def _spreads(values: Numbers) -> tuple[Numbers, Numbers]:
    """The variances of block means, games by seating, and all games; float64[3], float64[n, 3].

    Those of games are divided by the games of a block. First over all blocks, then without each of
    them. `values` is float64[n blocks, games].
    """
    n, games = values.shape
    centred = values - values.mean()
    means = centred.mean(axis=1, keepdims=True)
    whole, without = np.empty(3), np.empty((n, 3))
    for i, own in enumerate((means, centred)):
        total, squares = own.sum(axis=0), (own**2).sum(axis=0)
        scale = own.shape[1]
        whole[i] = _variances(total, squares, n).mean() / scale
        without[:, i] = _variances(total - own, squares - own**2, n - 1).mean(axis=1) / scale
    total, squares = centred.sum(axis=1), (centred**2).sum(axis=1)
    whole[2] = _variances(total.sum(), squares.sum(), n * games) / games
    left = _variances(total.sum() - total, squares.sum() - squares, (n - 1) * games)
    without[:, 2] = left / games
    return whole, without


def _pooled_ratio(spreads: Sequence[tuple[Numbers, Numbers]], column: int) -> Ratio | None:
    """Block means against a column of independent games, the line-ups weighted by their blocks."""
    weights = [len(without) - 1 for _, without in spreads]
    pooled = np.sum([w * whole for w, (whole, _) in zip(weights, spreads, strict=True)], axis=0)
    left_out = []
    for w, (whole, without) in zip(weights, spreads, strict=True):
        rest = pooled - w * whole
        left_out.append(rest + (w - 1) * without)
    all_left = np.concatenate(left_out)
    if pooled[column] <= 0 or (all_left[:, column] <= 0).any():
        return None
    ratios = all_left[:, 0] / all_left[:, column]
    n = len(ratios)
    error = sqrt((n - 1) / n * float(((ratios - ratios.mean()) ** 2).sum()))
    return Ratio(float(pooled[0] / pooled[column]), error)


def variance_cut(
    blocks: Sequence[Block], value: Callable[[GameResult], float]
) -> VarianceCut | None:
    """What blocks cut from the variance of the mean of a game's `value`.

    Blocks are full, their games in the order of the line-up. Blocks of different line-ups are known
    by their seatings; a line-up with fewer than MIN_BLOCKS is left out. None where no line-up
    has as many.
    """
    by_lineup: dict[tuple[tuple[int, ...], ...], list[list[float]]] = {}
    for block in blocks:
        lineup = tuple(game.engines for game in block)
        by_lineup.setdefault(lineup, []).append([value(game) for game in block])
    tables = [np.array(rows) for rows in by_lineup.values() if len(rows) >= MIN_BLOCKS]
    if not tables:
        return None
    spreads = [_spreads(table) for table in tables]
    return VarianceCut(sum(map(len, tables)), _pooled_ratio(spreads, 1), _pooled_ratio(spreads, 2))


def pair_variance_cut(blocks: Sequence[Block], a: int, b: int) -> VarianceCut | None:
    """What blocks cut from the variance of the score of `a` against `b`."""
    met = [block for block in blocks if all({a, b} <= set(game.engines) for game in block)]
    return variance_cut(met, lambda game: fmean(pair_scores(game, a, b)))


# --- who had the luck

Plays = NDArray[np.signedinteger[Any]]
"""[2, CARDS]: how often each kind of card was played, and the points that it brought in all."""


@dataclass(frozen=True, slots=True)
class SeatLuck:
    """What luck gave a seat in one game."""

    block: int
    engine: int
    cards: bytes  # [CARDS]: dealt and drawn, by kind
    rolls: int  # of all dice, once a turn
    jokers: int  # house dice that showed a joker


@dataclass(frozen=True)
class LuckLine:
    """An engine's luck, one value a game and seat; None where there was no roll or no card."""

    engine: int
    games: int  # seats in games
    rolls: Estimate
    jokers: Estimate | None  # a roll
    cards: Estimate
    card_value: Estimate | None  # a card, in points
    hand_value: Estimate  # of all cards, in points


def kind_values(plays: Plays) -> list[float]:
    """The value of each kind in points; 0 for all where nothing was played."""
    counts, points = plays.tolist()
    mean = sum(points) / max(sum(counts), 1)
    return [own / count if count else mean for count, own in zip(counts, points, strict=True)]


def _mean_ratio(pairs: Sequence[tuple[float, float]]) -> Estimate | None:
    """The mean over blocks of a sum divided by another; blocks without the other are left out."""
    values = [above / below for above, below in pairs if below]
    return estimate(values, (0.0, inf)) if values else None


def _line(engine: int, blocks: Sequence[Sequence[SeatLuck]], values: Sequence[float]) -> LuckLine:
    seats = [len(block) for block in blocks]
    rolls = [sum(seat.rolls for seat in block) for block in blocks]
    jokers = [sum(seat.jokers for seat in block) for block in blocks]
    cards = [sum(sum(seat.cards) for seat in block) for block in blocks]
    points = [
        sum(
            value * number
            for seat in block
            for value, number in zip(values, seat.cards, strict=True)
        )
        for block in blocks
    ]

    def a_seat(sums: Sequence[float]) -> Estimate:
        means = [total / number for total, number in zip(sums, seats, strict=True)]
        return estimate(means, (0.0, inf))

    return LuckLine(
        engine=engine,
        games=sum(seats),
        rolls=a_seat(rolls),
        jokers=_mean_ratio(list(zip(jokers, rolls, strict=True))),
        cards=a_seat(cards),
        card_value=_mean_ratio(list(zip(points, cards, strict=True))),
        hand_value=a_seat(points),
    )


def luck_table(seats: Iterable[SeatLuck], plays: Plays) -> list[LuckLine]:
    """A line for each engine that played, in their order, from the luck of seats of full blocks."""
    ordered = sorted(seats, key=lambda seat: (seat.engine, seat.block))
    values = kind_values(plays)
    lines = []
    for engine, own in groupby(ordered, key=lambda seat: seat.engine):
        blocks = [list(block) for _, block in groupby(own, key=lambda seat: seat.block)]
        lines.append(_line(engine, blocks, values))
    return lines


# --- what is left of the results when the luck of dice and cards is taken off

_MIN_BLOCKS: Final = 8


@dataclass(frozen=True)
class Weighed:
    """A game and what luck gave each seat, in shares of the victory."""

    result: GameResult
    luck: tuple[float, ...]


@dataclass(frozen=True)
class AdjustedLine:
    """An engine's share of the victories without luck, and its luck."""

    engine: int
    first: Estimate
    luck: Estimate


@dataclass(frozen=True)
class Adjusted:
    """A match with its luck taken off; `elo` (with its interval): of two engines, two players."""

    lines: tuple[AdjustedLine, ...]
    score: Estimate | None
    elo: tuple[float, float, float] | None
    correlation: float  # of luck with the share of the victory, over seats and games
    games: Ratio | None  # needed for the same interval, against the same blocks with luck
    independent: Ratio | None  # against independent games with luck
    by_blocks: Ratio | None  # of blocks with luck, against independent games with luck
    by_luck: Ratio | None  # of independent games without luck, against those with luck


def adjusted(blocks: Sequence[Sequence[Weighed]], engines: Sequence[int]) -> Adjusted | None:
    """What the full blocks say without luck; None where there is none."""
    if not blocks:
        return None
    seats = len(blocks[0][0].luck)
    pair = len(engines) == 2 and seats == 2
    needed = _games_needed(blocks, engines[0])
    score = estimate(adjusted_values(blocks, engines[0])) if pair else None
    return Adjusted(
        lines=tuple(
            AdjustedLine(
                engine,
                estimate(adjusted_values(blocks, engine)),
                estimate(_means(blocks, engine, lambda game, seat: game.luck[seat])),
            )
            for engine in engines
        ),
        score=score,
        elo=None if score is None else _elo(score),
        correlation=_correlation(blocks),
        games=needed[0],
        independent=needed[1],
        by_blocks=needed[2],
        by_luck=needed[3],
    )


def adjusted_values(blocks: Sequence[Sequence[Weighed]], engine: int) -> list[float]:
    """An engine's share of the victories less its luck, of each block in which it plays."""
    return _means(
        blocks, engine, lambda game, seat: game.result.first_shares[seat] - game.luck[seat]
    )


def _elo(score: Estimate) -> tuple[float, float, float]:
    """The Elo difference of a score that luck may have taken out of 0 to 1, and its interval."""
    mean, low, high = (min(max(s, 0.0), 1.0) for s in (score.mean, score.low, score.high))
    return elo_of(mean), elo_of(low), elo_of(high)


def _means(
    blocks: Sequence[Sequence[Weighed]], engine: int, value: Callable[[Weighed, int], float]
) -> list[float]:
    values = ([value(*own) for own in _seats(block, engine)] for block in blocks)
    return [fmean(block) for block in values if block]


def _seats(block: Sequence[Weighed], engine: int) -> list[tuple[Weighed, int]]:
    """The games of a block with each seat in which an engine sat."""
    return [
        (game, seat)
        for game in block
        for seat, own in enumerate(game.result.engines)
        if own == engine
    ]


def _share(game: Weighed, seat: int) -> float:
    return game.result.first_shares[seat]


def _correlation(blocks: Sequence[Sequence[Weighed]]) -> float:
    pairs = np.array(
        [
            pair
            for block in blocks
            for game in block
            for pair in zip(game.luck, game.result.first_shares, strict=True)
        ]
    )
    spread = pairs.std(axis=0)
    if not spread.all():
        return 0.0
    return float(((pairs - pairs.mean(axis=0)).prod(axis=1)).mean() / spread.prod())


class _Needed(NamedTuple):
    games: Ratio | None = None
    independent: Ratio | None = None
    by_blocks: Ratio | None = None
    by_luck: Ratio | None = None


def _games_needed(blocks: Sequence[Sequence[Weighed]], engine: int) -> _Needed:
    """Variances of an engine's results, as ratios with the jackknife's error (see `Adjusted`)."""
    raw = np.array(_means(blocks, engine, _share))
    less = np.array(adjusted_values(blocks, engine))
    owned = [_seats(block, engine) for block in blocks]
    owned = [own for own in owned if own]
    single = np.array([_share(*own) for block in owned for own in block])
    alone = np.array([_share(*own) - own[0].luck[own[1]] for block in owned for own in block])
    size = len(single) / max(len(raw), 1)
    if len(raw) < _MIN_BLOCKS or not raw.var() > 0:
        return _Needed()
    found = _ratio(less, raw)
    # The spread of single games is known far better than that of blocks.
    scale = float(raw.var() / (single.var() / size))
    both, error = found.value * scale, _error_of_variance(less) * found.value * scale
    number = np.repeat(np.arange(len(owned)), [len(own) for own in owned])
    return _Needed(
        found,
        Ratio(both, error),
        Ratio(scale, _error_of_variance(raw) * scale),
        _ratio(alone, single, number),
    )


def _ratio(less: Numbers, raw: Numbers, blocks: NDArray[np.int64] | None = None) -> Ratio:
    """A variance by another, leaving out a block at a time; without `blocks` each is one."""
    places = np.arange(len(raw)) if blocks is None else blocks
    count = int(places[-1]) + 1
    left_out = [less[places != i].var() / (raw[places != i].var() or 1.0) for i in range(count)]
    error = np.sqrt((count - 1) * np.var(left_out))
    return Ratio(float(less.var() / raw.var()), float(error))


def _error_of_variance(values: Numbers) -> float:
    """The standard error of a sample's variance, as a share of it."""
    squares = (values - values.mean()) ** 2
    return float(squares.std() / squares.mean() / np.sqrt(len(values)))
