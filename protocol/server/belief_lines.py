"""What `belief` says: the cards that a seat may hold."""

from __future__ import annotations

from collections.abc import Iterator

from masons.ai.beliefs.card_counts import belief
from masons.engine.board.components import CARDS
from masons.engine.game.observation import Observation
from masons.protocol.messages.error_codes import Refused


def belief_lines(view: Observation, own: int, seat: str) -> Iterator[str]:
    """A line for the seat named, or for each but `own`. Raises Refused."""
    seats = [str(number) for number in range(view.players)]
    if seat and seat not in seats:
        raise Refused("illegal", f"belief needs a seat from 0 to {view.players - 1}")
    asked = [int(seat)] if seat else [number for number in range(view.players) if number != own]
    for number in asked:
        size = view.position.hand_sizes[number]
        words = [
            f"{CARDS[held.kind]}={held.expected:.4f}/{held.probability:.4f}"
            for held in belief(view, number)
            if held.probability > 0
        ]
        yield " ".join((f"response belief {number} cards {size}", *words))
