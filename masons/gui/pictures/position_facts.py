"""Facts that are shown beside a board, namely the supply and the current decision in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from masons.engine.board import components as box
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
    """Return the current decision in words, such as `seat 1 places a wall`."""
    if position.phase == "over":
        return "the game is over"
    return does(names[position.seat], TASKS[position.phase])


@dataclass(frozen=True)
class Supply:
    """The numbers of pieces left in the supply, by color."""

    walls: int
    towers: tuple[int, ...]
    houses: tuple[int, ...]
    palaces: tuple[int, ...]


def supply_of(position: Position) -> Supply:
    """Return the pieces that are left in the supply in a position."""
    standing = list(position.towers.values())

    def left(total: int, placed: Iterable[Sequence[int]]) -> tuple[int, ...]:
        none = (0,) * len(box.HOUSE_COLORS)
        return tuple(total - sum(counts) for counts in zip(none, *placed, strict=True))

    return Supply(
        walls=box.WALLS - len(position.walls),
        towers=tuple(
            box.TOWERS_PER_COLOR - standing.count(color) for color in range(len(box.TOWER_COLORS))
        ),
        houses=left(box.HOUSES_PER_COLOR, position.houses.values()),
        palaces=left(box.PALACES_PER_COLOR, position.palaces.values()),
    )
