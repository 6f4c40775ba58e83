"""What is due in a position, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from masons.engine.plain_text import does

if TYPE_CHECKING:
    from masons.engine.state.position import Position

TASKS: Final = {
    "wall": "places a wall",
    "roll": "rolls the dice",
    "towers": "places towers",
    "houses": "places houses",
    "merge": "may merge",
    "score": "scores cards",
    "draw": "draws a card",
    "swap": "may swap cards",
    "final": "plays last cards",
}


def task_words(position: Position, names: Sequence[str]) -> str:
    """What is due, and who does it: `seat 1 places a wall`."""
    if position.phase == "over":
        return "the game is over"
    return does(names[position.seat], TASKS[position.phase])
