"""Score engines by the ruler: what their choices are worth, beside those of a baseline.

    python -m benchmarks.ruler.score default:sims=200 default:sims=4000 heuristic [--ranks]

An engine is any named player. Its figure is the mean value of the candidates that it picks, less
that of the baseline's picks, in thousandths of a victory, with its standard error over decisions.
`own` is the share of decisions in which the move that it would play is a candidate: elsewhere it
picks the candidate that it ranks highest. `spread` is the standard deviation of the candidates'
values, the luck taken out. `--ranks`: what an engine's best candidate wins more than its 2nd, 3rd.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.harness.markdown_table import Table as Printed
from benchmarks.harness.measuring import positive
from benchmarks.ruler.candidates import DEFAULT, MOST
from benchmarks.ruler.picks import picked_order
from benchmarks.ruler.ruler_data import FILE, Ruler, load
from benchmarks.ruler.sampled_decisions import POLICY, evaluator_of
from benchmarks.ruler.tables import Picks, figure, gain, groups, kinds_and_phases, regret, spread
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.game.table import Table
from masons.engine.kernels.rng import mix


class Choices(NamedTuple):
    """What an engine makes of the decisions."""

    order: Picks  # [rows, MOST]: the numbers of the candidates, best first; then -1
    own: Picks  # [rows]: 1 where its choice of all moves is a candidate


def choices(path: Path, spec: str, seed: int, rows: range) -> Choices:
    """What an engine makes of some decisions."""
    ruler, table = load(path), Table(load_board("classic"))
    order, own = np.full((len(rows), MOST), -1), np.zeros(len(rows), dtype=np.int64)
    for n, row in enumerate(rows):
        found, own[n] = picked_order(
            table, ruler.view(row), spec, ruler.candidates(row), mix(seed, row)
        )
        order[n, : len(found)] = found
    return Choices(order, own)


def all_choices(path: Path, specs: Sequence[str], count: int, processes: int) -> list[Choices]:
    """What some engines make of all decisions, in several processes."""
    parts = [range(start, min(start + 50, count)) for start in range(0, count, 50)]
    with ProcessPoolExecutor(processes) as pool:
        found = []
        for spec in specs:
            made = list(pool.map(partial(choices, path, spec, 1), parts))
            order = np.concatenate([part.order for part in made])
            found.append(Choices(order, np.concatenate([part.own for part in made])))
    return found


def scores(ruler: Ruler, evaluator: str, specs: Sequence[str], made: Sequence[Choices]) -> Printed:
    """Each engine after the first beside the first, which is the baseline."""
    values, base = ruler.values(evaluator), made[0].order[:, 0]
    lost, spreads = regret(values, base), spread(values)
    heads = ("decisions", "number", "spread", f"regret of {specs[0]}", *specs[1:])
    rows = []
    for name, there in groups(ruler):
        if not there.any():
            continue
        cells = [
            str(figure(gain(values[there], one.order[there, 0], base[there]))) for one in made[1:]
        ]
        deviation = 1000 * float(np.sqrt(max(spreads[there].mean(), 0.0)))
        rows.append(
            (name, str(int(there.sum())), f"{deviation:.0f}", str(figure(lost[there])), *cells)
        )
    rows.append(("own", "", "", *(f"{one.own.mean():.2f}" for one in made)))
    return Printed(heads, rows)


def rank_table(
    ruler: Ruler, evaluator: str, specs: Sequence[str], made: Sequence[Choices]
) -> Printed:
    """What an engine's best candidate wins more than its 2nd, 3rd..., by kind and phase."""
    values = ruler.values(evaluator)
    parts = dict(kinds_and_phases(ruler))
    rows = []
    for spec, one in zip(specs, made, strict=True):
        for rank in range(1, MOST):
            cells = []
            for part in parts.values():
                there = part & (one.order[:, rank] >= 0)
                order = one.order[there]
                is_some = there.sum() > 1
                gained = gain(values[there], order[:, 0], order[:, rank]) if is_some else None
                cells.append(str(figure(gained)) if gained is not None else "")
            rows.append((spec, str(rank + 1), *cells))
    return Printed(("engine", "rank", *parts), rows)


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("engines", nargs="*", metavar="ENGINE")
    parser.add_argument("--baseline", default=DEFAULT, metavar="ENGINE")
    parser.add_argument("--evaluator", type=evaluator_of, default=POLICY, metavar="WHO")
    parser.add_argument("--ranks", action="store_true")
    parser.add_argument("--processes", type=positive, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--ruler", type=Path, default=FILE, metavar="FILE")
    asked = parser.parse_args()
    specs = [asked.baseline, *asked.engines]
    try:
        ruler = load(asked.ruler)
        ruler.values(asked.evaluator)
        made = all_choices(asked.ruler, specs, len(ruler.kinds), asked.processes)
    except (MasonsError, OSError) as error:
        sys.exit(f"Error: {error}")
    print(f"{len(ruler.kinds)} decisions, {ruler.lucks(asked.evaluator)} lucks, in thousandths\n")
    print(scores(ruler, asked.evaluator, specs, made))
    if asked.ranks:
        print(f"\n{rank_table(ruler, asked.evaluator, specs, made)}")


if __name__ == "__main__":
    main()
