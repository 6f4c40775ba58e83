"""The description of the board `classic`, built by its numbering rules (rules, section 2)."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from typing import Any

ROWS = (7, 8, 7, 8, 7, 8, 7, 8, 7)
"""Tower spaces in each row, from the north."""
REGION_1 = (4, 5, 4, 5, 4, 4, 5, 4)
"""How many spaces of each strip, from its west end, belong to region 1."""
REGION_3 = (5, 4, 4, 4, 5, 4, 4, 5)
"""How many spaces of each strip, up to its east end, belong to region 3."""


def classic_board() -> dict[str, Any]:
    """The board description of `classic`, every list of ids ascending."""
    places = [
        (row, west + (0.5 if size == 7 else 0.0), west in (0, size - 1))
        for row, size in enumerate(ROWS)
        for west in range(size)
    ]

    def side_by_side(one: int, other: int) -> bool:
        """Whether the two tower spaces are the length of one side apart."""
        rows = abs(places[one][0] - places[other][0])
        return abs(places[one][1] - places[other][1]) == {0: 1.0, 1: 0.5}.get(rows)

    lines = [pair for pair in combinations(range(len(places)), 2) if side_by_side(*pair)]
    triangles = _triangles(places, lines)
    return {
        "name": "classic",
        "regions": 3,
        "towers": [
            {"id": i, "x": x, "y": row * sqrt(3) / 2, "shore": shore}
            for i, (row, x, shore) in enumerate(places)
        ],
        "spaces": [
            {
                "id": i,
                "region": _region(*divmod(i, 13)),
                "lines": [lines.index(side) for side in combinations(corners, 2)],
                "towers": list(corners),
            }
            for i, corners in enumerate(triangles)
        ],
        "lines": [
            {"id": i, "spaces": _beside(line, triangles), "towers": list(line)}
            for i, line in enumerate(lines)
        ],
    }


def _triangles(
    places: list[tuple[int, float, bool]], lines: list[tuple[int, int]]
) -> list[tuple[int, int, int]]:
    """The corners of every space, strip by strip from the north, west to east."""
    sides = set(lines)
    corners = [
        (a, b, c)
        for a, b in lines
        for c in range(b + 1, len(places))
        if (a, c) in sides and (b, c) in sides
    ]
    return sorted(
        corners, key=lambda three: (places[three[0]][0], sum(places[i][1] for i in three))
    )


def _region(strip: int, west: int) -> int:
    """The region of the space that has `west` spaces of its strip west of it."""
    if west < REGION_1[strip]:
        return 1
    return 3 if 13 - west <= REGION_3[strip] else 2


def _beside(line: tuple[int, int], triangles: list[tuple[int, int, int]]) -> list[int | None]:
    """The two spaces beside a line, the second None on the edge of the board."""
    spaces: list[int | None] = [i for i, corners in enumerate(triangles) if {*line} <= {*corners}]
    return spaces if len(spaces) == 2 else [*spaces, None]
