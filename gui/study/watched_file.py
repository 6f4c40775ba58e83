"""The newest game of a file that something else writes: a match, games of players."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from masons.engine.game.record import FORMAT
from masons.engine.storage.line_file import json_object

_TAIL: Final = 1 << 20  # bytes that are read of its end


class WatchedFile:
    """Looks whether a file has a new game."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._size = -1
        self._last = b""

    def newest(self) -> str | None:
        """The last whole record, where it is another one than before. Raises OSError."""
        with Path(self.path).open("rb") as stream:
            size = stream.seek(0, 2)
            if size == self._size:
                return None
            self._size = size
            stream.seek(max(size - _TAIL, 0))
            lines = stream.read().split(b"\n")[:-1]  # what stands behind the last end is torn
        for line in reversed(lines):
            found = json_object(line)
            if found is not None and found.get("format") == FORMAT:
                if line == self._last:
                    return None
                self._last = line
                return line.decode("utf-8")
        return None
