"""The workers of a dask cluster, on any number of machines: the extra `cluster`.

Why dask and not ray: what is asked for is a queue of independent jobs of some seconds each, run
again where a worker is lost. dask.distributed does just that, in pure Python, with wheels for every
platform and every Python that this project runs on; a cluster is two commands (`dask scheduler`,
`dask worker`), many sites have one, and a cluster inside one process is good enough for tests. ray
brings a native runtime of its own with an object store, a dashboard and pinned versions, takes
seconds to start, and is late with wheels for new Pythons; its actors would keep engines alive
between games, which threads of a dask worker do as well.

Start workers with one thread each (`dask worker --nthreads 1`), as searches keep a core busy, and
with the same version of this package.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable
from typing import Any, Final, TypeVar

from masons.engine.errors import MasonsError
from masons.engine.plain_words import quoted

J = TypeVar("J")
R = TypeVar("R")

CONNECT_SECONDS: Final = 10
_PORT: Final = re.compile(r":[0-9]{1,5}/?$", re.ASCII)
_ADDRESS: Final = re.compile(
    rf"inproc://.+|(?:(?:tcp|tls|ucx|wss?)://)?[^/]+{_PORT.pattern}", re.ASCII
)
# Jobs given out for each thread of the cluster: enough that none waits for the next.
_AHEAD: Final = 2


class Cluster:
    """The workers of the scheduler at an address; a lost worker's jobs are run again."""

    def __init__(self, address: str) -> None:
        """Connect. Raises MasonsError where dask is not installed or nobody answers."""
        if not _ADDRESS.fullmatch(address):  # of such a one dask lets go only after 20 s
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
        """Each job with its result, as they are done."""
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
            self._client.close()

    def _threads(self) -> int:
        """The threads of all workers, as far as they are there by now; at least 1."""
        return max(1, sum(map(int, self._client.nthreads().values())))


def _line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return text[0] if text else type(error).__name__
