"""What each of the 30 cards scores (rules, section 6)."""

from __future__ import annotations

from tests.support.reference.material import HOUSE_COLORS, TOWER_COLORS
from tests.support.reference.position import City, Position


def card_values(position: Position, city: City | None) -> dict[str, int]:
    """The points of every card, by name, with `city` as the just-completed city.

    Without a city (rules, section 7: a final scoring with no city on the board) the `city-...`
    cards score 0 and the others as usual.
    """
    return {**_city_values(position, city or frozenset()), **_other_values(position)}


def _border(position: Position, city: City) -> set[int]:
    """The walls on the border of a city, inner borders included."""
    return {
        line
        for line in position.walls
        if any(space in city for space in position.board.line_spaces[line])
    }


def _ends(position: Position, walls: set[int]) -> set[int]:
    """The tower spaces with a tower at the ends of walls."""
    ends = {tower for line in walls for tower in position.board.line_towers[line]}
    return ends & position.towers.keys()


def _city_values(position: Position, city: City) -> dict[str, int]:
    """The cards that look at the just-completed city."""
    houses = [color for space, color in position.houses if space in city]
    palaces = [color for space, color in position.palaces if space in city]
    towers = [position.towers[tower] for tower in _ends(position, _border(position, city))]
    colors = len(set(houses + palaces))
    values = {
        "city-size-1": 6 if len(city) == 1 else 0,
        "city-size-2": 7 if len(city) == 2 else 0,
        "city-size-3": 8 if len(city) == 3 else 0,
        "city-size-7": 9 if len(city) >= 7 else 0,
        "city-colors": 7 if colors >= 4 else 4 if colors >= 2 else 0,
        "city-palaces": len(palaces),
        "city-towers": len(towers),
    }
    for color in TOWER_COLORS:
        values[f"city-towers-{color}"] = 2 * towers.count(color)
    for color in HOUSE_COLORS:
        values[f"city-{color}"] = 3 * palaces.count(color) + houses.count(color)
    return values


def _other_values(position: Position) -> dict[str, int]:
    """The cards that look at what belongs to no completed city, and `cities`."""
    board = position.board
    owned = {space for city in position.cities for space in city}
    border = {line for city in position.cities for line in _border(position, city)}
    walls = position.walls - border
    towers = position.towers.keys() - _ends(position, border)
    houses = [(space, color) for space, color in position.houses if space not in owned]

    values = {
        "land-towers": len(towers),
        "land-shore": 2 * sum(board.shore[tower] for tower in towers),
        "land-walls": len(walls),
        "cities": len(position.cities),
    }
    for color in HOUSE_COLORS:
        values[f"land-{color}"] = sum(house == color for _, house in houses)
    for region in (1, 2, 3):
        values[f"land-region-{region}"] = sum(board.region[space] == region for space, _ in houses)
    for color in TOWER_COLORS:
        values[f"land-towers-{color}"] = 2 * sum(position.towers[t] == color for t in towers)
    return values
