"""The player `policy`."""

from __future__ import annotations

from collections.abc import Sequence

from masons.ai.beliefs.determinization import determinized
from masons.ai.models.hand_model import card_weights
from masons.ai.models.model_data import Models, heuristic_weights, learned, learned_net
from masons.ai.net_policy.net_play import policy_move
from masons.ai.net_policy.policy_workspace import PolicyWorkspace, new_policy_workspace
from masons.ai.players.player import choice_given
from masons.ai.players.simple_players import GreedyPlayer
from masons.ai.search.limits import Limits
from masons.engine.formats.move_text import Move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import field_of
from masons.engine.kernels.rng import new_rng


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
