"""Playing environments by chance, and the chance inside them foretold, for the tests."""

from __future__ import annotations

import os
import random

import numpy as np

from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import Move
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.state import layout as at
from masons.env.batch_env import BatchEnv
from masons.env.stepping import env_layout
from tests.support.playing import pick

_MASK = (1 << 64) - 1


class Foretold:
    """The dice and draws of an environment, out of the generator that stands in its row."""

    def __init__(self, env: BatchEnv, number: int) -> None:
        self.word = int(env.state([number])[0, int(env_layout.RNG)])

    def below(self, n: int) -> int:
        """Wang Yi's wyrand as published, and the upper half of the product."""
        self.word = (self.word + 0x2D358DCCAA6C78A5) & _MASK
        wide = self.word * (self.word ^ 0x8BB84B93962EACC9)
        return ((((wide >> 64) ^ wide) & _MASK) * n) >> 64

    def give(self, game: Game) -> None:
        """Let chance have its way in a game that waits for it."""
        while game.phase in ("roll", "draw"):
            if game.phase == "roll":
                die, dice = self.below(3), self.below(36)
                tower = TOWER_DIE[die] if game.rolls_tower else None
                game.give_roll(tower, HOUSE_DIE[dice // 6], HOUSE_DIE[dice % 6])
            else:
                deck = int(game.state[int(at.DECK)])
                cards = [card for card in range(64) if deck >> card & 1]
                game.give_card(CARDS[cards[self.below(len(cards))] // 2])


def same_game(env: BatchEnv, number: int, *, early_roll: bool = False) -> Game:
    """The game that has just begun in an environment, as `masons.Game`."""
    position = env.position(number)
    hands = [[CARDS[kind] for kind in hand] for hand in position.hands if isinstance(hand, tuple)]
    return Game(
        position.players, board=env.encoding.board, chance=Outside(), hands=hands,
        early_roll=early_roll,
    )  # fmt: skip


def tries(env: BatchEnv, game: Game) -> dict[tuple[int, ...], set[int]]:
    """After which actions of the decision that is due which actions are legal, out of its moves."""
    encode = env.encoding.actions.actions_of
    actions_after: dict[tuple[int, ...], set[int]] = {}
    for move in game.legal_moves():
        actions = encode(game.table, game.state, move)
        assert actions
        for step, action in enumerate(actions):
            actions_after.setdefault(tuple(actions[:step]), set()).add(action)
    return actions_after


def move_in_step(env: BatchEnv, number: int, game: Game, move: Move, *, looks: bool) -> int:
    """Make a move in an environment and in its game; the number of actions. Compares the two."""
    actions = env.encode(move, number)
    legal = tries(env, game) if looks else None
    steps = np.full(env.num_envs, -1)
    foretold = Foretold(env, number)
    for made, action in enumerate(actions):
        if legal is not None:
            mask = set(np.flatnonzero(env.legal_mask(number)).tolist())
            assert mask == legal[tuple(actions[:made])], (game.text, actions[:made])
        assert env.is_mid_decision[number] == (made > 0)
        steps[number] = action
        env.step(steps)
    game.apply(move)
    foretold.give(game)
    row = env.state([number])[0]
    assert int(row[int(env_layout.RNG)]) == foretold.word
    assert np.array_equal(row[: at.STATE_WORDS], game.state), game.text
    kept = env.observe(number).history
    if kept is not None and not game.is_over:
        assert np.array_equal(kept, game.observe(game.seat).history)
    return len(actions)


def play_in_step(
    board: Board | str, players: int, seed: int, *, early_roll: bool = False, looks: float = 1.0
) -> int:
    """Play one game in step; the number of actions. `looks`: how often all moves are compared.

    With an odd seed what the seats chose is noted, too.
    """
    env = BatchEnv(
        1, players, board=board, seed=seed, auto_reset=False, early_roll=early_roll,
        beliefs=seed % 2 == 1,
    )  # fmt: skip
    step = env.reset()
    game = same_game(env, 0, early_roll=early_roll)
    chance = random.Random(seed)
    made = 0
    while not game.is_over:
        assert int(step.player[0]) == game.seat
        move = pick(game, chance)
        made += move_in_step(env, 0, game, move, looks=chance.random() < looks)
    assert step.done[0]
    assert int(step.player[0]) == -1
    assert not step.mask.any()
    result = game.result
    assert result is not None
    assert env.final_scores[0, :players].tolist() == list(result.scores)
    won = [(players * (seat in result.winners) / len(result.winners) - 1) / (players - 1)
           for seat in range(players)]  # fmt: skip
    assert np.allclose(step.reward[0, :players], won)
    return made


def steps_wanted(usual: int) -> int:
    """How many steps to play in step: what MASONS_FUZZ says, or as many as usual."""
    return int(os.environ.get("MASONS_FUZZ", usual))
