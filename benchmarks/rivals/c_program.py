"""Our random play beside a C program for the same rules, named by MASONS_LIMIT.

The program must take `bench` and `playouts` with `--policy P --players N --games G --repeats 1`,
and `--from-turn T` for the second, which copies positions after T turns of random games and plays
them out. It prints a JSON object: `games_per_s` and `decisions_per_game`, or `playouts_per_s` and
`decisions_per_playout`, in CPU time of one core.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.harness.measuring import timed
from benchmarks.harness.paired_rounds import Figure, Pairing, Side
from benchmarks.workloads.measured_positions import after_turns
from benchmarks.workloads.play_works import PLAYERS, RandomPlay

if TYPE_CHECKING:
    from masons.engine.state.layout import State

VARIABLE = "MASONS_LIMIT"
POLICIES = ("uniform", "busy")
FROM_TURN = 10
POSITIONS = 256


def program() -> str | None:
    """The program, or None where there is none."""
    return os.environ.get(VARIABLE) or None


def theirs(path: str, command: str, policy: str, players: int, games: int) -> Side:
    """Games (`bench`) or `playouts` of the program."""
    unit = "game" if command == "bench" else "playout"
    line = [path, command, "--policy", policy, "--players", str(players)]
    line += ["--games", str(games), "--repeats", "1"]
    if command == "playouts":
        line += ["--from-turn", str(FROM_TURN)]

    def side(number: int) -> Figure:
        seeded = [*line, "--seed", str(number + 1)]
        done = subprocess.run(seeded, capture_output=True, text=True, check=True)
        try:
            printed = json.loads(done.stdout)
            return Figure(float(printed[f"{unit}s_per_s"]), float(printed[f"decisions_per_{unit}"]))
        except (ValueError, KeyError, TypeError):
            raise ChildProcessError(f"{' '.join(seeded)}: printed no figures") from None

    return side


def _games(policy: str, players: int, games: int) -> Side:
    def side(number: int) -> Figure:
        play = RandomPlay(policy, players=players, seed=number)
        seconds = timed(lambda: play.games(games))
        return Figure(games / seconds, play.decisions / games)

    play = RandomPlay(policy, players=players)
    play.games(1)  # compiles
    return side


def _playouts(policy: str, players: int, count: int) -> Side:
    each = -(-count // POSITIONS)

    @cache
    def states() -> State:
        found = [after_turns(FROM_TURN, policy, players, i) for i in range(POSITIONS)]
        return np.concatenate(found)

    def side(number: int) -> Figure:
        play = RandomPlay(policy, players=players, seed=number)

        starts, total = states(), each * POSITIONS
        return Figure(total / timed(lambda: play.playouts(starts, each)), play.decisions / total)

    play = RandomPlay(policy, players=players)
    play.playouts(states(), 1)
    return side


def pairings(path: str, games: int) -> list[Pairing]:
    """Full games and playouts, by policy and number of players, beside a program.

    Raises FileNotFoundError where the path is none of a program.
    """
    if not shutil.which(path):
        raise FileNotFoundError(f"{VARIABLE} is {path}, which is no program")
    found = []
    for command, ours, what in (
        ("bench", _games, "full games"),
        ("playouts", _playouts, f"playouts from turn {FROM_TURN}"),
    ):
        for policy in POLICIES:
            for players in PLAYERS:
                name = f"{what}, {policy}, {players} players"
                own = ours(policy, players, games)
                other = theirs(path, command, policy, players, games)
                found.append(Pairing("C program", name, own, other))
    return found
