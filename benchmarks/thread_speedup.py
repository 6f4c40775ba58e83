"""Measure how many more iterations per second a search makes with a second thread.

    python -m benchmarks.thread_speedup [--rounds 9] [--threads 2] [--seconds 1]

Searches of `examples/midgame.txt` run for the given number of seconds of wall-clock time,
alternately with one thread and with several threads. The table shows the median numbers of
iterations, and the median ratio over all rounds. The figures are valid only on a machine with as
many idle cores as threads.
"""

from __future__ import annotations

import statistics

from benchmarks.measuring import Table, in_turn, median_ratio, parser_of, short
from benchmarks.play_works import POLICIES, analyses


def main() -> None:
    """Print the table."""
    parser = parser_of(__doc__, rounds=9, threads=2)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    rows = []
    for policy in POLICIES:
        runs = {n: analyses(policy, n, seconds=options.seconds) for n in (1, options.threads)}
        for run in runs.values():
            run(0)  # compiles the kernels
        alone, together = in_turn(runs, options.rounds).values()
        medians = (short(statistics.median(column)) for column in (alone, together))
        rows.append((policy, *medians, f"{median_ratio(together, alone):.2f}"))
    head = f"1 thread, iterations in {options.seconds:g} s"
    print(Table(("policy", head, f"{options.threads} threads", "ratio"), rows))


if __name__ == "__main__":
    main()
