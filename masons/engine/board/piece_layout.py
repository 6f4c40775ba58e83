"""Where the houses and palaces of a space or a city stand, and how large they are.

Pieces that stand on land belong to their space, so they stay inside it. Where a piece stands inside
a completed city does not matter, so the pieces of a city are spread over its spaces. In each space
they stand in rows beside its level side, and the largest size is taken at which no piece reaches a
tower, or hides much of a wall or of another piece. All pieces of a city have the same size. Equal
input gives equal places.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, islice, pairwise
from typing import Final, NamedTuple

from masons.engine.board.components import HOUSE_COLORS

Point = tuple[float, float]
Corners = tuple[Point, ...]
Side = tuple[Point, Point]

LARGEST: Final = 38  # the size of a house that has enough room
SMALLEST: Final = 13  # pieces of a kind and color share one shape if they would be smaller
_WEIGHTS: Final = {"palace": 2, "house": 1}  # how much of a space's room each takes
_SOUTH_WALL: Final = 7.5  # the distance that pieces keep from a level wall south of them
_NORTH_WALL: Final = 0.0  # the same north of them, where they stand before the wall
_WALL: Final = 3.0  # the same for other lines, of whose walls they may hide a part
_LINE: Final = 1.0  # the distance that pieces keep from a line inside their city
_TOWER: Final = 16.5  # half the width of a tower
_TOWER_ENDS: Final = (-26.0, 17.0)  # how far it reaches north and south
_HIDDEN: Final = 0.08  # the part of a piece's width or height that the next piece may hide
_GAPS: Final = range(1, 20, 2)  # possible distances between rows, and between rows and a wall
_MOST_ROWS: Final = 3
_AREA: Final = 6000.0  # the squares of the sizes of all pieces in a space are less than this
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


class Shape(NamedTuple):
    """A drawn piece, or several pieces of one kind and color in one shape."""

    kind: str  # house or palace
    color: str
    number: int
    at: Point
    size: float  # the width of a house; a palace of the same size is wider

    @property
    def symbol(self) -> str:
        """The name of the symbol that shows the piece."""
        return f"{self.kind}-{self.color}"


class _Room(NamedTuple):
    """The part of a space that is free of walls and towers."""

    edge: float  # where the row beside the level side ends
    is_up: bool  # whether the other rows are north of it
    middle: float  # from west to east
    flanks: tuple[Point, Point]  # the bounds in the west and east: x = flank[0] + flank[1] * y
    towers: tuple[Point, ...]


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
    if not stock:
        return []
    single = [(kind, color, 1) for kind, color, count in stock for _ in range(count)]
    west, north = min(x for x, _ in spaces[0]), min(y for _, y in spaces[0])
    shifted = tuple(
        tuple((round(x - west, 1), round(y - north, 1)) for x, y in corners) for corners in spaces
    )
    for items, least in ((single, SMALLEST), (stock, 1)):
        places, size = _places(shifted, tuple(kind for kind, _, _ in items), least)
        if places:
            break
    shapes = [
        Shape(*item, (west + x, north + y), size)
        for item, (x, y) in zip(items, places, strict=True)
    ]
    return sorted(shapes, key=lambda shape: shape.at[1])


@lru_cache(2048)
def _places(
    spaces: tuple[Corners, ...], kinds: tuple[str, ...], least: int
) -> tuple[list[Point], int]:
    """Return a place for each piece, and the size of all of them.

    There are no places if the size would be below `least`.
    """
    rooms = sorted(_rooms(spaces), key=lambda room: -_largest(room, ["palace"], 1))
    filled = [
        (room, share, [kinds[i] for i in share])
        for room, share in zip(rooms, _shares(kinds, len(rooms)), strict=True)
        if share
    ]
    size = min(_largest(room, inside, least) for room, _, inside in filled)
    if not size:
        return [], 0
    places = [(0.0, 0.0)] * len(kinds)
    for room, share, inside in filled:
        for i, (x, y) in zip(share, _arranged(room, inside, size, _GAPS), strict=True):
            places[i] = round(x, 1), round(y, 1)
    return places, size


def _rooms(spaces: tuple[Corners, ...]) -> list[_Room]:
    """Return the room in each space; walls stand only on the outline of all spaces."""
    sides = [side for corners in spaces for side in combinations(sorted(corners), 2)]
    outline = {side for side in sides if sides.count(side) == 1}
    towers = {corner for side in outline for corner in side}
    rooms = []
    for corners in spaces:
        centre = sum(y for _, y in corners) / 3
        apex = max(corners, key=lambda corner: abs(corner[1] - centre))
        west, east = sorted(corner for corner in corners if corner != apex)
        is_up = apex[1] < centre
        margin = (_SOUTH_WALL if is_up else _NORTH_WALL) if (west, east) in outline else _LINE
        flanks = []
        for x, y in (west, east):
            slope = (apex[0] - x) / (apex[1] - y)
            away = _WALL if tuple(sorted(((x, y), apex))) in outline else _LINE
            flanks.append(
                (x - slope * y + math.copysign(away, apex[0] - x) * math.hypot(1, slope), slope)
            )
        rooms.append(
            _Room(west[1] - margin if is_up else west[1] + margin, is_up, apex[0],
                  (flanks[0], flanks[1]), tuple(towers.intersection(corners)))
        )  # fmt: skip
    return rooms


def _shares(kinds: Sequence[str], count: int) -> list[list[int]]:
    """Return the pieces of each of some rooms, so that no room is fuller than it must be.

    Pieces of a kind and color, which follow each other, stay together.
    """
    loads = [0] * count
    shares: list[list[int]] = [[] for _ in loads]
    for kind, weight in _WEIGHTS.items():
        numbers = [0] * count
        for _ in range(kinds.count(kind)):
            which = loads.index(min(loads))
            numbers[which] += 1
            loads[which] += weight
        rest = iter(i for i, each in enumerate(kinds) if each == kind)
        for share, number in zip(shares, numbers, strict=True):
            share += islice(rest, number)
    return shares


def _largest(room: _Room, kinds: Sequence[str], least: int) -> int:
    """Return the largest size of pieces that fit into a room; 0 if it would be below `least`."""
    sizes = range(LARGEST, least - 1, -1)
    return next((size for size in sizes if _arranged(room, kinds, size, _GAPS[:1])), 0)


def _arranged(room: _Room, kinds: Sequence[str], size: float, gaps: Iterable[float]) -> list[Point]:
    """Return places for the pieces of a room, palaces first, with the most distance around them.

    `gaps` are the distances between rows to try. There are no places if the pieces are too large.
    """
    best: list[tuple[str, Point]] = []
    most = 0.0
    if size * size * sum(_WEIGHTS[kind] for kind in kinds) < _AREA:
        for rows in _ways(kinds):
            for gap in gaps:
                pieces, free = _in_rows(room, rows, size, gap)
                if min(free, gap) > most:
                    best, most = pieces, min(free, gap)
    return [place for kind in _WEIGHTS for each, place in best if each == kind]


def _ways(kinds: Sequence[str]) -> Iterator[list[list[str]]]:
    """Yield the ways to form rows, of which the first stands beside the level side."""
    for count in range(min(_MOST_ROWS, len(kinds))):
        for cuts in combinations(range(1, len(kinds)), count):
            rows = []
            for start, end in pairwise((0, *cuts, len(kinds))):
                row = sorted(kinds[start:end])  # houses come first
                half = row.count("house") // 2
                rows.append([*row[:half], *row[half:][::-1]])
            yield rows
            yield rows[::-1]


def _in_rows(
    room: _Room, rows: Sequence[Sequence[str]], size: float, gap: float
) -> tuple[list[tuple[str, Point]], float]:
    """Return the places of pieces in rows, and the least distance between those of a row.

    The distance is negative if the pieces are too large.
    """
    pieces: list[tuple[str, Point]] = []
    least = math.inf
    edge = room.edge
    for row in rows:
        north = size * min(_EXTENTS[kind][2] for kind in row)
        south = size * max(_EXTENTS[kind][3] for kind in row)
        y = edge - gap - south if room.is_up else edge + gap - north
        hidden = _HIDDEN * (south - north)
        edge = y + (north + hidden if room.is_up else south - hidden)
        xs, free = _in_row(room, row, size, y)
        least = min(least, free)
        pieces += ((kind, (x, y)) for kind, x in zip(row, xs, strict=True))
    return pieces, least


def _in_row(room: _Room, row: Sequence[str], size: float, y: float) -> tuple[list[float], float]:
    """Return where the pieces of a row stand from west to east, and the distance between them."""
    spans = [_span(room, kind, size, y) for kind in row]
    xs = [spans[0][0]]
    for (before, kind), (low, _) in zip(pairwise(row), spans[1:], strict=True):
        distance = (1 - _HIDDEN) * size * (_EXTENTS[before][1] - _EXTENTS[kind][0])
        xs.append(max(low, xs[-1] + distance))
    free = min(high - x for x, (_, high) in zip(xs, spans, strict=True)) / (len(row) + 1)
    return [x + free * i for i, x in enumerate(xs, 1)], free


def _span(room: _Room, kind: str, size: float, y: float) -> tuple[float, float]:
    """Return the west and the east end of where a piece may stand at a height."""
    west, east, north, south = (size * end for end in _EXTENTS[kind])
    low, high = (
        pick(x + slope * (y + size * py) - size * px for px, py in _OUTLINES[kind])
        for pick, (x, slope) in zip((max, min), room.flanks, strict=True)
    )
    for tx, ty in room.towers:
        if y + north < ty + _TOWER_ENDS[1] and y + south > ty + _TOWER_ENDS[0]:
            if tx <= room.middle:
                low = max(low, tx + _TOWER - west)
            if tx >= room.middle:
                high = min(high, tx - _TOWER - east)
    return low, high
