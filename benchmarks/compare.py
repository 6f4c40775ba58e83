"""Compare random play and search with a C program and with OpenSpiel, in one run.

    MASONS_LIMIT=/path/to/program python -m benchmarks.compare [--only limit|openspiel]

Everything is interleaved, round after round, in CPU time on one core. A row shows the medians of
the rounds, and the median of the rounds' ratios, ours to theirs. A rival that is not there is
skipped with a line on stderr.

The C program takes `bench` and `playouts` with `--policy P --players N --games G --repeats 1`, and
`--from-turn T` for the second, which copies positions after T turns of random games and plays them
out. It prints a JSON object: `games_per_s` and `decisions_per_game`, or `playouts_per_s` and
`decisions_per_playout`, in CPU time of one core.

OpenSpiel's loops run in C++ (`pip install open_spiel`). Rollouts:
`RandomRolloutEvaluator.Evaluate`, reached from Python as the only simulation of an `MCTSBot`: it
copies the state and plays it out at random. Search: `ISMCTSBot` with an evaluator of one rollout,
as our search plays one playout an iteration; where nothing is hidden (backgammon) it refuses, and
`MCTSBot` stands in. Each round takes its own position: on our side a game of two by uniform play,
on theirs a random game. Decisions are those of players: theirs include forced ones, ours do not;
dice and cards count on neither side.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measuring import (
    Outcome,
    Pairing,
    Rate,
    RateOf,
    Run,
    about,
    new_file,
    pairing_table,
    positive,
    run_pairings,
    timed,
    times_for,
)
from benchmarks.play_works import PLAYERS, RandomPlay
from benchmarks.positions import after_turns, halfway
from masons.engine.files import write_atomic
from masons.engine.game.game import Game

if TYPE_CHECKING:
    from masons.engine.state.layout import State

VARIABLE = "MASONS_LIMIT"
PROGRAM_POLICIES = ("uniform", "busy")
FROM_TURN = 10
POSITIONS = 256


def program() -> str | None:
    """The program, or None where there is none."""
    return os.environ.get(VARIABLE) or None


def program_rates(path: str, command: str, policy: str, players: int, games: int) -> RateOf:
    """Games (`bench`) or `playouts` of the program."""
    unit = "game" if command == "bench" else "playout"
    line = [path, command, "--policy", policy, "--players", str(players)]
    line += ["--games", str(games), "--repeats", "1"]
    if command == "playouts":
        line += ["--from-turn", str(FROM_TURN)]

    def side(number: int) -> Rate:
        seeded = [*line, "--seed", str(number + 1)]
        done = subprocess.run(seeded, capture_output=True, text=True, check=True)
        try:
            printed = json.loads(done.stdout)
            return Rate(float(printed[f"{unit}s_per_s"]), float(printed[f"decisions_per_{unit}"]))
        except (ValueError, KeyError, TypeError):
            raise ChildProcessError(f"{' '.join(seeded)}: printed no figures") from None

    return side


def _our_games(policy: str, players: int, games: int) -> RateOf:
    def side(number: int) -> Rate:
        play = RandomPlay(policy, players=players, seed=number)
        seconds = timed(lambda: play.games(games))
        return Rate(games / seconds, play.decisions / games)

    play = RandomPlay(policy, players=players)
    play.games(1)  # compiles
    return side


def _our_program_playouts(policy: str, players: int, count: int) -> RateOf:
    each = -(-count // POSITIONS)

    @cache
    def states() -> State:
        parts = [after_turns(FROM_TURN, policy, players, i) for i in range(POSITIONS)]
        return np.concatenate(parts)

    def side(number: int) -> Rate:
        play = RandomPlay(policy, players=players, seed=number)

        starts, total = states(), each * POSITIONS
        return Rate(total / timed(lambda: play.playouts(starts, each)), play.decisions / total)

    play = RandomPlay(policy, players=players)
    play.playouts(states(), 1)
    return side


def program_pairings(path: str, games: int) -> list[Pairing]:
    """Full games and playouts, by policy and number of players, beside a program.

    Raises FileNotFoundError where the path is none of a program.
    """
    if not shutil.which(path):
        raise FileNotFoundError(f"{VARIABLE} is {path}, which is no program")
    made = []
    for command, ours, what in (
        ("bench", _our_games, "full games"),
        ("playouts", _our_program_playouts, f"playouts from turn {FROM_TURN}"),
    ):
        for policy in PROGRAM_POLICIES:
            for players in PLAYERS:
                name = f"{what}, {policy}, {players} players"
                our_rates = ours(policy, players, games)
                their_rates = program_rates(path, command, policy, players, games)
                made.append(Pairing("C program", name, our_rates, their_rates))
    return made


pyspiel: Any = None
with suppress(ImportError):
    pyspiel = import_module("pyspiel")
has_openspiel = pyspiel is not None

GAMES = ("hearts", "gin_rummy", "backgammon")
# Their rollouts of the other games take some fifty times as long.
SLOW = ("gin_rummy", "backgammon")
SLOWER = 10
STAGES = ("opening", "halfway")
SECONDS = 0.2  # a measurement of rollouts
COUNTED = 40  # rollouts in which decisions are counted, for each position
EXPLORATION = 0.7  # of the range of rewards, as in our search
MEMORY_MB = 1000


def _chosen(state: Any, rng: random.Random) -> int:
    """A random action, or what chance does."""
    if state.is_chance_node():
        actions, weights = zip(*state.chance_outcomes(), strict=True)
        return int(rng.choices(actions, weights)[0])
    return int(rng.choice(state.legal_actions()))


@cache
def _their_state(name: str, stage: str, seed: int) -> Any:
    """The first real decision of a random game, or the one after half of its decisions."""
    rng = random.Random(seed)
    state = pyspiel.load_game(name).new_initial_state()
    decisions = []
    while not state.is_terminal():
        if not state.is_chance_node() and len(state.legal_actions()) > 1:
            decisions.append(state.clone())
        state.apply_action(_chosen(state, rng))
    return decisions[0 if stage == "opening" else len(decisions) // 2]


@cache
def _their_decisions(name: str, stage: str, seed: int) -> float:
    """How many decisions a rollout from there has."""
    rng = random.Random(seed)
    total = 0
    for _ in range(COUNTED):
        state = _their_state(name, stage, seed).clone()
        while not state.is_terminal():
            total += not state.is_chance_node()
            state.apply_action(_chosen(state, rng))
    return total / COUNTED


def _rollouts(name: str, stage: str) -> RateOf:
    """Rollouts of theirs."""
    game = pyspiel.load_game(name)

    def running(seed: int, count: int) -> Run:
        evaluator = pyspiel.RandomRolloutEvaluator(count, seed)
        bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, MEMORY_MB, False, seed, False)
        return lambda: bot.mcts_search(_their_state(name, stage, seed))

    few = 10
    count = few * times_for(running(0, few), SECONDS)

    def side(number: int) -> Rate:
        seconds = timed(running(number, count))
        return Rate(count / seconds, _their_decisions(name, stage, number))

    return side


def _search(name: str, stage: str, sims: int) -> RateOf:
    """Searches of theirs."""
    game = pyspiel.load_game(name)
    exploration = EXPLORATION * (game.max_utility() - game.min_utility())
    hidden = game.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION

    def side(number: int) -> Rate:
        state = _their_state(name, stage, number)
        evaluator = pyspiel.RandomRolloutEvaluator(1, number)
        if hidden:
            bot = pyspiel.ISMCTSBot(number, evaluator, exploration, sims)
            seconds = timed(lambda: bot.get_policy(state))
        else:
            bot = pyspiel.MCTSBot(
                game, evaluator, exploration, sims, MEMORY_MB, False, number, False
            )
            seconds = timed(lambda: bot.mcts_search(state))
        return Rate(sims / seconds, _their_decisions(name, stage, number))

    return side


@cache
def _our_game(stage: str, seed: int) -> Game:
    return Game(2, seed=seed) if stage == "opening" else halfway("uniform", 2, seed)


@cache
def _our_decisions(stage: str, seed: int) -> float:
    play, count = RandomPlay("uniform", seed=seed), 1000
    play.playouts(_our_game(stage, seed).state, count)
    return play.decisions / count


def _our_playouts(stage: str) -> RateOf:
    def running(number: int, count: int) -> Run:
        play, state = RandomPlay("uniform", seed=number), _our_game(stage, number).state
        return lambda: play.playouts(state, count)

    few = 1000
    running(0, 1)()  # compiles
    count = few * times_for(running(0, few), SECONDS)

    def side(number: int) -> Rate:
        return Rate(count / timed(running(number, count)), _our_decisions(stage, number))

    return side


def _our_search(stage: str, sims: int, times: int) -> RateOf:
    from masons.ai.ismcts.tree_search import Search
    from masons.ai.search.search_options import SearchOptions

    options = SearchOptions("ismcts", policy="uniform")

    def side(number: int) -> Rate:
        game = _our_game(stage, number)
        seen = game.observe(game.seat)
        seconds = timed(lambda: Search(game.table, seen, number, options).run(sims), times)
        return Rate(sims * times / seconds, _our_decisions(stage, number))

    game = _our_game(stage, 0)
    Search(game.table, game.observe(game.seat), 0, options).run(1)
    return side


def openspiel_pairings(sims: int) -> list[Pairing]:
    """Rollouts and searches, by game and stage of the game."""
    made = []
    for name in GAMES:
        slower = SLOWER if name in SLOW else 1
        own_sims = max(1, sims // slower)
        bot = "MCTSBot" if name == "backgammon" else "ISMCTSBot"
        for stage in STAGES:
            what = f"rollouts, {stage}"
            beside = f"OpenSpiel {name}"
            made.append(Pairing(beside, what, _our_playouts(stage), _rollouts(name, stage)))
        for stage in STAGES:
            what = f"{bot}, {own_sims:,} iterations, {stage}"
            ours = _our_search(stage, own_sims, slower)
            made.append(Pairing(beside, what, ours, _search(name, stage, own_sims)))
    return made


def pairings(only: str | None, games: int, sims: int) -> list[Pairing]:
    """Return the rivals that are there; print a line on stderr for each that is not."""
    made: list[Pairing] = []
    if only in (None, "limit"):
        path = program()
        if path:
            made += program_pairings(path, games)
        else:
            print(f"C program skipped: {VARIABLE} names none", file=sys.stderr)
    if only in (None, "openspiel"):
        if has_openspiel:
            made += openspiel_pairings(sims)
        else:
            print("OpenSpiel skipped: pip install open_spiel", file=sys.stderr)
    return made


def as_json(outcomes: list[Outcome]) -> str:
    """All figures, with the machine and the date."""
    rows = [{**o._asdict(), "ratio": o.ratio, "by_decision": o.by_decision} for o in outcomes]
    return json.dumps({**about(), "rows": rows}, indent=1) + "\n"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=("limit", "openspiel"), help="compare with one")
    parser.add_argument("--rounds", type=positive, default=7)
    parser.add_argument("--games", type=positive, default=20_000, help="beside the C program")
    parser.add_argument("--sims", type=positive, default=10_000, help="iterations of a search")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write all figures")
    options = parser.parse_args()
    try:
        chosen = pairings(options.only, options.games, options.sims)
        if not chosen:
            return
        outcomes = run_pairings(chosen, options.rounds)
        print(pairing_table(outcomes))
        if options.json:
            write_atomic(options.json, as_json(outcomes))
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"compare.py: {error}")


if __name__ == "__main__":
    main()
