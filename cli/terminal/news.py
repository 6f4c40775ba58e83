"""What happened at the table, in words that say no more than a seat could see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from masons.cli.terminal.moves_in_words import event_words
from masons.engine.formats.plain_words import count

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board
    from masons.engine.formats.record_events import Event

# What a decision brings about: in words that do not say whose it is.
EFFECTS: Final = ("roll", "city", "palaces", "reshuffle")
_DRAWN: Final = {"play": "drew", "abstain": "drew", "swap": "in"}


def visible_event(event: Event, viewers: Sequence[int]) -> Event:
    """The event without the cards that somebody else drew; only their number is left."""
    key = _DRAWN.get(event["e"])
    if key is None or event["p"] in viewers or not event[key]:
        return event
    return {**event, key: [count(len(event[key]), "card")]}


def news_lines(
    board: Board, events: Sequence[Event], names: Sequence[str], viewers: Sequence[int]
) -> list[str]:
    """A line for each event, for those who sit in the seats `viewers`."""
    lines = []
    for event in events:
        words = event_words(board, visible_event(event, viewers))
        lines.append(f"  {words}" if event["e"] in EFFECTS else f"{names[event['p']]}: {words}")
    return lines
