"""Threads that share the work on a batch. Each thread first does its own share, then helps others.

A batch has a mailbox, which is an array of words that all threads access atomically, for example
with `load_shared`:

| word              | contents                                                                   |
| ----------------- | -------------------------------------------------------------------------- |
| JOB               | number of the job, with its kind in the lower two bits; CLOSED at the end  |
| DONE              | number of finished parts; before the first job, the number of all parts    |
| WRONG             | the first environment with an illegal action, or n if there is none        |
| BLOCKS + 16 t     | for thread t: the job, and the next part of its share to be taken          |
| BLOCKS + 16 t + 8 | for thread t: AWAKE, ASLEEP, or CALLED (asleep, to be woken)               |

A job is over when all its parts are done. A thread that the system schedules late finds the number
of a newer job in the mailbox and takes no part of the old job. So no other thread ever has to wait
for a late thread. A thread begins each job with the same environments, because they are in its
processor's cache.

The threads are kept between steps, because starting a thread takes longer than a step. A waiting
thread polls the mailbox for a while (`patience`, in nanoseconds), because waking a sleeping thread
takes much longer than a step. Then the thread sleeps on a lock in Python.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from contextlib import suppress
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.engine.kernels.bits import U, add_shared, load_shared, store_shared, swap_shared
from masons.engine.kernels.jit import Word, Words, inner, now_ns
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import skip_words
from masons.env.stepping import batch_kernels

JOB: Final = U(0)
DONE: Final = U(16)
WRONG: Final = U(17)
BLOCKS: Final = U(32)
BLOCK_WORDS: Final = 16
SLEEP: Final = U(8)  # offset in a thread's block

CLOSED: Final = U(1 << 63)
STEP_JOB: Final = U(1)
PICK_JOB: Final = U(2)
AWAKE: Final = U(0)
ASLEEP: Final = U(1)
CALLED: Final = U(2)

_PART = U(batch_kernels.PART)
_BLOCK = U(BLOCK_WORDS)
_KIND = U(3)
_NEXT_JOB = U(4)
_PART_BITS = U(20)  # enough bits, because there are at most 2^16 parts
_NO_PART = U((1 << 20) - 1)


class Shared(NamedTuple):
    """The memory, besides a batch of n environments, that threads share."""

    mail: Words  # uint64[BLOCKS + BLOCK_WORDS * threads]
    actions: Words  # uint64[n]: actions to make
    picked: Words  # uint64[n]: filled with random legal actions
    rng: Words  # uint64[1]: the generator of these actions
    threads: Word
    envs: Word  # n


def new_mail(threads: int, envs: int) -> NDArray[np.uint64]:
    """Return a mailbox that holds one job, which is finished."""
    mail = np.zeros(int(BLOCKS) + BLOCK_WORDS * threads, dtype=np.uint64)
    mail[int(JOB)], mail[int(DONE)] = _NEXT_JOB, -(-envs // batch_kernels.PART)
    return mail


@inner
def _first_part(shared: Shared, thread: Word) -> Word:
    """Return the first part of a thread's share."""
    return thread * ((shared.envs + _PART - U(1)) // _PART) // shared.threads


@inner
def _take(shared: Shared, thread: Word, job: Word) -> Word:
    """Take the next part of a thread's share and return its number.

    Returns _NO_PART if no part is left, or if another job has begun.
    """
    end = _first_part(shared, thread + U(1))
    at = BLOCKS + _BLOCK * thread
    seen = load_shared(shared.mail, at)
    while seen >> _PART_BITS == job and seen & _NO_PART < end:
        before = swap_shared(shared.mail, at, seen, seen + U(1))
        if before == seen:
            return seen & _NO_PART
        seen = before
    return _NO_PART


@inner
def _help(batch: batch_kernels.Batch, shared: Shared, thread: Word, job: Word) -> None:
    """Do parts of a job until no part is left, beginning with the thread's own share."""
    for i in range(shared.threads):
        owner = (thread + i) % shared.threads
        part = _take(shared, owner, job)
        while part != _NO_PART:
            first, last = part * _PART, min((part + U(1)) * _PART, shared.envs)
            if job & _KIND == STEP_JOB:
                batch_kernels.step_some(batch, shared.actions, first, last)
            else:
                batch_kernels.pick_some(batch, shared.rng, shared.picked, first, last)
            add_shared(shared.mail, DONE, U(1))
            part = _take(shared, owner, job)


@inner
def _is_done(shared: Shared, patience: Word) -> bool:
    """Wait at most `patience` nanoseconds. Return whether all parts of the job are done."""
    parts = _first_part(shared, shared.threads)
    until = now_ns() + patience
    while load_shared(shared.mail, DONE) != parts:
        if now_ns() > until:
            return False
    return True


@inner
def _finish(batch: batch_kernels.Batch, shared: Shared, job: Word, patience: Word) -> Word:
    """Do the caller's share of a job and wait for the other threads.

    Returns 1 if the other threads took too long, else 0.
    """
    _help(batch, shared, U(0), job)
    return U(not _is_done(shared, patience))


@kernel
def begin_job(batch: batch_kernels.Batch, shared: Shared, kind: Word, patience: Word) -> Word:
    """Do a job together with the other threads.

    Returns 0 if the job is done, or if it was refused because an action is illegal (see WRONG).
    Otherwise the caller must wake the threads that are CALLED, and call `finish_job` until the job
    is done.
    """
    # First finish a job that Ctrl-C interrupted.
    _help(batch, shared, U(0), load_shared(shared.mail, JOB))
    while load_shared(shared.mail, DONE) != _first_part(shared, shared.threads):
        pass
    shared.mail[WRONG] = shared.envs
    if kind == STEP_JOB:
        shared.mail[WRONG] = batch_kernels.first_illegal(batch, shared.actions, shared.envs)
        if shared.mail[WRONG] != shared.envs:
            return U(0)
    else:
        skip_words(shared.rng, shared.envs)
    job = (load_shared(shared.mail, JOB) & ~_KIND) + _NEXT_JOB + kind
    store_shared(shared.mail, DONE, U(0))
    for thread in range(shared.threads):
        mark = (job << _PART_BITS) | _first_part(shared, thread)
        store_shared(shared.mail, BLOCKS + _BLOCK * thread, mark)
    store_shared(shared.mail, JOB, job)
    called = U(0)
    for thread in range(U(1), shared.threads):
        at = BLOCKS + _BLOCK * thread + SLEEP
        called += U(swap_shared(shared.mail, at, ASLEEP, CALLED) == ASLEEP)
    return called if called else _finish(batch, shared, job, patience)


@kernel
def finish_job(batch: batch_kernels.Batch, shared: Shared, patience: Word) -> Word:
    """Continue the job in progress. Return 0 if it is done, or 1 if other threads are busy."""
    return _finish(batch, shared, load_shared(shared.mail, JOB), patience)


@kernel
def serve_jobs(batch: batch_kernels.Batch, shared: Shared, thread: Word, patience: Word) -> Word:
    """Help with jobs until no new job has come for `patience` nanoseconds.

    The thread must then sleep until it is woken. Returns the number of the last job, or CLOSED if
    there will be no more jobs.
    """
    sleep = BLOCKS + _BLOCK * thread + SLEEP
    last, until = U(0), now_ns() + patience
    while True:
        job = load_shared(shared.mail, JOB)
        if job == CLOSED:
            return CLOSED
        if job != last:
            _help(batch, shared, thread, job)
            last, until = job, now_ns() + patience
        elif now_ns() > until:
            store_shared(shared.mail, sleep, ASLEEP)
            # Perhaps a new job began just before ASLEEP was stored. If this thread has been called
            # for that job, it will be woken; otherwise it takes ASLEEP back and goes on.
            is_idle = load_shared(shared.mail, JOB) == last
            if is_idle or swap_shared(shared.mail, sleep, ASLEEP, AWAKE) == CALLED:
                return last


# Nanoseconds for which a thread waits for another job before it sleeps. This is longer than it
# takes to choose actions without a network.
_PATIENCE: Final = U(200_000)
# Pause between checks for late threads, in seconds.
_PAUSE: Final = 0.00002
# Number of jobs that the caller does alone after the other threads were late. The number doubles
# each time they are late again, and drops by one each time they are on time. When other programs
# keep the cores busy, waiting for the other threads costs more time than they save.
_FIRST_ALONE: Final = 8
_MOST_ALONE: Final = 1024


class _WorkerPool:
    """The threads that help the caller with a batch, and the data that they share.

    The pool holds no reference to the Workers object, which can therefore be garbage-collected.
    """

    def __init__(
        self, batch: batch_kernels.Batch, shared: Shared, mail: NDArray[np.uint64]
    ) -> None:
        self.batch, self.shared, self._mail = batch, shared, mail
        blocks = mail[int(BLOCKS) :].reshape(-1, BLOCK_WORDS)
        self._sleep = blocks[:, int(SLEEP)]
        self._wakers = [threading.Lock() for _ in blocks]
        for waker in self._wakers:
            waker.acquire()
        # Compile the kernel now if necessary. Otherwise each thread would compile it.
        serve_jobs(batch, shared, U(0), U(0))
        for number in range(1, len(blocks)):
            threading.Thread(target=_serve, args=(self, number), daemon=True).start()

    @property
    def wrong(self) -> int:
        """The first environment with an illegal action, or the number of environments."""
        return int(self._mail[int(WRONG)])

    def wake(self) -> None:
        """Wake the threads that have been called."""
        for number in np.flatnonzero(self._sleep == CALLED).tolist():
            self._sleep[number] = AWAKE
            self._wakers[number].release()

    def sleep(self, number: int) -> None:
        """Sleep until thread `number` is woken."""
        self._wakers[number].acquire()

    def close(self) -> None:
        """End the threads."""
        self._mail[int(JOB)] = CLOSED
        for waker in self._wakers:
            with suppress(RuntimeError):  # raised if the lock is free
                waker.release()


def _serve(pool: _WorkerPool, number: int) -> None:
    while serve_jobs(pool.batch, pool.shared, U(number), _PATIENCE) != CLOSED:
        pool.sleep(number)


class Workers:
    """The threads, including the caller's, that step a batch of n environments.

    The job STEP_JOB makes `actions` (uint64[n]). The job PICK_JOB fills `picked` (uint64[n]) with
    random legal actions, which `rng` determines.
    """

    def __init__(
        self,
        threads: int,
        batch: batch_kernels.Batch,
        actions: NDArray[np.uint64],
        picked: NDArray[np.uint64],
        rng: NDArray[np.uint64],
    ) -> None:
        self._threads, self._batch = threads, batch
        self._arrays = actions, picked, rng
        self._process = 0
        self._alone, self._next_alone = 0, _FIRST_ALONE

    def run(self, kind: Word) -> int:
        """Do a job completely. Ctrl-C takes effect after the job, because jobs are short.

        Returns n if all actions are legal. Otherwise no action is made, and the result is the first
        environment with an illegal action.
        """
        if self._alone:
            self._alone -= 1
            return self._run_alone(kind)
        if self._process != os.getpid():
            self._start()  # a forked process has no threads yet either
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
            return int(batch_kernels.step_envs(self._batch, actions, actions.size))
        batch_kernels.pick_actions(self._batch, rng, picked, picked.size)
        return len(actions)

    def close(self) -> None:
        """End the threads. No jobs can be run after this."""
        if self._process == os.getpid():
            self._pool.close()

    def _finish(self, pool: _WorkerPool) -> bool:
        """Wait until the job in progress is done. Return True if the other threads were late."""
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
        actions, picked, rng = self._arrays
        shared = Shared(
            mail=mail, actions=actions, picked=picked, rng=rng,
            threads=U(self._threads), envs=U(len(self._arrays[0])),
        )  # fmt: skip
        self._pool = _WorkerPool(self._batch, shared, mail)
        weakref.finalize(self, self._pool.close)
