"""Boards: triangular spaces, the wall lines between them, the tower spaces at their corners.

A board is data. `load_board` reads a description (JSON) and checks that it is sound, so the rest
of the engine may trust every `Board`. Pure Python: importing this loads no compiler.
"""

import hashlib
import json
import math
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, Final, NoReturn

from masons.engine.board.components import MAX_REGIONS
from masons.engine.errors import BoardError
from masons.engine.strict_json import NotANumberError, RepeatedKeyError, strict_json

MAX_SPACES: Final = 128
MAX_LINES: Final = 224
MAX_TOWERS: Final = 96  # tower spaces, not tower pieces
MAX_FILE_BYTES: Final = 1 << 20
MAX_COORDINATE: Final = 1000  # keeps nine decimals exact in a float
TOLERANCE: Final = 1e-6  # how far x and y may be off the lattice, in sides of a triangle
ROW: Final = math.sqrt(3) / 2  # from one row of tower spaces to the next

BOARD_KEYS: Final = ("name", "regions", "towers", "spaces", "lines")
TOWER_KEYS: Final = ("id", "x", "y", "shore")
SPACE_KEYS: Final = ("id", "region", "lines", "towers")
LINE_KEYS: Final = ("id", "spaces", "towers")

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")  # names stand as one word in positions
_BUILTIN = Path(__file__).with_name("boards")

# A corner of the lattice: (row, half column), counted from tower space 0.
_Cell = tuple[int, int]


@dataclass(frozen=True)
class Board:
    """A sound board. Make one with `load_board` or `Board.from_dict`, which check everything.

    Spaces, lines and tower spaces are numbered from 0 and are the indices of these tuples.
    """

    name: str
    regions: int
    tower_xy: tuple[tuple[float, float], ...]  # in sides of a triangle, y growing southwards
    tower_shore: tuple[bool, ...]
    space_region: tuple[int, ...]  # from 1
    space_lines: tuple[tuple[int, int, int], ...]  # ascending
    space_towers: tuple[tuple[int, int, int], ...]  # ascending
    line_spaces: tuple[tuple[int, int | None], ...]  # ascending, None last: the board's edge
    line_towers: tuple[tuple[int, int], ...]  # ascending

    @classmethod
    def from_dict(cls, description: object) -> "Board":
        """Board of a description as `json.loads` gives it. Raises BoardError naming the fault."""
        board, cells = _parse(description)
        _check_towers(cells)
        _check_lines(board, cells)
        _check_spaces(board, cells)
        _check_neighbours(board)
        _check_connected(board)
        _check_shore(board)
        return board

    def to_dict(self) -> dict[str, object]:
        """The description, ready for `json.dumps`; `from_dict` gives back an equal board."""
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

    def _repr_svg_(self) -> str:
        """A picture for notebooks: the empty board with its ids."""
        from masons.engine.board.board_svg import board_svg

        itself: Any = self  # types are checked by folder, where this class has another name
        return board_svg(itself, labels=True)

    def to_json(self) -> str:
        """The canonical text: one line, no blanks, no newline at the end.

        Keys stand in the order of the description, lists of ids ascend, and `null` comes last.
        `x` and `y` lie exactly on the lattice of tower space 0, are rounded to 9 decimals and
        written as Python writes a float: the shortest decimal that reads back as the same number,
        with a digit after the point (`0.0`, `0.5`, `0.866025404`). Reading the text and writing
        it again changes nothing.
        """
        return json.dumps(self.to_dict(), separators=(",", ":"))

    @cached_property
    def sha256(self) -> str:
        """Hash of the canonical text, 64 hexadecimal digits."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()


def builtin_boards() -> tuple[str, ...]:
    """Names of the boards that come with the engine, sorted."""
    return tuple(sorted(path.stem for path in _BUILTIN.glob("*.json")))


def load_board(name_or_path: str | Path) -> Board:
    """The built-in board of that name, else the board in that JSON file.

    Raises BoardError when there is no such board, or when the file is not a sound description.
    A file may not take the name of a built-in board for another board: records and positions
    know built-in boards by name alone.
    """
    if isinstance(name_or_path, str) and name_or_path in builtin_boards():
        return _load_builtin(name_or_path)
    board = _load_file(name_or_path)
    if board.name in builtin_boards() and board != _load_builtin(board.name):
        shown = _shown(str(name_or_path), 200)
        _fail(f"board file {shown}: {board.name!r} is a built-in board; give this one another name")
    return board


@cache
def _load_builtin(name: str) -> Board:
    return _load_file(_BUILTIN / f"{name}.json")


def _load_file(path: str | Path) -> Board:
    """Board in a file; the message of any BoardError begins with the file's name."""
    shown = _shown(str(path), 200)
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        known = ", ".join(builtin_boards())
        _fail(f"no board {shown}: it is neither a built-in board ({known}) nor a file")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        _fail(f"cannot read board file {shown}: {reason}; give a JSON file")
    if len(data) > MAX_FILE_BYTES:
        _fail(f"board file {shown} is too big: at most {MAX_FILE_BYTES} bytes are read")
    try:
        return Board.from_dict(_parse_json(data))
    except BoardError as error:
        raise BoardError(f"board file {shown}: {error}") from None


