"""Decisions to measure by: one of each game, of games between different players.

Who plays how is drawn for each batch of games: searches of several sizes, heuristics, a share of
moves by chance, so that positions are not only those that today's player brings about.
"""

from __future__ import annotations

import argparse
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.model_data import learned
from masons.ai.self_play.seat_choices import Seat, packed_seats
from masons.ai.self_play.self_play import RESULT, Records, from_the_deal, play_in_kernel
from masons.engine.game.action_history import HISTORY_SIZE, ActionHistory
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import field_of
from masons.engine.kernels.rng import mix
from masons.engine.state.layout import (
    PHASE_SCORE,
    PHASE_SWAP,
    PHASE_WALL,
    SEAT,
    STATE_WORDS,
    State,
)

# The kinds of decisions that are measured, with their shares.
KINDS: Final = {
    "wall": (int(PHASE_WALL), 0.6),
    "scoring": (int(PHASE_SCORE), 0.25),
    "swap": (int(PHASE_SWAP), 0.15),
}
# Numbers of players, with their shares.
PLAYERS: Final = {2: 0.5, 3: 0.25, 4: 0.25}
# Simulations of a decision in the games that are sampled, or heuristics. And moves by chance.
SAMPLED: Final = ("heuristic", "60", "120", "120", "400")
EXPLORED: Final = (0.0, 0.0, 0.1, 0.3)
# The net without a search, as it is named among players.
POLICY: Final = "policy"
BATCH: Final = 20  # games between the same players


class Decisions(NamedTuple):
    """Decisions of one number of players, a row each."""

    states: State  # [rows, STATE_WORDS]
    histories: ActionHistory  # [rows, HISTORY_SIZE]

    @property
    def seats(self) -> NDArray[np.int64]:
        """The seat that decides, [rows]."""
        return self.states.view(np.uint8)[:, int(SEAT)].astype(np.int64)


def evaluator_of(text: str) -> str:
    """An evaluator that an option names. Raises ArgumentTypeError for none."""
    if text not in (POLICY, "heuristic") and not (text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not {POLICY}, heuristic or a number from 1")
    return text


def learned_seat(player: str) -> Seat:
    """A seat that plays by what is shipped: `policy`, `heuristic`, or so many simulations."""
    numbers = learned()
    simulations = int(player) if player.isdecimal() else 0
    return Seat(simulations, numbers["heuristic"], numbers["net"], by_net=player == POLICY)


def sample_decisions(table: Table, players: int, phase: int, games: int, seed: int) -> Decisions:
    """A decision in this phase of each of some games that has one.

    All games are between the same players, drawn by the seed.
    """
    rng = np.random.default_rng(seed)
    seats = [learned_seat(str(rng.choice(SAMPLED))) for _ in range(players)]
    # Of a game: its seed, one that is not used, that of the draw among its decisions.
    seeds = rng.integers(1 << 62, size=(games, 3), dtype=np.uint64)
    states = np.zeros((games, STATE_WORDS), dtype=np.uint64)
    histories, results = np.zeros((games, HISTORY_SIZE)), np.zeros((games, RESULT))
    records = Records(
        phase=U(phase),
        one_each=U(1),
        draws=field_of(seeds[:, 2].copy()),
        rows=U(games),
        states=field_of(states.ravel()),
        histories=field_of(histories.ravel()),
        results=field_of(results.ravel()),
    )
    packed = packed_seats(seats, learned()["hands"], float(rng.choice(EXPLORED)))
    play_in_kernel(table, from_the_deal(table, players, seeds[:, 0].tolist()), packed, records)
    found = results[:, 6] > 0
    return Decisions(states[found], histories[found])


def cells_of(count: int) -> list[tuple[str, int, int]]:
    """Some decisions shared out: the kind, the number of players, how many there are of them."""
    return [
        (kind, players, round(count * share * of_players))
        for kind, (_, share) in KINDS.items()
        for players, of_players in PLAYERS.items()
    ]


def sample_cell(table: Table, kind: str, players: int, count: int, seed: int) -> Decisions:
    """So many decisions of a kind and a number of players, from batches of BATCH games."""
    phase, batch = KINDS[kind][0], 0
    found: list[Decisions] = []
    while sum(len(part.states) for part in found) < count:
        batch_seed = mix(seed, phase, players, batch)
        found.append(sample_decisions(table, players, phase, BATCH, batch_seed))
        batch += 1
    return Decisions(
        np.concatenate([part.states for part in found])[:count],
        np.concatenate([part.histories for part in found])[:count],
    )
