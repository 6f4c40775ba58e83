"""The net: its features, what it says of them, the tree that it evaluates, our exponential."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from masons.ai.evaluation.rewards import immediate_rewards
from masons.ai.halving import halving_search
from masons.ai.halving.halving_search import HalvingSearch
from masons.ai.halving.simulation import _NODE_WORDS, FREE, LINKS, SCORES, VISITS, WINS
from masons.ai.models import features as f
from masons.ai.models.features import BOARD, SEAT_INPUTS, inputs_of
from masons.ai.models.model_data import learned, learned_models, learned_net
from masons.ai.models.value_net import (
    evaluate_hands,
    evaluate_seats,
    fill_board,
    fill_card_sums,
    net_for,
)
from masons.ai.net_policy.policy_workspace import PolicyWorkspace, net_workspace
from masons.ai.review.open_values import position_values
from masons.ai.self_play.seat_choices import Seat
from masons.ai.self_play.self_play import play_games, play_policy_games
from masons.engine.board.components import CARDS as CARD_IDS
from masons.engine.formats.move_text import Move, wall_move
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.exact_math import LEAST, MOST, exponential
from masons.engine.kernels.jit import Floats, Singles, Word, Words, new_workspace
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.rules.scoring import put_values, score_cards, values_of
from masons.engine.state.layout import CLOSING, DECK, HANDS, NONE, STATE_WORDS, State
from masons.engine.state.position import members
from tests.support.plain_models import predict
from tests.support.playing import board_of, moves_by_chance
from tests.support.policy_decisions import SOME_TABLES

NET = learned()["net"]


def inputs(table: Table, *games: Game) -> np.ndarray:
    """Return the inputs of games at the start of a turn: float32[games, INPUTS]."""
    return inputs_of(np.stack([game.state for game in games]), table.packed)


def starts_of_turns(players: int, seed: int) -> list[Game]:
    """Return a game, before each of its turns."""
    games, game = [], Game(players, seed=seed)
    for _ in moves_by_chance(game, random.Random(seed)):
        if game.phase == "wall":
            games.append(Game.from_position(game.text, seed=seed))
    return games


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_each_seat_is_told_by_what_it_has(players: int, table: Table) -> None:
    games = starts_of_turns(players, 6)
    for game, row in zip(games, inputs(table, *games), strict=True):
        position = game.position
        values = table.card_points(game.state, None)
        assert np.isfinite(row).all()
        left = f.game_left_of(game.state)
        for seat in range(players):
            seat_inputs = row[seat * SEAT_INPUTS :][:SEAT_INPUTS]
            hand = position.hands[seat]
            assert not isinstance(hand, int)
            held = [hand.count(kind) for kind in range(f.KINDS)]
            lands = sorted((values[k] for k in hand if CARD_IDS[k].startswith("land")
                            or CARD_IDS[k] == "cities"), reverse=True)  # fmt: skip
            best = (lands + [0] * f.TOP)[: f.TOP]
            others = [s for i, s in enumerate(position.scores) if i != seat]
            score = position.scores[seat]
            assert seat_inputs[int(f.POINTS)] == pytest.approx(score / 16)
            assert seat_inputs[int(f.CARDS)] == len(hand) / 4
            assert seat_inputs[int(f.BEST) :][: f.TOP].tolist() == [value / 8 for value in best]
            assert seat_inputs[int(f.TO_MOVE)] == (seat == position.active)
            assert seat_inputs[int(f.WAIT)] == pytest.approx(
                (seat - position.active) % players / players
            )
            assert seat_inputs[int(f.MARGIN)] == pytest.approx((score - max(others)) / 16)
            assert seat_inputs[int(f.HELD) :][: f.KINDS].tolist() == held
            assert seat_inputs[int(f.HELD_LEFT) :][: f.KINDS] == pytest.approx(
                np.array(held) * left
            )
            assert seat_inputs[int(f.LAND) :][:15].sum() == pytest.approx(sum(lands) / 8)
            assert seat_inputs[int(f.FINAL_INPUTS)] == pytest.approx((score + sum(best[:2])) / 32)
        assert not row[players * SEAT_INPUTS : BOARD].any()


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_turn_without_chance_is_worth_what_the_matrices_say(players: int, table: Table) -> None:
    """After the houses a turn that closes nothing is over: each simulation is one evaluation."""
    chance, compared = random.Random(players), 0
    game = Game(players, seed=players)
    for _ in moves_by_chance(game, chance):
        if game.phase != "houses":
            continue
        after = {move: _after(game, move) for move in game.legal_moves()}
        ends = {move: end for move, end in after.items() if end.phase == "wall"}
        if not ends:
            continue
        view = Observation(game.state, (0,) * players)
        search = HalvingSearch(table, view, list(ends), seed=1)
        search.run(len(ends))
        shares, scores = predict(NET, inputs(table, *ends.values()), players)
        # Each move is simulated once at first; what halving adds is from deeper down.
        for row, share, score in zip(search._sums(), shares, scores, strict=True):
            if row[VISITS] == 1:
                assert row[WINS : WINS + players] == pytest.approx(share, abs=2e-4)
                assert row[SCORES : SCORES + players] == pytest.approx(score, abs=2e-2)
                compared += 1
    assert compared > 20


def kernel_values(table: Table, state: np.ndarray, players: int) -> tuple[np.ndarray, np.ndarray]:
    """Return each seat's win probability and score at the start of a turn, from the kernels."""
    values, workspace = np.zeros(8), new_workspace(PolicyWorkspace)
    scratch, plan = np.zeros(STATE_WORDS, dtype=np.uint64), np.array([1, 1], dtype=np.uint64)
    position_values(
        state, table.packed, plan, 1, learned_models(players), workspace, scratch, values
    )
    return values[:players], values[4 : 4 + players]


