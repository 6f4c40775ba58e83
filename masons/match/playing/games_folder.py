"""The folder for games that people play without --record, and the list of these games."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final

from platformdirs import user_data_path

from masons.engine.game.record import FORMAT as RECORD
from masons.engine.plain_text import plain_name
from masons.engine.storage.line_file import json_object

FORMAT: Final = "masons-play"
"""The format of the file of an unfinished game."""
_LISTED: Final = 50
_MOST_BYTES: Final = 1 << 20  # the most bytes read of a first line


def games_folder() -> Path:
    """Return the folder for games played without --record. The folder need not exist."""
    return user_data_path("masons-engine", appauthor=False) / "games"


def new_name() -> str:
    """Create `games_folder` if needed, and return the path of a new file in it.

    Raises OSError if the folder cannot be created.
    """
    folder = games_folder()
    folder.mkdir(parents=True, exist_ok=True)
    begun = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    name, number = folder / f"{begun}.jsonl", 1
    while name.exists():
        number += 1
        name = folder / f"{begun}-{number}.jsonl"
    return str(name)


def listed_games() -> list[dict[str, Any]]:
    """Return the list entries of the latest games. Unfinished games come first."""
    paths = games_folder().glob("*.jsonl")
    dated = [(when, path) for path in paths if (when := _changed(path)) is not None]
    files = [path for _, path in sorted(dated, reverse=True)]
    entries = islice((entry for path in files if (entry := list_entry(path)) is not None), _LISTED)
    return sorted(entries, key=lambda entry: bool(entry["over"]))


def list_entry(path: Path) -> dict[str, Any] | None:
    """Return the list entry of a game, or None if the file does not hold a game.

    The entry has the keys `file` (the name in the folder), `names`, `over` and `changed` (a time
    such as 2026-11-25 12:30).
    """
    changed = _changed(path)
    if changed is None:
        return None
    try:
        with path.open("rb") as stream:
            head = json_object(stream.readline(_MOST_BYTES).rstrip(b"\n"))
    except OSError:
        return None
    if head is None or head.get("format") not in (FORMAT, RECORD):
        return None
    names = head.get("names")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return {
        "file": path.name,
        "names": [plain_name(name) for name in names[:4]],
        "over": head["format"] == RECORD,
        "changed": changed.strftime("%Y-%m-%d %H:%M"),
    }


def _changed(path: Path) -> datetime | None:
    """Return the time of a file's last change, or None if there is no file or no valid time."""
    try:
        status = path.stat()
        return datetime.fromtimestamp(status.st_mtime) if S_ISREG(status.st_mode) else None
    except (OSError, ValueError, OverflowError):
        return None
