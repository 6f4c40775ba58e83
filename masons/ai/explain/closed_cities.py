"""The cities that are completed in the games of a rollout.

Cities of different games are the same city if they share more than half of their spaces, whatever
their houses are. A city is named after the colors that its houses and palaces show in most games
when it is scored. All shares are shares of the games.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.rollout.evidence import NORMAL
from masons.ai.rollout.noted_games import NotedGames
from masons.engine.board.components import HOUSE_COLORS
from masons.engine.plain_text import listed
from masons.engine.state.position import houses_in, palaces_in

_MIN_CITY_SHARE: Final = 0.05  # a listed city is completed in at least this share of the games
_COLOR_SHARE: Final = 0.6  # a color in a city's name occurs in this share of the city's games
_MAX_COLORS: Final = 3  # upper limit for the colors in a name
MERGED: Final = " (merged with another)"
_ANY: Final = -1  # a turn completes one city, which may be merged with others in some games
_NUMBERS: Final = {4: "four", 5: "five"}


@dataclass(frozen=True)
class NamedCity:
    """A city, named after the colors that it shows in most games when it is scored.

    `space` is the lowest space of the city in most games.
    """

    space: int
    colors: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name with its article, such as `the red and rose city at space 24`."""
        if len(self.colors) > _MAX_COLORS:
            return f"the city of {_NUMBERS[len(self.colors)]} colors at space {self.space}"
        colors = f"{listed(self.colors)} " if self.colors else ""
        return f"the {colors}city at space {self.space}"


@dataclass(frozen=True)
class ClosedCity:
    """A city that a seat completes, and the share of the games in which this happens."""

    seat: int  # the seat whose wall completes the city
    after: int  # 0: in this turn, 1: in the next turn, 2: later
    city: NamedCity  # as it is after this move
    share: float  # share of the games
    is_merged: bool = False  # it is mostly merged with another city in the same turn

    @property
    def completes(self) -> str:
        """The predicate for the wall, such as `completes the red city at space 24`."""
        return f"completes {self.city.name}{MERGED * self.is_merged}"

    def to_data(self) -> dict[str, Any]:
        """Return this city as a dict that can be written as JSON."""
        return {
            "seat": self.seat,
            "after": self.after,
            "space": self.city.space,
            "name": self.city.name,
            "share": round(self.share, 4),
        }


@dataclass(frozen=True)
class CityChange:
    """A city, and the shares of the games in which it is completed after each of two moves.

    Completing a city in the turn of the decision and in a later turn are two different changes.
    Later, it does not matter whose wall completes it, because every seat scores it.
    """

    is_now: bool  # in the turn of the decision
    city: NamedCity | None  # None: any city
    share: float
    share_other: float  # after the other move
    is_merged: bool = False  # it is mostly merged with another city

    @property
    def more(self) -> float:
        """The share after the first move minus the share after the other move."""
        return self.share - self.share_other


class _Closing(NamedTuple):
    """A city that is completed in one game."""

    world: int
    after: int  # turns after the decision's turn
    seat: int  # the seat whose wall completes the city
    city: int  # index of the city in NotedCities.named
    pieces: int  # its houses and palaces
    is_merged: bool


class NotedCities:
    """The cities of noted games, numbered and named in the same way after all moves."""

    def __init__(self, games: NotedGames) -> None:
        self.games = games
        notes = [list(games.scored(number)) for number in range(len(games.moves))]
        often = Counter(note.spaces for each in notes for note in each)
        numbers, cores = dict[int, int](), list[int]()
        for spaces, _ in sorted(often.items(), key=lambda item: (-item[1], item[0])):
            numbers[spaces] = _number_of(spaces, cores)
        self._closings = [
            [
                _Closing(
                    note.world,
                    note.turn - games.turn,
                    note.active,
                    numbers[note.spaces],
                    note.pieces,
                    note.is_merged,
                )
                for note in each
            ]
            for each in notes
        ]
        pieces: list[list[int]] = [[] for _ in cores]
        for note in (note for each in notes for note in each):
            pieces[numbers[note.spaces]].append(note.pieces)
        self.named = tuple(_names(cores, pieces))

    def closed(self, number: int) -> tuple[ClosedCity, ...]:
        """Return the cities that are completed after move `number`, likeliest first."""
        closings = [each._replace(after=min(each.after, 2)) for each in self._closings[number]]
        # One game counts once for a city, seat and time.
        often = Counter(each[1:] for each in sorted({each[:4] for each in closings}))
        worlds, made = self.games.worlds, []
        for key, count in often.most_common():
            after, seat, city = key
            if count / worlds >= _MIN_CITY_SHARE:
                same = [each for each in closings if each[1:4] == key]
                is_merged = 2 * sum(each.is_merged for each in same) > len(same)
                name = self._name(city, [each.pieces for each in same])
                made.append(ClosedCity(seat, after, name, count / worlds, is_merged))
        return tuple(made)

    def _name(self, city: int, pieces: Sequence[int]) -> NamedCity:
        """Return a city with the colors that it has in some of the games."""
        named = self.named[city]
        return named_city(named.space, pieces) if named.colors else named

    def share_completed(self, number: int, after: int) -> float:
        """Return the share of games in which a wall completes a city `after` turns later."""
        worlds = {each.world for each in self._closings[number] if each.after == after}
        return len(worlds) / self.games.worlds

    def share_merged(self, number: int, after: int) -> float:
        """Return the share of games in which that city is merged with another in the same turn."""
        merged = {
            each.world for each in self._closings[number] if each.after == after and each.is_merged
        }
        return len(merged) / self.games.worlds

    def worlds_of(self, number: int, *, is_now: bool) -> dict[int, NDArray[np.bool_]]:
        """Return in which worlds each city is completed after a move, as bool[worlds].

        The keys are indices of `named`, and only later turns count. If `is_now` is true, only the
        decision's turn counts, and the key of all cities is _ANY.
        """
        worlds: dict[int, NDArray[np.bool_]] = {}
        for each in self._closings[number]:
            if (each.after == 0) == is_now:
                city = _ANY if is_now else each.city
                marks = worlds.setdefault(city, np.zeros(self.games.worlds, dtype=np.bool_))
                marks[each.world] = True
        return worlds

    def is_merged(self, city: int) -> bool:
        """Return whether a city is merged with another in most games in which it is scored."""
        merged = [each.is_merged for some in self._closings for each in some if each.city == city]
        return 2 * sum(merged) > len(merged)