@pytest.mark.parametrize(("players", "board"), SOME_TABLES)
def test_whole_numbers_say_what_the_floats_say(players: int, board: str) -> None:
    """The values of the kernels differ from those of the plain net by 16-bit weights alone."""
    table, differences = Table(board_of(board)), []
    starts = play_policy_games(table, players, range(6), NET).starts
    shares, scores = predict(NET.astype(float), inputs_of(starts, table.packed), players)
    for state, share, score in zip(starts, shares, scores, strict=True):
        wins, points = kernel_values(table, state, players)
        differences.append(wins - share)
        assert points == pytest.approx(score, abs=3e-2)
    assert len(differences) > 30
    assert np.abs(differences).max() < 3e-4
    assert np.sqrt(np.mean(np.square(differences))) < 6e-5


@kernel
def evaluate_twice(
    state: Words, trial: Words, board: Words, players: Word, net: Singles,
    workspace: PolicyWorkspace, by_hands: Floats,
) -> None:  # fmt: skip
    """Evaluate `trial` with the sums of cards for `state`, and then as usual.

    The first values are put into `by_hands` (float64[8]); the others stay in the workspace.
    """
    evaluation = net_workspace(workspace)
    score_cards(state, board, NONE)
    put_values(trial, values_of(state))
    fill_board(state, board, net_for(net, players), evaluation)
    fill_card_sums(state, net, workspace.card_sums, evaluation)
    evaluate_hands(trial, net, workspace.card_sums, evaluation)
    for seat in range(U(4)):
        by_hands[seat], by_hands[U(4) + seat] = workspace.wins[seat], workspace.scores[seat]
    evaluate_seats(trial, net, evaluation)


def dealt(state: State, players: int, chance: random.Random) -> State:
    """Return a copy of a state with random hands of up to 9 cards and a random deck."""
    trial, cards = state.copy(), chance.sample(range(2 * f.KINDS), 2 * f.KINDS)
    for place in (*range(int(HANDS), int(HANDS) + players), int(DECK)):
        count = chance.randrange(10)
        trial[place] = sum(1 << card for card in cards[:count])
        del cards[:count]
    return trial


@pytest.mark.parametrize("players", [2, 3, 4])
def test_trials_that_share_the_sums_of_cards_have_the_usual_values(
    players: int, table: Table
) -> None:
    chance, workspace, compared = random.Random(players), new_workspace(PolicyWorkspace), 0
    net, by_hands = learned_net(), np.zeros(8)
    for seed in range(6):
        game = Game(players, seed=seed)
        for _ in moves_by_chance(game, chance):
            if game.phase == "score":
                state, trial = game.state.copy(), dealt(game.state, players, chance)
                evaluate_twice(state, trial, table.packed, players, net, workspace, by_hands)
                usual = np.concatenate([workspace.wins, workspace.scores])
                assert by_hands.tobytes() == usual.tobytes()
                compared += 1
    assert compared > 100


def test_a_score_beyond_16_bits_of_input_still_wins(table: Table) -> None:
    """Inputs are limited, so the sums of whole numbers do not wrap."""
    for scores in ((9999, 9989), (9999, 0), (9999, 0, 0, 9989)):
        view = replace(Game(len(scores), seed=8).view(0), scores=scores)
        wins, _ = kernel_values(table, table.view(view).state, len(scores))
        assert 0.5 < wins[0] <= 1


def _after(game: Game, move: Move) -> Game:
    """Return the game after a move."""
    after = Game.from_position(game.text, seed=1)
    after.apply(move)
    return after


