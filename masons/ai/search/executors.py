"""Executors: threads of this process, processes of this machine, and the workers of a dask cluster.

All are executors as in `concurrent.futures`. The games of rollouts and matches are jobs for them. A
job is plain data, the function that does it is defined at the top level of a module, and its result
depends only on the job, so a job can be sent to any process and be run again.

A cluster, which needs the extra `cluster`, can have any number of machines. All machines need the
same version of this package. Start each worker with one thread (`dask worker --nthreads 1`),
because a search keeps a core busy. Dask is enough for a queue of independent jobs and, unlike ray,
is pure Python.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeVar

from masons.ai.search.threads import workers
from masons.engine.errors import MasonsError
from masons.engine.extras import install_command
from masons.engine.plain_text import quoted

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

J = TypeVar("J")
R = TypeVar("R")

_AHEAD: Final = 2  # jobs submitted for each worker, so that no worker waits for its next job


class Workers(Executor):
    """An executor that says how many jobs to keep submitted."""

    @property
    def queue_size(self) -> int:
        """The number of unfinished jobs with which no worker waits."""
        raise NotImplementedError


def completed(
    executor: Workers, work: Callable[[J], R], jobs: Iterable[J]
) -> Generator[tuple[J, R], None, None]:
    """Yield each job with its result as soon as the job is done.

    The next job is taken from `jobs` when the executor has room for it. The job of a lost worker is
    run again. Raises any exception that `work` raises. Close the generator to stop before the end.
    """
    more, running = iter(jobs), dict[Future[R], J]()
    try:
        while True:
            while len(running) < executor.queue_size and (job := next(more, None)) is not None:
                running[executor.submit(work, job)] = job
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                job = running.pop(future)
                try:
                    result = future.result()
                except BrokenExecutor:
                    more = chain([job], more)
                else:
                    yield job, result
    finally:
        for future in running:
            future.cancel()


# --- threads


class Threads(Workers):
    """`count` threads of this process, which are kept; 1 stands for the calling thread."""

    def __init__(self, count: int = 1) -> None:
        self._count = count

    @property
    def queue_size(self) -> int:
        """The number of unfinished jobs with which no thread waits."""
        return _AHEAD * self._count if self._count > 1 else 1

    def submit(self, work: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        """Submit a job and return its future; a single thread does the job now."""
        if self._count > 1:
            return workers(self._count).submit(work, *args, **kwargs)
        future = Future[R]()
        try:
            future.set_result(work(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


# --- processes

# The run ends with an error when this number of workers are lost without a result in between.
MAX_LOSSES: Final = 3
_POLL_SECONDS: Final = 0.1
_KILL_SECONDS: Final = 5.0  # time that workers get to exit before they are killed
_MOST: Final = 61 if sys.platform == "win32" else 1 << 16  # the most workers of a pool


class Processes(Workers):
    """`count` processes of this machine, which start when they are needed.

    The processes end when this process ends, even if it is killed. If a worker is lost, its pool is
    broken: all unfinished jobs fail with BrokenExecutor, and the next `submit` starts a new pool.
    That `submit` raises MasonsError if MAX_LOSSES workers were lost without a result in between.
    """

    def __init__(self, count: int) -> None:
        self._count, self._losses = count, 0
        self._pool: _Pool | None = None

    @property
    def queue_size(self) -> int:
        """The number of unfinished jobs with which no process waits."""
        return self._count + 1

    def submit(self, work: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        """Submit a job and return its future."""
        if self._pool is None:
            self._pool = _Pool(self._count)
        try:
            future = self._pool.submit(work, *args, **kwargs)
        except BrokenExecutor:
            self.shutdown()
            self._losses += 1
            if self._losses == MAX_LOSSES:
                lost = f"{MAX_LOSSES} worker processes were lost one after the other"
                raise MasonsError(lost) from None
            return self.submit(work, *args, **kwargs)
        future.add_done_callback(self._note_result)
        return future

    def _note_result(self, future: Future[Any]) -> None:
        if not future.cancelled() and future.exception() is None:
            self._losses = 0

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """End all workers, even if they are busy."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None


