"""Backends, which run jobs, and one such backend: the threads of this process.

A job is plain data, and a result depends only on its job. Results are returned in the order in
which the jobs finish. `match.running.backends` has further backends.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, Final, Protocol, TypeVar

from masons.ai.search.threads import workers

J = TypeVar("J")
R = TypeVar("R")

AHEAD: Final = 2  # jobs submitted for each thread, so that no thread waits for its next job


class Backend(Protocol):
    """A way to run jobs."""

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[tuple[J, R], None, None]:
        """Yield each job with its result as soon as the job is done.

        The next job is taken from `jobs` when a worker is free. Raises any exception that `work`
        raises. To stop before the end, close the iterator.
        """


def _first_done(running: Iterable[Future[Any]]) -> Iterable[Future[Any]]:
    return wait(running, return_when=FIRST_COMPLETED).done


def run_ahead(
    jobs: Iterable[J], running: dict[Any, J], most: Callable[[], int], submit: Callable[[J], Any],
    first_done: Callable[[Iterable[Any]], Iterable[Any]] = _first_done,
) -> Generator[tuple[J, Any], None, None]:  # fmt: skip
    """Yield each job with its result as soon as the job is done.

    `running` maps the future of each unfinished job to the job, and is modified in place. At most
    `most()` jobs are unfinished at a time. `submit` returns the future of a job, and `first_done`
    waits until some futures are done and returns these.
    """
    more = iter(jobs)

    def fill() -> None:
        while len(running) < most() and (job := next(more, None)) is not None:
            running[submit(job)] = job

    fill()
    while running:
        for future in first_done(running):
            result = future.result()
            job = running.pop(future)
            fill()
            yield job, result


class Threads:
    """A backend of `count` threads in this process; 1 stands for the calling thread."""

    def __init__(self, count: int = 1) -> None:
        self._count = count

    def run(self, work: Callable[[J], R], jobs: Iterable[J]) -> Generator[tuple[J, R], None, None]:
        """Yield each job with its result as soon as the job is done."""
        if self._count == 1:
            for job in jobs:
                yield job, work(job)
            return
        pool, running = workers(self._count), dict[Future[R], J]()
        try:
            yield from run_ahead(
                jobs, running, lambda: AHEAD * self._count, lambda job: pool.submit(work, job)
            )
        finally:
            for future in running:
                future.cancel()
            wait(running)
