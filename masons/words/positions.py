"""Positions in words: the current decision, the board, the roll and the supply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from masons.engine.board import components as box
from masons.engine.plain_text import count, does

if TYPE_CHECKING:
    from masons.engine.state.position import Position, Roll

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


def supply_words(position: Position) -> str:
    """Return the pieces that are left in the supply in words."""
    left = supply_of(position)
    parts = [count(left.walls, "wall")]
    for what, numbers, names in (
        ("towers", left.towers, box.TOWER_COLORS),
        ("houses", left.houses, box.HOUSE_COLORS),
        ("palaces", left.palaces, box.HOUSE_COLORS),
    ):
        amounts = ", ".join(f"{n} {name}" for n, name in zip(numbers, names, strict=True))
        parts.append(f"{what} {amounts}")
    return "; ".join(parts)


def roll_words(roll: Roll) -> str:
    """Return a roll in words, such as `tower white, houses red and ?`."""
    tower, *dice = roll
    names = (*box.HOUSE_COLORS, box.WILD)
    houses = f"houses {names[dice[0]]} and {names[dice[1]]}"
    return houses if tower is None else f"tower {box.TOWER_COLORS[tower]}, {houses}"


def board_lines(position: Position) -> list[str]:
    """Return the pieces on the board in words. Each kind and each city has a line."""
    lines = [f"walls: {_numbers(sorted(position.walls))}"]
    for color, name in enumerate(box.TOWER_COLORS):
        places = sorted(at for at, stands in position.towers.items() if stands == color)
        if places:
            lines.append(f"{name} towers: {_numbers(places)}")
    roots = {min(city) for city in position.cities}
    for color, name in enumerate(box.HOUSE_COLORS):
        houses = position.houses.items()
        land = [at for at, n in sorted(houses) if at not in roots for _ in range(n[color])]
        if land:
            lines.append(f"{name} houses on spaces: {_numbers(land)}")
    for city in position.cities:
        root = min(city)
        pieces = [
            count(number, f"{name} {what}")
            for what, counts in (("palace", position.palaces), ("house", position.houses))
            for number, name in zip(counts.get(root, ()), box.HOUSE_COLORS, strict=False)
            if number
        ]
        contents = f": {', '.join(pieces)}" if pieces else ""
        spaces = count(len(city), "space")
        lines.append(f"city {root} of {spaces} ({_numbers(sorted(city))}){contents}")
    return lines


def _numbers(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers)) or "none"
