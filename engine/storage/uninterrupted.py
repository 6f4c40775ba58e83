"""Ctrl-C and its like, kept off where they would do harm."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

# The signals that ask a program to end, as far as the system has them.
ENDING: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


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
