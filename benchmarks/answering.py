"""Measure how soon the engine answers through the protocol, in real processes.

    python -m benchmarks.answering [--rounds 9] [--stops 200]
    python -m benchmarks.answering --busy 0,2,4 [--stops 40] [--method ismcts] [--threads 2]

All times are wall-clock times in milliseconds. These delays are measured:

- from the start of the process, with its kernels in the cache, to `meiok` and to `readyok`
- from `stop` to `bestmove`
- from `go movetime 50` to `bestmove`, minus 50 ms
- from the end of its input to the end of a process that is searching

With `--busy`, `go movetime` is measured for times from 1 to 100 ms, while the given numbers of
processes run busy loops. The table shows how many answers came late, and the time within which 95 %
of the answers came according to the client's clock. A plain process is measured beside the same
loops to show how much of the delay comes from the operating system. It uses the processor for 2 ms,
which is about the time that an answer takes besides its search, and then writes a line. Its answers
are late after 5 ms.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from benchmarks.measuring import Table, delay_cells, milliseconds, parser_of, quantile
from masons.engine.formats.position_text import format_position
from masons.engine.game.game import Game
from masons.protocol.client.engine_client import Engine, Limits

COMMAND = [sys.executable, "-m", "masons.cli", "protocol"]
MOVETIME = 50
MOVETIMES = (1, 5, 10, 20, 100)
PLAIN_LIMIT = 5  # milliseconds after which the plain process is late
PLAIN = """
import sys, time
for line in sys.stdin:
    end = time.process_time() + 0.002
    while time.process_time() < end:
        pass
    print("done", flush=True)
"""


def opening() -> str:
    """Return the text of the first position of a game."""
    game = Game(2, seed=1)
    return format_position(game.view(game.seat), game.board)


def table(rounds: int, stops: int) -> Table:
    """Measure starts, stops, ends of input and the delays of timed answers. Return the table."""
    delays = defaultdict[str, list[float]](list)
    for _ in range(rounds):
        engine = Engine(COMMAND)
        started = milliseconds(engine.start)
        delays["start to meiok"].append(started)
        delays["start to readyok"].append(started + milliseconds(engine.ready))
        engine.position(opening())
        engine.begin(Limits(infinite=True))
        time.sleep(0.05)
        delays["end of input"].append(milliseconds(engine.quit))
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
    rows = [(name, *delay_cells(took)) for name, took in delays.items()]
    return Table(("from", "times", "ms, median", "99 % within", "most"), rows)


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Run `count` processes that use as much CPU time as they can, until the block ends."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def under_load(loads: Sequence[int], stops: int, options: Mapping[str, str]) -> Table:
    """Measure `go movetime` while busy loops run. Return the table."""
    rows = []

    def add(load: int, name: str, limit: int, times: Iterable[float]) -> None:
        ordered = sorted(times)
        late = sum(ms > limit for ms in ordered)
        within = f"{quantile(ordered, 95):.1f}", f"{ordered[-1]:.1f}"
        rows.append((str(load), name, f"{late} of {len(ordered)}", *within))

    with Engine(COMMAND) as engine:
        for name, value in options.items():
            engine.set_option(name, value)
        engine.ready()
        for load in loads:
            with busy_loops(load):
                for limit in MOVETIMES:
                    add(load, str(limit), limit, answer_times(engine, limit, stops))
                add(load, "none", PLAIN_LIMIT, plain_times(stops))
    return Table(("busy loops", "movetime", "late", "ms, 95 % within", "most"), rows)


def plain_times(count: int) -> Iterator[float]:
    """Yield the milliseconds that the plain process takes to answer a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", PLAIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        for _ in range(count):
            time.sleep(0.005)  # stands for the time that it takes to send a position
            began = time.perf_counter()
            process.stdin.write(b"go\n")
            process.stdin.flush()
            process.stdout.readline()
            yield 1000 * (time.perf_counter() - began)
        process.stdin.close()


def answer_times(engine: Engine, limit: int, count: int) -> Iterator[float]:
    """Yield the milliseconds from `go movetime` to `bestmove` at the first decision of a game."""
    for _ in range(count):
        engine.position(opening())
        engine.ready()
        yield 1000 * engine.go(Limits(movetime_ms=limit)).seconds


def main() -> None:
    """Print the table."""
    parser = parser_of(__doc__, rounds=9, stops=200, threads=1)
    parser.add_argument("--busy", help="numbers of busy loops like 0,2,4")
    parser.add_argument("--method", choices=("halving", "ismcts"), default="halving")
    options = parser.parse_args()
    if options.busy is None:
        print(table(options.rounds, options.stops))
        return
    loads = [int(load) for load in options.busy.split(",")]
    settings = {"Method": options.method, "Threads": str(options.threads)}
    print(under_load(loads, options.stops, settings))


if __name__ == "__main__":
    main()
