"""Threads that share a batch: each takes parts of its share first, then what is left of others'.

A batch has a mailbox, an array of words that all threads read and write (`load_shared` and so on):

| word              | contents                                                                   |
| ----------------- | -------------------------------------------------------------------------- |
| JOB               | number of the job, with its kind in the lower two bits; CLOSED: no more    |
| DONE              | parts of the job that are done; all of them before the first job           |
| WRONG             | the first environment whose action is not legal; n: none                   |
| BLOCKS + 16 t     | of thread t: the job, and the next part of its share that nobody has begun |
| BLOCKS + 16 t + 8 | AWAKE, ASLEEP, or CALLED: it slept, and is to be woken                     |

A job is over when all its parts are done. A thread that comes too late sees another job's number
beside the parts and takes none, so no thread waits for one that waits for its turn on a busy
machine. A thread begins with the same environments each time: they stay in its processor's cache.

The threads stay between steps, because starting one takes longer than a step. A waiting thread
looks at the mailbox for some time (`patience`, nanoseconds), then sleeps on a lock in Python:
waking it takes long compared with a step.
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
from masons.engine.kernels.jit import Word, Words, field_of, inner, kernel, now_ns, pointers
from masons.engine.kernels.rng import skip_words
from masons.env.stepping.batch_kernels import (
    PART,
    Batch,
    first_illegal,
    pick_actions,
    pick_some,
    step_envs,
    step_some,
)

JOB: Final = U(0)
DONE: Final = U(16)
WRONG: Final = U(17)
BLOCKS: Final = U(32)
BLOCK_WORDS: Final = 16
SLEEP: Final = U(8)  # in a block

CLOSED: Final = U(1 << 63)
STEP_JOB: Final = U(1)
PICK_JOB: Final = U(2)
AWAKE: Final = U(0)
ASLEEP: Final = U(1)
CALLED: Final = U(2)

_PART = U(PART)
_BLOCK = U(BLOCK_WORDS)
_KIND = U(3)
_NEXT_JOB = U(4)
_PART_BITS = U(20)  # there are at most 2^16 parts
_NO_PART = U((1 << 20) - 1)


class Shared(NamedTuple):
    """The memory that threads share beside a batch of n environments."""

    mail: Words  # uint64[BLOCKS + BLOCK_WORDS * threads]
    actions: Words  # uint64[n]: to be made
    picked: Words  # uint64[n]: to be filled with legal ones
    rng: Words  # uint64[1]: the generator that picks them
    threads: Word
    envs: Word  # n


def new_mail(threads: int, envs: int) -> NDArray[np.uint64]:
    """Return a mailbox in which a job was done, of which no part is left."""
    mail = np.zeros(int(BLOCKS) + BLOCK_WORDS * threads, dtype=np.uint64)
    mail[int(JOB)], mail[int(DONE)] = _NEXT_JOB, -(-envs // PART)
    return mail


@inner
def _first_part(shared: Shared, thread: Word) -> Word:
    """Return the first part of a thread's share."""
    return thread * ((shared.envs + _PART - U(1)) // _PART) // shared.threads


@inner
def _take(shared: Shared, thread: Word, job: Word) -> Word:
    """Return the next part of a thread's share; _NO_PART if none is left or the job changed."""
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
def _help(batch: Batch, shared: Shared, thread: Word, job: Word) -> None:
    """Do parts of a job, those of the own share first, until all are begun."""
    for i in range(shared.threads):
        owner = (thread + i) % shared.threads
        part = _take(shared, owner, job)
        while part != _NO_PART:
            first, last = part * _PART, min((part + U(1)) * _PART, shared.envs)
            if job & _KIND == STEP_JOB:
                step_some(batch, shared.actions, first, last)
            else:
                pick_some(batch, shared.rng, shared.picked, first, last)
            add_shared(shared.mail, DONE, U(1))
            part = _take(shared, owner, job)


@inner
def _is_done(shared: Shared, patience: Word) -> bool:
    """Wait until all parts are done, but no longer than so many nanoseconds."""
    parts = _first_part(shared, shared.threads)
    until = now_ns() + patience
    while load_shared(shared.mail, DONE) != parts:
        if now_ns() > until:
            return False
    return True


@inner
def _finish(batch: Batch, shared: Shared, job: Word, patience: Word) -> Word:
    """Do the first thread's part of a job, and wait for the others; 1 where that took too long."""
    _help(batch, shared, U(0), job)
    return U(not _is_done(shared, patience))


@kernel
def begin_job(batch: Batch, shared: Shared, kind: Word, patience: Word) -> Word:
    """Do a job of a kind with the other threads. 0: it is done, or WRONG says why it was not begun.

    Otherwise those that are CALLED are to be woken, and `finish_job` be called until it is done.
    """
    envs, common = pointers(batch), pointers(shared)
    # One that was left in the middle, by Ctrl-C, ends first.
    _help(envs, common, U(0), load_shared(common.mail, JOB))
    while load_shared(common.mail, DONE) != _first_part(common, common.threads):
        pass
    common.mail[WRONG] = common.envs
    if U(kind) == STEP_JOB:
        common.mail[WRONG] = first_illegal(envs, common.actions, common.envs)
        if common.mail[WRONG] != common.envs:
            return U(0)
    else:
        skip_words(common.rng, common.envs)
    job = (load_shared(common.mail, JOB) & ~_KIND) + _NEXT_JOB + U(kind)
    store_shared(common.mail, DONE, U(0))
    for thread in range(common.threads):
        mark = (job << _PART_BITS) | _first_part(common, thread)
        store_shared(common.mail, BLOCKS + _BLOCK * thread, mark)
    store_shared(common.mail, JOB, job)
    called = U(0)
    for thread in range(U(1), common.threads):
        at = BLOCKS + _BLOCK * thread + SLEEP
        called += U(swap_shared(common.mail, at, ASLEEP, CALLED) == ASLEEP)
    return called if called else _finish(envs, common, job, U(patience))


@kernel
def finish_job(batch: Batch, shared: Shared, patience: Word) -> Word:
    """Go on with the job that was begun; 0: it is done."""
    envs, common = pointers(batch), pointers(shared)
    return _finish(envs, common, load_shared(common.mail, JOB), U(patience))


@kernel
def serve_jobs(batch: Batch, shared: Shared, thread: Word, patience: Word) -> Word:
    """Help with jobs until none has come for a while; the caller should then sleep until woken.

    Returns the last job's number, or CLOSED, after which there is no more.
    """
    envs, common = pointers(batch), pointers(shared)
    sleep = BLOCKS + _BLOCK * U(thread) + SLEEP
    last, until = U(0), now_ns() + U(patience)
    while True:
        job = load_shared(common.mail, JOB)
        if job == CLOSED:
            return CLOSED
        if job != last:
            _help(envs, common, U(thread), job)
            last, until = job, now_ns() + U(patience)
        elif now_ns() > until:
            store_shared(common.mail, sleep, ASLEEP)
            # One that came just now has called this thread, or has not seen that it sleeps.
            is_idle = load_shared(common.mail, JOB) == last
            if is_idle or swap_shared(common.mail, sleep, ASLEEP, AWAKE) == CALLED:
                return last


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


class _WorkerPool:
    """The threads beside the caller's, and what they share: nothing that holds the environments."""

    def __init__(self, batch: Batch, shared: Shared, mail: NDArray[np.uint64]) -> None:
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


def _serve(pool: _WorkerPool, number: int) -> None:
    while serve_jobs(pool.batch, pool.shared, U(number), _PATIENCE) != CLOSED:
        pool.sleep(number)


class Workers:
    """So many threads for a batch of `len(actions)` environments, the caller's included.

    `actions` (uint64[n]) are made by STEP_JOB; PICK_JOB fills `picked` (uint64[n]) by `rng`.
    """

    def __init__(
        self,
        threads: int,
        batch: Batch,
        actions: NDArray[np.uint64],
        picked: NDArray[np.uint64],
        rng: NDArray[np.uint64],
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
        """End the threads; no job can be done any longer."""
        if self._process == os.getpid():
            self._pool.close()

    def _finish(self, pool: _WorkerPool) -> bool:
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
        self._pool = _WorkerPool(self._batch, shared, mail)
        weakref.finalize(self, self._pool.close)
