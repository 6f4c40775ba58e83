"""The open games and the pages that show them, with the dispatcher of the pages' messages.

A page shows one game or none. Several games may be open, and each may be shown by several pages. A
game is named by its file, so that a page finds its game again after the program is restarted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from masons.engine.board.components import CARDS
from masons.engine.errors import FileLostError, MasonsError
from masons.engine.fair.fair_game import FairOffer
from masons.engine.game.record import parse_record
from masons.gui import messages as said
from masons.gui.attendance import next_seat, rematch_setup
from masons.gui.background import Declined, Tasks, declined_as, in_thread
from masons.gui.card_reference import CARD_TEXTS
from masons.gui.hosted_game import HostedGame
from masons.gui.live_searches import CoachedVerdicts
from masons.gui.new_game import fair_of, game_setup
from masons.gui.opening_messages import openings_message
from masons.gui.pictures.page_board import board_message
from masons.gui.reviewed_games import ReviewedGames
from masons.gui.saved_games import SavedGames
from masons.gui.seat_engines import SeatEngines
from masons.gui.seating import NOTHING_TOLD, Client
from masons.gui.study_session import StudySession
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.gui.guard import Guard
    from masons.match.playing.played_game import PlayedGame

_WITHDRAWN: Final = "this address is no longer valid: ask whoever started the program for a new one"
_MOST_OPEN: Final = 12  # if more games are open, those that no page shows are closed
# The messages that make a page show something else.
_LEAVING: Final = (said.NewGame, said.Resume, said.Leave, said.OpenStudy, said.CloseStudy)


def _target(message: said.PageMessage | None) -> tuple[str, str]:
    """Return the file and the text that a message opens. Each is "" if there is none."""
    return getattr(message, "file", ""), getattr(message, "text", "")


def no_network() -> str:
    """Refuse to let other devices reach the pages, as no server serves them."""
    raise MasonsError("no server runs")


class OpenGames:
    """The open games and the pages."""

    def __init__(self, board: Board, guard: Guard, commands: Mapping[str, str]) -> None:
        """Begin without open games.

        `commands` maps the names of engines that may play seats to their commands.
        """
        self._board = board
        self.guard = guard
        self._commands = commands
        self._numbers = count(1)  # unique numbers of positions and games
        self.saved = SavedGames(board)
        self._board_message = board_message(board)
        self._games: dict[str, HostedGame] = {}  # by file; the last one was entered most recently
        self._clients: set[Client] = set()
        guard.withdrawn = self._dismiss
        self._first: said.Resume | said.OpenStudy | None = None  # opens what new pages show first
        self._file = ""  # the file that can be watched
        self._coached = CoachedVerdicts()
        self._reviewed = ReviewedGames(board, self.saved, self._coached)
        self._tasks = Tasks()
        # Lets other devices reach the server, and returns its address; raises MasonsError.
        self.open_network: Callable[[], str] = no_network

    # --- what new pages of the host show first, until a page of the host has left it

    def open_first(self, file: str) -> None:
        """Let new pages begin by showing the game in a file."""
        self._first = said.Resume(self.saved.name_file(file))

    def watch_first(self, file: str) -> None:
        """Let pages watch a file that does not hold a game yet."""
        self._file = file

    def study_first(self, text: str, game: int, step: int | None, file: str) -> None:
        """Let new pages begin with a study of a text; `file` is the file of the text, if any."""
        self._first = said.OpenStudy(text, game, step)
        self._file = file

    def forget_seats(self) -> None:
        """Withdraw the tokens for seats of games that are over or whose files are gone."""
        for file in {pass_.file for pass_ in self.guard.seats.values()}:
            if not self.saved.is_unfinished(file):
                self.guard.withdraw(file)

    # --- pages

    def join(self, client: Client) -> None:
        """Add a page that was opened. If its game cannot be opened, tell the page."""
        self._clients.add(client)
        self._dismiss()
        if client not in self._clients:
            return  # the page's pass was withdrawn while its socket was being opened
        client.send(self._board_message)
        client.send(self._id_message(client.pass_.is_host))
        if client.pass_.is_host:
            self._show_none(client)
            if self._first and not client.was_open:
                client.is_at_first = True
                self._attempt(client, partial(self.hear, client, self._first))
        elif not self._attempt(client, partial(self._enter, client, client.pass_.file)):
            self._show_none(client)

    def _id_message(self, is_host: bool) -> dict[str, Any]:
        """Return the message that tells a page what it may do and what it can choose from."""
        return {
            "type": "id",
            "host": is_host,
            "local": self.guard.is_local,
            "watch": is_host and bool(self._file),
            "cards": list(CARDS),
            "texts": CARD_TEXTS,
            "engines": sorted(self._commands) if is_host else [],
        }

    def _dismiss(self) -> None:
        """Tell each page whose pass was withdrawn, and then close its socket."""
        for client in tuple(self._clients):
            if not self.guard.is_valid(client.pass_):
                client.fail(Declined("illegal", _WITHDRAWN, "withdrawn"))
                client.end()
                self.part(client)

    def part(self, client: Client) -> None:
        """Remove a page that was closed. Its game stays open, as the page may return."""
        client.stop_search()
        if client.study is not None:
            client.study.put_away()
        self._leave_game(client)
        self._clients.discard(client)
        self._tidy()

    def answer(self, client: Client, text: str | None) -> None:
        """Carry out a message. A failure is answered by one `error` message."""

        def hear() -> None:
            if text is None:
                raise Refused("syntax", "a message is text, one JSON object")
            self.hear(client, said.parse_message(text))

        self._attempt(client, hear)

    def _attempt(self, client: Client, work: Callable[[], None]) -> bool:
        """Do some work for a page; return whether it succeeded. If it fails, tell the page."""
        try:
            work()
        except Exception as error:
            client.fail(error)
            if isinstance(error, FileLostError) and (game := self.game_of(client)) is not None:
                self._put_away(game)  # as another program has changed the game's file
            return False
        return True

    def hear(self, client: Client, message: said.PageMessage) -> None:
        """Carry out a page's message: the only place where messages are dispatched and permitted.

        Raises Refused, MasonsError, OSError or FileLostError.
        """
        if isinstance(message, said.HostMessage) and not client.pass_.is_host:
            raise Refused("illegal", "only the page of whoever started the program may do this")
        name = f"hear_{message.__struct_config__.tag}"
        if message.heard_by == "games":
            getattr(self, name)(client, message)
        elif message.heard_by == "study" or (message.heard_by != "game" and client.is_studying):
            getattr(self._study_of(client), name)(message)
        else:
            game = self._game_of(client)
            game.check(client, message)
            getattr(game, name)(client, message)
        self._note_leaving(client, message)

    def _note_leaving(self, client: Client, message: said.PageMessage) -> None:
        """Note when no page of the host shows any longer what the program was started with."""
        is_closing = isinstance(message, said.CloseStudy)
        if isinstance(message, _LEAVING) and not (is_closing and client.is_studying):
            was_first = client.is_at_first
            client.is_at_first = _target(message) == _target(self._first)
            if was_first and not client.is_at_first:
                self._first = None

    def close(self) -> None:
        """Release all files and engines."""
        for game in tuple(self._games.values()):
            self._put_away(game)

    def _show_none(self, client: Client) -> None:
        client.send({"type": "nogame", "at": next(self._numbers)})
        self._list(client)

    def _list(self, client: Client) -> None:
        if not client.pass_.is_host:
            client.send({"type": "games", "games": [], "level": 1})
            return
        games = self.saved.entries(self._games)
        client.send({"type": "games", "games": games, "level": self._reviewed.level})
        self._reviewed.tell_fault(client)

    # --- the list of games, and reviews

    def hear_games(self, client: Client, _message: said.ListGames) -> None:
        """Send the list of games."""
        self._list(client)

    def hear_previews(self, client: Client, message: said.AskPreviews) -> None:
        """Send the boards of games, leaving out games that cannot be replayed."""

        async def send_all() -> None:
            for file in message.files:
                with suppress(MasonsError, OSError):
                    client.send(await in_thread(partial(self.saved.preview, file)))

        self._tasks.begin(send_all())

    def hear_delete(self, client: Client, message: said.DeleteGame) -> None:
        """Delete a game of the list. Pages that showed it then show none.

        Raises MasonsError or OSError.
        """
        if (game := self._games.get(message.file)) is not None:
            self.guard.withdraw(game.file)
            self._put_away(game)
        self.saved.delete(message.file)
        self._list(client)

    def hear_openings(self, client: Client, message: said.AskOpenings) -> None:
        """Send the best first walls. Raises Refused."""
        client.send(openings_message(self._board, message.players, message.hand))

    def hear_profile(self, client: Client, message: said.AskProfile) -> None:
        """Send the profile of a player."""
        self._reviewed.profile(client, message.player, reviews_first=message.review)

    def hear_after(self, client: Client, _message: said.LookBack) -> None:
        """Send a page the look back at its game, for the page's seats.

        If the page has no seats, the look back is for all people. Raises Refused.
        """
        game = self._game_of(client)
        record, people = parse_record(game.record()), frozenset(game.played.setup.people)
        seats = game.seating.seats(client) or people
        self._reviewed.look_back(client, game.file, record, people, seats)

    def hear_export(self, client: Client, _message: said.ExportGames) -> None:
        """Send the finished games and their reviews as one file."""
        self._reviewed.export(client)

    def hear_forget(self, client: Client, _message: said.DeleteGames) -> None:
        """Delete all games and reviews. Pages that showed a game then show none.

        Raises OSError.
        """
        for game in tuple(self._games.values()):
            self.guard.withdraw(game.file)
            self._put_away(game)
        held = self.saved.delete_all()
        self._reviewed.forget()
        client.send({"type": "deleted", "held": held})
        self._list(client)

    # --- the connection

    def hear_ping(self, client: Client, _message: said.Ping) -> None:
        """Answer that the connection works."""
        client.send({"type": "pong"})

    def hear_network(self, _client: Client, _message: said.OpenNetwork) -> None:
        """Let other devices reach the server, and tell the pages of the host. Raises Refused."""
        if self.guard.is_local:
            with declined_as("network"):
                self.guard.admit_network(self.open_network())
        for client in self._clients:
            if client.pass_.is_host:
                client.send({"type": "network", "local": False})

    # --- games

    def game_of(self, client: Client) -> HostedGame | None:
        """Return the game that a page shows, if any. It may be behind a study."""
        return next((game for game in self._games.values() if client in game.clients), None)

    def _game_of(self, client: Client) -> HostedGame:
        if (game := self.game_of(client)) is None:
            raise Refused("state", "there is no game: newgame begins one")
        return game

    def hear_commit(self, client: Client, message: said.Commit) -> None:
        """Commit to a secret, before the seats give their nonces. Raises MasonsError."""
        client.offer = FairOffer(message.players)
        client.send({"type": "commitment", "commitment": client.offer.commitment})

    def hear_newgame(self, client: Client, message: said.NewGame) -> None:
        """Begin a game, and show it. Raises Refused, MasonsError or OSError."""
        setup = game_setup(message, self._board, self._commands)
        offer, client.offer = client.offer, None
        fair = fair_of(message, offer)
        engines = SeatEngines(self._commands)
        with nullcontext() if setup.hands is None else declined_as("hands"):
            file, played = self.saved.begin(setup, fair, engines.player_of)
        if (namesake := self._games.get(file)) is not None:  # the file of this game was removed
            self._put_away(namesake)
        self.guard.withdraw(file)
        self._show_in(client, self._hosted(file, played, engines))

    def hear_resume(self, client: Client, message: said.Resume) -> None:
        """Show a game of the list. Raises MasonsError or OSError."""
        self._enter(client, message.file)

    def _enter(self, client: Client, file: str) -> None:
        """Show a game on a page, and open the game if needed. Raises MasonsError or OSError."""
        game = self._games.get(file)
        if game is None:
            engines = SeatEngines(self._commands)
            played = self.saved.resume(file, engines.player_of)
            game = self._hosted(file, played, engines)
        self._show_in(client, game)

    def _hosted(self, file: str, played: PlayedGame, engines: SeatEngines) -> HostedGame:
        return HostedGame(
            file, played, engines, self.guard, self._numbers, self._coached, self._rematch
        )

    def _rematch(self, game: HostedGame) -> None:
        """Begin a game once more with the seats turned. All addresses stay the same.

        Raises MasonsError or OSError.
        """
        setup = game.played.setup
        engines = SeatEngines(self._commands)
        file, played = self.saved.begin(rematch_setup(setup), None, engines.player_of)
        turned = self.guard.turn(game.file, file, lambda seat: next_seat(seat, setup.players))
        rematch = self._hosted(file, played, engines)
        for client in self._clients:
            client.pass_ = turned.get(client.pass_, client.pass_)
        for client in tuple(game.clients):
            if not client.is_studying:
                self._show_in(client, rematch)

    def _show_in(self, client: Client, game: HostedGame) -> None:
        if client.study is not None:
            client.study.stop()
        left = self._leave_game(client)
        if left not in (None, game):
            self._drop_empty(left)
        self._games.pop(game.file, None)
        self._games[game.file] = game
        game.enter(client)
        self._tidy()

    def _leave_game(self, client: Client) -> HostedGame | None:
        """Stop showing a game on a page, and return the game. The game stays open."""
        if (game := self.game_of(client)) is not None:
            game.leave(client)
        return game

    def hear_leave(self, client: Client, _message: said.Leave) -> None:
        """Show no game on a page, and end its study.

        If no other page shows the game and no seat is invited, its file is released for other
        programs.
        """
        if client.study is not None:
            client.study.put_away()
        game = self._leave_game(client)
        if game is not None and not game.clients and not self.guard.invited(game.file):
            self._drop_empty(game)
            self._put_away(game)
        self._show_none(client)

    def _drop_empty(self, game: HostedGame) -> None:
        """Delete a game that no page shows if no person has decided anything in it."""
        if game.clients or self.guard.invited(game.file) or game.played.is_begun:
            return
        self._put_away(game)
        with suppress(MasonsError, OSError):  # of a file outside the folder, for example
            self.saved.delete(game.file)

    def _put_away(self, game: HostedGame) -> None:
        self._games.pop(game.file, None)
        game.close()

    def _tidy(self) -> None:
        """Close games that no page shows if they are over or too many games are open.

        Nothing is lost, as an unfinished game is opened again on request.
        """
        for game in [game for game in self._games.values() if not game.clients]:
            if game.played.is_over or len(self._games) > _MOST_OPEN:
                self._put_away(game)

    # --- studies

    def _study_of(self, client: Client) -> StudySession:
        if client.study is None:
            client.study = StudySession(self._board, client.send, self._file, self._coached)
        return client.study

    def hear_study(self, client: Client, message: said.OpenStudy) -> None:
        """Open a study, which never gets the record of a running game. Raises MasonsError."""
        if message.file:
            message = replace(message, text=self.saved.record_text(message.file))
        elif not message.text:
            message = replace(message, text=self._game_of(client).record())
        self._study_of(client).open(message)
        self._reviewed.send_marks(client, message.text)

    def hear_close(self, client: Client, _message: said.CloseStudy) -> None:
        """Close what is studied last, and show the game again if nothing else is studied."""
        self._study_of(client).close()
        if client.is_studying:
            return
        if (game := self.game_of(client)) is not None:
            client.told = NOTHING_TOLD
            game.show(client)
        else:
            self._show_none(client)

    def hear_practice(self, client: Client, message: said.NextPuzzle) -> None:
        """Show a puzzle. Raises MasonsError or OSError."""
        study = self._study_of(client)
        if not message.player and not message.file:
            study.next_puzzle(message)
            return
        game = self.game_of(client)
        seats = game.seating.seats(client) if game and game.file == message.file else ()
        study.practice(self._reviewed.puzzles(message.player, message.file, seats))

    def hear_stop(self, client: Client, _message: said.StopSearch) -> None:
        """End the searches of a page."""
        if client.study is not None:
            client.study.stop()
        client.stop_search()
