"""Ctrl-C and its like: in long work that they can end, and kept off where they would do harm."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, TypeVar

from masons.cli.support.exit_codes import SIGNALLED

T = TypeVar("T")
# The signals that ask a program to end, as far as the system has them.
ENDING: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
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


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C, and whatever else has a handler in Python, wait until this is done."""
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread only
        return
    waiting: list[tuple[int, FrameType | None]] = []
    handlers: dict[int, Callable[[int, FrameType | None], object]] = {}
    for number in ENDING:
        handler = signal.getsignal(number)
        if callable(handler):
            handlers[number] = handler
            signal.signal(number, lambda found, frame: waiting.append((found, frame)))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for found, frame in waiting:
            handlers[found](found, frame)
