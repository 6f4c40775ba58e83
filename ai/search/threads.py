"""Searches in threads: the iterations shared out, waiting with reports now and then, stopping."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Protocol

# How often the waiting thread looks up, for systems where Ctrl-C does not wake it.
_POLL_SECONDS = 0.05


class Runnable(Protocol):
    """A search that can run in a thread."""

    def run(self, iterations: int, deadline_ns: int = 0) -> None:
        """Search up to so many iterations or the deadline."""

    def stop(self) -> None:
        """End a `run` in another thread."""

    @property
    def iterations(self) -> int:
        """The iterations done so far."""


def shares(sims: int, threads: int) -> list[int]:
    """The iterations of each thread; no more threads than iterations."""
    threads = min(threads, sims)
    return [sims // threads + (number < sims % threads) for number in range(threads)]


def run_all(
    searches: Sequence[Runnable],
    sims: Sequence[int],
    deadline_ns: int,
    interval: float,
    report: Callable[[], None] | None,
) -> None:
    """Run each search in a thread up to its iterations or the deadline, as in `Search.run`.

    `report` is called every `interval` seconds. All searches have stopped afterwards, even where
    an exception ends it: one of a search's, of `report`, or KeyboardInterrupt.
    """
    futures: list[Future[None]] = []
    with ThreadPoolExecutor(len(searches)) as pool:
        try:
            for search, most in zip(searches, sims, strict=True):
                futures.append(pool.submit(search.run, most, deadline_ns))
            _watch(futures, interval, report)
        finally:
            for search in searches:
                search.stop()
    for future in futures:
        future.result()


def _watch(
    futures: Sequence[Future[None]], interval: float, report: Callable[[], None] | None
) -> None:
    """Wait until all have ended."""
    due = time.monotonic() + interval
    while wait(futures, min(interval, _POLL_SECONDS)).not_done:
        if report is not None and time.monotonic() >= due:
            report()
            due = time.monotonic() + interval
