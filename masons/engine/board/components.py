"""The contents of the box: names and numbers of the pieces, the dice and the cards.

The module is plain data. Kernels refer to colors and cards by their indices in these tuples.
"""

from typing import Final

TOWER_COLORS: Final = ("white", "gray", "black")
HOUSE_COLORS: Final = ("red", "rose", "yellow", "green", "blue")  # palaces have the same colors

WALLS: Final = 33
TOWERS_PER_COLOR: Final = 10
HOUSES_PER_COLOR: Final = 12
PALACES_PER_COLOR: Final = 3
TOWERS: Final = TOWERS_PER_COLOR * len(TOWER_COLORS)
HOUSES: Final = HOUSES_PER_COLOR * len(HOUSE_COLORS)
PALACES: Final = PALACES_PER_COLOR * len(HOUSE_COLORS)
HOUSES_PER_PALACE: Final = 2

MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 4
HAND: Final = 6  # cards dealt to each player
MAX_REGIONS: Final = 3

WILD: Final = "?"  # the house die's sixth face: a color of the player's choice
TOWER_DIE: Final = TOWER_COLORS  # each color is on two faces, so all colors are equally likely
HOUSE_DIE: Final = (*HOUSE_COLORS, WILD)

# Reasons for the end of a game. If two supplies run out in one turn, the reason is the supply that
# ran out first.
ENDS: Final = ("walls", "towers", "houses", "palaces", "no-line")

CARD_NAMES: Final[dict[str, str]] = {
    "city-size-1": "City of 1 space",
    "city-size-2": "City of 2 spaces",
    "city-size-3": "City of 3 spaces",
    "city-size-7": "City of 7 or more",
    "city-colors": "City colors",
    "city-towers-white": "White city towers",
    "city-towers-gray": "Gray city towers",
    "city-towers-black": "Black city towers",
    "city-palaces": "City palaces",
    "city-red": "Red in the city",
    "city-rose": "Rose in the city",
    "city-yellow": "Yellow in the city",
    "city-green": "Green in the city",
    "city-blue": "Blue in the city",
    "city-towers": "All city towers",
    "land-red": "Red land houses",
    "land-rose": "Rose land houses",
    "land-yellow": "Yellow land houses",
    "land-green": "Green land houses",
    "land-blue": "Blue land houses",
    "land-region-1": "Region I houses",
    "land-region-2": "Region II houses",
    "land-region-3": "Region III houses",
    "land-towers": "All land towers",
    "land-towers-white": "White land towers",
    "land-towers-gray": "Gray land towers",
    "land-towers-black": "Black land towers",
    "land-shore": "Shore towers",
    "land-walls": "Land walls",
    "cities": "Completed cities",
}
"""The id and the English name of each kind of card. Files and moves have the ids."""

CARD_MEANINGS: Final[dict[str, str]] = {
    "city-size-1": "6 if the city has exactly 1 space",
    "city-size-2": "7 if the city has exactly 2 spaces",
    "city-size-3": "8 if the city has exactly 3 spaces",
    "city-size-7": "9 if the city has 7 spaces or more",
    "city-colors": "4 if the city's houses and palaces show 2 or 3 colors, 7 if 4 or 5",
    "city-towers-white": "2 for each white tower of the city",
    "city-towers-gray": "2 for each gray tower of the city",
    "city-towers-black": "2 for each black tower of the city",
    "city-palaces": "1 for each palace in the city",
    "city-red": "3 for each red palace and 1 for each red house in the city",
    "city-rose": "3 for each rose palace and 1 for each rose house in the city",
    "city-yellow": "3 for each yellow palace and 1 for each yellow house in the city",
    "city-green": "3 for each green palace and 1 for each green house in the city",
    "city-blue": "3 for each blue palace and 1 for each blue house in the city",
    "city-towers": "1 for each tower of the city",
    "land-red": "1 for each red house outside the cities",
    "land-rose": "1 for each rose house outside the cities",
    "land-yellow": "1 for each yellow house outside the cities",
    "land-green": "1 for each green house outside the cities",
    "land-blue": "1 for each blue house outside the cities",
    "land-region-1": "1 for each house outside the cities in region I",
    "land-region-2": "1 for each house outside the cities in region II",
    "land-region-3": "1 for each house outside the cities in region III",
    "land-towers": "1 for each tower outside the cities",
    "land-towers-white": "2 for each white tower outside the cities",
    "land-towers-gray": "2 for each gray tower outside the cities",
    "land-towers-black": "2 for each black tower outside the cities",
    "land-shore": "2 for each tower outside the cities that stands on the shore",
    "land-walls": "1 for each wall outside the cities",
    "cities": "1 for each completed city on the board",
}
"""The points of each kind of card in plain words, where `the city` is the city just completed.

Regions are named as in drawings of the board.
"""

CARDS: Final[tuple[str, ...]] = tuple(CARD_NAMES)
"""The ids of the 30 kinds of guild card, in the order of the rules."""
KINDS: Final = len(CARDS)
FIRST_LAND: Final = CARDS.index("land-red")  # first kind that scores without a city
LANDS: Final = KINDS - FIRST_LAND

CARD_COPIES: Final = 2
DECK: Final = CARD_COPIES * len(CARDS)  # number of cards in the game
