"""Players without a search: `random`, `busy` and `greedy`.

Each is a random player of its own seed, so a game of named players is repeatable.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

import numpy as np

from masons.ai.beliefs.determinization import determinized
from masons.ai.evaluation.rewards import immediate_rewards
from masons.ai.models.hand_model import card_weights
from masons.ai.models.model_data import Models, heuristic_weights, learned, learned_net
from masons.ai.net_policy.net_play import policy_move
from masons.ai.net_policy.policy_workspace import PolicyWorkspace, new_policy_workspace
from masons.ai.players.player import choice_given
from masons.ai.policies.heuristic_play import heuristic_move
from masons.ai.search.limits import Limits
from masons.engine.board.components import FIRST_LAND
from masons.engine.formats.move_text import Move, swap_move, wall_move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import field_of
from masons.engine.kernels.rng import new_rng
from masons.engine.playouts.policies import BUSY_GROUP_TENTHS, BUSY_UNIFORM_TENTHS
from masons.engine.state import layout as at
from masons.engine.state.packed_move import ABSTAIN, PLAY, WALL
from masons.engine.state.position import card_values, kinds, members

# Greedy swaps away the land cards that would score so little now.
_POOR: Final = 1


class RandomPlayer:
    """Uniform play."""

    takes_limit = False

    def __init__(self, seed: int) -> None:
        self.name = "random"
        self._random = random.Random(seed)

    def choose(
        self,
        table: Table,
        view: Observation,
        moves: Sequence[Move],
        limits: Limits | None = None,  # noqa: ARG002
    ) -> Move:
        """A uniform move; in a swap a uniform number of each kind."""
        view, moves = choice_given(table, view, moves)
        return self._random.choice(moves)


class BusyPlayer:
    """Busy play."""

    takes_limit = False

    def __init__(self, seed: int) -> None:
        self.name = "busy"
        self._random = random.Random(seed)

    def choose(
        self,
        table: Table,
        view: Observation,
        moves: Sequence[Move],
        limits: Limits | None = None,  # noqa: ARG002
    ) -> Move:
        """A move by the rules of busy play."""
        view, moves = choice_given(table, view, moves)
        if view.phase == "wall":
            groups = line_groups(view.state)
            line = busy_line(groups, self._random)
            return self._random.choice(moves) if line is None else wall_move(line)
        if view.phase == "score":
            return self._score(moves)
        return self._random.choice(moves)

    def _score(self, moves: Sequence[Move]) -> Move:
        singles = [m for m in moves if m.kind == PLAY and len(m.cards) == 1]
        pairs = [m for m in moves if m.kind == PLAY and len(m.cards) == 2]
        abstentions = [m for m in moves if m.kind == ABSTAIN]
        group = self._random.choice([singles, abstentions, pairs])
        return self._random.choice(group or singles)


def line_groups(state: at.State) -> list[list[int]]:
    """The open lines that complete a city, lie between two towers, and beside a tower."""
    return [members(state, int(base), 4) for base in (at.CLOSING, at.DOUBLE, at.TOUCHED)]


def busy_line(groups: Sequence[Sequence[int]], rng: random.Random) -> int | None:
    """A line by busy play; None: any move."""
    if 10 * rng.random() < BUSY_UNIFORM_TENTHS:
        return None
    for group in groups:
        if group and 10 * rng.random() < BUSY_GROUP_TENTHS:
            return rng.choice(group)
    return None


class GreedyPlayer:
    """The most points now."""

    takes_limit = False

    def __init__(self, seed: int) -> None:
        self.name = "greedy"
        self._random = random.Random(seed)
        self._workspace = np.zeros(at.STATE_WORDS, dtype=np.uint64)

    def choose(
        self,
        table: Table,
        view: Observation,
        moves: Sequence[Move],
        limits: Limits | None = None,  # noqa: ARG002
    ) -> Move:
        """The move that brings most points at once; building, one that does not feed others."""
        view, moves = choice_given(table, view, moves)
        state = view.state
        if view.phase == "swap":
            return self._swap(view)
        rewards = np.zeros(len(moves), dtype=np.uint64)
        packed = np.array([int(move) for move in moves], dtype=np.uint64)
        immediate_rewards(state, table.packed, packed, self._workspace, rewards)
        most = int(rewards.max())
        if most == 0 and view.phase == "wall":
            return self._build(state, moves)
        if most == 0 and view.phase == "score":
            moves = [move for move in moves if move.kind == ABSTAIN]
            return self._random.choice(moves)
        best = [
            move for move, reward in zip(moves, rewards.tolist(), strict=True) if reward == most
        ]
        return self._random.choice(best)

    def _build(self, state: at.State, moves: Sequence[Move]) -> Move:
        """Busy play without completing a city that brings nothing."""
        closing, *others = line_groups(state)
        groups = [[line for line in group if line not in closing] for group in others]
        line = busy_line(groups, self._random)
        if line is not None:
            return wall_move(line)
        quiet = [move for move in moves if move.kind == WALL and move.place not in closing]
        return self._random.choice(quiet or moves)

    def _swap(self, view: Observation) -> Move:
        """Away with land cards that would score almost nothing."""
        values = card_values(view.state)
        hand = kinds(int(view.state[int(at.HANDS) + view.seat]))
        poor = [kind for kind in hand if kind >= FIRST_LAND and values[kind] <= _POOR]
        return swap_move(poor)


# --- heuristic player
# The player `heuristic`.


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


# --- policy player
# The player `policy`.


class PolicyPlayer:
    """A net without a search; hidden hands are predicted where the view tells what was chosen."""

    takes_limit = False

    def __init__(self, seed: int) -> None:
        self.name = "policy"
        self._rng = new_rng(seed)
        numbers = learned()
        self._models = Models(field_of(heuristic_weights()), field_of(learned_net("policy")))
        self._hand_model = numbers["hands"]
        self._workspace = new_policy_workspace()
        self._greedy = GreedyPlayer(seed)

    def choose(
        self, table: Table, view: Observation, moves: Sequence[Move], limits: Limits | None = None
    ) -> Move:
        """Return `policy_move`'s move if it is one of `moves`; else the most points, else any."""
        view, moves = choice_given(table, view, moves)
        workspace = self._workspace_for(table, view)
        state = determinized(view, self._rng)
        move = Move(policy_move(state, table.packed, self._rng, self._models, workspace))
        if move in moves:
            return move
        return self._greedy.choose(table, view, moves, limits)

    def _workspace_for(self, table: Table, view: Observation) -> PolicyWorkspace:
        """The workspace, with the weights by which to deal the hidden hands."""
        workspace = self._workspace
        workspace.predicts[0] = U(view.history is not None)
        if view.history is None:
            return workspace
        weights = card_weights(view.state, table.packed, view.history, self._hand_model)
        return workspace._replace(hand_weights=field_of(weights))
