"""Compare random play and search with a C program and with OpenSpiel, in one run.

    MASONS_LIMIT=/path/to/program python -m benchmarks.compare [--only limit|openspiel]

All sides take turns, round after round, and are measured in CPU time on one core. The ratio of a
round is our rate divided by the rival's rate. A row of the table shows the median rates over all
rounds, and the median of their ratios. If a rival is not installed, it is skipped with a line on
stderr.

The C program has the commands `bench` and `playouts`, each with `--policy P --players N --games G
--repeats 1`. With `--from-turn T`, `playouts` copies positions after T turns of random games and
plays them to the end. The program prints a JSON object with `games_per_s` and `decisions_per_game`,
or with `playouts_per_s` and `decisions_per_playout`, in CPU time of one core.

OpenSpiel's loops run in C++ (`pip install open_spiel`). A rollout is a call of
`RandomRolloutEvaluator.Evaluate`, which Python can only make through an `MCTSBot` with a single
simulation. A rollout copies the state and plays at random to the end. OpenSpiel's search is
`ISMCTSBot` with an evaluator of one rollout, because our search plays one playout per iteration.
`ISMCTSBot` refuses games without hidden information, so `MCTSBot` is used for backgammon. Each
round uses a different position. On our side, the position comes from a two-player game with the
uniform policy; on OpenSpiel's side, from a random game. Only decisions of players are counted, not
dice or cards. OpenSpiel's counts include forced decisions; our counts do not.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks import measuring
from benchmarks.play_works import PLAYERS, RandomPlay
from benchmarks.positions import after_turns, halfway
from masons.ai.ismcts.tree_search import Search
from masons.ai.search.search_options import SearchOptions
from masons.engine.files import write_atomic
from masons.engine.game.game import Game

if TYPE_CHECKING:
    from masons.engine.state.layout import State


class Rate(NamedTuple):
    """The rate of one side in one round."""

    rate: float  # games, playouts, rollouts or iterations per CPU second
    decisions: float  # decisions per game, playout, rollout or iteration


# A function that measures one side in the round with a given number.
RateOf = Callable[[int], Rate]


class Pairing(NamedTuple):
    """Work of our engine, paired with comparable work of a rival."""

    beside: str
    what: str
    ours: RateOf
    theirs: RateOf


class Outcome(NamedTuple):
    """The rates of both sides, with one rate for each round."""

    beside: str
    what: str
    ours: list[float]
    theirs: list[float]
    decisions: tuple[float, ...]  # decisions per game or playout, ours and theirs

    @property
    def ratio(self) -> float:
        """The median ratio of our rate to theirs."""
        return measuring.median_ratio(self.ours, self.theirs)

    @property
    def by_decision(self) -> float:
        """The ratio of our decisions per second to theirs."""
        return self.ratio * self.decisions[0] / self.decisions[1]

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the outcome's row in the table.

        Rates and ratio are medians over all rounds.
        """
        medians = (measuring.short(statistics.median(rates)) for rates in (self.ours, self.theirs))
        decisions = (f"{count:.1f}" for count in self.decisions)
        ratios = measuring.short(self.ratio), measuring.short(self.by_decision)
        return self.beside, self.what, *medians, ratios[0], *decisions, ratios[1]


COLUMNS = (
    "beside", "what", "ours a second", "theirs", "ratio", "decisions in ours", "in theirs",
    "ratio by decision",
)  # fmt: skip


def run_pairings(pairings: Sequence[Pairing], rounds: int) -> list[Outcome]:
    """Measure every pairing in every round. Return the outcomes in the order of the pairings."""
    sides = {}
    for i, pairing in enumerate(pairings):
        sides[i, "ours"], sides[i, "theirs"] = pairing.ours, pairing.theirs
    rates, outcomes = measuring.in_turn(sides, rounds), []
    for i, pairing in enumerate(pairings):
        both = rates[i, "ours"], rates[i, "theirs"]
        ours, theirs = ([rate.rate for rate in part] for part in both)
        decisions = tuple(statistics.mean(rate.decisions for rate in part) for part in both)
        outcomes.append(Outcome(pairing.beside, pairing.what, ours, theirs, decisions))
    return outcomes


# --- the C program

