"""What there is to draw on a board, as plain data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from masons.engine.board.components import HOUSE_COLORS, TOWER_COLORS
from masons.engine.board.geometry import Board
from masons.engine.errors import PositionError


@dataclass(frozen=True)
class Picture:
    """What to draw on a board, in plain data: ids of the board, names of the components."""

    walls: Collection[int] = ()  # line ids
    towers: Mapping[int, str] = field(default_factory=dict)  # tower space -> colour
    houses: Mapping[int, Mapping[str, int]] = field(default_factory=dict)  # space -> colour -> n
    palaces: Mapping[int, Mapping[str, int]] = field(default_factory=dict)  # the same
    cities: tuple[tuple[int, ...], ...] = ()  # the spaces of each completed city
    highlight_lines: Mapping[int, float] = field(default_factory=dict)  # line -> weight, 0 to 1
    marks: Mapping[int, str] = field(default_factory=dict)  # line -> a figure or so on its middle
    fresh: Collection[int] = ()  # lines whose walls are set off
    focus: Collection[int] = ()  # spaces that are outlined


def check_picture(board: Board, picture: Picture) -> None:
    """Raise PositionError where a picture names what the board or the box lacks."""
    city_spaces = [space for city in picture.cities for space in city]
    for kind, ids, count in (
        (
            "line",
            [*picture.walls, *picture.highlight_lines, *picture.marks, *picture.fresh],
            len(board.line_towers),
        ),
        ("tower space", list(picture.towers), len(board.tower_xy)),
        (
            "space",
            [*picture.houses, *picture.palaces, *city_spaces, *picture.focus],
            len(board.space_region),
        ),
    ):
        for item in ids:
            if not 0 <= item < count:
                raise PositionError(f"no {kind} {item}: they are 0 to {count - 1}")
    stocks = [*picture.houses.values(), *picture.palaces.values()]
    for names, known in (
        (list(picture.towers.values()), TOWER_COLORS),
        ([name for stock in stocks for name in stock], HOUSE_COLORS),
    ):
        for name in names:
            if name not in known:
                raise PositionError(f"no colour {name!r} here: it is one of {', '.join(known)}")
