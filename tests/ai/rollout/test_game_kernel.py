"""Games of a rollout: by the rules, in the same worlds, noted move by move."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from masons.ai.beliefs.determinization import determinized
from masons.ai.models.features import game_left_of
from masons.ai.models.hand_model import SURE, card_weights
from masons.ai.models.model_data import learned
from masons.ai.net_policy.net_play import policy_move
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.rollout import game_kernel
from masons.ai.rollout.games import SHARPENING, Chunk, GamePlayer, sharpened_hands
from masons.ai.rollout.noted_games import NotedChoice, NotedGames
from masons.ai.rollout.plan import Contenders
from masons.ai.rollout.rollout import Rollout
from masons.engine.board.components import FIRST_LAND, LANDS
from masons.engine.formats.move_text import Move
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Words, bytes_of, new_workspace
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import STEP, mix
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.playouts.random_moves import roll_random
from masons.engine.playouts.random_scoring import best_final, draw_random
from masons.engine.rules.transitions import apply_move, skip_forced
from masons.engine.rules.turns import winners_of
from masons.engine.state import layout
from masons.engine.state.layout import PHASE, PHASE_ROLL, State
from masons.engine.state.packed_move import PLAY
from masons.engine.state.position import (
    Position,
    byte_in,
    card_values,
    kinds,
    scores_in,
    unpack_state,
)
from tests.engine.state.test_state import differences
from tests.support.playing import board_of, pick
from tests.support.policy_decisions import MODELS, SOME_TABLES, policy_game

SEED = 7
CHOICES = int(game_kernel._CHOICES)


def decision(players: int, phase: str = "wall", seed: int = 3) -> Game:
    """Return a game that chance has brought to a phase, some turns from its beginning."""
    chance, game = random.Random(seed), Game(players, seed=seed)
    while game.phase != phase or game.position.turn < 12 or len(game.legal_moves()) < 2:
        game.apply(pick(game, chance))
    return game


def rollout_of(game: Game, count: int = 2, view: Observation | None = None, **how: int) -> Rollout:
    moves = tuple(game.legal_moves()[:count])
    contenders = Contenders(moves, (0.0,) * len(moves), len(moves), 0)
    seen = game.observe(game.seat) if view is None else view
    return Rollout(game.table, seen, contenders, seed=SEED, **how)


def noted(rollout: Rollout, worlds: int) -> tuple[np.ndarray, NotedGames]:
    """Results of all contenders, and the same games move by move."""
    numbers = range(len(rollout.moves))
    results = rollout.play(numbers, worlds, has_notes=True)
    games = rollout.noted_after(*rollout.moves)
    assert games is not None
    return results, games


# --- by the rules


@kernel
def play_chance(state: Words, board: Words, rng: Words, counters: Words) -> None:
    """Roll or draw what is due."""
    if U(bytes_of(state)[PHASE]) == PHASE_ROLL:
        roll_random(state, board, rng)
    else:
        draw_random(state, rng, counters)


@kernel
def play_forced(state: Words, board: Words) -> None:
    """Put down what leaves no choice."""
    skip_forced(state, board)


@kernel
def score_finally(state: Words, board: Words) -> None:
    """Score finally for one seat."""
    best_final(state, board)


class Replay:
    """One game of a rollout, from its notes, choice by choice."""

    def __init__(self, rollout: Rollout, table: Table, world: int) -> None:
        self.table, self.view, self.board = table, rollout.view, table.packed
        numbers = sharpened_hands(self.view)
        weights = card_weights(self.view.state, self.board, self.view.history, numbers)
        self.rng = np.array([self.word((mix(SEED) >> 1) + int(STEP) * (world << 20))], np.uint64)
        self.state: State = determinized(self.view, self.rng, weights)
        self.chance, self.turn = int(self.rng[0]), int(self.view.state[layout.TURN])
        self.choices = np.array([self.chance ^ CHOICES], np.uint64)
        self.counters = np.zeros(COUNTER_WORDS, dtype=np.uint64)
        self.policy, self.others = new_workspace(PolicyWorkspace), 0

    @staticmethod
    def word(value: int) -> int:
        return value & (1 << 64) - 1

    @property
    def phase(self) -> int:
        return byte_in(self.state, PHASE)

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(scores_in(self.state, self.view.players))

    def to_choice(self) -> None:
        """Go on to the next choice, final scoring, or the end."""
        while True:
            play_forced(self.state, self.board)
            if int(self.state[layout.TURN]) != self.turn:
                self.turn = int(self.state[layout.TURN])
                self.rng[0] = self.word(self.chance + int(STEP) * (self.turn << 10))
                self.choices[0] = int(self.rng[0]) ^ CHOICES
            if self.phase not in (PHASE_ROLL, layout.PHASE_DRAW):
                return
            play_chance(self.state, self.board, self.rng, self.counters)

    def policy_move(self) -> Move:
        """Return the policy's move, chosen with the random numbers of the kernel."""
        rng, scratch = self.choices, self.policy
        return Move(policy_move(self.state.copy(), self.board, rng, MODELS, scratch))

    def make(self, choice: NotedChoice, *, is_first: bool) -> None:
        """Make a choice that was noted. All but the first are the policy's.

        Where the policy would choose otherwise, this is counted in `others`.
        """
        assert choice.turn == int(self.state[layout.TURN])
        if self.phase == layout.PHASE_FINAL:
            assert choice.move is None
            score_finally(self.state, self.board)
            return
        legal = self.table.legal_moves(self.state)  # type: ignore[attr-defined]
        assert choice.move in legal
        self.others += not is_first and choice.move != self.policy_move()
        apply_move(self.state, self.board, U(int(choice.move)))  # type: ignore[arg-type]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("phase", ["wall", "houses", "score", "swap"])
