"""Whether what a board's description says fits together: places, neighbours, one piece, shore."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from itertools import combinations
from typing import TYPE_CHECKING

from masons.engine.board.board_description import Cell, fail

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board


def check_geometry(board: Board, cells: list[Cell]) -> None:
    """Raise BoardError naming the first fault; `cells`: where the tower spaces lie."""
    _check_towers(cells)
    _check_lines(board, cells)
    _check_spaces(board, cells)
    _check_neighbours(board)
    _check_connected(board)
    _check_shore(board)


def _adjacent(a: Cell, b: Cell) -> bool:
    return (abs(a[0] - b[0]), abs(a[1] - b[1])) in ((0, 2), (1, 1))


def _check_unique(kind: str, places: Iterable[object], where: str) -> None:
    found: dict[object, int] = {}
    for i, place in enumerate(places):
        first = found.setdefault(place, i)
        if first != i:
            fail(f"{kind}s {first} and {i} {where}; every {kind} has a place of its own")


def _check_towers(cells: list[Cell]) -> None:
    _check_unique("tower", cells, "stand at the same point")


def _check_lines(board: Board, cells: list[Cell]) -> None:
    """Lines are different sides of length 1, and every tower space is the end of one."""
    for i, (a, b) in enumerate(board.line_towers):
        if not _adjacent(cells[a], cells[b]):
            fail(f"line {i} joins towers {a} and {b}, which are not at distance 1")
    _check_unique("line", board.line_towers, "join the same two towers")
    used = {tower for ends in board.line_towers for tower in ends}
    for tower in range(len(cells)):
        if tower not in used:
            fail(f"tower {tower} is at the end of no line; every tower is a corner of a space")


def _check_spaces(board: Board, cells: list[Cell]) -> None:
    """Spaces are different triangles of side 1, and their lines are the three sides."""
    for i, (lines, towers) in enumerate(zip(board.space_lines, board.space_towers, strict=True)):
        corners = list(towers)
        sides = list(combinations(towers, 2))
        if not all(_adjacent(cells[a], cells[b]) for a, b in sides):
            fail(f"space {i}: towers {corners} are not the corners of a triangle of side 1")
        if {board.line_towers[line] for line in lines} != set(sides):
            fail(f"space {i}: lines {list(lines)} are not the sides between its towers {corners}")
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
                fail(f"line {line} is a side of no space; every line is")
            given, right = (json.dumps(pair) for pair in (named, wanted))
            fail(f"line {line}: spaces are {given}, but the spaces with that line are {right}")


def _check_connected(board: Board) -> None:
    """The board hangs together through its lines, and so does each region."""
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
            fail(f"tower {tower} is on the shore but not on the board's edge; shore is there only")
