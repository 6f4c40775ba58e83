"""Files that stay open for writing and that only one process can write at a time.

The operating system locks the file itself, so the lock always ends with its process and leaves
nothing behind. On Windows, a locked file could not be read, so a second file beside it is locked
instead.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Literal

from masons.engine.errors import FileLostError, MasonsError
from masons.engine.files import refuse_special, uninterrupted, write_atomic

if TYPE_CHECKING:
    from filelock import FileLock

How = Literal["new", "old", "any"]

_FLAGS: Final = {"new": os.O_CREAT | os.O_EXCL, "old": 0, "any": os.O_CREAT}
_TRIES: Final = 20  # attempts to open a file that others keep replacing
# Attempts of `change_file` to lock a file, which other processes hold only briefly.
_CHANGE_TRIES: Final = 100
_PAUSE_SECONDS: Final = 0.05
# Errors of file systems that have no locks. On such a file system, a file is written without a
# lock.
_NO_LOCKS: Final = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP)


class HeldFile:
    """An open file that no other process can write."""

    def __init__(self, name: str, how: How) -> None:
        """Open and lock a file.

        `how` is `new` to create the file, `old` to open an existing one, or `any` to accept both.
        An empty file counts as new, because a process that was killed can leave one. Raises
        MasonsError if another process holds the file, FileExistsError if `how` is `new` and the
        file has content, and OSError for other failures.
        """
        self.name = name
        self._beside: FileLock | None = None
        refuse_special(name)
        existed = Path(name).exists()
        for _ in range(_TRIES):
            self.file = _opened(name, how)
            try:
                self._lock()
            except BaseException:
                self.file.close()
                raise
            if self._is_there():
                break
            self.file.close()
        else:
            raise MasonsError(f"{name} is being replaced repeatedly: nothing was written to it")
        self._made = not existed
        self.size = os.fstat(self.file.fileno()).st_size
        if how == "new" and self.size:  # it was written before this process locked it
            self.close()
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)

    def _lock(self) -> None:
        if sys.platform == "win32":
            from filelock import FileLock, Timeout

            path = Path(self.name)
            self._beside = FileLock(path.with_name(f".{path.name}.lock"), timeout=0)
            try:
                self._beside.acquire()
            except Timeout:
                raise _held(self.name, "another process") from None
        elif not _locked(self.file.fileno()):
            raise _held(self.name, _holder(os.fstat(self.file.fileno())))

    def _is_there(self) -> bool:
        """Return whether the file's name still refers to this file."""
        try:
            return os.path.samestat(os.stat(self.name), os.fstat(self.file.fileno()))  # noqa: PTH116
        except OSError:
            return False

    def read(self, most: int = -1) -> bytes:
        """Return the content of the file, or its first `most` bytes."""
        self.file.seek(0)
        return self.file.read(most)

    def set_aside(self, ending: str, data: bytes) -> str:
        """Write data to a new file named `NAME.ending`, or `NAME.ending-2` and so on if taken.

        Returns the name of the new file. Raises OSError if the file cannot be written.
        """
        spare = _spare_name(self.name, ending)
        write_atomic(spare, data)
        return spare

    def cut(self, size: int) -> None:
        """Truncate the file to `size` bytes."""
        self.file.truncate(size)
        self.size = size

    def write(self, data: bytes, *, whole: bytes | None = None) -> None:
        """Append data, and flush it to the disk before returning.

        If an error occurs, nothing is appended. `whole` is the content that the file should have,
        if the caller knows it. Raises FileLostError and OSError.
        """
        with uninterrupted():
            self.check(data, whole=whole)
            rest = data
            try:
                self.file.seek(0, os.SEEK_END)
                while rest:
                    rest = rest[self.file.write(rest) :]
                os.fsync(self.file.fileno())
            except OSError as error:
                with suppress(OSError):
                    self.file.truncate(self.size)  # half a line must not come before the next line
                raise OSError(error.errno, error.strerror, self.name) from None
            self.size += len(data)

    def replace(self, data: bytes) -> None:
        """Replace the content of the file atomically. Raises FileLostError and OSError."""
        with uninterrupted():
            self.check(whole=data)
            copies: list[int] = []  # descriptor of the new file, locked before it takes the name

            def hold(handle: int) -> None:
                if sys.platform != "win32":
                    copies.append(os.dup(handle))
                    _locked(copies[0])

            if sys.platform == "win32":
                self.file.close()  # on Windows an open file cannot be replaced
            write_atomic(self.name, data, is_held=True, opened=hold)
            self.file.close()
            self.file = (
                os.fdopen(copies[0], "r+b", buffering=0) if copies else _opened(self.name, "old")
            )
            self.size = len(data)

    def check(self, more: bytes = b"", *, whole: bytes | None = None) -> None:
        """Raise FileLostError if another process changed the file.

        In this case, the content is first saved in another file. `more` is data to append to the
        saved content. `whole` is the content to save, if the caller knows it.
        """
        is_named = self._is_there()
        size = os.fstat(self.file.fileno()).st_size
        if is_named and size == self.size:
            return
        what = "was changed" if is_named else "was replaced"
        if not Path(self.name).exists():
            what = "was deleted"
        elif is_named and size < self.size:
            what = "was cut short"
        try:
            kept = self.set_aside("kept", (self.read() if whole is None else whole) + more)
            where = f"what belongs in it is kept in {kept}"
        except OSError as error:
            where = f"and what belongs in it cannot be kept elsewhere: {error.strerror or error}"
        raise FileLostError(f"{self.name} {what} by something else while it was written: {where}")

    def close(self) -> None:
        """Unlock and close the file; remove it if it is new and nothing was written to it."""
        if self._made and not self.file.closed and not self.size and self._is_there():
            with suppress(OSError):
                Path(self.name).unlink()
        self.file.close()
        if self._beside is not None:
            self._beside.release()