def _parse_json(data: bytes) -> object:
    """JSON value of a file's bytes, stricter than `json.loads`: no NaN, no key twice."""
    try:
        return strict_json(data.decode("utf-8-sig"))
    except RepeatedKeyError as error:
        key = _shown(error.key)
        _fail(f"the key {key} stands twice in one object; each key stands once")
    except NotANumberError as error:
        _fail(f"{error.name} is no JSON number; coordinates are finite decimals")
    except UnicodeDecodeError as error:
        _fail(f"not UTF-8 at byte {error.start}; a board is a JSON file in UTF-8")
    except json.JSONDecodeError as error:
        _fail(f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}")
    except RecursionError:
        _fail("nested too deeply; a board is one object of lists of objects")
    except ValueError:  # Python refuses to read whole numbers of thousands of digits
        _fail("a number has too many digits; ids and coordinates are small numbers")


# --- Reading a description: shapes, types and ranges -------------------------------------------


def _parse(description: object) -> tuple[Board, list[_Cell]]:
    """Board with every field of the right type and range, and where its tower spaces lie."""
    top = _object(description, "the board", BOARD_KEYS)
    name = top["name"]
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        wanted = "1 to 64 characters A-Z a-z 0-9 _ . -"
        _fail(f"the board's name must be {wanted}, not {_shown(name)}")
    regions = _whole(top["regions"], "the number of regions", 1, MAX_REGIONS)
    towers = _rows(top["towers"], "tower", TOWER_KEYS, MAX_TOWERS)
    spaces = _rows(top["spaces"], "space", SPACE_KEYS, MAX_SPACES)
    lines = _rows(top["lines"], "line", LINE_KEYS, MAX_LINES)

    n_towers, n_lines = len(towers), len(lines)
    cells, tower_xy = _snap([_point(row, f"tower {i}") for i, row in enumerate(towers)])
    board = Board(
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
    return board, cells


def _fail(message: str) -> NoReturn:
    raise BoardError(message)


def _shown(value: object, width: int = 40) -> str:
    """Short, one-line picture of any value, for messages."""
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


def _object(value: object, where: str, keys: tuple[str, ...]) -> dict[str, object]:
    listed = ", ".join(keys)
    if not isinstance(value, dict):
        _fail(f"{where} must be an object with the keys {listed}, not {_shown(value)}")
    for key in value:
        if key not in keys:
            _fail(f"{where} has the unknown key {_shown(key)}; its keys are {listed}")
    for key in keys:
        if key not in value:
            _fail(f"{where} lacks the key {key!r}; its keys are {listed}")
    return value


def _rows(value: object, kind: str, keys: tuple[str, ...], limit: int) -> list[dict[str, object]]:
    """The objects of one of the three lists, whose ids must be their places in it."""
    if not isinstance(value, list):
        _fail(f"the board's {kind}s must be a list, not {_shown(value)}")
    if not 1 <= len(value) <= limit:
        _fail(f"a board has 1 to {limit} {kind}s, not {len(value)}")
    rows = [_object(row, f"{kind} {i}", keys) for i, row in enumerate(value)]
    for i, row in enumerate(rows):
        if _whole(row["id"], f"{kind} {i}: id", 0, limit - 1) != i:
            _fail(f"{kind} {i} has the id {row['id']}; ids run 0, 1, 2, ... in list order")
    return rows


def _whole(value: object, where: str, low: int, high: int) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return value
    _fail(f"{where} must be a whole number from {low} to {high}, not {_shown(value)}")


def _flag(value: object, where: str) -> bool:
    if isinstance(value, bool):
        return value
    _fail(f"{where}: shore must be true or false, not {_shown(value)}")


def _point(row: dict[str, object], where: str) -> tuple[float, float]:
    x, y = (_coordinate(row[axis], f"{where}: {axis}") for axis in ("x", "y"))
    return x, y


def _coordinate(value: object, where: str) -> float:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if abs(number) <= MAX_COORDINATE:  # false for NaN; huge whole numbers never become floats
        return float(number)
    bound = f"a number from -{MAX_COORDINATE} to {MAX_COORDINATE}"
    _fail(f"{where} must be {bound}, not {_shown(value)}")


def _ids(value: object, where: str, count: int, bound: int) -> list[int]:
    """Exactly `count` different ids below `bound`, in the order given."""
    if not isinstance(value, list) or len(value) != count:
        _fail(f"{where} must be a list of {count}, not {_shown(value)}")
    ids = [_whole(item, f"{where}: each", 0, bound - 1) for item in value]
    if len(set(ids)) < count:
        _fail(f"{where} must be {count} different ids, not {ids}")
    return ids


def _three(value: object, where: str, bound: int) -> tuple[int, int, int]:
    a, b, c = sorted(_ids(value, where, 3, bound))
    return a, b, c


def _ends(value: object, where: str, bound: int) -> tuple[int, int]:
    a, b = _ids(value, where, 2, bound)
    if a > b:
        _fail(f"{where} must have the lower id first, [{b}, {a}], not [{a}, {b}]")
    return a, b


def _beside(value: object, where: str, bound: int) -> tuple[int, int | None]:
    if isinstance(value, list) and len(value) == 2 and value[1] is None:
        if value[0] is None:
            _fail(f"{where} must name at least one space; [4, null] is a line on the edge")
        return _whole(value[0], f"{where}: the first", 0, bound - 1), None
    if isinstance(value, list) and len(value) == 2 and value[0] is None:
        _fail(f"{where} must have null second, as in [4, null], not first")
    a, b = sorted(_ids(value, where, 2, bound))
    return a, b


# --- Checking the geometry ---------------------------------------------------------------------


def _snap(points: list[tuple[float, float]]) -> tuple[list[_Cell], tuple[tuple[float, float], ...]]:
    """Lattice corners of points, and these corners' exact coordinates to 9 decimals.

    The lattice is the one of point 0, its rows running west to east.
    """
    x0, y0 = (round(value, 9) + 0.0 for value in points[0])  # + 0.0 turns -0.0 into 0.0
    cells, exact = [], []
    for i, (x, y) in enumerate(points):
        row, half = round((y - y0) / ROW), round((x - x0) * 2)
        lattice_x, lattice_y = x0 + half / 2, y0 + row * ROW
        off = max(abs(x - lattice_x), abs(y - lattice_y)) > TOLERANCE
        if off or (row + half) % 2:
            _fail(
                f"tower {i} at ({x:.9g}, {y:.9g}) is off the lattice of tower 0: rows run west to"
                f" east {ROW:.9f} apart, towers in a row 1 apart, every other row shifted by 0.5"
            )
        cells.append((row, half))
        exact.append((round(lattice_x, 9) + 0.0, round(lattice_y, 9) + 0.0))
    return cells, tuple(exact)


def _adjacent(a: _Cell, b: _Cell) -> bool:
    return (abs(a[0] - b[0]), abs(a[1] - b[1])) in ((0, 2), (1, 1))


def _check_unique(kind: str, places: Iterable[object], where: str) -> None:
    seen: dict[object, int] = {}
    for i, place in enumerate(places):
        first = seen.setdefault(place, i)
        if first != i:
            _fail(f"{kind}s {first} and {i} {where}; every {kind} has a place of its own")


def _check_towers(cells: list[_Cell]) -> None:
    _check_unique("tower", cells, "stand at the same point")


def _check_lines(board: Board, cells: list[_Cell]) -> None:
    """Lines are different sides of length 1, and every tower space is the end of one."""
    for i, (a, b) in enumerate(board.line_towers):
        if not _adjacent(cells[a], cells[b]):
            _fail(f"line {i} joins towers {a} and {b}, which are not at distance 1")
    _check_unique("line", board.line_towers, "join the same two towers")
    used = {tower for ends in board.line_towers for tower in ends}
    for tower in range(len(cells)):
        if tower not in used:
            _fail(f"tower {tower} is at the end of no line; every tower is a corner of a space")


def _check_spaces(board: Board, cells: list[_Cell]) -> None:
    """Spaces are different triangles of side 1, and their lines are the three sides."""
    for i, (lines, towers) in enumerate(zip(board.space_lines, board.space_towers, strict=True)):
        corners = list(towers)
        sides = list(combinations(towers, 2))
        if not all(_adjacent(cells[a], cells[b]) for a, b in sides):
            _fail(f"space {i}: towers {corners} are not the corners of a triangle of side 1")
        if {board.line_towers[line] for line in lines} != set(sides):
            _fail(f"space {i}: lines {list(lines)} are not the sides between its towers {corners}")
    _check_unique("space", board.space_towers, "are the same triangle")


def _check_neighbours(board: Board) -> None:
    """A line names exactly the spaces that name it."""
    beside: list[list[int | None]] = [[] for _ in board.line_towers]
    for space, lines in enumerate(board.space_lines):
        for line in lines:
            beside[line].append(space)
    for line, (found, named) in enumerate(zip(beside, board.line_spaces, strict=True)):
        wanted = [*found, None][:2]
        if list(named) != wanted:
            if not found:
                _fail(f"line {line} is a side of no space; every line is")
            shown, right = (json.dumps(pair) for pair in (named, wanted))
            _fail(f"line {line}: spaces are {shown}, but the spaces with that line are {right}")


def _check_connected(board: Board) -> None:
    """The board hangs together through its lines, and so does each region."""
    every = range(len(board.space_region))
    reached = _reach(board, every)
    if len(reached) < len(every):
        lost = min(set(every) - reached)
        _fail(f"space {lost} is not connected with space 0 through lines; a board is one piece")
    for region in range(1, board.regions + 1):
        members = [space for space in every if board.space_region[space] == region]
        if not members:
            _fail(f"region {region} has no space; regions 1 to {board.regions} each have one")
        reached = _reach(board, members)
        if len(reached) < len(members):
            lost = min(set(members) - reached)
            _fail(
                f"region {region} is not connected: no way through lines from space {members[0]}"
                f" to space {lost} inside it"
            )


def _reach(board: Board, allowed: Collection[int]) -> set[int]:
    """Spaces reached through lines from the first allowed one, by way of allowed ones only."""
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


def _check_shore(board: Board) -> None:
    edge = {
        tower
        for beside, ends in zip(board.line_spaces, board.line_towers, strict=True)
        if beside[1] is None
        for tower in ends
    }
    for tower, shore in enumerate(board.tower_shore):
        if shore and tower not in edge:
            _fail(f"tower {tower} is on the shore but not on the board's edge; shore is there only")
