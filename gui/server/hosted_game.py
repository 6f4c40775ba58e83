"""The game and those who sit at it: messages of pages in, a `position` for each page out.

Everything that touches the game runs in the event loop's thread; searches run in threads of their
own and know views only. A decision is on the disk before any page hears of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from masons.ai.search.stop import Stop as SearchStop
from masons.engine.board.components import CARDS
from masons.engine.errors import FileLostError, MasonsError, MoveError
from masons.engine.fair.fair_luck import FairOffer
from masons.engine.game.record import format_record
from masons.gui.pages import client_messages as said
from masons.gui.pages.background import in_thread
from masons.gui.pages.board_elements import board_message
from masons.gui.pages.error_messages import error_message
from masons.gui.server.new_game_options import fair_of, game_setup
from masons.gui.server.saved_games import SavedGames
from masons.gui.server.seat_engines import SeatEngines, hint_search
from masons.gui.server.seat_page import SeatPage
from masons.gui.server.seating import Client, Seating, Sent
from masons.gui.study.study_session import StudySession
from masons.match.playing.played_game import PlayedGame
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from masons.engine.board.geometry import Board
    from masons.gui.server.guard import Guard

_STUDIED: Final = (
    said.Study, said.Step, said.Try, said.Evaluate, said.Compare, said.Belief, said.Review,
    said.Practice, said.Answer, said.Watch, said.Picture, said.Close,
)  # fmt: skip
_STALE: Final = "the game has gone on meanwhile: look at the board again"


class HostedGame:
    """One game at a time, and the pages that are open."""

    def __init__(self, board: Board, guard: Guard, commands: Mapping[str, str]) -> None:
        self._board = board
        self._guard = guard
        self._engines = SeatEngines(commands)
        self.saved = SavedGames(board, self._engines.player_of)
        self._page = SeatPage(board)
        self._board_message = board_message(board)
        self._clients: set[Client] = set()
        self._played: PlayedGame | None = None
        self._number = 0  # of the position; counts on over games, too
        self._game = 0
        self._task: asyncio.Task[None] | None = None
        self._hints: set[asyncio.Task[None]] = set()  # a task that nobody holds may vanish
        self._first: said.Message | None = None  # what the first page begins with
        self._file = ""  # that can be watched
        self._offer: FairOffer | None = None  # of a fair game that nobody has begun yet
        self._handlers: dict[type, Callable[[Client, Any], None]] = {
            said.NewGame: self._new_game,
            said.Commit: self._commit,
            said.Resume: self._resume,
            said.Leave: self._leave,
            said.Games: self._games,
            said.Sit: self._sit,
            said.Invite: self._invite,
            said.MakeMove: self._move,
            said.GiveRoll: self._roll,
            said.GiveCard: self._card,
            said.Undo: self._undo,
            said.Resign: self._resign,
            said.Go: self._go,
            said.Stop: self._stop,
            said.Record: self._record,
            **dict.fromkeys(_STUDIED, self._study),
        }

    # --- pages

    def open_first(self, file: str) -> None:
        """Let the first page of the host's go on with a file."""
        self._first = said.Resume(self.saved.name_file(file))

    def study_first(self, text: str, game: int, step: int | None, file: str = "") -> None:
        """Let the first page of the host's study a text, which is that of a file perhaps."""
        self._first = said.Study(text, game, step)
        self._file = file

    def join(self, client: Client) -> None:
        """A page was opened. Raises MasonsError, OSError where a first file cannot be gone on with.

        The page is there all the same.
        """
        self._clients.add(client)
        client.send(self._board_message)
        client.send(
            {
                "type": "id",
                "host": client.pass_.is_host,
                "local": self._guard.is_local,
                "watch": bool(self._file) and client.pass_.is_host,
                "cards": list(CARDS),
                "engines": sorted(self._engines.commands) if client.pass_.is_host else [],
            }
        )
        self._show(client)
        if self._played is None:
            self._games(client, None)
        if self._first and client.pass_.is_host:
            first, self._first = self._first, None
            self.hear(client, first)

    def part(self, client: Client) -> None:
        """A page was closed."""
        client.stop_search()
        if client.study is not None:
            client.study.leave()
        self._clients.discard(client)

    def hear(self, client: Client, message: said.Message) -> None:
        """Do what a page says. Raises Refused, MasonsError, OSError, FileLostError."""
        self._handlers[type(message)](client, message)

    def close(self) -> None:
        """Let the game's file and the engines go."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self._played is not None and self._played.keeper is not None:
            self._played.keeper.close()
        self._played = None
        self._engines.close()

    def lose(self) -> None:
        """Put away a game whose file somebody else has changed."""
        self.close()
        self._changed()

    def _show(self, client: Client) -> None:
        if client.study is not None and client.study.is_open:
            return  # it looks at something else
        if self._played is None:
            client.send({"type": "nogame", "at": self._number})
            return
        seating = self._seating
        if seating.curtain(client) != client.lifted:
            client.lifted = None
        client.send(self._page.message(seating, client, self._number, self._game))

    @property
    def _seating(self) -> Seating:
        return Seating(self._there, self._guard)

    @property
    def _there(self) -> PlayedGame:
        if self._played is None:
            raise Refused("state", "there is no game: newgame begins one")
        return self._played

    def _changed(self) -> None:
        """Show everybody what there is now, and let an engine decide where it is its turn."""
        self._number += 1
        for client in tuple(self._clients):
            client.stop_search()
            self._show(client)
        if self._played is not None and self._played.due == "engine" and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._engines_decide(self._played))

    # --- games

    @staticmethod
    def _need_host(client: Client) -> None:
        if not client.pass_.is_host:
            raise Refused("illegal", "only the page of whoever started the program may do this")

    def _new_game(self, client: Client, asked: said.NewGame) -> None:
        self._need_host(client)
        setup = game_setup(asked, self._board, self._engines.commands)
        offer, self._offer = self._offer, None
        fair = fair_of(asked, offer)
        self._enter(lambda: self.saved.begin(setup, fair))

    def _commit(self, client: Client, message: said.Commit) -> None:
        """A secret that was chosen before anybody says what it adds."""
        self._need_host(client)
        self._offer = FairOffer(message.players)
        client.send({"type": "commitment", "commitment": self._offer.commitment})

    def _resume(self, client: Client, message: said.Resume) -> None:
        self._need_host(client)
        self._enter(lambda: self.saved.resume(message.file))

    def _enter(self, begin: Callable[[], PlayedGame]) -> None:
        self.close()
        self._guard.withdraw()
        self._game += 1
        try:
            self._played = begin()
        finally:
            self._changed()

    def _leave(self, client: Client, _: said.Leave) -> None:
        self._need_host(client)
        self.close()
        self._guard.withdraw()
        self._changed()
        self._games(client, None)

    def _games(self, client: Client, _: object) -> None:
        games = self.saved.listed() if client.pass_.is_host else []
        client.send({"type": "games", "games": games})

    def _record(self, client: Client, _: said.Record) -> None:
        played = self._there
        if not played.is_over:
            raise Refused("state", "the record tells all hands: it comes when the game is over")
        name = played.keeper.name if played.keeper is not None else ""
        client.send({"type": "record", "file": name, "text": format_record(played.record())})

    # --- seats

    def _sit(self, client: Client, message: said.Sit) -> None:
        curtain = self._seating.curtain(client)
        if message.seat is not None and message.seat != curtain:
            raise Refused("illegal", f"no curtain can be lifted for seat {message.seat} now")
        client.lifted = message.seat
        self._show(client)

    def _invite(self, client: Client, message: said.Invite) -> None:
        self._need_host(client)
        if message.seat not in self._there.people:
            raise Refused("illegal", f"seat {message.seat} is no person's: nobody can sit there")
        if message.back:
            self._guard.withdraw(message.seat)
        else:
            token = self._guard.invite(message.seat)
            client.send({"type": "invite", "seat": message.seat, "path": f"/{token}/"})
        self._changed()

    # --- decisions

    def _now(self, at: int) -> PlayedGame:
        """The game, where a page that says something of it has seen it as it is."""
        played = self._there
        if at != self._number:
            raise Refused("state", _STALE)
        return played

    def _need_decider(self, client: Client) -> None:
        if not self._seating.may_decide(client):
            raise Refused("state", "the decision that is due is not this page's")

    def _move(self, client: Client, message: said.MakeMove) -> None:
        played = self._now(message.at)
        self._need_decider(client)
        played.make(message.move)
        self._changed()

    def _roll(self, client: Client, message: said.GiveRoll) -> None:
        played = self._now(message.at)
        if not self._seating.may_roll(client):
            raise Refused("state", "no roll is due that this page could give")
        if len(message.houses) != 2:
            raise Refused("syntax", "roll.houses must be two faces")
        first, second = message.houses
        played.give_roll(message.tower, first, second)
        self._changed()

    def _card(self, client: Client, message: said.GiveCard) -> None:
        played = self._now(message.at)
        if not self._seating.may_draw(client):
            raise Refused("state", "no card is due that this page could give")
        if message.card not in CARDS:
            raise MoveError("card must be the name of a card, like cities")
        played.give_card(message.card)
        self._changed()

    def _undo(self, client: Client, message: said.Undo) -> None:
        played = self._now(message.at)
        self._need_decider(client)
        played.undo()
        for other in self._clients:
            other.sent = Sent()
        self._changed()

    def _resign(self, client: Client, message: said.Resign) -> None:
        played = self._now(message.at)
        self._need_decider(client)
        played.resign(played.game.seat)
        self._changed()

    # --- studies

    def _study(self, client: Client, message: Any) -> None:
        """What a page analyses is its own; the game that goes on stays hidden from it."""
        self._need_host(client)
        if client.study is None:
            client.study = StudySession(self._board, client.send, self._file)
        if isinstance(message, said.Study) and not message.text:
            played = self._there
            if not played.is_over:
                raise Refused("state", "the record tells all hands: it comes when the game is over")
            message = replace(message, text=format_record(played.record()))
        client.study.hear(message)
        if isinstance(message, said.Close) and not client.study.is_open:
            client.sent = Sent()
            self._show(client)
            if self._played is None:
                self._games(client, None)

    # --- searches

    async def _engines_decide(self, played: PlayedGame) -> None:
        """Let engines decide until it is somebody else's turn."""
        try:
            while played is self._played and played.due == "engine":
                decisions = played.game.decisions
                move = await in_thread(played.engine_search())
                if played is not self._played or played.game.decisions != decisions:
                    continue
                played.make(move)
                self._changed()
        except (MasonsError, FileLostError, OSError) as error:
            for client in tuple(self._clients):
                client.send(error_message(error))
            if isinstance(error, FileLostError):
                self.lose()
        finally:
            if self._task is asyncio.current_task():
                self._task = None

    def _go(self, client: Client, message: said.Go) -> None:
        if client.study is not None and client.study.is_open:
            client.study.hear(message)
            return
        played = self._there
        self._need_decider(client)
        client.stop_search()
        stop = SearchStop()
        client.stop_search = stop.set
        view = played.game.observe(played.game.seat)
        work = hint_search(self._board, view, played.names, message.sims, stop)
        task = asyncio.get_running_loop().create_task(self._hint(client, work, stop, self._number))
        self._hints.add(task)
        task.add_done_callback(self._hints.discard)

    async def _hint(
        self, client: Client, work: Callable[[], dict[str, Any]], stop: SearchStop, at: int
    ) -> None:
        try:
            found = await in_thread(work)
        except MasonsError as error:
            client.send(error_message(error))
            return
        if at == self._number and client in self._clients:
            client.send({**found, "at": at, "stopped": stop.is_set})

    def _stop(self, client: Client, _: said.Stop) -> None:
        if client.study is not None:
            client.study.stop()
        client.stop_search()
