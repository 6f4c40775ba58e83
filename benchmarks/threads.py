"""What a second thread brings to a search: iterations a second by the clock on the wall.

    python benchmarks/threads.py [--rounds 9] [--threads 2]

Analyses of `examples/midgame.txt` by one thread and by several, in turn; medians, and the median of
the rounds' ratios. Only a machine with as many idle cores gives a true figure.
"""

from __future__ import annotations

import argparse
import statistics
import time

from measuring import median_ratio, positive
from play import POLICIES, THREADED, threaded
from tables import Table, short


def rates(policy: str, threads: int, rounds: int) -> tuple[list[float], list[float]]:
    """Iterations a second of one thread and of several, round by round."""
    runs = [threaded(policy, number) for number in (1, threads)]
    found: tuple[list[float], list[float]] = ([], [])
    for run in runs:
        run()  # compiles
    for _ in range(rounds):
        for run, column in zip(runs, found, strict=True):
            began = time.perf_counter()
            run()
            column.append(THREADED / (time.perf_counter() - began))
    return found


def table(rounds: int, threads: int) -> Table:
    """Measure."""
    rows = []
    for policy in POLICIES:
        alone, together = rates(policy, threads, rounds)
        medians = (short(statistics.median(column)) for column in (alone, together))
        rows.append((policy, *medians, f"{median_ratio(together, alone):.2f}"))
    return Table(("policy", "1 thread, a second", f"{threads} threads", "ratio"), rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=positive, default=9)
    parser.add_argument("--threads", type=positive, default=2)
    options = parser.parse_args()
    print(table(options.rounds, options.threads))


if __name__ == "__main__":
    main()
