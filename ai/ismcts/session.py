"""Decisions of one game, each searched by trees that are kept in between."""

from __future__ import annotations

from collections.abc import Sequence

from masons.ai.ismcts.root_sums import MoveSums, ranked
from masons.ai.ismcts.tree_search import Search, analysis_of
from masons.ai.search.base_session import Decisions
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.rng import mix


class Session(Decisions[Search]):
    """Decisions of one game, searched one after the other: the trees are kept in between.

    Where a view follows from the one before along a tree, that tree goes on with what it knows of
    it; else it begins anew. It is shown views only, so it knows no more than the seat does. With
    `sims` alone for limits, the results depend on nothing but the arguments and the decisions
    before.

    >>> from masons.engine.game.game import Game
    >>> game = Game(players=2, seed=3)
    >>> session = Session(game.table, seed=1)
    >>> game.apply(session.analyse(game.observe(0), sims=2000).best)
    >>> session.analyse(game.observe(0), sims=2000).iterations
    2000
    """

    def __init__(
        self, table: Table, *, seed: int = 0, options: SearchOptions | None = None
    ) -> None:
        super().__init__(table, seed=seed, options=options)
        self._trees: list[Search] = []

    def _look(
        self, view: Observation, threads: int, seed: int, only: Sequence[Move] | None
    ) -> list[Search]:
        """The trees that are to search a view: one a thread."""
        for number in range(threads):
            own = mix(seed, number) if number else seed
            if number < len(self._trees):
                self._trees[number].advance(view, own, reuse=self._options.reuse, only=only)
            else:
                self._trees.append(Search(self.table, view, own, self._options, only))
        for search in self._trees[:threads]:
            search.run(1)  # compiles, and makes sure of one result
        return self._trees[:threads]

    @property
    def best(self) -> Move:
        """The move with the most visits of the last search: that of its analysis, and sooner."""
        sums: dict[Move, MoveSums] = {}
        for search in self._searched:
            search.add_to(sums)
        most = max(found.visits for found in sums.values())
        first = {move: found for move, found in sums.items() if found.visits == most}
        view = self._searched[0].view
        return ranked(first, view.seat, view.players, top=0)[0].move

    def analysis(self, top: int | None = None) -> Analysis:
        """What the last search found out; the `top` best moves (None: all) get their lines."""
        return analysis_of(self._searched, self.seconds, stopped=self._stopped, top=top)
