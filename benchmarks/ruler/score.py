"""Score engines with the ruler: compare their choices with the choices of a baseline.

    python -m benchmarks.ruler.score default:sims=200 default:sims=4000 heuristic [--ranks]

An engine is any named player. Its figure is the mean value of the candidates that it picks minus
the mean value of the candidates that the baseline picks. It is given in thousandths of a victory,
with the standard error over decisions. `own` is the share of decisions in which the move that the
engine would play is a candidate. In all other decisions, the engine picks the candidate that it
ranks highest. `spread` is the standard deviation of the candidates' values, without the noise of
dice and cards. `--ranks` shows how much more an engine's first candidate wins than its 2nd, 3rd and
later candidates.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Table as Printed
from benchmarks.measuring import parser_of
from benchmarks.ruler import decisions
from benchmarks.ruler.decisions import Ruler
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.game.table import Table
from masons.engine.kernels.rng import mix
from masons.engine.plain_text import signed
from masons.engine.state.layout import WALL_LEFT

Values = NDArray[np.float64]
Picks = NDArray[np.int64]

# The phases of a game. Each is a third of the walls in the supply, which has about two dozen at
# first.
_PHASES: Final = ("early", "middle", "late")


class MeanOf(NamedTuple):
    """A mean over decisions, in shares of a victory, with its standard error."""

    mean: float
    error: float
    number: int

    def __str__(self) -> str:
        """Return the mean and its error in thousandths of a victory, as text."""
        return f"{signed(1000 * self.mean)} ± {1000 * self.error:.1f}"


def mean_of(values: Values) -> MeanOf:
    """Return the mean of `values`, which has one value for each decision. NaN is left out."""
    values = values[~np.isnan(values)]
    count = len(values)
    error = float(values.std(ddof=1) / np.sqrt(count)) if count > 1 else float("nan")
    return MeanOf(float(values.mean()) if count else float("nan"), error, count)


def gain(values: Values, picks: Picks, others: Picks) -> Values:
    """Return the value of `picks` minus the value of `others` in each row, as float64[rows].

    `values` has the shape [rows, MOST, lucks]. Where one of the picks is unknown (-1), the result
    is NaN.
    """
    rows, means = np.arange(len(picks)), values.mean(axis=2)
    gained: Values = means[rows, picks] - means[rows, others]
    return np.where((picks < 0) | (others < 0), np.nan, gained)


def regret(values: Values, picks: Picks) -> Values:
    """Return the value of the best candidate minus the value of a pick, as float64[rows].

    One half of the seeds finds the best candidate, and the other half gives its value; then the
    halves swap roles. If the same seeds did both, noise would make the best candidate look too
    good. But the candidate found is not always the best, so the result is a lower bound.
    """
    half = values.shape[2] // 2
    parts = values[:, :, :half].mean(axis=2), values[:, :, half:].mean(axis=2)
    rows = np.arange(len(picks))
    halves = [
        valued[rows, np.nanargmax(finding, axis=1)] - valued[rows, picks]
        for finding, valued in (parts, parts[::-1])
    ]
    mean: Values = (halves[0] + halves[1]) / 2
    return mean


def phases(ruler: Ruler) -> NDArray[np.str_]:
    """Return the phase of each row (early, middle or late), which follows from the walls left."""
    left = ruler.states.view(np.uint8)[:, int(WALL_LEFT)].astype(int)
    third = 2 - np.minimum(3 * left // (left.max() + 1), 2)
    names: NDArray[np.str_] = np.array(_PHASES)[third]
    return names


def kinds_and_phases(ruler: Ruler) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield (name, mask of rows) for each kind of decision, and for each kind in each phase."""
    when = phases(ruler)
    for kind in dict.fromkeys(ruler.kinds.tolist()):
        yield kind, ruler.kinds == kind
        for phase in _PHASES:
            yield f"{kind}, {phase}", (ruler.kinds == kind) & (when == phase)


