"""One game, which carries out the messages of its pages and sends each page its `position`.

All code that touches the game runs in the event loop's thread. Searches run in other threads and
are given only the view of one seat. A decision is saved before any page is told of it. If an error
occurs while an engine thinks, every page is told of the error and the game stays unchanged. The
message `retry` then asks the engine again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from masons.ai.search.threads import Stop
from masons.engine.board.components import CARDS
from masons.engine.errors import FileLostError, MoveError
from masons.engine.formats.move_text import parse_move
from masons.engine.game.record import format_record
from masons.gui import messages as said
from masons.gui.attendance import Attendance, may_rematch
from masons.gui.background import Declined, Tasks, declined_as, error_messages, in_thread
from masons.gui.card_reference import card_sheet
from masons.gui.coach import Coach, coach_default
from masons.gui.invitation import invite_message
from masons.gui.live_searches import CoachedVerdicts, hint_search
from masons.gui.seating import NOTHING_TOLD, Client, Seating
from masons.protocol.messages.error_codes import Refused
from masons.words.scored_view import ScoredView

if TYPE_CHECKING:
    from masons.gui.guard import Guard
    from masons.gui.seat_engines import SeatEngines
    from masons.match.playing.played_game import PlayedGame

# Why the engine to move has not moved: a text for guests and a text for the host.
_NO_FAULT: Final = ("", "")


class HostedGame:
    """An open game, whose file is locked."""

    def __init__(
        self,
        file: str,
        played: PlayedGame,
        engines: SeatEngines,
        guard: Guard,
        numbers: Iterator[int],
        coached: CoachedVerdicts,
        rematch: Callable[[HostedGame], None] = lambda _: None,
    ) -> None:
        """Open a game.

        `file` is the name by which pages know the game. `numbers` yields unique numbers for
        positions and games. Coaches add their verdicts to `coached`. `rematch` is called once all
        seats want a rematch.
        """
        self.file = file
        self.played = played
        self.clients: set[Client] = set()
        self.seating = Seating(played, guard, file)
        self._attendance = Attendance(played, self.seating, self._flag)
        self._rematch = rematch
        self._engines = engines
        self._numbers = numbers
        self._coached = coached
        self._game = next(numbers)
        self._number = next(numbers)
        self._fault = _NO_FAULT
        self._is_closed = False
        self._tasks = Tasks()
        self._decisions: asyncio.Task[None] | None = None  # runs while engines are due
        self._has_said_goodbye = False  # True once engines were told that the game is over

    # --- pages

    def enter(self, client: Client) -> None:
        """Show the game to a page."""
        client.lifted, client.told = None, NOTHING_TOLD
        self.clients.add(client)
        has_come = self._attendance.update(self.clients)
        self.show(client)
        if has_come:
            self._tell_presence(client)
        self._go_on()

    def leave(self, client: Client) -> None:
        """Stop showing the game to a page. The game stays open."""
        client.stop_search()
        if client.coach is not None:
            client.coach.stop()
        client.coach = None
        self.clients.discard(client)
        if not self._is_closed and self._attendance.update(self.clients):
            self._tell_presence()

    def _tell_presence(self, but: Client | None = None) -> None:
        """Tell all pages but one who is at the table, and how the clock stands."""
        for client in tuple(self.clients):
            if client is not but:
                client.send({"type": "presence", **self._attendance.fields()})

    def close(self) -> None:
        """Release the game's file and its engines. The pages then show no game."""
        self._is_closed = True
        self._attendance.stop()
        if self._decisions is not None:
            self._decisions.cancel()
            self._decisions = None
        if self.played.keeper is not None:
            self.played.keeper.close()
        self._engines.close()
        for client in tuple(self.clients):
            self.leave(client)
            if not client.is_studying:
                client.send({"type": "nogame", "at": next(self._numbers)})

    def show(self, client: Client) -> None:
        """Send a page the position of the game. Only that page is told of a failure."""
        if client.is_studying:
            return  # the page shows a study
        more: dict[str, Any] = {"fault": self._fault[client.pass_.is_host]}
        if client.pass_.is_host:
            more["file"] = self.file
        more["coach"] = coach_default(self.played) if self.seating.may_coach(client) else None
        more |= self._attendance.fields()
        try:
            if self.seating.curtain(client) != client.lifted:
                client.lifted = None
            client.send(self.seating.position_message(client, self._number, self._game, **more))
            self._let_coach(client)
        except Exception as error:
            client.told = NOTHING_TOLD
            client.fail(error)

    def _changed(self) -> None:
        """Show every page the new position, and let engines decide if they are due."""
        self._number = next(self._numbers)
        self._fault = _NO_FAULT
        self._attendance.update(self.clients)
        self._show_all()
        self._go_on()
        if self.played.game.result is not None and not self._has_said_goodbye:
            self._has_said_goodbye = True
            self._tasks.begin(in_thread(self._engines.goodbye(self.played)))

    def _show_all(self) -> None:
        for client in tuple(self.clients):
            client.stop_search()
            self.show(client)

    def _go_on(self) -> None:
        is_waiting = self._is_closed or any(self._fault) or self._decisions is not None
        if not is_waiting and self.played.due == "engine":
            self._decisions = self._tasks.begin(self._engines_decide())

    # --- messages

    def check(self, client: Client, message: said.PageMessage) -> None:
        """Raise Refused if the page may not do now what its message asks for."""
        if getattr(message, "at", self._number) != self._number:
            text = "the game has gone on meanwhile: look at the board again"
            raise Declined("state", text, "changed")
        self.seating.check(client, message)

    def hear_sit(self, client: Client, message: said.Sit) -> None:
        """Lift the curtain for a seat, or let it fall. Raises Refused."""
        if message.seat is not None and message.seat != self.seating.curtain(client):
            raise Refused("illegal", f"no curtain can be lifted for seat {message.seat} now")
        client.lifted = message.seat
        self.show(client)

    def hear_ready(self, client: Client, _message: said.Ready) -> None:
        """Note that the player of a page has seen the board: the clock may wait for this."""
        if self._attendance.see(self.seating.seats(client)):
            self._attendance.update(self.clients)
            self._tell_presence()

    def hear_cards(self, client: Client, message: said.AskCards) -> None:
        """Send the card reference for the position as the page may see it."""
        game, viewer = self.played.game, self.seating.viewer(client)
        if viewer is None:
            scored = ScoredView(game.table, game.position.observed_by(None))
        else:
            scored = self.played.scored_view(viewer)
        client.send(card_sheet(scored, message.city))

    def hear_record(self, client: Client, _message: said.AskRecord) -> None:
        """Send the record of the game. Raises Refused if the game is not over."""
        name = self.played.keeper.name if self.played.keeper is not None else ""
        client.send({"type": "record", "file": name, "text": self.record()})

    def hear_invite(self, client: Client, message: said.Invite) -> None:
        """Give a seat to another device, or take it back. Raises Refused or OSError."""
        if message.seat not in self.played.people:
            raise Refused("illegal", f"seat {message.seat} is not a person's: nobody can sit there")
        guard = self.seating.guard
        if message.again and (token := guard.token_of(self.file, message.seat)):
            client.send(invite_message(guard.origin, token, message.seat))
            return
        if message.back:
            guard.withdraw(self.file, message.seat)
        else:
            guard.invite(self.file, message.seat)
        self._changed()
        if token := guard.token_of(self.file, message.seat):
            client.send(invite_message(guard.origin, token, message.seat))

    def hear_rematch(self, client: Client, _message: said.Rematch) -> None:
        """Note that a page wants a rematch, which begins once all seats do. Raises Refused."""
        if not may_rematch(self.played):
            raise Refused("state", "a rematch follows a game of people that is over")
        if self._attendance.wish(self.seating.seats(client)):
            self._rematch(self)
        else:
            self._tell_presence()

    # Each of the following raises Refused, MasonsError, OSError or FileLostError.

    def hear_move(self, client: Client, message: said.MakeMove) -> None:
        """Make a move. If the page is not sure about it, let its coach ask first."""
        if client.coach is not None and not message.sure:
            self._tasks.begin(self._consider(client, client.coach, message))
            return
        with declined_as("move"):
            self.played.make(message.move, self._attendance.spent())
        self._attendance.decided()
        if client.coach is not None:
            client.coach.made(message.move)
        self._changed()

    def hear_roll(self, _client: Client, message: said.GiveRoll) -> None:
        """Set the roll to the dice that a page has typed in."""
        if len(message.houses) != 2:
            raise Refused("syntax", "roll.houses must be two faces")
        self.played.give_roll(message.tower, *message.houses)
        self._changed()

    def hear_card(self, _client: Client, message: said.GiveCard) -> None:
        """Set the drawn card to the card that a page has typed in."""
        if message.card not in CARDS:
            raise MoveError("card must be the name of a card, like cities")
        with declined_as("card", card=message.card):
            self.played.give_card(message.card)
        self._changed()

    def hear_undo(self, _client: Client, _message: said.Undo) -> None:
        """Take back the last decision of the seat that is due."""
        with declined_as("undo"):
            self.played.undo()
        for client in self.clients:
            client.told = NOTHING_TOLD
        self._changed()

    def hear_resign(self, _client: Client, _message: said.Resign) -> None:
        """Give up the seat that is due."""
        self.played.resign(self.played.game.seat)
        self._changed()

    def hear_retry(self, _client: Client, _message: said.Retry) -> None:
        """Ask an engine again that failed to decide."""
        if not any(self._fault):
            raise Refused("state", "no engine has failed: there is nothing to try again")
        self._changed()

    def record(self) -> str:
        """Return the record of the game. Raises Refused if the game is not over."""
        if not self.played.is_over:
            raise Refused("state", "the record tells all hands: it comes when the game is over")
        return format_record(self.played.record())

    # --- the coach

    def hear_coach(self, client: Client, message: said.SetCoach) -> None:
        """Switch the coach of a page on or off."""
        if client.coach is not None:
            client.coach.stop()
        board = self.played.game.board
        client.coach = Coach(client.send, board, self._coached) if message.on else None
        self._let_coach(client)

    def _let_coach(self, client: Client) -> None:
        """Let a page's coach think if the page has to choose between moves; else stop the coach."""
        if (coach := client.coach) is None:
            return
        game, seating = self.played.game, self.seating
        is_decider = seating.may_coach(client) and seating.may_decide(client)
        if is_decider and len(game.legal_moves()) > 1:
            coach.begin(game.observe(game.seat), self.played.names, self._number)
        else:
            coach.stop()

    async def _consider(self, client: Client, coach: Coach, message: said.MakeMove) -> None:
        """Make a move, or ask the page first if the coach is certain that it is a mistake."""
        try:
            is_legal = self.played.game.is_legal(parse_move(message.move))
            if is_legal and await coach.asks_before(message.move):
                return
            if client in self.clients:
                self.check(client, message)
                self.hear_move(client, replace(message, sure=True))
        except FileLostError as error:
            self._tell(error)
            self.close()
        except Exception as error:
            client.fail(error)

    # --- searches

    def hear_go(self, client: Client, message: said.StartSearch) -> None:
        """Search for a hint, which the page is sent when it is ready."""
        client.stop_search()
        stop = Stop()
        client.stop_search = stop.set
        game, at = self.played.game, self._number
        view = game.observe(game.seat)

        def done(hint: dict[str, Any]) -> None:
            if at == self._number and client in self.clients:
                client.send({**hint, "at": at, "stopped": stop.is_set})

        def work() -> dict[str, Any]:
            hint = client.coach.hint(at, stop) if client.coach and not message.sims else None
            return hint or hint_search(game.board, view, message.sims, stop)

        self._tasks.run(work, done, client.fail)

    def _flag(self) -> None:
        """End the game, as the seat that decides has no time left."""
        try:
            self.played.run_out_of_time()
            self._changed()
        except (FileLostError, OSError) as error:
            self._tell(error)
            self.close()

    async def _engines_decide(self) -> None:
        """Let engines decide until no engine is due."""
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
            if self._decisions is asyncio.current_task():
                self._decisions = None

    def _tell(self, error: Exception) -> tuple[str, str]:
        """Send an error to all pages; return its text for guests and its text for the host."""
        messages = error_messages(error)
        for client in tuple(self.clients):
            client.send(messages[client.pass_.is_host])
        return messages[0]["text"], messages[1]["text"]
