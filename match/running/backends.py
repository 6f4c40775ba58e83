"""Backends that run jobs in this process, in processes of this machine, or on a dask cluster.

A job is plain data, and the function that does the job is defined at the top level of a module.
Both can therefore be sent to other processes. A result depends only on its job. Results are
returned in the order in which the jobs finish.

A cluster, which needs the extra `cluster`, can have any number of machines. All machines need the
same version of this package. Start each worker with one thread (`dask worker --nthreads 1`),
because a search keeps a core busy. For a queue of independent jobs dask is enough and, unlike ray,
it is pure Python.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Any, Final, Protocol, TypeVar

from masons.engine.errors import MasonsError
from masons.engine.plain_text import quoted

J = TypeVar("J")
R = TypeVar("R")

# The run ends with an error when this number of workers are lost without a result in between.
MAX_LOSSES: Final = 3
_POLL_SECONDS: Final = 0.1
_MOST: Final = 61 if sys.platform == "win32" else 1 << 16  # the most workers of a pool


class Backend(Protocol):
    """A way to run jobs."""

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[tuple[J, R], None, None]:
        """Yield each job with its result as soon as the job is done.

        The next job is taken from `jobs` when a worker is free. Raises any exception that `work`
        raises. To stop before the end, close the iterator.
        """


class Here:
    """A backend that runs jobs in this process, one after the other."""

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[tuple[J, R], None, None]:
        """Yield each job with its result, one after the other."""
        for job in jobs:
            yield job, work(job)


class Processes:
    """A backend that runs jobs in `count` processes of this machine.

    The processes end when this process ends, even if it is killed. If a worker is lost, its jobs
    are run again. Raises MasonsError if MAX_LOSSES workers are lost without a result in between.
    """

    def __init__(self, count: int) -> None:
        self._count = count

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[tuple[J, R], None, None]:
        """Yield each job with its result, as they are done."""
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
        """Submit jobs until all workers are busy and one job waits.

        Returns True if any job is running.
        """
        while len(running) <= self._count:
            if not again:
                again.extend(job for _, job in zip(range(1), more, strict=False))
            if not again:
                break
            running[pool.executor.submit(_do, work, again[0])] = again[0]
            again.popleft()
        return bool(running)


class _Pool:
    """A pool of processes that exit when their pipe to this process closes."""

    def __init__(self, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._far, self._near = context.Pipe(duplex=False)
        self.executor = ProcessPoolExecutor(
            min(count, _MOST), mp_context=context, initializer=_begin_worker, initargs=(self._far,)
        )

    def close(self) -> None:
        """End all workers, even if they are busy."""
        self._near.close()
        self.executor.shutdown(wait=True, cancel_futures=True)
        self._far.close()


# A worker's main thread holds this lock except during `work`, so that the worker cannot exit while
# it is sending a result. Otherwise the parent could receive half of a result and wait for the rest
# forever.
_sending: Final = threading.Lock()


def _begin_worker(lifeline: Connection) -> None:
    # The parent handles Ctrl-C. Use a handler that does nothing, because the engines that a worker
    # starts would inherit SIG_IGN.
    signal.signal(signal.SIGINT, lambda *_: None)
    _sending.acquire()
    threading.Thread(target=_leave_with, args=(lifeline,), daemon=True).start()


def _do(work: Callable[[J], R], job: J) -> R:
    _sending.release()
    try:
        return work(job)
    finally:
        _sending.acquire()


def _leave_with(lifeline: Connection) -> None:
    """Exit when the other end of the pipe closes, which means that the pool or parent has ended."""
    parent = multiprocessing.parent_process()
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        while not _sending.acquire(timeout=_POLL_SECONDS) and parent and parent.is_alive():
            pass  # while the parent is alive, the pool itself ends idle workers
        os._exit(1)


# --- the workers of a dask cluster

CONNECT_SECONDS: Final = 10
_PORT: Final = re.compile(r":[0-9]{1,5}/?$", re.ASCII)
_ADDRESS: Final = re.compile(
    rf"inproc://.+|(?:(?:tcp|tls|ucx|wss?)://)?[^/]+{_PORT.pattern}", re.ASCII
)
_AHEAD: Final = 2  # jobs submitted for each thread of the cluster, so that no thread waits


class Cluster:
    """A backend that runs jobs on the workers of a dask scheduler.

    If a worker is lost, its jobs are run again. The connection ends after the first `run`. If
    `stays_open` is true, it stays open until `close` is called.
    """

    def __init__(self, address: str, *, stays_open: bool = False) -> None:
        """Connect to a scheduler.

        Raises MasonsError if dask is not installed or no scheduler answers.
        """
        self._stays_open = stays_open
        if not _ADDRESS.fullmatch(address):  # dask would try such an address for 20 s
            fault = "unknown kind of address" if _PORT.search(address) else "no port"
            raise MasonsError(f"{fault} in {quoted(address)}: write tcp://HOST:PORT")
        try:
            from distributed import Client
        except ImportError:
            raise MasonsError(
                "--backend dask needs dask: pip install 'masons-engine[cluster]'"
            ) from None
        try:
            self._client: Any = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            raise MasonsError(f"no dask scheduler at {address}: {_line(error)}") from None

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[tuple[J, R], None, None]:
        """Yield each job with its result, as they are done."""
        from distributed import KilledWorker, as_completed

        more = iter(jobs)
        running: dict[Any, J] = {}
        queue: Any = as_completed(loop=self._client.loop)

        def fill() -> None:
            while len(running) < _AHEAD * self._threads() and (job := next(more, None)) is not None:
                future = self._client.submit(work, job, pure=False)
                running[future] = job
                queue.add(future)

        try:
            fill()
            while running:
                future = next(queue)
                result = future.result()
                job = running.pop(future)
                fill()
                yield job, result
        except KilledWorker as error:
            raise MasonsError(
                f"dask workers were lost one after the other: {_line(error)}"
            ) from None
        except (OSError, TimeoutError) as error:
            raise MasonsError(f"the dask scheduler is gone: {_line(error)}") from None
        finally:
            self._client.cancel(list(running), force=True)
            if not self._stays_open:
                self.close()

    def close(self) -> None:
        """Close the connection to the cluster."""
        self._client.close()

    def _threads(self) -> int:
        """Return the total number of threads of the workers that have connected, but at least 1."""
        return max(1, sum(map(int, self._client.nthreads().values())))


def _line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return text[0] if text else type(error).__name__
