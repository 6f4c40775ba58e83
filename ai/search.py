"""Searching from Python: threads, limits by time and iterations, stopping, and the results.

>>> from masons.engine.game import Game
>>> game = Game(players=2, seed=3)
>>> analysis = analyse(game.table, game.view(game.seat), sims=200, seed=1)
>>> analysis.iterations, sum(stats.visits for stats in analysis.moves)
(200, 200)

Several threads search a tree each, from seeds of their own, and what they found out about the
root's moves is added up in their order. Nothing passes between them, so with iterations for a
limit, which are shared out beforehand, the result depends on nothing but the arguments.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence

from masons.ai.options import DEFAULT_SIMS, MAX_SIMS, SearchOptions
from masons.ai.results import Analysis, MoveStats
from masons.ai.single import DECISIONS, Search, analysis_of
from masons.engine.errors import MasonsError
from masons.engine.rng import mix
from masons.engine.snapshot import Position
from masons.engine.table import Table
from masons.engine.view import View

__all__ = [
    "DECISIONS",
    "DEFAULT_SIMS",
    "MAX_SIMS",
    "Analysis",
    "MoveStats",
    "Search",
    "SearchOptions",
    "analyse",
]

# How often the waiting thread looks up, for systems where Ctrl-C does not wake it.
_POLL_SECONDS = 0.05


def shares(sims: int, threads: int) -> list[int]:
    """The iterations of each thread; no more threads than iterations."""
    threads = min(threads, sims)
    return [sims // threads + (number < sims % threads) for number in range(threads)]


class _Workers:
    """Threads that run searches; an exception in one is kept for the thread that waits."""

    def __init__(self, searches: Sequence[Search], sims: Sequence[int]) -> None:
        self._searches = searches
        self._failed: list[BaseException] = []
        self._threads = [
            threading.Thread(target=self._work, args=work, daemon=True)
            for work in zip(searches, sims, strict=True)
        ]

    def _work(self, search: Search, sims: int) -> None:
        try:
            search.run(sims)
        except BaseException as error:
            self._failed.append(error)

    def start(self) -> None:
        """Let the threads run."""
        for thread in self._threads:
            thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait until all have ended, at most so long; whether they have."""
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(until - time.monotonic(), 0.0))
        return not any(thread.is_alive() for thread in self._threads)

    def stop(self) -> None:
        """End the searches at once."""
        for search in self._searches:
            search.stop()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def check(self) -> None:
        """Raise what a thread raised."""
        if self._failed:
            raise self._failed[0]


def _watch(workers: _Workers, began: float, deadline: float, interval: float,
           report: Callable[[], None] | None) -> None:  # fmt: skip
    """Wait for the searches, reporting now and then, and stop them at the deadline."""
    due = began + interval
    while True:
        now = time.monotonic()
        if now >= deadline:
            workers.stop()
            return
        until = min(deadline, due) if report is not None else deadline
        if workers.wait(min(until - now, _POLL_SECONDS)):
            return
        if report is not None and time.monotonic() >= due:
            report()
            due = time.monotonic() + interval


def analyse(
    table: Table,
    view: Position | View,
    *,
    sims: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    options: SearchOptions | None = None,
    progress: Callable[[Analysis], None] | None = None,
    interval: float = 0.5,
) -> Analysis:
    """Search a decision for `sims` iterations or `seconds` (both: whichever ends first).

    `view` is what the deciding seat sees. With `sims` alone the result depends on nothing but the
    arguments, whatever the number of threads. Ctrl-C ends the search early; the results so far are
    returned, marked `stopped`. Raises MasonsError for impossible arguments.
    """
    options = options or SearchOptions()
    sims = _checked(sims, seconds)
    each = shares(sims, options.threads)
    searches = [
        Search(table, view, mix(seed, number) if number else seed, options)
        for number in range(len(each))
    ]
    for search in searches:
        search.run(1)  # compiles, and makes sure of one result
    began = time.monotonic()
    deadline = math.inf if seconds is None else began + seconds
    workers = _Workers(searches, each)

    def report() -> None:
        if progress is not None:
            progress(analysis_of(searches, time.monotonic() - began))

    stopped = False
    try:
        workers.start()
        _watch(workers, began, deadline, interval, report if progress is not None else None)
    except KeyboardInterrupt:
        stopped = True
    finally:
        workers.stop()
    workers.check()
    return analysis_of(searches, time.monotonic() - began, stopped=stopped)


def _checked(sims: int | None, seconds: float | None) -> int:
    """The iterations to search at most. Raises MasonsError for impossible limits."""
    if sims is not None and not 1 <= sims <= MAX_SIMS:
        raise MasonsError(f"sims is {sims}: it must be from 1 to {MAX_SIMS}")
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise MasonsError(f"time is {seconds} s: it must be more than 0")
    if sims is None:
        return DEFAULT_SIMS if seconds is None else MAX_SIMS
    return sims
