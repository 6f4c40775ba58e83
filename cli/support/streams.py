"""Standard input, output and error, whatever state the program finds them in."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Final

import click

from masons.engine.plain_text import plain

_STDIN, _STDOUT, _STDERR = range(3)
# Of what stands in for a closed stream: results that can go nowhere are an error, so none can be
# written there.
_MODES: Final = {_STDIN: os.O_RDONLY, _STDOUT: os.O_RDONLY, _STDERR: os.O_WRONLY}


class Messages(TextIOWrapper):
    """Standard error: where it takes no more, messages are lost and the work goes on."""

    def write(self, text: str) -> int:
        """Write, if it can be."""
        try:
            return super().write(text)
        except OSError:
            drain(_STDERR)
            return len(text)

    def flush(self) -> None:
        """Flush, if it can be."""
        try:
            super().flush()
        except OSError:
            drain(_STDERR)


class Results(TextIOWrapper):
    """Standard output: an error names it, but for a reader that has gone."""

    def write(self, text: str) -> int:
        """Write. Raises OSError."""
        with _naming():
            return super().write(text)

    def flush(self) -> None:
        """Flush. Raises OSError."""
        with _naming():
            super().flush()


@contextmanager
def _naming() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = "it is closed" if error.errno == errno.EBADF else error.strerror
        raise OSError(error.errno, reason, "standard output") from None


def open_streams() -> None:
    """Open anew what was closed before the start, or the next file would become that stream.

    There is nothing to read, messages are lost, and a result is an error.
    """
    for number, mode in _MODES.items():
        try:
            os.fstat(number)
        except OSError:
            handle = os.open(os.devnull, mode)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
    if sys.stdin is None:
        sys.stdin = os.fdopen(_STDIN, "r", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(_STDOUT, "w", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(_STDERR, "w", closefd=False)
    # Marks like ± must not fail where a terminal knows only ASCII.
    if isinstance(sys.stdout, TextIOWrapper):
        encoding, live = sys.stdout.encoding, sys.stdout.line_buffering
        sys.stdout = Results(sys.stdout.detach(), encoding, "replace", line_buffering=live)
        sys.__stdout__ = sys.stdout  # type: ignore[misc] # asked for its size
    if isinstance(sys.stderr, TextIOWrapper):
        encoding = sys.stderr.encoding
        sys.stderr = Messages(sys.stderr.detach(), encoding, "replace", line_buffering=True)


def say(text: str) -> None:
    """A line on standard error, in which whatever comes from others is fit to be shown."""
    click.echo(plain(text), err=True)


def hush() -> None:
    """Where standard output takes no more, let what is left for it go nowhere."""
    try:
        sys.stdout.flush()
    except OSError:
        drain(_STDOUT)


def drain(number: int) -> None:
    """Let all that is written to a stream go nowhere."""
    handle = os.open(os.devnull, os.O_WRONLY)
    os.dup2(handle, number)
    os.close(handle)
