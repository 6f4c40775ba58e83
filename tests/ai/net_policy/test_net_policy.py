"""The policy by the net: legal moves by what a seat sees alone, whole games, plain choices."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from masons.ai.beliefs.determinization import determinized
from masons.ai.models.hand_model import HAND_WEIGHTS
from masons.ai.models.model_data import learned
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.players.named_players import make_player
from masons.ai.self_play.seat_choices import Seat
from masons.ai.self_play.self_play import Games, play_games, play_policy_games
from masons.engine.board.components import HOUSE_COLORS
from masons.engine.board.geometry import Board
from masons.engine.formats.move_text import Move, parse_move
from masons.engine.game.game import Game
from masons.engine.game.table import Table
from masons.engine.kernels.jit import new_workspace
from masons.engine.kernels.rng import new_rng
from masons.engine.state import layout
from masons.engine.state.layout import TURN, State
from masons.engine.state.position import byte_in, members, scores_in, unpack_state
from tests.engine.state.test_state import differences
from tests.support.playing import board_of, moves_by_chance
from tests.support.policy_decisions import (
    NET,
    SOME_TABLES,
    holding,
    policy_choice,
    policy_game,
    weights_seen,
)

HEURISTIC = learned()["heuristic"]

# --- decisions


@pytest.mark.parametrize(("players", "name"), SOME_TABLES)
def test_all_that_it_chooses_is_legal(players: int, name: str) -> None:
    phases = Counter[str]()
    for seed, explored in ((1, 0.0), (2, 0.3)):
        for game, packed in policy_game(players, seed, board_of(name), explored):
            phases[game.phase] += 1
            if game.phase == "final":
                assert packed == 0
            else:
                assert Move(packed) in game.legal_moves()
    assert {"wall", "towers", "houses", "score", "swap"} <= set(phases)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_chooses_among_predicted_hands(players: int) -> None:
    """Predicted hands depend on choices alone, so they change few moves."""
    changed, seen, game = 0, 0, Game(players, seed=players)
    for _ in moves_by_chance(game, random.Random(players)):
        if game.phase in ("roll", "draw", "final") or len(game.legal_moves()) == 1:
            continue
        packed = policy_choice(game, game.state, seen, hand_weights=weights_seen(game))
        assert Move(packed) in game.legal_moves()
        changed += packed != policy_choice(game, game.state, seen)
        seen += 1
    assert 0 < changed < seen / 2


@pytest.mark.parametrize("players", [2, 3, 4])
def test_nothing_hidden_is_looked_at(players: int) -> None:
    numbers, rng = np.random.default_rng(players), new_rng(players)
    phases, workspace = Counter[str](), new_workspace(PolicyWorkspace)
    for seed in range(2):
        for game, packed in policy_game(players, seed, explored=0.3):
            if not packed or len(game.legal_moves()) == 1:
                continue
            phases[game.phase] += 1
            view, weights = game.observe(game.seat), numbers.exponential(size=HAND_WEIGHTS)
            states = [determinized(view, rng) for _ in range(3)]
            for hand_weights in (None, weights):
                moves = {policy_choice(game, s, 7, workspace, hand_weights) for s in states}
                assert len(moves) == 1, game.text
    assert min(phases[name] for name in ("wall", "towers", "houses", "score", "swap")) > 3
    assert sum(phases.values()) > 100


def test_a_workspace_can_be_used_for_another_board() -> None:
    """What is kept between calls (areas, lines beside tower spaces) is of one board alone."""
    workspace = new_workspace(PolicyWorkspace)
    games = [policy_game(players, 1, board_of(name)) for players, name in SOME_TABLES]
    for decisions in zip(*games, strict=False):
        for game, _ in decisions:
            if game.phase in ("wall", "towers"):
                seed = game.position.turn
                reused = policy_choice(game, game.state, seed, workspace)
                assert reused == policy_choice(game, game.state, seed), game.text


# --- the player


def test_the_player_keeps_to_the_moves_given_and_needs_no_history() -> None:
    game = Game(3, seed=8)
    some = [parse_move(text) for text in ("wall:3", "wall:80", "wall:9")]
    for seed in range(5):
        assert make_player("policy", seed).choose(game.table, game.observe(0), some) in some
    view = replace(game.observe(0), history=None)
    moves = game.legal_moves()
    assert make_player("policy", 3).choose(game.table, view, moves) in moves


# --- games in one kernel


@cache
def games_of(table: Table, players: int) -> Games:
    return play_policy_games(table, players, range(40), NET)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_in_one_kernel_leave_right_states(players: int, table: Table) -> None:
    games = games_of(table, players)
    assert len(games.starts) == len(games.of_game) >= sum(games.lengths)
    assert (games.lengths > 10).all()
    assert (games.points > 15).all()
    for number in range(3):
        starts = games.starts[games.of_game == number]
        turns = [int(state[int(TURN)]) for state in starts]
        assert turns == list(range(len(starts)))
        assert int(games.lengths[number]) in (turns[-1], turns[-1] + 1)
        for state in starts:
            position = unpack_state(state)
            assert differences(table, state) == []
            assert (position.phase, position.active) == ("wall", position.turn % players)
        # The last turn and the final scoring take nothing away.
        assert (games.points[number] >= scores_in(starts[-1], players)).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_in_one_kernel_are_repeatable(players: int, table: Table) -> None:
    games = games_of(table, players)
    again = play_policy_games(table, players, [5, 4], NET)
    assert (again.points == games.points[[5, 4]]).all()
    assert (again.starts[again.of_game == 1] == games.starts[games.of_game == 4]).all()
    assert (games.points[0] != games.points[1]).any()


# --- strength


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_it_beats_the_heuristics(seat: int, table: Table) -> None:
    """Some 90 % of the games: 75 % are out of reach of chance, and nothing that is half broken."""
    ours, theirs = Seat(0, HEURISTIC, NET, by_net=True), Seat(0, HEURISTIC, NET)
    seats = [ours, theirs] if seat == 0 else [theirs, ours]
    points = play_games(table, seats, range(200)).points
    assert (points[:, seat] > points[:, 1 - seat]).mean() > 0.75
    assert (points[:, seat] - points[:, 1 - seat]).mean() > 10


# --- choices where the best move is plain


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
        if byte_in(state, layout.WALL_LEFT) == 1:
            yield Game.from_position(unpack_state(state), board=board, seed=1), state


@pytest.mark.slow
@pytest.mark.parametrize("region", [1, 2, 3])
def test_the_last_wall_stands_where_the_own_cards_count(region: int) -> None:
    """Houses are certain beside it: both are in the region of the cards in hand, where they can."""
    board, closings, seen = board_of("classic"), 0, 0
    for game, state in last_walls(board, 4, 100):
        held = holding(state, byte_in(state, layout.SEAT), f"land-region-{region}", alone=True)
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
    return members(state, int(layout.CLOSING), 4)
