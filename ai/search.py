"""Searching from Python: buffers, limits by time and iterations, stopping, and the results.

>>> from masons.engine.game import Game
>>> game = Game(players=2, seed=3)
>>> analysis = analyse(game.table, game.view(game.seat), sims=200, seed=1)
>>> analysis.iterations, sum(stats.visits for stats in analysis.moves)
(200, 200)
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from masons.ai.actions import CARD_MOVES
from masons.ai.iterate import CONTROL_WORDS, DONE, MAX_DEPTH, STOP, run_search
from masons.ai.report import RootMove, best_line, root_moves
from masons.ai.tree import FIRST_NODE, FREE, REPORT_COLUMNS, ROWS_USED
from masons.engine import layout as at
from masons.engine.choices import POLICIES
from masons.engine.errors import MasonsError
from masons.engine.moves import MAX_CITIES, MAX_MOVES, WORK_WORDS
from masons.engine.notation import Move
from masons.engine.play import TALLY_WORDS
from masons.engine.rng import new_rng
from masons.engine.snapshot import Position
from masons.engine.table import Table
from masons.engine.view import View

# Root moves that are reported; whole swaps beyond that many are searched but not listed.
REPORT_ROWS: Final = 8192
DEFAULT_SIMS: Final = 10_000
DECISIONS: Final = ("wall", "towers", "houses", "merge", "score", "swap", "final")
# Visits are counted in 32 bits.
MAX_SIMS: Final = (1 << 32) - 2


@dataclass(frozen=True)
class SearchOptions:
    """How to search."""

    policy: str = "busy"  # of the playouts: one of masons.engine.choices.POLICIES
    exploration: float = 0.7  # UCB1's constant, for rewards from 0 to 1
    memory_mb: int = 256  # of the tree; a full tree is searched on without growing

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise MasonsError(f"policy {self.policy!r}: one of {', '.join(POLICIES)}")
        if not (math.isfinite(self.exploration) and 0 <= self.exploration <= 100):
            raise MasonsError(f"exploration {self.exploration}: a number from 0 to 100")
        if not 1 <= self.memory_mb <= 1 << 15:
            raise MasonsError(f"memory {self.memory_mb}: from 1 to {1 << 15} MiB")


@dataclass(frozen=True)
class MoveStats:
    """What the search found out about one move."""

    move: Move
    visits: int
    win: float  # win share of the seat that decides, from 0 to 1
    error: float  # its standard error
    wins: tuple[float, ...]  # win share of each seat
    scores: tuple[float, ...]  # expected final score of each seat
    line: tuple[str, ...]  # principal variation: moves, rolls, own draws


@dataclass(frozen=True)
class Analysis:
    """What the search found out about a position, for the seat that decides."""

    seat: int
    phase: str
    iterations: int
    seconds: float
    tree_bytes: int
    moves: tuple[MoveStats, ...]  # best first: most visits
    wins: tuple[float, ...]
    scores: tuple[float, ...]
    stopped: bool  # ended by Ctrl-C

    @property
    def best(self) -> Move:
        """The move with the most visits."""
        return self.moves[0].move


class Search:
    """One tree over one view, with its own buffers: what one thread needs.

    Raises MasonsError where the view is not one that a seat can decide in.
    """

    def __init__(
        self, table: Table, seen: Position | View, seed: int, options: SearchOptions
    ) -> None:
        if seen.phase not in DECISIONS:
            raise MasonsError(f"nothing is to be decided in phase {seen.phase}")
        self.view = table.view(seen)
        self.players = self.view.players
        self._policy = POLICIES.index(options.policy)
        self._exploration = float(options.exploration)
        self._table = table.packed
        self._start = self.view.state
        self._hidden = np.array([*self.view.hidden, 0, 0, 0, 0][:4], dtype=np.uint64)
        # Untouched memory costs nothing: the system gives pages as the tree grows.
        self.arena = np.empty(options.memory_mb << 17, dtype=np.uint64)
        self.arena[int(FREE)] = FIRST_NODE
        self.arena[int(ROWS_USED)] = 0
        self.report = np.zeros(REPORT_ROWS * REPORT_COLUMNS)
        self._rng = new_rng(seed)
        self.control = np.zeros(CONTROL_WORDS, dtype=np.uint64)
        (
            self._state,
            self._path,
            self._work,
            self._roots,
            self._actions,
            self._marks,
            self._tally,
        ) = (
            np.zeros(size, dtype=np.uint64)
            for size in (
                at.STATE_WORDS,
                MAX_DEPTH,
                WORK_WORDS,
                MAX_CITIES,
                MAX_MOVES,
                CARD_MOVES,
                TALLY_WORDS,
            )
        )
        self._rewards = np.zeros(4)

    def run(self, iterations: int) -> None:
        """Search until the tree has seen so many iterations or `stop` is called."""
        run_search(
            self._start,
            self._table,
            self._hidden,
            self.arena,
            self.report,
            self._rng,
            self.control,
            int(iterations),
            self._policy,
            self._exploration,
            self._state,
            self._path,
            self._work,
            self._roots,
            self._actions,
            self._marks,
            self._rewards,
            self._tally,
        )

    def stop(self) -> None:
        """End a `run` in another thread, at once."""
        self.control[STOP] = 1

    @property
    def iterations(self) -> int:
        """The iterations done so far."""
        return int(self.control[DONE])

    def _stats(self, found: RootMove) -> MoveStats:
        row = self.report[found.row * REPORT_COLUMNS :][:REPORT_COLUMNS].tolist()
        count = max(row[0], 1.0)
        seats = range(self.players)
        wins = tuple(row[1 + seat] / count for seat in seats)
        own = self.view.seat
        spread = max(row[5 + own] / count - wins[own] ** 2, 0.0)
        return MoveStats(
            move=found.move,
            visits=int(row[0]),
            win=wins[own],
            error=math.sqrt(spread / count),
            wins=wins,
            scores=tuple(row[9 + seat] / count for seat in seats),
            line=tuple(best_line(self.arena, found.child)),
        )

    def analysis(self, seconds: float, *, stopped: bool = False) -> Analysis:
        """The results so far."""
        found = list(root_moves(self.arena))
        own = self.view.seat
        stats = sorted(
            (self._stats(move) for move in found),
            key=lambda s: (-s.visits, -s.win, -s.scores[own], s.move),
        )
        total = max(sum(s.visits for s in stats), 1)
        seats = range(self.players)
        return Analysis(
            seat=self.view.seat,
            phase=self.view.phase,
            iterations=self.iterations,
            seconds=seconds,
            tree_bytes=int(self.arena[int(FREE)]) * 8,
            moves=tuple(stats),
            wins=tuple(sum(s.wins[i] * s.visits for s in stats) / total for i in seats),
            scores=tuple(sum(s.scores[i] * s.visits for s in stats) / total for i in seats),
            stopped=stopped,
        )


def _run(search: Search, iterations: int, failed: list[BaseException]) -> None:
    """What the search's thread does; an exception is kept for the thread that waits."""
    try:
        search.run(iterations)
    except BaseException as error:
        failed.append(error)


