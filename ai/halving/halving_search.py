"""Halving: all moves are tried in the same worlds, and the worse half is dropped, and so on.

Sequential halving (Karnin, Koren and Somekh 2013) at the root, with common random numbers, and
below each move a tree of the walls to come (see `wall_tree`), whose nodes a net judges. What is
compared is the share of the victory with a little of the lead in points, which still tells moves
apart where the game is as good as decided. The hidden hands of a world are dealt by what everybody
chose, where the view tells (see `hand_model`), else all cards are as likely.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.halving.simulation import (
    COLUMNS,
    ENDED,
    SCORES,
    SQUARES,
    VISITS,
    WINS,
    Workspace,
    new_workspace,
    simulate_moves,
)
from masons.ai.halving.wall_tree import LEAD
from masons.ai.models.calibration import calibrated, calibration_of
from masons.ai.models.features import game_left_of
from masons.ai.models.hand_model import card_weights
from masons.ai.models.model_data import learned
from masons.ai.search.control import CONTROL_WORDS, DEADLINE, DONE, STOP
from masons.ai.search.results import Analysis, MoveStats
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.rng import mix
from masons.engine.state.layout import STATE_WORDS

_MAX_DETERMINIZATIONS: Final = 1 << 40
# Words of each thread's tree: 64 MiB, those of some million tries; then it grows no more.
ARENA_WORDS: Final = 1 << 23

Sums = NDArray[np.float64]
Numbers = NDArray[np.uint64]


@dataclass
class _Worker:
    """What one thread needs: a tree of its own, what it found, and workspace."""

    sums: Sums
    arena: Numbers
    control: Numbers = field(default_factory=lambda: np.zeros(CONTROL_WORDS, dtype=np.uint64))
    determinization: Numbers = field(default_factory=lambda: np.zeros(STATE_WORDS, dtype=np.uint64))
    rng: Numbers = field(default_factory=lambda: np.zeros(1, dtype=np.uint64))
    workspace: Workspace = field(default_factory=new_workspace)


class HalvingSearch:
    """The search of one decision: `moves` (one at least) of a view.

    `error`: of what each move is worth (see `levels`). `weights` replaces what is shipped (see
    `learned`).
    """

    def __init__(
        self,
        table: Table,
        view: Observation,
        moves: Sequence[Move],
        *,
        seed: int,
        threads: int = 1,
        error: float = 0.0,
        weights: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self.view = view
        self.moves = list(moves)
        self._table = table
        self._packed = np.array([int(move) for move in moves], dtype=np.uint64)
        self._hidden = np.array([*view.hidden, 0, 0, 0, 0][:4], dtype=np.uint64)
        self._seed = mix(seed) >> 1  # a number that numba takes for a signed one
        numbers = weights or learned()
        self._heuristic = np.tile(numbers["heuristic"], view.players)
        self._net = numbers["net"]
        self._hand_weights = np.zeros(0)
        if view.history is not None:
            self._hand_weights = card_weights(
                view.state, table.packed, view.history, numbers["hands"]
            )
        self._calibration = numbers["calibration"]
        # Untouched memory costs nothing: the system gives pages as the tree grows.
        self._workers = [
            _Worker(np.zeros(len(moves) * COLUMNS), np.zeros(ARENA_WORDS, dtype=np.uint64))
            for _ in range(threads)
        ]
        self._errors = error * np.random.default_rng(self._seed).standard_normal(len(moves))
        self._determinizations = 0
        self._is_stopped = False

    def stop(self) -> None:
        """End a `run` in another thread, at once."""
        self._is_stopped = True
        for worker in self._workers:
            worker.control[STOP] = 1

    @property
    def iterations(self) -> int:
        """How many times a move was tried in a world."""
        return sum(int(worker.control[DONE]) for worker in self._workers)

    def run(self, iterations: int, deadline_ns: int = 0) -> None:
        """Search until so many moves were tried, `stop` is called, or the deadline comes.

        That is a time of `time.monotonic_ns`; 0 is none. Each round of halving gets as much.
        """
        alive = self._first(iterations)
        rounds = max(1, math.ceil(math.log2(len(alive))))
        began = time.monotonic_ns()
        with ThreadPoolExecutor(len(self._workers)) as pool:
            for number in range(1, rounds + 1):
                share = (iterations - self.iterations) // (rounds - number + 1)
                end = 0
                if deadline_ns:
                    end = began + max(deadline_ns - began, 1) * number // rounds
                alive = alive[: iterations - self.iterations]
                self._try(pool, alive, max(share // len(alive), 1), end)
                if self._is_stopped or self.iterations >= iterations:
                    return
                alive = self._better_half(alive)
            # What is left over goes to the best ones.
            while not deadline_ns and not self._is_stopped and self.iterations < iterations:
                left = iterations - self.iterations
                alive = alive[:left]
                self._try(pool, alive, left // len(alive), 0)

    def _first(self, sims: int) -> Numbers:
        """The moves to begin with: all, or as many by chance as there are iterations."""
        numbers = np.arange(len(self.moves), dtype=np.uint64)
        if sims >= len(numbers):
            return numbers
        return np.sort(np.random.default_rng(self._seed).permutation(numbers)[:sims])

    def _try(
        self, pool: ThreadPoolExecutor, alive: Numbers, determinizations: int, end: int
    ) -> None:
        """Try the moves in more worlds, shared out among the threads; in one at least."""
        step = len(self._workers)
        determinizations = min(determinizations, _MAX_DETERMINIZATIONS)

        def work(number: int) -> None:
            worker = self._workers[number]
            worker.control[DEADLINE] = end
            simulate_moves(
                self.view.state, self._table.packed, self._hidden, self._hand_weights, self._packed, alive,
                self._determinizations + number, step, (determinizations - number + step - 1) // step, self._seed,
                self._heuristic, self._net, worker.arena, worker.control, worker.sums,
                worker.determinization, worker.rng, *worker.workspace,
            )  # fmt: skip

        if step == 1:
            work(0)
        else:
            list(pool.map(work, range(min(step, determinizations))))
        self._determinizations += determinizations

    def _better_half(self, alive: Numbers) -> Numbers:
        return self._best(alive, (len(alive) + 1) // 2)

    def _best(self, alive: Numbers, count: int) -> Numbers:
        """The best of some moves, best first."""
        values = self._values()[alive.astype(np.int64)]
        return alive[np.argsort(-values, kind="stable")[:count]]

    def _sums(self) -> Sums:
        """float64[moves, COLUMNS]: what all threads found."""
        total = self._workers[0].sums.copy()
        for worker in self._workers[1:]:
            total += worker.sums
        return total.reshape(-1, COLUMNS)

    def _values(self) -> Sums:
        """What each move is worth to the seat that decides."""
        rows, seat, players = self._sums(), self.view.seat, self.view.players
        simulations = np.maximum(rows[:, VISITS], 1)
        scores = rows[:, SCORES : SCORES + players]
        others = (scores.sum(axis=1) - scores[:, seat]) / (players - 1)
        value = (rows[:, WINS + seat] + LEAD * (scores[:, seat] - others)) / simulations
        values: Sums = value + self._errors
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
        """The moves tried, best first: those that came further, then by value."""
        simulations, values = self._sums()[:, VISITS], self._values()
        order = sorted(range(len(self.moves)), key=lambda i: (-simulations[i], -values[i], i))
        return [i for i in order if simulations[i]]

    def analysis(self, seconds: float, *, stopped: bool = False) -> Analysis:
        """What was found out. There are no lines: nothing below the moves is remembered."""
        seat, players, order = self.view.seat, self.view.players, self._order()
        rows = self._sums()[order]
        simulations = rows[:, VISITS]
        raw, squares, points = (
            rows[:, at : at + players] / simulations[:, None] for at in (WINS, SQUARES, SCORES)
        )
        left, ended = game_left_of(self.view.state), rows[:, ENDED] / simulations
        weights = calibration_of(self._calibration, predicts_hands=len(self._hand_weights) > 0)
        wins, scores = calibrated(weights, left, seat, raw, points, ended)
        errors = np.sqrt(np.maximum(squares[:, seat] - raw[:, seat] ** 2, 0.0) / simulations)
        moves = [
            MoveStats(
                move=self.moves[i],
                visits=int(simulations[n]),
                win=float(wins[n, seat]),
                error=float(errors[n]),
                sampled=int(simulations[n]),
                wins=tuple(wins[n].tolist()),
                scores=tuple(scores[n].tolist()),
                line=(),
            )
            for n, i in enumerate(order)
        ]
        return Analysis(
            seat=seat,
            phase=self.view.phase,
            iterations=self.iterations,
            kept=0,
            seconds=seconds,
            tree_bytes=rows.nbytes,
            moves=tuple(moves),
            wins=moves[0].wins,
            scores=moves[0].scores,
            stopped=stopped,
        )
