"""Searches in threads: division of the simulations, periodic reports, and stopping.

Starting a thread, or switching to another one, takes milliseconds on a busy machine. Threads are
therefore kept for later searches, and a single search runs in the calling thread if possible.
Ctrl-C reaches the main thread only between kernels, so long searches never run in the main thread.
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
# The control array of a running search, through which another thread or the clock can end the
# search: uint64[CONTROL_WORDS], which the kernels of all methods read and write.


STOP: Final = 0  # 1: end at once
DONE: Final = 1  # iterations so far
DEADLINE: Final = 2  # in nanoseconds of the monotonic clock; 0: none
CONTROL_WORDS: Final = 3


# --- stop
# Ending a running search from another thread.


class _Stoppable(Protocol):
    def stop(self) -> None: ...


class Stop:
    """A request to end one search, which any thread can make at any time by calling `set`.

    A Stop is made for one call and passed to that call, so a request is never lost and never ends
    another search. If `set` is called before the search begins, the search ends after its first
    iteration. A Stop cannot be unset.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._running: list[_Stoppable] = []

    def set(self) -> None:
        """End the search at once; this may also be called from a signal handler."""
        self._is_set = True
        for search in tuple(self._running):
            search.stop()

    @property
    def is_set(self) -> bool:
        """True once `set` has been called."""
        return self._is_set

    @contextmanager
    def ending(self, searches: Sequence[_Stoppable]) -> Iterator[None]:
        """Return a context in which `set` ends these searches, even if `set` was called earlier."""
        # Register the searches first, then read the flag; `set` does the reverse, so that no
        # request is missed.
        self._running.extend(searches)
        if self._is_set:
            self.set()
        try:
            yield
        finally:
            for search in searches:
                self._running.remove(search)


# Interval at which a waiting thread wakes up, for systems where Ctrl-C does not wake it. This is
# also the longest time that a search may take in the main thread.
_POLL_SECONDS: Final = 0.05


class Runnable(Protocol):
    """A search that can run in a thread."""

    def run(self, iterations: int, deadline_ns: int = 0) -> None:
        """Search until `iterations` in total are done, or until the deadline (0: none)."""

    def stop(self) -> None:
        """Make a `run` in another thread end."""

    @property
    def iterations(self) -> int:
        """The number of iterations done so far."""


def shares(sims: int, threads: int) -> list[int]:
    """Return the number of iterations for each thread.

    If there are fewer iterations than threads, fewer threads are used.
    """
    threads = min(threads, sims)
    return [sims // threads + (number < sims % threads) for number in range(threads)]


class _Kept(threading.local):
    """The thread pools of the calling thread, by size.

    Each thread has pools of its own, so no thread waits for the pools of another thread.
    """

    def __init__(self) -> None:
        self.pools: dict[int, ThreadPoolExecutor] = {}


_kept = _Kept()


def _forget() -> None:
    """Drop the pools in a forked process, because their threads do not exist there."""
    global _kept
    _kept = _Kept()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def workers(count: int) -> ThreadPoolExecutor:
    """Return a pool of `count` threads, which is kept for later searches of the calling thread."""
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
    """Run each search up to its number of iterations or the deadline, as `Runnable.run` does.

    `report` is called every `interval` seconds. Raises the exceptions of the searches and of
    `report`, and KeyboardInterrupt. All searches have ended when this function returns or raises.
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
    """Return whether the calling thread may stay in a kernel until the deadline."""
    if threading.current_thread() is not threading.main_thread():
        return True
    return 0 < deadline_ns <= time.monotonic_ns() + int(_POLL_SECONDS * 1e9)


def _run_here(search: Runnable, sims: int, deadline_ns: int, reports: _Reports) -> None:
    """Run a search in the calling thread."""
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
    """Periodic reports, made in a thread of their own while the search runs in another thread."""

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
        """Start reporting, unless the deadline comes before the first report."""
        due = time.monotonic_ns() + int(self._interval * 1e9)
        if self._report is not None and not 0 < deadline_ns <= due:
            threading.Thread(target=self._run, daemon=True).start()

    def end(self) -> None:
        """End the reports, and raise the exception of a report that failed."""
        # The reporting thread ends by itself when it wakes up; nobody waits for it.
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
    """Wait until all searches have ended; meanwhile, call `report` every `interval` seconds."""
    due = time.monotonic() + interval
    while wait(futures, min(interval, _POLL_SECONDS)).not_done:
        if report is not None and time.monotonic() >= due:
            report()
            due = time.monotonic() + interval
