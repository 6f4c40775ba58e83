"""The player `heuristic`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from masons.ai.beliefs.determinization import determinized
from masons.ai.models.model_data import heuristic_weights
from masons.ai.players.player import choice_given
from masons.ai.players.simple_players import GreedyPlayer
from masons.ai.policies.heuristic_play import heuristic_move
from masons.ai.search.limits import Limits
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.rng import new_rng
from masons.engine.state import layout as at


class HeuristicPlayer:
    """Heuristics, without a search: what it cannot see is dealt anyhow, once a decision."""

    takes_limit = False

    def __init__(self, seed: int) -> None:
        self.name = "heuristic"
        self._rng = new_rng(seed)
        self._workspace = np.zeros(at.STATE_WORDS, dtype=np.uint64)
        self._weights = heuristic_weights()
        self._greedy = GreedyPlayer(seed)

    def choose(
        self, table: Table, view: Observation, moves: Sequence[Move], limits: Limits | None = None
    ) -> Move:
        """Return the move of `heuristic_move`; in the final scoring the most points, else any."""
        view, moves = choice_given(table, view, moves)
        state = determinized(view, self._rng)
        packed = heuristic_move(state, table.packed, self._rng, self._weights, self._workspace)
        if packed:
            return Move(packed)
        return self._greedy.choose(table, view, moves, limits)
