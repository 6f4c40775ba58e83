"""Environments and `masons.Game`, move by move: the same states, the same legal moves."""

from __future__ import annotations

from itertools import count

import pytest

from tests.support.env_play import play_in_step, steps_wanted
from tests.support.playing import BOARD_NAMES, board_of


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
    wanted, made = steps_wanted(2000), 0
    for seed in count():
        made += play_in_step("classic", 2 + seed % 3, seed, early_roll=seed % 7 == 0, looks=0.02)
        if made >= wanted:
            break
    assert made >= wanted
