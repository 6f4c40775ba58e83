"""Environments and `masons.Game`, move by move: the same states, the same legal moves."""

from __future__ import annotations

import os
import random
from itertools import count

import numpy as np
import pytest

from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import Move
from masons.engine.game.chance import Outside
from masons.engine.game.game import Game
from masons.engine.state import layout
from masons.env.batch_env import BatchEnv, win_rewards
from masons.env.stepping import env_layout
from tests.support.playing import BOARD_NAMES, board_of, pick

_MASK = (1 << 64) - 1


class Foretold:
    """The dice and draws of an environment, out of the generator that stands in its row."""

    def __init__(self, env: BatchEnv) -> None:
        self.word = int(env.state()[0, int(env_layout.RNG)])

    def below(self, n: int) -> int:
        """Wang Yi's wyrand as published, and the upper half of the product."""
        self.word = (self.word + 0x2D358DCCAA6C78A5) & _MASK
        wide = self.word * (self.word ^ 0x8BB84B93962EACC9)
        return ((((wide >> 64) ^ wide) & _MASK) * n) >> 64

    def give(self, game: Game) -> None:
        """Give a game that waits for chance what the environment will draw."""
        while game.phase in ("roll", "draw"):
            if game.phase == "roll":
                die, dice = self.below(3), self.below(36)
                tower = TOWER_DIE[die] if game.rolls_tower else None
                game.give_roll(tower, HOUSE_DIE[dice // 6], HOUSE_DIE[dice % 6])
            else:
                deck = int(game.state[int(layout.DECK)])
                cards = [card for card in range(64) if deck >> card & 1]
                game.give_card(CARDS[cards[self.below(len(cards))] // 2])


def same_game(env: BatchEnv, *, early_roll: bool) -> Game:
    """Return the game that has just begun in an environment, as `masons.Game`."""
    position = env.position(0)
    hands = [[CARDS[kind] for kind in hand] for hand in position.hands if isinstance(hand, tuple)]
    return Game(
        position.players, board=env.encoding.board, chance=Outside(), hands=hands,
        early_roll=early_roll,
    )  # fmt: skip


def legal_after(env: BatchEnv, game: Game) -> dict[tuple[int, ...], set[int]]:
    """Return which actions the moves of a game make legal after which actions of its decision."""
    legal: dict[tuple[int, ...], set[int]] = {}
    for move in game.legal_moves():
        actions = env.encoding.actions.actions_of(game.table, game.state, move)
        assert actions
        for step, action in enumerate(actions):
            legal.setdefault(tuple(actions[:step]), set()).add(action)
    return legal


def move_in_step(env: BatchEnv, game: Game, move: Move, *, looks: bool) -> int:
    """Make a move in an environment and in its game, compare them, return the actions made."""
    actions = env.encode(move)
    legal = legal_after(env, game) if looks else None
    foretold = Foretold(env)
    for made, action in enumerate(actions):
        if legal is not None:
            mask = set(np.flatnonzero(env.legal_mask(0)).tolist())
            assert mask == legal[tuple(actions[:made])], (game.text, actions[:made])
        assert env.is_mid_decision[0] == (made > 0)
        env.step([action])
    game.apply(move)
    foretold.give(game)
    row = env.state()[0]
    assert int(row[int(env_layout.RNG)]) == foretold.word
    assert np.array_equal(row[: layout.STATE_WORDS], game.state), game.text
    kept = env.observe(0).history
    if kept is not None and not game.is_over:
        assert np.array_equal(kept, game.observe(game.seat).history)
    return len(actions)


def play_in_step(
    board: Board | str, players: int, seed: int, *, early_roll: bool = False, looks: float = 1.0
) -> int:
    """Play one game in step, and return the number of actions.

    `looks`: how often all moves are compared. With an odd seed the seats' choices are noted, too.
    """
    env = BatchEnv(1, players, board=board, seed=seed, auto_reset=False, early_roll=early_roll)
    step = env.reset()
    game = same_game(env, early_roll=early_roll)
    chance = random.Random(seed)
    made = 0
    while not game.is_over:
        assert int(step.player[0]) == game.seat
        move = pick(game, chance)
        made += move_in_step(env, game, move, looks=chance.random() < looks)
    assert step.done[0]
    assert int(step.player[0]) == -1
    assert not step.mask.any()
    result = game.result
    assert result is not None
    assert env.final_scores[0, :players].tolist() == list(result.scores)
    assert np.allclose(step.reward[0, :players], win_rewards(players, result.winners))
    return made


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_game_in_step(players: int) -> None:
    assert play_in_step("classic", players, players, looks=0.1) > 60


@pytest.mark.slow
@pytest.mark.parametrize("name", BOARD_NAMES)
def test_games_on_other_boards(name: str) -> None:
    for seed in range(2):
        play_in_step(board_of(name), 2 + seed, seed, early_roll=seed == 1, looks=0.2)


@pytest.mark.slow
def test_many_steps_in_step() -> None:
    """`MASONS_FUZZ=1000000` for a million steps: ten minutes."""
    wanted, made = int(os.environ.get("MASONS_FUZZ", "2000")), 0
    for seed in count():
        made += play_in_step("classic", 2 + seed % 3, seed, early_roll=seed % 7 == 0, looks=0.02)
        if made >= wanted:
            break
    assert made >= wanted
