"""One search tree over one view, with all that one thread needs to grow it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from masons.ai.ismcts.iteration import PATH_WORDS, Tree, View, Workspace, run_search
from masons.ai.ismcts.node_lookup import find_node
from masons.ai.ismcts.root_moves import allowed, plant_root
from masons.ai.ismcts.root_sums import REWARDS, SCORES, MoveSums, averages, ranked, with_lines
from masons.ai.ismcts.tree import FIRST_NODE, FREE, REPORT_COLUMNS, ROWS_USED, VISITS
from masons.ai.ismcts.tree_actions import CARD_MOVES
from masons.ai.ismcts.tree_report import get, root_moves
from masons.ai.ismcts.tree_reuse import keep_below
from masons.ai.search.control import CONTROL_WORDS, DEADLINE, DONE, STOP
from masons.ai.search.decision_view import decision_view
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import field_of
from masons.engine.kernels.rng import new_rng
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.playouts.policies import POLICIES
from masons.engine.rules.legal_moves import MAX_CITIES, MAX_MOVES, WORK_WORDS
from masons.engine.state.layout import STATE_WORDS
from masons.engine.state.position import Position

# Root moves of which every seat's rewards and scores are summed, at most; they take this share of
# the memory at most. Only whole swaps can be more.
REPORT_ROWS: Final = 8192
_REPORT_SHARE: Final = 1 / 8
_WORKSPACE: Final = {
    "state": STATE_WORDS,
    "path": PATH_WORDS,
    "work": WORK_WORDS,
    "roots": MAX_CITIES,
    "actions": MAX_MOVES,
    "marks": CARD_MOVES,
    "counters": COUNTER_WORDS,
}


class Search:
    """One tree over one view, with its own buffers: what one thread needs.

    `options` are of ismcts. All of it takes its thread's share of the option `memory_mb` at most.
    `only` are the root's moves to search; None: all. Raises MasonsError for a view in which no seat
    can decide, and for moves that cannot be searched: none, or one that is not legal.
    """

    def __init__(
        self,
        table: Table,
        observed: Position | Observation,
        seed: int,
        options: SearchOptions,
        only: Sequence[Move] | None = None,
    ) -> None:
        self._table = table
        if options.policy is None or options.exploration is None:
            raise MasonsError(f"a tree is searched by ismcts: the options are of {options.method}")
        self._policy = POLICIES.index(options.policy)
        self._exploration = float(options.exploration)
        words = options.thread_words
        rows = min(REPORT_ROWS, int(_REPORT_SHARE * words) // REPORT_COLUMNS)
        self.report = np.zeros(rows * REPORT_COLUMNS)
        # Untouched memory costs nothing: the system gives pages as the tree grows.
        size = words - rows * REPORT_COLUMNS - sum(_WORKSPACE.values())
        self.arena = np.empty(size, dtype=np.uint64)
        self.control = np.zeros(CONTROL_WORDS, dtype=np.uint64)
        arrays = {
            name: field_of(np.zeros(count, dtype=np.uint64)) for name, count in _WORKSPACE.items()
        }
        self._workspace = Workspace(**arrays, rewards=field_of(np.zeros(4)))
        view = decision_view(table, observed)
        self._plant(view, self._allowed(view, only))
        self._look(view, seed)

    def _allowed(self, view: Observation, only: Sequence[Move] | None) -> Sequence[Move] | None:
        return None if only is None else allowed(self._table, view, only, len(self.arena))

    def _plant(self, view: Observation, only: Sequence[Move] | None) -> None:
        """An empty tree, or a root with the moves allowed."""
        self.arena[int(FREE)] = FIRST_NODE
        self.arena[int(ROWS_USED)] = 0
        self._is_whole = only is None
        self._given = 0 if only is None else plant_root(self.arena, view.phase, only)

    def _look(self, view: Observation, seed: int) -> None:
        """Search from a view on, with a new generator."""
        self.view = view
        self.players = view.players
        self._hidden = np.array([*view.hidden, 0, 0, 0, 0][:4], dtype=np.uint64)
        self._rng = new_rng(seed)
        self.control[:] = 0

    def advance(
        self,
        observed: Position | Observation,
        seed: int,
        *,
        reuse: bool = True,
        only: Sequence[Move] | None = None,
    ) -> None:
        """Go on to a later decision of the same seat, or any other one.

        Where the later view follows from the searched one along the tree, the part of the tree that
        is about it is kept (unless not `reuse`); else the tree begins anew, and so it does with
        `only`. Raises MasonsError as a new search does, and changes nothing then.
        """
        view = decision_view(self._table, observed)
        moves = self._allowed(view, only)
        node = self._known(view) if reuse and moves is None else 0
        used = int(self.arena[int(ROWS_USED)])
        self.report[: (used + 1) * REPORT_COLUMNS] = 0
        if node:
            keep_below(self.arena, node)
            if node == FIRST_NODE:  # its edges keep their rows
                self.arena[int(ROWS_USED)] = used
            # A root that lacks moves is never kept: what is kept has all of them.
            self._is_whole = True
            self._given = 0
        else:
            self._plant(view, moves)
        self._look(view, seed)

    def _known(self, view: Observation) -> int:
        """The node of a view in the tree; 0 where there is none with all its moves."""
        node = find_node(self.arena, self._table, self.view, view)
        return node if self._is_whole or node != FIRST_NODE else 0

    def run(self, iterations: int, deadline_ns: int = 0) -> None:
        """Search until so many iterations are done, `stop` is called, or the deadline comes.

        That is a time of `time.monotonic_ns`; 0 is none.
        """
        self.control[DEADLINE] = deadline_ns
        rows = self.report.size // REPORT_COLUMNS
        run_search(
            View(field_of(self.view.state), field_of(self._table.packed), field_of(self._hidden)),
            Tree(field_of(self.arena), U(self.arena.size), field_of(self.report), U(rows)),
            int(iterations),
            self._policy,
            self._exploration,
            self._rng,
            self.control,
            self._workspace,
        )

    def stop(self) -> None:
        """End a `run` in another thread, at once."""
        self.control[STOP] = 1

    @property
    def iterations(self) -> int:
        """The iterations done so far."""
        return int(self.control[DONE])

    @property
    def visits(self) -> int:
        """The visits that the root has, those kept from earlier decisions included."""
        if int(self.arena[int(FREE)]) == FIRST_NODE:
            return 0
        return get(self.arena.view(np.uint32), FIRST_NODE, VISITS) - self._given

    @property
    def tree_bytes(self) -> int:
        """The size of the tree."""
        return int(self.arena[int(FREE)]) * 8

    def root_visits(self) -> dict[Move, int]:
        """The visits of each root move, in earlier decisions too."""
        return {found.move: found.visits for found in root_moves(self.arena)}

    def add_to(self, sums: dict[Move, MoveSums]) -> None:
        """Add what this tree knows about each root move."""
        for found in root_moves(self.arena):
            row = self.report[found.row * REPORT_COLUMNS :][:REPORT_COLUMNS]
            sums.setdefault(found.move, MoveSums()).add(found, row, self.arena)

    def analysis(self, seconds: float = 0.0) -> Analysis:
        """The results so far of this tree alone."""
        return analysis_of([self], seconds)


def analysis_of(
    searches: list[Search],
    seconds: float = 0.0,
    *,
    stopped: bool = False,
    top: int | None = None,
) -> Analysis:
    """The results so far of several trees over one view, taken in their order.

    The `top` best moves get their lines; None: all of them.
    """
    view = searches[0].view
    sums: dict[Move, MoveSums] = {}
    for search in searches:
        search.add_to(sums)
    moves = ranked(sums, view.seat, view.players)
    iterations = sum(search.iterations for search in searches)
    return Analysis(
        seat=view.seat,
        phase=view.phase,
        iterations=iterations,
        kept=sum(search.visits for search in searches) - iterations,
        seconds=seconds,
        tree_bytes=sum(search.tree_bytes for search in searches),
        moves=with_lines(moves, sums, top),
        wins=averages(sums.values(), REWARDS, view.players),
        scores=averages(sums.values(), SCORES, view.players),
        stopped=stopped,
    )
