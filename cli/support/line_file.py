"""Files that grow game by game, line by line."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import IO, Any, Final

from masons.engine.errors import MasonsError
from masons.engine.files import is_special

_BLOCK: Final = 1 << 16


# How a record's line begins; what a kill leaves of one begins like that, too.
_RECORD_START: Final = b'{"format": "masons-record"'


class LineFile:
    """A file of lines: each is on the disk before `write` returns, and none is ever torn by us."""

    def __init__(self, name: str, *, append: bool, force: bool) -> None:
        """Open a file; MasonsError where it exists and may not be touched, or OSError."""
        path = Path(name)
        if path.exists() and not is_special(path):
            if not append and not force:
                raise MasonsError(f"{name} exists: --append adds to it, --force replaces it")
            if append:
                self.cut = _cut_torn_line(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | (0 if append else os.O_TRUNC)
        self._file: IO[bytes] = os.fdopen(os.open(name, flags, 0o666), "wb", buffering=0)
        self._sync = stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)

    cut = 0  # bytes of a torn last line that were taken off

    def write(self, line: str) -> None:
        """Add a line."""
        data = (line + "\n").encode("utf-8")
        while data:
            data = data[self._file.write(data) :]
        if self._sync:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _cut_torn_line(path: Path) -> int:
    """Mend a last line without its newline; how many bytes of a torn record were taken off.

    A whole record gets its newline, a torn one is taken off. Raises MasonsError, and changes
    nothing, where the line is neither.
    """
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        keep = _last_line(file, size)
        file.seek(keep)
        tail = file.read(size - keep)
        if not tail:
            return 0
        if json_object(tail) is not None:
            file.write(b"\n")
            return 0
        if not (tail.startswith(_RECORD_START) or _RECORD_START.startswith(tail)):
            raise MasonsError(f"{path} does not end in a game record: nothing is added to it")
        file.truncate(keep)
        return size - keep


def _last_line(file: IO[bytes], size: int) -> int:
    """Where the last line begins that has no newline; `size` where there is none."""
    end = size
    while end:
        start = max(0, end - _BLOCK)
        file.seek(start)
        at = file.read(end - start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def json_object(line: bytes) -> dict[str, Any] | None:
    """The JSON object that a line is; None where it is none."""
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
