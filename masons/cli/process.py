"""The process of the program: its exit codes, signals, standard streams and kernels.

The exit code is 0 for success, 1 for bad data or for a file or stream that cannot be read or
written, 2 for bad usage, and 130 after Ctrl-C. Any other signal gives 128 plus its number, as in
shells.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from types import FrameType
from typing import Final, TypeVar

import click

from masons.engine.files import ENDING
from masons.engine.kernels.c_module import is_outdated
from masons.engine.kernels.kernel_cache import cache_folder, is_refused
from masons.engine.kernels.loading import compile_ahead, is_ready
from masons.engine.plain_text import plain

T = TypeVar("T")

BAD_DATA: Final = 1
BAD_USAGE: Final = 2
SIGNALLED: Final = 128
INTERRUPTED: Final = 130

_POLL_SECONDS: Final = 0.1
_STDIN, _STDOUT, _STDERR = range(3)
# The modes of the files that replace closed streams. The file for standard output is read-only, so
# that writing a result to it is an error.
_MODES: Final = {_STDIN: os.O_RDONLY, _STDOUT: os.O_RDONLY, _STDERR: os.O_WRONLY}


class Ended(SystemExit):
    """An exit that a signal other than SIGINT has caused."""

    def __init__(self, number: int) -> None:
        super().__init__(SIGNALLED + number)
        self.name = signal.Signals(number).name


@contextmanager
def endings() -> Iterator[None]:
    """Raise Ended when a signal asks the program to end, so that files and engines are closed.

    A second signal ends the process at once. Signals that are already ignored, for example under
    nohup, stay ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # the caller of `endings` handles the signals
        return
    received: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        if received:
            os._exit(SIGNALLED + number)
        received.append(number)
        raise Ended(number)

    handled = [x for x in ENDING if x != signal.SIGINT and signal.getsignal(x) is signal.SIG_DFL]
    for number in handled:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def interruptible(work: Callable[[], T]) -> T:
    """Run `work` in another thread and return its result. Ctrl-C abandons the thread.

    If a kernel ran in the main thread, Ctrl-C would take effect only when the kernel ends.
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


class Messages(TextIOWrapper):
    """Standard error. If it cannot be written to, messages are dropped and the work continues."""

    def write(self, text: str) -> int:
        """Write a text if possible."""
        try:
            return super().write(text)
        except OSError:
            drain(_STDERR)
            return len(text)

    def flush(self) -> None:
        """Flush the stream if possible."""
        try:
            super().flush()
        except OSError:
            drain(_STDERR)


class Results(TextIOWrapper):
    """Standard output. Errors name the stream, except when its reader has gone away."""

    def write(self, text: str) -> int:
        """Write a text. Raises OSError."""
        with _named_errors():
            return super().write(text)

    def flush(self) -> None:
        """Flush the stream. Raises OSError."""
        with _named_errors():
            super().flush()


@contextmanager
def _named_errors() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = "it is closed" if error.errno == errno.EBADF else error.strerror
        raise OSError(error.errno, reason, "standard output") from None


def open_streams() -> None:
    """Replace streams that were closed before the start, so that no file gets their descriptors.

    A replaced standard input is empty. Messages to a replaced standard error are dropped, and
    writing to a replaced standard output raises OSError.
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
    # Characters such as ± must not cause an error on an ASCII terminal.
    if isinstance(sys.stdout, TextIOWrapper):
        encoding, live = sys.stdout.encoding, sys.stdout.line_buffering
        sys.stdout = Results(sys.stdout.detach(), encoding, "replace", line_buffering=live)
        sys.__stdout__ = sys.stdout  # type: ignore[misc] # to find the terminal's size
    if isinstance(sys.stderr, TextIOWrapper):
        encoding = sys.stderr.encoding
        sys.stderr = Messages(sys.stderr.detach(), encoding, "replace", line_buffering=True)


def say(text: str) -> None:
    """Print a line on standard error, with control characters escaped."""
    click.echo(plain(text), err=True)


def hush() -> None:
    """Discard buffered output if standard output cannot be written to."""
    try:
        sys.stdout.flush()
    except OSError:
        drain(_STDOUT)


def drain(number: int) -> None:
    """Discard all further output of a stream."""
    handle = os.open(os.devnull, os.O_WRONLY)
    os.dup2(handle, number)
    os.close(handle)


def prepare(*parts: str) -> None:
    """Compile the missing kernels of `parts`, which can be `engine` and `env`.

    The default is `engine`. If anything has to be compiled, a line on standard error says so.
    """
    parts = tuple(part for part in parts or ("engine",) if not is_ready(part))
    if not parts:
        return
    if is_refused():
        how_often = "--no-cache keeps none"
    elif cache_folder() is None:
        how_often = "they cannot be kept, as no cache folder is writable"
        how_often += " (see masons-engine --version)"
    else:
        how_often = "first use only, takes up to a minute"
        if is_outdated():
            how_often += " (their sources changed since the library was built)"
    say(f"compiling the kernels: {how_often}")
    compile_shown(*parts)


def compile_shown(*parts: str, is_shown: bool = True) -> None:
    """Compile or load the kernels of `parts`, with a progress bar on a terminal."""
    from masons.cli.console import progress_bar

    with progress_bar(has_counts=False, is_shown=is_shown) as bar:
        bar.add_task("compiling the kernels", total=None)
        for part in parts:
            compile_ahead(part)