def groups(ruler: Ruler) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield (name, mask of the ruler's rows) for each row of the table."""
    yield "all", np.ones(len(ruler.kinds), dtype=bool)
    yield from kinds_and_phases(ruler)
    for players in dict.fromkeys(ruler.players.tolist()):
        yield f"{players} players", ruler.players == players


def spread(values: Values) -> Values:
    """Return the variance of the candidates' values without the noise of games, as float64[rows].

    The deviations in one half of the seeds are multiplied by the deviations in the other half. The
    noise of the two halves is independent, so it cancels out on average.
    """
    half = values.shape[2] // 2
    first, second = values[:, :, :half].mean(axis=2), values[:, :, half:].mean(axis=2)
    first = first - np.nanmean(first, axis=1, keepdims=True)
    second = second - np.nanmean(second, axis=1, keepdims=True)
    count = (~np.isnan(first)).sum(axis=1)
    variance: Values = np.nansum(first * second, axis=1) / np.maximum(count - 1, 1)
    return variance


class Choices(NamedTuple):
    """The choices of an engine in some decisions of the ruler."""

    order: Picks  # [rows, MOST]: the numbers of the candidates, best first, filled with -1
    has_own: Picks  # [rows]: 1 if the engine's own choice is a candidate, else 0


def choices(path: Path, spec: str, seed: int, rows: range) -> Choices:
    """Return the choices of an engine in the decisions in some rows."""
    ruler, table = decisions.load(path), Table(load_board("classic"))
    order, has_own = np.full((len(rows), decisions.MOST), -1), np.zeros(len(rows), dtype=np.int64)
    for n, row in enumerate(rows):
        picked, has_own[n] = decisions.picked_order(
            table, ruler.view(row), spec, ruler.candidates(row), mix(seed, row)
        )
        order[n, : len(picked)] = picked
    return Choices(order, has_own)


def all_choices(path: Path, specs: Sequence[str], count: int, processes: int) -> list[Choices]:
    """Return the choices of several engines in all decisions, using several processes."""
    parts = [range(start, min(start + 50, count)) for start in range(0, count, 50)]
    with ProcessPoolExecutor(processes) as pool:
        result = []
        for spec in specs:
            made = list(pool.map(partial(choices, path, spec, 1), parts))
            order = np.concatenate([part.order for part in made])
            result.append(Choices(order, np.concatenate([part.has_own for part in made])))
    return result


def scores(ruler: Ruler, evaluator: str, specs: Sequence[str], made: Sequence[Choices]) -> Printed:
    """Return a table that compares all engines with the first engine, the baseline."""
    values, base = ruler.values(evaluator), made[0].order[:, 0]
    lost, spreads = regret(values, base), spread(values)
    heads = ("decisions", "number", "spread", f"regret of {specs[0]}", *specs[1:])
    rows = []
    for name, is_in in groups(ruler):
        if not is_in.any():
            continue
        cells = [
            str(mean_of(gain(values[is_in], choice.order[is_in, 0], base[is_in])))
            for choice in made[1:]
        ]
        deviation = 1000 * float(np.sqrt(max(spreads[is_in].mean(), 0.0)))
        rows.append(
            (name, str(int(is_in.sum())), f"{deviation:.0f}", str(mean_of(lost[is_in])), *cells)
        )
    rows.append(("own", "", "", *(f"{choice.has_own.mean():.2f}" for choice in made)))
    return Printed(heads, rows)


def rank_table(
    ruler: Ruler, evaluator: str, specs: Sequence[str], made: Sequence[Choices]
) -> Printed:
    """Return a table of how much more each engine's first candidate wins than its later ones."""
    values = ruler.values(evaluator)
    parts = dict(kinds_and_phases(ruler))
    rows = []
    for spec, choice in zip(specs, made, strict=True):
        for rank in range(1, decisions.MOST):
            cells = []
            for part in parts.values():
                is_in = part & (choice.order[:, rank] >= 0)
                order = choice.order[is_in]
                is_some = is_in.sum() > 1
                gained = gain(values[is_in], order[:, 0], order[:, rank]) if is_some else None
                cells.append(str(mean_of(gained)) if gained is not None else "")
            rows.append((spec, str(rank + 1), *cells))
    return Printed(("engine", "rank", *parts), rows)


def main() -> None:
    """Score the engines and print the tables."""
    parser = parser_of(__doc__, processes=os.cpu_count() or 1)
    parser.add_argument("engines", nargs="*", metavar="ENGINE")
    parser.add_argument("--baseline", default=decisions.DEFAULT, metavar="ENGINE")
    parser.add_argument(
        "--evaluator", type=decisions.evaluator_of, default=decisions.POLICY, metavar="WHO"
    )
    parser.add_argument("--ranks", action="store_true")
    parser.add_argument("--ruler", type=Path, default=decisions.FILE, metavar="FILE")
    options = parser.parse_args()
    specs = [options.baseline, *options.engines]
    try:
        ruler = decisions.load(options.ruler)
        ruler.values(options.evaluator)
        made = all_choices(options.ruler, specs, len(ruler.kinds), options.processes)
    except (MasonsError, OSError) as error:
        sys.exit(f"Error: {error}")
    print(f"{len(ruler.kinds)} decisions, {ruler.lucks(options.evaluator)} lucks, in thousandths\n")
    print(scores(ruler, options.evaluator, specs, made))
    if options.ranks:
        print(f"\n{rank_table(ruler, options.evaluator, specs, made)}")


if __name__ == "__main__":
    main()
