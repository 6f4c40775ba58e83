"""`bench`: speed in CPU time, and the signature that only a change of behaviour changes."""

from __future__ import annotations

import hashlib
import json
import statistics
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import click

from masons.cli.params import COUNT, POLICIES, SEATS, policy_option

if TYPE_CHECKING:
    from masons.engine.table import Table
    from masons.engine.view import View

REPEATS: Final = 9
ITERATIONS: Final = 10_000
# What the signature is made of.
SIGNATURE_GAMES: Final = 20
SIGNATURE_ITERATIONS: Final = 2000
# Turn 10 of a game of two greedy players with seed 4: the wall is due.
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
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(policy: str, players: int, games: int, as_json: bool) -> None:
    """Measure the speed of one core.

    In CPU time, the median of nine repeats.
    Random games from the deal on, playouts and search iterations from turn 10 of a fixed game of
    two. The signature is a number made from fixed games and a fixed search: no matter how fast the
    machine, it changes only if what the engine does has changed.
    """
    from masons.cli.interrupt import interruptible
    from masons.cli.warm import prepare

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


def random_games(policy: str, players: int) -> Callable[[int], list[int]]:
    """What plays a number of random games from a fixed seed.

    It returns their tally (see `masons.engine.play`); all it needs is made beforehand.
    """
    import numpy as np

    from masons.engine.board import load_board
    from masons.engine.choices import POLICIES as KNOWN
    from masons.engine.play import play_games
    from masons.engine.rng import new_rng
    from masons.engine.start import empty_state
    from masons.engine.tally import TALLY_WORDS
    from masons.engine.topology import pack_board

    table = pack_board(load_board("classic"))
    start = empty_state(table, players)
    room = start.copy()

    def run(games: int) -> list[int]:
        tally = np.zeros(TALLY_WORDS, dtype=np.uint64)
        play_games(start, table, new_rng(1), KNOWN.index(policy), games, room, tally)
        return [int(number) for number in tally]

    return run


def _middle() -> tuple[Table, View]:
    """The fixed position at turn 10, as the seat to move sees it."""
    from masons.engine.table import Table
    from masons.engine.text import parse_position

    board, position = parse_position(TURN_10)
    table = Table(board)
    return table, table.view(position.seen_by(position.seat))


def random_playouts(policy: str) -> Callable[[int], None]:
    """What plays on from turn 10 a number of times, from a fixed seed."""
    import numpy as np

    from masons.ai.determinize import determinized
    from masons.engine.choices import POLICIES as KNOWN
    from masons.engine.play import play_outs
    from masons.engine.rng import new_rng
    from masons.engine.tally import TALLY_WORDS

    table, view = _middle()
    start = determinized(view, new_rng(1))
    room = start.copy()

    def run(count: int) -> None:
        tally = np.zeros(TALLY_WORDS, dtype=np.uint64)
        play_outs(start, table.packed, new_rng(2), KNOWN.index(policy), count, room, tally)

    return run


def iterations(policy: str) -> Callable[[int], list[str]]:
    """What searches at turn 10, from a fixed seed; each move with its visits."""
    from masons.ai.search import Search, SearchOptions

    table, view = _middle()

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
    from masons.engine.tally import TALLY_DECISIONS

    play = random_games(policy, players)
    decisions = play(games)[int(TALLY_DECISIONS)] / games
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
