"""Atomic writing of files, and a way to delay signals while something must not be interrupted."""

from __future__ import annotations

import os
import signal
import stat
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from masons.engine.checks import file_shown
from masons.engine.errors import MasonsError


def is_special(path: Path) -> bool:
    """Return whether a path exists but is not a regular file (a device, a pipe or a folder)."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def refuse_special(name: str) -> None:
    """Raise MasonsError for a device, pipe or folder, because reading one could block forever."""
    if is_special(Path(name)):
        raise MasonsError(f"{file_shown(name)} is not a regular file: name one that is")


def read_if_there(path: Path, most: int) -> bytes:
    """Return at most `most + 1` bytes of a file, or b"" if there is no file.

    The extra byte tells the caller that the file is too long. Raises MasonsError if the path is not
    a regular file, and OSError if the file cannot be read.
    """
    refuse_special(str(path))
    if not path.exists():
        return b""
    with path.open("rb") as file:
        return file.read(most + 1)


def write_atomic(
    name: str | Path,
    content: str | bytes,
    *,
    sync: bool = True,
    is_held: bool = False,
    opened: Callable[[int], None] = lambda _: None,
) -> None:
    """Write a file so that readers see its old content or all of its new content.

    Text is written as UTF-8. If `sync` is true, the file is flushed to the disk before the function
    returns. `is_held` says that a lock keeps all other writers away. The temporary file then always
    has the same name, so that the next write removes what a killed process has left. `opened` is
    called with the descriptor of the temporary file that is about to replace the file. A path that
    is not a regular file, such as a device, is written directly. Raises OSError, which names the
    file, if the file cannot be written.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    path = Path(os.path.realpath(name))
    try:
        if is_special(path):
            path.write_bytes(data)
            return
        with uninterrupted():
            handle, temporary = _temporary_file(path, is_held=is_held)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    if sync:
                        os.fsync(file.fileno())
                    opened(file.fileno())
                temporary.chmod(_mode(path))
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(name)) from None


def _temporary_file(path: Path, *, is_held: bool) -> tuple[int, Path]:
    """Create the file that is going to replace `path`. Return its descriptor and its path."""
    start = f".{path.name[:40]}."
    if not is_held:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=start)
        return handle, Path(name)
    temporary = path.with_name(f"{start}{zlib.crc32(os.fsencode(path.name)):08x}")
    temporary.unlink(missing_ok=True)
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
    return os.open(temporary, flags, 0o600), temporary


def _mode(path: Path) -> int:
    """Return a file's permission bits, or the bits that a new file gets if none exists."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


# The signals that ask a program to end. Not every system has all of them.
ENDING: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Until the `with` block ends, delay Ctrl-C and other signals that would end the program.

    Only signals that have a Python handler are delayed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run only in the main thread
        return
    waiting: list[tuple[int, FrameType | None]] = []
    handlers: dict[int, Callable[[int, FrameType | None], object]] = {}
    for number in ENDING:
        handler = signal.getsignal(number)
        if callable(handler):
            handlers[number] = handler
            signal.signal(number, lambda signum, frame: waiting.append((signum, frame)))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for signum, frame in waiting:
            handlers[signum](signum, frame)
