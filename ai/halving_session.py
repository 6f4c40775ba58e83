"""Decisions of one game, each searched by halving: the counterpart of `search.Session`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

from masons.ai.halving import HalvingSearch
from masons.ai.options import SearchOptions, checked_limits
from masons.ai.results import Analysis
from masons.ai.single import decided
from masons.ai.stopping import Stop
from masons.ai.swaps import likely_swaps
from masons.ai.workers import run_all
from masons.engine.errors import MoveError
from masons.engine.notation import Move, format_move
from masons.engine.rng import mix
from masons.engine.snapshot import Position
from masons.engine.table import Table
from masons.engine.view import View

# More moves than these are only swaps of large hands: then the likely ones are searched.
MOST_MOVES: Final = 512


class HalvingSession:
    """Decisions of one game, searched one after the other; nothing is kept in between.

    With `sims` alone for limits, the results depend on nothing but the arguments and on how many
    decisions there were before.
    """

    def __init__(
        self, table: Table, *, seed: int = 0, options: SearchOptions | None = None
    ) -> None:
        self.table = table
        self._seed = seed
        self._options = options or SearchOptions(method="halving")
        self._decisions = 0
        self._search: HalvingSearch | None = None
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
        seen = decided(self.table, view)
        moves = self._moves(seen, only)
        seed = mix(self._seed, self._decisions) if self._decisions else self._seed
        self._decisions += 1
        search = HalvingSearch(self.table, seen, moves, seed=seed, threads=self._options.threads)
        self._search, self._stopped = search, False
        began = time.monotonic_ns()
        deadline = 0 if seconds is None else began + max(int(seconds * 1e9), 1)

        def report() -> None:
            if progress is not None and search.iterations:
                self.seconds = (time.monotonic_ns() - began) / 1e9
                progress(self.analysis(top))

        stop = stop or Stop()
        try:
            with stop.ending([search]):
                run_all([search], [most], deadline, interval, report if progress else None)
            self._stopped = stop.is_set and search.iterations < most
        except KeyboardInterrupt:
            self._stopped = True
        self.seconds = (time.monotonic_ns() - began) / 1e9
        return not self._stopped

    def _moves(self, view: View, only: Sequence[Move] | None) -> list[Move]:
        """The moves to search. Raises MoveError for one asked for that is not legal."""
        listed = self.table.legal_moves(view.state)
        if only is not None:
            for move in only:
                if not self.table.is_legal(view.state, move, listed):
                    raise MoveError(f"{format_move(move)} is not legal here")
            if not only:
                raise MoveError("there is no move to search")
            return list(dict.fromkeys(only))
        if len(listed) <= MOST_MOVES:
            return list(islice(listed, MOST_MOVES))
        return likely_swaps(self.table, view)

    @property
    def best(self) -> Move:
        """The best move of the last search."""
        assert self._search is not None
        return self._search.best

    def analysis(self, top: int | None = None) -> Analysis:  # noqa: ARG002 - there are no lines
        """What the last search found out."""
        assert self._search is not None
        return self._search.analysis(self.seconds, stopped=self._stopped)

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
        """Search a decision for `sims` iterations or `seconds`: as `search.Session.analyse`."""
        self.search(
            view, sims=sims, seconds=seconds, only=only, stop=stop,
            progress=progress, interval=interval, top=top,
        )  # fmt: skip
        return self.analysis(top)
