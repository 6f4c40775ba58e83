"""A board's data, and its description: the JSON object that defines the board."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NoReturn

from masons.engine.board.components import MAX_REGIONS
from masons.engine.errors import BoardError

MAX_SPACES: Final = 128
MAX_LINES: Final = 224
MAX_TOWERS: Final = 96  # tower spaces, not tower pieces
MAX_COORDINATE: Final = 1000  # keeps nine decimals exact in a float
TOLERANCE: Final = 1e-6  # greatest deviation of x and y from the lattice, in sides of a triangle
ROW: Final = math.sqrt(3) / 2  # distance between rows of tower spaces, in sides of a triangle

BOARD_KEYS: Final = ("name", "regions", "towers", "spaces", "lines")
TOWER_KEYS: Final = ("id", "x", "y", "shore")
SPACE_KEYS: Final = ("id", "region", "lines", "towers")
LINE_KEYS: Final = ("id", "spaces", "towers")

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # a name is one word of a position's text
# A point of the lattice as (row, column), counted from tower space 0; columns are half a side
# apart.
Cell = tuple[int, int]


@dataclass(frozen=True)
class BoardFields:
    """The data of a board, with all ids as in its description.

    Spaces, lines and tower spaces are numbered from 0; the numbers are indices of these tuples.
    """

    name: str
    regions: int
    tower_xy: tuple[tuple[float, float], ...]  # in sides of a triangle; y grows southwards
    tower_shore: tuple[bool, ...]
    space_region: tuple[int, ...]  # from 1
    space_lines: tuple[tuple[int, int, int], ...]  # ascending
    space_towers: tuple[tuple[int, int, int], ...]  # ascending
    line_spaces: tuple[tuple[int, int | None], ...]  # ascending; None (the edge) comes last
    line_towers: tuple[tuple[int, int], ...]  # ascending

    def to_dict(self) -> dict[str, object]:
        """Return the board's description for `json.dumps`; `Board.from_dict` can read it back."""
        towers = zip(self.tower_xy, self.tower_shore, strict=True)
        spaces = zip(self.space_region, self.space_lines, self.space_towers, strict=True)
        lines = zip(self.line_spaces, self.line_towers, strict=True)
        return {
            "name": self.name,
            "regions": self.regions,
            "towers": [
                {"id": i, "x": x, "y": y, "shore": shore}
                for i, ((x, y), shore) in enumerate(towers)
            ],
            "spaces": [
                {"id": i, "region": region, "lines": list(sides), "towers": list(corners)}
                for i, (region, sides, corners) in enumerate(spaces)
            ],
            "lines": [
                {"id": i, "spaces": list(beside), "towers": list(ends)}
                for i, (beside, ends) in enumerate(lines)
            ],
        }


def fail(message: str) -> NoReturn:
    """Raise a BoardError with a message."""
    raise BoardError(message)


def shown(value: object, width: int = 40) -> str:
    """Return any value as a short text on one line for messages."""
    if isinstance(value, str):
        return repr(value if len(value) <= width else f"{value[:width]}...")
    if isinstance(value, list | tuple):
        return "an empty list" if not value else f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**18:
        return "a huge number"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value) if isinstance(value, int | float) else f"a {type(value).__name__}"


def read_description(description: object) -> tuple[BoardFields, list[Cell]]:
    """Return the data of a board, and the cells of its tower spaces.

    The data are checked for type and range. Raises BoardError for the first fault.
    """
    top = _object(description, "the board", BOARD_KEYS)
    name = top["name"]
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        wanted = "1 to 64 characters A-Z a-z 0-9 _ . -"
        fail(f"the board's name must be {wanted}, not {shown(name)}")
    regions = _whole(top["regions"], "the number of regions", 1, MAX_REGIONS)
    towers = _rows(top["towers"], "tower", TOWER_KEYS, MAX_TOWERS)
    spaces = _rows(top["spaces"], "space", SPACE_KEYS, MAX_SPACES)
    lines = _rows(top["lines"], "line", LINE_KEYS, MAX_LINES)

    n_towers, n_lines = len(towers), len(lines)
    cells, tower_xy = _snap([_point(row, f"tower {i}") for i, row in enumerate(towers)])
    fields = BoardFields(
        name=name,
        regions=regions,
        tower_xy=tower_xy,
        tower_shore=tuple(_flag(row["shore"], f"tower {i}") for i, row in enumerate(towers)),
        space_region=tuple(
            _whole(row["region"], f"space {i}: region", 1, regions) for i, row in enumerate(spaces)
        ),
        space_lines=tuple(
            _three(row["lines"], f"space {i}: lines", n_lines) for i, row in enumerate(spaces)
        ),
        space_towers=tuple(
            _three(row["towers"], f"space {i}: towers", n_towers) for i, row in enumerate(spaces)
        ),
        line_spaces=tuple(
            _beside(row["spaces"], f"line {i}: spaces", len(spaces)) for i, row in enumerate(lines)
        ),
        line_towers=tuple(
            _ends(row["towers"], f"line {i}: towers", n_towers) for i, row in enumerate(lines)
        ),
    )
    return fields, cells


