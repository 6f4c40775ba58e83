"""The command `bench`, which measures the engine's speed and prints its signature.

Speed is measured in CPU time. The signature changes only if the engine plays differently. It is a
digest of fixed games and searches, which run in one thread and with fixed seeds. They cover the
default search, the policy player, the heuristic player, the tree search and the random policies.
The default search runs with and without the history of decisions, so that all models are used.
Probabilities and scores are rounded, because the last bits of an exponential differ between
machines.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from masons.ai.search.search_options import SearchOptions
from masons.cli import options
from masons.cli.process import interruptible, prepare
from masons.engine.board.geometry import load_board
from masons.engine.playouts.policies import POLICIES

if TYPE_CHECKING:
    from masons.engine.game.observation import Observation
    from masons.engine.game.table import Table
    from masons.env.batch_env import BatchEnv

PASSES: Final = 9
SIMULATIONS: Final = 24_000  # the simulations of the default search in each pass
ITERATIONS: Final = 10_000  # the iterations of the tree search in each pass
# The names of the rates, in the order of the output.
RATES: Final = (
    "simulations_per_s", "games_per_s", "decisions_per_s", "playouts_per_s", "iterations_per_s",
)  # fmt: skip


@click.command("bench")
@click.option(
    "--policy", type=click.Choice(POLICIES[:2]), default="uniform", show_default=True,
    help="Policy of the random games and playouts.",
)  # fmt: skip
@click.option(
    "--players", type=options.whole(2, 4), default=2, show_default=True, metavar="N",
    help="Number of seats in the random games.",
)  # fmt: skip
@click.option(
    "--games", type=options.whole(1), default=20_000, show_default=True, metavar="G",
    help="Number of random games (and of playouts) in each of nine passes.",
)  # fmt: skip
@click.option(
    "--env", "measures_envs", is_flag=True,
    help="Measure environments for learning instead, stepped with random legal actions.",
)  # fmt: skip
@click.option(
    "--envs", type=options.whole(1, 1 << 20), default=1024, show_default=True, metavar="E",
    help="With --env: number of environments stepped at once.",
)  # fmt: skip
@click.option(
    "--threads", type=options.whole(1, 256), default=1, show_default=True, metavar="T",
    help="With --env: number of threads.",
)  # fmt: skip
@options.json
def bench(
    policy: str, players: int, games: int, measures_envs: bool, envs: int, threads: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Measure the speed of one core.

    Prints rates per second of CPU time: the median, the lowest and the highest of nine passes.
    Each pass measures simulations of the default search, random games, playouts, and iterations
    of the tree search, one after the other. All of these except the random games start from turn
    10 of a fixed two-player game. The signature is a number computed from fixed games and
    searches. It changes only if the engine plays differently, not with the speed of the machine.

    With --env, prints the steps per second of the environments for learning. This includes
    observations and masks, but not the choice of random actions. With several threads, wall-clock
    time is measured, and the speedup over one thread is printed: the best of several short passes
    and their median. Other work on the cores lowers the median.
    """
    if measures_envs:
        _bench_envs(players, envs, threads, as_json)
        return
    prepare()
    rates = interruptible(lambda: measure(policy, players, games))
    number = interruptible(signature)
    figures = {"policy": policy, "players": players, "games": games}
    _print(figures, rates, {"signature": number}, as_json=as_json)


def _bench_envs(players: int, envs: int, threads: int, as_json: bool) -> None:
    prepare("engine", "env")
    rates = interruptible(lambda: env_rates(players, envs, threads))
    figures: dict[str, Any] = {"players": players, "envs": envs, "threads": threads}
    if threads > 1:
        gains = interruptible(lambda: thread_gains(players, envs, threads))
        names = ("threads_gain_best", "threads_gain_median")
        figures |= {name: round(ratio, 2) for name, ratio in zip(names, gains, strict=True)}
    _print(figures, {"env_steps_per_s": rates}, {}, as_json=as_json)


def _print(
    figures: Mapping[str, object], rates: Mapping[str, list[float]], last: Mapping[str, int],
    *, as_json: bool,
) -> None:  # fmt: skip
    """Print the figures, and the median, lowest and highest of each rate over all passes."""
    medians = {name: round(statistics.median(passes), 1) for name, passes in rates.items()}
    spread = {name: [round(f(passes), 1) for f in (min, max)] for name, passes in rates.items()}
    if as_json:
        click.echo(json.dumps({**figures, **medians, **last, "spread": spread}))
        return
    for name, value in figures.items():
        click.echo(f"{name:18} {value:>14}")
    for name, median in medians.items():
        least, most = spread[name]
        click.echo(f"{name:18} {median:>14,.0f}   {least:,.0f} to {most:,.0f}")
    for name, value in last.items():
        click.echo(f"{name:18} {value:>14}")


