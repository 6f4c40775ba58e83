"""Measure the gain of a second thread: a search's iterations a second by the wall clock.

    python -m benchmarks.thread_speedup [--rounds 9] [--threads 2] [--seconds 1]

Searches of `examples/midgame.txt` for so many seconds by one thread and by several, in turn;
medians of the iterations, and the median of the rounds' ratios. Only a machine with as many idle
cores gives a true figure.
"""

from __future__ import annotations

import argparse
import statistics

from benchmarks.measuring import Table, median_ratio, positive, short
from benchmarks.play_works import POLICIES, searched


def counts(policy: str, threads: int, seconds: float, rounds: int) -> list[tuple[int, int]]:
    """Iterations by one thread and by several in the same time, round by round."""
    runs = [searched(policy, number, seconds) for number in (1, threads)]
    for run in runs:
        run()  # compiles
    return [(runs[0](), runs[1]()) for _ in range(rounds)]


def table(rounds: int, threads: int, seconds: float = 1.0) -> Table:
    """Measure."""
    rows = []
    for policy in POLICIES:
        alone, together = zip(*counts(policy, threads, seconds, rounds), strict=True)
        medians = (short(statistics.median(column)) for column in (alone, together))
        rows.append((policy, *medians, f"{median_ratio(together, alone):.2f}"))
    head = f"1 thread, iterations in {seconds:g} s"
    return Table(("policy", head, f"{threads} threads", "ratio"), rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=positive, default=9)
    parser.add_argument("--threads", type=positive, default=2)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    print(table(options.rounds, options.threads, options.seconds))


if __name__ == "__main__":
    main()
