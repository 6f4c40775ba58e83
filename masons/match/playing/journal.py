"""The file of an unfinished game: functions that begin, write, read and repair it."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from masons.engine.errors import READ_ERRORS, MasonsError, RecordError
from masons.engine.files import write_atomic
from masons.engine.game.record import FORMAT as RECORD
from masons.engine.game.record import format_record
from masons.engine.storage.held_file import HeldFile
from masons.engine.storage.line_file import json_object
from masons.match.playing.games_folder import FORMAT

VERSION: Final = 1
LINE_END: Final = b"\n"
REPAIR_ADVICE: Final = (
    "--resume FILE --repair continues from the entry before it and keeps the old file as FILE.bad"
)
_MOST_BYTES: Final = 1 << 24


class Journal:
    """The file of a game that is being played. An entry is on disk when `add` returns.

    The first line is the game's setup. Each other line is an entry, such as a move.
    """

    def __init__(self, file: HeldFile, lines: list[str]) -> None:
        self.name = file.name
        self._file: HeldFile | None = file
        self._lines = lines  # the file's lines

    def add(self, entry: Mapping[str, Any]) -> None:
        """Add an entry. Raises FileLostError or OSError."""
        assert self._file is not None
        line = json.dumps(entry)
        self._file.write(f"{line}\n".encode(), whole=self._text.encode())
        self._lines.append(line)

    @property
    def _text(self) -> str:
        return "".join(f"{line}\n" for line in self._lines)

    def finish(self, record: Mapping[str, Any]) -> None:
        """Replace the entries with the record of the game. Raises FileLostError or OSError."""
        assert self._file is not None
        line = format_record(dict(record))
        self._file.replace(f"{line}\n".encode())
        self._lines = [line]
        self.close()

    def save(self, name: str) -> None:
        """Copy the game so far to a new file.

        Raises MasonsError if the file exists, or OSError if it cannot be written.
        """
        if Path(name).exists():
            raise MasonsError(f"{name} exists: choose another name")
        write_atomic(name, self._text)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


class Kept(NamedTuple):
    """The complete lines of a game's file."""

    lines: list[str]
    size: int  # the size of these lines in bytes


def begin_journal(name: str, header: Mapping[str, Any]) -> Journal:
    """Create a file that begins with a game's setup.

    Raises MasonsError if the file exists, or OSError if it cannot be written.
    """
    try:
        file = HeldFile(name, "new")
    except FileExistsError:
        again = f"--resume {shlex.quote(name)}"
        raise MasonsError(f"{name} exists: {again} continues it") from None
    journal = Journal(file, [])
    try:
        journal.add({"format": FORMAT, "version": VERSION, **header})
    except BaseException:
        journal.close()
        raise
    return journal


def reopen_journal(file: HeldFile, kept: Kept) -> Journal:
    """Return a journal that adds entries after those in `kept`. Raises MasonsError or OSError."""
    file.cut(kept.size)
    file.file.seek(kept.size - 1)
    if file.file.read(1) != b"\n":
        file.write(b"\n")
    return Journal(file, kept.lines)


def read_journal(file: str | HeldFile) -> tuple[dict[str, Any], list[dict[str, Any]], Kept]:
    """Return the setup, the entries and the lines of a file, without an incomplete last line.

    Raises RecordError if the file is not an unfinished game, or OSError if it cannot be read.
    """
    name, data = _data_of(file)
    entries, size, bad = _sound(data)
    _check_header(name, data, entries)
    if bad:
        raise RecordError(f"{name}, line {bad}: not an entry of a game; {REPAIR_ADVICE}")
    lines = [line.decode("utf-8") for line in data[:size].splitlines()]
    return entries[0], entries[1:], Kept(lines, size)


def repair_journal(
    file: HeldFile, fitting: Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], int]
) -> str:
    """Remove the first bad line and all lines after it from a file.

    `fitting(setup, entries)` returns the number of entries at the start that fit the setup. The old
    content is first saved in another file. Returns a message that says what was removed, or "" if
    nothing was removed. Raises RecordError if the file has no setup, or OSError.
    """
    name, data = _data_of(file)
    entries, _, _ = _sound(data)
    _check_header(name, data, entries)
    good = 1 + fitting(entries[0], entries[1:])
    pieces = data.split(LINE_END)
    left = len([piece for piece in pieces[good:] if piece])
    if not left:
        return ""
    spare = file.set_aside("bad", data)
    file.replace(b"".join(piece + LINE_END for piece in pieces[:good]))
    lines = "line" if left == 1 else f"{left} lines"
    return f"{name}: the last {lines} left out, {good} kept; {spare} holds the file as it was"


def _data_of(file: str | HeldFile) -> tuple[str, bytes]:
    """Return a file's name and content. Raises RecordError if the file is too long."""
    if isinstance(file, HeldFile):
        name, data = file.name, file.read(_MOST_BYTES + 1)
    else:
        with Path(file).open("rb") as stream:
            name, data = file, stream.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise RecordError(f"{name} is longer than {_MOST_BYTES} bytes")
    return name, data


def _check_header(name: str, data: bytes, entries: Sequence[Mapping[str, Any]]) -> None:
    """Raise RecordError if the first line is not the setup of an unfinished game."""
    if not entries:
        _check_numbers(name, data.split(LINE_END, 1)[0])
    if not entries or entries[0].get("format") != FORMAT:
        raise RecordError(f"{name} {_instead(entries[0] if entries else {})}")
    version = entries[0].get("version")
    if type(version) is not int or version != VERSION:
        raise RecordError(f"{name}: only version {VERSION} of {FORMAT} is known")


def _instead(first: Mapping[str, Any]) -> str:
    """Return the end of a message about a file that is not an unfinished game.

    `first` is the first line of the file.
    """
    if first.get("format") != RECORD:
        return "is not an unfinished game: --resume needs a file written by play"
    stopped = first.get("stopped")
    if isinstance(stopped, dict):
        words = {"adjourned": "adjourned", "resigned": "given up", "forfeit": "forfeited"}
        why = words.get(str(stopped.get("why")), "stopped")
        return f"is the record of a game that was {why}, and cannot be continued: replay shows it"
    return "is a finished game: replay shows it"


def _check_numbers(name: str, line: bytes) -> None:
    """Raise RecordError if a setup contains a number such as NaN, which JSON does not allow."""
    try:
        header = json.loads(line)
    except READ_ERRORS:
        return
    if isinstance(header, dict) and header.get("format") == FORMAT:
        for key, value in header.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise RecordError(
                    f"{name}: the {key} is {json.dumps(value)}: it must be a whole number"
                )


def _sound(data: bytes) -> tuple[list[dict[str, Any]], int, int]:
    """Return the entries before the first bad line, their size in bytes, and that line's number.

    Lines are numbered from 1. The number is 0 if no line is bad. An incomplete last line is left
    out and does not count as bad.
    """
    entries: list[dict[str, Any]] = []
    size = 0
    pieces = data.split(LINE_END)
    for number, piece in enumerate(pieces, 1):
        entry = json_object(piece)
        if entry is None:
            return entries, size, number if number < len(pieces) else 0
        entries.append(entry)
        size = min(size + len(piece) + 1, len(data))
    return entries, size, 0
