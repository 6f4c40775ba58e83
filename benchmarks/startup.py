"""What it costs to start: CPU seconds (user and system) of whole processes.

    python benchmarks/startup.py [--rounds 5] [--cold 1]

`warm` runs after one run that is not counted; `cold` runs each with an empty cache folder.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

POSITION = Path(__file__).parent.parent / "examples" / "midgame.txt"
ENGINE = [sys.executable, "-m", "masons.cli"]
ANALYZE = [*ENGINE, "analyze", str(POSITION), "--sims", "1000", "--seed", "1"]


def cpu_seconds(command: Sequence[str], cache: str) -> float:
    """CPU seconds of one process with its kernels in `cache`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "XDG_CACHE_HOME": cache},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def show(name: str, seconds: Sequence[float]) -> None:
    """One row of the table."""
    low, middle, high = min(seconds), statistics.median(seconds), max(seconds)
    print(f"{name:28} {low:7.2f} {middle:7.2f} {high:7.2f}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cold", type=int, default=1)
    options = parser.parse_args()
    print(f"{'CPU seconds':28} {'least':>7} {'median':>7} {'most':>7}")
    with tempfile.TemporaryDirectory() as cache:
        for name, command in (
            ("--help", [*ENGINE, "--help"]),
            ("--version", [*ENGINE, "--version"]),
            ("analyze --sims 1000, warm", ANALYZE),
        ):
            cpu_seconds(command, cache)
            show(name, [cpu_seconds(command, cache) for _ in range(options.rounds)])
    cold = []
    for _ in range(options.cold):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(cpu_seconds(ANALYZE, cache))
    show("analyze --sims 1000, cold", cold)


if __name__ == "__main__":
    main()
