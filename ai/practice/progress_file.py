"""Where it is kept what was found and missed."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_data_path

from masons.ai.practice.repetition import Progress, progress_from
from masons.engine.errors import MasonsError
from masons.engine.files import write_atomic


def progress_path() -> Path:
    """The file of the user's data folder; it need not exist."""
    return user_data_path("masons-engine") / "practice.json"


def read_progress(path: Path) -> Progress:
    """What a file holds; nothing where there is none. Raises MasonsError, OSError."""
    if not path.exists():
        return Progress()
    try:
        return progress_from(path.read_text(encoding="utf-8"))
    except (MasonsError, UnicodeDecodeError) as error:
        said = error if isinstance(error, MasonsError) else "it is not UTF-8 text"
        advice = "name another file with --progress, or move it away"
        raise MasonsError(f"{path}: {said}; {advice}") from None


def write_progress(path: Path, progress: Progress) -> None:
    """Keep it, in a folder that is made if need be. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(str(path), progress.format())
