"""All pieces of work to measure, by name, including a call of each kernel from Python.

`against` compares WORKS, and `test_suite.py` times EVERYTHING. If a kernel modifies the state that
it is given, each call starts from a new copy. The figure includes the time for this copy (see
`state/copy`) and for the call from Python. As in `play_works`, the engine is imported inside the
functions.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measuring import Run, Work
from benchmarks.play_works import (
    GAMES,
    PLAY_WORKS,
    POLICIES,
    SCALES,
    START_WORKS,
    TEXT_WORKS,
    games,
    searches,
)
from benchmarks.positions import example

if TYPE_CHECKING:
    from masons.engine.game.game import Game
    from masons.engine.state.layout import State
    from masons.env.batch_env import BatchEnv

ENVS = 64
_STEPS = 60


def _playing() -> BatchEnv:
    """Return environments that have made _STEPS random steps."""
    from masons.env.batch_env import BatchEnv

    env = BatchEnv(ENVS, seed=0)
    env.reset()
    for _ in range(_STEPS):
        env.step(env.pick_actions())
    return env


def _stepping(name: str) -> Run:
    """Return a run of a kernel for environments; that of `step_envs` picks the actions, too."""
    from masons.engine.kernels.bits import U
    from masons.env.stepping import batch_kernels as kernels

    env = _playing()
    batch, board, rng = env._batch, env.table.packed, np.zeros(1, dtype=np.uint64)
    actions, out = (np.ones(n, dtype=np.uint64) for n in (ENVS, env.encoding.layout.words))
    rows, start, row = env.state().reshape(-1), env.state([0])[0], env.state([0])[0]
    encoding = U(env.encoding.number)

    def step_envs() -> None:
        kernels.pick_actions(batch, rng, actions)
        stepped = kernels.step_envs(batch, actions)
        assert stepped == ENVS

    def first_unsound() -> None:
        wrong = kernels.first_unsound(rows, encoding)
        assert wrong == ENVS

    def step_row() -> None:
        np.copyto(row, start)
        kernels.step_row(row, board, kernels.LEAVE)

    runs: dict[str, Run] = {
        "show_envs": lambda: kernels.show_envs(batch, 0, ENVS),
        "reset_envs": lambda: kernels.reset_envs(batch, actions),
        "observe_row": lambda: kernels.observe_row(row, board, 1, out),
        "step_envs": step_envs,
        "step_row": step_row,
        "pick_actions": lambda: kernels.pick_actions(batch, rng, actions),
        "redeal_rows": lambda: kernels.redeal_rows(rows, U(255), rng),
        "seal_rows": lambda: kernels.seal_rows(rows),
        "first_unsound": first_unsound,
    }
    return runs[name]


def _shared() -> Run:
    """Return a run in which a second thread is woken from sleep and does all the work.

    It begins and finishes the jobs, too.
    """
    from masons.engine.kernels.bits import U
    from masons.engine.kernels.jit import field_of
    from masons.env.stepping import shared_work as work

    env = _playing()
    actions, rng = np.zeros(ENVS, dtype=np.uint64), np.zeros(1, dtype=np.uint64)
    mail = work.new_mail(2, ENVS)
    fields = field_of(mail), field_of(actions), field_of(actions), field_of(rng)
    shared = work.Shared(*fields, threads=U(2), envs=U(ENVS))
    sleep = int(work.BLOCKS + work.SLEEP) + work.BLOCK_WORDS

    def run() -> None:
        for kind in (work.PICK_JOB, work.STEP_JOB):
            mail[sleep] = work.ASLEEP
            woken = work.begin_job(env._batch, shared, kind, U(0))
            served = work.serve_jobs(env._batch, shared, U(1), U(0))
            left = work.finish_job(env._batch, shared, U(0))
            assert (woken, served, left) == (1, mail[int(work.JOB)], 0)

    return run


_OF_ENVS = (
    "step_envs", "pick_actions", "show_envs", "reset_envs", "redeal_rows", "seal_rows",
    "first_unsound",
)  # fmt: skip
ENV_KERNELS: dict[str, Work] = {
    **{
        f"batch_kernels.{name}": Work(partial(_stepping, name), "environment", ENVS)
        for name in _OF_ENVS
    },
    **{
        f"batch_kernels.{name}": Work(partial(_stepping, name), "call")
        for name in ("observe_row", "step_row")
    },
    "shared_work.serve_jobs": Work(_shared, "environment", 2 * ENVS),
}
# Kernels that are measured as parts of `shared_work.serve_jobs`.
MEASURED_WITHIN = frozenset({"shared_work.begin_job", "shared_work.finish_job"})


SEARCHED = 1000
PERFT_DEPTH = 2


def _waiting(phase: str) -> Game:
    """Return the example game at its first decision or chance event in a phase.

    The caller supplies the dice and cards.
    """
    from masons.engine.game.chance import Outside
    from masons.engine.game.game import Game
    from masons.engine.state.packed_move import PLAY

    game = Game.from_position(example().position, chance=Outside())
    while game.phase != phase:
        if game.phase == "roll":
            game.give_roll("white" if game.rolls_tower else None, "red", "blue")
        elif game.phase == "draw":
            game.give_card(_first_card(game))
        else:
            moves = game.legal_moves()
            game.apply(next((move for move in moves if move.kind == PLAY), moves[-1]))
    return game


def _first_card(game: Game) -> str:
    from masons.engine.board.components import CARDS

    return CARDS[game.position.unseen[0]]


def _on_copies(start: State, call: Any) -> Run:
    """Return a run that calls a kernel with a new copy of a state, always in the same array."""
    workspace = start.copy()

    def run() -> None:
        np.copyto(workspace, start)
        call(workspace)

    return run


def _list_moves() -> Run:
    from masons.engine.rules.legal_moves import MAX_CITIES, MAX_MOVES, WORK_WORDS, list_moves

    game = example()
    sizes = (WORK_WORDS, MAX_CITIES, MAX_MOVES)
    workspace = [np.zeros(size, dtype=np.uint64) for size in sizes]
    state, board = game.state, game.table.packed
    return lambda: list_moves(state, board, *workspace)


def _transition(name: str) -> Run:
    """Return a run of one transition: a move, a roll, a drawn card or a scoring."""
    from masons.engine.board.components import CARDS
    from masons.engine.rules import transitions

    waits = {"give_roll": "roll", "give_card": "draw", "refresh_values": "score"}
    game = _waiting(waits[name]) if name in waits else example()
    state, board = game.state, game.table.packed
    if name == "apply_move":
        move = np.uint64(game.legal_moves()[0])
        return _on_copies(state, lambda s: transitions.apply_move(s, board, move))
    if name == "give_roll":
        die = 0 if game.rolls_tower else 255
        return _on_copies(state, lambda s: transitions.give_roll(s, board, die, 0, 4))
    if name == "give_card":
        kind = CARDS.index(_first_card(game))
        return _on_copies(state, lambda s: transitions.give_card(s, kind))
    return lambda: transitions.refresh_values(state, board)


def _fill_closing_values() -> Run:
    from masons.engine.rules.scoring import AREAS, fill_closing_values

    game, areas = example(), np.zeros(AREAS, dtype=np.uint64)
    state, board, line = game.state, game.table.packed, game.legal_moves()[0].place
    return lambda: fill_closing_values(state, board, line, areas)


def _settle_state() -> Run:
    from masons.engine.game.perft import settle_state

    game = _waiting("draw")
    board = game.table.packed
    return _on_copies(game.state, lambda state: settle_state(state, board))


def _count_paths() -> Run:
    from masons.engine.game.perft import STEP_WORDS, count_paths
    from masons.engine.rules.legal_moves import MAX_CITIES, MAX_MOVES, WORK_WORDS
    from masons.engine.state.layout import STATE_WORDS

    game = example()
    rows = 2 * PERFT_DEPTH
    states = np.zeros((rows, STATE_WORDS), dtype=np.uint64)
    states[0] = game.state
    work, roots = (np.zeros(size, dtype=np.uint64) for size in (WORK_WORDS, MAX_CITIES))
    moves, steps = (np.zeros((rows, size), dtype=np.uint64) for size in (MAX_MOVES, STEP_WORDS))
    board = game.table.packed
    return lambda: count_paths(states, board, PERFT_DEPTH, work, roots, moves, steps)


def _draw_below() -> Run:
    from masons.engine.kernels.rng import draw_below, new_rng

    rng = new_rng(1)
    return lambda: draw_below(rng, 60)


def _deal_hidden() -> Run:
    from masons.ai.beliefs.determinization import deal_hidden
    from masons.engine.kernels.rng import new_rng

    game = example()
    view, rng = game.observe(game.seat), new_rng(1)
    hidden = view.hidden_words
    return _on_copies(view.state, lambda state: deal_hidden(state, hidden, np.zeros(0), rng))


def _immediate_rewards() -> Run:
    from masons.ai.evaluation.rewards import immediate_rewards

    game = example()
    state, board, workspace = game.state, game.table.packed, game.state
    moves = np.array([int(move) for move in game.legal_moves()], dtype=np.uint64)
    rewards = np.zeros(len(moves), dtype=np.uint64)
    return lambda: immediate_rewards(state, board, moves, workspace, rewards)


def _open_values(kernel: str) -> Run:
    """Return a run that evaluates a state that waits for the dice, a card or a wall."""
    from masons.ai.models.model_data import learned_models
    from masons.ai.net_policy.policy_workspace import PolicyWorkspace
    from masons.ai.review import open_values
    from masons.engine.game.chance import Outside
    from masons.engine.game.game import Game
    from masons.engine.kernels.jit import new_workspace
    from masons.engine.state import layout as at

    game = Game.from_position(example().text, chance=Outside())
    if kernel == "roll_values":
        game.apply(game.legal_moves()[0])
    state = game.state
    if kernel == "draw_values":
        small = state.view(np.uint8)
        small[int(at.PHASE)], small[int(at.DUE)], small[int(at.QUEUE)] = int(at.PHASE_DRAW), 1, 1
        small[int(at.SEAT)] = 0
    call, board = getattr(open_values, kernel), game.table.packed
    dealt = (1,) if kernel == "position_values" else ()
    plan, trial = np.array([SEARCHED, 1], dtype=np.uint64), np.zeros_like(state)
    values = np.zeros(open_values.ROLLS * open_values.ROW)
    rest = (learned_models(), new_workspace(PolicyWorkspace), trial, values)
    return lambda: call(state, board, plan, *dealt, *rest)


def _describe() -> Run:
    from masons.ai.models.features import INPUTS, describe
    from masons.engine.rules.scoring import AREAS
    from masons.engine.state.layout import STATE_WORDS

    game = example()
    state, areas = (np.zeros(size, dtype=np.uint64) for size in (STATE_WORDS, AREAS))
    out, numbers = np.zeros(INPUTS, dtype=np.float32), np.zeros(8)
    return lambda: describe(game.state, game.table.packed, out, state, areas, numbers)


def _weigh_cards() -> Run:
    from masons.ai.models.hand_model import card_weights
    from masons.ai.models.model_data import learned
    from masons.engine.game.action_history import HISTORY_SIZE

    game, numbers = example(), learned()["hands"]
    history = np.random.default_rng(1).standard_normal(HISTORY_SIZE)
    return lambda: card_weights(game.state, game.table.packed, history, numbers)


def _update_history() -> Run:
    from masons.engine.game.action_history import new_history

    game, history = example(), new_history()
    state, move = game.state, game.legal_moves()[0]
    return lambda: game.table.add_choice(state, move, history)


def _play_whole_games() -> Run:
    """Return a run of a game between two searches with 50 simulations per decision."""
    from masons.ai.models.model_data import learned
    from masons.ai.self_play.seat_choices import Seat
    from masons.ai.self_play.self_play import play_games

    numbers = learned()
    seat = Seat(50, numbers["heuristic"], numbers["net"])
    table = example().table
    return lambda: play_games(table, [seat, seat], [1])


def _policy_move() -> Run:
    from masons.ai.models.model_data import Models, heuristic_weights, learned_net
    from masons.ai.net_policy.net_play import policy_move
    from masons.ai.net_policy.policy_workspace import PolicyWorkspace
    from masons.engine.kernels.jit import field_of, new_workspace
    from masons.engine.kernels.rng import new_rng

    game = example()
    models = Models(field_of(heuristic_weights()), field_of(learned_net()))
    workspace, board, rng = new_workspace(PolicyWorkspace), game.table.packed, new_rng(1)
    return _on_copies(game.state, lambda s: policy_move(s, board, rng, models, workspace))


def _simulate_moves() -> Run:
    from masons.ai.halving.halving_search import HalvingSearch

    game = example()
    view, moves = game.observe(game.seat), game.legal_moves()
    return lambda: HalvingSearch(game.table, view, moves, seed=1).run(SEARCHED)


def _play_rollouts() -> Run:
    """Return a run that plays four turns after each of two moves, in ten determinizations."""
    from masons.ai.rollout.plan import Contenders
    from masons.ai.rollout.rollout import Rollout

    game = example()
    view, moves = game.observe(game.seat), tuple(game.legal_moves()[:2])
    rollout = Rollout(game.table, view, Contenders(moves, (0.0, 0.0), len(moves), 0))
    return lambda: rollout.play((0, 1), 10, turns=4)


def _heuristic_move() -> Run:
    from masons.ai.models.model_data import heuristic_weights
    from masons.ai.policies.heuristic_play import heuristic_move
    from masons.engine.kernels.rng import new_rng

    game = example()
    board, rng, weights, workspace = game.table.packed, new_rng(1), heuristic_weights(), game.state
    return _on_copies(game.state, lambda s: heuristic_move(s, board, rng, weights, workspace))


# The work of each kernel, named by module and function as in the cache of compiled kernels.
KERNELS: dict[str, Work] = {
    "action_history.update_history": Work(_update_history, "call"),
    "determinization.deal_hidden": Work(_deal_hidden, "call"),
    "features.describe": Work(_describe, "call"),
    "game_kernel.play_rollouts": Work(_play_rollouts, "game", 20),
    "hand_model.weigh_cards": Work(_weigh_cards, "call"),
    "heuristic_play.heuristic_move": Work(_heuristic_move, "call"),
    "rewards.immediate_rewards": Work(_immediate_rewards, "call"),
    "iteration.run_search": Work(lambda: searches("uniform", SEARCHED), "iteration", SEARCHED),
    "legal_moves.list_moves": Work(_list_moves, "call"),
    "net_play.policy_move": Work(_policy_move, "call"),
    **{
        f"open_values.{name}": Work(partial(_open_values, name), unit, count)
        for name, unit, count in (
            ("draw_values", "sample", SEARCHED),
            ("position_values", "sample", SEARCHED),
            ("roll_values", "call", 1),
        )
    },
    "perft.count_paths": Work(_count_paths, "call"),
    "perft.settle_state": Work(_settle_state, "call"),
    "rng.draw_below": Work(_draw_below, "call"),
    "scoring.fill_closing_values": Work(_fill_closing_values, "call"),
    "self_play.play_whole_games": Work(_play_whole_games, "game"),
    "simulation.simulate_moves": Work(_simulate_moves, "simulation", SEARCHED),
    **{
        f"transitions.{name}": Work(partial(_transition, name), "call")
        for name in ("apply_move", "give_card", "give_roll", "refresh_values")
    },
    **{
        f"random_games.{policy.replace('-', '_')}_play": Work(partial(games, policy), "game", GAMES)
        for policy in POLICIES
    },
    **ENV_KERNELS,
}


# `against` compares WORKS, and `test_suite.py` times EVERYTHING.
WORKS: dict[str, Work] = {
    **{f"kernel/{name}": work for name, work in KERNELS.items()},
    **TEXT_WORKS,
    **PLAY_WORKS,
    **START_WORKS,
}
EVERYTHING: dict[str, Work] = {**WORKS, **SCALES}
