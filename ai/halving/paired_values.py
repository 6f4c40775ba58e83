"""What moves lose against one of them, from the determinizations that both met.

Moves that stay in longer meet more determinizations, so their means differ by luck alone. A move is
compared with the reference over those that both met, with the same dice and cards (common random
numbers); its own mean becomes that of the reference less the difference (a control variate). How
sure that is tells the spread from block to block of the search.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.halving.workspace import COLUMNS, SCORES, SQUARES, VISITS, WINS
from masons.ai.search.known_error import NORMAL
from masons.ai.search.results import UNKNOWN_POINTS, UNKNOWN_WIN

Numbers = NDArray[np.float64]

BLOCKS: Final = 8  # of a round


class Block(NamedTuple):
    """Some determinizations, met by the same moves."""

    moves: NDArray[np.uint64]  # their numbers
    sums: Numbers  # [moves, COLUMNS]: what was added to those of each
    first: int  # the determinizations: thread i began with `first` + i, one for each thread on
    counts: tuple[int, ...]  # how many each thread did


class Compared(NamedTuple):
    """All moves beside the reference."""

    means: Numbers  # [moves, COLUMNS]: means a simulation, as said above
    win_errors: Numbers  # [moves]: standard errors of the differences; inf where not known
    margin_errors: Numbers


def compared(
    sums: Numbers, blocks: list[Block], reference: int, seat: int, players: int
) -> Compared:
    """Compare all moves with the reference, for a seat; `sums` are [moves, COLUMNS]."""
    count = len(sums)
    visits = sums[:, VISITS]
    means = sums / np.maximum(visits, 1)[:, None]
    means[:, VISITS] = visits
    places: dict[int, int] = {}
    own: dict[int, Numbers] = {}
    for block in blocks:
        if (block.moves == reference).any() and sum(block.counts):
            places[block.first] = len(places)
            own[block.first] = block.sums[block.moves == reference]
    met = [block for block in blocks if block.first in places]
    numbers = np.zeros((len(places), count))
    apart = np.zeros((len(places), count, COLUMNS))
    for block in met:
        place, there = places[block.first], block.moves.astype(np.int64)
        numbers[place, there] = own[block.first][0, VISITS]
        apart[place, there] = own[block.first] - block.sums
    shared = np.maximum(numbers.sum(axis=0), 1)
    mean = apart.sum(axis=0) / shared[:, None]
    known = numbers.sum(axis=0) > 0
    raw = [*range(WINS, SQUARES), *range(SCORES, COLUMNS)]
    for column in raw:
        means[known, column] = means[reference, column] - mean[known, column]
    scores = slice(SCORES, SCORES + players)
    margins = margins_of(apart[:, :, scores], seat), margins_of(mean[:, scores], seat)
    wins = apart[:, :, WINS + seat], mean[:, WINS + seat]
    return Compared(
        means,
        block_errors(numbers, *wins, UNKNOWN_WIN),
        block_errors(numbers, *margins, UNKNOWN_POINTS),
    )


def margins_of(scores: Numbers, seat: int) -> Numbers:
    """A seat's score less the mean of the others', by the last axis of `scores`."""
    own = scores[..., seat]
    margin: Numbers = own - (scores.sum(axis=-1) - own) / (scores.shape[-1] - 1)
    return margin


def block_errors(numbers: Numbers, sums: Numbers, mean: Numbers, prior: float) -> Numbers:
    """[moves]: the standard error of `mean`, wider where it is of few blocks; inf where of one.

    `numbers` and `sums` are [blocks, moves]: how many results a block has of a move, and their sum.
    `prior` is the variance of one more determinization.
    """
    shared, blocks = numbers.sum(axis=0), (numbers > 0).sum(axis=0)
    squares = ((sums - numbers * mean) ** 2).sum(axis=0)
    squares *= blocks / np.maximum(blocks - 1, 1)
    freedom = np.maximum(blocks - 1, 1)
    wider = (NORMAL + 2.37 / freedom + 2.8 / freedom**2) / NORMAL  # Student's t, about
    with np.errstate(divide="ignore"):
        errors: Numbers = wider * np.sqrt(squares + prior) / shared
    return np.where(blocks > 1, errors, np.inf)
