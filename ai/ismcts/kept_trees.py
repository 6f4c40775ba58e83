"""The trees of one seat, a thread each, which are kept from one decision to the next."""

from __future__ import annotations

from collections.abc import Sequence

from masons.ai.ismcts.root_sums import MoveSums, ranked
from masons.ai.ismcts.tree_search import Search, analysis_of
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.rng import mix


class KeptTrees:
    """Trees, a thread each: where a view follows along a tree, that tree goes on from there.

    Else it begins anew. They are shown views only, so they know no more than the seat does.
    """

    def __init__(self, table: Table, options: SearchOptions) -> None:
        self._table = table
        self._options = options
        self._trees: list[Search] = []
        self.searches: list[Search] = []  # those of the last view

    def look(self, view: Observation, threads: int, seed: int, only: Sequence[Move] | None) -> None:
        """Turn to a view, with so many threads. Raises MasonsError as `Search` does."""
        reuse = bool(self._options.reuse)
        for number in range(threads):
            own = mix(seed, number) if number else seed
            if number < len(self._trees):
                self._trees[number].advance(view, own, reuse=reuse, only=only)
            else:
                self._trees.append(Search(self._table, view, own, self._options, only))
        self.searches = self._trees[:threads]
        for search in self.searches:
            search.run(1)  # compiles, and makes sure of one result

    @property
    def iterations(self) -> int:
        """The iterations of this decision."""
        return sum(search.iterations for search in self.searches)

    @property
    def best(self) -> Move:
        """The move with the most visits of the last search: that of its analysis, and sooner."""
        sums: dict[Move, MoveSums] = {}
        for search in self.searches:
            search.add_to(sums)
        most = max(found.visits for found in sums.values())
        first = {move: found for move, found in sums.items() if found.visits == most}
        view = self.searches[0].view
        return ranked(first, view.seat, view.players)[0].move

    def analysis(
        self, seconds: float, *, stopped: bool = False, top: int | None = None
    ) -> Analysis:
        """What the last search found out; the `top` best moves (None: all) get their lines."""
        return analysis_of(self.searches, seconds, stopped=stopped, top=top)
