"""The pieces on the board, and what happens to them (rules, section 4)."""

from __future__ import annotations

from tests.support.reference.board import Board
from tests.support.reference.material import (
    HOUSE_COLORS,
    HOUSES_PER_COLOR,
    PALACES_PER_COLOR,
    TOWER_COLORS,
    TOWERS_PER_COLOR,
    WALLS,
)

City = frozenset[int]
"""A completed city, by its spaces."""


class Position:
    """What lies on the board. A supply is what the board has not got, counted each time."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.walls: set[int] = set()
        self.towers: dict[int, str] = {}
        self.houses: list[tuple[int, str]] = []
        self.palaces: list[tuple[int, str]] = []
        self.cities: list[City] = []
        """Ascending by lowest space; found anew after every change of walls."""

    # ---- supplies (rules, section 1)

    def walls_left(self) -> int:
        """Walls in supply."""
        return WALLS - len(self.walls)

    def towers_left(self) -> dict[str, int]:
        """Towers in supply, by colour."""
        placed = list(self.towers.values())
        return {color: TOWERS_PER_COLOR - placed.count(color) for color in TOWER_COLORS}

    def houses_left(self) -> dict[str, int]:
        """Houses in supply, by colour."""
        placed = [color for _, color in self.houses]
        return {color: HOUSES_PER_COLOR - placed.count(color) for color in HOUSE_COLORS}

    def palaces_left(self) -> dict[str, int]:
        """Palaces in supply, by colour."""
        placed = [color for _, color in self.palaces]
        return {color: PALACES_PER_COLOR - placed.count(color) for color in HOUSE_COLORS}

    # ---- cities

    def city_of(self, space: int) -> City | None:
        """The completed city that the space belongs to, if any."""
        return next((city for city in self.cities if space in city), None)

    def place_wall(self, line: int) -> City | None:
        """Put a wall down; the city that it completes, if any, with its inside not yet cleared."""
        before = self.cities
        self.walls.add(line)
        self.cities = find_cities(self.board, self.walls)
        new = [city for city in self.cities if city not in before]
        assert len(new) <= 1, "rules, section 4: one wall completes at most one city"
        assert len(self.cities) == len(before) + len(new), "a wall cannot undo a city"
        return new[0] if new else None

    def clear_inside(self, city: City) -> tuple[list[int], list[int]]:
        """Take back the walls and towers inside a completed city; their ids, ascending."""
        walls = [
            line
            for line in sorted(self.walls)
            if len(self.board.line_spaces[line]) == 2
            and all(space in city for space in self.board.line_spaces[line])
        ]
        self.walls.difference_update(walls)
        return walls, self._clear_towers(city)

    def _clear_towers(self, city: City) -> list[int]:
        """Take back every tower in the city none of whose lines carries a wall any more."""
        towers = [
            tower
            for tower in sorted(self.towers)
            if not any(line in self.walls for line in self.board.tower_lines[tower])
            and self.board.tower_spaces[tower] <= city
        ]
        for tower in towers:
            del self.towers[tower]
        return towers

    def walls_between(self, one: City, other: City) -> list[int]:
        """The walls that two cities share, ascending."""
        return [
            line
            for line in sorted(self.walls)
            if any(space in one for space in self.board.line_spaces[line])
            and any(space in other for space in self.board.line_spaces[line])
        ]

    def mergeable(self, city: City) -> list[City]:
        """The completed cities that share at least one wall with the city."""
        return [other for other in self.cities if other != city and self.walls_between(city, other)]

    def merge(self, city: City, other: City) -> tuple[City, list[int], list[int]]:
        """Make two cities one: the new city, and the walls and towers that go back."""
        walls = self.walls_between(city, other)
        self.walls.difference_update(walls)
        merged = city | other
        towers = self._clear_towers(merged)
        self.cities = find_cities(self.board, self.walls)
        assert merged in self.cities, "what two cities leave when merged is a city"
        return merged, walls, towers

    def build_palaces(self, city: City) -> dict[str, int]:
        """Make palaces of the pairs of houses in a city; how many of each colour, if any.

        Where a house or palace stands inside a city does not matter (rules, section 4): the
        first two houses found go, and the palace stands on the lowest space.
        """
        built: dict[str, int] = {}
        for color in HOUSE_COLORS:
            houses = [house for house in self.houses if house[0] in city and house[1] == color]
            while len(houses) >= 2 and self.palaces_left()[color] > 0:
                self.houses.remove(houses.pop())
                self.houses.remove(houses.pop())
                self.palaces.append((min(city), color))
                built[color] = built.get(color, 0) + 1
        return built


def find_cities(board: Board, walls: set[int]) -> list[City]:
    """Every set of spaces, connected through unwalled lines, that walls close off altogether.

    Ascending by lowest space. The board's edge closes nothing: it needs walls too.
    """
    cities = []
    seen: set[int] = set()
    for start in range(len(board.region)):
        if start in seen:
            continue
        seen.add(start)
        area, closed = [start], True
        for space in area:
            for line, other in board.neighbors[space]:
                if line in walls:
                    continue
                if other is None:
                    closed = False
                elif other not in seen:
                    seen.add(other)
                    area.append(other)
        if closed:
            cities.append(frozenset(area))
    return cities


def holes(board: Board, city: City, cities: list[City]) -> list[City]:
    """Those of the cities that lie inside the city: every way to the board's edge crosses it."""
    area = [
        space
        for space, lines in enumerate(board.neighbors)
        if space not in city and any(other is None for _, other in lines)
    ]
    reached = set(area)
    for space in area:
        for _, other in board.neighbors[space]:
            if other is not None and other not in city and other not in reached:
                reached.add(other)
                area.append(other)
    return [hole for hole in cities if hole != city and not hole & reached]
