"""The card reference, which tells what each guild card counts and how many points it scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from masons.engine.board.components import (
    CARD_MEANINGS,
    CARD_NAMES,
    CARDS,
    HOUSE_COLORS,
    TOWER_COLORS,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from masons.engine.board.geometry import Board
    from masons.engine.state.position import Position
    from masons.words.scored_view import ScoredView

CARD_TEXTS: Final = {
    f"{part}.{card}": text
    for part, texts in (("card", CARD_NAMES), ("means", CARD_MEANINGS))
    for card, text in texts.items()
}
"""The English names and meanings of the cards, by the keys of the page's texts."""

Counts = list[tuple[str, int]]
"""The things that a card counts, each with its number, such as `("tower-white", 3)`."""


def card_sheet(scored: ScoredView, city: int | None) -> dict[str, Any]:
    """Return the `cards` message, with the points and the counts of every card.

    City cards count one city. `city` is the lowest space of this city. If `city` is None or there
    is no such city, city cards count the city that is being scored, or else the first city.
    """
    position = scored.view
    roots = sorted(min(each) for each in position.cities)
    if city not in roots:
        city = position.city if position.city in roots else next(iter(roots), None)
    counts = counted(scored.table.board, position, city)
    points = scored.card_points(city)
    return {
        "type": "cards",
        "city": city,
        "cities": roots,
        "cards": [
            {
                "card": card,
                "points": points[kind],
                "counts": counts[card],
                "played": position.discard.count(kind),
            }
            for kind, card in enumerate(CARDS)
        ],
    }


def counted(board: Board, position: Position, city: int | None) -> dict[str, Counts]:
    """Return the things that each card counts in a position, by the name of the card.

    City cards count the city whose lowest space is `city`, or nothing if `city` is None.
    """
    inside = {space for each in position.cities for space in each}
    walled = _corners(board, inside)
    land = [color for place, color in position.towers.items() if place not in walled]
    shore = [p for p in position.towers if p not in walled and board.tower_shore[p]]
    walls = [line for line in position.walls if inside.isdisjoint(board.line_spaces[line])]
    houses = {space: each for space, each in position.houses.items() if space not in inside}
    counts = _city_counts(board, position, city)
    for color, name in enumerate(HOUSE_COLORS):
        counts[f"land-{name}"] = [(f"house-{name}", sum(h[color] for h in houses.values()))]
    for region in (1, 2, 3):
        some = [sum(each) for space, each in houses.items() if board.space_region[space] == region]
        counts[f"land-region-{region}"] = [("house", sum(some))]
    counts["land-towers"] = _towers(land)
    for name, number in _towers(land):
        counts[f"land-towers-{name.removeprefix('tower-')}"] = [(name, number)]
    counts["land-shore"] = [("shore", len(shore))]
    counts["land-walls"] = [("wall", len(walls))]
    counts["cities"] = [("city", len(position.cities))]
    return counts


def _city_counts(board: Board, position: Position, city: int | None) -> dict[str, Counts]:
    """Return the things that each city card counts in the given city."""
    spaces = next((each for each in position.cities if city is not None and city in each), ())
    corners = _corners(board, spaces)
    towers = _towers([color for place, color in position.towers.items() if place in corners])
    houses, palaces = _in(position.houses, spaces), _in(position.palaces, spaces)
    counts: dict[str, Counts] = {
        f"city-size-{size}": [("space", len(spaces))] for size in (1, 2, 3, 7)
    }
    shown = [house + palace > 0 for house, palace in zip(houses, palaces, strict=True)]
    counts["city-colors"] = [("color", sum(shown))]
    counts["city-palaces"] = [("palace", sum(palaces))]
    counts["city-towers"] = towers
    for name, number in towers:
        counts[f"city-towers-{name.removeprefix('tower-')}"] = [(name, number)]
    for color, name in enumerate(HOUSE_COLORS):
        counts[f"city-{name}"] = [
            (f"palace-{name}", palaces[color]),
            (f"house-{name}", houses[color]),
        ]
    return counts


def _corners(board: Board, spaces: Collection[int]) -> set[int]:
    """Return the tower spaces at the corners of some spaces."""
    return {tower for space in spaces for tower in board.space_towers[space]}


def _towers(colors: Sequence[int]) -> Counts:
    """Return the number of towers of each color in a list of tower colors."""
    return [(f"tower-{name}", colors.count(color)) for color, name in enumerate(TOWER_COLORS)]


def _in(stocks: Mapping[int, Sequence[int]], spaces: Collection[int]) -> list[int]:
    """Return the number of houses or palaces of each color in some spaces."""
    return [
        sum(stock[color] for space, stock in stocks.items() if space in spaces)
        for color in range(len(HOUSE_COLORS))
    ]
