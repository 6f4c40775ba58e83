"""Games played on after each candidate of a decision, with the same luck after all of them."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.ruler.sampled_decisions import Decisions, learned_seat
from masons.ai.models.model_data import learned
from masons.ai.self_play.seat_choices import packed_seats
from masons.ai.self_play.self_play import RESULT, Beginnings, Records, play_in_kernel
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import field_of, words
from masons.engine.kernels.rng import mix
from masons.engine.state.layout import PHASE_OVER

# Shares of a victory are kept as twelfths: a half, a third and a quarter are whole numbers of them.
TWELFTHS: Final = 12
# What seats choose is drawn apart from the luck: its generator begins with the luck's, xored.
_CHOICES: Final = 0xD1B54A32D192ED03


class Continued(NamedTuple):
    """What is to be played on: a game for each entry, uint64[games]."""

    rows: NDArray[np.uint64]  # the number of the decision
    moves: NDArray[np.uint64]  # the packed move that is played there
    seeds: NDArray[np.uint64]  # of the dice and cards that follow


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
    evaluator: str,
) -> Outcomes:
    """Play games on to their ends, every seat by an evaluator (see `learned_seat`).

    `decisions`: those of one number of players; `games.rows` are rows of them.
    """
    count = len(games.rows)
    results = np.zeros((count, RESULT))
    beginnings = Beginnings(
        games=U(count),
        seeds=field_of(games.seeds),
        choices=U(_CHOICES),
        starts=field_of(games.rows),
        states=field_of(np.ascontiguousarray(decisions.states).ravel()),
        is_dealt=U(1),
        histories=field_of(np.ascontiguousarray(decisions.histories).ravel()),
        moves=field_of(games.moves),
    )
    none, no_floats = words(0), field_of(np.zeros(0))
    records = Records(PHASE_OVER, U(0), none, U(0), none, no_floats, field_of(results.ravel()))
    seats = packed_seats([learned_seat(evaluator)] * players, learned()["hands"])
    play_in_kernel(table, beginnings, seats, records)
    return outcomes_of(results[:, :players], decisions.seats[games.rows.astype(np.int64)])


def outcomes_of(points: NDArray[np.float64], seats: NDArray[np.int64]) -> Outcomes:
    """Outcomes of games to these seats, by the points [games, players] with the cards in hand."""
    rows = np.arange(len(points))
    won = points == points.max(axis=1, keepdims=True)
    shares = won[rows, seats] * TWELFTHS // won.sum(axis=1)
    others = points.copy()
    others[rows, seats] = -np.inf
    margins = np.floor(points[rows, seats]) - np.floor(others.max(axis=1))
    return Outcomes(shares.astype(np.uint8), np.clip(margins, -127, 127).astype(np.int8))
