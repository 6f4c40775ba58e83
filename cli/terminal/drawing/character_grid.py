"""Where a board's towers, lines and spaces lie on a grid of characters.

A side of a triangle is `ACROSS` columns wide; a strip of triangles is 4 rows high in the large
drawing and 2 in the small one. Pure Python; places are (row, column), from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from masons.engine.board.board_description import ROW
from masons.engine.board.geometry import Board

ACROSS: Final = 8
STRIPS: Final = {"large": 4, "small": 2}  # rows to a strip
MARGINS: Final = {"large": 4, "small": 2}  # columns for the water beside the board

Cell = tuple[int, int]
Run = tuple[int, int, int]  # row, first and last column


@dataclass(frozen=True)
class Plan:
    """A board on the grid."""

    width: int
    height: int
    towers: tuple[Cell, ...]  # the middle of three columns
    lines: tuple[tuple[Cell, ...], ...]  # what a wall covers between its two towers
    spaces: tuple[tuple[Run, ...], ...]  # inside the lines, widest row first
    water: frozenset[Cell]

    def middle(self, line: int) -> Cell:
        """The cell in the middle of a line, where a label is centred."""
        cells = self.lines[line]
        return cells[len(cells) // 2]

    def is_level(self, line: int) -> bool:
        """Whether a line runs from west to east."""
        return len({row for row, _ in self.lines[line]}) == 1 and len(self.lines[line]) > 3


def plan_board(board: Board, size: str) -> Plan:
    """A board's places at a size: `large` or `small`."""
    high, margin = STRIPS[size], MARGINS[size]
    west, north = (min(xy[axis] for xy in board.tower_xy) for axis in (0, 1))
    towers = tuple(
        (round((y - north) / ROW) * high, margin + round((x - west) * ACROSS))
        for x, y in board.tower_xy
    )
    width = max(column for _, column in towers) + margin + 1
    return Plan(
        width=width,
        height=max(row for row, _ in towers) + 1,
        towers=towers,
        lines=tuple(_line(towers[a], towers[b], high) for a, b in board.line_towers),
        spaces=tuple(_space([towers[t] for t in ends], high) for ends in board.space_towers),
        water=frozenset(
            (row, column)
            for row, column in _water(board, towers, high, margin)
            if 0 <= column < width
        ),
    )


def _line(first: Cell, second: Cell, high: int) -> tuple[Cell, ...]:
    (row, column), (row_2, column_2) = sorted((first, second))
    if row == row_2:
        return tuple((row, at) for at in range(column + 2, column_2 - 1))
    slant = (column_2 - column) // high
    return tuple((row + k, column + k * slant) for k in range(1, high))


def _space(corners: list[Cell], high: int) -> tuple[Run, ...]:
    rows = [row for row, _ in corners]
    row, apex = next(cell for cell in corners if rows.count(cell[0]) == 1)
    down = 1 if row == min(rows) else -1
    half = ACROSS // 2 // high
    return tuple(
        (row + down * k, apex - half * k + 1, apex + half * k - 1) for k in range(high - 1, 0, -1)
    )


def _water(board: Board, towers: tuple[Cell, ...], high: int, margin: int) -> list[Cell]:
    """West and east of the shore: beside its towers, and beside the edge between two of them."""
    cells = []
    reach = margin + ACROSS // 2 + 1
    ends = {end for pair in board.line_towers for end in ((*pair,), (*pair[::-1],))}
    level = {(a, b) for a, b in ends if towers[a][0] == towers[b][0]}
    for tower, (row, column) in enumerate(towers):
        if board.tower_shore[tower]:
            near = {towers[b][1] - column for a, b in level if a == tower}
            for side in (-1, 1):
                if side * ACROSS not in near:
                    cells += [(row, column + side * away) for away in range(2, reach)]
    for line, (space, other) in enumerate(board.line_spaces):
        a, b = board.line_towers[line]
        if other is None and board.tower_shore[a] and board.tower_shore[b]:
            third = next(t for t in board.space_towers[space] if t not in (a, b))
            slant = _line(towers[a], towers[b], high)
            if towers[a][0] != towers[b][0]:
                side = 1 if 2 * towers[third][1] < towers[a][1] + towers[b][1] else -1
                cells += [
                    (row, col + side * away) for row, col in slant for away in range(1, reach)
                ]
    return cells
