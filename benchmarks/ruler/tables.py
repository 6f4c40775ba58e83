"""Figures of the ruler: what picks are worth, by kind of decision, phase and players; by rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.ruler.ruler_data import Ruler
from masons.engine.plain_words import signed
from masons.engine.state.layout import WALL_LEFT

Values = NDArray[np.float64]
Picks = NDArray[np.int64]

# A game begins with some two dozen walls in the supply: early, middle, late by what is left.
_PHASES: Final = ("early", "middle", "late")


class Figure(NamedTuple):
    """A mean in shares of a victory, and its standard error over the decisions."""

    mean: float
    error: float
    number: int

    def __str__(self) -> str:
        """In thousandths of a victory."""
        return f"{signed(1000 * self.mean)} ± {1000 * self.error:.1f}"


def figure(values: Values) -> Figure:
    """The mean of some values, one a decision, nan where it is not known."""
    values = values[~np.isnan(values)]
    count = len(values)
    error = float(values.std(ddof=1) / np.sqrt(count)) if count > 1 else float("nan")
    return Figure(float(values.mean()) if count else float("nan"), error, count)


def gain(values: Values, picks: Picks, others: Picks) -> Values:
    """[rows]: how much more a pick is worth than another, by `values` [rows, MOST, lucks].

    Nan where one of them is not known (-1).
    """
    rows, means = np.arange(len(picks)), values.mean(axis=2)
    found: Values = means[rows, picks] - means[rows, others]
    return np.where((picks < 0) | (others < 0), np.nan, found)


def regret(values: Values, picks: Picks) -> Values:
    """[rows]: how much less a pick is worth than the best candidate, for any luck.

    Which candidate is best is found by one half of the lucks, and valued by the other, and the
    other way round: the best of noisy means would look better than it is. So this is a lower bound.
    """
    half = values.shape[2] // 2
    parts = values[:, :, :half].mean(axis=2), values[:, :, half:].mean(axis=2)
    rows = np.arange(len(picks))
    found = [
        valued[rows, np.nanargmax(finding, axis=1)] - valued[rows, picks]
        for finding, valued in (parts, parts[::-1])
    ]
    mean: Values = (found[0] + found[1]) / 2
    return mean


def phases(ruler: Ruler) -> NDArray[np.str_]:
    """[rows]: early, middle or late, in thirds of the walls that are left."""
    left = ruler.decisions.states.view(np.uint8)[:, int(WALL_LEFT)].astype(int)
    third = 2 - np.minimum(3 * left // (left.max() + 1), 2)
    found: NDArray[np.str_] = np.array(_PHASES)[third]
    return found


def kinds_and_phases(ruler: Ruler) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Decisions of each kind, and of each kind in each phase, by name."""
    when = phases(ruler)
    for kind in dict.fromkeys(ruler.kinds.tolist()):
        yield kind, ruler.kinds == kind
        for phase in _PHASES:
            yield f"{kind}, {phase}", (ruler.kinds == kind) & (when == phase)


def groups(ruler: Ruler) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Decisions that are looked at together, by name."""
    yield "all", np.ones(len(ruler.kinds), dtype=bool)
    yield from kinds_and_phases(ruler)
    for players in dict.fromkeys(ruler.players.tolist()):
        yield f"{players} players", ruler.players == players


def spread(values: Values) -> Values:
    """[rows]: the variance of the candidates' values, without that of the luck.

    The product of the deviations by one half of the lucks and by the other: their noise is apart.
    """
    half = values.shape[2] // 2
    first, second = values[:, :, :half].mean(axis=2), values[:, :, half:].mean(axis=2)
    first = first - np.nanmean(first, axis=1, keepdims=True)
    second = second - np.nanmean(second, axis=1, keepdims=True)
    count = (~np.isnan(first)).sum(axis=1)
    found: Values = np.nansum(first * second, axis=1) / np.maximum(count - 1, 1)
    return found
