"""The areas that walls enclose, in plain Python: flood fill over all spaces.

`areas` does the same for the kernels, for one area at a time.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from masons.engine.board.geometry import Board
from masons.engine.state.position import Position

BUILDING_PHASES: Final = ("roll", "towers", "houses")
"""The phases of a turn whose wall stands, but whose city is not completed yet."""


def enclosed_areas(board: Board, walls: Collection[int]) -> tuple[frozenset[int], ...]:
    """The areas that walls cut off from the board's edge, by their lowest space."""
    areas = []
    done: set[int] = set()
    for start in range(len(board.space_lines)):
        if start in done:
            continue
        area, todo, closed = {start}, [start], True
        while todo:
            space = todo.pop()
            for line in board.space_lines[space]:
                if line in walls:
                    continue
                first, second = board.line_spaces[line]
                beside = second if first == space else first
                if beside is None:
                    closed = False
                elif beside not in area:
                    area.add(beside)
                    todo.append(beside)
        done |= area
        if closed:
            areas.append(frozenset(area))
    return tuple(areas)


def standing_cities(board: Board, position: Position) -> tuple[frozenset[int], ...]:
    """The completed cities of a position: what this turn's wall encloses is not one yet."""
    walls = set(position.walls)
    if position.phase in BUILDING_PHASES and position.line is not None:
        walls.discard(position.line)
    return enclosed_areas(board, walls)
