"""The seats of pages, which determine what a page may see and do.

A page with the token of a seat has that seat. A page of the host has all other seats of people. If
a page has several seats, a curtain hides all hands until the person who is due lifts it. The
curtain falls again when somebody else is due.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from masons.gui import messages as said
from masons.gui.background import Declined, error_messages
from masons.gui.guard import Guard, Pass
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from masons.engine.fair.fair_game import FairOffer
    from masons.gui.coach import Coach
    from masons.gui.hosted_game import HostedGame
    from masons.gui.study_session import StudySession
    from masons.match.playing.played_game import PlayedGame


# The value of `Client.told` for a page that has not been sent any event.
NOTHING_TOLD: Final[tuple[int, int | None, int]] = (-1, None, 0)


@dataclass(eq=False)
class Client:
    """An open page."""

    pass_: Pass
    send: Callable[[dict[str, Any]], None]
    end: Callable[[], None] = lambda: None  # closes the socket once all messages are sent
    was_open: bool = False  # True if the page connects again and asks for what it shows
    has_screen: bool = False  # True if the page got its first screen before the engine was loaded
    is_at_first: bool = False  # True if the page shows what the program was started with
    lifted: int | None = None  # the seat for which the page's curtain is lifted
    told: tuple[int, int | None, int] = NOTHING_TOLD  # (game, viewer, number of events sent)
    stop_search: Callable[[], None] = lambda: None
    game: HostedGame | None = None  # the game that the page shows
    study: StudySession | None = None
    coach: Coach | None = None  # None if the coach is off
    offer: FairOffer | None = None  # for a fair game that has not begun yet

    def fail(self, error: Exception) -> None:
        """Send the page an error."""
        self.send(error_messages(error)[self.pass_.is_host])

    @property
    def is_studying(self) -> bool:
        """True if the page shows its study."""
        return self.study is not None and self.study.is_open


@dataclass(frozen=True)
class Seating:
    """The current seats of a game."""

    played: PlayedGame
    guard: Guard
    file: str  # the name of the game

    def seats(self, client: Client) -> frozenset[int]:
        """Return the seats of a page. A page without a valid pass has none."""
        if not self.guard.is_valid(client.pass_):
            return frozenset()
        people = frozenset(self.played.people)
        if client.pass_.is_host:
            return people - self.guard.invited(self.file)
        return people & {client.pass_.seat}

    def may_coach(self, client: Client) -> bool:
        """Return whether a page may have a coach.

        This is false if several seats share the page, as everybody would read the coach's words.
        """
        return len(self.seats(client)) == 1

    def viewer(self, client: Client) -> int | None:
        """Return the seat whose hand a page may see now, or None if it may see no hand."""
        seats = self.seats(client)
        if len(seats) == 1:
            return next(iter(seats))
        due = self.curtain(client)
        return due if due is not None and client.lifted == due else None

    def curtain(self, client: Client) -> int | None:
        """Return the seat for which a page's curtain may be lifted, or None.

        If a page has several seats, this is the seat that is due. The curtain also hides the card
        that an engine's seat drew at a real table, while the host types it in.
        """
        seats, seat = self.seats(client), self.played.game.seat
        if self.played.due not in ("person", "card"):
            return None
        if self.played.due == "card" and self._is_for_host(client, seat):
            return seat
        return seat if len(seats) > 1 and seat in seats else None

    def may_decide(self, client: Client) -> bool:
        """Return whether a page may make the current decision."""
        return self.played.due == "person" and self.viewer(client) == self.played.game.seat

    def may_roll(self, client: Client) -> bool:
        """Return whether a roll is due that a page may type in."""
        seat = self.played.game.seat
        is_here = seat in self.seats(client) or self._is_for_host(client, seat)
        return self.played.due == "roll" and is_here

    def may_draw(self, client: Client) -> bool:
        """Return whether a drawn card is due that a page may type in."""
        seat = self.played.game.seat
        viewer = client.lifted if self._is_for_host(client, seat) else self.viewer(client)
        return self.played.due == "card" and viewer == seat

    def check(self, client: Client, message: said.PageMessage) -> None:
        """Raise Refused if the page may not do now what its message asks for."""
        match message:
            case said.MakeMove() | said.Resign() | said.Undo() | said.StartSearch():
                if not self.may_decide(client):
                    raise Declined("state", "the decision due is not this page's", "turn")
            case said.GiveRoll() if not self.may_roll(client):
                raise Refused("state", "no roll is due that this page could give")
            case said.GiveCard() if not self.may_draw(client):
                raise Refused("state", "no card is due that this page could give")

    def _is_for_host(self, client: Client, seat: int) -> bool:
        """Return whether a page is the host's and types in dice and cards for an engine's seat."""
        return client.pass_.is_host and seat not in self.played.people