def test_what_is_noted_is_a_game_by_the_rules_and_the_policy(players: int, phase: str) -> None:
    game = decision(players, phase)
    rollout = rollout_of(game)
    results, games = noted(rollout, 3)
    first, others = game.position.turn, 0
    for world in range(3):
        for number, move in enumerate(rollout.moves):
            choices = list(games.choices(world, number))
            assert (choices[0].move, choices[0].seat) == (move, game.seat)
            replay, now, cities = Replay(rollout, game.table, world), None, None
            finals, scored, before = np.zeros(LANDS), 0, None
            for choice, note in zip(choices, games.notes_of(number)[world], strict=False):
                assert choice.scores == replay.scores
                if replay.phase == layout.PHASE_SCORE:
                    check_city(note, unpack_state(replay.state), replay.state)
                if replay.phase == layout.PHASE_OVER:
                    break
                hand = hand_of(replay.state, game.seat)
                is_final = replay.phase == layout.PHASE_FINAL
                replay.make(choice, is_first=choice is choices[0])
                if is_final and choice.seat == game.seat:
                    points = game.table.card_points(replay.state, None)
                    for kind in (hand - hand_of(replay.state, game.seat)).elements():
                        if kind >= FIRST_LAND:
                            finals[kind - FIRST_LAND] += points[kind]
                replay.to_choice()
                if now is None and (
                    replay.state[layout.TURN] != first or replay.phase >= layout.PHASE_FINAL
                ):
                    now = replay.scores
                # `before` is the score at the start of this turn, or None in the decision's turn.
                is_over = replay.state[layout.TURN] != choice.turn
                if cities is None and (is_over or replay.phase >= layout.PHASE_FINAL):
                    scored += before not in (None, replay.scores)
                    before = replay.scores
                if cities is None and replay.phase >= layout.PHASE_FINAL:
                    cities = replay.scores
            assert replay.phase == layout.PHASE_OVER
            assert choice is choices[-1]
            others += replay.others
            result, scores = results[world, number], replay.scores
            assert tuple(result[game_kernel.SCORE : game_kernel.SCORE + players]) == scores
            assert tuple(result[game_kernel.TURN_SCORE : game_kernel.TURN_SCORE + players]) == now
            assert (
                tuple(result[game_kernel.CITY_SCORE : game_kernel.CITY_SCORE + players]) == cities
            )
            assert result[game_kernel.LAST] == replay.state[layout.TURN]
            assert result[game_kernel.SCORED_TURNS] == scored
            hands = tuple(
                int(replay.state[layout.HANDS + U(seat)]).bit_count() for seat in range(players)
            )
            won = winners_of(scores, hands)
            shares = [(seat in won) / len(won) for seat in range(players)]
            assert result[game_kernel.WIN : game_kernel.WIN + players] == pytest.approx(shares)
            assert result[game_kernel.LAND : game_kernel.CUT].tolist() == finals.tolist()
    # What a game has cached is rounded otherwise, which can decide between two equal values.
    assert others <= 1


