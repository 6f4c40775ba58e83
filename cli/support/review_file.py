"""Where unfinished reviews are kept: a file that is named, or one of the user's cache folder."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from platformdirs import user_cache_path

from masons.cli.support.process import say
from masons.engine.errors import FileLostError, MasonsError
from masons.engine.storage.held_file import HeldFile

if TYPE_CHECKING:
    from masons.ai.review.review_work import Work

_EVERY_SECONDS: Final = 2.0
_KEPT: Final = 20  # files in the cache folder
_MAX_BYTES: Final = 1 << 26


class WorkFile:
    """The file of a review's work, which no other process writes; None: there is none."""

    def __init__(self, work: Work, file: HeldFile | None, *, is_named: bool) -> None:
        self._work = work
        self._file = file
        self._is_named = is_named
        self._saved = time.monotonic()

    def save_now_and_then(self) -> None:
        """Save what is done, unless that was just done."""
        if time.monotonic() - self._saved >= _EVERY_SECONDS:
            self.save()

    def save(self) -> bool:
        """Save what is done; whether it could be.

        Raises FileLostError or OSError for a file that was named.
        """
        self._saved = time.monotonic()
        if self._file is None:
            return False
        try:
            self._file.replace(self._work.format().encode())
        except (OSError, FileLostError) as error:
            if self._is_named:
                raise
            why = error.strerror if isinstance(error, OSError) else str(error)
            say(f"unfinished work cannot be kept: {why}")
            self._file.close()
            self._file = None
        return self._file is not None

    def close(self) -> None:
        """Let the file go; keep the last few finished reviews, to be shown again at once."""
        if self._file is None:
            return
        self._file.close()
        if self._is_named:
            return
        try:
            files = sorted(
                Path(self._file.name).parent.glob("*.json"),
                key=lambda p: p.stat().st_mtime,
                reverse=True,
            )
            for old in files[_KEPT:]:
                old.unlink(missing_ok=True)
        except OSError:  # another process tidies up too
            pass


def open_work(work: Work, name: str | None, *, repair: bool = False) -> WorkFile:
    """The file for some work, which takes up what the file holds.

    `repair`: where a file that was named holds nothing of use, keep it beside and begin anew.
    Raises MasonsError where such a file is of another review or held by another process, OSError.
    """
    file = HeldFile(name, "any") if name is not None else _unnamed(_in_cache(work.key))
    if file is not None and file.size:
        try:
            work.take_up(_read(file))
        except MasonsError as error:
            if name is not None and not repair:
                file.close()
                advice = "--repair keeps it beside and begins anew"
                raise MasonsError(f"{name}: {error}; {advice}") from None
            if name is not None:
                spare = file.set_aside("bad", file.read())
                say(f"{name}: {error}; it is kept as {spare}")
    return WorkFile(work, file, is_named=name is not None)


def _unnamed(path: Path | None) -> HeldFile | None:
    """A file of the cache; None where it cannot be had, as somebody else does the same review."""
    if path is None:
        return None
    try:
        return HeldFile(str(path), "any")
    except MasonsError:
        say("another process does this review, too: this one keeps no work")
    except OSError:
        pass
    return None


def _read(file: HeldFile) -> str:
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
