"""Searches in threads: the iterations shared out, waiting with reports now and then, stopping.

Handing over from thread to thread takes milliseconds on a busy machine, and a new thread waits
longest. So threads are kept, and a single search runs in the thread that asks for it where that can
be: Ctrl-C reaches the main thread only between kernels, so long searches leave it free.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Final, Protocol

# --- control
# The control array of a running search: how another thread, or the clock, ends it.
#
# uint64[CONTROL_WORDS], read and written by the kernels of all methods.


STOP: Final = 0  # not 0: end at once
DONE: Final = 1  # iterations so far
DEADLINE: Final = 2  # in nanoseconds of the monotonic clock; 0 is none
CONTROL_WORDS: Final = 3


# --- stop
# Ending a running search from another thread.


class _Stoppable(Protocol):
    def stop(self) -> None: ...


class Stop:
    """A word to one search, to be said from any thread, at any time: `stop.set()`.

    It is made for one call and given to that call, so it is never lost and never ends another one:
    set before the call or while it begins, it ends the search after its first iteration. Once set
    it stays so.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._running: list[_Stoppable] = []

    def set(self) -> None:
        """End the search, at once; from a signal handler too."""
        self._is_set = True
        for search in tuple(self._running):
            search.stop()

    @property
    def is_set(self) -> bool:
        """Return whether the stop was requested."""
        return self._is_set

    @contextmanager
    def ending(self, searches: Sequence[_Stoppable]) -> Iterator[None]:
        """While these searches run, `set` ends them; so it does if it was called before."""
        # First told of, then looked at: `set` does it the other way round, so none is missed.
        self._running.extend(searches)
        if self._is_set:
            self.set()
        try:
            yield
        finally:
            for search in searches:
                self._running.remove(search)


# How often the waiting thread looks up, for systems where Ctrl-C does not wake it; and the longest
# search for which the main thread itself may be busy.
_POLL_SECONDS: Final = 0.05


class Runnable(Protocol):
    """A search that can run in a thread."""

    def run(self, iterations: int, deadline_ns: int = 0) -> None:
        """Search up to so many iterations, those before included, or the deadline."""

    def stop(self) -> None:
        """End a `run` in another thread."""

    @property
    def iterations(self) -> int:
        """The iterations done so far."""


def shares(sims: int, threads: int) -> list[int]:
    """Return the iterations of each thread; no more threads than iterations."""
    threads = min(threads, sims)
    return [sims // threads + (number < sims % threads) for number in range(threads)]


class _Kept(threading.local):
    """The workers of this thread, by their number: they wait for no other thread's searches."""

    def __init__(self) -> None:
        self.pools: dict[int, ThreadPoolExecutor] = {}


_kept = _Kept()


def _forget() -> None:
    """In a forked process the threads are gone."""
    global _kept
    _kept = _Kept()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def workers(count: int) -> ThreadPoolExecutor:
    """So many threads, which stay for the next search of the thread that asks."""
    if count not in _kept.pools:
        _kept.pools[count] = ThreadPoolExecutor(count)
    return _kept.pools[count]


def run_all(
    searches: Sequence[Runnable],
    sims: Sequence[int],
    deadline_ns: int,
    interval: float,
    report: Callable[[], None] | None,
) -> None:
    """Run each search up to its iterations or the deadline, as in `Search.run`.

    `report` is called every `interval` seconds. None runs any longer afterwards, even where an
    exception ends it: one of a search's, of `report`, or KeyboardInterrupt.
    """
    if len(searches) == 1 and _may_run_here(deadline_ns):
        _run_here(searches[0], sims[0], deadline_ns, _Reports(searches[0], interval, report))
        return
    pool = workers(len(searches))
    futures: list[Future[None]] = []
    try:
        for search, most in zip(searches, sims, strict=True):
            futures.append(pool.submit(search.run, most, deadline_ns))
        _watch(futures, interval, report)
    except BaseException:
        for search in searches:
            search.stop()
        raise
    finally:
        wait(futures)
    for future in futures:
        future.result()


def _may_run_here(deadline_ns: int) -> bool:
    """Return whether this thread may stay in a kernel until the deadline."""
    if threading.current_thread() is not threading.main_thread():
        return True
    return 0 < deadline_ns <= time.monotonic_ns() + int(_POLL_SECONDS * 1e9)


def _run_here(search: Runnable, sims: int, deadline_ns: int, reports: _Reports) -> None:
    """Run a search in this thread."""
    reports.begin(deadline_ns)
    try:
        search.run(sims, deadline_ns)
    except KeyboardInterrupt:
        search.stop()
        if not search.iterations:
            search.run(1)
        raise
    finally:
        reports.end()


class _Reports:
    """Reports on a search that another thread runs."""

    def __init__(
        self, search: Runnable, interval: float, report: Callable[[], None] | None
    ) -> None:
        self._search = search
        self._interval = interval
        self._report = report
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._error: BaseException | None = None

    def begin(self, deadline_ns: int) -> None:
        """Report from now on, if there is time for a report at all."""
        due = time.monotonic_ns() + int(self._interval * 1e9)
        if self._report is not None and not 0 < deadline_ns <= due:
            threading.Thread(target=self._run, daemon=True).start()

    def end(self) -> None:
        """No report comes after this. Raises what a report raised."""
        # Nobody waits for the thread: it may take its time to wake up and end.
        self._ended.set()
        with self._lock:
            if self._error is not None:
                raise self._error

    def _run(self) -> None:
        assert self._report is not None
        while not self._ended.wait(self._interval):
            with self._lock:
                if self._ended.is_set():
                    return
                try:
                    self._report()
                except BaseException as error:
                    self._error = error
                    self._search.stop()
                    return


def _watch(
    futures: Sequence[Future[None]], interval: float, report: Callable[[], None] | None
) -> None:
    """Wait until all have ended."""
    due = time.monotonic() + interval
    while wait(futures, min(interval, _POLL_SECONDS)).not_done:
        if report is not None and time.monotonic() >= due:
            report()
            due = time.monotonic() + interval
