"""The heuristics: fitted by an evolution strategy in games against a pool of earlier selves.

A normal distribution for each parameter; the best of those drawn from it say where it moves.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from masons.ai.policies.heuristic_moves import PARAMETERS, STAGES
from masons.ai.policies.heuristic_play import heuristic_games
from masons.ai.training.training_folder import read_arrays, write_arrays
from masons.engine.board.geometry import load_board
from masons.engine.game.table import Table
from masons.engine.kernels.rng import mix, new_rng
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.state.initial_state import empty_state

Numbers = NDArray[np.float64]

# Where the search for the heuristics begins, and its standard deviation at first: in the order of
# the parameters (see `masons.ai.policies.heuristic_moves`), the same for each third of the game.
FIRST = np.tile([0.9, 3.0, 0.0, 0.0, -2.0, 1.0, 1.3, 1.0, 0.0, 2.0, 1.0], STAGES)
SPREAD = np.tile([0.3, 2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 0.3, 1.0, 1.5, 1.5], STAGES)
CLOSER = np.tile([0.0, 0.0, 2.0, 1.0, 3.0, 3.0, 0.0, 0.0, 0.0, 0.0, 1.0], STAGES)
CANDIDATES, PARENTS, GAMES = 24, 6, 1000


def heuristic_share(ours: Numbers, theirs: Numbers, seed: int) -> float:
    """The share of games of two that parameters win, with a hundredth for each point of margin."""
    table = Table(load_board("classic"))
    start = empty_state(table.packed, 2)
    total = 0.0
    for seat in range(2):
        weights = np.concatenate([ours, theirs] if seat == 0 else [theirs, ours])
        results = np.zeros(GAMES * 6)
        heuristic_games(
            start, table.packed, new_rng(seed), weights, start.copy(), start.copy(),
            np.zeros(COUNTER_WORDS, dtype=np.uint64), results,
        )  # fmt: skip
        points = results.reshape(GAMES, 6)[:, :2]
        margin = points[:, seat] - points[:, 1 - seat]
        total += float(np.mean(margin > 0) + 0.5 * np.mean(margin == 0) + 0.01 * margin.mean())
    return total / 2


def train_heuristic(generations: int, seed: int, checkpoint: Path | None = None) -> Numbers:
    """The mean of the distribution after so many generations.

    With a `checkpoint` of an earlier run the generations after it are gone through.
    """
    first, mean, spread, pool = 0, FIRST.copy(), SPREAD * 0.6, [CLOSER, FIRST]
    if checkpoint and checkpoint.exists():
        kept = read_arrays(checkpoint)
        first, mean, spread, pool = int(kept["done"]), kept["mean"], kept["spread"], [*kept["pool"]]
    for number in range(first + 1, generations + 1):
        rng = np.random.default_rng([seed, number])
        tried = [mean + spread * rng.standard_normal(PARAMETERS) for _ in range(CANDIDATES)]
        rivals = [pool[i] for i in (0, -1, *rng.integers(0, len(pool), 2))]
        shares = [
            np.mean([heuristic_share(t, r, mix(seed, number)) for r in rivals]) for t in tried
        ]
        best = np.array([tried[i] for i in np.argsort(shares)[::-1][:PARENTS]])
        moved = np.sqrt(((best - mean) ** 2).mean(axis=0))
        spread = np.clip(0.9 * spread + 0.13 * moved, 0.03 * SPREAD, SPREAD)
        mean = best.mean(axis=0)
        if number % 10 == 0:
            pool = [*pool[:2], *pool[2:][-9:], mean.copy()]
            share = heuristic_share(mean, CLOSER, 7)
            print(f"heuristic {number}: {share:.3f} against the closer", flush=True)
        if checkpoint:
            kept = {
                "done": np.array(number),
                "mean": mean,
                "spread": spread,
                "pool": np.array(pool),
            }
            write_arrays(checkpoint, kept)
    return mean
