"""Which cities are completed in games played on, by whom, and what they are called.

A city is known by its lowest space, and named by the colours that its houses and palaces have in
most games when it is scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from masons.ai.rollout.noted_games import NotedGames
from masons.engine.board.components import HOUSE_COLORS
from masons.engine.plain_words import listed
from masons.engine.state.position import houses_in, palaces_in

_LISTED: Final = 0.05  # a share of the games
_SURE: Final = 0.6  # a share of the games with the city that makes a colour its own
_COLORS: Final = 3  # that a name has at most
_NUMBERS: Final = {4: "four", 5: "five"}


@dataclass(frozen=True)
class ClosedCity:
    """A city that a seat completes: in this turn, the next one, or later; and how often."""

    seat: int  # whose wall completes it
    after: int  # turns: 0 is this one, 1 the next, 2 any later one
    space: int  # its lowest
    name: str  # with its article
    share: float  # of the games

    def to_data(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {**vars(self), "share": round(self.share, 4)}


def closed_cities(games: NotedGames, number: int) -> tuple[ClosedCity, ...]:
    """The cities completed after a move, the likeliest first."""
    often: Counter[tuple[int, int, int]] = Counter()
    pieces: dict[int, list[int]] = {}
    for _, turn, active, space, found in zip(
        *(part.tolist() for part in games.scored(number)), strict=True
    ):
        often[active, min(turn - games.turn, 2), space] += 1
        pieces.setdefault(space, []).append(found)
    names = {space: city_name(found, space) for space, found in pieces.items()}
    closed = (
        ClosedCity(seat, after, space, names[space], count / games.worlds)
        for (seat, after, space), count in often.most_common()
    )
    return tuple(one for one in closed if one.share >= _LISTED)


def city_name(pieces: Sequence[int], space: int) -> str:
    """What a city is called that had these pieces in the games: `the red and rose city`.

    `pieces` are as in the layout of a state. Colours that it has in most games count; without any
    it is called by its lowest space.
    """
    games = Counter(color for found in pieces for color in _colors(found))
    colors = [color for color in HOUSE_COLORS if games[color] >= _SURE * len(pieces)]
    if not colors:
        return f"the city at space {space}"
    if len(colors) > _COLORS:
        return f"the city of {_NUMBERS[len(colors)]} colours"
    return f"the {listed(colors)} city"


def _colors(pieces: int) -> list[str]:
    """The colours of some houses and palaces."""
    counts = zip(HOUSE_COLORS, houses_in(pieces), palaces_in(pieces), strict=True)
    return [color for color, houses, palaces in counts if houses or palaces]
