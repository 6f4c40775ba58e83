"""Where the houses and palaces of a space or a city stand, and how large they are.

Pieces that stand on land belong to their space, so they stay inside it. Where a piece stands inside
a completed city does not matter, so the pieces of a city share all its spaces. Both are laid out in
the same way: the largest size is taken at which no piece touches a wall or another piece. Pieces
that would be too small form a pile: they overlap, the lower ones in front, and may cover walls.
Equal input gives equal places.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from masons.engine.board.components import HOUSE_COLORS

Point = tuple[float, float]
Corners = tuple[Point, ...]
Side = tuple[Point, Point]
Other = tuple[float, float, tuple[float, float, float, float]]

LARGEST: Final = 36  # the size of a house that has enough room
PILED: Final = 28  # smaller pieces overlap, so that they can be larger
_STEPS: Final = (12.0, 5.0, 2.0)  # by which pieces are pushed apart
_TURNS: Final = tuple(turn * math.pi / 4 for turn in range(8))
_ROUNDS: Final = 8
_STARTS: Final = 3  # the number of layouts of which the best is taken, if there are few pieces
_FEW: Final = 6
_ASIDE: Final = 0.3  # how much the lesser distance between two pieces counts
_FAR: Final = 45.0  # what is farther from a piece does not matter
_PILE: Final = 1.9  # how many times larger pieces may be in a pile than apart
_APART: Final = 18  # pieces of a kind share one shape if they would be smaller than this, apart
_WALL: Final = 7.5  # the distance from a line to which a wall on it reaches
_TOWER: Final = 14.0  # half the width of a tower
_TOWER_TOP: Final = 26.0  # its height above its space
# The corners of each piece's outline, in units of its size.
_OUTLINES: Final[Mapping[str, tuple[Point, ...]]] = {
    "house": ((-0.46, 0.46), (-0.5, 0), (-0.16, -0.46), (0.22, -0.5), (0.5, -0.08), (0.45, 0.4)),
    "palace": (
        (-0.67, 0.5), (-0.68, -0.3), (-0.5, -0.6), (0, -0.86), (0.5, -0.6), (0.68, -0.3),
        (0.67, 0.5),
    ),
}  # fmt: skip
# The west, east, north and south end of each outline.
_EXTENTS: Final = {
    kind: (
        min(x for x, _ in outline), max(x for x, _ in outline),
        min(y for _, y in outline), max(y for _, y in outline),
    )
    for kind, outline in _OUTLINES.items()
}  # fmt: skip
_GAP: Final = 1.03  # two pieces are farther apart than their outlines by this factor
# The distances between the centers of two pieces of size 1 that touch, in the four directions.
_TOUCHING: Final = {
    (kind, other): (
        _GAP * (west - other_east), _GAP * (east - other_west),
        _GAP * (north - other_south), _GAP * (south - other_north),
    )
    for kind, (west, east, north, south) in _EXTENTS.items()
    for other, (other_west, other_east, other_north, other_south) in _EXTENTS.items()
}  # fmt: skip


class Shape(NamedTuple):
    """A drawn piece, or several pieces of one kind and color in one shape."""

    kind: str  # house or palace
    color: str
    number: int
    at: Point
    size: float  # the width of a house; a palace of the same size is wider


def piece_shapes(
    spaces: Sequence[Corners], houses: Mapping[str, int], palaces: Mapping[str, int]
) -> list[Shape]:
    """Return the shapes of the pieces on one space of land, or on all spaces of a city.

    Each piece has a shape of its own if there is room. Otherwise there is one shape for each kind
    and color. They come in the order in which they are drawn, the lowest on the picture last.
    """
    stock = [
        (kind, color, counts[color])
        for kind, counts in (("palace", palaces), ("house", houses))
        for color in HOUSE_COLORS
        if counts.get(color, 0) > 0
    ]
    single = [(kind, color, 1) for kind, color, count in stock for _ in range(count)]
    west, north = min(x for x, _ in spaces[0]), min(y for _, y in spaces[0])
    shifted = tuple(
        tuple((round(x - west, 1), round(y - north, 1)) for x, y in corners) for corners in spaces
    )
    for items in (single, stock):
        places, size = _places(shifted, tuple(kind for kind, _, _ in items))
        if size >= _APART:
            break
    size = max(size, min(PILED, round(_PILE * size)))
    shapes = [
        Shape(*item, (west + x, north + y), size)
        for item, (x, y) in zip(items, places, strict=True)
    ]
    return sorted(shapes, key=lambda shape: shape.at[1])


@lru_cache(2048)
def _places(spaces: tuple[Corners, ...], kinds: tuple[str, ...]) -> tuple[list[Point], float]:
    """Return a place for each piece, and the size of all of them."""
    sides = _sides(spaces)
    best: list[Point] = []
    size = -1.0
    for first in range(min(_STARTS, len(kinds)) if len(kinds) <= _FEW else 1):
        places = _spread(_grid(spaces), sides, kinds, first)
        for step in _STEPS:
            _push_apart(places, sides, kinds, step)
        largest = min(
            min([_room(x, y, kinds[i], sides), *_free(x, y, _others(places, kinds, i))])
            for i, (x, y) in enumerate(places)
        )
        if largest > size:
            best, size = places, largest
        if size >= LARGEST:
            break
    places = [(round(x, 1), round(y, 1)) for x, y in best]
    return places, float(min(int(size), LARGEST))


def _grid(spaces: tuple[Corners, ...]) -> list[Point]:
    """Return points inside the spaces and on their sides, from west to east."""
    parts = 8 if len(spaces) == 1 else 6 if len(spaces) < 4 else 4
    points = set()
    for (ax, ay), (bx, by), (cx, cy) in spaces:
        for i in range(parts + 1):
            for j in range(parts + 1 - i):
                u, v, w = i / parts, j / parts, 1 - (i + j) / parts
                x, y = u * ax + v * bx + w * cx, u * ay + v * by + w * cy
                points.add((round(x, 1), round(y, 1)))
    return sorted(points)


def _sides(spaces: tuple[Corners, ...]) -> list[Side]:
    """Return the sides that only one of the spaces has: the outline of all spaces."""
    sides = [
        (min(a, b), max(a, b))
        for corners in spaces
        for a, b in zip(corners, (*corners[1:], corners[0]), strict=True)
    ]
    return [side for side in sides if sides.count(side) == 1]


def _room(x: float, y: float, kind: str, sides: Sequence[Side]) -> float:
    """Return the largest size of a piece at a point that touches no wall or tower."""
    west, east, north, south = _EXTENTS[kind]
    largest = 2.0 * LARGEST
    for side in sides:
        (ax, ay), (bx, by) = side
        ux, uy = bx - ax, by - ay
        part = ((x - ax) * ux + (y - ay) * uy) / (ux * ux + uy * uy)
        part = min(max(part, 0.0), 1.0)
        dx, dy = ax + part * ux - x, ay + part * uy - y
        away = math.sqrt(dx * dx + dy * dy)
        if away > _FAR:
            continue
        if away <= _WALL:
            return 0.0
        reach = max([px * dx + py * dy for px, py in _OUTLINES[kind]]) / away
        largest = min(largest, (away - _WALL) / reach)
        for tx, ty in side:
            across = (tx - _TOWER - x) / east if tx > x else (tx + _TOWER - x) / west
            down = (ty - _TOWER_TOP - y) / south if ty > y else (ty + _TOWER - y) / north
            largest = min(largest, max(across, down))
    return largest


def _others(places: Sequence[Point], kinds: Sequence[str], which: int) -> list[Other]:
    """Return the other pieces, each with the distances at which a piece of size 1 touches it."""
    return [
        (x, y, _TOUCHING[kinds[which], kinds[i]])
        for i, (x, y) in enumerate(places) if i != which
    ]  # fmt: skip


def _free(x: float, y: float, others: Sequence[Other]) -> Iterator[float]:
    """Yield the sizes at which a piece at a point would touch each of the others."""
    for other_x, other_y, (west, east, north, south) in others:
        dx, dy = other_x - x, other_y - y
        across = dx / east if dx > 0 else dx / west
        down = dy / south if dy > 0 else dy / north
        yield across if across > down else down


def _spread(
    points: Sequence[Point], sides: Sequence[Side], kinds: Sequence[str], first: int
) -> list[Point]:
    """Return a point for each piece, each as far from the earlier ones as it can be.

    `first` is the number of the piece that is put first.
    """
    order = [first, *(i for i in range(len(kinds)) if i != first)]
    free = {kind: [_room(x, y, kind, sides) for x, y in points] for kind in dict.fromkeys(kinds)}
    places = [points[0]] * len(kinds)
    for which in order:
        sizes = free[kinds[which]]
        places[which] = at = points[max(range(len(points)), key=sizes.__getitem__)]
        for kind, rest in free.items():
            other = [(*at, _TOUCHING[kind, kinds[which]])]
            for i, (x, y) in enumerate(points):
                rest[i] = min(rest[i], *_free(x, y, other))
    return places


def _push_apart(
    places: list[Point], sides: Sequence[Side], kinds: Sequence[str], step: float
) -> None:
    """Move pieces, in place, by `step` while this keeps them farther from walls and each other."""
    moves = [(step * math.cos(turn), step * math.sin(turn)) for turn in _TURNS]
    for _ in range(_ROUNDS):
        has_moved = False
        for which, (x, y) in enumerate(places):
            kind, others = kinds[which], _others(places, kinds, which)
            least = _crowding(x, y, kind, sides, others, math.inf)
            for dx, dy in moves:
                crowding = _crowding(x + dx, y + dy, kind, sides, others, least * (1 - 1e-6))
                if crowding < least:
                    places[which], least, has_moved = (x + dx, y + dy), crowding, True
        if not has_moved:
            return


def _crowding(
    x: float, y: float, kind: str, sides: Sequence[Side], others: Sequence[Other], limit: float
) -> float:
    """Return how close walls and other pieces are to a piece at a point.

    A result that would not be below `limit` is infinite.
    """
    crowding = 0.0
    for other_x, other_y, (west, east, north, south) in others:
        dx, dy = other_x - x, other_y - y
        across = dx / east if dx > 0 else dx / west
        down = dy / south if dy > 0 else dy / north
        free = across if across > down else down
        # Pieces in a row are pushed out of it, too.
        crowding += (LARGEST / max(free + _ASIDE * (across + down - free), 0.5)) ** 5
        if crowding >= limit:
            return math.inf
    free = _room(x, y, kind, sides)
    if free <= 1.0:
        return math.inf
    crowding += (LARGEST / free) ** 5
    return crowding if crowding < limit else math.inf
