"""Files that are written whole or not at all, and names that are no file's."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from masons.engine.errors import MasonsError
from masons.engine.given import file_shown


def is_special(path: Path) -> bool:
    """Return whether a path is no regular file: a device, a pipe, a folder."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def refuse_special(name: str) -> None:
    """Raise MasonsError for a device, a pipe or a folder: reading may never end, or not begin."""
    if is_special(Path(name)):
        raise MasonsError(f"{file_shown(name)} is no regular file: name one that is")


def write_atomic(
    name: str | Path,
    content: str | bytes,
    *,
    sync: bool = True,
    opened: Callable[[int], None] = lambda _: None,
) -> None:
    """Write a file, text as UTF-8, so that there is never half of one. Raises OSError.

    `sync`: be sure that it is on the disk before this returns. `opened` is called with the handle
    of the file that will take the name. An error names the file.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    path = Path(os.path.realpath(name))
    try:
        if is_special(path):
            path.write_bytes(data)
            return
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                if sync:
                    os.fsync(file.fileno())
                opened(file.fileno())
            Path(temporary).chmod(_mode(path))
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(name)) from None


def _mode(path: Path) -> int:
    """The permissions that a file has, or that a new one would get."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
