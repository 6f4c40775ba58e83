"""Intervals of a tree's figures, and what moves lose against the one that it visited most.

How sure a mean is tells the spread of its results from block to block of the search, where that is
wider than the spread inside says: a tree that grows changes what it plays. What playouts get wrong,
and that the most visited move is also one that had luck, is in the known error of trees.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from masons.ai.halving.paired_values import (
    Numbers,
    block_errors,
    margins_of,
)
from masons.ai.ismcts.root_sums import MoveSums
from masons.ai.search.known_error import NORMAL, TREE, loss_error, margin_error, value_error
from masons.ai.search.results import UNKNOWN_POINTS, UNKNOWN_WIN, WIDEST, MoveStats, by_value
from masons.engine.formats.move_text import Move


def with_intervals(
    stats: Sequence[MoveStats],
    sums: Mapping[Move, MoveSums],
    blocks: Sequence[Numbers],
    seat: int,
) -> tuple[MoveStats, ...]:
    """The moves with intervals and what they lose against the first one, by that.

    `blocks` of each tree, [blocks, rows, 3]: how far their means spread tells the chance in a
    figure.
    """
    wins, margins = _chances([sums[one.move] for one in stats], blocks)
    first, *others = (_with_error(one, error) for one, error in zip(stats, wins, strict=True))
    found = [
        _against(first, one, math.hypot(margins[0], margin), seat)
        for one, margin in zip(others, margins[1:], strict=True)
    ]
    alone = replace(first, interval=_interval(first), loss_interval=0.0, margin_interval=0.0)
    return by_value([alone, *found])


def _against(first: MoveStats, stats: MoveStats, points_chance: float, seat: int) -> MoveStats:
    """A move beside the first one; `points_chance` is the chance in the difference of margins."""
    loss, loss_interval = first.win - stats.win, None
    if stats.error is not None and first.error is not None:
        chance = math.hypot(first.error, stats.error)
        loss_interval = NORMAL * loss_error(first.win, loss, chance, TREE)
    points, margin_interval = 0.0, None
    if stats.scores and first.scores:
        points = _margin(first, seat) - _margin(stats, seat)
        if math.isfinite(points_chance):
            margin_interval = NORMAL * margin_error(points, points_chance, TREE)
    return replace(
        stats, interval=_interval(stats), loss=loss, loss_interval=loss_interval,
        margin_loss=points, margin_interval=margin_interval,
    )  # fmt: skip


def _interval(stats: MoveStats) -> float | None:
    return None if stats.error is None else NORMAL * value_error(stats.win, stats.error, TREE)


def _margin(stats: MoveStats, seat: int) -> float:
    return float(margins_of(np.array(stats.scores), seat))


def _with_error(stats: MoveStats, chance: float) -> MoveStats:
    """The standard error from the spread of blocks, where that is wider and known."""
    chance *= stats.sampled / stats.visits  # of what was kept no blocks are known
    if stats.error is None or not math.isfinite(chance):
        return stats
    most = WIDEST / math.sqrt(stats.visits)
    return replace(stats, error=max(stats.error, min(chance, most)))


def _chances(
    found: Sequence[MoveSums], blocks: Sequence[Numbers]
) -> tuple[list[float], list[float]]:
    """The standard errors of moves' mean rewards and margins, by the blocks of all trees."""
    parts = [
        tree[:, [one.rows.get(number, 0) for one in found]] for number, tree in enumerate(blocks)
    ]
    numbers, wins, margins = np.moveaxis(np.concatenate(parts), 2, 0)
    visits = np.maximum(numbers.sum(axis=0), 1)
    return (
        block_errors(numbers, wins, wins.sum(axis=0) / visits, UNKNOWN_WIN).tolist(),
        block_errors(numbers, margins, margins.sum(axis=0) / visits, UNKNOWN_POINTS).tolist(),
    )
