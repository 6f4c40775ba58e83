"""Searching from Python: one decision, or those of a seat one after the other (`Session`).

>>> from masons.engine.game import Game
>>> game = Game(players=2, seed=3)
>>> analysis = analyse(game.table, game.view(game.seat), sims=200, seed=1)
>>> analysis.iterations, sum(stats.visits for stats in analysis.moves)
(200, 200)

Several threads search a tree each, from seeds of their own, and what they found out about the
root's moves is added up in their order. Nothing passes between them, so with iterations for a
limit, which are shared out beforehand, the result depends on nothing but the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from masons.ai.halving_session import HalvingSession
from masons.ai.options import DEFAULT_SIMS, MAX_SIMS, Limit, SearchOptions
from masons.ai.results import Analysis, MoveStats, MoveSums, ranked
from masons.ai.session import Decisions
from masons.ai.single import DECISIONS, Search, analysis_of
from masons.ai.stopping import Stop
from masons.engine.notation import Move
from masons.engine.rng import mix
from masons.engine.snapshot import Position
from masons.engine.table import Table
from masons.engine.view import View

__all__ = [
    "DECISIONS",
    "DEFAULT_SIMS",
    "MAX_SIMS",
    "Analysis",
    "AnySession",
    "Limit",
    "MoveStats",
    "Search",
    "SearchOptions",
    "Session",
    "Stop",
    "analyse",
    "new_session",
]


class Session(Decisions[Search]):
    """Decisions of one game, searched one after the other: the trees are kept in between.

    Where a view follows from the one before along a tree, that tree goes on with what it knows of
    it; else it begins anew. It is shown views only, so it knows no more than the seat does. With
    `sims` alone for limits, the results depend on nothing but the arguments and the decisions
    before.

    >>> from masons.engine.game import Game
    >>> game = Game(players=2, seed=3)
    >>> session = Session(game.table, seed=1)
    >>> game.apply(session.analyse(game.seen(0), sims=2000).best)
    >>> session.analyse(game.seen(0), sims=2000).iterations
    2000
    """

    def __init__(
        self, table: Table, *, seed: int = 0, options: SearchOptions | None = None
    ) -> None:
        super().__init__(table, seed=seed, options=options)
        self._trees: list[Search] = []

    def _look(
        self, view: View, threads: int, seed: int, only: Sequence[Move] | None
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


AnySession = Session | HalvingSession


def new_session(table: Table, *, seed: int = 0, options: SearchOptions | None = None) -> AnySession:
    """A session that searches by the options' method."""
    if options is not None and options.method == "halving":
        return HalvingSession(table, seed=seed, options=options)
    return Session(table, seed=seed, options=options)


def analyse(
    table: Table,
    view: Position | View,
    *,
    sims: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    options: SearchOptions | None = None,
    only: Sequence[Move] | None = None,
    stop: Stop | None = None,
    progress: Callable[[Analysis], None] | None = None,
    interval: float = 0.5,
    top: int | None = None,
) -> Analysis:
    """Search one decision: `Session.analyse` in a session of its own.

    `Game.seen` gives a view that tells who chose what, which the method `halving` guesses the other
    hands by; a `Position` does not tell. With `sims` alone the result depends on nothing but the
    arguments.
    """
    session = new_session(table, seed=seed, options=options)
    return session.analyse(
        view, sims=sims, seconds=seconds, only=only, stop=stop,
        progress=progress, interval=interval, top=top,
    )  # fmt: skip
