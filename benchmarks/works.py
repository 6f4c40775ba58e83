"""The works to measure, by name: what matters, from the deal of a game to a whole process.

`against` compares WORKS, and `test_suite.py` times EVERYTHING. As in `play_works`, the engine is
imported inside the functions.
"""

from __future__ import annotations

from functools import partial

from benchmarks.measuring import Run, Work
from benchmarks.play_works import (
    GAMES,
    ITERATIONS,
    POLICY_GAMES,
    SCALES,
    SEARCHED_GAMES,
    STARTS,
    games,
    policy_games,
    position_in,
    process,
    record_check,
    rollout_games,
    searched_games,
    searches,
)
from benchmarks.positions import example

SIMULATIONS = 1000  # simulations in a search
ENVS = (1024, 8192)  # number of environments that are stepped together
STEPS = 16  # steps in a run
LUCK_SAMPLES = 4


def simulations() -> Run:
    """Return a run of the default search. Each call uses the same seed."""
    from masons.ai.halving.halving_search import HalvingSearch

    game = example()
    view, moves = game.observe(game.seat), game.legal_moves()
    return lambda: HalvingSearch(game.table, view, moves, seed=1).run(SIMULATIONS)


def luck() -> Run:
    """Return a run that measures the luck of each seat in a whole game."""
    from benchmarks.play_works import record_text
    from masons.ai.review.luck import luck_of_game
    from masons.ai.review.timeline import timeline_of
    from masons.engine.game.record import parse_record

    timeline = timeline_of(parse_record(record_text()))
    return lambda: luck_of_game(timeline, LUCK_SAMPLES, 1)


def env_steps(envs: int, threads: int) -> Run:
    """Return a run of random steps of environments, with observations and masks."""
    from masons.env.batch_env import BatchEnv

    env = BatchEnv(envs, threads=threads, seed=0)
    env.reset()

    def run() -> None:
        for _ in range(STEPS):
            env.step(env.pick_actions())

    return run


WORKS: dict[str, Work] = {
    "games/uniform-2": Work(partial(games, "uniform"), "game", GAMES, True),
    "games/busy-2": Work(partial(games, "busy"), "game", GAMES, True),
    "games/policy-2": Work(partial(policy_games, 2), "game", POLICY_GAMES),
    "games/rollout-2": Work(partial(rollout_games, 2), "game", POLICY_GAMES),
    **{
        f"games/searched-{sims}-2": Work(partial(searched_games, sims, 2), "game", count)
        for sims, count in SEARCHED_GAMES.items()
    },
    "simulations/default": Work(simulations, "simulation", SIMULATIONS),
    "iterations/uniform": Work(partial(searches, "uniform"), "iteration", ITERATIONS),
    "review/luck": Work(luck, "game"),
    "text/position-in": Work(position_in, "call"),
    "text/record-check": Work(record_check, "game"),
    "env/step-1024": Work(partial(env_steps, ENVS[0], 1), "step", STEPS * ENVS[0]),
    **{
        f"start/{arguments[0].strip('-')}": Work(partial(process, arguments), "process")
        for arguments in STARTS.values()
    },
}
# The suite also times the same kinds of work in several sizes.
EVERYTHING: dict[str, Work] = {
    **WORKS,
    **SCALES,
    **{
        f"env/threads-{threads}-{envs}": Work(
            partial(env_steps, envs, threads), "step", STEPS * envs, is_wall=True
        )
        for threads in (1, 2)
        for envs in ENVS
    },
}
