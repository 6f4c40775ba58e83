"""Measure the cost of reading the clock in a kernel, for each source of the clock.

    python -m benchmarks.clock_cost [--rounds 5]

The table shows the CPU time of a reading in nanoseconds. It also shows the wall-clock time per
reading, in microseconds, of a kernel that works for about 25 us between two readings. This time is
measured alone, and again while another thread runs Python. Each source is measured in a separate
process.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from benchmarks.measuring import parser_of
from masons.engine.kernels import c_module

SOURCES = (c_module.C_LIBRARY, c_module.PYTHON)


def measure(source: str, rounds: int) -> None:
    """Print the line of one source, or a line that says that this machine lacks the source."""
    c_module.HAS_CLOCK_GETTIME &= source != c_module.PYTHON
    from masons.engine.kernels.bits import U
    from masons.engine.kernels.jit import Word, kernel, now_ns

    @kernel
    def read(times: Word, work: Word) -> Word:
        mixed = U(1)
        for _ in range(times):
            for _ in range(work):
                mixed ^= mixed << U(13)
                mixed ^= mixed >> U(7)
            mixed ^= now_ns()
        return mixed

    def each(clock: Callable[[], float], times: int, work: int) -> float:
        """Return the median number of seconds for one reading of the clock."""
        took = []
        for _ in range(rounds):
            began = clock()
            read(times, work)
            took.append((clock() - began) / times)
        return statistics.median(took)

    if source == c_module.C_LIBRARY and not c_module.HAS_CLOCK_GETTIME:
        print(f"{source:10} not there")
        return
    read(1, 0)
    cost = each(time.process_time, 1_000_000, 0)
    alone = each(time.perf_counter, 500, 20_000)
    over = threading.Event()
    busy = threading.Thread(target=lambda: all(not over.is_set() for _ in range(1 << 60)))
    busy.start()
    beside = each(time.perf_counter, 500, 20_000)
    over.set()
    busy.join()
    print(f"{source:10} {1e9 * cost:9.1f} {1e6 * alone:9.1f} {1e6 * beside:9.1f}")


def main() -> None:
    """Print the table."""
    parser = parser_of(__doc__, rounds=5)
    parser.add_argument("--source", choices=SOURCES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.source:
        measure(options.source, options.rounds)
        return
    print(f"{'source':10} {'ns each':>9} {'us alone':>9} {'us beside':>9}", flush=True)
    for source in SOURCES:
        command = [sys.executable, "-m", "benchmarks.clock_cost", "--source", source]
        subprocess.run([*command, "--rounds", str(options.rounds)], check=True)


if __name__ == "__main__":
    main()
