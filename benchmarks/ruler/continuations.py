"""Games played on after each candidate of a decision, with the same luck after all of them."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.ruler.game_kernels import RESULT_NUMBERS, Continued, Worlds, play_on_after
from benchmarks.ruler.sampled_decisions import Decisions, learned_seat
from masons.ai.halving.workspace import COLUMNS, new_workspace
from masons.ai.models.model_data import learned
from masons.ai.net_policy.policy_workspace import new_policy_workspace
from masons.ai.training.seat_choices import ARENA_WORDS, new_game_workspace, packed_seats
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import field_of
from masons.engine.kernels.rng import mix
from masons.engine.rules.legal_moves import MAX_MOVES

# Shares of a victory are kept as twelfths: a half, a third and a quarter are whole numbers of them.
TWELFTHS: Final = 12


class Outcomes(NamedTuple):
    """What came of games played on, each to the seat that decided."""

    shares: NDArray[np.uint8]  # of a victory, in twelfths
    margins: NDArray[np.int8]  # points more than the best other seat


def luck_seed(seed: int, luck: int) -> int:
    """The seed of the dice and cards after a decision, the same after each of its candidates."""
    return mix(seed, luck)


def play_on(
    table: Table,
    decisions: Decisions,
    players: int,
    games: Continued,
    simulations: int,
) -> Outcomes:
    """Play games on to their ends, every seat by so many simulations (0: by the heuristics).

    `decisions`: those of one number of players; `games.worlds` are rows of them.
    """
    worlds = np.asarray(games.worlds, dtype=np.uint64)
    results = np.zeros(len(worlds) * RESULT_NUMBERS)
    play_on_after(
        table.packed,
        Worlds(
            field_of(np.ascontiguousarray(decisions.states).ravel()),
            field_of(np.ascontiguousarray(decisions.histories).ravel()),
        ),
        games,
        U(len(worlds)),
        packed_seats([learned_seat(simulations)] * players, learned()["hands"]),
        results,
        new_game_workspace(),
        new_workspace(np.zeros(MAX_MOVES * COLUMNS), ARENA_WORDS),
        new_policy_workspace(),
    )
    seats = decisions.seats[worlds.astype(np.int64)]
    return outcomes_of(results.reshape(-1, RESULT_NUMBERS)[:, :players], seats)


def outcomes_of(points: NDArray[np.float64], seats: NDArray[np.int64]) -> Outcomes:
    """Outcomes of games to these seats, by the points [games, players] with the cards in hand."""
    rows = np.arange(len(points))
    won = points == points.max(axis=1, keepdims=True)
    shares = won[rows, seats] * TWELFTHS // won.sum(axis=1)
    others = points.copy()
    others[rows, seats] = -np.inf
    margins = np.floor(points[rows, seats]) - np.floor(others.max(axis=1))
    return Outcomes(shares.astype(np.uint8), np.clip(margins, -127, 127).astype(np.int8))
