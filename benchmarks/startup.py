"""What it costs to start: CPU seconds (user and system) of whole processes.

    python benchmarks/startup.py [--rounds 5] [--cold 1]

`warm` runs after one run that is not counted; `cold` runs each with an empty cache folder.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial

from measuring import Run, Work, positive, timed
from positions import EXAMPLE
from tables import Table

ANALYZE = ("analyze", str(EXAMPLE), "--sims", "1000", "--seed", "1")
STARTS: dict[str, tuple[str, ...]] = {
    "--help": ("--help",),
    "--version": ("--version",),
    "analyze --sims 1000": ANALYZE,
}


def process(arguments: Sequence[str], cache: str | None = None) -> Run:
    """A run of `masons-engine`, with its kernels in the folder `cache` or in the user's own."""
    command = [sys.executable, "-m", "masons.cli", *arguments]
    changes = {} if cache is None else {"XDG_CACHE_HOME": cache}

    def run() -> None:
        subprocess.run(
            command,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **changes},
        )

    return run


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


WORKS: dict[str, Work] = {
    f"start/{arguments[0].strip('-')}": Work(partial(process, arguments), "process")
    for arguments in STARTS.values()
}

if __name__ == "__main__":
    main()
