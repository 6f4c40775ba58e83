"""Make or continue the ruler: first its decisions, then the games after each candidate.

    python -m benchmarks.ruler.make --decisions 3000 --lucks 24 [--evaluator policy] [--out FILE]

`--evaluator` names the player that plays the games: `policy`, `heuristic`, or a number of
simulations per decision. `--lucks` is the number of seeds for dice and cards. The command plays the
games for a few seeds at a time. It writes the results after each slice of decisions, and the same
command continues a run that was interrupted.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.measuring import parser_of
from benchmarks.ruler.decisions import (
    FILE,
    MISSING,
    MOST,
    POLICY,
    Continued,
    Outcomes,
    Ruler,
    candidates_of,
    cells_of,
    evaluator_of,
    load,
    luck_seed,
    play_on,
    sample_cell,
    save,
)
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.game.table import Table
from masons.engine.kernels.rng import mix

SLICE = 100  # number of decisions in a slice; results are written after each slice
AT_ONCE = 4  # number of seeds that are played at a time


def _cell(seed: int, cell: tuple[str, int, int]) -> Ruler:
    """Return the decisions of one kind and number of players, with their candidates."""
    kind, players, count = cell
    table = Table(load_board("classic"))
    decisions = sample_cell(table, kind, players, count, seed)
    made = Ruler(
        np.full(count, kind),
        np.full(count, players),
        *decisions,
        np.zeros((count, MOST), dtype=np.uint64),
        np.zeros(count, dtype=np.int64),
    )
    for row in range(count):
        moves = candidates_of(table, made.view(row), mix(seed, row))
        made.counts[row] = len(moves)
        made.moves[row, : len(moves)] = [int(move) for move in moves]
    return made


def _slices(ruler: Ruler) -> Iterator[slice]:
    """Yield slices of up to SLICE rows that have the same number of players."""
    ends = [*(np.flatnonzero(np.diff(ruler.players)) + 1).tolist(), len(ruler.players)]
    begin = 0
    for end in ends:
        for start in range(begin, end, SLICE):
            yield slice(start, min(start + SLICE, end))
        begin = end


def _played(evaluator: str, lucks: range, part: Ruler, seeds: list[int]) -> Outcomes:
    """Play games after all candidates of a slice, with the given seeds.

    Returns the outcomes in the order of rows, moves and seeds.
    """
    rows = np.repeat(np.arange(len(part.counts)), part.counts)
    moves = np.concatenate([part.moves[row, :n] for row, n in enumerate(part.counts.tolist())])
    seeded = [luck_seed(seeds[row], luck) for row in rows.tolist() for luck in lucks]
    games = Continued(
        np.repeat(rows, len(lucks)).astype(np.uint64),
        np.repeat(moves, len(lucks)),
        np.array(seeded, dtype=np.uint64),
    )
    table = Table(load_board("classic"))
    return play_on(table, part.decisions, int(part.players[0]), games, evaluator)


def extend_values(ruler: Ruler, evaluator: str, lucks: int) -> None:
    """Enlarge the arrays of outcomes to hold `lucks` seeds, and keep the values in them."""
    shape = (len(ruler.counts), MOST, lucks)
    shares, margins = np.full(shape, MISSING, dtype=np.uint8), np.zeros(shape, dtype=np.int8)
    if evaluator in ruler.shares:
        have = ruler.shares[evaluator].shape[2]
        if have > lucks:
            return
        shares[:, :, :have] = ruler.shares[evaluator]
        margins[:, :, :have] = ruler.margins[evaluator]
    ruler.shares[evaluator], ruler.margins[evaluator] = shares, margins


def play_lucks(
    ruler: Ruler, evaluator: str, lucks: range, seed: int, pool: ProcessPoolExecutor
) -> Iterator[int]:
    """Play the missing games after all candidates, with the seeds that have the numbers `lucks`.

    Yields the number of games played for each slice.
    """
    last = ruler.shares[evaluator][:, 0, lucks[-1]]
    todo = [rows for rows in _slices(ruler) if (last[rows] == MISSING).any()]
    seeds = [[mix(seed, row) for row in range(rows.start, rows.stop)] for rows in todo]
    parts = [ruler.part(rows) for rows in todo]
    done = pool.map(partial(_played, evaluator, lucks), parts, seeds)
    for rows, outcomes in zip(todo, done, strict=True):
        is_there = np.arange(MOST) < ruler.counts[rows, None]
        for kept, outcome in ((ruler.shares, outcomes.shares), (ruler.margins, outcomes.margins)):
            kept[evaluator][rows, :, lucks.start : lucks.stop][is_there] = outcome.reshape(
                -1, len(lucks)
            )
        yield len(outcomes.shares)


def main() -> None:
    """Make or continue the ruler's file."""
    parser = parser_of(__doc__, decisions=3000, lucks=24, processes=os.cpu_count() or 1)
    parser.add_argument("--evaluator", type=evaluator_of, default=POLICY, metavar="WHO")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--out", type=Path, default=FILE, metavar="FILE")
    options = parser.parse_args()
    with ProcessPoolExecutor(options.processes) as pool:
        try:
            ruler = load(options.out)
        except FileNotFoundError:
            cells = pool.map(partial(_cell, options.seed), cells_of(options.decisions))
            ruler = Ruler.joined(list(cells))
            save(ruler, options.out)
        except MasonsError as error:
            sys.exit(f"Error: {error}")
        extend_values(ruler, options.evaluator, options.lucks)
        began, games = time.monotonic(), 0
        for first in range(0, options.lucks, AT_ONCE):
            lucks = range(first, min(first + AT_ONCE, options.lucks))
            for count in play_lucks(ruler, options.evaluator, lucks, options.seed, pool):
                games += count
                save(ruler, options.out)
                rate = games / (time.monotonic() - began)
                print(f"lucks {lucks.start}-{lucks[-1]}: {games} games, {rate:.0f} a second")


if __name__ == "__main__":
    main()
