"""The games in the user's folder: what a page may list and go on with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, Final

from masons.engine.errors import MasonsError
from masons.engine.fair.fair_game import Fair, keep_secret
from masons.engine.game.record import FORMAT as RECORD
from masons.engine.game.record import format_record, read_record
from masons.engine.plain_text import plain_name, quoted
from masons.engine.storage.held_file import HeldFile
from masons.engine.storage.line_file import json_object
from masons.match.playing.kept_games import FORMAT, begin_journal, games_folder, new_name, resumed
from masons.match.playing.played_game import GameSetup, PlayedGame

if TYPE_CHECKING:
    from masons.ai.players.player import Player
    from masons.engine.board.geometry import Board

_LISTED: Final = 50
_MOST_BYTES: Final = 1 << 20  # of a first line


class SavedGames:
    """Games in files, begun and gone on with."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._named: dict[str, str] = {}  # files of the command line, by what a page calls them

    def name_file(self, file: str) -> str:
        """Let a page go on with a file outside of the folder; what it is called there."""
        self._named[Path(file).name] = file
        return Path(file).name

    def listed(self) -> list[dict[str, Any]]:
        """The latest games, those that go on first."""
        paths = games_folder().glob("*.jsonl")
        dated = [(when, path) for path in paths if (when := _changed(path)) is not None]
        files = [path for _, path in sorted(dated, reverse=True)]
        found = islice((entry for path in files if (entry := _entry(path)) is not None), _LISTED)
        return sorted(found, key=lambda entry: bool(entry["over"]))

    def begin(
        self, setup: GameSetup, fair: Fair | None, player_of: Callable[[str, int], Player]
    ) -> tuple[str, PlayedGame]:
        """A new game, kept from its first moment on, and its name. Raises MasonsError, OSError."""
        if fair is not None:
            setup = replace(setup, fair=fair.terms, first=fair.first or 0)
            keep_secret(fair)  # before the game that could not go on without it
        played = PlayedGame(self.board, setup, fair=fair, player_of=player_of)
        played.keep_in(begin_journal(name := new_name(), played.header()))
        return Path(name).name, played

    def resume(self, file: str, player_of: Callable[[str, int], Player]) -> PlayedGame:
        """Go on with a game that a page names. Raises MasonsError, OSError."""
        return resumed(HeldFile(self._path(file), "old"), self.board, player_of=player_of)

    def record_text(self, file: str) -> str:
        """The record of a game that is over. Raises MasonsError."""
        return format_record(read_record(self._path(file)))

    def goes_on(self, file: str) -> bool:
        """Whether there is such a game, and it is not over."""
        path = Path(self._named.get(file) or games_folder() / Path(file).name)
        entry = _entry(path)
        return entry is not None and not entry["over"]

    def _path(self, file: str) -> str:
        """Where a game lies that a page names. Raises MasonsError for one not in the list."""
        path = self._named.get(file)
        if path is not None:
            return path
        if file not in [entry["file"] for entry in self.listed()]:
            raise MasonsError(f"there is no game {quoted(file)} in the list")
        return str(games_folder() / file)


def _entry(path: Path) -> dict[str, Any] | None:
    """A game of the list; None for a file that is none."""
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
    """When a file was changed; None for what is no file, or has a date that is none."""
    try:
        status = path.stat()
        return datetime.fromtimestamp(status.st_mtime) if S_ISREG(status.st_mode) else None
    except (OSError, ValueError, OverflowError):
        return None
