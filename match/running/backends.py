"""Where jobs are run: in this process, or in processes of this machine.

A job is plain data and the work on it a function of a module, so that both can be sent anywhere;
results come as they are done and depend on nothing but the job. `cluster` spreads them
over machines.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Final, Protocol, TypeVar

from masons.engine.errors import MasonsError

J = TypeVar("J")
R = TypeVar("R")

# Workers lost one after the other without a result in between: then it is not by chance.
MAX_LOSSES: Final = 3
_MOST: Final = 61 if sys.platform == "win32" else 1 << 16  # workers that one pool can wait for


class Backend(Protocol):
    """Runs jobs."""

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[tuple[J, R], None, None]:
        """Each job with its result, as they are done; jobs are taken when a worker is free.

        What `work` raises is raised. To stop before the end, close the iterator.
        """


class Here:
    """In this process, one after the other."""

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[tuple[J, R], None, None]:
        """Each job with its result."""
        for job in jobs:
            yield job, work(job)


class Processes:
    """In `count` processes of this machine, which leave when this one does, even by SIGKILL.

    A lost worker's jobs are run again. Raises MasonsError where MAX_LOSSES workers in a row are
    lost without a result.
    """

    def __init__(self, count: int) -> None:
        self._count = count

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[tuple[J, R], None, None]:
        """Each job with its result, as they are done."""
        more, again = iter(jobs), deque[J]()
        losses = 0
        while losses < MAX_LOSSES:
            pool = _Pool(self._count)
            running: dict[Future[R], J] = {}
            try:
                while self._fill(pool, work, running, again, more):
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        result = future.result()
                        losses = 0
                        yield running.pop(future), result
                return
            except BrokenProcessPool:
                losses += 1
                again.extend(running.values())
            finally:
                pool.close()
        raise MasonsError(f"{losses} worker processes were lost one after the other")

    def _fill(
        self,
        pool: _Pool,
        work: Callable[[J], R],
        running: dict[Future[R], J],
        again: deque[J],
        more: Iterator[J],
    ) -> bool:
        """Keep every worker busy, with one job in reserve; whether anything is running."""
        while len(running) <= self._count:
            if not again:
                again.extend(job for _, job in zip(range(1), more, strict=False))
            if not again:
                break
            running[pool.executor.submit(work, again[0])] = again[0]
            again.popleft()
        return bool(running)


class _Pool:
    """A pool of processes at the end of a pipe: when it closes, for whatever reason, they go."""

    def __init__(self, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._far, self._near = context.Pipe(duplex=False)
        self.executor = ProcessPoolExecutor(
            min(count, _MOST), mp_context=context, initializer=_begin_worker, initargs=(self._far,)
        )

    def close(self) -> None:
        """End the workers, also those that are at work."""
        self._near.close()
        self.executor.shutdown(wait=True, cancel_futures=True)
        self._far.close()


def _begin_worker(lifeline: Connection) -> None:
    # Ctrl-C is for the parent to handle. A handler, unlike "ignore", is not passed on to engines.
    signal.signal(signal.SIGINT, lambda *_: None)
    threading.Thread(target=_leave_with, args=(lifeline,), daemon=True).start()


def _leave_with(lifeline: Connection) -> None:
    """Wait for the other end to close, which happens when the parent dies, too."""
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
