"""Who sits where, and so what a page may see and do.

A page of the host sits in all seats of people on this screen, a page with the token of a seat in
that seat alone. Where several seats share a screen, a curtain hides all hands until the person who
is due lifts it, and it falls when somebody else is due.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from masons.gui.background import error_messages
from masons.gui.guard import Guard, Pass

if TYPE_CHECKING:
    from masons.engine.fair.fair_game import FairOffer
    from masons.gui.coach import Coach
    from masons.gui.hosted_game import HostedGame
    from masons.gui.study_session import StudySession
    from masons.match.playing.played_game import PlayedGame


# No events of any game were sent: see `Client.told`.
NOTHING_TOLD: Final[tuple[int, int | None, int]] = (-1, None, 0)


@dataclass(eq=False)
class Client:
    """A page that is open."""

    pass_: Pass
    send: Callable[[dict[str, Any]], None]
    end: Callable[[], None] = lambda: None  # closes its socket when it has been told all
    was_open: bool = False  # before, and says itself what it looks at
    is_at_first: bool = False  # it looks at what the program was started with
    lifted: int | None = None  # the seat for which its curtain is up
    told: tuple[int, int | None, int] = NOTHING_TOLD  # game, viewer, and events told so far
    stop_search: Callable[[], None] = lambda: None
    game: HostedGame | None = None  # that it looks at
    study: StudySession | None = None
    coach: Coach | None = None  # if it is on
    offer: FairOffer | None = None  # of a fair game that it has not begun yet

    def fail(self, error: Exception) -> None:
        """Tell this page an error."""
        self.send(error_messages(error)[self.pass_.is_host])

    @property
    def is_studying(self) -> bool:
        """Return whether it looks at its study."""
        return self.study is not None and self.study.is_open


@dataclass(frozen=True)
class Seating:
    """The seats of a game as they stand now."""

    played: PlayedGame
    guard: Guard
    file: str  # the name of the game

    def seats(self, client: Client) -> frozenset[int]:
        """Return the seats of the people at a page: none where its pass was withdrawn."""
        if not self.guard.is_valid(client.pass_):
            return frozenset()
        people = frozenset(self.played.people)
        if client.pass_.is_host:
            return people - self.guard.invited(self.file)
        return people & {client.pass_.seat}

    def may_coach(self, client: Client) -> bool:
        """Return whether a coach may talk: where several seats share a page, others would hear."""
        return len(self.seats(client)) == 1

    def viewer(self, client: Client) -> int | None:
        """Return the seat whose hand a page may see now; None: nobody's."""
        seats = self.seats(client)
        if len(seats) == 1:
            return next(iter(seats))
        due = self.curtain(client)
        return due if due is not None and client.lifted == due else None

    def curtain(self, client: Client) -> int | None:
        """Return the seat for which a page's curtain may be lifted: of several, the one due.

        A card that an engine's seat drew at a real table is typed behind the curtain, too.
        """
        seats, seat = self.seats(client), self.played.game.seat
        if self.played.due not in ("person", "card"):
            return None
        if self.played.due == "card" and self._is_for_host(client, seat):
            return seat
        return seat if len(seats) > 1 and seat in seats else None

    def may_decide(self, client: Client) -> bool:
        """Return whether the decision due is this page's."""
        return self.played.due == "person" and self.viewer(client) == self.played.game.seat

    def may_roll(self, client: Client) -> bool:
        """Return whether this page says how the dice fell."""
        seat = self.played.game.seat
        is_here = seat in self.seats(client) or self._is_for_host(client, seat)
        return self.played.due == "roll" and is_here

    def may_draw(self, client: Client) -> bool:
        """Return whether this page says which card was drawn."""
        seat = self.played.game.seat
        viewer = client.lifted if self._is_for_host(client, seat) else self.viewer(client)
        return self.played.due == "card" and viewer == seat

    def _is_for_host(self, client: Client, seat: int) -> bool:
        """Return whether nobody types for a seat, so that this page does."""
        return client.pass_.is_host and seat not in self.played.people
