"""The material: pieces, dice and cards (rules, sections 1 and 6)."""

WALLS = 33
TOWERS_PER_COLOR = 10
HOUSES_PER_COLOR = 12
PALACES_PER_COLOR = 3
COPIES_OF_A_CARD = 2
CARDS_DEALT = 6

TOWER_COLORS = ("white", "gray", "black")
HOUSE_COLORS = ("red", "rose", "yellow", "green", "blue")
ANY_COLOR = "?"
"""The sixth face of a house die."""

CARDS = (
    "city-size-1",
    "city-size-2",
    "city-size-3",
    "city-size-7",
    "city-colors",
    "city-towers-white",
    "city-towers-gray",
    "city-towers-black",
    "city-palaces",
    "city-red",
    "city-rose",
    "city-yellow",
    "city-green",
    "city-blue",
    "city-towers",
    "land-red",
    "land-rose",
    "land-yellow",
    "land-green",
    "land-blue",
    "land-region-1",
    "land-region-2",
    "land-region-3",
    "land-towers",
    "land-towers-white",
    "land-towers-gray",
    "land-towers-black",
    "land-shore",
    "land-walls",
    "cities",
)
"""The 30 kinds, in the order of rules, section 6."""

ALL_CARDS = sorted(CARDS * COPIES_OF_A_CARD)
"""The 60 cards of the game."""
