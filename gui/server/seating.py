"""Who sits where, and what follows for what a page may see and do.

A page of the host's sits in all seats that people have here; one with a token of a seat's in that
seat alone. Where several seats share a screen a curtain hides all hands until the one who is due
lifts it, and it falls when somebody else is due.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from masons.gui.pages.error_messages import error_messages
from masons.gui.server.guard import Guard, Pass

if TYPE_CHECKING:
    from masons.engine.fair.fair_game import FairOffer
    from masons.gui.server.hosted_game import HostedGame
    from masons.gui.study.study_session import StudySession
    from masons.match.playing.played_game import PlayedGame


@dataclass
class Sent:
    """What a page has been told of the game's story, and as whom."""

    game: int = -1
    viewer: int | None = None
    events: int = 0


@dataclass(eq=False)
class Client:
    """A page that is open."""

    pass_: Pass
    send: Callable[[dict[str, Any]], None]
    end: Callable[[], None] = lambda: None  # closes its socket when it has been told all
    again: bool = False  # whether it was open before, and says itself what it looks at
    at_first: bool = False  # whether it looks at what the program was started with
    lifted: int | None = None  # the seat for which its curtain is up
    sent: Sent = field(default_factory=Sent)
    stop_search: Callable[[], None] = lambda: None
    game: HostedGame | None = None  # what it looks at
    study: StudySession | None = None  # what it studies
    offer: FairOffer | None = None  # of a fair game that it has not begun yet

    def fail(self, error: Exception) -> None:
        """Say in this page what went wrong."""
        self.send(error_messages(error)[self.pass_.is_host])

    @property
    def studies(self) -> bool:
        """Whether it looks at what it studies."""
        return self.study is not None and self.study.is_open


@dataclass(frozen=True)
class Seating:
    """The seats of a game as they stand now."""

    played: PlayedGame
    guard: Guard
    file: str  # what the game is called

    @property
    def away(self) -> frozenset[int]:
        """The seats that sit at other devices."""
        return self.guard.invited(self.file)

    def seats(self, client: Client) -> frozenset[int]:
        """The seats that a page's people have: none where its pass was withdrawn."""
        if not self.guard.is_good(client.pass_):
            return frozenset()
        people = frozenset(self.played.people)
        if client.pass_.is_host:
            return people - self.away
        return people & {client.pass_.seat}

    def viewer(self, client: Client) -> int | None:
        """The seat whose hand a page may see now; None: nobody's."""
        seats = self.seats(client)
        if len(seats) == 1:
            return next(iter(seats))
        due = self.curtain(client)
        return due if due is not None and client.lifted == due else None

    def curtain(self, client: Client) -> int | None:
        """The seat for which a page's curtain may be lifted: of several here, the one that is due.

        A card that an engine's seat drew at a real table is typed behind it, too.
        """
        seats, seat = self.seats(client), self.played.game.seat
        if self.played.due not in ("person", "card"):
            return None
        if self.played.due == "card" and self._is_for_host(client, seat):
            return seat
        return seat if len(seats) > 1 and seat in seats else None

    def may_decide(self, client: Client) -> bool:
        """Whether the decision that is due is this page's."""
        seat = self.played.game.seat
        return self.played.due == "person" and self.viewer(client) == seat

    def may_roll(self, client: Client) -> bool:
        """Whether this page says how the dice fell."""
        seat = self.played.game.seat
        here = seat in self.seats(client) or self._is_for_host(client, seat)
        return self.played.due == "roll" and here

    def may_draw(self, client: Client) -> bool:
        """Whether this page says which card was drawn."""
        seat = self.played.game.seat
        if self.played.due != "card":
            return False
        if self._is_for_host(client, seat):
            return client.lifted == seat
        return self.viewer(client) == seat

    def _is_for_host(self, client: Client, seat: int) -> bool:
        """Whether a seat has nobody to type for it, and this page does."""
        return client.pass_.is_host and seat not in self.played.people