class _Pool:
    """A pool of processes that exit when their pipe to this process closes."""

    def __init__(self, count: int) -> None:
        # Loading these takes longer than a short search.
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        context = get_context("spawn")
        self._far, self._near = context.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(
            min(count, _MOST), mp_context=context, initializer=_begin_worker, initargs=(self._far,)
        )

    def submit(self, work: Callable[..., R], *args: Any, **kwargs: Any) -> Future[R]:
        """Submit a job. Raises BrokenExecutor if a worker was lost."""
        with _without_interrupts():
            return self._executor.submit(_do, work, *args, **kwargs)

    def close(self) -> None:
        """End all workers. After some seconds, kill those that are left, such as stopped ones."""
        processes = list((self._executor._processes or {}).values())

        def kill() -> None:
            for process in processes:
                process.kill()

        self._near.close()
        killer = threading.Timer(_KILL_SECONDS, kill)
        killer.daemon = True
        killer.start()
        try:
            self._executor.shutdown(wait=True, cancel_futures=True)
        finally:
            killer.cancel()
            kill()
            self._far.close()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold back SIGINT until the end, and also in processes that start meanwhile if possible.

    Ctrl-C reaches all processes of a terminal. A worker that imports modules must not raise
    KeyboardInterrupt, and neither must this process before it has told the worker what to import.
    """
    received = list[int]()
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT)
    if is_main:
        signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    has_mask = hasattr(signal, "pthread_sigmask")
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if has_mask else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if is_main:
            signal.signal(signal.SIGINT, handler)
        if received:
            signal.raise_signal(signal.SIGINT)


# A worker's main thread holds this lock except during `work`, so that the worker cannot exit while
# it is sending a result. Otherwise the parent could receive half of a result and wait for the rest
# forever.
_sending: Final = threading.Lock()


def _begin_worker(lifeline: Connection) -> None:
    # The parent handles Ctrl-C. Use a handler that does nothing, because the engines that a worker
    # starts would inherit SIG_IGN, and also that SIGINT is blocked.
    signal.signal(signal.SIGINT, lambda *_: None)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _sending.acquire()
    threading.Thread(target=_leave_with, args=(lifeline,), daemon=True).start()


def _do(work: Callable[..., R], *args: Any, **kwargs: Any) -> R:
    _sending.release()
    try:
        return work(*args, **kwargs)
    finally:
        _sending.acquire()


def _leave_with(lifeline: Connection) -> None:
    """Exit when the other end of the pipe closes, which means that the pool or parent has ended."""
    from multiprocessing import parent_process

    parent = parent_process()
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


class Cluster(Workers):
    """The workers of a dask scheduler. If a worker is lost, dask runs its jobs again.

    As a context manager, it raises MasonsError when too many workers or the scheduler are lost.
    """

    def __init__(self, address: str) -> None:
        """Connect to a scheduler.

        Raises MasonsError if dask is not installed or no scheduler answers.
        """
        if not _ADDRESS.fullmatch(address):  # dask would try such an address for 20 s
            fault = "unknown kind of address" if _PORT.search(address) else "no port"
            raise MasonsError(f"{fault} in {quoted(address)}: write tcp://HOST:PORT")
        try:
            from distributed import Client
        except ImportError:
            raise MasonsError(f"--backend dask needs dask: {install_command('cluster')}") from None
        try:
            self._client: Any = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            raise MasonsError(f"no dask scheduler at {address}: {_line(error)}") from None
        # Dask logs tracebacks when a scheduler is gone, which ends the work anyway.
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)

    @property
    def queue_size(self) -> int:
        """The number of unfinished jobs with which no worker waits."""
        return _AHEAD * max(1, sum(map(int, self._client.nthreads().values())))

    def submit(self, work: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        """Submit a job and return its future."""
        # Not by `Client.get_executor`: its futures wait forever if results are lost on the way.
        remote, future = self._client.submit(work, *args, pure=False, **kwargs), Future[R]()

        def finish(remote: Any) -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(remote.result())
                except BaseException as error:
                    future.set_exception(error)

        remote.add_done_callback(finish)
        future.add_done_callback(lambda future: future.cancelled() and remote.cancel())
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Close the connection to the scheduler, which drops all jobs."""
        self._client.close()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Close the connection."""
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        is_lost = isinstance(error, (CancelledError, CommClosedError, TimeoutError))
        is_lost |= isinstance(error, Exception) and self._client.status != "running"
        self.shutdown()
        if isinstance(error, KilledWorker):
            raise MasonsError(
                f"dask workers were lost one after the other: {_line(error)}"
            ) from None
        if is_lost and not isinstance(error, MasonsError):
            raise MasonsError("the dask scheduler is gone, with all unfinished jobs") from None


def _line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return text[0] if text else type(error).__name__
