"""Where unfinished reviews are kept: a file that is named, or one of the user's cache folder."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from platformdirs import user_cache_path

from masons.engine.errors import MasonsError
from masons.engine.files import write_atomic

if TYPE_CHECKING:
    from masons.ai.review.review_work import Work

_EVERY_SECONDS: Final = 2.0
_KEPT: Final = 20  # files in the cache folder
_MAX_BYTES: Final = 1 << 26


class WorkFile:
    """The file of a review's work; `path` None: there is none."""

    def __init__(self, work: Work, path: Path | None, *, is_named: bool) -> None:
        self._work = work
        self._path = path
        self._is_named = is_named
        self._saved = time.monotonic()

    def save_now_and_then(self) -> None:
        """Save what is done, unless that was just done."""
        if time.monotonic() - self._saved >= _EVERY_SECONDS:
            self.save()

    def save(self) -> bool:
        """Save what is done; whether it could be. Raises OSError for a file that was named."""
        self._saved = time.monotonic()
        if self._path is None:
            return False
        try:
            write_atomic(self._path, self._work.format())
        except OSError as error:
            if self._is_named:
                raise
            click.echo(f"unfinished work cannot be kept: {error.strerror or error}", err=True)
            self._path = None
        return self._path is not None

    def close(self) -> None:
        """Keep the last few finished reviews, so that they can be shown again at once."""
        if self._path is None or self._is_named:
            return
        try:
            files = sorted(
                self._path.parent.glob("*.json"), key=lambda p: p.stat().st_mtime, reverse=True
            )
            for old in files[_KEPT:]:
                old.unlink(missing_ok=True)
        except OSError:  # another process tidies up too
            pass


def open_work(work: Work, name: str | None) -> WorkFile:
    """The file for some work, which takes up what the file holds.

    Raises MasonsError where a file that was named is of another review, or OSError.
    """
    path = Path(name) if name is not None else _in_cache(work.key)
    if path is not None and path.exists():
        try:
            work.take_up(_read(path))
        except MasonsError as error:
            if name is not None:
                raise MasonsError(f"{name}: {error}") from None
        except OSError:
            if name is not None:
                raise
    return WorkFile(work, path, is_named=name is not None)


def _read(path: Path) -> str:
    with path.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise MasonsError("it is not UTF-8 text, so it holds no work of a review") from None


def _in_cache(key: str) -> Path | None:
    """The file of a review in the user's cache folder, where there is one."""
    folder = user_cache_path("masons-engine") / "reviews"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return None
    return folder / f"{key[:32]}.json"
