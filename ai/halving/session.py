"""Decisions of one game, each searched by halving."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from masons.ai.halving.halving_search import HalvingSearch
from masons.ai.policies.likely_swaps import likely_swaps
from masons.ai.search.base_session import Decisions
from masons.ai.search.levels import level_of
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.engine.errors import MoveError
from masons.engine.formats.move_text import Move, format_move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table

# More moves than these are only swaps of large hands: then the likely ones are searched.
MOST_MOVES: Final = 512


def searched_moves(table: Table, view: Observation, listed: Sequence[Move]) -> list[Move]:
    """The moves to search where none are asked for, out of those `listed` as legal."""
    return list(listed) if len(listed) <= MOST_MOVES else likely_swaps(table, view)


class HalvingSession(Decisions[HalvingSearch]):
    """Decisions of one game, searched one after the other; nothing is kept in between.

    With `sims` alone for limits, the results depend on nothing but the arguments and on how many
    decisions there were before.
    """

    def __init__(
        self, table: Table, *, seed: int = 0, options: SearchOptions | None = None
    ) -> None:
        super().__init__(table, seed=seed, options=options or SearchOptions(method="halving"))

    def _look(
        self, view: Observation, threads: int, seed: int, only: Sequence[Move] | None
    ) -> list[HalvingSearch]:
        """One search, which shares its determinizations out among the threads."""
        moves = self._moves(view, only)
        error = level_of(self._options.level).error
        return [HalvingSearch(self.table, view, moves, seed=seed, threads=threads, error=error)]

    def _moves(self, view: Observation, only: Sequence[Move] | None) -> list[Move]:
        """The moves to search. Raises MoveError for one asked for that is not legal."""
        listed = self.table.legal_moves(view.state)
        if only is not None:
            for move in only:
                if not self.table.is_legal(view.state, move, listed):
                    raise MoveError(f"{format_move(move)} is not legal here")
            if not only:
                raise MoveError("there is no move to search")
            return list(dict.fromkeys(only))
        return searched_moves(self.table, view, listed)

    @property
    def best(self) -> Move:
        """The best move of the last search."""
        return self._searched[0].best

    def analysis(self, top: int | None = None) -> Analysis:  # noqa: ARG002 - there are no lines
        """What the last search found out."""
        return self._searched[0].analysis(self.seconds, stopped=self._stopped)
