"""How soon the engine answers through the protocol, in real processes.

    python -m benchmarks.answering [--rounds 9] [--stops 200]
    python -m benchmarks.answering --busy 0,2,4 [--stops 40] [--method ismcts] [--threads 2]

Wall-clock milliseconds: from the start of the process to `meiok` and to `readyok`, its kernels in
the cache; from `stop` to `bestmove`; from `go movetime 50` to `bestmove`, less 50; and from the end
of input to the end of the process, while it searches.

With `--busy` it is `go movetime` in milliseconds from 1 to 100, while so many other processes do
nothing but count: how many answers came late, and the time within which 95 % of them came, by the
client's clock. Beside it, with the same loops, what the system itself needs: a process that counts
for 2 ms, about what an answer takes beside its search, and writes a line; late is what came after
5 ms.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from benchmarks.measuring import Table, positive
from masons.engine.formats.position_text import format_position
from masons.engine.game.game import Game
from masons.protocol.client.engine_client import Engine, Limits

COMMAND = [sys.executable, "-m", "masons.cli", "protocol"]
MOVETIME = 50
MOVETIMES = (1, 5, 10, 20, 100)
PLAIN_LIMIT = 5  # ms, of the process that only counts
PLAIN = """
import sys, time
for line in sys.stdin:
    end = time.process_time() + 0.002
    while time.process_time() < end:
        pass
    print("done", flush=True)
"""


def milliseconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def starts(rounds: int) -> dict[str, list[float]]:
    """To the handshake's end, to readiness, and from the end of input in a search."""
    kinds = ("start to meiok", "start to readyok", "end of input")
    delays: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(rounds):
        engine = Engine(COMMAND)
        began = time.perf_counter()
        engine.start()
        delays["start to meiok"].append(1000 * (time.perf_counter() - began))
        engine.ready()
        delays["start to readyok"].append(1000 * (time.perf_counter() - began))
        engine.position(opening())
        engine.begin(Limits(infinite=True))
        time.sleep(0.05)
        delays["end of input"].append(milliseconds(engine.quit))
    return delays


def answers(stops: int) -> dict[str, list[float]]:
    """From `stop`, and beyond the time of a search."""
    delays: dict[str, list[float]] = {"stop to bestmove": [], f"movetime {MOVETIME}, late by": []}
    with Engine(COMMAND) as engine:
        engine.position(opening())
        engine.ready()
        for _ in range(stops):
            engine.begin(Limits(infinite=True))
            time.sleep(0.03)
            engine.stop()
            delays["stop to bestmove"].append(milliseconds(engine.wait))
            took = milliseconds(lambda: engine.go(Limits(movetime_ms=MOVETIME)))
            delays[f"movetime {MOVETIME}, late by"].append(took - MOVETIME)
    return delays


def opening() -> str:
    """The first decision of a game."""
    game = Game(2, seed=1)
    return format_position(game.view(game.seat), game.board)


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """So many processes that take all the time they get."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def under_load(loads: Sequence[int], stops: int, options: Mapping[str, str]) -> Table:
    """`go movetime` beside busy loops."""
    rows = []
    with Engine(COMMAND) as engine:
        for name, value in options.items():
            engine.set_option(name, value)
        engine.ready()
        for load in loads:
            with busy_loops(load):
                for limit in MOVETIMES:
                    took = answer_times(engine, limit, stops)
                    rows.append((str(load), str(limit), *_cells(limit, sorted(took))))
                rows.append((str(load), "none", *_cells(PLAIN_LIMIT, sorted(plain_times(stops)))))
    return Table(("busy loops", "movetime", "late", "ms, 95 % within", "most"), rows)


def _cells(limit: int, took: Sequence[float]) -> tuple[str, str, str]:
    """How many were late, within which time 95 % came, and the longest."""
    late = sum(ms > limit for ms in took)
    within = took[max(0, -(-95 * len(took) // 100) - 1)]
    return f"{late} of {len(took)}", f"{within:.1f}", f"{took[-1]:.1f}"


def plain_times(count: int) -> Iterator[float]:
    """From a line to the answer of a process that only counts."""
    process = subprocess.Popen(
        [sys.executable, "-c", PLAIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        for _ in range(count):
            time.sleep(0.005)  # as where an engine is given a position
            began = time.perf_counter()
            process.stdin.write(b"go\n")
            process.stdin.flush()
            process.stdout.readline()
            yield 1000 * (time.perf_counter() - began)
        process.stdin.close()


def answer_times(engine: Engine, limit: int, count: int) -> Iterator[float]:
    """From `go movetime` to `bestmove`, at the first decision of a new game each."""
    for _ in range(count):
        engine.position(opening())
        engine.ready()
        yield 1000 * engine.go(Limits(movetime_ms=limit)).seconds


def table(rounds: int, stops: int) -> Table:
    """Measure."""
    rows = []
    for name, took in {**starts(rounds), **answers(stops)}.items():
        took.sort()
        figures = (took[len(took) // 2], took[max(0, -(-99 * len(took) // 100) - 1)], took[-1])
        rows.append((name, str(len(took)), *(f"{figure:.1f}" for figure in figures)))
    return Table(("from", "times", "ms, median", "99 % within", "most"), rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=positive, default=9)
    parser.add_argument("--stops", type=positive, default=200)
    parser.add_argument("--busy", help="numbers of busy loops like 0,2,4")
    parser.add_argument("--method", choices=("halving", "ismcts"), default="halving")
    parser.add_argument("--threads", type=positive, default=1)
    options = parser.parse_args()
    if options.busy is None:
        print(table(options.rounds, options.stops))
        return
    loads = [int(load) for load in options.busy.split(",")]
    settings = {"Method": options.method, "Threads": str(options.threads)}
    print(under_load(loads, options.stops, settings))


if __name__ == "__main__":
    main()
