"""What it costs to start: CPU seconds (user and system) of whole processes.

    python -m benchmarks.startup [--rounds 5] [--cold 1]

`warm` runs after one run that is not counted; `cold` runs each with an empty cache folder.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile

from benchmarks.harness.markdown_table import Table
from benchmarks.harness.measuring import positive, timed
from benchmarks.workloads.start_works import ANALYZE, STARTS, process


def cold_seconds() -> float:
    """CPU seconds of the first analysis with nothing compiled."""
    with tempfile.TemporaryDirectory() as cache:
        return timed(process(ANALYZE, cache))


def table(rounds: int, cold: int) -> Table:
    """Measure: all commands in turn, round after round."""
    found: dict[str, list[float]] = {name: [] for name in STARTS}
    with tempfile.TemporaryDirectory() as cache:
        runs = {name: process(arguments, cache) for name, arguments in STARTS.items()}
        process(ANALYZE, cache)()
        for _ in range(rounds):
            for name, run in runs.items():
                found[name].append(timed(run))
    found["analyze --sims 1000, cold"] = [cold_seconds() for _ in range(cold)]
    rows = [
        (f"`masons-engine {name}`", *(f"{f(took):.2f}" for f in (min, statistics.median, max)))
        for name, took in found.items()
    ]
    return Table(("CPU seconds of", "least", "median", "most"), rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--cold", type=positive, default=1)
    options = parser.parse_args()
    print(table(options.rounds, options.cold))


if __name__ == "__main__":
    main()
