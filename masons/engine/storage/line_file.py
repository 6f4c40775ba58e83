"""Files to which lines are added game by game."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Final

from masons.engine.errors import READ_ERRORS, MasonsError
from masons.engine.files import is_special
from masons.engine.storage.held_file import HeldFile
from masons.engine.strict_json import strict_json

_BLOCK: Final = 1 << 16


# The beginning of a record, which also identifies a record that was cut short by a kill.
_START: Final = b'{"format": "masons-record"'


class LineFile:
    """A file of lines; each line is on the disk before `write` returns, and is never half written.

    No other process can write to the file while it is open. A device or a pipe is written directly.
    """

    cut = 0  # number of bytes of an incomplete last line that were removed

    def __init__(
        self,
        name: str,
        *,
        append: bool,
        force: bool,
        advice: str = "--append adds to it, --force replaces it",
    ) -> None:
        """Open a file for writing lines.

        `append` adds to an existing file, and `force` replaces it. Without either of them,
        MasonsError is raised for an existing file, with a message that ends with `advice`. Raises
        OSError.
        """
        self.name = name
        self._stream: IO[bytes] | None = None
        if is_special(Path(name)):
            self._stream = os.fdopen(os.open(name, os.O_WRONLY), "wb", buffering=0)
            return
        try:
            self._held = HeldFile(name, "any" if append or force else "new")
        except FileExistsError:
            raise MasonsError(f"{name} exists: {advice}") from None
        if append:
            try:
                self.cut = _cut_torn_line(self._held)
            except BaseException:
                self._held.close()
                raise
        else:
            self._held.cut(0)

    def write(self, line: str) -> None:
        """Append a line. Raises FileLostError and OSError."""
        data = (line + "\n").encode("utf-8")
        if self._stream is None:
            self._held.write(data)
            return
        try:
            while data:
                data = data[self._stream.write(data) :]
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from None

    def check(self) -> None:
        """Raise FileLostError if another process changed the file."""
        if self._stream is None:
            self._held.check()

    def close(self) -> None:
        """Close the file."""
        if self._stream is None:
            self._held.close()
        else:
            self._stream.close()


def repair_lines(name: str, is_good: Callable[[str], bool]) -> str:
    """Remove all lines that are not UTF-8, or for which `is_good` returns False, from a file.

    The original content is saved in another file first. Returns a description of the repair, or ""
    if all lines are good. Raises MasonsError (for example, if no line is good) and OSError.
    """
    file = HeldFile(name, "old")
    try:
        data = file.read()
        pieces = [piece for piece in data.split(b"\n") if piece.strip()]
        good = [piece for piece in pieces if _is_text(piece) and is_good(piece.decode())]
        if len(good) == len(pieces):
            return ""
        if not good:
            raise MasonsError(f"{name} holds no game of a match: there is nothing to repair")
        spare = file.set_aside("bad", data)
        file.replace(b"".join(piece + b"\n" for piece in good))
    finally:
        file.close()
    left = len(pieces) - len(good)
    lines = "1 line was" if left == 1 else f"{left} lines were"
    return f"{name}: {lines} left out, {len(good)} kept; {spare} holds the file as it was"


def _is_text(piece: bytes) -> bool:
    try:
        piece.decode()
    except UnicodeDecodeError:
        return False
    return True


def _cut_torn_line(held: HeldFile) -> int:
    """Repair a last line that has no newline, and return the number of bytes removed.

    A complete JSON object gets its newline; a record that was cut short is removed. For any other
    last line, raises MasonsError and changes nothing.
    """
    keep = _last_line(held.file, held.size)
    held.file.seek(keep)
    tail = held.file.read()
    if not tail:
        return 0
    if json_object(tail) is not None:
        held.write(b"\n")
        return 0
    if not (tail.startswith(_START) or _START.startswith(tail)):
        raise MasonsError(f"{held.name} does not end in a game record: nothing is added to it")
    held.cut(keep)
    return len(tail)


def _last_line(file: IO[bytes], size: int) -> int:
    """Return the offset of the last line if it lacks a newline, else `size`."""
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
    """Return the JSON object in a line, or None if the line is not a JSON object."""
    try:
        value = strict_json(line.decode("utf-8"))
    except READ_ERRORS:
        return None
    return value if isinstance(value, dict) else None
