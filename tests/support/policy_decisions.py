"""Decisions of games, and the moves that the policy's kernel chooses in them."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.hand_model import card_weights
from masons.ai.models.model_data import learned, learned_models
from masons.ai.net_policy.net_play import policy_move
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.engine.board.components import CARDS
from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import Move
from masons.engine.game.game import Game
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import new_workspace
from masons.engine.kernels.rng import new_rng
from masons.engine.state.layout import DECK, DISCARD, HANDS, State
from tests.support.playing import pick

NET = learned()["net"]
SOME_TABLES = [(2, "classic"), (3, "ring-128"), (4, "triangle-36"), (3, "hexagon-24")]
MODELS = learned_models()


def policy_choice(
    game: Game,
    state: State,
    seed: int,
    workspace: PolicyWorkspace | None = None,
    hand_weights: NDArray[np.float64] | None = None,
) -> int:
    """Return the packed move that the policy chooses in a state of a game.

    It is 0 if there is no move to choose. With `hand_weights`, the policy predicts hands with them.
    """
    workspace = workspace or new_workspace(PolicyWorkspace)
    if hand_weights is not None:
        workspace = workspace._replace(hand_weights=hand_weights)
    workspace.by_weights[0] = U(hand_weights is not None)
    return int(policy_move(state.copy(), game.table.packed, new_rng(seed), MODELS, workspace))


def weights_seen(game: Game) -> NDArray[np.float64]:
    """Return the hand weights with which the deciding seat deals the hidden hands."""
    view = game.observe(game.seat)
    assert view.history is not None
    return card_weights(view.state, game.table.packed, view.history, learned()["hands"])


def policy_game(
    players: int, seed: int, board: Board | None = None, explored: float = 0.0
) -> Iterator[tuple[Game, int]]:
    """Play a game by the policy, and yield it before each decision with the policy's packed move.

    The share `explored` of the decisions is made at random, as are those where the move is 0 (see
    `policy_choice`).
    """
    chance, workspace = random.Random(seed), new_workspace(PolicyWorkspace)
    game = Game(players, seed=seed) if board is None else Game(players, seed=seed, board=board)
    while not game.is_over:
        packed = policy_choice(game, game.state, chance.getrandbits(60), workspace)
        yield game, packed
        by_chance = not packed or chance.random() < explored
        game.apply(pick(game, chance) if by_chance else Move(packed))


def holding(state: State, seat: int, *names: str, alone: bool = False) -> State:
    """Return a state in which a seat holds both copies of the named cards.

    They replace as many of its other cards, or all of them with `alone`. The other seats keep their
    other cards.
    """
    changed, hands = state.copy(), [int(state[int(HANDS) + other]) for other in range(4)]
    new = sum(3 << 2 * CARDS.index(name) for name in names)
    cards = [card for card in range(2 * len(CARDS)) if hands[seat] & ~new & 1 << card]
    kept = 0 if alone else sum(1 << card for card in cards[2 * len(names) :])
    for other in range(4):
        changed[int(HANDS) + other] = np.uint64(
            new | kept if other == seat else hands[other] & ~new
        )
    unseen = int(state[int(DECK)]) | hands[seat]
    changed[int(DECK)] = np.uint64(unseen & ~new & ~kept)
    changed[int(DISCARD)] = np.uint64(int(state[int(DISCARD)]) & ~new)
    return changed