VARIABLE = "MASONS_LIMIT"
PROGRAM_POLICIES = ("uniform", "busy")
FROM_TURN = 10
POSITIONS = 256


def program_rates(path: str, command: str, policy: str, players: int, games: int) -> RateOf:
    """Return a function that measures the C program.

    The program plays `games` games if `command` is `bench`, and as many playouts if it is
    `playouts`.
    """
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


@cache
def _starts(policy: str, players: int) -> State:
    return np.concatenate([after_turns(FROM_TURN, policy, players, i) for i in range(POSITIONS)])


def _our_games(command: str, policy: str, players: int, games: int, number: int) -> Rate:
    """Return our rate in the round `number`, for the same work as in `program_rates`."""
    play = RandomPlay(policy, players=players, seed=number)
    if command == "bench":
        return Rate(games / measuring.timed(lambda: play.games(games)), play.decisions / games)
    starts, each = _starts(policy, players), -(-games // POSITIONS)
    seconds, total = measuring.timed(lambda: play.playouts(starts, each)), each * POSITIONS
    return Rate(total / seconds, play.decisions / total)


def program_pairings(path: str, games: int) -> list[Pairing]:
    """Return pairings with a C program: full games and playouts, by policy and player count.

    Raises FileNotFoundError if `path` does not name a program.
    """
    if not shutil.which(path):
        raise FileNotFoundError(f"{VARIABLE} is {path}, which is no program")
    made = []
    for command, what in (("bench", "full games"), ("playouts", f"playouts from turn {FROM_TURN}")):
        for policy in PROGRAM_POLICIES:
            for players in PLAYERS:
                _our_games(command, policy, players, 1, 0)  # compiles the kernels
                ours = partial(_our_games, command, policy, players, games)
                theirs = program_rates(path, command, policy, players, games)
                name = f"{what}, {policy}, {players} players"
                made.append(Pairing("C program", name, ours, theirs))
    return made


# --- OpenSpiel

pyspiel: Any = None
with suppress(ImportError):
    pyspiel = import_module("pyspiel")

GAMES = ("hearts", "gin_rummy", "backgammon")
# The number of iterations is divided by this number, because rollouts of these games take about
# fifty times as long.
SLOWER = {"gin_rummy": 10, "backgammon": 10}
STAGES = ("opening", "halfway")
SECONDS = 0.2  # length of a measurement of rollouts in CPU seconds
COUNTED = 40  # number of rollouts from each position in which decisions are counted
EXPLORATION = 0.7  # as a share of the range of rewards, as in our search
MEMORY_MB = 1000

# A function that takes a seed and a count, and returns a run of `count` rollouts or iterations.
Running = Callable[[int, int], measuring.Run]


def _rates(running: Running, count: int, decisions: Callable[[int], float]) -> RateOf:
    """Return a function that measures runs of `count` rollouts or iterations.

    If `count` is 0, a run has as many of them as fit into SECONDS.
    """
    if not count:
        few = 10
        running(0, few)()  # compiles the kernels
        count = few * measuring.times_for(running(0, few), SECONDS)
    return lambda number: Rate(count / measuring.timed(running(number, count)), decisions(number))


def _chosen(state: Any, rng: random.Random) -> int:
    """Return a random action, or a random outcome if chance decides."""
    if state.is_chance_node():
        actions, weights = zip(*state.chance_outcomes(), strict=True)
        return int(rng.choices(actions, weights)[0])
    return int(rng.choice(state.legal_actions()))


@cache
def _their_state(name: str, stage: str, seed: int) -> Any:
    """Return a state of a random OpenSpiel game in which there are several actions.

    If `stage` is "opening", it is the first such state. Otherwise it is the middle one of all such
    states.
    """
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
    """Return the mean number of decisions in a rollout from `_their_state`."""
    rng, total = random.Random(seed), 0
    for _ in range(COUNTED):
        state = _their_state(name, stage, seed).clone()
        while not state.is_terminal():
            total += not state.is_chance_node()
            state.apply_action(_chosen(state, rng))
    return total / COUNTED


def _their_side(name: str, stage: str, sims: int) -> RateOf:
    """Return a function that measures OpenSpiel's rollouts, or a search if `sims` is not 0.

    The search has `sims` iterations.
    """
    game = pyspiel.load_game(name)
    exploration = EXPLORATION * (game.max_utility() - game.min_utility())
    hidden = game.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION

    def running(seed: int, count: int) -> measuring.Run:
        state = _their_state(name, stage, seed)
        if sims and hidden:
            evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
            searcher = pyspiel.ISMCTSBot(seed, evaluator, exploration, count)
            return lambda: searcher.get_policy(state)
        rollouts, iterations, weight = (1, count, exploration) if sims else (count, 1, 1.0)
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, seed)
        bot = pyspiel.MCTSBot(game, evaluator, weight, iterations, MEMORY_MB, False, seed, False)
        return lambda: bot.mcts_search(state)

    return _rates(running, sims, partial(_their_decisions, name, stage))


