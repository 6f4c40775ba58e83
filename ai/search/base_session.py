"""Decisions of one game, searched one after the other: clock, reports and stopping, by any method.

A method fills in how its searches are made for a view, and how they are read out.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions, checked_limits
from masons.ai.search.stop import Stop
from masons.ai.search.threads import Runnable, run_all, shares
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.rng import mix
from masons.engine.state.phases import DECISIONS
from masons.engine.state.position import Position

S = TypeVar("S", bound=Runnable)


def decided(table: Table, seen: Position | Observation) -> Observation:
    """The view of a decision. Raises MasonsError where there is none, or its hand is hidden."""
    if seen.phase not in DECISIONS:
        raise MasonsError(f"nothing is to be decided in phase {seen.phase}")
    return table.view(seen)


class Decisions(ABC, Generic[S]):
    """What the sessions of all methods have in common."""

    def __init__(
        self, table: Table, *, seed: int = 0, options: SearchOptions | None = None
    ) -> None:
        self.table = table
        self._seed = seed
        self._options = options or SearchOptions()
        self._decisions = 0
        self._searched: list[S] = []
        self.seconds = 0.0  # that the last search took
        self._stopped = False

    @abstractmethod
    def _look(
        self, view: Observation, threads: int, seed: int, only: Sequence[Move] | None
    ) -> list[S]:
        """The searches that are to look at a view, with so many threads together.

        Raises MasonsError for moves that cannot be searched.
        """

    @property
    @abstractmethod
    def best(self) -> Move:
        """The best move of the last search: that of its analysis, and sooner."""

    @abstractmethod
    def analysis(self, top: int | None = None) -> Analysis:
        """What the last search found out; the `top` best moves (None: all) get their lines."""

    def search(
        self,
        view: Position | Observation,
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
        most = min(most, self._options.most or most)
        seed = mix(self._seed, self._decisions) if self._decisions else self._seed
        threads = min(self._options.threads, most)
        searches = self._look(decided(self.table, view), threads, seed, only)
        self._decisions += 1
        self._searched, self._stopped = searches, False
        began = time.monotonic_ns()
        deadline = 0 if seconds is None else began + max(int(seconds * 1e9), 1)

        def done() -> int:
            return sum(search.iterations for search in searches)

        def report() -> None:
            if progress is not None and done():
                self.seconds = (time.monotonic_ns() - began) / 1e9
                progress(self.analysis(top))

        stop = stop or Stop()
        each = shares(most, len(searches))
        try:
            with stop.ending(searches):
                run_all(searches, each, deadline, interval, report if progress else None)
            self._stopped = stop.is_set and done() < most
        except KeyboardInterrupt:
            self._stopped = True
        self.seconds = (time.monotonic_ns() - began) / 1e9
        return not self._stopped

    def analyse(
        self,
        view: Position | Observation,
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
        trees begin anew), in the final scoring with any city. Ctrl-C and `stop` end the search
        early; the results so far are returned, marked `stopped`. `progress` is told of them every
        `interval` seconds. The `top` best moves (None: all) get their lines, there and in the
        result. Raises MasonsError for impossible arguments.
        """
        self.search(
            view, sims=sims, seconds=seconds, only=only, stop=stop,
            progress=progress, interval=interval, top=top,
        )  # fmt: skip
        return self.analysis(top)
