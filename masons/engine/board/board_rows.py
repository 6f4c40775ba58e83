"""Boards typed as rows: a drawing of tower spaces and spaces that defines the whole board.

    board small
     ~ o ~
     11222
    ~ o o ~
     11222
     ~ o ~

After the line with the name, rows of tower spaces (`o`, or `~` on the shore) alternate with strips
of spaces. A space is written as the digit of its region, in the column of its tip, the tower space
that is alone in its row. A blank or a dot means that there is nothing in this place. Lines of the
text that begin with `#` are comments. The ids of spaces and tower spaces ascend row by row from
north to south, and from west to east in a row, as on the board `classic`. The lines of the board
are numbered in the order of the tower spaces at their ends.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import Final

from masons.engine.board.board_description import ROW, BoardFields, fail, shown
from masons.engine.errors import BoardError

HEADER: Final = "board"
_NOTHING: Final = " ."
_TOWER: Final = "o"
_SHORE: Final = "~"
_REGIONS: Final = "123"
_NAMED: Final = re.compile(r"\b(space|tower) (\d+)\b")

Place = tuple[int, int]  # line and column of the text, counted from 1
Corner = tuple[int, int]  # row of tower spaces and column, counted from 0


class Rows:
    """A board read from rows.

    The constructor raises BoardError with the line and column of the first fault.
    """

    def __init__(self, text: str) -> None:
        self.name = ""
        self.towers: dict[Corner, bool] = {}  # in reading order; True on the shore
        self.spaces: list[tuple[int, tuple[Corner, ...]]] = []  # region and corners
        self.tower_places: list[Place] = []
        self.space_places: list[Place] = []
        self._lines: list[int] = []  # line numbers of the rows of tower spaces
        self._strips: list[tuple[int, str]] = []
        self._read(text)
        self._check_rows()
        for row, (line, strip) in enumerate(self._strips):
            self._add_spaces(row, line, strip)
        self._check_used()

    def description(self) -> dict[str, object]:
        """Return the board's description in the form that `Board.from_dict` reads."""
        number = {corner: at for at, corner in enumerate(self.towers)}
        corners = [sorted(number[corner] for corner in ends) for _, ends in self.spaces]
        beside: dict[tuple[int, ...], list[int]] = {}
        for space, ends in enumerate(corners):
            for side in combinations(ends, 2):
                beside.setdefault(side, []).append(space)
        lines = {side: at for at, side in enumerate(sorted(beside))}
        return {
            "name": self.name,
            "regions": max((region for region, _ in self.spaces), default=1),
            "towers": [
                {"id": at, "x": column / 2, "y": round(row * ROW, 9), "shore": shore}
                for at, ((row, column), shore) in enumerate(self.towers.items())
            ],
            "spaces": [
                {
                    "id": at,
                    "region": self.spaces[at][0],
                    "lines": [lines[side] for side in combinations(ends, 2)],
                    "towers": ends,
                }
                for at, ends in enumerate(corners)
            ],
            "lines": [
                {"id": at, "spaces": [*beside[side], None][:2], "towers": list(side)}
                for side, at in lines.items()
            ],
        }

    def placed(self, message: str) -> str:
        """Return a message with line and column added after each space or tower that it names."""

        def place(match: re.Match[str]) -> str:
            places = self.space_places if match[1] == "space" else self.tower_places
            number = int(match[2])
            where = _where(places[number]) if number < len(places) else "nowhere"
            return f"{match[0]} ({where})"

        return _NAMED.sub(place, message)

    def _read(self, text: str) -> None:
        for line, content in enumerate(text.splitlines(), 1):
            content = content.rstrip()
            if not content or content.lstrip().startswith("#"):
                continue
            if not self.name:
                self.name = _named(line, content)
                continue
            for column, sign in enumerate(content, 1):
                if sign not in f"{_NOTHING}{_TOWER}{_SHORE}{_REGIONS}":
                    fail(
                        f"{_where((line, column))}: {shown(sign)} is not a sign of a board: write o"
                        " for a tower space, ~ for one on the shore, 1, 2 or 3 for a space of that"
                        " region"
                    )
            is_row = any(sign in content for sign in (_TOWER, _SHORE))
            if is_row and any(sign in content for sign in _REGIONS):
                fail(f"line {line}: tower spaces and spaces stand in lines of their own")
            if is_row != (len(self._lines) == len(self._strips)):
                wanted = "spaces (1, 2, 3)" if is_row else "tower spaces (o, ~)"
                fail(f"line {line}: {wanted} are due here: rows and strips alternate")
            if is_row:
                self._add_row(line, content)
            else:
                self._strips.append((line, content))

    def _add_row(self, line: int, content: str) -> None:
        for column, sign in enumerate(content):
            if sign not in _NOTHING:
                self.towers[len(self._lines), column] = sign == _SHORE
                self.tower_places.append((line, column + 1))
        self._lines.append(line)

    def _check_rows(self) -> None:
        """Check that rows and strips alternate, and that tower spaces stand in possible columns."""
        if not self.name:
            fail(f"the first line must be {HEADER} and the board's name: {HEADER} my-board")
        if len(self._lines) < 2 or len(self._lines) != len(self._strips) + 1:
            fail("a board begins and ends with a row of tower spaces (o, ~)")
        first = sum(next(iter(self.towers))) % 2
        for (row, column), (line, at) in zip(self.towers, self.tower_places, strict=True):
            if (row + column) % 2 != first:
                fail(
                    f"{_where((line, at))}: no tower space can stand in this column: in a row they"
                    " stand two columns apart, and each row one column beside the row before"
                )
        self._first = first

    def _add_spaces(self, row: int, line: int, strip: str) -> None:
        for column, sign in enumerate(strip):
            if sign in _NOTHING:
                continue
            upwards = (row + column) % 2 == self._first
            tip, base = (row, row + 1) if upwards else (row + 1, row)
            corners = ((tip, column), (base, column - 1), (base, column + 1))
            for corner in corners:
                if corner not in self.towers:
                    at = (self._lines[corner[0]], corner[1] + 1)
                    where = _where(at) if at[1] > 0 else f"line {at[0]}, before the first column"
                    fail(f"{_where((line, column + 1))}: this space needs a tower space at {where}")
            self.spaces.append((int(sign), tuple(sorted(corners))))
            self.space_places.append((line, column + 1))

    def _check_used(self) -> None:
        used = {corner for _, corners in self.spaces for corner in corners}
        for corner, place in zip(self.towers, self.tower_places, strict=True):
            if corner not in used:
                fail(f"{_where(place)}: no space touches this tower space")


