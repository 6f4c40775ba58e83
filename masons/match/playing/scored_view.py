"""A seat's view with the points of its cards, and menus of moves that show these points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from masons.engine.board.components import PALACES_PER_COLOR
from masons.engine.formats.move_text import Move, early_roll_move
from masons.engine.plain_text import count
from masons.engine.rules.transitions import apply_move
from masons.engine.state import layout as at
from masons.engine.state.packed_move import ABSTAIN, FINAL, PLAY, WALL
from masons.engine.state.position import card_values, members
from masons.engine.state.position_checks import enclosed_areas
from masons.match.playing.game_words import move_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.engine.game.observation import Observation
    from masons.engine.game.table import Table
    from masons.engine.state.layout import State
    from masons.engine.state.position import Position


_NO_PIECES: Final = (0, 0, 0, 0, 0)


@dataclass(frozen=True)
class MoveFacts:
    """The figures that appear in the description of a move in words."""

    points: tuple[int, ...] = ()  # the points of each card that the move plays
    spaces: int = 0  # the number of spaces in the city that a wall completes


@dataclass(frozen=True)
class ScoredView:
    """A seat's view of a position, with the points of the seat's cards."""

    table: Table
    view: Position

    @cached_property
    def _state(self) -> State:
        return self.table.state_of(self.view)

    @cached_property
    def _points(self) -> dict[int | None, list[int]]:
        return {}

    def hand(self, seat: int) -> Sequence[int]:
        """Return a seat's cards, which must be known, as numbers."""
        hand = self.view.hands[seat]
        assert not isinstance(hand, int)
        return hand

    def card_points(self, city: int | None) -> list[int]:
        """Return the points that a card of each kind would score for a city.

        `city` is the lowest space of the city, or None to score without a city.
        """
        if city not in self._points:
            self._points[city] = self.table.card_points(self._state, city)
        return self._points[city]

    def move_points(self, move: Move) -> list[int]:
        """Return the points of each card that a move plays. The list may be empty."""
        if move.kind not in (PLAY, FINAL):
            return []
        points = self.card_points(self.view.city if move.kind == PLAY else move.city)
        return [points[card] for card in move.cards]

    @cached_property
    def closing_lines(self) -> frozenset[int]:
        """The lines on which a wall completes a city."""
        return frozenset(members(self._state, int(at.CLOSING), 4))

    def closed_by(self, line: int) -> list[frozenset[int]]:
        """Return the cities that a wall on a line completes."""
        areas = enclosed_areas(self.table.board, {*self.view.walls, line})
        return [area for area in areas if area not in self.view.cities]

    def closed_size(self, line: int) -> int:
        """Return the spaces of the largest city that a wall on a line completes, or 0."""
        return max(map(len, self.closed_by(line)), default=0)

    def closing_points(self, line: int) -> list[int]:
        """Return the points of each kind of card for the city that a wall on `line` completes.

        The points ignore the pieces that this turn's dice add, and any merge.
        """
        board, view = self.table.board, self.view
        city = max(self.closed_by(line), key=len)
        inside = {wall for wall in view.walls if set(board.line_spaces[wall]) <= city}
        walls = (view.walls | {line}) - inside
        ends = {tower for wall in walls for tower in board.line_towers[wall]}
        houses = np.sum([view.houses.get(space, _NO_PIECES) for space in city], axis=0)
        built = np.sum([_NO_PIECES, *view.palaces.values()], axis=0)
        palaces = np.minimum(houses // 2, PALACES_PER_COLOR - built)
        left, root = houses - 2 * palaces, min(city)
        closed = replace(
            view,
            phase="score",
            city=root,
            walls=walls,
            towers={tower: color for tower, color in view.towers.items() if tower in ends},
            houses={s: n for s, n in view.houses.items() if s not in city} | {root: tuple(left)},
            palaces={**view.palaces, root: tuple(palaces)},
            cities=(*view.cities, city),
        )
        return self.table.card_points(self.table.state_of_settled(closed), root)

    def merged_points(self, move: Move) -> list[int]:
        """Return the points of each kind of card for the city that a merge decision leads to."""
        state = self._state.copy()
        apply_move(state, self.table.packed, np.uint64(move))
        return card_values(state)

    def words(self, move: Move) -> str:
        """Return a move in words, with its cards' points and the size of a completed city."""
        facts = self.facts(move)
        text = move_words(self.table.board, move, facts.points)
        if facts.spaces:
            return f"{text}, completes a city of {count(facts.spaces, 'space')}"
        return text

    def facts(self, move: Move) -> MoveFacts:
        """Return the points of a move's cards and the size of a completed city."""
        if move.kind == WALL and (spaces := self.closed_size(move.place)):
            return MoveFacts(spaces=spaces)
        return MoveFacts(tuple(self.move_points(move)))


# --- menus of moves

MOST: Final = 500  # the most moves in a menu; further moves, which are swaps, must be typed in


@dataclass(frozen=True)
class Item:
    """A move in a menu. `key` is the line of a wall. Other moves are numbered from 1."""

    key: str
    move: Move
    words: str


@dataclass(frozen=True)
class Lines:
    """A titled group of lines on which a wall can be placed."""

    title: str
    lines: tuple[int, ...]
    notes: tuple[str, ...] = ()  # a note for each line, or empty


def menu_items(scored_view: ScoredView, moves: Sequence[Move]) -> list[Item]:
    """Return a menu of moves.

    If walls are among the moves, the menu has only the walls, in the order of `moves`. In other
    menus, the moves that score most come first, and abstentions come last.
    """
    if any(move.kind == WALL for move in moves[:2]):
        return [
            Item(str(move.place), move, scored_view.words(move))
            for move in moves
            if move.kind == WALL
        ]
    some = list(moves[:MOST])
    ordered = sorted(some, key=lambda m: (m.kind == ABSTAIN, -sum(scored_view.move_points(m))))
    return [Item(str(at), move, scored_view.words(move)) for at, move in enumerate(ordered, 1)]


def line_groups(scored_view: ScoredView, view: Observation) -> list[Lines]:
    """Return the open lines in four groups, leaving out empty groups.

    The groups are the lines that complete a city, those between two towers, those beside one tower,
    and the rest.
    """
    sets = [
        members(view.state, int(base), 4) for base in (at.CLOSING, at.DOUBLE, at.TOUCHED, at.OPEN)
    ]
    listed: set[int] = set()
    groups = []
    titles = ("completes a city", "between two towers", "beside a tower", "elsewhere")
    for number, (title, lines_of_set) in enumerate(zip(titles, sets, strict=True)):
        lines = tuple(line for line in lines_of_set if line not in listed)
        listed.update(lines)
        if lines:
            sizes = [scored_view.closed_size(line) for line in lines] if number == 0 else []
            notes = tuple(count(size, "space") for size in sizes)
            groups.append(Lines(title, lines, notes))
    return groups


def line_moves(moves: Sequence[Move]) -> list[int]:
    """Return the lines of all walls in a list of moves."""
    return [move.place for move in moves if move.kind == WALL]


def may_roll_early(moves: Sequence[Move]) -> bool:
    """Return whether the dice may be rolled before the wall is placed."""
    return early_roll_move() in moves
