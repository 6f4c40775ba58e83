"""What is left in the box."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from masons.engine.board import components as box

if TYPE_CHECKING:
    from masons.engine.state.position import Position


@dataclass(frozen=True)
class Supply:
    """Numbers of pieces, by the colours of the box."""

    walls: int
    towers: tuple[int, ...]
    houses: tuple[int, ...]
    palaces: tuple[int, ...]


def supply_of(position: Position) -> Supply:
    """What a position leaves in the box."""
    standing = list(position.towers.values())
    return Supply(
        walls=box.WALLS - len(position.walls),
        towers=tuple(
            box.TOWERS_PER_COLOR - standing.count(color) for color in range(len(box.TOWER_COLORS))
        ),
        houses=_left(box.HOUSES_PER_COLOR, position.houses.values()),
        palaces=_left(box.PALACES_PER_COLOR, position.palaces.values()),
    )


def _left(each: int, used: Iterable[Sequence[int]]) -> tuple[int, ...]:
    counts = list(used)
    colors = range(len(box.HOUSE_COLORS))
    return tuple(each - sum(count[color] for count in counts) for color in colors)
