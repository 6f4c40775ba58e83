"""A game on disk while it is played: its setup, then a line of JSON for each thing that happens.

| line                               | what                                                       |
| ---------------------------------- | ---------------------------------------------------------- |
| `{"format": "masons-play", ...}`   | the setup: seats, names, level, board, seed                |
| `{"p": 0, "move": "wall:57"}`      | a decision                                                 |
| `{"undo": 2}`                      | decisions that were taken back                             |
| `{"roll": ["white", "red", "?"]}`  | dice, and `{"card": "cities"}` a card, that people brought |
| `{"resign": 0}`                    | a person gave up                                           |

Dice and deck need no lines: they follow from the seed and the moves, so a game that is taken up
again has the same ones. (So who reads the seed can read the future: it is nobody's to look at
while the game goes on.) Each line is on the disk before `add` returns. When the game ends the file
becomes its record.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from masons.cli.support.line_file import json_object
from masons.engine.errors import MasonsError, RecordError
from masons.engine.files import write_atomic
from masons.engine.game.record import FORMAT as RECORD
from masons.engine.game.record import format_record

FORMAT: Final = "masons-play"
VERSION: Final = 1
_MOST_BYTES: Final = 1 << 24


class Journal:
    """The file of a game that is being played."""

    def __init__(self, name: str, file: IO[bytes], lines: list[str]) -> None:
        self.name = name
        self._file: IO[bytes] | None = file  # open at its end, without a buffer
        self._lines = lines  # what it holds

    def add(self, entry: Mapping[str, Any]) -> None:
        """One thing that happened. Raises OSError."""
        line = json.dumps(entry)
        self._write(line)
        self._lines.append(line)

    def _write(self, line: str) -> None:
        assert self._file is not None
        start = self._file.seek(0, os.SEEK_END)
        data = (line + "\n").encode("utf-8")
        try:
            while data:
                data = data[self._file.write(data) :]
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(start)  # half a line must not stand before the next
            raise

    def finish(self, record: Mapping[str, Any]) -> None:
        """Replace what was kept by the game's record. Raises OSError."""
        self.close()
        self._lines = [format_record(dict(record))]
        write_atomic(self.name, self._lines[0] + "\n")

    def save(self, name: str) -> None:
        """Keep the game so far in a new file, too. Raises MasonsError, OSError."""
        if Path(name).exists():
            raise MasonsError(f"{name} exists: choose another name")
        write_atomic(name, "".join(f"{line}\n" for line in self._lines))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


class Kept(NamedTuple):
    """What was found in a file."""

    lines: list[str]
    size: int  # bytes, without a torn last line


def begin_journal(name: str, header: Mapping[str, Any]) -> Journal:
    """A new file with a game's setup. Raises MasonsError where it exists, OSError."""
    try:
        file = Path(name).open("xb", buffering=0)  # noqa: SIM115
    except FileExistsError:
        raise MasonsError(f"{name} exists: --resume {name} goes on with it") from None
    journal = Journal(name, file, [])
    journal.add({"format": FORMAT, "version": VERSION, **header})
    return journal


def reopen_journal(name: str, kept: Kept) -> Journal:
    """Go on in a file after what was found in it. Raises OSError."""
    file = Path(name).open("r+b", buffering=0)  # noqa: SIM115
    file.truncate(kept.size)
    if kept.size != file.seek(0, os.SEEK_END):
        raise OSError(0, "it changes while it is read", name)
    file.seek(kept.size - 1)
    if file.read(1) != b"\n":
        file.write(b"\n")
    return Journal(name, file, kept.lines)


def read_journal(name: str) -> tuple[dict[str, Any], list[dict[str, Any]], Kept]:
    """The setup, what happened, and what to go on from; a torn last line is left out.

    Raises RecordError for anything but a game that goes on, OSError.
    """
    with Path(name).open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise RecordError(f"{name} is longer than {_MOST_BYTES} bytes")
    entries, size = _sound(name, data)
    if not entries or entries[0].get("format") != FORMAT:
        finished = bool(entries) and entries[0].get("format") == RECORD
        what = "is a finished game: replay shows it" if finished else "is no game to go on with"
        raise RecordError(f"{name} {what}")
    if entries[0].get("version") != VERSION:
        raise RecordError(f"{name}: only version {VERSION} of {FORMAT} is known")
    lines = [line.decode("utf-8") for line in data[:size].splitlines()]
    return entries[0], entries[1:], Kept(lines, size)


def _sound(name: str, data: bytes) -> tuple[list[dict[str, Any]], int]:
    """The entries in some bytes, and how many bytes they have. Raises RecordError."""
    entries: list[dict[str, Any]] = []
    size = 0
    pieces = data.split(b"\n")
    for number, piece in enumerate(pieces, 1):
        entry = json_object(piece)
        if entry is None:
            if number < len(pieces):
                raise RecordError(f"{name}, line {number}: {piece[:60]!r} is no entry of a game")
            break
        entries.append(entry)
        size = min(size + len(piece) + 1, len(data))
    return entries, size
