"""One game and the pages that look at it: their messages in, a `position` for each page out.

Everything that touches the game runs in the event loop's thread; searches run in threads of their
own and know views only. A decision is saved before any page hears of it. An error while an engine
thinks is told to every page; the game stays as it is, and `retry` asks the engine again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from masons.ai.search.threads import Stop
from masons.engine.board.components import CARDS
from masons.engine.errors import FileLostError, MoveError
from masons.engine.game.record import format_record
from masons.gui import messages as said
from masons.gui.background import error_messages, in_thread
from masons.gui.position_messages import NewsSent, SeatMessages
from masons.gui.seat_engines import SeatEngines, game_end, hint_search
from masons.gui.seating import Client, Seating
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.gui.guard import Guard
    from masons.match.playing.played_game import PlayedGame

_STALE = "the game has gone on meanwhile: look at the board again"
ONLY_HOST = "only the page of whoever started the program may do this"


@dataclass(frozen=True)
class SharedParts:
    """The parts that all games of a server share."""

    board: Board
    guard: Guard
    messages: SeatMessages
    numbers: Iterator[int]  # of positions and games, each used once


# Why the engine that is due has not decided, in words for guests and for the host.
_NO_FAULT: Final = ("", "")


class HostedGame:
    """An open game; its file is held."""

    def __init__(
        self, file: str, played: PlayedGame, engines: SeatEngines, shared: SharedParts
    ) -> None:
        """`file`: its name in pages."""
        self.file = file
        self.played = played
        self.clients: set[Client] = set()
        self._engines = engines
        self._shared = shared
        self._game = next(shared.numbers)
        self._number = next(shared.numbers)
        self._fault = _NO_FAULT
        self._is_closed = False
        self._task: asyncio.Task[None] | None = None
        self._hints: set[asyncio.Task[None]] = set()  # a task that nobody holds may vanish
        self._farewell: asyncio.Task[None] | None = None  # tells the engines how the game ended
        self._handlers: dict[type, Callable[[Client, Any], None]] = {
            said.Sit: self._sit,
            said.Invite: self._invite,
            said.MakeMove: self._move,
            said.GiveRoll: self._roll,
            said.GiveCard: self._card,
            said.Undo: self._undo,
            said.Resign: self._resign,
            said.Retry: self._retry,
            said.StartSearch: self._start_hint,
            said.AskRecord: self._send_record,
        }

    # --- pages

    def enter(self, client: Client) -> None:
        """Let a page look at the game."""
        client.game, client.lifted, client.sent = self, None, NewsSent()
        self.clients.add(client)
        self.show(client)
        self._go_on()

    def leave(self, client: Client) -> None:
        """Let a page look elsewhere; the game stays open."""
        client.stop_search()
        client.game = None
        self.clients.discard(client)

    def hear(self, client: Client, message: said.Message) -> None:
        """Do what a page says. Raises Refused, MasonsError, OSError, FileLostError."""
        self._handlers[type(message)](client, message)

    def close(self) -> None:
        """Release the game's file and its engines; its pages have no game then."""
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if self.played.keeper is not None:
            self.played.keeper.close()
        self._engines.close()
        for client in tuple(self.clients):
            self.leave(client)
            if not client.is_studying:
                client.send({"type": "nogame", "at": next(self._shared.numbers)})

    @property
    def seating(self) -> Seating:
        """Return who sits where."""
        return Seating(self.played, self._shared.guard, self.file)

    def show(self, client: Client) -> None:
        """Tell a page how the game stands; a failure is told to that page alone."""
        if client.is_studying:
            return  # it looks at something else
        try:
            seating = self.seating
            if seating.curtain(client) != client.lifted:
                client.lifted = None
            position = self._shared.messages.message(seating, client, self._number, self._game)
            file = {"file": self.file} if client.pass_.is_host else {}
            client.send({**position, **file, "fault": self._fault[client.pass_.is_host]})
        except Exception as error:
            client.sent = NewsSent()
            client.fail(error)

    def _changed(self) -> None:
        """Show every page the new position, and let an engine decide if it is its turn."""
        self._number = next(self._shared.numbers)
        self._fault = _NO_FAULT
        self._show_all()
        self._go_on()
        end = game_end(self.played)
        if end is not None and self._farewell is None:
            work = in_thread(partial(self._engines.game_over, end))
            self._farewell = asyncio.get_running_loop().create_task(work)

    def _show_all(self) -> None:
        for client in tuple(self.clients):
            client.stop_search()
            self.show(client)

    def _go_on(self) -> None:
        is_waiting = self._is_closed or any(self._fault) or self._task is not None
        if not is_waiting and self.played.due == "engine":
            self._task = asyncio.get_running_loop().create_task(self._engines_decide())

    # --- seats

    def _sit(self, client: Client, message: said.Sit) -> None:
        curtain = self.seating.curtain(client)
        if message.seat is not None and message.seat != curtain:
            raise Refused("illegal", f"no curtain can be lifted for seat {message.seat} now")
        client.lifted = message.seat
        self.show(client)

    def _invite(self, client: Client, message: said.Invite) -> None:
        if not client.pass_.is_host:
            raise Refused("illegal", ONLY_HOST)
        if message.seat not in self.played.people:
            raise Refused("illegal", f"seat {message.seat} is not a person's: nobody can sit there")
        if message.back:
            self._shared.guard.withdraw(self.file, message.seat)
        else:
            token = self._shared.guard.invite(self.file, message.seat)
            client.send({"type": "invite", "seat": message.seat, "path": f"/{token}/"})
        self._changed()

    # --- decisions

    def _need_now(self, at: int) -> None:
        """Raise Refused where a page has not seen the game as it is now."""
        if at != self._number:
            raise Refused("state", _STALE)

    def _need_decider(self, client: Client) -> None:
        if not self.seating.may_decide(client):
            raise Refused("state", "the decision due is not this page's")

    def _move(self, client: Client, message: said.MakeMove) -> None:
        self._need_now(message.at)
        self._need_decider(client)
        self.played.make(message.move)
        self._changed()

    def _roll(self, client: Client, message: said.GiveRoll) -> None:
        self._need_now(message.at)
        if not self.seating.may_roll(client):
            raise Refused("state", "no roll is due that this page could give")
        if len(message.houses) != 2:
            raise Refused("syntax", "roll.houses must be two faces")
        first, second = message.houses
        self.played.give_roll(message.tower, first, second)
        self._changed()

    def _card(self, client: Client, message: said.GiveCard) -> None:
        self._need_now(message.at)
        if not self.seating.may_draw(client):
            raise Refused("state", "no card is due that this page could give")
        if message.card not in CARDS:
            raise MoveError("card must be the name of a card, like cities")
        self.played.give_card(message.card)
        self._changed()

    def _undo(self, client: Client, message: said.Undo) -> None:
        self._need_now(message.at)
        self._need_decider(client)
        self.played.undo()
        for other in self.clients:
            other.sent = NewsSent()
        self._changed()

    def _resign(self, client: Client, message: said.Resign) -> None:
        self._need_now(message.at)
        self._need_decider(client)
        self.played.resign(self.played.game.seat)
        self._changed()

    def _send_record(self, client: Client, _: said.AskRecord) -> None:
        keeper = self.played.keeper
        name = keeper.name if keeper is not None else ""
        client.send({"type": "record", "file": name, "text": self.record()})

    def record(self) -> str:
        """Return the record of a game that is over. Raises Refused while it goes on."""
        if not self.played.is_over:
            raise Refused("state", "the record tells all hands: it comes when the game is over")
        return format_record(self.played.record())

    # --- searches

    async def _engines_decide(self) -> None:
        """Let engines decide until it is somebody else's turn."""
        played = self.played
        try:
            while not self._is_closed and played.due == "engine":
                decisions = played.game.decisions
                move = await in_thread(played.engine_search())
                if self._is_closed or played.game.decisions != decisions:
                    continue
                played.make(move)
                self._changed()
        except FileLostError as error:
            self._tell(error)
            self.close()
        except Exception as error:
            self._fault = self._tell(error)
            self._show_all()
        finally:
            if self._task is asyncio.current_task():
                self._task = None

    def _tell(self, error: Exception) -> tuple[str, str]:
        """Tell all pages an error; return it in words for guests and for the host."""
        messages = error_messages(error)
        for client in tuple(self.clients):
            client.send(messages[client.pass_.is_host])
        return messages[0]["text"], messages[1]["text"]

    def _retry(self, _: Client, __: said.Retry) -> None:
        """Ask the engine again that has failed."""
        if not any(self._fault):
            raise Refused("state", "no engine has failed: there is nothing to try again")
        self._changed()

    def _start_hint(self, client: Client, message: said.StartSearch) -> None:
        self._need_decider(client)
        client.stop_search()
        stop = Stop()
        client.stop_search = stop.set
        played = self.played
        view = played.game.observe(played.game.seat)
        work = partial(hint_search, self._shared.board, view, played.names, message.sims, stop)
        task = asyncio.get_running_loop().create_task(self._hint(client, work, stop, self._number))
        self._hints.add(task)
        task.add_done_callback(self._hints.discard)

    async def _hint(
        self, client: Client, work: Callable[[], dict[str, Any]], stop: Stop, at: int
    ) -> None:
        try:
            hint = await in_thread(work)
        except Exception as error:
            client.fail(error)
            return
        if at == self._number and client in self.clients:
            client.send({**hint, "at": at, "stopped": stop.is_set})
