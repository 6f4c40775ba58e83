"""Where it is kept what was found and missed."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from datetime import date
from pathlib import Path
from typing import Final

from platformdirs import user_data_path

from masons.ai.practice.repetition import Card, Progress, progress_from
from masons.engine.errors import MasonsError
from masons.engine.files import refuse_special
from masons.engine.storage.held_file import HeldFile

_MOST_BYTES: Final = 1 << 24
# Another process holds the file for a moment only, while it notes an answer.
_TRIES: Final = 100
_PAUSE_SECONDS: Final = 0.05


def progress_path() -> Path:
    """The file of the user's data folder; it need not exist."""
    return user_data_path("masons-engine") / "practice.json"


def read_progress(path: Path) -> Progress:
    """What a file holds; nothing where there is none. Raises MasonsError, OSError."""
    refuse_special(str(path))
    if not path.exists():
        return Progress()
    with path.open("rb") as file:
        return _parsed(path, file.read(_MOST_BYTES + 1))


def keep_answer(path: Path, puzzle: str, today: date, *, found: bool) -> Card:
    """Note an answer beside what other processes noted; return the card as it is then.

    The file is made if need be, and its folder. Raises MasonsError, FileLostError, OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(_held(str(path))) as file:
        progress = _parsed(path, file.read(_MOST_BYTES + 1))
        card = progress.answered(puzzle, today, found=found)
        file.replace(progress.format().encode())
    return card


def _held(name: str) -> HeldFile:
    for _ in range(_TRIES):
        with suppress(MasonsError):
            return HeldFile(name, "any")
        time.sleep(_PAUSE_SECONDS)
    return HeldFile(name, "any")


def _parsed(path: Path, data: bytes) -> Progress:
    if not data:
        return Progress()
    try:
        if len(data) > _MOST_BYTES:
            raise MasonsError(f"it is longer than {_MOST_BYTES} bytes")
        return progress_from(data.decode("utf-8"))
    except (MasonsError, UnicodeDecodeError) as error:
        said = error if isinstance(error, MasonsError) else "it is not UTF-8 text"
        advice = "name another file with --progress, or move it away"
        raise MasonsError(f"{path}: {said}; {advice}") from None
