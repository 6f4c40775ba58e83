"""A board, read from its description (rules, section 2)."""

from __future__ import annotations

from typing import Any


class Board:
    """Spaces, wall lines and tower spaces, and what touches what.

    Lists are indexed by id. `line_spaces[l]` holds the one or two spaces beside line l;
    `neighbors[s]` holds, for each line of space s, the line and the space across it (None where
    the line is on the edge of the board).
    """

    def __init__(self, description: dict[str, Any]) -> None:
        self.name: str = description["name"]
        self.line_spaces: list[list[int]] = [
            [space for space in line["spaces"] if space is not None]
            for line in description["lines"]
        ]
        self.line_towers: list[list[int]] = [line["towers"] for line in description["lines"]]
        self.region: list[int] = [space["region"] for space in description["spaces"]]
        self.shore: list[bool] = [tower["shore"] for tower in description["towers"]]

        self.neighbors: list[list[tuple[int, int | None]]] = [[] for _ in self.region]
        self.tower_lines: list[list[int]] = [[] for _ in self.shore]
        self.tower_spaces: list[set[int]] = [set() for _ in self.shore]
        for line, spaces in enumerate(self.line_spaces):
            for space in spaces:
                across = [other for other in spaces if other != space]
                self.neighbors[space].append((line, across[0] if across else None))
            for tower in self.line_towers[line]:
                self.tower_lines[tower].append(line)
                self.tower_spaces[tower].update(spaces)
