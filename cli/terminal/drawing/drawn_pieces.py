"""Which houses and palaces are drawn on which space.

What a city holds is counted for the whole city (it is kept at its lowest space), so it is spread
over the city's spaces, palaces first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from masons.match.playing.game_words import HOUSE_LETTERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.engine.state.position import Position


class Piece(NamedTuple):
    """A house or a palace, or a figure that stands behind one and counts its like."""

    letter: str
    color: int


def place_pieces(position: Position) -> dict[int, list[Piece]]:
    """The pieces of each space that has some."""
    found = {
        space: pieces
        for space, counts in position.houses.items()
        if (pieces := _pieces(counts, capital=False))
    }
    for city in position.cities:
        root, spaces = min(city), sorted(city)
        palaces = position.palaces.get(root)
        all_of_it = [*(_pieces(palaces, capital=True) if palaces else []), *found.pop(root, [])]
        each = -(-len(all_of_it) // len(spaces))
        for number, space in enumerate(spaces):
            if some := all_of_it[number * each : (number + 1) * each]:
                found[space] = some
    return found


def _pieces(counts: Sequence[int], *, capital: bool) -> list[Piece]:
    return [
        Piece(HOUSE_LETTERS[color].upper() if capital else HOUSE_LETTERS[color], color)
        for color, number in enumerate(counts)
        for _ in range(number)
    ]


def squeeze(pieces: Sequence[Piece], columns: int) -> list[Piece]:
    """The pieces in so many columns: one letter each, else letters with counts, else with a +."""
    if len(pieces) <= columns:
        return list(pieces)
    kinds = list(dict.fromkeys(pieces))
    short = []
    for piece in kinds:
        number = pieces.count(piece)
        short += [piece] if number == 1 else [piece, Piece(str(min(number, 9)), piece.color)]
    if len(short) <= columns:
        return short
    return [*kinds[: columns - 1], Piece("+", kinds[min(columns, len(kinds)) - 1].color)]