def _object(value: object, where: str, keys: tuple[str, ...]) -> dict[str, object]:
    listed = ", ".join(keys)
    if not isinstance(value, dict):
        fail(f"{where} must be an object with the keys {listed}, not {shown(value)}")
    for key in value:
        if key not in keys:
            fail(f"{where} has the unknown key {shown(key)}; its keys are {listed}")
    for key in keys:
        if key not in value:
            fail(f"{where} lacks the key {key!r}; its keys are {listed}")
    return value


def _rows(value: object, kind: str, keys: tuple[str, ...], limit: int) -> list[dict[str, object]]:
    """Return the objects in the list of towers, spaces or lines.

    The `id` of each object must equal the object's index in the list.
    """
    if not isinstance(value, list):
        fail(f"the board's {kind}s must be a list, not {shown(value)}")
    if not 1 <= len(value) <= limit:
        fail(f"a board has 1 to {limit} {kind}s, not {len(value)}")
    rows = [_object(row, f"{kind} {i}", keys) for i, row in enumerate(value)]
    for i, row in enumerate(rows):
        if _whole(row["id"], f"{kind} {i}: id", 0, limit - 1) != i:
            fail(f"{kind} {i} has the id {row['id']}; ids run 0, 1, 2, ... in list order")
    return rows


def _whole(value: object, where: str, low: int, high: int) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return value
    fail(f"{where} must be a whole number from {low} to {high}, not {shown(value)}")


def _flag(value: object, where: str) -> bool:
    if isinstance(value, bool):
        return value
    fail(f"{where}: shore must be true or false, not {shown(value)}")


def _point(row: dict[str, object], where: str) -> tuple[float, float]:
    x, y = (_coordinate(row[axis], f"{where}: {axis}") for axis in ("x", "y"))
    return x, y


def _coordinate(value: object, where: str) -> float:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if abs(number) <= MAX_COORDINATE:  # false for NaN; huge whole numbers never become floats
        return float(number)
    bound = f"a number from -{MAX_COORDINATE} to {MAX_COORDINATE}"
    fail(f"{where} must be {bound}, not {shown(value)}")


def _ids(value: object, where: str, count: int, bound: int) -> list[int]:
    """Return exactly `count` different ids below `bound`, in the given order."""
    if not isinstance(value, list) or len(value) != count:
        fail(f"{where} must be a list of {count}, not {shown(value)}")
    ids = [_whole(item, f"{where}: each", 0, bound - 1) for item in value]
    if len(set(ids)) < count:
        fail(f"{where} must be {count} different ids, not {ids}")
    return ids


def _three(value: object, where: str, bound: int) -> tuple[int, int, int]:
    a, b, c = sorted(_ids(value, where, 3, bound))
    return a, b, c


def _ends(value: object, where: str, bound: int) -> tuple[int, int]:
    a, b = _ids(value, where, 2, bound)
    if a > b:
        fail(f"{where} must have the lower id first, [{b}, {a}], not [{a}, {b}]")
    return a, b


def _beside(value: object, where: str, bound: int) -> tuple[int, int | None]:
    if isinstance(value, list) and len(value) == 2 and value[1] is None:
        if value[0] is None:
            fail(f"{where} must name at least one space; [4, null] is a line on the edge")
        return _whole(value[0], f"{where}: the first", 0, bound - 1), None
    if isinstance(value, list) and len(value) == 2 and value[0] is None:
        fail(f"{where} must have null second, as in [4, null], not first")
    a, b = sorted(_ids(value, where, 2, bound))
    return a, b


def _snap(points: list[tuple[float, float]]) -> tuple[list[Cell], tuple[tuple[float, float], ...]]:
    """Return the lattice cell nearest to each point, and the exact coordinates of these cells.

    Point 0 defines the lattice, whose rows run from west to east. Coordinates are rounded to 9
    decimals. Raises BoardError for a point that is off the lattice.
    """
    x0, y0 = (round(value, 9) + 0.0 for value in points[0])  # + 0.0 turns -0.0 into 0.0
    cells, exact = [], []
    for i, (x, y) in enumerate(points):
        row, half = round((y - y0) / ROW), round((x - x0) * 2)
        lattice_x, lattice_y = x0 + half / 2, y0 + row * ROW
        off = max(abs(x - lattice_x), abs(y - lattice_y)) > TOLERANCE
        if off or (row + half) % 2:
            fail(
                f"tower {i} at ({x:.9g}, {y:.9g}) is off the lattice of tower 0: rows run west to"
                f" east {ROW:.9f} apart, towers in a row 1 apart, every other row shifted by 0.5"
            )
        cells.append((row, half))
        exact.append((round(lattice_x, 9) + 0.0, round(lattice_y, 9) + 0.0))
    return cells, tuple(exact)


