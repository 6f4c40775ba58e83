"""A position as somebody sees it with what its cards score, and moves in words that say it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from masons.engine.plain_words import count
from masons.engine.state import layout as at
from masons.engine.state.enclosed_areas import enclosed_areas
from masons.engine.state.packed_move import FINAL, PLAY, WALL
from masons.engine.state.position import members
from masons.match.playing.moves_in_words import move_words

if TYPE_CHECKING:
    from masons.engine.formats.move_text import Move
    from masons.engine.game.table import Table
    from masons.engine.state.layout import State
    from masons.engine.state.position import Position


@dataclass(frozen=True)
class ScoredView:
    """A view of a position, with what its cards score."""

    table: Table
    view: Position

    @cached_property
    def _state(self) -> State:
        return self.table.state_of(self.view)

    @cached_property
    def _points(self) -> dict[int | None, list[int]]:
        return {}

    def card_points(self, city: int | None) -> list[int]:
        """What each kind of card scores if the city with that lowest space counts."""
        if city not in self._points:
            self._points[city] = self.table.card_points(self._state, city)
        return self._points[city]

    def move_points(self, move: Move) -> list[int]:
        """What each card of a play or of the final scoring scores; nothing for other moves."""
        if move.kind not in (PLAY, FINAL):
            return []
        points = self.card_points(self.view.city if move.kind == PLAY else move.city)
        return [points[card] for card in move.cards]

    @cached_property
    def closing_lines(self) -> frozenset[int]:
        """The lines on which a wall completes a city."""
        return frozenset(members(self._state, int(at.CLOSING), 4))

    def closed_by(self, line: int) -> list[frozenset[int]]:
        """The cities that a wall on a line completes."""
        areas = enclosed_areas(self.table.board, {*self.view.walls, line})
        return [area for area in areas if area not in self.view.cities]

    def words(self, move: Move) -> str:
        """A move in words, with what its cards score and which city its wall completes."""
        text = move_words(self.table.board, move, self.move_points(move))
        if move.kind == WALL and (new := self.closed_by(move.place)):
            return f"{text}, completes a city of {count(len(max(new, key=len)), 'space')}"
        return text
