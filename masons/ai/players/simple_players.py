"""Players without a search: `random`, `busy`, `greedy`, `heuristic` and `policy`.

Each player has its own seeded random generator, so a game of named players is reproducible.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

import numpy as np

from masons.ai.beliefs.determinization import determinized
from masons.ai.evaluation.rewards import immediate_rewards
from masons.ai.models.hand_model import card_weights
from masons.ai.models.model_data import (
    NO_BIASES,
    Models,
    heuristic_weights,
    learned,
    learned_net,
)
from masons.ai.net_policy.net_play import policy_move
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.players.player import choice_given
from masons.ai.policies.heuristic_play import heuristic_move
from masons.ai.search.limits import Limits
from masons.engine.board.components import FIRST_LAND
from masons.engine.formats.move_text import Move, swap_move, wall_move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import new_workspace
from masons.engine.kernels.rng import new_rng
from masons.engine.playouts.policies import BUSY_GROUP_TENTHS, BUSY_UNIFORM_TENTHS
from masons.engine.state import layout
from masons.engine.state.packed_move import ABSTAIN, PLAY, WALL
from masons.engine.state.position import card_values, kinds, members

# The greedy player swaps land cards that would score at most this number of points now.
_POOR: Final = 1


class RandomPlayer:
    """A player that chooses uniformly; the base class of all players without a search."""

    name = "random"
    takes_limit = False

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def choose(
        self, table: Table, view: Observation, moves: Sequence[Move], limits: Limits | None = None
    ) -> Move:
        """Return one of `moves`; `limits` are ignored.

        Raises MasonsError as described for `Player.choose`.
        """
        view, moves = choice_given(table, view, moves, limits)
        return self.pick(table, view, moves)

    def pick(self, table: Table, view: Observation, moves: Sequence[Move]) -> Move:
        """Return a uniformly random move.

        In a random swap, the number of cards of each kind is therefore uniform.
        """
        del table, view
        return self._random.choice(moves)


class BusyPlayer(RandomPlayer):
    """A player that follows busy play, which prefers lines that complete a city or touch towers."""

    name = "busy"

    def pick(self, table: Table, view: Observation, moves: Sequence[Move]) -> Move:
        """Return a move chosen by busy play (see `busy_line`)."""
        if view.phase == "wall":
            line = busy_line(line_groups(view.state), self._random)
            if line is not None:
                return wall_move(line)
        if view.phase == "score":
            plays = [[m for m in moves if m.kind == PLAY and len(m.cards) == n] for n in (1, 2)]
            abstentions = [move for move in moves if move.kind == ABSTAIN]
            group = self._random.choice([plays[0], abstentions, plays[1]])
            return self._random.choice(group or plays[0])
        return super().pick(table, view, moves)


def line_groups(state: layout.State) -> list[list[int]]:
    """Return three groups of open lines.

    The first group contains the lines that complete a city, the second group the lines between two
    towers, and the third group the lines beside at least one tower.
    """
    return [
        members(state, int(base), 4) for base in (layout.CLOSING, layout.DOUBLE, layout.TOUCHED)
    ]


def busy_line(groups: Sequence[Sequence[int]], rng: random.Random) -> int | None:
    """Return a line by busy play; None means that any move may be chosen."""
    if 10 * rng.random() < BUSY_UNIFORM_TENTHS:
        return None
    for group in groups:
        if group and 10 * rng.random() < BUSY_GROUP_TENTHS:
            return rng.choice(group)
    return None


class GreedyPlayer(RandomPlayer):
    """A player that takes the most points now."""

    name = "greedy"

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._workspace = np.zeros(layout.STATE_WORDS, dtype=np.uint64)

    def pick(self, table: Table, view: Observation, moves: Sequence[Move]) -> Move:
        """Return a move with the most immediate points, or a wall by busy play if no wall scores.

        The player abstains if no card scores, and swaps land cards that would score almost nothing.
        """
        if view.phase == "swap":  # swap land cards that would score almost nothing
            values = card_values(view.state)
            hand = kinds(int(view.state[int(layout.HANDS) + view.seat]))
            return swap_move([k for k in hand if k >= FIRST_LAND and values[k] <= _POOR])
        rewards = np.zeros(len(moves), dtype=np.uint64)
        packed = np.array([int(move) for move in moves], dtype=np.uint64)
        immediate_rewards(view.state, table.packed, packed, packed.size, self._workspace, rewards)
        most = int(rewards.max())
        if most == 0 and view.phase == "wall":
            return self._build(view.state, moves)
        if most == 0 and view.phase == "score":
            moves = [move for move in moves if move.kind == ABSTAIN]
            return self._random.choice(moves)
        best = [
            move for move, reward in zip(moves, rewards.tolist(), strict=True) if reward == most
        ]
        return self._random.choice(best)

    def _build(self, state: layout.State, moves: Sequence[Move]) -> Move:
        """Return a wall by busy play, but avoid walls that complete a city without points."""
        closing, *others = line_groups(state)
        groups = [[line for line in group if line not in closing] for group in others]
        line = busy_line(groups, self._random)
        if line is not None:
            return wall_move(line)
        quiet = [move for move in moves if move.kind == WALL and move.place not in closing]
        return self._random.choice(quiet or moves)


class HeuristicPlayer(GreedyPlayer):
    """A player that uses heuristics without a search.

    Hidden cards are dealt at random once for each decision.
    """

    name = "heuristic"

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._rng = new_rng(seed)
        self._weights = heuristic_weights()

    def pick(self, table: Table, view: Observation, moves: Sequence[Move]) -> Move:
        """Return the move of `heuristic_move`, or the greedy player's move if there is none.

        `heuristic_move` has no moves for towers, houses and the final scoring.
        """
        state = determinized(view, self._rng)
        packed = heuristic_move(state, table.packed, self._rng, self._weights, self._workspace)
        return Move(packed) if packed else super().pick(table, view, moves)


class PolicyPlayer(GreedyPlayer):
    """A player that uses a net without a search.

    It predicts hidden hands if the view has a history.
    """

    name = "policy"

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._rng = new_rng(seed)
        self._models = Models(heuristic_weights(), learned_net("policy"), NO_BIASES)
        self._hand_model = learned()["hands"]
        self._policy_workspace = new_workspace(PolicyWorkspace)

    def pick(self, table: Table, view: Observation, moves: Sequence[Move]) -> Move:
        """Return `policy_move`'s move if it is one of `moves`, else the greedy player's move."""
        workspace = self._policy_workspace
        workspace.by_weights[0] = U(view.history is not None)
        if view.history is not None:
            weights = card_weights(view.state, table.packed, view.history, self._hand_model)
            workspace = workspace._replace(hand_weights=weights)
        state = determinized(view, self._rng)
        move = Move(policy_move(state, table.packed, self._rng, self._models, workspace))
        return move if move in moves else super().pick(table, view, moves)
