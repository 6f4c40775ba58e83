"""Threads that share a batch: each has its part of the environments, the caller's the first.

They wait between calls, as a new thread would take longer than a step. A lock for each says that
there is work, another that it is done.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

Work = Callable[[int, int], None]


class _Box:
    """What a worker and its caller share."""

    def __init__(self, span: tuple[int, int]) -> None:
        self.span: Final = span
        self.due = threading.Lock()
        self.done = threading.Lock()
        self.due.acquire()
        self.done.acquire()
        self.work: Work | None = None
        self.error: BaseException | None = None


def _serve(box: _Box) -> None:
    while True:
        box.due.acquire()
        if box.work is None:
            return
        try:
            box.work(*box.span)
        except BaseException as error:
            box.error = error
        box.done.release()


def _end(boxes: Sequence[_Box]) -> None:
    for box in boxes:
        box.work = None
        box.due.release()


class Workers:
    """So many threads for `count` environments, this one included."""

    def __init__(self, threads: int, count: int) -> None:
        ends = [count * number // threads for number in range(threads + 1)]
        self._own, *others = pairwise(ends)
        self._spans = others
        self._boxes: list[_Box] = []
        self._process = 0

    def run(self, work: Work) -> None:
        """Call `work(first, last)` for every part at once; all have ended afterwards."""
        if self._spans and self._process != os.getpid():
            self._start()  # also in a forked process, where the threads are gone
        for box in self._boxes:
            box.work = work
            box.due.release()
        try:
            work(*self._own)
        finally:
            self._wait()
        for box in self._boxes:
            if box.error is not None:
                error, box.error = box.error, None
                raise error

    def _wait(self) -> None:
        """Wait until all parts are done; Ctrl-C takes effect afterwards: steps are short."""
        interrupt: KeyboardInterrupt | None = None
        for box in self._boxes:
            is_done = False
            while not is_done:
                try:
                    is_done = box.done.acquire()
                except KeyboardInterrupt as error:
                    interrupt = error
        if interrupt is not None:
            raise interrupt

    def _start(self) -> None:
        self._process = os.getpid()
        self._boxes = [_Box(span) for span in self._spans]
        for box in self._boxes:
            threading.Thread(target=_serve, args=(box,), daemon=True).start()
        weakref.finalize(self, _end, self._boxes)
