"""What a search is asked: a view of a position and how to search it, with its moves in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from masons.cli.words import count, move_words
from masons.engine import layout as at
from masons.engine.components import CARDS
from masons.engine.derive import enclosed_areas
from masons.engine.notation import FINAL, PLAY, WALL
from masons.engine.rules import refresh_values

if TYPE_CHECKING:
    from masons.ai.options import SearchOptions
    from masons.engine.notation import Move
    from masons.engine.snapshot import Position
    from masons.engine.table import Table


@dataclass(frozen=True)
class Question:
    """A view, which holds only what the deciding seat sees unless `is_open`."""

    table: Table
    view: Position
    is_open: bool
    options: SearchOptions
    seed: int

    @cached_property
    def _points(self) -> dict[int | None, list[int]]:
        return {}

    def card_points(self, city: int | None) -> list[int]:
        """What each kind of card scores if the city with that lowest space counts."""
        if city not in self._points:
            state = self.table.state_of(self.view)
            small = state.view("uint8")
            small[int(at.CITY)] = int(at.NONE) if city is None else city
            refresh_values(state, self.table.packed)
            self._points[city] = small[int(at.VALUES_BYTE) :][: len(CARDS)].tolist()
        return self._points[city]

    def words(self, move: Move) -> str:
        """A move in words, with what its cards score and which city its wall completes."""
        board = self.table.board
        if move.kind in (PLAY, FINAL):
            worth = self.card_points(self.view.city if move.kind == PLAY else move.city)
            return move_words(board, move, [worth[card] for card in move.cards])
        if move.kind == WALL:
            areas = enclosed_areas(board, {*self.view.walls, move.place})
            new = set(areas) - set(self.view.cities)
            if new:
                size = count(len(max(new, key=len)), "space")
                return f"{move_words(board, move)}, completes a city of {size}"
        return move_words(board, move)