def measure(policy: str, players: int, games: int) -> dict[str, list[float]]:
    """Return how many simulations, games, decisions, playouts and tree iterations run per second.

    The result maps each name in RATES to a list with the rate in each pass, per second of CPU time.
    """
    from masons.engine.playouts.counters import COUNT_DECISIONS

    play = random_games(policy, players)
    works: dict[str, tuple[Callable[[int], object], int]] = {
        "simulations_per_s": (halving_searches(), SIMULATIONS),
        "games_per_s": (play, games),
        "playouts_per_s": (random_playouts(policy), games),
        "iterations_per_s": (tree_searches(policy), ITERATIONS),
    }
    for work, count in works.values():
        work(count)  # warm up
    passes: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(PASSES):
        for name, (work, count) in works.items():
            began = time.process_time()
            work(count)
            passes[name].append(count / max(time.process_time() - began, 1e-9))
    decisions = play(games)[int(COUNT_DECISIONS)] / games
    passes["decisions_per_s"] = [rate * decisions for rate in passes["games_per_s"]]
    return {name: passes[name] for name in RATES}


# --- environments

# Steps of each environment in one pass. This is enough for every environment to begin a new game.
ENV_STEPS: Final = 400
WARM_STEPS: Final = 200
# The number of steps in a short pass, and the number of short passes. Some of the short passes run
# without being interrupted by other work on the machine.
SHORT: Final = 25
SHORT_PASSES: Final = 60


def env_rates(players: int, envs: int, threads: int) -> list[float]:
    """Return the steps per second in each pass.

    For one thread, seconds are CPU time. For several threads, they are wall-clock time.
    """
    clock = time.process_time if threads == 1 else time.perf_counter
    with playing_envs(players, envs, threads) as env:
        spent = [env_seconds(env, ENV_STEPS, clock) for _ in range(PASSES)]
    return [ENV_STEPS * envs / seconds for seconds in spent]


def thread_gains(players: int, envs: int, threads: int) -> tuple[float, float]:
    """Return the speedup of several threads over one thread, from short alternating passes.

    The first value compares the fastest passes. The second value is the median over pairs of
    passes.
    """
    with playing_envs(players, envs, 1) as single, playing_envs(players, envs, threads) as shared:
        spent = [
            [env_seconds(env, SHORT, time.perf_counter) for env in (single, shared)]
            for _ in range(SHORT_PASSES)
        ]
    best, fastest = (min(side) for side in zip(*spent, strict=True))
    return best / fastest, statistics.median(a / b for a, b in spent)


def playing_envs(players: int, envs: int, threads: int) -> BatchEnv:
    """Return environments that are in the middle of their games."""
    from masons.env.batch_env import BatchEnv

    env = BatchEnv(envs, players, threads=threads, seed=0)
    env.reset()
    for _ in range(WARM_STEPS):
        env.step(env.pick_actions())
    return env


def env_seconds(env: BatchEnv, steps: int, clock: Callable[[], float]) -> float:
    """Return the time that `steps` steps take in seconds, without the choice of actions."""
    spent = 0.0
    for _ in range(steps):
        actions = env.pick_actions()
        began = clock()
        env.step(actions)
        spent += clock() - began
    return max(spent, 1e-9)


# --- seeded runs, and the signature

# The position before the wall of turn 10, in a game of two greedy players with the seed 4.
TURN_10: Final = (
    "masons1 board=classic players=2 turn=9 active=1 phase=wall scores=17,21 "
    "hands=city-size-7+city-rose+land-region-3/city-green+land-red+land-towers-black "
    "discard=city-size-1+city-size-1+city-size-2+city-colors+city-towers-white+city-red+"
    "city-towers+land-rose+land-yellow+land-yellow+land-green+land-green+land-region-1+"
    "land-region-1+land-towers+land-towers+land-towers-white+land-towers-white+"
    "land-towers-gray+land-shore+land-shore+land-walls+cities walls=49,70,71,89,90,92,104,"
    "107 towers=white:33,38;gray:32;black:17,25,39,40 houses=red:45,54;rose:43,44,55,"
    "56;yellow:56,67,69;green:31,44;blue:30,56,58 palaces=red:44;blue:44"
)
SIGNATURE_PLAYERS: Final = (2, 3, 4)
RANDOM_GAMES: Final = 20
HEURISTIC_GAMES: Final = 4
TREE_ITERATIONS: Final = 2000
# The simulations of a default search. This number is enough for the net to decide the last rounds.
SIGNATURE_SIMULATIONS: Final = 1000
# The decisions of a heuristic game that are searched, as fractions of the game. The last decisions
# are included because most playouts from them reach the end of the game, where the evaluation is
# calibrated separately.
SEARCHED: Final = (0.1, 0.5, 0.9, 1.0)
WIN_DIGITS: Final = 4  # the decimals of rounded win probabilities
SCORE_DIGITS: Final = 2  # the decimals of rounded scores


