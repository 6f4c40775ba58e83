"""What is left of the results when the luck of dice and cards is taken off.

From each share of the victory what deal, dice and cards gave its seat is subtracted
(`masons.ai.review.luck`). That luck is 0 on average for whoever plays, so the mean stays what it
was, and only its interval gets narrower (a control variate with the coefficient 1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

import numpy as np

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


def adjusted(blocks: Sequence[Sequence[Weighed]], engines: Sequence[int]) -> Adjusted | None:
    """What the full blocks say without luck; None where there is none."""
    if not blocks:
        return None
    seats = len(blocks[0][0].luck)
    pair = len(engines) == 2 and seats == 2
    games, independent = _games_needed(blocks, engines[0])
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
        games=games,
        independent=independent,
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


def _games_needed(
    blocks: Sequence[Sequence[Weighed]], engine: int
) -> tuple[Ratio, Ratio] | tuple[None, None]:
    """The variance of an engine's blocks without luck, as a ratio with the jackknife's error.

    To that of the same blocks with luck, and to that of as many independent games.
    """
    raw = np.array(_means(blocks, engine, _share))
    less = np.array(adjusted_values(blocks, engine))
    single = np.array([_share(*own) for block in blocks for own in _seats(block, engine)])
    size = len(single) / max(len(raw), 1)
    if len(raw) < _MIN_BLOCKS or not raw.var() > 0:
        return None, None
    alone = _ratio(less, raw)
    # The spread of single games is known far better than that of blocks.
    scale = float(raw.var() / (single.var() / size))
    return alone, Ratio(alone.value * scale, _error_of_variance(less) * alone.value * scale)


def _ratio(less: Numbers, raw: Numbers) -> Ratio:
    """A variance by another, leaving out a block at a time."""
    count = len(raw)
    left_out = [np.delete(less, i).var() / (np.delete(raw, i).var() or 1.0) for i in range(count)]
    error = np.sqrt((count - 1) * np.var(left_out))
    return Ratio(float(less.var() / raw.var()), float(error))


def _error_of_variance(values: Numbers) -> float:
    """The standard error of a sample's variance, as a share of it."""
    squares = (values - values.mean()) ** 2
    return float(squares.std() / squares.mean() / np.sqrt(len(values)))
