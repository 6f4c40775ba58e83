"""The games that are open and the pages that look at them: what a page says goes where it belongs.

A page looks at one game, or at none. Several games may be open, each with pages of its own; a game
is called by the name of its file, so a page finds it again also where the program was started anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from masons.engine.board.components import CARDS
from masons.engine.errors import MasonsError
from masons.engine.fair.fair_game import FairOffer
from masons.gui.pages import client_messages as said
from masons.gui.pages.board_elements import board_message
from masons.gui.server.hosted_game import ONLY_HOST, HostedGame, Shared
from masons.gui.server.new_game_options import fair_of, game_setup
from masons.gui.server.saved_games import SavedGames
from masons.gui.server.seat_engines import SeatEngines
from masons.gui.server.seat_page import SeatPage
from masons.gui.server.seating import Client, Sent
from masons.gui.study.study_session import StudySession
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from masons.engine.board.geometry import Board
    from masons.gui.server.guard import Guard
    from masons.match.playing.played_game import PlayedGame

_WITHDRAWN: Final = "this address is good no more: ask whoever started the program for another one"
_MOST: Final = 12  # games that nobody looks at are put away beyond it
_STUDIED: Final = (
    said.Study, said.Step, said.Try, said.Evaluate, said.Compare, said.Belief, said.Review,
    said.Practice, said.Answer, said.Watch, said.Picture, said.SaveLine, said.Close,
)  # fmt: skip
# What takes a page elsewhere.
_GOING: Final = (said.NewGame, said.Resume, said.Leave, said.Study, said.Close)


def _what(message: said.Message | None) -> tuple[str, str]:
    """What a message opens: a file and a text, empty where there is none."""
    return getattr(message, "file", ""), getattr(message, "text", "")


class OpenGames:
    """Games and pages."""

    def __init__(self, board: Board, guard: Guard, commands: Mapping[str, str]) -> None:
        """`commands`: those of the engines that may sit in seats, by their names."""
        self._board = board
        self.guard = guard
        self._commands = commands
        self._shared = Shared(board, guard, SeatPage(board), count(1))
        self.saved = SavedGames(board)
        self._board_message = board_message(board)
        self._games: dict[str, HostedGame] = {}  # by file, the one entered last at the end
        self._clients: set[Client] = set()
        guard.withdrawn = self._dismiss
        self._first: said.Resume | said.Study | None = None  # what pages begin with
        self._file = ""  # that can be watched
        self._handlers: dict[type, Callable[[Client, Any], None]] = {
            said.NewGame: self._new_game,
            said.Commit: self._commit,
            said.Resume: self._resume,
            said.Leave: self._leave,
            said.Games: self._list,
            said.Stop: self._stop,
            **dict.fromkeys(_STUDIED, self._study),
        }

    # --- pages

    def open_first(self, file: str) -> None:
        """Let pages of the host's go on with a file, until it is left."""
        self._first = said.Resume(self.saved.name_file(file))

    def watch_first(self, file: str) -> None:
        """Let pages of the host's watch a file in which there is no game yet."""
        self._file = file

    def study_first(self, text: str, game: int, step: int | None, file: str = "") -> None:
        """Let pages of the host's study a text, that of a file perhaps, until it is left."""
        self._first = said.Study(text, game, step)
        self._file = file

    def forget_seats(self) -> None:
        """Forget the tokens of seats of games that are over or gone."""
        for file in {one.file for one in self.guard.seats.values()}:
            if not self.saved.goes_on(file):
                self.guard.withdraw(file)

    def join(self, client: Client) -> None:
        """A page was opened. Raises MasonsError, OSError where its game cannot be gone on with.

        The page is there all the same.
        """
        self._clients.add(client)
        self._dismiss()
        if client not in self._clients:
            return  # its pass was withdrawn while the games were made ready
        client.send(self._board_message)
        is_host = client.pass_.is_host
        client.send(
            {
                "type": "id",
                "host": is_host,
                "local": self.guard.is_local,
                "watch": bool(self._file) and is_host,
                "cards": list(CARDS),
                "engines": sorted(self._commands) if is_host else [],
            }
        )
        if is_host:
            self._show_none(client)
            if self._first and not client.again:
                client.at_first = True
                self.hear(client, self._first)
            return
        try:
            self._enter(client, client.pass_.file)
        except (MasonsError, OSError):
            self._show_none(client)
            raise

    def _dismiss(self) -> None:
        """Let pages go whose pass was withdrawn: they are told so, then their sockets close."""
        for client in [one for one in self._clients if not self.guard.is_good(one.pass_)]:
            client.fail(Refused("illegal", _WITHDRAWN))
            client.end()
            self.part(client)

    def part(self, client: Client) -> None:
        """A page was closed. Its game stays open: it may be opened again."""
        client.stop_search()
        if client.study is not None:
            client.study.leave()
        if client.game is not None:
            client.game.leave(client)
        self._clients.discard(client)
        self._tidy()

    def hear(self, client: Client, message: said.Message) -> None:
        """Do what a page says. Raises Refused, MasonsError, OSError, FileLostError."""
        handler = self._handlers.get(type(message))
        if handler is not None:
            handler(client, message)
        elif isinstance(message, said.Go) and client.studies:
            self._study(client, message)
        else:
            self._there(client).hear(client, message)
        self._follow(client, message)

    def _follow(self, client: Client, message: said.Message) -> None:
        """Note where a page goes: what pages begin with is that no more where one leaves it."""
        if not isinstance(message, _GOING) or (isinstance(message, said.Close) and client.studies):
            return
        was_first = client.at_first
        client.at_first = _what(message) == _what(self._first)
        if was_first and not client.at_first:
            self._first = None

    def lose(self, client: Client) -> None:
        """Put away a page's game whose file somebody else has changed."""
        if client.game is not None:
            self._put_away(client.game)

    def close(self) -> None:
        """Let all files and engines go."""
        for game in tuple(self._games.values()):
            self._put_away(game)

    def _show_none(self, client: Client) -> None:
        client.send({"type": "nogame", "at": next(self._shared.numbers)})
        self._list(client, None)

    @staticmethod
    def _there(client: Client) -> HostedGame:
        if client.game is None:
            raise Refused("state", "there is no game: newgame begins one")
        return client.game

    @staticmethod
    def _need_host(client: Client) -> None:
        if not client.pass_.is_host:
            raise Refused("illegal", ONLY_HOST)

    # --- games

    def _new_game(self, client: Client, asked: said.NewGame) -> None:
        self._need_host(client)
        setup = game_setup(asked, self._board, self._commands)
        offer, client.offer = client.offer, None
        fair = fair_of(asked, offer)
        engines = SeatEngines(self._commands)
        file, played = self.saved.begin(setup, fair, engines.player_of)
        if (namesake := self._games.get(file)) is not None:  # its file was removed meanwhile
            self._put_away(namesake)
        self.guard.withdraw(file)
        self._show_in(client, self._opened(file, played, engines))

    def _commit(self, client: Client, message: said.Commit) -> None:
        """A secret that was chosen before anybody says what it adds."""
        self._need_host(client)
        client.offer = FairOffer(message.players)
        client.send({"type": "commitment", "commitment": client.offer.commitment})

    def _resume(self, client: Client, message: said.Resume) -> None:
        self._need_host(client)
        self._enter(client, message.file)

    def _enter(self, client: Client, file: str) -> None:
        """Show a page a game, which is opened where it is not. Raises MasonsError, OSError."""
        game = self._games.get(file)
        if game is None:
            engines = SeatEngines(self._commands)
            game = self._opened(file, self.saved.resume(file, engines.player_of), engines)
        self._show_in(client, game)

    def _opened(self, file: str, played: PlayedGame, engines: SeatEngines) -> HostedGame:
        return HostedGame(file, played, engines, self._shared)

    def _show_in(self, client: Client, game: HostedGame) -> None:
        if client.game is not None:
            client.game.leave(client)
        self._games.pop(game.file, None)
        self._games[game.file] = game
        game.enter(client)
        self._tidy()

    def _leave(self, client: Client, _: said.Leave) -> None:
        """Look at no game. One that nobody else looks at lets its file go, so that others can."""
        self._need_host(client)
        if (game := client.game) is not None:
            game.leave(client)
            if not game.clients and not self.guard.invited(game.file):
                self._put_away(game)
        self._show_none(client)

    def _put_away(self, game: HostedGame) -> None:
        self._games.pop(game.file, None)
        game.close()

    def _tidy(self) -> None:
        """Let files go that nobody looks at: of games that are over, and where too many are open.

        Nothing is lost: a game that goes on is opened again when it is asked for.
        """
        unseen = [game for game in self._games.values() if not game.clients]
        for game in unseen:
            if game.played.is_over or len(self._games) > _MOST:
                self._put_away(game)

    def _list(self, client: Client, _: object) -> None:
        games = self.saved.listed() if client.pass_.is_host else []
        shown = [{**entry, "open": entry["file"] in self._games} for entry in games]
        client.send({"type": "games", "games": shown})

    def _stop(self, client: Client, _: said.Stop) -> None:
        if client.study is not None:
            client.study.stop()
        client.stop_search()

    # --- studies

    def _study(self, client: Client, message: Any) -> None:
        """What a page analyses is its own; the game that goes on stays hidden from it."""
        self._need_host(client)
        if client.study is None:
            client.study = StudySession(self._board, client.send, self._file)
        if isinstance(message, said.Study) and message.file:
            message = replace(message, text=self.saved.record_text(message.file))
        elif isinstance(message, said.Study) and not message.text:
            message = replace(message, text=self._there(client).record())
        client.study.hear(message)
        if isinstance(message, said.Close) and not client.studies:
            if client.game is not None:
                client.sent = Sent()
                client.game.show(client)
            else:
                self._show_none(client)
