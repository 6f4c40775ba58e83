"""Measure how soon a running search ends after a stop request, its deadline, or Ctrl-C.

    python -m benchmarks.stopping [--rounds 200]

All times are wall-clock times in milliseconds. These delays are measured:

- from setting the stop flag to the end of the search's thread
- from the deadline to the end of the search
- from the signal of Ctrl-C to the results of the search
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

from benchmarks.measuring import Table, delay_cells, milliseconds, parser_of
from masons.ai.ismcts.tree_search import Search
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session, analyze
from masons.engine.game.game import Game

THREADS = 2


def options_of(threads: int = 1) -> SearchOptions:
    """Return the options of a search with `threads` threads."""
    return SearchOptions("ismcts", memory_mb=64, threads=threads)


def stop_delay(game: Game, seed: int) -> float:
    """Return the milliseconds from the stop flag to the end of one search."""
    search = Search(game.table, game.observe(game.seat), seed, options_of())
    search.run(1)
    thread = threading.Thread(target=search.run, args=(1 << 60,), daemon=True)
    thread.start()
    time.sleep(0.01)
    return milliseconds(lambda: (search.stop(), thread.join()))  # type: ignore[func-returns-value]


def interrupt_delay(game: Game, seed: int, threads: int) -> float:
    """Return the milliseconds from Ctrl-C to the results of a search with `threads` threads."""
    sent: list[float] = []

    def interrupt() -> None:
        time.sleep(0.03)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    try:
        threading.Thread(target=interrupt, daemon=True).start()
        analysis = analyze(
            game.table, game.observe(0), seconds=60, seed=seed, options=options_of(threads)
        )
    except KeyboardInterrupt:  # Ctrl-C came before the search began
        return interrupt_delay(game, seed, threads)
    assert analysis.stopped
    return 1000 * (time.perf_counter() - sent[0])


def deadline_delay(game: Game, seed: int, threads: int) -> float:
    """Return the milliseconds from the deadline to the end of a search with `threads` threads."""
    seconds = 0.05
    session = Session(game.table, seed=seed, options=options_of(threads))
    session.search(game.observe(0), seconds=seconds)
    return 1000 * (session.seconds - seconds)


def main() -> None:
    """Print the table of delays.

    Deadlines and Ctrl-C are measured with 1 thread and with THREADS threads.
    """
    rounds = parser_of(__doc__, rounds=200).parse_args().rounds
    game = Game(2, seed=1)
    stop_delay(game, 0)
    kinds: dict[str, Callable[[int], float]] = {
        "stop flag": lambda seed: stop_delay(game, seed),
        "deadline": lambda seed: deadline_delay(game, seed, 1),
        f"deadline, {THREADS} threads": lambda seed: deadline_delay(game, seed, THREADS),
        "Ctrl-C": lambda seed: interrupt_delay(game, seed, 1),
        f"Ctrl-C, {THREADS} threads": lambda seed: interrupt_delay(game, seed, THREADS),
    }
    rows = [
        (name, *delay_cells([delay(seed) for seed in range(1, rounds + 1)], digits=2))
        for name, delay in kinds.items()
    ]
    print(Table(("told by", "times", "ms, median", "99 % within", "most"), rows))


if __name__ == "__main__":
    main()
