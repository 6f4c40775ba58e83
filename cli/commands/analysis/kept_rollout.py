"""The file that keeps the games of a rollout (`analyze --resume`)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from masons.ai.rollout.rollout_file import head_of, read_rollout, state_of
from masons.cli.support.process import say
from masons.engine.errors import MasonsError
from masons.engine.storage.held_file import HeldFile

if TYPE_CHECKING:
    from masons.ai.rollout.rollout import Rollout
    from masons.ai.session import Session
    from masons.cli.reports.search_query import SearchQuery

_EVERY_SECONDS: Final = 10.0
_MAX_BYTES: Final = 1 << 26


class RolloutFile:
    """A file that no other process writes, or none (`file` is None)."""

    def __init__(self, session: Session, file: HeldFile | None, rollout: Rollout | None) -> None:
        self.rollout = rollout  # to go on with
        self._session, self._file = session, file
        self._saved, self._before = time.monotonic(), None if rollout is None else state_of(rollout)

    def save_now_and_then(self) -> None:
        """Save what was played, unless that was just done."""
        if time.monotonic() - self._saved >= _EVERY_SECONDS:
            self.save()

    def save(self) -> None:
        """Save what was played, behind what was saved before. Raises OSError, FileLostError."""
        self._saved = time.monotonic()
        rollout = self._session.rollout
        if self._file is None or rollout is None or (state := state_of(rollout)) is None:
            return
        text = head_of(rollout, self._session.table) + (self._before or "") + state
        self._file.replace(text.encode())
        self._before = state


@contextmanager
def kept_rollout(
    name: str | None, session: Session, query: SearchQuery, *, repair: bool
) -> Iterator[RolloutFile]:
    """Open the file of a name (None: keep nothing) and go on with what it holds; save at the end.

    Raises MasonsError for a file of another decision, board, player or release, for a damaged one
    unless `repair`, and for one that another process holds; UsageError for what has no rollout.
    """
    if name is None:
        if repair:
            raise click.UsageError("--repair is for --resume FILE")
        yield RolloutFile(session, None, None)
        return
    options = session.options
    if options.method != "halving":
        raise click.UsageError("--resume keeps a rollout, which follows no tree search")
    file = HeldFile(name, "any")
    try:
        rollout = None
        if file.size:
            data = file.read(_MAX_BYTES)
            view = session.table.view(query.searched)
            try:
                rollout, is_whole = read_rollout(
                    data.decode(errors="replace"), session.table, view, threads=options.threads,
                    player=options.rollout_player, repair=repair,
                )  # fmt: skip
            except MasonsError as error:
                raise MasonsError(f"{name}: {error}") from None
            if not is_whole:
                say(f"{name}: its end is damaged; it is kept as {file.set_aside('bad', data)}")
            say(f"{name}: going on after {rollout.games:,} games")
        kept = RolloutFile(session, file, rollout)
        yield kept
        kept.save()
    finally:
        file.close()
