"""A seat's view with the points of its cards, and menus of moves that show these points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from masons.engine.formats.move_text import Move, early_roll_move
from masons.engine.plain_text import count
from masons.engine.rules.transitions import apply_move
from masons.engine.state import layout
from masons.engine.state.packed_move import ABSTAIN, FINAL, PLAY, WALL
from masons.engine.state.position import card_values, members
from masons.words.moves import move_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.engine.game.table import Table
    from masons.engine.state.layout import State
    from masons.engine.state.position import Position


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
    def state(self) -> State:
        """The view as a state for kernels, which must not be modified."""
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
            self._points[city] = self.table.card_points(self.state, city)
        return self._points[city]

    def move_points(self, move: Move) -> list[int]:
        """Return the points of each card that a move plays. The list may be empty."""
        if move.kind not in (PLAY, FINAL):
            return []
        points = self.card_points(self.view.city if move.kind == PLAY else move.city)
        return [points[card] for card in move.cards]

    def closed_city(self, line: int) -> tuple[int, list[int]]:
        """Return the size of the city that a wall on an open line completes, and its points.

        The size is 0 if the wall completes no city. The points are those of each kind of card. They
        ignore the pieces that this turn's dice add, and any merge.
        """
        return self.table.closed_city(self.state, line)

    def merged_points(self, move: Move) -> list[int]:
        """Return the points of each kind of card for the city that a merge decision leads to."""
        state = self.state.copy()
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
        if move.kind == WALL and (spaces := self.closed_city(move.place)[0]):
            return MoveFacts(spaces=spaces)
        return MoveFacts(tuple(self.move_points(move)))


# --- menus of moves

MOST: Final = 500  # the most moves in a menu; further moves, which are swaps, must be typed in


@dataclass(frozen=True)
class Item:
    """A move in a menu. `key` is the line of a wall. Other moves are numbered from 1."""

    key: str
    move: Move
    view: ScoredView

    @property
    def words(self) -> str:
        """The move in words. A menu has hundreds of moves, of which few are shown."""
        return self.view.words(self.move)


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
        return [Item(str(move.place), move, scored_view) for move in moves if move.kind == WALL]
    some = list(moves[:MOST])
    ordered = sorted(some, key=lambda m: (m.kind == ABSTAIN, -sum(scored_view.move_points(m))))
    return [Item(str(number), move, scored_view) for number, move in enumerate(ordered, 1)]


def line_groups(scored_view: ScoredView) -> list[Lines]:
    """Return the open lines in four groups, leaving out empty groups.

    The groups are the lines that complete a city, those between two towers, those beside one tower,
    and the rest.
    """
    sets = [
        members(scored_view.state, int(base), 4)
        for base in (layout.CLOSING, layout.DOUBLE, layout.TOUCHED, layout.OPEN)
    ]
    listed: set[int] = set()
    groups = []
    titles = ("completes a city", "between two towers", "beside a tower", "elsewhere")
    for number, (title, lines_of_set) in enumerate(zip(titles, sets, strict=True)):
        lines = tuple(line for line in lines_of_set if line not in listed)
        listed.update(lines)
        if lines:
            sizes = [scored_view.closed_city(line)[0] for line in lines] if number == 0 else []
            notes = tuple(count(size, "space") for size in sizes)
            groups.append(Lines(title, lines, notes))
    return groups


def line_moves(moves: Sequence[Move]) -> list[int]:
    """Return the lines of all walls in a list of moves."""
    return [move.place for move in moves if move.kind == WALL]


def may_roll_early(moves: Sequence[Move]) -> bool:
    """Return whether the dice may be rolled before the wall is placed."""
    return early_roll_move() in moves