def change_file(path: Path, change: Callable[[HeldFile], bytes]) -> None:
    """Replace a file's content with the bytes that `change` returns for the open file.

    Waits while another process holds the file. Creates the file and its folder if necessary. Raises
    MasonsError, FileLostError and OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for tries_left in reversed(range(_CHANGE_TRIES)):
        try:
            file = HeldFile(str(path), "any")
        except MasonsError:
            if not tries_left:
                raise
            time.sleep(_PAUSE_SECONDS)
            continue
        with closing(file):
            file.replace(change(file))
        return


def not_kept(error: OSError) -> FileLostError:
    """Return the error that ends a game whose last event could not be written."""
    reason = error.strerror or str(error)
    return FileLostError(f"{error.filename}: {reason}: --resume continues from what is in it")


def _spare_name(name: str, ending: str) -> str:
    """Return `NAME.ending`, or the name with a number added if a file of that name exists."""
    free_name, number = f"{name}.{ending}", 1
    while os.path.lexists(free_name):
        number += 1
        free_name = f"{name}.{ending}-{number}"
    return free_name


def _opened(name: str, how: How) -> IO[bytes]:
    flags = os.O_RDWR | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(name, flags | _FLAGS[how], 0o666)
    except FileExistsError:
        if not Path(name).exists() or Path(name).stat().st_size:
            raise
        handle = os.open(name, flags)
    return os.fdopen(handle, "r+b", buffering=0)


def _locked(handle: int) -> bool:
    """Try to lock a file, and return whether the caller may write to it.

    Returns True if the lock was acquired, or if the file system has no locks.
    """
    from filelock import lock_descriptor

    try:
        return lock_descriptor(handle, blocking=False)
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return True
        raise


def _held(name: str, holder: str) -> MasonsError:
    return MasonsError(
        f"{name} is being written by {holder}: wait until it has ended, or name another file"
    )


def _holder(status: os.stat_result) -> str:
    """Return a description of the holder of a file's lock, with its process number on Linux."""
    try:
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return "another process"
    for line in lines:  # 1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF
        words = line.split()
        if len(words) > 5 and words[1] == "FLOCK" and words[5].endswith(f":{status.st_ino}"):
            return f"process {words[4]}" if words[4].isdecimal() else "another process"
    return "another process"
