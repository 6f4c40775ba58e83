"""How soon a running search ends when it is told to, and when Ctrl-C is pressed.

    python benchmarks/stopping.py [--rounds 100] [--threads 2]

Wall-clock milliseconds: from the stop flag to the end of a search's thread; and from the signal to
the results of a search in several threads.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import threading
import time
from collections.abc import Callable

from masons.ai.search import Search, SearchOptions, analyse
from masons.engine.game import Game


def stop_delay(game: Game, seed: int) -> float:
    """Milliseconds from the stop flag to the end of one search."""
    search = Search(game.table, game.seen(game.seat), seed, SearchOptions(memory_mb=64))
    search.run(1)
    thread = threading.Thread(target=search.run, args=(1 << 60,), daemon=True)
    thread.start()
    time.sleep(0.01)
    began = time.perf_counter()
    search.stop()
    thread.join()
    return 1000 * (time.perf_counter() - began)


def interrupt_delay(game: Game, seed: int, threads: int) -> float:
    """Milliseconds from Ctrl-C to the results of a search in so many threads."""
    sent: list[float] = []

    def interrupt() -> None:
        time.sleep(0.03)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    options = SearchOptions(memory_mb=64, threads=threads)
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        found = analyse(game.table, game.seen(0), seconds=60, seed=seed, options=options)
    except KeyboardInterrupt:  # before the search began
        return interrupt_delay(game, seed, threads)
    assert found.stopped
    return 1000 * (time.perf_counter() - sent[0])


def show(name: str, delay: Callable[[int], float], rounds: int) -> None:
    """Print median, 99th percentile and maximum."""
    delays = sorted(delay(i) for i in range(rounds + 1))[:-1]
    tail = delays[int(0.99 * len(delays))]
    print(f"{name}, ms: median {statistics.median(delays):.2f}, 99 % {tail:.2f}, "
          f"most {delays[-1]:.2f}", flush=True)  # fmt: skip


def main() -> None:
    """Print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    game = Game(2, seed=1)
    stop_delay(game, 0)
    show("stop flag", lambda i: stop_delay(game, i), options.rounds)
    for threads in (1, options.threads):
        show(f"Ctrl-C, {threads} threads", lambda i, n=threads: interrupt_delay(game, i, n),
             options.rounds)  # fmt: skip


if __name__ == "__main__":
    main()
