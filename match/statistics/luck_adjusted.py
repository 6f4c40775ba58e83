"""What is left of the results when the luck of dice and cards is taken off.

From each share of the victory what deal, dice and cards gave its seat is subtracted
(`masons.ai.review.luck`). That luck is 0 on average for whoever plays, so the mean stays what it
was, and only its interval gets narrower (a control variate with the coefficient 1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.match.statistics.elo import elo_of
from masons.match.statistics.estimate import Estimate, estimate
from masons.match.statistics.game_results import GameResult
from masons.match.statistics.variance_reduction import Numbers, Ratio

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
