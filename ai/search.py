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

import time
from collections.abc import Callable, Sequence

from masons.ai.halving_session import HalvingSession
from masons.ai.options import DEFAULT_SIMS, MAX_SIMS, Limit, SearchOptions, checked_limits
from masons.ai.results import Analysis, MoveStats, MoveSums, ranked
from masons.ai.single import DECISIONS, Search, analysis_of
from masons.ai.stopping import Stop
from masons.ai.workers import run_all, shares
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


class Session:
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
        self.table = table
        self._seed = seed
        self._options = options or SearchOptions()
        self._decisions = 0
        self._trees: list[Search] = []
        self._searched: list[Search] = []
        self.seconds = 0.0  # that the last search took
        self._stopped = False

    def search(
        self,
        view: Position | View,
        *,
        sims: int | None = None,
        seconds: float | None = None,
        only: Sequence[Move] | None = None,
        stop: Stop | None = None,
        progress: Callable[[Analysis], None] | None = None,
        interval: float = 0.5,
        top: int | None = None,
    ) -> bool:
        """Search a decision; whether neither Ctrl-C nor `stop` ended it. Arguments: `analyse`."""
        most = checked_limits(sims, seconds)
        each = shares(most, self._options.threads)
        self._searched = self._look(self.table.view(view), len(each), only)
        for search in self._searched:
            search.run(1)  # compiles, and makes sure of one result
        began = time.monotonic_ns()
        deadline = 0 if seconds is None else began + max(int(seconds * 1e9), 1)

        def report() -> None:
            if progress is not None:
                self.seconds = (time.monotonic_ns() - began) / 1e9
                progress(self.analysis(top))

        stop = stop or Stop()
        self._stopped = False
        try:
            with stop.ending(self._searched):
                run_all(self._searched, each, deadline, interval, report if progress else None)
            self._stopped = stop.is_set and sum(s.iterations for s in self._searched) < most
        except KeyboardInterrupt:
            self._stopped = True
        self.seconds = (time.monotonic_ns() - began) / 1e9
        return not self._stopped

    def _look(self, view: View, threads: int, only: Sequence[Move] | None) -> list[Search]:
        """The trees that are to search a view."""
        seed = mix(self._seed, self._decisions) if self._decisions else self._seed
        for number in range(threads):
            own = mix(seed, number) if number else seed
            if number < len(self._trees):
                self._trees[number].advance(view, own, reuse=self._options.reuse, only=only)
            else:
                self._trees.append(Search(self.table, view, own, self._options, only))
        self._decisions += 1
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

    def analyse(
        self,
        view: Position | View,
        *,
        sims: int | None = None,
        seconds: float | None = None,
        only: Sequence[Move] | None = None,
        stop: Stop | None = None,
        progress: Callable[[Analysis], None] | None = None,
        interval: float = 0.5,
        top: int | None = None,
    ) -> Analysis:
        """Search a decision for `sims` iterations or `seconds` (both: whichever ends first).

        `view` is what the deciding seat sees, `only` the moves to search (None: all of them; else
        the trees begin anew), in the final scoring with any city. Ctrl-C and `stop` end the search
        early; the results so far are returned, marked `stopped`. `progress` is told of them every
        `interval` seconds. The `top` best moves (None: all) get their lines, there and in the
        result. Raises MasonsError for impossible arguments.
        """
        self.search(
            view, sims=sims, seconds=seconds, only=only, stop=stop,
            progress=progress, interval=interval, top=top,
        )  # fmt: skip
        return self.analysis(top)


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

    With `sims` alone the result depends on nothing but the arguments.
    """
    session = new_session(table, seed=seed, options=options)
    return session.analyse(
        view, sims=sims, seconds=seconds, only=only, stop=stop,
        progress=progress, interval=interval, top=top,
    )  # fmt: skip