def _number_of(spaces: int, cores: list[int]) -> int:
    """Return the number of the city with a set of spaces; if it is new, add it to `cores`."""

    def shared(core: int) -> float:
        return (core & spaces).bit_count() / (core | spaces).bit_count()

    number = max(range(len(cores)), key=lambda each: shared(cores[each]), default=-1)
    if number < 0 or shared(cores[number]) <= 0.5:
        cores.append(spaces)
        return len(cores) - 1
    return number


def _names(cores: Sequence[int], pieces: Sequence[Sequence[int]]) -> list[NamedCity]:
    """Name each city; of cities with the same colors, only the most frequent is named after them.

    `pieces` lists the pieces of each city in all games.
    """
    named = [
        named_city((core & -core).bit_length() - 1, bits)
        for core, bits in zip(cores, pieces, strict=True)
    ]
    most = dict[tuple[str, ...], int]()
    for number in sorted(range(len(named)), key=lambda each: -len(pieces[each])):
        if most.setdefault(named[number].colors, number) != number:
            named[number] = NamedCity(named[number].space, ())
    return named


def named_city(space: int, pieces: Sequence[int]) -> NamedCity:
    """Return the city whose lowest space is `space`, named after its pieces in all games.

    `pieces` has one number for each game: the houses and palaces of the city, packed as in the
    state's word for a space. If no color occurs in most games, the city has no colors.
    """
    games = Counter[str]()
    for bits, count in Counter(pieces).items():
        for color, *counts in zip(HOUSE_COLORS, houses_in(bits), palaces_in(bits), strict=True):
            games[color] += count * any(counts)
    most = _COLOR_SHARE * len(pieces)
    return NamedCity(space, tuple(color for color in HOUSE_COLORS if games[color] >= most))


def city_changes(cities: NotedCities, first: int, second: int) -> tuple[CityChange, ...]:
    """Return the cities that are completed more often after one of two moves, largest first.

    There is at most one city for each time and direction. The first half of the games selects it
    (see `holds`).
    """
    worlds, changes = cities.games.worlds, []
    for is_now, sign in product((True, False), (1, -1)):
        after, other = (cities.worlds_of(i, is_now=is_now) for i in (first, second))
        none = np.zeros(worlds, dtype=np.bool_)
        more = {
            city: sign * (after.get(city, none).astype(np.float64) - other.get(city, none))
            for city in sorted(after.keys() | other.keys())
        }
        city = max(more, key=lambda each: float(more[each][::2].mean()), default=None)
        if city is not None and holds(more[city]):
            share, share_other = (float(each.get(city, none).mean()) for each in (after, other))
            named = None if is_now else cities.named[city]
            is_merged = not is_now and cities.is_merged(city)
            changes.append(CityChange(is_now, named, share, share_other, is_merged))
    return tuple(sorted(changes, key=lambda change: -abs(change.more)))


def holds(differences: NDArray[Any]) -> bool:
    """True if a mean is above 0 in half of the games, and by more than chance in the other half.

    What the first half (the even worlds) selects must hold in games that did not select it.
    """
    first, rest = differences[::2], differences[1::2]
    return bool(rest.size and first.mean() > 0 and rest.mean() > NORMAL * paired_error(rest))


def paired_error(differences: NDArray[Any]) -> float:
    """Return the standard error of a mean; a difference of 1 in one more game is added."""
    games = len(differences)
    return math.sqrt(games * float(differences.var()) + 1) / games