def hand_of(state: State, seat: int) -> Counter[int]:
    """Return the kinds of cards in a hand."""
    return Counter(kinds(int(state[layout.HANDS + U(seat)])))


def check_city(note: np.void, position: Position, state: State) -> None:
    """Compare the note of a scoring with the position and its cities."""
    (city,) = (each for each in position.cities if position.city in each)
    low, high = (int(word) for word in note["spaces"])
    assert {space for space in range(128) if (low | high << 64) >> space & 1} == city
    assert note["space"] == min(city)
    move = Move(note["move"])
    values = [card_values(state)[kind] for kind in move.cards] if move.kind == PLAY else []
    assert note["values"].tolist() == [*values, 0, 0][:2]


def played_on(rollout: Rollout, table: Table, turns: int) -> tuple[State, int]:
    """Return the state in which the kernel leaves a game of whole turns, and its generator."""
    player = GamePlayer(table, rollout.view, rollout.moves, rollout.seed, rollout.player_sims)
    player(Chunk((0,), 0, 1, turns), 0, 1)
    ((_, game, *_),) = player._workspaces
    return np.asarray(game.state).copy(), int(game.rng[0])


@pytest.mark.parametrize(("players", "name"), SOME_TABLES)
def test_whole_turns_are_played_on_from_any_decision(players: int, name: str) -> None:
    phases, step = set[str](), pow(int(STEP), -1, 1 << 64)
    for game, packed in policy_game(players, 1, board_of(name)):
        if not packed:
            continue
        phases.add(game.phase)
        rollout, turn = rollout_of(game, 1), game.position.turn
        chance = Replay(rollout, game.table, 0).chance
        for turns in (1, 3, 0):
            state, rng = played_on(rollout, game.table, turns)
            assert differences(game.table, state) == []
            later = unpack_state(state)
            if later.phase != "over":
                assert (later.phase, later.turn, turns > 0) == ("wall", turn + turns + 1, True)
                # Dice and cards of a turn depend on its number alone, whoever played up to it.
                drawn = (rng - chance) * step % (1 << 64)
                assert drawn >> 10 == later.turn - 1
                assert drawn & 1023 < 16
    assert phases >= {"wall", "towers", "houses"}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_victory_is_shared_out(players: int) -> None:
    results = rollout_of(decision(players), 3).play(range(3), 40)
    wins, scores = (results[:, :, n : n + players] for n in (game_kernel.WIN, game_kernel.SCORE))
    assert np.allclose(wins.sum(axis=2), 1)
    assert (wins[scores < scores.max(axis=2, keepdims=True)] == 0).all()
    assert len(np.unique(scores[:, 0], axis=0)) > 20


