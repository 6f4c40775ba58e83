"""Work that threads share: each takes parts of its own share first, then what is left of others'.

A batch has a mailbox, an array of words that all threads read and write (`load_shared` and so on):

| word              | what                                                                       |
| ----------------- | -------------------------------------------------------------------------- |
| JOB               | number of the job, with its kind in the lower two bits; CLOSED: no more    |
| DONE              | how many parts of the job are done; all of them before the first job       |
| WRONG             | the first environment whose action is not legal; n: none                   |
| BLOCKS + 16 t     | of thread t: the job, and the next part of its share that nobody has begun |
| BLOCKS + 16 t + 8 | AWAKE, ASLEEP, or CALLED: it slept, and is to be woken                     |

A job is over when all its parts are done; who came too late finds another job's number beside the
parts, and takes none. So nobody waits for a thread that waits for its turn on a busy machine. As a
thread begins with the same environments each time, these stay in its processor's cache.

Threads that wait look at the mailbox for some time (`patience`, nanoseconds) and then sleep, which
Python does for them: waking takes long beside a step.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.engine.kernels.bits import U, add_shared, load_shared, store_shared, swap_shared
from masons.engine.kernels.clock import now_ns
from masons.engine.kernels.jit import Word, Words, inner, kernel, pointers
from masons.engine.kernels.rng import skip_words
from masons.env.stepping.batch_kernels import PART, Batch, first_illegal, pick_some, step_some

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
    """What threads share beside a batch of n environments."""

    mail: Words  # uint64[BLOCKS + BLOCK_WORDS * threads]
    actions: Words  # uint64[n]: to be made
    picked: Words  # uint64[n]: to be filled with legal ones
    rng: Words  # uint64[1]: the generator that picks them
    threads: Word
    envs: Word  # n


def new_mail(threads: int, envs: int) -> NDArray[np.uint64]:
    """A mailbox in which a job was done, of which no part is left."""
    mail = np.zeros(int(BLOCKS) + BLOCK_WORDS * threads, dtype=np.uint64)
    mail[int(JOB)], mail[int(DONE)] = _NEXT_JOB, -(-envs // PART)
    return mail


@inner
def _first_part(shared: Shared, thread: Word) -> Word:
    """The first part of a thread's share."""
    return thread * ((shared.envs + _PART - U(1)) // _PART) // shared.threads


@inner
def _take(shared: Shared, thread: Word, job: Word) -> Word:
    """The next part of a thread's share; _NO_PART where all are begun, or the job is another."""
    end = _first_part(shared, thread + U(1))
    at = BLOCKS + _BLOCK * thread
    seen = load_shared(shared.mail, at)
    while seen >> _PART_BITS == job and seen & _NO_PART < end:
        found = swap_shared(shared.mail, at, seen, seen + U(1))
        if found == seen:
            return seen & _NO_PART
        seen = found
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
    own, common = pointers(batch), pointers(shared)
    # One that was left in the middle, by Ctrl-C, ends first.
    _help(own, common, U(0), load_shared(common.mail, JOB))
    while load_shared(common.mail, DONE) != _first_part(common, common.threads):
        pass
    common.mail[WRONG] = common.envs
    if U(kind) == STEP_JOB:
        common.mail[WRONG] = first_illegal(own, common.actions, common.envs)
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
    return called if called else _finish(own, common, job, U(patience))


@kernel
def finish_job(batch: Batch, shared: Shared, patience: Word) -> Word:
    """Go on with the job that was begun; 0: it is done."""
    own, common = pointers(batch), pointers(shared)
    return _finish(own, common, load_shared(common.mail, JOB), U(patience))


@kernel
def serve_jobs(batch: Batch, shared: Shared, thread: Word, patience: Word) -> Word:
    """Help with jobs until none came for so long: the caller is to sleep until it is woken.

    Returns the last job's number, or CLOSED, after which there is no more.
    """
    own, common = pointers(batch), pointers(shared)
    sleep = BLOCKS + _BLOCK * U(thread) + SLEEP
    last, until = U(0), now_ns() + U(patience)
    while True:
        job = load_shared(common.mail, JOB)
        if job == CLOSED:
            return CLOSED
        if job != last:
            _help(own, common, U(thread), job)
            last, until = job, now_ns() + U(patience)
        elif now_ns() > until:
            store_shared(common.mail, sleep, ASLEEP)
            # One that came just now has called this thread, or has not seen that it sleeps.
            is_idle = load_shared(common.mail, JOB) == last
            if is_idle or swap_shared(common.mail, sleep, ASLEEP, AWAKE) == CALLED:
                return last
