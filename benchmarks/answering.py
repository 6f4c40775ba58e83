"""How soon the engine answers through the protocol, in real processes.

    python -m benchmarks.answering [--rounds 9] [--stops 200]

Wall-clock milliseconds: from the start of the process to `meiok` and to `readyok`, its kernels in
the cache; from `stop` to `bestmove`; from `go movetime 50` to `bestmove`, less 50; and from the end
of input to the end of the process, while it searches.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from benchmarks.harness.markdown_table import Table
from benchmarks.harness.measuring import positive
from masons.engine.formats.position_text import format_position
from masons.engine.game.game import Game
from masons.protocol.client.engine_client import Engine, Limits

COMMAND = [sys.executable, "-m", "masons.cli", "protocol"]
MOVETIME = 50


def milliseconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def starts(rounds: int) -> dict[str, list[float]]:
    """To the handshake's end, to readiness, and from the end of input in a search."""
    kinds = ("start to meiok", "start to readyok", "end of input")
    found: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(rounds):
        engine = Engine(COMMAND)
        began = time.perf_counter()
        engine.start()
        found["start to meiok"].append(1000 * (time.perf_counter() - began))
        engine.ready()
        found["start to readyok"].append(1000 * (time.perf_counter() - began))
        engine.position(opening())
        engine.begin(Limits(infinite=True))
        time.sleep(0.05)
        found["end of input"].append(milliseconds(engine.quit))
    return found


def answers(stops: int) -> dict[str, list[float]]:
    """From `stop`, and beyond the time of a search."""
    found: dict[str, list[float]] = {"stop to bestmove": [], f"movetime {MOVETIME}, late by": []}
    with Engine(COMMAND) as engine:
        engine.position(opening())
        engine.ready()
        for _ in range(stops):
            engine.begin(Limits(infinite=True))
            time.sleep(0.03)
            engine.stop()
            found["stop to bestmove"].append(milliseconds(engine.wait))
            took = milliseconds(lambda: engine.go(Limits(movetime_ms=MOVETIME)))
            found[f"movetime {MOVETIME}, late by"].append(took - MOVETIME)
    return found


def opening() -> str:
    """The first decision of a game."""
    game = Game(2, seed=1)
    return format_position(game.view(game.seat), game.board)


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
    options = parser.parse_args()
    print(table(options.rounds, options.stops))


if __name__ == "__main__":
    main()
