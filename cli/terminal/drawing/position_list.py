"""A position as a list in words, for terminals too narrow for a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from masons.engine.board.components import HOUSE_COLORS, TOWER_COLORS
from masons.engine.plain_text import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.engine.state.position import Position


def list_board(position: Position) -> list[str]:
    """What stands on the board, a line for each kind of thing."""
    lines = [f"walls: {_numbers(sorted(position.walls))}"]
    for color, name in enumerate(TOWER_COLORS):
        places = sorted(at for at, stands in position.towers.items() if stands == color)
        if places:
            lines.append(f"{name} towers: {_numbers(places)}")
    roots = {min(city) for city in position.cities}
    for color, name in enumerate(HOUSE_COLORS):
        land = sorted(
            space
            for space, counts in position.houses.items()
            if space not in roots
            for _ in range(counts[color])
        )
        if land:
            lines.append(f"{name} houses on spaces: {_numbers(land)}")
    for city in position.cities:
        root = min(city)
        parts = _amounts(position.palaces.get(root, ()), "palace")
        parts += _amounts(position.houses.get(root, ()), "house")
        held = f": {', '.join(parts)}" if parts else ""
        lines.append(f"city {root} of {count(len(city), 'space')} ({_numbers(sorted(city))}){held}")
    return lines


def _numbers(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers)) or "none"


def _amounts(counts: Sequence[int], what: str) -> list[str]:
    return [
        f"{number} {HOUSE_COLORS[color]} {what}{'s' if number > 1 else ''}"
        for color, number in enumerate(counts)
        if number
    ]
