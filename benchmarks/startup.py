"""Measure the cost of starting: the CPU time and the memory of whole processes.

    python -m benchmarks.startup [--rounds 5] [--cold 1]

CPU time includes user and system time. Each process runs in two ways: with kernels that were
compiled ahead of time, if they are installed, and with kernels that are compiled on first use
(`MASONS_JIT=1`). `--rounds` is the number of warm runs, after one run that is not counted. `--cold`
is the number of runs with an empty cache folder.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from typing import Final, NamedTuple

from benchmarks.measuring import Table, in_turn, parser_of
from benchmarks.play_works import ANALYZE, STARTS

_VIEW: Final = (
    "masons1 board=classic players=2 active=0 phase=wall "
    "hands=city-red+city-rose+land-red+land-blue+land-shore+cities/?6"
)
_READY: Final = (("mei", "meiok"), ("isready", "readyok"))
_GO: Final = (
    (f"newgame players 2 seat 0 board classic\nposition {_VIEW}\ngo sims 1000", "bestmove"),
)
# For each process: Python's arguments, and pairs (line to send, first word of the answer).
PROCESSES: Final[dict[str, tuple[tuple[str, ...], tuple[tuple[str, str], ...]]]] = {
    **{name: (("-m", "masons.cli", *arguments), ()) for name, arguments in STARTS.items()},
    "protocol, to meiok": (("-m", "masons.cli", "protocol"), _READY[:1]),
    "protocol, to readyok": (("-m", "masons.cli", "protocol"), _READY),
    "protocol, to bestmove": (("-m", "masons.cli", "protocol"), _READY + _GO),
    "import masons; masons.Game": (("-c", "import masons; masons.Game"), ()),
}
COLD: Final = next(name for name, arguments in STARTS.items() if arguments == ANALYZE)


class ProcessCost(NamedTuple):
    """The CPU seconds and the memory of a process."""

    seconds: float
    mebibytes: float


def cost(name: str, jit: bool, cache: str, _: int = 0) -> ProcessCost:
    """Return the cost of a process with the cache folder `cache`, or with a new one if it is ""."""
    if not cache:
        with tempfile.TemporaryDirectory() as empty:
            return cost(name, jit, empty)
    arguments, dialogue = PROCESSES[name]
    environment = {**os.environ, "XDG_CACHE_HOME": cache, "MASONS_JIT": str(int(jit))}
    process = subprocess.Popen(
        [sys.executable, *arguments], env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    for line, answer in dialogue:
        print(line, file=process.stdin, flush=True)
        for said in process.stdout:
            if said.startswith(answer):
                break
    process.stdin.close()
    process.stdout.read()
    process.stdout.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    return ProcessCost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def table(rounds: int, cold: int) -> Table:
    """Measure all processes with both kinds of kernels, and return the table."""
    with tempfile.TemporaryDirectory() as cache:
        warm = {
            (name, jit): partial(cost, name, jit, cache)
            for name in PROCESSES
            for jit in (False, True)
        }
        costs = {key: runs[1:] for key, runs in in_turn(warm, rounds + 1).items()}
    empty = {(f"{COLD}, cold", jit): partial(cost, COLD, jit, "") for jit in (False, True)}
    costs |= in_turn(empty, cold)
    rows = []
    for name in dict.fromkeys(name for name, _ in costs):
        cells = [f"`{name}`"]
        for jit in (False, True):
            took = [run.seconds for run in costs[name, jit]]
            cells += [f"{f(took):.2f}" for f in (min, statistics.median, max)]
            cells.append(f"{statistics.median(run.mebibytes for run in costs[name, jit]):.0f}")
        rows.append(tuple(cells))
    heads = ("least", "median", "most", "MiB")
    jit_heads = ("compiled: least", *heads[1:])
    return Table(("CPU seconds of", "made ahead: least", *heads[1:], *jit_heads), rows)


def main() -> None:
    """Print the table."""
    options = parser_of(__doc__, rounds=5, cold=1).parse_args()
    print(table(options.rounds, options.cold))


if __name__ == "__main__":
    main()
