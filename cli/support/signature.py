"""The bench signature: a number that changes only if what the engine plays has changed.

It is made of fixed games and searches, each in one thread and from a seed of its own, with the
numbers of `ai/models/data/learned.json`: the default search (with and without the action history,
so that all models enter), the policy by the net, the heuristics, the tree search, and the random
policies. Probabilities and scores enter rounded: the last bits of an exponential differ from one
machine to another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from masons.cli.support.random_runs import random_games, tree_searches
from masons.engine.playouts.policies import POLICIES

if TYPE_CHECKING:
    from masons.engine.game.observation import Observation
    from masons.engine.game.table import Table

SEATS: Final = (2, 3, 4)
RANDOM_GAMES: Final = 20
HEURISTIC_GAMES: Final = 4
TREE_ITERATIONS: Final = 2000
# Of each search by halving: enough for its last rounds to be decided by a net and not by the deal.
SIMULATIONS: Final = 1000
# Decisions of a heuristic game that are searched, by the share of it that is over. From the last
# ones most playouts come to the end of the game, which has numbers of its own in the calibration.
SEARCHED: Final = (0.1, 0.5, 0.9, 1.0)
# Decimals of what is rounded: win probabilities, scores in points.
WIN_DIGITS: Final = 4
SCORE_DIGITS: Final = 2


def signature() -> int:
    """The number, from 0 to 2**32 - 1; it takes about a second once all is compiled."""
    lines = [
        f"{number} {players} {random_games(policy, players)(RANDOM_GAMES)}"
        for number, policy in enumerate(POLICIES)
        for players in SEATS
    ]
    lines += tree_searches("busy")(TREE_ITERATIONS)
    for players in SEATS:
        for seed in range(HEURISTIC_GAMES):
            lines += player_game("heuristic", players, seed)
        lines += player_game("policy", players, seed=0)
    return int.from_bytes(hashlib.sha256("\n".join(lines).encode()).digest()[:4], "big")


def player_game(name: str, players: int, seed: int) -> Iterator[str]:
    """Each move of a game of a player with itself; of heuristics, once, what searches find too."""
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
        for share in SEARCHED:
            view = decisions[int(share * (len(decisions) - 1))]
            yield from found_by_halving(game.table, view)
            yield from found_by_halving(game.table, replace(view, history=None))


def found_by_halving(table: Table, view: Observation) -> Iterator[str]:
    """What the default search finds: each move with its visits, win probabilities and scores."""
    from masons.ai.search.search_options import SearchOptions
    from masons.ai.session import analyse

    options = SearchOptions()
    found = analyse(table, view, sims=SIMULATIONS, seed=5, options=options)
    for stats in found.moves:
        wins = [round(win, WIN_DIGITS) for win in stats.wins]
        scores = [round(score, SCORE_DIGITS) for score in stats.scores]
        yield f"{stats.move} {stats.visits} {wins} {scores}"