def _watch(search: Search, thread: threading.Thread, deadline: float | None, interval: float,
           progress: Callable[[Analysis], None] | None, began: float) -> None:  # fmt: skip
    """Wait for the search, reporting now and then, and stop it at the deadline."""
    while thread.is_alive():
        now = time.monotonic()
        if deadline is not None and now >= deadline:
            search.stop()
            thread.join()
            return
        wait = interval if progress is not None else 0.5
        thread.join(wait if deadline is None else min(wait, deadline - now))
        if progress is not None and search.iterations:
            progress(search.analysis(time.monotonic() - began))


def analyse(
    table: Table,
    view: Position | View,
    *,
    sims: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    options: SearchOptions | None = None,
    progress: Callable[[Analysis], None] | None = None,
    interval: float = 0.5,
) -> Analysis:
    """Search a decision for `sims` iterations or `seconds` (both: whichever ends first).

    `view` is what the deciding seat sees. With `sims` alone the result depends on nothing but the
    arguments. Ctrl-C ends the search early; the results so far are returned, marked `stopped`.
    Raises MasonsError for impossible arguments.
    """
    if sims is not None and not 1 <= sims <= MAX_SIMS:
        raise MasonsError(f"sims is {sims}: it must be from 1 to {MAX_SIMS}")
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise MasonsError(f"time is {seconds} s: it must be more than 0")
    if sims is None:
        sims = DEFAULT_SIMS if seconds is None else MAX_SIMS
    search = Search(table, view, seed, options or SearchOptions())
    search.run(1)  # compiles, and makes sure of one result
    began = time.monotonic()
    deadline = None if seconds is None else began + seconds
    failed: list[BaseException] = []
    thread = threading.Thread(target=_run, args=(search, sims, failed), daemon=True)
    thread.start()
    stopped = False
    try:
        _watch(search, thread, deadline, interval, progress, began)
    except KeyboardInterrupt:
        search.stop()
        thread.join()
        stopped = True
    if failed:
        raise failed[0]
    return search.analysis(time.monotonic() - began, stopped=stopped)
