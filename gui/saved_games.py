"""The games in the user's folder, which a page can list and continue."""

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
from masons.engine.game.record import Replay, format_record, read_record
from masons.engine.plain_text import plain_name, quoted
from masons.engine.storage.held_file import HeldFile
from masons.engine.storage.line_file import json_object
from masons.gui.pictures.page_board import page_pieces
from masons.match.playing.kept_games import FORMAT, begin_journal, games_folder, new_name, resumed
from masons.match.playing.played_game import GameSetup, PlayedGame

if TYPE_CHECKING:
    from masons.ai.players.player import Player
    from masons.engine.board.geometry import Board

_LISTED: Final = 50
_MOST_BYTES: Final = 1 << 20  # the most bytes read of a first line


class SavedGames:
    """The games that are saved in files."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._named: dict[str, str] = {}  # files from the command line, by their names on pages

    def name_file(self, file: str) -> str:
        """Let pages continue the game in a file outside the folder; return its name on pages."""
        self._named[Path(file).name] = file
        return Path(file).name

    def listed(self) -> list[dict[str, Any]]:
        """Return the list entries of the latest games, with unfinished games first."""
        paths = games_folder().glob("*.jsonl")
        dated = [(when, path) for path in paths if (when := _changed(path)) is not None]
        files = [path for _, path in sorted(dated, reverse=True)]
        entries = islice((entry for path in files if (entry := _entry(path)) is not None), _LISTED)
        return sorted(entries, key=lambda entry: bool(entry["over"]))

    def reviews_path(self) -> Path:
        """Return the path of the file of reviews, which need not exist."""
        return games_folder() / "reviews.json"

    def ended(self, file: str) -> str:
        """Return when a game ended, in the form of a list entry, or "" if the file is gone."""
        entry = _entry(Path(self._named.get(file) or games_folder() / file))
        return str(entry["changed"]) if entry is not None else ""

    def contents(self) -> dict[str, list[Any]]:
        """Return the JSON lines of each game in the folder, by file name. Raises OSError."""
        paths = [path for path in sorted(games_folder().glob("*.jsonl")) if _entry(path)]
        return {path.name: [*map(json_object, path.read_bytes().splitlines())] for path in paths}

    def delete_all(self) -> int:
        """Delete the games in the folder.

        Return the number of games that could not be deleted, for example because another program
        uses them.
        """
        held = 0
        for path in games_folder().glob("*.jsonl"):
            if _entry(path) is None:
                continue
            try:
                HeldFile(str(path), "old").close()
                path.unlink()
            except (MasonsError, OSError):
                held += 1
        return held

    def begin(
        self, setup: GameSetup, fair: Fair | None, player_of: Callable[[str, int], Player]
    ) -> tuple[str, PlayedGame]:
        """Begin a game in a new file; return the file's name and the game.

        Raises MasonsError or OSError.
        """
        if fair is not None:
            setup = replace(setup, fair=fair.terms, first=fair.first or 0)
            keep_secret(fair)  # before the game's file, as the game cannot continue without it
        played = PlayedGame(self.board, setup, fair=fair, player_of=player_of)
        played.keep_in(begin_journal(name := new_name(), played.header()))
        return Path(name).name, played

    def resume(self, file: str, player_of: Callable[[str, int], Player]) -> PlayedGame:
        """Continue the game that a page names. Raises MasonsError or OSError."""
        return resumed(HeldFile(self._path(file), "old"), self.board, player_of=player_of)

    def record_text(self, file: str) -> str:
        """Return the record of a finished game. Raises MasonsError."""
        return format_record(read_record(self._path(file)))

    def final_board(self, file: str) -> dict[str, Any]:
        """Return the `final` message for a finished game. Raises MasonsError."""
        replay = Replay(read_record(self._path(file)), self.board)
        replay.check()
        position = replay.game.position
        return {
            "type": "final",
            "file": file,
            "names": [plain_name(name) for name in replay.record["names"]],
            "scores": list(position.scores),
            "winners": list(replay.winners),
            **page_pieces(self.board, position),
        }

    def is_unfinished(self, file: str) -> bool:
        """Return whether there is a game with this name that is not over."""
        path = Path(self._named.get(file) or games_folder() / Path(file).name)
        entry = _entry(path)
        return entry is not None and not entry["over"]

    def _path(self, file: str) -> str:
        """Return the path of the game that a page names.

        Raises MasonsError if the game is not listed.
        """
        path = self._named.get(file)
        if path is not None:
            return path
        if file not in [entry["file"] for entry in self.listed()]:
            raise MasonsError(f"there is no game {quoted(file)} in the list")
        return str(games_folder() / file)


def _entry(path: Path) -> dict[str, Any] | None:
    """Return the list entry of a game, or None if the file does not hold a game."""
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
    """Return when a file was changed, or None if it is not a file or the date is impossible."""
    try:
        status = path.stat()
        return datetime.fromtimestamp(status.st_mtime) if S_ISREG(status.st_mode) else None
    except (OSError, ValueError, OverflowError):
        return None
