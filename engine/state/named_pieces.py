"""The picture of a position: its pieces by name, for `masons.engine.board.board_svg` to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from masons.engine.board.components import HOUSE_COLORS, TOWER_COLORS
from masons.engine.board.pieces_to_draw import Picture
from masons.engine.state.position import Counts, Position


def picture_of(position: Position) -> Picture:
    """What there is to draw of a position; no hands."""
    counting = [city for city in position.cities if position.city in city]
    return Picture(
        walls=sorted(position.walls),
        towers={place: TOWER_COLORS[color] for place, color in position.towers.items()},
        houses=_named(position.houses, HOUSE_COLORS),
        palaces=_named(position.palaces, HOUSE_COLORS),
        cities=tuple(tuple(sorted(city)) for city in position.cities),
        fresh=() if position.line is None else (position.line,),
        focus=tuple(sorted(space for city in counting for space in city)),
    )


def _named(where: Mapping[int, Counts], names: Sequence[str]) -> dict[int, dict[str, int]]:
    return {
        space: {name: count for name, count in zip(names, counts, strict=True) if count}
        for space, counts in where.items()
    }
