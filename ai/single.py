"""One search tree over one view, with all that one thread needs to grow it."""

from __future__ import annotations

from typing import Final

import numpy as np

from masons.ai.actions import CARD_MOVES
from masons.ai.iterate import CONTROL_WORDS, DONE, PATH_WORDS, STOP, run_search
from masons.ai.options import SearchOptions
from masons.ai.report import best_line, root_moves
from masons.ai.results import Analysis, MoveSums, averages, ranked
from masons.ai.tree import FIRST_NODE, FREE, REPORT_COLUMNS, ROWS_USED
from masons.engine import layout as at
from masons.engine.choices import POLICIES
from masons.engine.errors import MasonsError
from masons.engine.moves import MAX_CITIES, MAX_MOVES, WORK_WORDS
from masons.engine.notation import Move
from masons.engine.rng import new_rng
from masons.engine.snapshot import Position
from masons.engine.table import Table
from masons.engine.tally import TALLY_WORDS
from masons.engine.view import View

# Root moves that are reported; whole swaps beyond that many are searched but not listed.
REPORT_ROWS: Final = 8192
DECISIONS: Final = ("wall", "towers", "houses", "merge", "score", "swap", "final")


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
        self._policy = POLICIES.index(options.policy)
        self._exploration = float(options.exploration)
        self._table = table.packed
        self._start = self.view.state
        self._hidden = np.array([*self.view.hidden, 0, 0, 0, 0][:4], dtype=np.uint64)
        # Untouched memory costs nothing: the system gives pages as the tree grows.
        self.arena = np.empty((options.memory_mb << 17) // options.threads, dtype=np.uint64)
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
                PATH_WORDS,
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

    @property
    def tree_bytes(self) -> int:
        """The size of the tree."""
        return int(self.arena[int(FREE)]) * 8

    def visits(self) -> dict[Move, int]:
        """How often each root move was tried."""
        return {found.move: found.visits for found in root_moves(self.arena)}

    def add_to(self, sums: dict[Move, MoveSums]) -> None:
        """Add what this tree knows about each root move."""
        for found in root_moves(self.arena):
            row = self.report[found.row * REPORT_COLUMNS :][:REPORT_COLUMNS].tolist()
            line = tuple(best_line(self.arena, found.child))
            sums.setdefault(found.move, MoveSums()).add(row, line)

    def analysis(self, seconds: float = 0.0) -> Analysis:
        """The results so far of this tree alone."""
        return analysis_of([self], seconds)


def analysis_of(searches: list[Search], seconds: float = 0.0, *, stopped: bool = False) -> Analysis:
    """The results so far of several trees over one view, taken in their order."""
    view = searches[0].view
    sums: dict[Move, MoveSums] = {}
    for search in searches:
        search.add_to(sums)
    moves = ranked(sums, view.seat, view.players)
    return Analysis(
        seat=view.seat,
        phase=view.phase,
        iterations=sum(search.iterations for search in searches),
        seconds=seconds,
        tree_bytes=sum(search.tree_bytes for search in searches),
        moves=moves,
        wins=averages(moves, [stats.wins for stats in moves]),
        scores=averages(moves, [stats.scores for stats in moves]),
        stopped=stopped,
    )
