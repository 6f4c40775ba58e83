"""How soon a running search stops when it is told to.

    python benchmarks/stopping.py [--rounds 200]

Wall-clock milliseconds from the stop flag to the end of the search thread.
"""

from __future__ import annotations

import argparse
import statistics
import threading
import time

from masons.ai.search import Search, SearchOptions
from masons.engine.game import Game
from measuring import positive
from tables import Table


def delay(game: Game, seed: int) -> float:
    """Milliseconds until a search has stopped that has run for a while."""
    search = Search(game.table, game.seen(game.seat), seed, SearchOptions(memory_mb=64))
    search.run(1)
    thread = threading.Thread(target=search.run, args=(1 << 60,), daemon=True)
    thread.start()
    time.sleep(0.01)
    began = time.perf_counter()
    search.stop()
    thread.join()
    return 1000 * (time.perf_counter() - began)


def table(rounds: int) -> Table:
    """Measure."""
    game = Game(2, seed=1)
    delay(game, 0)
    delays = sorted(delay(game, seed) for seed in range(1, rounds + 1))
    tail = delays[min(int(0.99 * len(delays)), len(delays) - 1)]
    cells = (f"{found:.2f}" for found in (statistics.median(delays), tail, delays[-1]))
    return Table(("times stopped", "ms, median", "99 % within", "most"), [(str(rounds), *cells)])


def main() -> None:
    """Print median, 99th percentile and maximum."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=positive, default=200)
    print(table(parser.parse_args().rounds))


if __name__ == "__main__":
    main()
