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
from masons.gui.position_messages import choices_of, hand_cards, page_event, shared_fields
from masons.protocol.messages.error_codes import Refused

if TYPE_CHECKING:
    from masons.engine.fair.fair_game import FairOffer
    from masons.gui.coach import Coach
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
    is_at_first: bool = False  # True if the page shows what the program was started with
    lifted: int | None = None  # the seat for which the page's curtain is lifted
    told: tuple[int, int | None, int] = NOTHING_TOLD  # (game, viewer, number of events sent)
    stop_search: Callable[[], None] = lambda: None
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

        This is false if several seats share the page, as everybody would read the coach's words,
        or if the game is played without hints.
        """
        return self.played.setup.hints and len(self.seats(client)) == 1

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
            case said.StartSearch() | said.SetCoach(on=True) if not self.played.setup.hints:
                raise Declined("state", "this game is played without hints and coach", "noHints")
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

    # --- messages

    def position_message(
        self, client: Client, number: int, game: int, **more: Any
    ) -> dict[str, Any]:
        """Return the `position` message for a page, and note which events it contains.

        `number` is the number of the position, and `game` is the number of the game. The fields
        `more` are added. Of the hands, this reads only the viewer's.
        """
        played = self.played
        viewer, due = self.viewer(client), played.due
        if viewer is None:
            position, hand = played.game.position.observed_by(None), None
        else:
            position, hand = played.view(viewer), hand_cards(played.scored_view(viewer), viewer)
        decides = self.may_decide(client)
        moves = None
        if decides:
            moves = choices_of(played.scored_view(played.game.seat), played.game.legal_moves())
        return {
            "type": "position",
            "at": number,
            "game": game,
            "host": client.pass_.is_host,
            "seats": sorted(self.seats(client)),
            "seat": viewer,
            "curtain": None if viewer is not None else self.curtain(client),
            "people": sorted(played.people),
            "away": sorted(self.guard.invited(self.file)),
            "due": due,
            "decider": None if due == "over" else position.seat,
            "decides": decides,
            "rolls": played.game.rolls_tower if self.may_roll(client) else None,
            "draws": self.may_draw(client),
            "practice": played.setup.practice,
            "hints": played.setup.hints,
            "fair": None if played.setup.fair is None else played.setup.fair.to_data(),
            **shared_fields(played.game.board, position, played.names),
            "hand": hand,
            "moves": moves,
            "undo": played.why_no_undo if decides else None,
            "news": _news(played, viewer, client, game),
            "result": _result(played),
            **more,
        }


def _news(played: PlayedGame, viewer: int | None, client: Client, game: int) -> dict[str, Any]:
    """Return the events that a page has not been sent yet.

    If the page showed another game or another seat before, or events were undone, return all
    events.
    """
    log, first = played.game.log, 0
    if client.told[:2] == (game, viewer) and client.told[2] <= len(log):
        first = client.told[2]
    client.told = (game, viewer, len(log))
    viewers = () if viewer is None else (viewer,)
    return {"first": first, "events": [page_event(each, viewers) for each in log.events(first)]}


def _result(played: PlayedGame) -> dict[str, Any] | None:
    """Return the winners and how the game ended, or None if it is not over.

    In a game of two people, the other one wins if one resigns or has no time left.
    """
    if not played.is_over:
        return None
    if (stopped := played.stopped) is None:
        result = played.game.result
        assert result is not None
        return {"winners": list(result.winners), "end": result.end}
    winners = [seat for seat in played.people if seat != stopped.seat]
    return {"winners": winners, stopped.why: stopped.seat}
