"""The search of one decision by sequential halving, in threads, with or without a deadline.

The moves of the decision are compared by sequential halving (see `sequential_halving`) with common
random numbers. Below each move there is a tree of the next walls (see `simulation`), whose leaves
are evaluated by a net. If the view has an action history, hidden hands are dealt according to the
seats' choices (see `hand_model`). Otherwise they are dealt according to the points of each card.

Two rules prevent bad moves from being chosen because of the noise of a small search:

- An early roll costs at most one point, and then the same decision is due again. Only noise can
  therefore make the value of an early roll the highest. An early roll is chosen only if its value
  exceeds that of the best other move by more than `MIN_SIGMA` standard errors of the difference.
- In the final scoring, more points (or, with equal points, more cards left) can never lower the
  rank of a seat, so the move with the most points is chosen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.evaluation.rewards import move_value
from masons.ai.halving.sequential_halving import (
    LEAST_CLOSING,
    better_half,
    determinizations_of,
    rounds_of,
)
from masons.ai.halving.simulation import (
    COLUMNS,
    ENDED,
    FREE,
    LINKS,
    SCORES,
    SET_WORDS,
    SQUARES,
    VISITS,
    WINS,
    SimulationBatch,
    new_simulation_workspace,
    simulate_moves,
)
from masons.ai.models.calibration import calibrated
from masons.ai.models.features import game_left_of
from masons.ai.models.model_data import NO_BIASES, Models, learned, learned_net
from masons.ai.models.packed_net import kernel_nets
from masons.ai.search.decision import decision_of, decision_view
from masons.ai.search.limits import MAX_SIMS
from masons.ai.search.results import WIDEST, Analysis, MoveStats, standard_error
from masons.ai.search.search_options import TOP_LEVEL, SearchOptions, level_of
from masons.ai.search.threads import DEADLINE, DONE, STOP, workers
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.rng import mix
from masons.engine.state import layout
from masons.engine.state.packed_move import EARLY_ROLL, WALL
from masons.engine.state.position import byte_in, scores_in

MIN_SIGMA: Final = 2.0  # standard errors by which an early roll must exceed other moves
_MAX_DETERMINIZATIONS: Final = 1 << 40
# Upper limit for the words of each thread's trees: 64 MiB, enough for about a million simulations.
# Full trees stop growing. The option `memory_mb` can set a lower limit.
ARENA_WORDS: Final = 1 << 23
# Words that each thread needs in addition to its trees and sums: 64 KiB.
_WORKSPACE_WORDS: Final = 1 << 13
# A search without a limit repeats the halving, each time with twice the simulations. The first
# halving has this number of simulations per move.
_FIRST_SIMULATIONS: Final = 64

Sums = NDArray[np.float64]
MoveIds = NDArray[np.uint64]


class Round(NamedTuple):
    """One round of halving: moves that were simulated in the same determinizations."""

    moves: MoveIds  # uint64[moves]: the indices of the moves
    sums: Sums  # float64[moves, COLUMNS]: the sums of this round


def paired_means(sums: Sums, rounds: Sequence[Round], reference: int) -> Sums:
    """Return the mean results of all moves, each compared fairly with the move `reference`.

    Both the result and `sums`, the sums over all rounds, are [moves, COLUMNS]. A move that survives
    longer is simulated in more determinizations, so plain means differ by chance alone. Each move
    is therefore compared with the reference in the determinizations in which both were simulated.
    The mean of the move is the mean of the reference minus the mean difference between the two (a
    control variate).
    """
    means = sums / np.maximum(sums[:, VISITS], 1)[:, None]
    means[:, VISITS] = sums[:, VISITS]
    shared, differences = np.zeros(len(sums)), np.zeros_like(sums)
    for played in rounds:
        is_reference = played.moves == reference
        if is_reference.any():
            numbers = played.moves.astype(np.int64)
            shared[numbers] += played.sums[is_reference][0, VISITS]
            differences[numbers] += played.sums[is_reference] - played.sums
    known = np.flatnonzero(shared)
    for column in (*range(WINS, SQUARES), *range(SCORES, COLUMNS)):
        difference = differences[known, column] / shared[known]
        means[known, column] = means[reference, column] - difference
    return means


def final_gains(
    table: Table, view: Observation, moves: Sequence[Move]
) -> list[tuple[int, int]] | None:
    """Return a pair for each move of a final scoring: its points, and minus its number of cards.

    The move with the greatest pair is the best move. Returns None in all other phases.
    """
    if view.phase != "final":
        return None
    points = {city: table.card_points(view.state, city) for city in {move.city for move in moves}}
    return [
        (sum(points[move.city][kind] for kind in move.cards), -len(move.cards)) for move in moves
    ]


class HalvingSearch:
    """A search for the best of `moves` (at least one) for the seat that decides in a view.

    Of `options`, only `level` and the memory of a thread are used. That memory is `memory_mb`
    divided by `options.threads`, even if `threads` is lower. `weights` replaces the shipped weights
    (see `learned`). Raises MasonsError as `decision_view` does, and if the memory is too small for
    the moves.
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
        self._seed = mix(seed) >> 1  # 63 bits, so that old seeds give unchanged results
        numbers = weights or learned()
        net = kernel_nets([weights["net"]]) if weights else learned_net()
        self._decision = decision_of(table, view, moves, numbers)
        heuristic = np.tile(numbers["heuristic"], view.players)
        self._models = Models(heuristic, net, NO_BIASES)
        self._calibration = numbers["calibration"]
        options = options or SearchOptions(threads=threads)
        arena_words = options.thread_words - len(moves) * COLUMNS - _WORKSPACE_WORDS
        if arena_words < LINKS + len(moves):
            raise MasonsError(f"the memory of the search has no room for {len(moves)} moves")
        # Each thread has its own sums over simulations and its own workspace.
        self._thread_sums = [np.zeros(len(moves) * COLUMNS) for _ in range(threads)]
        self._workspaces = [
            new_simulation_workspace(sums, min(arena_words, ARENA_WORDS))
            for sums in self._thread_sums
        ]
        error = level_of(options.level or TOP_LEVEL).error
        self._errors = error * np.random.default_rng(self._seed).standard_normal(len(moves))
        # A level below the highest also makes errors in a final scoring.
        self._gains = None if error else final_gains(table, view, self.moves)
        closing = view.state[layout.CLOSING : layout.CLOSING + U(SET_WORDS)].view(np.uint8)
        completes_city = np.unpackbits(closing, bitorder="little").astype(bool)
        self._is_closing = np.array(
            [move.kind == WALL and completes_city[move.place] for move in self.moves]
        )
        self._determinizations = 0
        self._is_stopped = False
        self._rounds = list[Round]()
        # The sums before the current halving began, and the sums of the last complete halving
        # before it (None if there was none).
        self._before = np.zeros((len(moves), COLUMNS))
        self._last_halving: Sums | None = None

    def stop(self) -> None:
        """Make a `run` in another thread end at once."""
        self._is_stopped = True
        for workspace in self._workspaces:
            workspace.control[STOP] = 1

    @property
    def searches(self) -> tuple[HalvingSearch]:
        """The searches to run: only this one, which divides its work among the threads itself."""
        return (self,)

    @property
    def iterations(self) -> int:
        """The number of simulations so far; each is one move in one determinization."""
        return sum(int(workspace.control[DONE]) for workspace in self._workspaces)

    def run(self, iterations: int, deadline_ns: int = 0) -> None:
        """Search until a limit is reached or `stop` is called.

        The limits are a total of `iterations` simulations, and a deadline. `deadline_ns` is a time
        as returned by `time.monotonic_ns`, or 0 for no deadline. Each round of halving gets an
        equal share of the simulations or of the time. Without a limit, the halving of all moves is
        repeated with growing budgets, so that a long halving is complete whenever `stop` is called.
        """
        if deadline_ns or iterations < MAX_SIMS:
            self._halve(iterations, deadline_ns)
            return
        budget = _FIRST_SIMULATIONS * len(self.moves)
        self._halve(budget, 0)  # runs briefly even if `stop` was called before
        while not self._is_stopped and self.iterations < iterations:
            self._last_halving = self._sums() - self._before
            self._before = self._sums()
            budget *= 2
            self._halve(min(self.iterations + budget, iterations), 0)

    def _halve(self, iterations: int, deadline_ns: int) -> None:
        """Halve the moves until one is left.

        Without a deadline, any remaining simulations go to the moves that are still alive.
        """
        alive = self._first_moves(iterations)
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
            alive = self._going_on(alive, left - 1)
        while not deadline_ns and not self._is_stopped and self.iterations < iterations:
            self._simulate(alive, iterations, 1, 0)

    def _going_on(self, alive: MoveIds, rounds: int) -> MoveIds:
        """Return the moves that go on, if `rounds` rounds are still to come."""
        sums = self._sums() - self._before
        ranked = alive[np.argsort(-self._values(sums)[alive.astype(np.int64)], kind="stable")]
        better = int(better_half(U(len(alive))))
        rest = ranked[better:].astype(np.int64)
        waits = (rounds > 1) & self._is_closing[rest] & (sums[rest, VISITS] < LEAST_CLOSING)
        return np.concatenate([ranked[:better], ranked[better:][waits]])

    def _first_moves(self, sims: int) -> MoveIds:
        """Return the indices of the moves to begin with, in ascending order.

        These are all moves, or `sims` random moves if there are more moves than simulations. The
        best move of a final scoring is always among them.
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

    def _simulate(self, alive: MoveIds, iterations: int, rounds: int, end: int) -> None:
        """Simulate the moves of the next round in all threads, until the deadline `end` (0: none).

        `rounds` is the number of rounds that are still to come, including this one. If there are
        more moves than simulations left, the last moves are left out.
        """
        most = iterations - self.iterations
        alive = alive[:most]
        count = int(determinizations_of(U(most), U(rounds), U(len(alive))))
        count = min(count, _MAX_DETERMINIZATIONS)
        step, numbers = len(self._workspaces), alive.astype(np.int64)
        counts = [(count - n + step - 1) // step for n in range(step)]
        before = self._sums()[numbers]

        def work(thread: int) -> None:
            workspace = self._workspaces[thread]
            workspace.control[DEADLINE] = end
            first = U(self._determinizations + thread)
            batch = SimulationBatch(U(self._seed), first, U(step), U(counts[thread]))
            simulate_moves(self._decision, self._models, batch, alive, alive.size, workspace)

        if step == 1:
            work(0)
        else:
            list(workers(step).map(work, [n for n in range(step) if counts[n]]))
        self._rounds.append(Round(alive, self._sums()[numbers] - before))
        self._determinizations += count

    def _sums(self) -> Sums:
        """Return the sums over all threads: float64[moves, COLUMNS]."""
        total = np.sum(self._thread_sums, axis=0)
        return np.reshape(total, (-1, COLUMNS))

    def _values(self, rows: Sums) -> Sums:
        """Return each move's mean value for the seat that decides, plus the error of the level.

        `rows` has the sums of each move. The errors of a level are described in `search_options`.
        """
        seat, players = self.view.seat, self.view.players
        scores = rows[:, SCORES : SCORES + players]
        total = scores.sum(axis=1)
        sums = move_value(rows[:, WINS + seat], scores[:, seat], total, U(players))
        values: Sums = sums / np.maximum(rows[:, VISITS], 1) + self._errors
        return values

    def ended_share(self, move: Move) -> float:
        """Return the share of a move's simulations that reached the end of the game."""
        row = self._sums()[self.moves.index(move)]
        return float(row[ENDED] / row[VISITS])

    @property
    def best(self) -> Move:
        """The best move, which is the first in the order that `_order` returns."""
        return self.moves[self._order()[0]]

    def _order(self) -> list[int]:
        """Return the indices of the simulated moves, best first.

        The moves are ordered by the number of rounds that they survived, then by value. The two
        rules in the module's docstring are applied to the first move.
        """
        rows = self._sums() if self._last_halving is None else self._last_halving
        simulations, values = rows[:, VISITS], self._values(rows)
        ranked = np.lexsort((-values, -simulations))  # stable: equal moves keep their order
        order: list[int] = ranked[simulations[ranked] > 0].tolist()
        first = order[0]
        if self._gains is not None:
            most = max(self._gains[i] for i in order)
            better = next(i for i in order if self._gains[i] == most)
        elif self.moves[first].kind == EARLY_ROLL and len(order) > 1:
            better = order[1]
            error = math.hypot(self._standard_error(first), self._standard_error(better))
            if values[first] - values[better] > MIN_SIGMA * error:
                return order
        else:
            return order
        return [better, *(i for i in order if i != better)]

    def _standard_error(self, number: int) -> float:
        """Return the standard error of a move's win probability.

        After a single simulation, the result is WIDEST.
        """
        row, seat = self._sums()[number], self.view.seat
        visits = row[VISITS]
        error = standard_error(int(visits), row[WINS + seat] / visits, row[SQUARES + seat] / visits)
        return WIDEST if error is None else error

    def analysis(self, seconds: float, *, stopped: bool = False) -> Analysis:
        """Return the calibrated figures of each move, best first.

        There are no lines of play, because a node of the tree does not correspond to a single
        position.
        """
        order, view = self._order(), self.view
        seat, players = view.seat, view.players
        means = paired_means(self._sums(), tuple(self._rounds), order[0])[order]
        raw_wins, raw_scores = (means[:, first : first + players] for first in (WINS, SCORES))
        wins, scores = calibrated(
            self._calibration, game_left_of(view.state), seat, np.clip(raw_wins, 0.0, 1.0),
            raw_scores, means[:, ENDED],
        )  # fmt: skip
        if not byte_in(view.state, layout.OPTIONS) & int(layout.EARLY_ROLL_OPTION):
            # Only an early roll can lower a score, but nets and calibration do not know that.
            scores = np.maximum(scores, scores_in(view.state, players))
        rows = tuple(
            MoveStats(
                move=self.moves[i], visits=visits, win=shares[seat],
                wins=tuple(shares), scores=tuple(totals),
            )
            for i, visits, shares, totals in zip(
                order, means[:, VISITS].astype(int).tolist(), wins.tolist(), scores.tolist(),
                strict=True,
            )
        )  # fmt: skip
        return Analysis(
            seat=seat,
            phase=view.phase,
            iterations=self.iterations,
            seconds=seconds,
            tree_bytes=sum(8 * int(memory.arena[int(FREE)]) for memory in self._workspaces),
            moves=rows,
            wins=rows[0].wins,
            scores=rows[0].scores,
            stopped=stopped,
        )
