"""A file with the names of the lessons that a user has done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from platformdirs import user_data_path

from masons.engine.checks import check_list
from masons.engine.errors import READ_ERRORS, MasonsError
from masons.engine.files import read_if_there
from masons.engine.storage.held_file import HeldFile, change_file
from masons.engine.strict_json import strict_json

FORMAT: Final = "masons-lessons"
_MOST_BYTES: Final = 1 << 20


def progress_path() -> Path:
    """Return the path of the progress file in the user's data folder; it need not exist."""
    return user_data_path("masons-engine") / "lessons.json"


def read_done(path: Path) -> list[str]:
    """Return the names of the lessons done.

    Raises MasonsError if the file is damaged, and OSError if it cannot be read.
    """
    return _parsed(read_if_there(path, _MOST_BYTES))


def done_or_fault(path: Path) -> tuple[list[str], str]:
    """Return the names of the lessons done, and a message if the file is damaged (else "").

    Raises OSError if the file cannot be read.
    """
    try:
        return read_done(path), ""
    except MasonsError as error:
        advice = f"you start over, and its content will be kept in {path.name}.bad"
        return [], f"{path}: {error}; {advice}"


def keep_done(path: Path, name: str) -> None:
    """Record that a lesson is done.

    The content of a damaged file is first saved beside it, in `NAME.bad`. Raises MasonsError if
    another process holds the file, FileLostError if another process changed it, and OSError if it
    cannot be read or written.
    """

    def change(file: HeldFile) -> bytes:
        data = file.read(_MOST_BYTES + 1)
        try:
            done = _parsed(data)
        except MasonsError:
            file.set_aside("bad", data)
            done = []
        done = list(dict.fromkeys([*done, name]))
        return (json.dumps({"format": FORMAT, "version": 1, "done": done}) + "\n").encode()

    change_file(path, change)


def _parsed(data: bytes) -> list[str]:
    if not data:
        return []
    try:
        content = strict_json(data.decode())
        if content["format"] != FORMAT or content["version"] != 1:
            raise ValueError(content["format"])
        return check_list("done", content["done"], str, "a list of names")
    except READ_ERRORS:
        raise MasonsError("it holds no progress of lessons") from None