def check_geometry(board: BoardFields, cells: list[Cell]) -> None:
    """Raise BoardError for the first geometric fault; `cells` are the cells of the tower spaces."""
    _check_unique("tower", cells, "stand at the same point")
    _check_lines(board, cells)
    _check_spaces(board, cells)
    _check_neighbors(board)
    _check_connected(board)
    _check_shore(board)


def _adjacent(a: Cell, b: Cell) -> bool:
    return (abs(a[0] - b[0]), abs(a[1] - b[1])) in ((0, 2), (1, 1))


def _check_unique(kind: str, places: Iterable[object], where: str) -> None:
    actual: dict[object, int] = {}
    for i, place in enumerate(places):
        first = actual.setdefault(place, i)
        if first != i:
            fail(f"{kind}s {first} and {i} {where}; every {kind} has a place of its own")


def _check_lines(board: BoardFields, cells: list[Cell]) -> None:
    """Check that lines are distinct, have length 1, and reach every tower space."""
    for i, (a, b) in enumerate(board.line_towers):
        if not _adjacent(cells[a], cells[b]):
            fail(f"line {i} joins towers {a} and {b}, which are not at distance 1")
    _check_unique("line", board.line_towers, "join the same two towers")
    used = {tower for ends in board.line_towers for tower in ends}
    for tower in range(len(cells)):
        if tower not in used:
            fail(f"tower {tower} is at the end of no line; every tower is a corner of a space")


def _check_spaces(board: BoardFields, cells: list[Cell]) -> None:
    """Check that spaces are distinct triangles of side 1 whose sides are the spaces' lines."""
    for i, (lines, towers) in enumerate(zip(board.space_lines, board.space_towers, strict=True)):
        corners = list(towers)
        sides = list(combinations(towers, 2))
        if not all(_adjacent(cells[a], cells[b]) for a, b in sides):
            fail(f"space {i}: towers {corners} are not the corners of a triangle of side 1")
        if {board.line_towers[line] for line in lines} != set(sides):
            fail(f"space {i}: lines {list(lines)} are not the sides between its towers {corners}")
    _check_unique("space", board.space_towers, "are the same triangle")


def _check_neighbors(board: BoardFields) -> None:
    """Check that a line names a space if and only if the space names the line."""
    beside: list[list[int | None]] = [[] for _ in board.line_towers]
    for space, lines in enumerate(board.space_lines):
        for line in lines:
            beside[line].append(space)
    for line, (actual, named) in enumerate(zip(beside, board.line_spaces, strict=True)):
        wanted = [*actual, None][:2]
        if list(named) != wanted:
            if not actual:
                fail(f"line {line} is not a side of any space")
            stated, right = (json.dumps(pair) for pair in (named, wanted))
            fail(f"line {line}: spaces are {stated}, but the spaces with that line are {right}")


def _check_connected(board: BoardFields) -> None:
    """Check that all spaces of the board, and of each region, are connected through lines."""
    every = range(len(board.space_region))
    reached = _reach(board, every)
    if len(reached) < len(every):
        lost = min(set(every) - reached)
        fail(f"space {lost} is not connected with space 0 through lines; a board is one piece")
    for region in range(1, board.regions + 1):
        members = [space for space in every if board.space_region[space] == region]
        if not members:
            fail(f"region {region} has no space; regions 1 to {board.regions} each have one")
        reached = _reach(board, members)
        if len(reached) < len(members):
            lost = min(set(members) - reached)
            fail(
                f"region {region} is not connected: no way through lines from space {members[0]}"
                f" to space {lost} inside it"
            )


def _reach(board: BoardFields, allowed: Collection[int]) -> set[int]:
    """Return the spaces that are connected to the first allowed space through allowed spaces."""
    first = next(iter(allowed))
    left = set(allowed) - {first}
    reached, todo = {first}, [first]
    while todo:
        beside = (board.line_spaces[line] for line in board.space_lines[todo.pop()])
        for space in {space for pair in beside for space in pair if space in left}:
            if space is not None:
                left.remove(space)
                reached.add(space)
                todo.append(space)
    return reached


def _check_shore(board: BoardFields) -> None:
    edge = {
        tower
        for beside, ends in zip(board.line_spaces, board.line_towers, strict=True)
        if beside[1] is None
        for tower in ends
    }
    for tower, shore in enumerate(board.tower_shore):
        if shore and tower not in edge:
            fail(f"tower {tower} is on the shore but not on the board's edge: write false")
