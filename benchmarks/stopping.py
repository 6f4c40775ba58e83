"""How soon a running search ends when it is told to, at its deadline, and by Ctrl-C.

    python -m benchmarks.stopping [--rounds 200]

Wall-clock milliseconds: from the stop flag to the end of a search's thread; from the deadline to
the end of the search; and from the signal of Ctrl-C to the results.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import threading
import time
from collections.abc import Callable

from benchmarks.measuring import Table, positive
from masons.ai.ismcts.tree_search import Search
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session, analyze
from masons.engine.game.game import Game

THREADS = 2


def stop_delay(game: Game, seed: int) -> float:
    """Milliseconds from the stop flag to the end of one search."""
    search = Search(
        game.table, game.observe(game.seat), seed, SearchOptions("ismcts", memory_mb=64)
    )
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

    options = SearchOptions("ismcts", memory_mb=64, threads=threads)
    try:
        threading.Thread(target=interrupt, daemon=True).start()
        analysis = analyze(game.table, game.observe(0), seconds=60, seed=seed, options=options)
    except KeyboardInterrupt:  # before the search began
        return interrupt_delay(game, seed, threads)
    assert analysis.stopped
    return 1000 * (time.perf_counter() - sent[0])


def deadline_delay(game: Game, seed: int, threads: int) -> float:
    """Milliseconds from the deadline to the end of a search in so many threads."""
    seconds = 0.05
    session = Session(
        game.table, seed=seed, options=SearchOptions("ismcts", memory_mb=64, threads=threads)
    )
    session.search(game.observe(0), seconds=seconds)
    return 1000 * (session.seconds - seconds)


def table(rounds: int) -> Table:
    """Measure: the stop flag, and Ctrl-C with one thread and with THREADS."""
    game = Game(2, seed=1)
    stop_delay(game, 0)
    kinds: dict[str, Callable[[int], float]] = {
        "stop flag": lambda seed: stop_delay(game, seed),
        "deadline": lambda seed: deadline_delay(game, seed, 1),
        f"deadline, {THREADS} threads": lambda seed: deadline_delay(game, seed, THREADS),
        "Ctrl-C": lambda seed: interrupt_delay(game, seed, 1),
        f"Ctrl-C, {THREADS} threads": lambda seed: interrupt_delay(game, seed, THREADS),
    }
    rows = []
    for name, delay in kinds.items():
        delays = sorted(delay(seed) for seed in range(1, rounds + 1))
        tail = delays[min(int(0.99 * len(delays)), len(delays) - 1)]
        cells = (f"{delay_ms:.2f}" for delay_ms in (statistics.median(delays), tail, delays[-1]))
        rows.append((name, str(rounds), *cells))
    return Table(("told by", "times", "ms, median", "99 % within", "most"), rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=positive, default=200)
    print(table(parser.parse_args().rounds))


if __name__ == "__main__":
    main()