@cache
def _our_game(stage: str, seed: int) -> Game:
    return Game(2, seed=seed) if stage == "opening" else halfway("uniform", 2, seed)


@cache
def _our_decisions(stage: str, seed: int) -> float:
    play, count = RandomPlay("uniform", seed=seed), 1000
    play.playouts(_our_game(stage, seed).state, count)
    return play.decisions / count


def _our_side(stage: str, sims: int, times: int) -> RateOf:
    """Return a function that measures our playouts, or `times` searches if `sims` is not 0.

    A search has `sims` iterations.
    """
    options = SearchOptions("ismcts", policy="uniform")

    def running(seed: int, count: int) -> measuring.Run:
        game = _our_game(stage, seed)
        if not sims:
            play, state = RandomPlay("uniform", seed=seed), game.state
            return lambda: play.playouts(state, count)
        view = game.observe(game.seat)

        def search() -> None:
            for _ in range(count // sims):
                Search(game.table, view, seed, options).run(sims)

        return search

    running(0, sims or 1)()  # compiles the kernels
    return _rates(running, sims * times, partial(_our_decisions, stage))


def openspiel_pairings(sims: int) -> list[Pairing]:
    """Return pairings with OpenSpiel: rollouts and searches, by game and stage of the game."""
    made = []
    for name in GAMES:
        slower = SLOWER.get(name, 1)
        count = max(1, sims // slower)
        bot = "MCTSBot" if name == "backgammon" else "ISMCTSBot"
        for iterations, work in ((0, "rollouts"), (count, f"{bot}, {count:,} iterations")):
            for stage in STAGES:
                ours = _our_side(stage, iterations, slower)
                theirs = _their_side(name, stage, iterations)
                made.append(Pairing(f"OpenSpiel {name}", f"{work}, {stage}", ours, theirs))
    return made


def pairings(only: str | None, games: int, sims: int) -> list[Pairing]:
    """Return the pairings with installed rivals. Print a line on stderr for each missing one."""
    made: list[Pairing] = []
    if only != "openspiel":
        if path := os.environ.get(VARIABLE):
            made += program_pairings(path, games)
        else:
            print(f"C program skipped: {VARIABLE} names none", file=sys.stderr)
    if only != "limit":
        if pyspiel is not None:
            made += openspiel_pairings(sims)
        else:
            print("OpenSpiel skipped: pip install open_spiel", file=sys.stderr)
    return made


def as_json(outcomes: list[Outcome]) -> str:
    """Return all figures as JSON, with the machine and the date."""
    rows = [{**o._asdict(), "ratio": o.ratio, "by_decision": o.by_decision} for o in outcomes]
    return json.dumps({**measuring.about(), "rows": rows}, indent=1) + "\n"


def main() -> None:
    """Print the table."""
    # `games` is for the C program, and `sims` is the number of iterations of a search.
    parser = measuring.parser_of(__doc__, rounds=7, games=20_000, sims=10_000)
    parser.add_argument("--only", choices=("limit", "openspiel"), help="compare with one")
    parser.add_argument("--json", type=measuring.new_file, metavar="FILE", help="write all figures")
    options = parser.parse_args()
    try:
        chosen = pairings(options.only, options.games, options.sims)
        if not chosen:
            return
        outcomes = run_pairings(chosen, options.rounds)
        print(measuring.Table(COLUMNS, [outcome.cells for outcome in outcomes]))
        if options.json:
            write_atomic(options.json, as_json(outcomes))
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"compare.py: {error}")


if __name__ == "__main__":
    main()