def random_games(policy: str, players: int) -> Callable[[int], list[int]]:
    """Return a function that plays a number of random games and returns their counters.

    `play_games` describes the counters. The returned function imports nothing, so that its speed
    can be measured.
    """
    import numpy as np

    from masons.engine.board.packed_board import pack_board
    from masons.engine.kernels.rng import new_rng
    from masons.engine.playouts.counters import COUNTER_WORDS
    from masons.engine.playouts.random_games import play_games
    from masons.engine.state.derive import empty_state

    table = pack_board(load_board("classic"))
    start = empty_state(table, players)
    workspace = start.copy()

    def run(games: int) -> list[int]:
        counters = np.zeros(COUNTER_WORDS, dtype=np.uint64)
        play_games(start, table, new_rng(1), POLICIES.index(policy), games, workspace, counters)
        return [int(number) for number in counters]

    return run


def turn_10() -> tuple[Table, Observation]:
    """Return the table of the board, and the deciding seat's view of the position TURN_10."""
    from masons.engine.formats.position_text import parse_position
    from masons.engine.game.table import Table

    board, position = parse_position(TURN_10)
    table = Table(board)
    return table, table.view(position.observed_by(position.seat))


def random_playouts(policy: str) -> Callable[[int], None]:
    """Return a function that makes a number of playouts from TURN_10."""
    import numpy as np

    from masons.ai.beliefs.determinization import determinized
    from masons.engine.kernels.rng import new_rng
    from masons.engine.playouts.counters import COUNTER_WORDS
    from masons.engine.playouts.random_games import play_outs

    table, view = turn_10()
    start = determinized(view, new_rng(1))
    workspace = start.copy()

    def run(count: int) -> None:
        counters = np.zeros(COUNTER_WORDS, dtype=np.uint64)
        play_outs(
            start, table.packed, new_rng(2), POLICIES.index(policy), count, workspace, counters
        )

    return run


def halving_searches() -> Callable[[int], None]:
    """Return a function that searches TURN_10 with sequential halving."""
    from masons.ai.session import analyze

    table, view = turn_10()
    options = SearchOptions()

    def run(count: int) -> None:
        analyze(table, view, sims=count, seed=3, options=options)

    return run


def tree_searches(policy: str) -> Callable[[int], list[str]]:
    """Return a function that searches TURN_10 with ISMCTS and returns the visits of each move."""
    from masons.ai.ismcts.tree_search import Search

    table, view = turn_10()

    def run(count: int) -> list[str]:
        search = Search(table, view, 3, SearchOptions("ismcts", policy=policy))
        search.run(count)
        return [f"{move} {visits}" for move, visits in search.root_visits().items()]

    return run


def signature() -> int:
    """Return the signature, a number from 0 to 2**32 - 1.

    The computation takes about a second with compiled kernels.
    """
    lines = [
        f"{number} {players} {random_games(policy, players)(RANDOM_GAMES)}"
        for number, policy in enumerate(POLICIES)
        for players in SIGNATURE_PLAYERS
    ]
    lines += tree_searches("busy")(TREE_ITERATIONS)
    for players in SIGNATURE_PLAYERS:
        for seed in range(HEURISTIC_GAMES):
            lines += player_game("heuristic", players, seed)
        lines += player_game("policy", players, seed=0)
    return int.from_bytes(hashlib.sha256("\n".join(lines).encode()).digest()[:4], "big")


def player_game(name: str, players: int, seed: int) -> Iterator[str]:
    """Yield the moves and the result of a named player's game against itself.

    For `heuristic` with the seed 0, also yield the results of searches at some decisions.
    """
    from masons.ai.players.named_players import make_player
    from masons.engine.game.game import Game
    from masons.engine.kernels.rng import mix

    game = Game(players, seed=seed)
    seats = [make_player(name, mix(seed, seat)) for seat in range(players)]
    decisions = []
    while not game.is_over:
        view, moves = game.observe(game.seat), game.legal_moves()
        if len(moves) > 1 and game.phase != "final":
            decisions.append(view)
        move = seats[game.seat].choose(game.table, view, moves)
        yield str(move)
        game.apply(move)
    yield str(game.result)
    if seed == 0 and name == "heuristic":
        for fraction in SEARCHED:
            view = decisions[int(fraction * (len(decisions) - 1))]
            yield from halving_rows(game.table, view)
            yield from halving_rows(game.table, replace(view, history=None))


def halving_rows(table: Table, view: Observation) -> Iterator[str]:
    """Yield each move of a default search with its visits, win probabilities and scores."""
    from masons.ai.session import Session

    session = Session(table, seed=5, options=SearchOptions())
    session.search(view, sims=SIGNATURE_SIMULATIONS)
    for stats in session.searched().moves:
        wins = [round(win, WIN_DIGITS) for win in stats.wins]
        scores = [round(score, SCORE_DIGITS) for score in stats.scores]
        yield f"{stats.move} {stats.visits} {wins} {scores}"
