"""Ctrl-C and its like, in long work that they can end."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from masons.cli.support.exit_codes import SIGNALLED
from masons.engine.storage.uninterrupted import ENDING

T = TypeVar("T")
_POLL_SECONDS = 0.1


class Ended(SystemExit):
    """A signal other than Ctrl-C asked the program to end."""

    def __init__(self, number: int) -> None:
        super().__init__(SIGNALLED + number)
        self.name = signal.Signals(number).name


@contextmanager
def endings() -> Iterator[None]:
    """Raise Ended where a signal asks for the end, so that files and engines are closed.

    A second one ends the process on the spot. What is ignored (by nohup) stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # the program is run by another, whose signals these are
        return
    asked: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        if asked:
            os._exit(SIGNALLED + number)
        asked.append(number)
        raise Ended(number)

    ours = [x for x in ENDING if x != signal.SIGINT and signal.getsignal(x) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def interruptible(work: Callable[[], T]) -> T:
    """The result of `work`, done in a thread that is left behind on Ctrl-C.

    Python notices Ctrl-C only between kernels.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_POLL_SECONDS)
    if errors:
        raise errors[0]
    return results[0]
