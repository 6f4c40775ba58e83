"""Threads that share a batch: each takes the next part of it, as long as there is one.

A thread that waits for its turn on a busy machine takes what is left, or nothing: nobody waits for
it. The threads stay between calls, as a new one would take longer to start than a step.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable
from itertools import pairwise
from typing import Final

Work = Callable[[int, int], None]

# Parts for each thread: many are shared out more evenly, each costs a call from Python.
_PARTS: Final = 2
# How often the caller looks whether the others are done before it sleeps: waking takes longer.
_LOOKS: Final = 40
# The environments of a part are a multiple of it, so that no two threads write to one cache line.
_TOGETHER: Final = 64


def _nothing(first: int, last: int) -> None:
    """No work."""


class _Job:
    """Work on all parts; `lock` guards the counts."""

    def __init__(self, work: Work, parts: list[tuple[int, int]], lock: threading.Lock) -> None:
        self._work, self._parts, self._lock = work, parts, lock
        self._next, self._left = 0, len(parts)
        self.error: BaseException | None = None
        self.done = threading.Lock()
        self.done.acquire()

    def help(self) -> None:
        """Do parts that nobody has begun, until there are none."""
        while True:
            with self._lock:
                number = self._next
                self._next += 1
            if number >= len(self._parts):
                return
            try:
                self._work(*self._parts[number])
            except BaseException as error:
                self.error = error
            with self._lock:
                self._left -= 1
                is_last = self._left == 0
            if is_last:
                self.done.release()

    def forget(self) -> None:
        """Let go of the work, which holds the environments; threads still hold the job."""
        self._work = _nothing

    def wait(self) -> None:
        """Wait until all parts are done; Ctrl-C takes effect afterwards: steps are short."""
        for _ in range(_LOOKS):
            if self.done.acquire(blocking=False):
                return
            time.sleep(0)  # lets the others have the interpreter's lock
        interrupt: KeyboardInterrupt | None = None
        is_done = False
        while not is_done:
            try:
                is_done = self.done.acquire()
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt


class _Shared:
    """What the threads and their owner share: the job, and for each thread what wakes it."""

    def __init__(self, threads: int) -> None:
        self.lock = threading.Lock()
        self.job: _Job | None = None
        self.is_closed = False
        self.wakers = [threading.Lock() for _ in range(threads)]
        self.asleep = [True] * threads
        for waker in self.wakers:
            waker.acquire()

    def wake(self) -> None:
        """Wake those that sleep."""
        for number, waker in enumerate(self.wakers):
            with self.lock:
                sleeps, self.asleep[number] = self.asleep[number], False
            if sleeps:
                waker.release()

    def close(self) -> None:
        """End the threads."""
        self.is_closed = True
        self.wake()


def _serve(shared: _Shared, number: int) -> None:
    last: _Job | None = None
    while True:
        with shared.lock:
            job = shared.job
            has_none = job is last
            shared.asleep[number] = has_none and not shared.is_closed
        if shared.is_closed:
            return
        if has_none or job is None:
            shared.wakers[number].acquire()
        else:
            job.help()
            last = job


class Workers:
    """So many threads for `count` environments, the caller's included."""

    def __init__(self, threads: int, count: int) -> None:
        size = -(-count // (threads * _PARTS * _TOGETHER)) * _TOGETHER
        self._parts = list(pairwise([*range(0, count, size), count]))
        self._others = threads - 1
        self._process = 0

    def run(self, work: Work) -> None:
        """Call `work(first, last)` for every part, in all threads; all have ended afterwards."""
        if self._process != os.getpid():
            self._start()  # also in a forked process, where the threads are gone
        job = _Job(work, self._parts, self._shared.lock)
        self._shared.job = job
        self._shared.wake()
        job.help()
        job.wait()
        job.forget()
        if job.error is not None:
            raise job.error

    def _start(self) -> None:
        self._process = os.getpid()
        self._shared = _Shared(self._others)
        for number in range(self._others):
            arguments = (self._shared, number)
            threading.Thread(target=_serve, args=arguments, daemon=True).start()
        weakref.finalize(self, self._shared.close)
