"""The games in the user's folder, which a page can list and continue."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from masons.engine.errors import MasonsError
from masons.engine.fair.fair_game import Fair
from masons.engine.game.record import format_record, read_record
from masons.engine.game.replay import Replay
from masons.engine.plain_text import plain_name, quoted
from masons.engine.storage.held_file import HeldFile
from masons.engine.storage.line_file import json_object
from masons.gui.background import Declined
from masons.gui.pictures.page_board import page_pieces
from masons.gui.practice_session import daily_puzzle
from masons.match.playing.game_setup import GameSetup
from masons.match.playing.games_folder import games_folder, list_entry, listed_games
from masons.match.playing.journal import read_journal
from masons.match.playing.kept_games import begun, followed, kept_setup, resumed
from masons.match.playing.played_game import PlayedGame

if TYPE_CHECKING:
    from masons.ai.players.player import Player
    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position


class SavedGames:
    """The games that are saved in files."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._named: dict[str, str] = {}  # files from the command line, by their names on pages

    def name_file(self, file: str) -> str:
        """Let pages continue a game in a file outside the games folder.

        Return the name by which pages know the game.
        """
        self._named[Path(file).name] = file
        return Path(file).name

    def reviews_path(self) -> Path:
        """Return the path of the file of reviews, which need not exist."""
        return games_folder() / "reviews.json"

    def ended(self, file: str) -> str:
        """Return the time when a game ended, as in the list of games, or "" if its file is gone."""
        entry = list_entry(Path(self._named.get(file) or games_folder() / file))
        return str(entry["changed"]) if entry is not None else ""

    def finished(self) -> dict[str, list[Any]]:
        """Return the JSON lines of each finished game in the folder, by file name.

        The lines of an unfinished game would reveal its hands and dice. Raises OSError.
        """
        entries = [(path, list_entry(path)) for path in sorted(games_folder().glob("*.jsonl"))]
        return {
            path.name: [*map(json_object, path.read_bytes().splitlines())]
            for path, entry in entries
            if entry is not None and entry["over"]
        }

    def delete_all(self) -> int:
        """Delete the games in the folder.

        Return the number of games that could not be deleted, for example because another program
        uses them.
        """
        held = 0
        for path in games_folder().glob("*.jsonl"):
            if list_entry(path) is None:
                continue
            try:
                HeldFile(str(path), "old").close()
                path.unlink()
            except (MasonsError, OSError):
                held += 1
        return held

    def delete(self, file: str) -> None:
        """Delete a game of the list, unless another program uses it.

        Raises MasonsError or OSError.
        """
        path = Path(self._path(file))
        if file in self._named:
            raise Declined("illegal", f"{quoted(file)} is not in the games folder", "noGame")
        HeldFile(str(path), "old").close()
        path.unlink()

    def entries(self, opened: Collection[str]) -> list[dict[str, Any]]:
        """Return the entries of the list of games; `opened` has the files of the open ones.

        Games in which nothing was decided are left out unless they are open.
        """
        return [
            {**entry, "open": entry["file"] in opened}
            for entry in listed_games()
            if entry["over"] or entry["file"] in opened or not self.is_empty(entry["file"])
        ]

    def is_empty(self, file: str) -> bool:
        """Return whether no decision was made in an unfinished game of the folder."""
        try:
            with (games_folder() / file).open("rb") as stream:
                return file not in self._named and not stream.readlines()[1:]
        except OSError:
            return False

    def begin(
        self, setup: GameSetup, fair: Fair | None, player_of: Callable[[str, int], Player]
    ) -> tuple[str, PlayedGame]:
        """Begin a game in a new file; return the file's name and the game.

        Raises MasonsError or OSError.
        """
        played = begun(self.board, setup, fair=fair, player_of=player_of)
        assert played.keeper is not None
        return Path(played.keeper.name).name, played

    def resume(self, file: str, player_of: Callable[[str, int], Player]) -> PlayedGame:
        """Continue the game that a page names. Raises MasonsError or OSError."""
        return resumed(HeldFile(self._path(file), "old"), self.board, player_of=player_of)

    def record_text(self, file: str) -> str:
        """Return the record of a finished game. Raises MasonsError."""
        return format_record(read_record(self._path(file)))

    def preview(self, file: str) -> dict[str, Any]:
        """Return the `preview` message for a game, with its board and scores.

        If `file` is "", it is that of the puzzle of the day. Raises MasonsError or OSError.
        """
        if not file:
            return self._preview("", daily_puzzle(self.board).view.position, (), ())
        path = self._path(file)
        winners: Sequence[int] = ()
        if self.is_unfinished(file):
            setup, entries, _ = read_journal(path)
            played = followed(path, self.board, kept_setup(path, setup, self.board), entries)
            position, names = played.game.position, played.setup.names
        else:
            replay = Replay(read_record(path), self.board)
            replay.check()
            position, names, winners = replay.game.position, replay.record["names"], replay.winners
        return self._preview(file, position, names, winners)

    def _preview(
        self, file: str, position: Position, names: Sequence[str], winners: Sequence[int]
    ) -> dict[str, Any]:
        return {
            "type": "preview",
            "file": file,
            "names": [plain_name(name) for name in names],
            "scores": list(position.scores) if names else [],
            "winners": list(winners),
            "turn": position.turn + 1,
            **page_pieces(self.board, position),
        }

    def is_unfinished(self, file: str) -> bool:
        """Return whether there is a game with this name that is not over."""
        path = Path(self._named.get(file) or games_folder() / Path(file).name)
        entry = list_entry(path)
        return entry is not None and not entry["over"]

    def _path(self, file: str) -> str:
        """Return the path of the game that a page names.

        Raises MasonsError if the game is not listed.
        """
        path = self._named.get(file)
        if path is not None:
            return path
        if file not in [entry["file"] for entry in listed_games()]:
            raise Declined("illegal", f"there is no game {quoted(file)} in the list", "noGame")
        return str(games_folder() / file)
