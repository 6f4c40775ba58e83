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


def main() -> None:
    """Print median, 99th percentile and maximum."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    game = Game(2, seed=1)
    delays = []
    for i in range(rounds + 1):
        search = Search(game.table, game.seen(game.seat), i, SearchOptions(memory_mb=64))
        search.run(1)
        thread = threading.Thread(target=search.run, args=(1 << 60,), daemon=True)
        thread.start()
        time.sleep(0.01)
        began = time.perf_counter()
        search.stop()
        thread.join()
        delays.append(1000 * (time.perf_counter() - began))
    delays = sorted(delays[1:])
    tail = delays[int(0.99 * len(delays))]
    print(f"ms: median {statistics.median(delays):.2f}, 99 % {tail:.2f}, most {delays[-1]:.2f}")


if __name__ == "__main__":
    main()
