"""Choices of the net policy where the best move is plain."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from masons.ai.self_play.self_play import play_policy_games
from masons.engine.board.components import HOUSE_COLORS
from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import Move
from masons.engine.game.game import Game
from masons.engine.game.table import Table
from masons.engine.state import layout as at
from masons.engine.state.layout import State
from masons.engine.state.position import byte_in, members, unpack_state
from tests.support.playing import board_of
from tests.support.policy_decisions import NET, holding, policy_choice, policy_game


def chosen(game: Game, state: State, seed: int = 0) -> Move:
    return Move(policy_choice(game, state, seed))


# --- houses


@pytest.mark.parametrize(("players", "share"), [(2, 0.4), (3, 0.7), (4, 0.7)])
def test_houses_are_of_the_color_that_the_own_cards_count(players: int, share: float) -> None:
    """Of a few moves that are as many of each color: 20 % would be chance."""
    won = []
    for seed in range(6):
        for game, _ in policy_game(players, seed):
            if game.phase != "houses" or len(game.legal_moves()) < 5:
                continue
            for color in HOUSE_COLORS:
                counts = [str(move).count(color) for move in game.legal_moves()]
                if min(counts) < max(counts):
                    move = chosen(game, holding(game.state, game.seat, f"land-{color}"))
                    won.append(str(move).count(color) == max(counts))
    assert len(won) > 100
    assert np.mean(won) > share


# --- the last wall


def last_walls(board: Board, players: int, games: int) -> Iterator[tuple[Game, State]]:
    """Yield the starts of turns with one wall left in games of the policy."""
    table = Table(board)
    for state in play_policy_games(table, players, range(games), NET).starts:
        if byte_in(state, at.WALL_LEFT) == 1:
            yield Game.from_position(unpack_state(state), board=board, seed=1), state


@pytest.mark.slow
@pytest.mark.parametrize("region", [1, 2, 3])
def test_the_last_wall_stands_where_the_own_cards_count(region: int) -> None:
    """Houses are certain beside it: both are in the region of the cards in hand, where they can."""
    board, closings, seen = board_of("classic"), 0, 0
    for game, state in last_walls(board, 4, 100):
        held = holding(state, byte_in(state, at.SEAT), f"land-region-{region}", alone=True)
        closing = closing_lines(state)
        for seed in range(3):
            line = chosen(game, held, seed).place
            beside = {board.space_region[s] for s in board.line_spaces[line] if s is not None}
            closings += line in closing
            seen += 1
            assert line in closing or (beside == {region} and None not in board.line_spaces[line])
    assert seen >= 12
    assert closings < 0.8 * seen


def closing_lines(state: State) -> list[int]:
    return members(state, int(at.CLOSING), 4)
