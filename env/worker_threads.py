"""Threads that share a batch: they wait for the next step, and sleep where none comes soon.

What they do is in `masons.env.stepping.shared_work`. The threads stay between steps, as a new one
would take longer to start than a step.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from contextlib import suppress
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Word, field_of
from masons.env.stepping.batch_kernels import Batch, pick_actions, step_envs
from masons.env.stepping.shared_work import (
    AWAKE,
    BLOCK_WORDS,
    BLOCKS,
    CALLED,
    CLOSED,
    JOB,
    SLEEP,
    STEP_JOB,
    WRONG,
    Shared,
    begin_job,
    finish_job,
    new_mail,
    serve_jobs,
)

Words = NDArray[np.uint64]

# How long a thread looks for another job, in nanoseconds, before it sleeps: longer than it takes to
# choose actions without a network.
_PATIENCE: Final = U(200_000)
# Between two looks at whether late threads are done, in seconds.
_PAUSE: Final = 0.00002
# Jobs that the caller does alone after others were late: twice as many each time that they are
# again, one less each time that they are not. On a machine whose cores are busy it would wait for
# them longer than they help.
_FIRST_ALONE: Final = 8
_MOST_ALONE: Final = 1024


class _Pool:
    """The threads beside the caller's, and what they share: nothing that holds the environments."""

    def __init__(self, batch: Batch, shared: Shared, mail: Words) -> None:
        self.batch, self.shared, self._mail = batch, shared, mail
        blocks = mail[int(BLOCKS) :].reshape(-1, BLOCK_WORDS)
        self._sleep = blocks[:, int(SLEEP)]
        self._wakers = [threading.Lock() for _ in blocks]
        for waker in self._wakers:
            waker.acquire()
        # Where it has to be compiled, it is now, and not by each thread.
        serve_jobs(batch, shared, U(0), U(0))
        for number in range(1, len(blocks)):
            threading.Thread(target=_serve, args=(self, number), daemon=True).start()

    @property
    def wrong(self) -> int:
        """The first environment whose action was not legal, or their number."""
        return int(self._mail[int(WRONG)])

    def wake(self) -> None:
        """Wake those that are called."""
        for number in np.flatnonzero(self._sleep == CALLED).tolist():
            self._sleep[number] = AWAKE
            self._wakers[number].release()

    def sleep(self, number: int) -> None:
        """Sleep until a thread is woken."""
        self._wakers[number].acquire()

    def close(self) -> None:
        """End the threads."""
        self._mail[int(JOB)] = CLOSED
        for waker in self._wakers:
            with suppress(RuntimeError):  # it is awake already
                waker.release()


def _serve(pool: _Pool, number: int) -> None:
    while serve_jobs(pool.batch, pool.shared, U(number), _PATIENCE) != CLOSED:
        pool.sleep(number)


class Workers:
    """So many threads for a batch of `len(actions)` environments, the caller's included.

    `actions` (uint64[n]) are made by STEP_JOB; PICK_JOB fills `picked` (uint64[n]) by `rng`.
    """

    def __init__(
        self, threads: int, batch: Batch, actions: Words, picked: Words, rng: Words
    ) -> None:
        self._threads, self._batch = threads, batch
        self._arrays = actions, picked, rng
        self._process = 0
        self._alone, self._next_alone = 0, _FIRST_ALONE

    def run(self, kind: Word) -> int:
        """Do a job; all of it is done afterwards. Ctrl-C takes effect then: jobs are short.

        Returns the first environment whose action is not legal (then nothing is done), or n.
        """
        if self._alone:
            self._alone -= 1
            return self._run_alone(kind)
        if self._process != os.getpid():
            self._start()  # also in a forked process, where the threads are gone
        pool = self._pool
        if begin_job(pool.batch, pool.shared, kind, _PATIENCE) and self._finish(pool):
            self._alone = self._next_alone
            self._next_alone = min(2 * self._next_alone, _MOST_ALONE)
        else:
            self._next_alone = max(self._next_alone - 1, _FIRST_ALONE)
        return pool.wrong

    def _run_alone(self, kind: Word) -> int:
        actions, picked, rng = self._arrays
        if kind == STEP_JOB:
            return int(step_envs(self._batch, actions))
        pick_actions(self._batch, rng, picked)
        return len(actions)

    def close(self) -> None:
        """End the threads; no job can be done any more."""
        if self._process == os.getpid():
            self._pool.close()

    def _finish(self, pool: _Pool) -> bool:
        """Wait for a job that was begun; whether that took long."""
        interrupt: KeyboardInterrupt | None = None
        is_done, is_late = False, False
        while not is_done:
            try:
                pool.wake()
                is_done = not finish_job(pool.batch, pool.shared, _PATIENCE)
                if not is_done:
                    is_late = True
                    time.sleep(_PAUSE)
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt
        return is_late

    def _start(self) -> None:
        self._process = os.getpid()
        mail = new_mail(self._threads, len(self._arrays[0]))
        actions, picked, rng = map(field_of, self._arrays)
        shared = Shared(
            mail=field_of(mail), actions=actions, picked=picked, rng=rng,
            threads=U(self._threads), envs=U(len(self._arrays[0])),
        )  # fmt: skip
        self._pool = _Pool(self._batch, shared, mail)
        weakref.finalize(self, self._pool.close)
