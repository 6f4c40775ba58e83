"""Random play side by side with a C program for the same rules, in one interleaved run.

    MASONS_LIMIT=/path/to/program python benchmarks/limit.py [--games 20000] [--rounds 7]

The program must take `bench --policy P --players N --games G --repeats 1` and print a JSON object
with `games_per_s`, and `playouts` likewise with `playouts_per_s` from turn 10. Without it, only our
own figures are printed. Both sides are measured in CPU time on one core; medians of the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable

import numpy as np

from masons.ai.players import make_player
from masons.engine.board import load_board
from masons.engine.choices import POLICIES
from masons.engine.game import Game
from masons.engine.play import TALLY_WORDS, play_games, play_outs
from masons.engine.rng import new_rng
from masons.engine.start import empty_state
from masons.engine.table import Table

FROM_TURN = 10
POSITIONS = 256


def midgame(policy: str, players: int, seed: int) -> np.ndarray:
    """The state of a random game after FROM_TURN turns."""
    game = Game(players, seed=seed)
    player = make_player({"uniform": "random"}.get(policy, policy), seed)
    while game.position.turn < FROM_TURN and not game.is_over:
        game.apply(player.choose(game.table, game.seen(game.seat), game.legal_moves()))
    return game.state


def games_per_second(policy: str, players: int, games: int, seed: int) -> float:
    """Full random games on one core."""
    table = Table(load_board("classic"))
    start = empty_state(table.packed, players)
    tally = np.zeros(TALLY_WORDS, dtype=np.uint64)
    began = time.process_time()
    play_games(
        start, table.packed, new_rng(seed), POLICIES.index(policy), games, start.copy(), tally
    )
    return games / (time.process_time() - began)


def playouts_per_second(policy: str, players: int, count: int, seed: int) -> float:
    """Playouts from turn 10, 256 positions."""
    table = Table(load_board("classic"))
    states = [midgame(policy, players, 1000 * seed + i) for i in range(POSITIONS)]
    tally = np.zeros(TALLY_WORDS, dtype=np.uint64)
    rng, room, each = new_rng(seed), states[0].copy(), count // POSITIONS + 1
    began = time.process_time()
    for state in states:
        play_outs(state, table.packed, rng, POLICIES.index(policy), each, room, tally)
    return each * len(states) / (time.process_time() - began)


def limit_figure(command: str, key: str, policy: str, players: int, games: int) -> float | None:
    """The other program's figure, or None without it."""
    program = os.environ.get("MASONS_LIMIT")
    if not program:
        return None
    line = [program, command, "--policy", policy, "--players", str(players)]
    line += ["--games", str(games), "--repeats", "1"]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)[key])


def compare(
    name: str,
    key: str,
    ours: Callable[[str, int, int, int], float],
    policy: str,
    players: int,
    options: argparse.Namespace,
) -> None:
    """One row: both sides in turn, round after round."""
    own, other = [], []
    for i in range(options.rounds):
        own.append(ours(policy, players, options.games, i))
        figure = limit_figure(name, key, policy, players, options.games)
        if figure is not None:
            other.append(figure)
    row = f"{name:8} {policy:7} {players} players  {statistics.median(own):12,.0f}"
    if other:
        ratios = [a / b for a, b in zip(own, other, strict=True)]
        row += f" {statistics.median(other):12,.0f}  {statistics.median(ratios):6.2f}"
    print(row, flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    games_per_second("uniform", 2, 10, 0)
    playouts_per_second("uniform", 2, 10, 0)
    print(f"{'':8} {'policy':7} {'':10} {'ours a second':>11} {'limit':>12}  ratio")
    for policy in ("uniform", "busy"):
        for players in (2, 3, 4):
            compare("bench", "games_per_s", games_per_second, policy, players, options)
    for policy in ("uniform", "busy"):
        compare("playouts", "playouts_per_s", playouts_per_second, policy, 2, options)


if __name__ == "__main__":
    main()
