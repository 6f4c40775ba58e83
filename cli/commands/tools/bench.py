"""`bench`: speed in CPU time, and the signature that only a change of behavior changes."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import click

from masons.cli.options.shared_options import COUNT, SEATS, Whole, json_option, policy_option
from masons.cli.support.signature import (
    halving_searches,
    random_games,
    random_playouts,
    signature,
    tree_searches,
)
from masons.engine.playouts.policies import POLICIES

PASSES: Final = 9
# A search of the default player, and one of the tree search.
SIMULATIONS: Final = 24_000
ITERATIONS: Final = 10_000
# In the order in which they are shown.
RATES: Final = (
    "simulations_per_s", "games_per_s", "decisions_per_s", "playouts_per_s", "iterations_per_s",
)  # fmt: skip


class Rate(NamedTuple):
    """How many a CPU second in each pass."""

    passes: list[float]

    @property
    def median(self) -> float:
        """The middle of the passes."""
        return round(statistics.median(self.passes), 1)

    @property
    def spread(self) -> list[float]:
        """The least and the most."""
        return [round(min(self.passes), 1), round(max(self.passes), 1)]


@click.command("bench")
@policy_option(POLICIES[:2], "uniform", "Policy of the random games and playouts.")
@click.option(
    "--players", type=SEATS, default=2, show_default=True, metavar="N",
    help="Number of seats in the random games.",
)  # fmt: skip
@click.option(
    "--games", type=COUNT, default=20_000, show_default=True, metavar="G",
    help="Number of random games (and of playouts) in each of nine passes.",
)  # fmt: skip
@click.option(
    "--env",
    "measures_envs",
    is_flag=True,
    help="Measure environments for learning instead, stepped with random legal actions.",
)
@click.option(
    "--envs",
    type=Whole(1, 1 << 20),
    default=1024,
    show_default=True,
    metavar="E",
    help="With --env: number of environments stepped at once.",
)
@click.option(
    "--threads", type=Whole(1, 256), default=1, show_default=True, metavar="T",
    help="With --env: number of threads.",
)  # fmt: skip
@json_option
def command(
    policy: str, players: int, games: int, measures_envs: bool, envs: int, threads: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Measure the speed of one core.

    Prints rates per second of CPU time: the median of nine passes, the lowest and the highest.
    Each pass measures in turn simulations of the default search, random games, playouts, and
    iterations of the tree search; all but the random games start from turn 10 of a fixed game
    of two players. The signature is a number computed from fixed games and searches: it changes
    only if the engine behaves differently, not with the speed of the machine.

    With --env, prints how many steps per second the environments for learning take, including
    observations and masks; choosing the random actions is not counted. With several threads,
    wall-clock time is measured instead of CPU time, and the speedup over one thread is printed:
    the best of several short passes, and their median, which other work on the cores lowers.
    """
    from masons.cli.support.precompile import prepare
    from masons.cli.support.process import interruptible

    if measures_envs:
        _bench_envs(players, envs, threads, as_json)
        return
    prepare()
    rates = interruptible(lambda: measure(policy, players, games))
    number = interruptible(signature)
    figures: dict[str, Any] = {"policy": policy, "players": players, "games": games}
    if as_json:
        medians = {name: rate.median for name, rate in rates.items()}
        spread = {name: rate.spread for name, rate in rates.items()}
        click.echo(json.dumps({**figures, **medians, "signature": number, "spread": spread}))
        return
    for name, value in figures.items():
        click.echo(f"{name:18} {value:>14}")
    for name, rate in rates.items():
        least, most = rate.spread
        click.echo(f"{name:18} {rate.median:>14,.0f}   {least:,.0f} to {most:,.0f}")
    click.echo(f"{'signature':18} {number:>14}")


def _bench_envs(players: int, envs: int, threads: int, as_json: bool) -> None:
    from masons.cli.support.precompile import prepare
    from masons.cli.support.process import interruptible
    from masons.env.step_rate import env_rates, thread_gains

    prepare()
    rate = Rate(interruptible(lambda: env_rates(players, envs, threads, PASSES)))
    figures: dict[str, Any] = {"players": players, "envs": envs, "threads": threads}
    if threads > 1:
        gains = interruptible(lambda: thread_gains(players, envs, threads))
        names = ("threads_gain_best", "threads_gain_median")
        figures |= {name: round(ratio, 2) for name, ratio in zip(names, gains, strict=True)}
    if as_json:
        spread = {"env_steps_per_s": rate.spread}
        click.echo(json.dumps({**figures, "env_steps_per_s": rate.median, "spread": spread}))
        return
    for name, value in figures.items():
        click.echo(f"{name:18} {value:>14}")
    least, most = rate.spread
    click.echo(f"{'env_steps_per_s':18} {rate.median:>14,.0f}   {least:,.0f} to {most:,.0f}")


def measure(policy: str, players: int, games: int) -> dict[str, Rate]:
    """Simulations, games, decisions, playouts and tree iterations a second, by passes."""
    from masons.engine.playouts.counters import COUNT_DECISIONS

    play = random_games(policy, players)
    works: dict[str, tuple[Callable[[int], object], int]] = {
        "simulations_per_s": (halving_searches(), SIMULATIONS),
        "games_per_s": (play, games),
        "playouts_per_s": (random_playouts(policy), games),
        "iterations_per_s": (tree_searches(policy), ITERATIONS),
    }
    for work, count in works.values():
        work(count)  # a run that does not count
    passes: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(PASSES):
        for name, (work, count) in works.items():
            began = time.process_time()
            work(count)
            passes[name].append(count / max(time.process_time() - began, 1e-9))
    decisions = play(games)[int(COUNT_DECISIONS)] / games
    passes["decisions_per_s"] = [rate * decisions for rate in passes["games_per_s"]]
    return {name: Rate(passes[name]) for name in RATES}