@pytest.mark.parametrize("players", [2, 4])
def test_a_city_that_could_be_completed_scores_as_if_it_was(players: int, table: Table) -> None:
    """By one path of the kernels as by the other, which completes it; and kept areas are right."""
    games, compared = [g for seed in range(6) for g in starts_of_turns(players, seed)], 0
    rows = inputs(table, *games)
    assert (rows == np.concatenate([inputs(table, game) for game in games])).all()
    state = np.zeros(STATE_WORDS, dtype=np.uint64)
    for game, row in zip(games, rows, strict=True):
        lines = members(game.state, int(CLOSING), 4)
        moves = np.array([wall_move(line) for line in lines], dtype=np.uint64)
        rewards = np.zeros(len(lines), dtype=np.uint64)
        immediate_rewards(game.state, table.packed, moves, moves.size, state, rewards)
        points = row[game.seat * SEAT_INPUTS + int(f.CITY_INPUTS)] * 16
        if len(lines) == 0:
            assert points == 0
        else:
            assert points in rewards
            compared += 1
    assert compared > 20


def test_the_tree_grows_and_a_full_one_is_searched_on(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, used = Game(2, seed=8), []
    for words in (halving_search.ARENA_WORDS, 300):
        monkeypatch.setattr(halving_search, "ARENA_WORDS", words)
        search = HalvingSearch(table, game.observe(0), game.legal_moves()[:3], seed=1)
        search.run(500)
        assert search.iterations == 500
        used.append(int(search._workspaces[0].arena[int(FREE)]))
    assert used[1] <= 300 < 500 < used[0]


LOW = (1 << 32) - 1  # the low half of a word of an edge: its line or its visits


def edges_of(arena: np.ndarray, node: int) -> np.ndarray:
    """Return the offsets of a node's edges: int64[edges]."""
    return node + 2 + 3 * np.arange(int(arena[node]))


def test_a_node_of_the_tree_has_a_line_once(table: Table) -> None:
    game = Game(3, seed=8)
    search = HalvingSearch(table, game.observe(0), game.legal_moves()[:3], seed=1)
    search.run(4000)
    arena = search._workspaces[0].arena
    nodes = range(LINKS + 3, int(arena[int(FREE)]), int(_NODE_WORDS))
    assert len(nodes) > 50
    for node in nodes:
        lines = (arena[edges_of(arena, node)] & LOW).tolist()
        assert len(set(lines)) == len(lines)


def test_a_node_of_the_tree_has_the_values_of_the_seat_that_decides(table: Table) -> None:
    """Seat 1 decides in the first node, far behind, and seat 0 in the nodes below."""
    view = table.view(replace(Game(2, seed=8).view(0), scores=(90, 0)))
    search = HalvingSearch(table, view, table.legal_moves(view.state)[:1], seed=1)
    search.run(4000)
    arena = search._workspaces[0].arena

    def mean(node: int) -> float:
        edges = edges_of(arena, node)
        return float(arena.view(np.float64)[edges + 2].sum() / (arena[edges + 1] & LOW).sum())

    first = int(arena[LINKS]) >> 32
    below = [int(arena[edge + 1]) >> 32 for edge in edges_of(arena, first)]
    visited = [node for node in below if node > 1 and arena[node + 1] > 20]
    assert visited
    assert mean(first) < 0.3
    assert all(mean(node) > 0.7 for node in visited)


def test_games_of_searches_are_repeatable_and_whole(table: Table) -> None:
    seats = [Seat(40, learned()["heuristic"], NET), Seat(0, learned()["heuristic"], NET)]
    first, again = (play_games(table, seats, [5, 6, 7]) for _ in range(2))
    assert (first.points == again.points).all()
    assert (first.starts == again.starts).all()
    assert len(first.of_game) == len(first.starts) >= sum(first.lengths)
    assert (play_games(table, seats, [6]).points == first.points[1:2]).all()
    assert (play_games(table, seats, [8]).points != first.points[:1]).any()


# --- our own exponential function beside the system's


@kernel
def exponentials(numbers: Floats, count: Word) -> None:
    """Put the exponential of each number in its place."""
    for i in range(count):
        numbers[i] = exponential(numbers[i])


@pytest.mark.slow
def test_it_is_off_by_one_unit_in_the_last_place_at_most() -> None:
    rng = np.random.default_rng(1)
    halves = (np.arange(-2042, 2045) / 2) * math.log(2)  # where the power of 2 changes
    numbers = np.concatenate([
        rng.uniform(LEAST, MOST, 100_000), rng.normal(0, 2, 100_000), rng.normal(0, 1e-6, 1000),
        np.clip(np.concatenate([halves, np.nextafter(halves, 0)]), LEAST, MOST),
        [LEAST, MOST, 0.0, -0.0, 5e-324, 1.0, -1.0],
    ])  # fmt: skip
    expected = np.array([math.exp(number) for number in numbers])
    exponentials(numbers, len(numbers))
    assert (np.abs(numbers - expected) / np.spacing(expected)).max() <= 1.0
    beyond = [np.nextafter(LEAST, -math.inf), -1e300, -math.inf, 0.0, MOST + 1e-9, math.inf]
    exponentials(ends := np.array(beyond), len(beyond))
    assert ends.tolist() == [0.0, 0.0, 0.0, 1.0, math.inf, math.inf]
