"""Backends that run jobs in processes of this machine or on a dask cluster.

A job is plain data, and the function that does the job is defined at the top level of a module.
Both can therefore be sent to other processes. A result depends only on its job. Results are
returned in the order in which the jobs finish.

A cluster, which needs the extra `cluster`, can have any number of machines. All machines need the
same version of this package. Start each worker with one thread (`dask worker --nthreads 1`),
because a search keeps a core busy. Dask is enough for a queue of independent jobs and, unlike ray,
is pure Python.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import chain
from multiprocessing.connection import Connection
from typing import Any, Final

from masons.ai.search.backends import AHEAD, J, R, run_ahead
from masons.engine.errors import MasonsError
from masons.engine.plain_text import quoted

# The run ends with an error when this number of workers are lost without a result in between.
MAX_LOSSES: Final = 3
_POLL_SECONDS: Final = 0.1
_MOST: Final = 61 if sys.platform == "win32" else 1 << 16  # the most workers of a pool


class Processes:
    """A backend that runs jobs in `count` processes of this machine.

    The processes end when this process ends, even if it is killed. If a worker is lost, its jobs
    are run again. Raises MasonsError if MAX_LOSSES workers are lost without a result in between.
    """

    def __init__(self, count: int) -> None:
        self._count = count

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[tuple[J, R], None, None]:
        """Yield each job with its result as soon as the job is done."""
        more, losses = iter(jobs), 0
        while losses < MAX_LOSSES:
            pool, running = _Pool(self._count), dict[Future[R], J]()
            try:
                submit = partial(pool.submit, work)
                for done in run_ahead(more, running, lambda: self._count + 1, submit):
                    losses = 0
                    yield done
                return
            except BrokenProcessPool:
                losses += 1
                more = chain(tuple(running.values()), more)
            finally:
                pool.close()
        raise MasonsError(f"{losses} worker processes were lost one after the other")


class _Pool:
    """A pool of processes that exit when their pipe to this process closes."""

    def __init__(self, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._far, self._near = context.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(
            min(count, _MOST), mp_context=context, initializer=_begin_worker, initargs=(self._far,)
        )

    def submit(self, work: Callable[[J], R], job: J) -> Future[R]:
        """Submit a job and return its future, which has already failed if the pool is broken."""
        try:
            return self._executor.submit(_do, work, job)
        except BrokenProcessPool as error:
            future = Future[R]()
            future.set_exception(error)
            return future

    def close(self) -> None:
        """End all workers, even if they are busy."""
        self._near.close()
        self._executor.shutdown(wait=True, cancel_futures=True)
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
        """Yield each job with its result as soon as the job is done."""
        from distributed import KilledWorker, as_completed

        running: dict[Any, J] = {}
        queue: Any = as_completed(loop=self._client.loop)

        def submit(job: J) -> Any:
            future = self._client.submit(work, job, pure=False)
            queue.add(future)
            return future

        try:
            yield from run_ahead(jobs, running, self._most, submit, lambda _: [next(queue)])
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

    def _most(self) -> int:
        """Return how many jobs to keep submitted: AHEAD for each thread of the workers."""
        return AHEAD * max(1, sum(map(int, self._client.nthreads().values())))


def _line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return text[0] if text else type(error).__name__
