"""`bench`: speed in CPU time, and the signature that only a change of behaviour changes."""

from __future__ import annotations

import hashlib
import json
import statistics
import time
from collections.abc import Callable
from typing import Final

import click

from masons.cli.options.shared_options import (
    COUNT,
    SEATS,
    json_option,
    policy_option,
)
from masons.cli.support.random_runs import random_games, random_playouts, turn_10
from masons.engine.playouts.policies import POLICIES

REPEATS: Final = 9
ITERATIONS: Final = 10_000
# What the signature is made of.
SIGNATURE_GAMES: Final = 20
SIGNATURE_ITERATIONS: Final = 2000


@click.command("bench")
@policy_option(POLICIES[:2], "uniform", "How the random games and playouts are played.")
@click.option(
    "--players", type=SEATS, default=2, show_default=True, metavar="N",
    help="Number of seats in the random games.",
)  # fmt: skip
@click.option(
    "--games", type=COUNT, default=20_000, show_default=True, metavar="G",
    help="Random games (and playouts) in each of nine repeats.",
)  # fmt: skip
@json_option
def command(policy: str, players: int, games: int, as_json: bool) -> None:
    """Measure the speed of one core.

    In CPU time, the median of nine repeats.
    Random games from the deal on, playouts and search iterations from turn 10 of a fixed game of
    two. The signature is a number made from fixed games and a fixed search: no matter how fast the
    machine, it changes only if what the engine does has changed.
    """
    from masons.cli.support.interrupt import interruptible
    from masons.cli.support.precompile import prepare

    prepare("games", "search")
    results: dict[str, str | int | float] = {"policy": policy, "players": players, "games": games}
    results |= interruptible(lambda: measure(policy, players, games))
    results["signature"] = signature()
    if as_json:
        click.echo(json.dumps(results))
    else:
        _show(results)


def _show(results: dict[str, str | int | float]) -> None:
    for name, value in results.items():
        shown = f"{value:,.0f}" if name.endswith("_per_s") else str(value)
        click.echo(f"{name:18} {shown:>14}")


def iterations(policy: str) -> Callable[[int], list[str]]:
    """What searches at turn 10, from a fixed seed; each move with its visits."""
    from masons.ai.choose_search import Search, SearchOptions

    table, view = turn_10()

    def run(count: int) -> list[str]:
        search = Search(table, view, 3, SearchOptions(policy=policy))
        search.run(count)
        return [f"{move} {visits}" for move, visits in search.tries().items()]

    return run


def _rate(work: Callable[[int], object], count: int) -> float:
    """How many a CPU second: the median of the repeats, after one that does not count."""
    work(count)
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        work(count)
        times.append(time.process_time() - began)
    return round(count / max(statistics.median(times), 1e-9), 1)


def measure(policy: str, players: int, games: int) -> dict[str, float]:
    """Games, decisions, playouts and search iterations a second."""
    from masons.engine.playouts.counters import COUNT_DECISIONS

    play = random_games(policy, players)
    decisions = play(games)[int(COUNT_DECISIONS)] / games
    rate = _rate(play, games)
    return {
        "games_per_s": rate,
        "decisions_per_s": round(rate * decisions, 1),
        "playouts_per_s": _rate(random_playouts(policy), games),
        "iterations_per_s": _rate(iterations(policy), ITERATIONS),
    }


def signature() -> int:
    """A number that depends on what the engine does and on nothing else."""
    told = [
        f"{policy} {players} {random_games(policy, players)(SIGNATURE_GAMES)}"
        for policy in POLICIES
        for players in (2, 3, 4)
    ]
    told += iterations("busy")(SIGNATURE_ITERATIONS)
    return int.from_bytes(hashlib.sha256("\n".join(told).encode()).digest()[:4], "big")