def test_a_game_left_after_some_turns_is_ended_by_the_net() -> None:
    game = decision(2)
    results = rollout_of(game).play(range(2), 40, turns=2)
    wins = results[:, :, game_kernel.WIN : game_kernel.WIN + 2]
    assert np.allclose(wins.sum(axis=2), 1, atol=1e-4)
    assert (results[:, :, game_kernel.LAST] <= game.position.turn + 3).all()
    assert not np.isin(wins, (0, 0.5, 1)).all()


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("phase", ["wall", "score"])
def test_whole_games_note_what_the_net_says_of_shorter_ones(players: int, phase: str) -> None:
    game, horizon = decision(players, phase), game_kernel.HORIZON
    whole, short = (rollout_of(game).play(range(2), 60, turns) for turns in (0, horizon))
    results, wins = (part[:, :, game_kernel.WIN :][:, :, :players] for part in (whole, short))
    cut, same = (part[:, :, game_kernel.CUT :][:, :, :players] for part in (whole, short))
    assert (cut == wins).all()
    assert (cut == same).all()
    ended = whole[:, :, game_kernel.LAST] <= game.position.turn + horizon
    assert (cut[ended] == results[ended]).all()
    assert not np.isin(cut[~ended], (0, 0.5, 1)).any()


# --- the same worlds


def test_the_same_contender_twice_plays_the_same_games() -> None:
    game = decision(3)
    move = game.legal_moves()[1]
    contenders = Contenders((move, move), (0.0, 0.0), 2, 0)
    rollout = Rollout(game.table, game.observe(game.seat), contenders, seed=1)
    results = rollout.play(range(2), 30)
    assert (results[:, 0] == results[:, 1]).all()
    assert len(np.unique(results[:, 0], axis=0)) > 10
    rollout.sums.add(range(2), results[:, :, :1])
    assert rollout.sums.difference(0, 0, 1, 0.0) == (0, 0)


def test_a_game_depends_on_its_world_and_move_alone() -> None:
    game = decision(2, "houses")
    at_once, in_parts = rollout_of(game), rollout_of(game, threads=2)
    whole = at_once.play((0, 1), 11)
    parts = [in_parts.play((1, 0), 4), in_parts.play((1, 0), 7)]
    assert (np.concatenate(parts) == whole[:, [1, 0]]).all()
    again = Rollout(game.table, game.observe(game.seat), at_once.contenders, seed=SEED + 1)
    assert (again.play((0, 1), 11) != whole).any()


def test_in_later_turns_the_dice_are_the_same_after_any_move() -> None:
    """So the same number of cards is drawn, and the same dice fall, where as much is due."""
    rollout = rollout_of(decision(2), 2)
    results = rollout.play(range(2), 400)
    margins = results[:, :, game_kernel.SCORE] - results[:, :, game_kernel.SCORE + 1]
    assert np.corrcoef(margins.T)[0, 1] > 0.05


def test_a_move_is_one_of_those_noted() -> None:
    game = decision(2)
    _, games = noted(rollout_of(game, 2), 2)
    packed, turns, seats = (games.notes_of(1)[name] for name in ("move", "turn", "seat"))
    for world in range(2):
        made = [choice for choice in games.choices(world, 1) if choice.move is not None]
        places = packed[world] > 0
        assert [Move(int(move)) for move in packed[world][places]] == [
            choice_.move for choice_ in made
        ]
        assert turns[world][places].tolist() == [choice_.turn for choice_ in made]
        assert seats[world][places].tolist() == [choice_.seat for choice_ in made]


@pytest.mark.parametrize("players", [2, 4])
def test_hands_are_dealt_with_surer_weights_late_in_the_game(players: int) -> None:
    game, rng, seen = Game(players, seed=SEED), random.Random(SEED), list[float]()
    while not game.is_over:
        if game.phase == "wall":
            view = game.observe(game.seat)
            assert view.history is not None
            model, dealing = (
                card_weights(view.state, game.table.packed, view.history, numbers)[: int(SURE)]
                for numbers in (learned()["hands"], sharpened_hands(view))
            )
            hidden = np.log(model[model > 0]), np.log(dealing[model > 0])
            power = 1 + SHARPENING * max(1 - 2 * game_left_of(view.state), 0.0)
            assert hidden[1] == pytest.approx(power * hidden[0])
            seen.append(power)
        game.apply(pick(game, rng))
    assert seen[:3] == [1, 1, 1]
    assert seen[-1] > 1.3
