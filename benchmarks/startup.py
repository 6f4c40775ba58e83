"""Measure the cost of starting: CPU seconds (user and system) and memory of whole processes.

    python -m benchmarks.startup [--rounds 5] [--cold 1]

Each with the kernels that were made ahead of time, where the install has them, and with kernels
that are compiled on first use (`MASONS_JIT=1`), in turn. `warm` runs after one run that is not
counted; `cold` runs each with an empty cache folder.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from typing import Final, NamedTuple

from benchmarks.measuring import Table, positive
from benchmarks.play_works import ANALYZE, STARTS

COLD: Final = "analyze --sims 1000, cold"
_VIEW: Final = (
    "masons1 board=classic players=2 active=0 phase=wall "
    "hands=city-red+city-rose+land-red+land-blue+land-shore+cities/?6"
)
_READY: Final = (("mei", "meiok"), ("isready", "readyok"))
_GO: Final = (
    (f"newgame players 2 seat 0 board classic\nposition {_VIEW}\ngo sims 1000", "bestmove"),
)
# Python's arguments, and what the process is told and answers.
PROCESSES: Final[dict[str, tuple[tuple[str, ...], tuple[tuple[str, str], ...]]]] = {
    **{name: (("-m", "masons.cli", *arguments), ()) for name, arguments in STARTS.items()},
    "protocol, to meiok": (("-m", "masons.cli", "protocol"), _READY[:1]),
    "protocol, to readyok": (("-m", "masons.cli", "protocol"), _READY),
    "protocol, to bestmove": (("-m", "masons.cli", "protocol"), _READY + _GO),
    "import masons; masons.Game": (("-c", "import masons; masons.Game"), ()),
}


class Cost(NamedTuple):
    """The cost of a process."""

    seconds: float
    mebibytes: float


def cost(name: str, cache: str, *, jit: bool) -> Cost:
    """Run a process, with its kernels in a cache folder."""
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
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def costs(rounds: int, cold: int) -> dict[str, dict[bool, list[Cost]]]:
    """Measure: all processes in turn, both ways, round after round."""
    measured: dict[str, dict[bool, list[Cost]]] = {
        name: {False: [], True: []} for name in (*PROCESSES, COLD)
    }
    with tempfile.TemporaryDirectory() as cache:
        for counted in [False] + [True] * rounds:
            for name in PROCESSES:
                for jit in (False, True):
                    took = cost(name, cache, jit=jit)
                    if counted:
                        measured[name][jit].append(took)
    (analyze,) = (name for name, arguments in STARTS.items() if arguments == ANALYZE)
    for _ in range(cold):
        for jit in (False, True):
            with tempfile.TemporaryDirectory() as cache:
                measured[COLD][jit].append(cost(analyze, cache, jit=jit))
    return measured


def table(rounds: int, cold: int) -> Table:
    """Both ways beside each other."""
    rows = []
    for name, ways in costs(rounds, cold).items():
        row = [f"`{name}`"]
        for way in ways.values():
            took = [run.seconds for run in way]
            row += [f"{f(took):.2f}" for f in (min, statistics.median, max)]
            row.append(f"{statistics.median(run.mebibytes for run in way):.0f}")
        rows.append(tuple(row))
    heads = ("least", "median", "most", "MiB")
    jit = ("compiled: least", *heads[1:])
    return Table(("CPU seconds of", "made ahead: least", *heads[1:], *jit), rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--cold", type=positive, default=1)
    options = parser.parse_args()
    print(table(options.rounds, options.cold))


if __name__ == "__main__":
    main()