def _where(place: Place) -> str:
    return f"line {place[0]}, column {place[1]}"


def _named(line: int, content: str) -> str:
    words = content.split()
    if len(words) != 2 or words[0] != HEADER:
        fail(f"line {line}: {HEADER} and the board's name must stand here: {HEADER} my-board")
    return words[1]


def is_rows(text: str) -> bool:
    """Return whether a text is a board typed as rows, and not JSON."""
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            return line.split()[0] == HEADER
    return False


def format_rows(board: BoardFields) -> str:
    """Return a board as rows. Raises BoardError if the ids do not follow the order of the rows."""
    west, north = (min(xy[axis] for xy in board.tower_xy) for axis in (0, 1))
    corners = [(round((y - north) / ROW), round(2 * (x - west))) for x, y in board.tower_xy]
    height = max(row for row, _ in corners) + 1
    width = max(column for _, column in corners) + 1
    lines = [[" "] * width for _ in range(2 * height - 1)]
    for (row, column), shore in zip(corners, board.tower_shore, strict=True):
        lines[2 * row][column] = _SHORE if shore else _TOWER
    for region, towers in zip(board.space_region, board.space_towers, strict=True):
        ends = [corners[tower] for tower in towers]
        tip = sorted(column for _, column in ends)[1]  # the column between the two other columns
        lines[2 * min(row for row, _ in ends) + 1][tip] = str(region)
    text = "\n".join([f"{HEADER} {board.name}", *("".join(line).rstrip() for line in lines), ""])
    rows = Rows(text)
    is_same = _numbered(rows.description()) == _numbered(board.to_dict())
    if list(rows.towers) != corners or not is_same:
        raise BoardError(f"the numbers of {board.name} do not follow its rows: use --json")
    return text


def _numbered(description: dict[str, object]) -> dict[str, object]:
    """Return a description without the coordinates of its tower spaces."""
    towers = description["towers"]
    assert isinstance(towers, list)
    return {**description, "towers": [tower["shore"] for tower in towers]}
