"""The search of one decision by sequential halving, in threads, with a deadline or without.

At the root sequential halving (see `sequential_halving`), with common random numbers; below each
move a tree of the walls to come (see `wall_tree`), whose nodes a net evaluates. The hidden hands of
a determinization are dealt by what everybody chose, where the view tells (see `hand_model`), else
all cards are as likely.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.halving.move_figures import Figures
from masons.ai.halving.paired_values import Round, paired_means
from masons.ai.halving.sequential_halving import (
    better_half,
    determinizations_of,
    move_value,
    rounds_of,
)
from masons.ai.halving.simulation import simulate_moves
from masons.ai.halving.wall_tree import FREE, LINKS
from masons.ai.halving.wasteful_moves import SURE, error_of_difference, final_gains
from masons.ai.halving.workspace import (
    COLUMNS,
    ENDED,
    SCORES,
    SQUARES,
    VISITS,
    WINS,
    Batch,
    Decision,
    Models,
    new_workspace,
)
from masons.ai.models.calibration import calibration_of
from masons.ai.models.hand_model import card_weights
from masons.ai.models.model_data import kernel_nets, learned, learned_net
from masons.ai.search.control import DEADLINE, DONE, STOP
from masons.ai.search.decision_view import decision_view
from masons.ai.search.levels import TOP_LEVEL, level_of
from masons.ai.search.limits import MAX_SIMS
from masons.ai.search.results import Analysis, standard_error
from masons.ai.search.search_options import SearchOptions
from masons.ai.search.threads import workers
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import field_of
from masons.engine.kernels.rng import mix
from masons.engine.state.packed_move import EARLY_ROLL

_MAX_DETERMINIZATIONS: Final = 1 << 40
# Words of each thread's trees at most: 64 MiB, those of some million simulations; then they grow no
# more, as they do where the option `memory_mb` leaves them less.
ARENA_WORDS: Final = 1 << 23
# Words of each thread beside its tree and its sums: 64 KiB.
_WORKSPACE_WORDS: Final = 1 << 13
# A search without an end halves again and again, each time with twice the simulations: at first so
# many of each move.
_AT_FIRST: Final = 64

Sums = NDArray[np.float64]
Numbers = NDArray[np.uint64]


class HalvingSearch:
    """The search of one decision: `moves` (one at least) of a view.

    Of the options `level` and `memory_mb` are looked at; there may be fewer threads than they say.
    `weights` replaces what is shipped (see `learned`). Raises MasonsError as `decision_view` does,
    and where the memory has no room for the moves.
    """

    def __init__(
        self,
        table: Table,
        view: Observation,
        moves: Sequence[Move],
        *,
        seed: int,
        threads: int = 1,
        options: SearchOptions | None = None,
        weights: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self.view = view = decision_view(table, view)
        self.moves = list(moves)
        self._seed = mix(seed) >> 1  # 63 bits: a seed gives the search that it always gave
        numbers = weights or learned()
        net = kernel_nets([weights["net"]]) if weights else learned_net()
        self._decision = decision_of(table, view, moves, numbers["hands"])
        heuristic = np.tile(numbers["heuristic"], view.players)
        self._models = Models(field_of(heuristic), field_of(net))
        self._calibration = calibration_of(
            numbers["calibration"], predicts_hands=view.history is not None
        )
        options = options or SearchOptions(threads=threads)
        arena_words = _arena_words(len(moves), options)
        # What each thread finds of each move, and what it works with.
        self._found = [np.zeros(len(moves) * COLUMNS) for _ in range(threads)]
        self._workspaces = [new_workspace(sums, arena_words) for sums in self._found]
        error = level_of(options.level or TOP_LEVEL).error
        self._errors = error * np.random.default_rng(self._seed).standard_normal(len(moves))
        # A level below the highest confuses moves, here too.
        self._gains = None if error else final_gains(table, view, self.moves)
        self._determinizations = 0
        self._is_stopped = False
        self._rounds = list[Round]()
        # What there was before this halving, and what the last one found where there are several.
        self._before = np.zeros((len(moves), COLUMNS))
        self._halved: Sums | None = None

    def stop(self) -> None:
        """End a `run` in another thread, at once."""
        self._is_stopped = True
        for workspace in self._workspaces:
            workspace.control[STOP] = 1

    @property
    def searches(self) -> tuple[HalvingSearch]:
        """What is to be run: it shares out its determinizations among the threads by itself."""
        return (self,)

    @property
    def iterations(self) -> int:
        """How many simulations there were: of a move in a determinization."""
        return sum(int(workspace.control[DONE]) for workspace in self._workspaces)

    def run(self, iterations: int, deadline_ns: int = 0) -> None:
        """Search until there were so many simulations, `stop` is called, or the deadline comes.

        That is a time of `time.monotonic_ns`; 0 is none. Each round of halving gets as much.
        """
        if deadline_ns or iterations < MAX_SIMS:
            self._halve(iterations, deadline_ns)
        else:
            self._halve_on(iterations)

    def _halve_on(self, iterations: int) -> None:
        """Halve all moves again and again: whenever `stop` comes, one halving was a long one."""
        budget = _AT_FIRST * len(self.moves)
        self._halve(budget, 0)  # also where `stop` came before: then a moment of it
        while not self._is_stopped and self.iterations < iterations:
            self._halved = self._sums() - self._before
            self._before = self._sums()
            budget *= 2
            self._halve(min(self.iterations + budget, iterations), 0)

    def _halve(self, iterations: int, deadline_ns: int) -> None:
        """Sequential halving."""
        alive = self._first(iterations)
        rounds = max(1, int(rounds_of(U(len(alive)))))
        began = time.monotonic_ns()
        for left in range(rounds, 0, -1):
            end = 0
            if deadline_ns:
                end = began + max(deadline_ns - began, 1) * (rounds + 1 - left) // rounds
            self._simulate(alive, iterations, left, end)
            if self._is_stopped or self.iterations >= iterations:
                return
            if deadline_ns and time.monotonic_ns() >= deadline_ns:
                return
            alive = self._best(alive, int(better_half(U(len(alive)))))
        # What is left over goes to the best ones.
        while not deadline_ns and not self._is_stopped and self.iterations < iterations:
            self._simulate(alive, iterations, 1, 0)

    def _first(self, sims: int) -> Numbers:
        """The moves to begin with: all, or as many random ones as there are simulations.

        What gives most is always among them.
        """
        numbers = np.arange(len(self.moves), dtype=np.uint64)
        if sims >= len(numbers):
            return numbers
        drawn = np.random.default_rng(self._seed).permutation(numbers)[:sims]
        if self._gains is not None:
            most = self._gains.index(max(self._gains))
            if most not in drawn:
                drawn[0] = most
        return np.sort(drawn)

    def _simulate(self, alive: Numbers, iterations: int, rounds: int, end: int) -> None:
        """The first of so many `rounds` that are left, until the deadline `end`.

        The determinizations are shared out among the threads. Moves are left out where there
        would be more than `iterations` in all.
        """
        most = iterations - self.iterations
        alive = alive[:most]
        count = int(determinizations_of(U(most), U(rounds), U(len(alive))))
        count = min(count, _MAX_DETERMINIZATIONS)
        step = len(self._workspaces)
        counts = [(count - n + step - 1) // step for n in range(step)]
        self._add(alive, counts, end)
        self._determinizations += count

    def _add(self, alive: Numbers, counts: Sequence[int], end: int) -> None:
        """Simulate moves in so many determinizations of each thread, and note what that added."""
        step, numbers = len(self._workspaces), alive.astype(np.int64)
        before = self._sums()[numbers]

        def work(thread: int) -> None:
            workspace = self._workspaces[thread]
            workspace.control[DEADLINE] = end
            first = U(self._determinizations + thread)
            batch = Batch(U(self._seed), first, U(step), U(counts[thread]))
            simulate_moves(self._decision, self._models, batch, alive, workspace)

        if step == 1:
            work(0)
        else:
            list(workers(step).map(work, [n for n in range(step) if counts[n]]))
        self._rounds.append(Round(alive, self._sums()[numbers] - before))

    def _best(self, alive: Numbers, count: int) -> Numbers:
        """The best of some moves, best first."""
        values = self._values(self._sums() - self._before)[alive.astype(np.int64)]
        return alive[np.argsort(-values, kind="stable")[:count]]

    def _sums(self) -> Sums:
        """float64[moves, COLUMNS]: what all threads found."""
        total = np.sum(self._found, axis=0)
        return np.reshape(total, (-1, COLUMNS))

    def _values(self, rows: Sums) -> Sums:
        """Each move's mean value to the seat that decides, with the errors of the level."""
        seat, players = self.view.seat, self.view.players
        scores = rows[:, SCORES : SCORES + players]
        total = scores.sum(axis=1)
        sums = move_value(rows[:, WINS + seat], scores[:, seat], total, U(players))
        values: Sums = sums / np.maximum(rows[:, VISITS], 1) + self._errors
        return values

    def ended_share(self, move: Move) -> float:
        """The share of a move's playouts that came to the end of the game."""
        row = self._sums()[self.moves.index(move)]
        return float(row[ENDED] / row[VISITS])

    @property
    def best(self) -> Move:
        """The move that came through with the best value."""
        return self.moves[self._order()[0]]

    def _order(self) -> list[int]:
        """The moves simulated, best first: those that came further, then by value."""
        rows = self._sums() if self._halved is None else self._halved
        simulations, values = rows[:, VISITS], self._values(rows)
        order = np.lexsort((-values, -simulations))  # stable: of equals the one listed first
        return self._without_waste(order[simulations[order] > 0].tolist(), values)

    def _without_waste(self, order: list[int], values: Sums) -> list[int]:
        """The order in which the first move gives nothing away (see `wasteful_moves`)."""
        first = order[0]
        if self._gains is not None:
            most = max(self._gains[i] for i in order)
            better = next(i for i in order if self._gains[i] == most)
        elif self.moves[first].kind == EARLY_ROLL and len(order) > 1:
            better = order[1]
            sure = SURE * error_of_difference(*map(self._error, (first, better)))
            if values[first] - values[better] > sure:
                return order
        else:
            return order
        return [better, *(i for i in order if i != better)]

    def _error(self, number: int) -> float | None:
        """The standard error of a move's win probability."""
        row, seat = self._sums()[number], self.view.seat
        visits = row[VISITS]
        return standard_error(int(visits), row[WINS + seat] / visits, row[SQUARES + seat] / visits)

    def analysis(
        self,
        seconds: float,
        *,
        stopped: bool = False,
        top: int | None = None,  # noqa: ARG002 - there are no lines to leave out
    ) -> Analysis:
        """What was found out. There are no lines: nodes sum over all that may have come before."""
        order = self._order()
        means = paired_means(self._sums(), tuple(self._rounds), order[0])
        moves = Figures(self.view, self.moves, self._calibration).of(order, means)
        return Analysis(
            seat=self.view.seat,
            phase=self.view.phase,
            iterations=self.iterations,
            kept=0,
            seconds=seconds,
            tree_bytes=sum(8 * int(one.arena[int(FREE)]) for one in self._workspaces),
            moves=moves,
            wins=moves[0].wins,
            scores=moves[0].scores,
            stopped=stopped,
        )


def _arena_words(moves: int, options: SearchOptions) -> int:
    """The words of a thread's tree. Raises MasonsError where the moves alone need more."""
    words = options.thread_words - moves * COLUMNS - _WORKSPACE_WORDS
    if words < LINKS + moves:
        raise MasonsError(f"the memory of the search has no room for {moves} moves")
    return min(words, ARENA_WORDS)


def decision_of(
    table: Table, view: Observation, moves: Sequence[Move], hand_model: NDArray[np.float64]
) -> Decision:
    """What the kernels are to know of a decision."""
    weights = np.zeros(0)
    if view.history is not None:
        weights = card_weights(view.state, table.packed, view.history, hand_model)
    return Decision(
        observed=field_of(view.state),
        board=field_of(table.packed),
        hidden=field_of(np.array([*view.hidden, 0, 0, 0, 0][:4], dtype=np.uint64)),
        predicts_hands=U(len(weights)),
        hand_weights=field_of(weights),
        moves=field_of(np.array([int(move) for move in moves], dtype=np.uint64)),
        move_count=U(len(moves)),
    )
