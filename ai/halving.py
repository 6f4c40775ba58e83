"""Flat search with sequential halving: all moves at first, then the better half, and so on."""

from __future__ import annotations

import math
import time

import numpy as np

from masons.ai.leaf import FEATURES
from masons.ai.rollouts import COLUMNS, CONTROL_WORDS, DEADLINE, DONE, try_moves
from masons.engine.layout import STATE_WORDS
from masons.engine.rng import mix
from masons.engine.tally import TALLY_WORDS


class Flat:
    def __init__(self, table, view, moves, seed, thumb, leaf, turns):
        self.table, self.view, self.moves = table, view, list(moves)
        self.players, self.seat = view.players, view.seat
        self.packed = np.array([int(m) for m in moves], dtype=np.uint64)
        self.sums = np.zeros(len(moves) * COLUMNS)
        self.control = np.zeros(CONTROL_WORDS, dtype=np.uint64)
        self.hidden = np.array([*view.hidden, 0, 0, 0, 0][:4], dtype=np.uint64)
        self.seed = mix(seed) >> 1
        self.thumb, self.leaf, self.turns = thumb, leaf, turns
        self.room = [np.zeros(STATE_WORDS, dtype=np.uint64) for _ in range(3)]
        self.small = (np.zeros(TALLY_WORDS, dtype=np.uint64), np.zeros(1, dtype=np.uint64), np.zeros(4), np.zeros(4), np.zeros(FEATURES))

    def tries(self, alive, worlds):
        try_moves(self.view.state, self.table.packed, self.hidden, self.packed, alive, worlds, self.seed, self.turns,
                  self.thumb, self.leaf, self.control, self.sums, *self.room, *self.small)

    def values(self):
        rows = self.sums.reshape(-1, COLUMNS)
        n = np.maximum(rows[:, 0], 1)
        others = (rows[:, 9:9+self.players].sum(1) - rows[:, 9 + self.seat]) / (self.players - 1)
        margin = (rows[:, 9 + self.seat] - others) / n
        return rows[:, 1 + self.seat] / n + MARGIN * margin

    def run(self, sims=None, deadline=0):
        """Sequential halving."""
        self.control[DEADLINE] = deadline
        alive = np.arange(len(self.moves), dtype=np.uint64)
        if sims is None:
            # rate: from first worlds
            began = time.monotonic_ns()
            self.tries(alive, 1)
            took = max(time.monotonic_ns() - began, 1)
            sims = int(len(alive) * max(deadline - began - took, 0) / took) if deadline else 1000
        rounds = max(1, math.ceil(math.log2(max(len(alive), 2))))
        for r in range(rounds):
            if deadline:
                now = time.monotonic_ns()
                per = (now - began) / max(int(self.control[DONE]), 1)
                budget = max(deadline - now, 0) / per / (rounds - r)
            else:
                budget = sims / rounds
            self.tries(alive, max(1, int(budget / len(alive))))
            if len(alive) > 1:
                v = self.values()[alive.astype(np.int64)]
                order = np.argsort(-v, kind="stable")
                keep = (len(alive) + 1) // 2
                alive = alive[order[:keep]]
        return self.moves[int(alive[0])]

MARGIN = 0.004
