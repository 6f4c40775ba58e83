"""The events of a game as one seat sees them, as data and as the text after `event`.

These are examples of events:

    move 0 wall:57      roll white/red/?      draw 1 ?      draw 0 cities

Whatever follows from the rules alone, such as forced placements, cities, palaces and reshuffles, is
not an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import CARD_NUMBER, Move, format_move, parse_move
from masons.engine.plain_text import joined, quoted

if TYPE_CHECKING:
    from masons.engine.formats.record_events import Event
    from masons.engine.game.game import Game, Result

HIDDEN: Final = "?"
NOT_ROLLED: Final = "-"


class Moved(NamedTuple):
    """A seat's decision."""

    seat: int
    move: Move


class Rolled(NamedTuple):
    """A roll, as the names of the three faces.

    `tower` is None if the tower die is not rolled.
    """

    tower: str | None
    first: str
    second: str


class Drew(NamedTuple):
    """A card drawn by a seat; `card` is the name of the card, or None if it is hidden."""

    seat: int
    card: str | None


SeatEvent = Moved | Rolled | Drew


def format_event(step: SeatEvent, viewer: int) -> str:
    """Return the text of an event as the seat `viewer` sees it.

    The cards that other seats draw are hidden.
    """
    if isinstance(step, Moved):
        return f"move {step.seat} {format_move(step.move)}"
    if isinstance(step, Rolled):
        return f"roll {step.tower or NOT_ROLLED}/{step.first}/{step.second}"
    shown = step.card if step.seat == viewer else None
    return f"draw {step.seat} {shown or HIDDEN}"


def parse_event(text: str) -> SeatEvent:
    """Parse the text of an event. Raises MoveError."""
    words = text.split()
    if len(words) == 3 and words[0] == "move":
        return Moved(_seat(words[1]), parse_move(words[2]))
    if len(words) == 2 and words[0] == "roll":
        return _roll(words[1])
    if len(words) == 3 and words[0] == "draw":
        if words[2] != HIDDEN and words[2] not in CARD_NUMBER:
            raise MoveError(f"{quoted(words[2])} is not a card: one of {CARDS[0]}, ..., or ?")
        return Drew(_seat(words[1]), None if words[2] == HIDDEN else words[2])
    raise MoveError(
        f"{quoted(text)} is not an event: write move 0 wall:57, roll white/red/?, draw 1 ? or "
        "draw 0 cities"
    )


def _seat(text: str) -> int:
    if text not in ("0", "1", "2", "3"):
        raise MoveError(f"{quoted(text)} is not a seat: a number from 0 to 3")
    return int(text)


def _roll(text: str) -> Rolled:
    dice = text.split("/")
    towers = (*TOWER_DIE, NOT_ROLLED)
    if len(dice) != 3 or dice[0] not in towers or not set(dice[1:]) <= set(HOUSE_DIE):
        raise MoveError(
            f"{quoted(text)} is not a roll: write tower/house/house like white/red/?, - for a "
            "tower die that is not rolled"
        )
    return Rolled(None if dice[0] == NOT_ROLLED else dice[0], dice[1], dice[2])


def result_words(result: Result) -> str:
    """Return a result as the words that `query result` and `gameover` use."""
    scores, winners = joined(result.scores), joined(result.winners)
    return f"scores {scores} winners {winners} end {result.end}"


# --- the events of a game


def chance_steps(events: Iterable[Event]) -> Iterator[SeatEvent]:
    """Yield the rolls and draws among a record's events, with the name of every card."""
    for event in events:
        if event["e"] == "roll":
            yield Rolled(event["tower"], *event["houses"])
        for card in event.get("drew") or event.get("in") or ():
            yield Drew(event["p"], card)


def hand_names(game: Game) -> list[list[str]]:
    """Return each seat's hand as card names, or an empty list if the hand is hidden."""
    return [
        [CARDS[kind] for kind in hand] if not isinstance(hand, int) else []
        for hand in game.position.hands
    ]
