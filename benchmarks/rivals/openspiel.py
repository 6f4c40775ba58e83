"""Our playouts and search beside OpenSpiel's, whose loops run in C++ (`pip install open_spiel`).

Rollouts: `RandomRolloutEvaluator.Evaluate`, reached from Python as the only simulation of an
`MCTSBot`: it copies the state and plays it out at random, as often as it was told.
Search: `ISMCTSBot` with an evaluator of one rollout, as our search plays one playout an iteration;
where nothing is hidden (backgammon) it refuses, and `MCTSBot` stands in.

Each round takes its own position: on our side a game of two by uniform play, on theirs a random
game. Decisions are what players do: on their side forced ones are counted too, on ours they are
not; dice and cards are counted on neither side.
"""

from __future__ import annotations

import random
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any

from benchmarks.harness.measuring import Run, timed, times_for
from benchmarks.harness.paired_rounds import Figure, Pairing, Side
from benchmarks.workloads.measured_positions import halfway
from benchmarks.workloads.play_works import RandomPlay
from masons.engine.game.game import Game

pyspiel: Any = None
with suppress(ImportError):
    pyspiel = import_module("pyspiel")
is_installed = pyspiel is not None

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


def _rollouts(name: str, stage: str) -> Side:
    """Rollouts of theirs."""
    game = pyspiel.load_game(name)

    def running(seed: int, count: int) -> Run:
        evaluator = pyspiel.RandomRolloutEvaluator(count, seed)
        bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, MEMORY_MB, False, seed, False)
        return lambda: bot.mcts_search(_their_state(name, stage, seed))

    few = 10
    count = few * times_for(running(0, few), SECONDS)

    def side(number: int) -> Figure:
        seconds = timed(running(number, count))
        return Figure(count / seconds, _their_decisions(name, stage, number))

    return side


def _search(name: str, stage: str, sims: int) -> Side:
    """Searches of theirs."""
    game = pyspiel.load_game(name)
    exploration = EXPLORATION * (game.max_utility() - game.min_utility())
    hidden = game.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION

    def side(number: int) -> Figure:
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
        return Figure(sims / seconds, _their_decisions(name, stage, number))

    return side


@cache
def _our_game(stage: str, seed: int) -> Game:
    return Game(2, seed=seed) if stage == "opening" else halfway("uniform", 2, seed)


@cache
def _our_decisions(stage: str, seed: int) -> float:
    play, count = RandomPlay("uniform", seed=seed), 1000
    play.playouts(_our_game(stage, seed).state, count)
    return play.decisions / count


def _our_playouts(stage: str) -> Side:
    def running(number: int, count: int) -> Run:
        play, state = RandomPlay("uniform", seed=number), _our_game(stage, number).state
        return lambda: play.playouts(state, count)

    few = 1000
    running(0, 1)()  # compiles
    count = few * times_for(running(0, few), SECONDS)

    def side(number: int) -> Figure:
        return Figure(count / timed(running(number, count)), _our_decisions(stage, number))

    return side


def _our_search(stage: str, sims: int, times: int) -> Side:
    from masons.ai.ismcts.tree_search import Search
    from masons.ai.search.search_options import SearchOptions

    options = SearchOptions("ismcts", policy="uniform")

    def side(number: int) -> Figure:
        game = _our_game(stage, number)
        seen = game.observe(game.seat)
        seconds = timed(lambda: Search(game.table, seen, number, options).run(sims), times)
        return Figure(sims * times / seconds, _our_decisions(stage, number))

    game = _our_game(stage, 0)
    Search(game.table, game.observe(game.seat), 0, options).run(1)
    return side


def pairings(sims: int) -> list[Pairing]:
    """Rollouts and searches, by game and stage of the game."""
    found = []
    for name in GAMES:
        slower = SLOWER if name in SLOW else 1
        own_sims = max(1, sims // slower)
        bot = "MCTSBot" if name == "backgammon" else "ISMCTSBot"
        for stage in STAGES:
            what = f"rollouts, {stage}"
            beside = f"OpenSpiel {name}"
            found.append(Pairing(beside, what, _our_playouts(stage), _rollouts(name, stage)))
        for stage in STAGES:
            what = f"{bot}, {own_sims:,} iterations, {stage}"
            ours = _our_search(stage, own_sims, slower)
            found.append(Pairing(beside, what, ours, _search(name, stage, own_sims)))
    return found
