"""What a seat gets to know of a game: from its view and public steps, and from nothing else.

The referee's only source for what it sends (docs/protocol.md, "The referee").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from masons.engine.board.components import CARDS
from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import Move
from masons.engine.formats.position_text import format_position
from masons.engine.formats.record_events import Event
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.protocol.messages.seat_events import Drew, Moved, Rolled, Step, format_event


def steps_of(game: Game, seat: int, move: Move, done: int) -> list[Step]:
    """A seat's move, and the dice and cards in the game's log since its event `done`."""
    return [Moved(seat, move), *chance_steps(game.log.events(done))]


def chance_steps(events: Iterable[Event]) -> Iterator[Step]:
    """The dice and cards among events."""
    for event in events:
        if event["e"] == "roll":
            yield Rolled(event["tower"], *event["houses"])
        for card in event.get("drew") or event.get("in") or ():
            yield Drew(event["p"], card)


def view_text(view: Observation, board: Board) -> str:
    """The position as the seat of a view sees it."""
    return format_position(view.position, board)


def event_texts(steps: Sequence[Step], seat: int) -> list[str]:
    """The steps as a seat sees them, one text each."""
    return [format_event(step, seat) for step in steps]


def hand_names(game: Game) -> list[list[str]]:
    """The hands of a game that is over, by names."""
    return [
        [CARDS[kind] for kind in hand] if not isinstance(hand, int) else []
        for hand in game.position.hands
    ]
