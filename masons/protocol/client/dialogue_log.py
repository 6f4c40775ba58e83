"""The log of what engines receive and say, line by line."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from masons.engine.plain_text import plain

LOGGER: Final = "masons.protocol"  # the loggers of all engines are below it


class _PlainLines(logging.Formatter):
    """Writes the time, the engine's name and the line, without control characters."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s.%(msecs)03d %(name)s %(message)s", "%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        return plain(super().format(record).replace(f"{LOGGER}.", "", 1))


@contextmanager
def dialogue_log(path: str | Path | None) -> Iterator[None]:
    """Append the lines of all engines of this process to a file, until the context ends.

    A line is marked with `>` if it goes to the engine, with `<` if it comes from it, and with `!`
    if it is one of its standard error. With None, nothing is logged. Raises OSError if the file
    can't be opened.
    """
    if path is None:
        yield
        return
    logger = logging.getLogger(LOGGER)
    handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(_PlainLines())
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
        handler.close()
