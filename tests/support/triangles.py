"""Boards of triangles: their corners, their neighbors, and their descriptions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

ROW = math.sqrt(3) / 2

# A triangle is (strip, position): it reaches from half column `position` to `position` + 2, and
# points north where strip + position is even. A corner is (row, half column), of an odd sum.
Triangle = tuple[int, int]
Corner = tuple[int, int]
Description = dict[str, Any]


def corners(triangle: Triangle) -> list[Corner]:
    """Return the corners of a triangle."""
    strip, at = triangle
    if (strip + at) % 2 == 0:
        return [(strip, at + 1), (strip + 1, at), (strip + 1, at + 2)]
    return [(strip, at), (strip, at + 2), (strip + 1, at + 1)]


def describe(name: str, region_of: Mapping[Triangle, int]) -> Description:
    """Return the description of a board of triangles, numbered by the rule of the classic board.

    `region_of` has the region of each triangle. Water lies at every edge that does not run west to
    east; the first row lies at y = 0.
    """
    spaces = sorted(region_of)
    points = sorted({corner for space in spaces for corner in corners(space)})
    number = {corner: i for i, corner in enumerate(points)}
    spaces_of: dict[tuple[int, ...], list[int]] = {}
    for i, space in enumerate(spaces):
        for side in combinations(sorted(number[corner] for corner in corners(space)), 2):
            spaces_of.setdefault(side, []).append(i)
    lines = sorted(spaces_of)
    edges = [line for line in lines if len(spaces_of[line]) == 1]
    shore = {end for a, b in edges if points[a][0] != points[b][0] for end in (a, b)}
    towers_of = [sorted(number[corner] for corner in corners(space)) for space in spaces]
    return {
        "name": name,
        "regions": max(region_of.values()),
        "towers": [
            {"id": i, "x": half / 2, "y": round((row - points[0][0]) * ROW, 9), "shore": i in shore}
            for i, (row, half) in enumerate(points)
        ],
        "spaces": [
            {
                "id": i,
                "region": region_of[space],
                "lines": sorted(lines.index(side) for side in combinations(towers_of[i], 2)),
                "towers": towers_of[i],
            }
            for i, space in enumerate(spaces)
        ],
        "lines": [
            {"id": i, "spaces": [*spaces_of[line], None][:2], "towers": list(line)}
            for i, line in enumerate(lines)
        ],
    }


def beside(triangle: Triangle) -> list[Triangle]:
    """Return the triangles that share a side with a triangle."""
    strip, place = triangle
    other = strip + 1 if (strip + place) % 2 == 0 else strip - 1
    return [(strip, place - 1), (strip, place + 1), (other, place)]
