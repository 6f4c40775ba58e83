"""Measure parts of a search: an iteration beside its playout, and the parts of a simulation.

    python -m benchmarks.costs iterations [--rounds 5]
    python -m benchmarks.costs simulation [--rounds 9] [--sims 200000]

`iterations`: `examples/midgame.txt`, 10,000 and 100,000 iterations of one tree search, and as many
playouts from the same position by the same policy, in turn; CPU time, median ratio.

`simulation`: where the time of a simulation of the default search goes, there too. A simulation
deals hidden cards, plays a move and the rest of some turns, and evaluates the result: the net's
inputs, then the net. These two are measured alone, at the same position again and again, so with
all caches warm and the hands known (see `hand_sums`); the rest of the simulation is play, and the
cost of positions that differ. The net's least: a processor that multiplies one register of floats
and adds one in each cycle, and never waits. A register has 16 floats at the library's level
x86-64-v4, else 8. A cycle is measured by a chain of multiplications, three cycles each.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from benchmarks.measuring import Table, median_ratio, positive, timed
from benchmarks.play_works import POLICIES, RandomPlay
from benchmarks.positions import example
from masons.ai.halving.halving_search import HalvingSearch
from masons.ai.halving.simulation import COLUMNS, SimulationWorkspace, new_workspace
from masons.ai.ismcts.tree_search import Search
from masons.ai.models.features import (
    BOARD,
    BOARD_INPUTS,
    HELD,
    LAND,
    SEAT_INPUTS,
    fill_other_inputs,
    inputs_of,
)
from masons.ai.models.model_data import learned_net
from masons.ai.models.net_shapes import HIDDEN
from masons.ai.models.value_net import NetWorkspace, evaluate
from masons.ai.search.search_options import SearchOptions
from masons.engine.game.game import Game
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import (
    LIBRARY,
    SingleArray,
    Word,
    WordArray,
    copy_words,
    kernel,
    pointers,
    ptr,
)
from masons.engine.state.layout import STATE_WORDS

COUNTS = (10_000, 100_000)


def iteration_round(policy: str, count: int, seed: int) -> tuple[float, float, float]:
    """CPU seconds of an iteration and of a playout, and MiB of the tree."""
    game = example()
    play, state = RandomPlay(policy), game.state
    search = Search(
        game.table, game.observe(game.seat), seed, SearchOptions("ismcts", policy=policy)
    )
    search.run(1)
    searching = timed(lambda: search.run(count)) / count
    bare = timed(lambda: play.playouts(state, count)) / count
    return searching, bare, search.tree_bytes / 2**20


def iteration_table(rounds: int) -> Table:
    """Measure."""
    rows = []
    for policy in POLICIES:
        iteration_round(policy, 1, 0)  # compiles
        for count in COUNTS:
            measured = [iteration_round(policy, count, seed) for seed in range(rounds)]
            searching, bare, tree = (list(column) for column in zip(*measured, strict=True))
            costs = (f"{1e6 * statistics.median(column):.2f}" for column in (searching, bare))
            ratio, size = median_ratio(searching, bare), statistics.median(tree)
            rows.append((policy, f"{count:,}", *costs, f"{ratio:.2f}", f"{size:.1f}"))
    return Table(
        ("policy", "iterations", "us an iteration", "us a playout", "ratio", "tree, MiB"), rows
    )


SIMS: Final = 200_000
SAMPLES: Final = 100_000
CHAIN: Final = 20_000_000
CYCLES_OF_A_PRODUCT: Final = 3


@kernel
def multiply_on(word: Word, count: Word) -> Word:
    """A chain of squares, each waiting for the one before."""
    for _ in range(count):
        word *= word
    return word


@kernel
def evaluate_often(
    start: WordArray,
    board: WordArray,
    net: SingleArray,
    workspace: SimulationWorkspace,
    inputs_only: Word,
    count: Word,
) -> None:
    """Evaluate a state (uint64[STATE_WORDS]) `count` times by `net` (float32[KERNEL_NET]).

    If `inputs_only`, only the net's inputs are filled.
    """
    arrays, table = pointers(workspace), ptr(board)
    evaluation = NetWorkspace(
        arrays.net, arrays.hand_sums, arrays.areas, arrays.copy, arrays.wins, arrays.scores
    )
    for _ in range(count):
        copy_words(arrays.state, ptr(start), U(STATE_WORDS))
        if inputs_only:
            fill_other_inputs(
                arrays.state, table, arrays.net, arrays.areas, arrays.wins, arrays.scores
            )
        else:
            evaluate(arrays.state, table, ptr(net), evaluation)


def floats_a_cycle() -> int:
    """How many floats a register has at the level of the library that is used."""
    return 16 if LIBRARY is not None and LIBRARY.lib.masons_level() >= 4 else 8


class NetWork(NamedTuple):
    """The work of the net at a position."""

    products: int
    weight_bytes: int


def net_of(inputs: np.ndarray, players: int) -> NetWork:
    """By the inputs (float32[INPUTS]) that are not 0; of a hand two sums are added, no inputs."""
    seats = inputs[: players * SEAT_INPUTS].reshape(players, SEAT_INPUTS) != 0
    seats = np.delete(seats, np.s_[int(HELD) : int(LAND)], axis=1)
    board = np.count_nonzero(inputs[BOARD : BOARD + BOARD_INPUTS])
    rows = int(np.count_nonzero(seats.any(axis=0))) + 2 * players
    products = (players * (rows + 2) + int(board)) * HIDDEN
    return NetWork(products, 4 * HIDDEN * (2 * rows + int(board) + 2))


def simulation_round(game: Game, sims: int) -> dict[str, float]:
    """Nanoseconds of each part, of a cycle too."""
    view, moves = game.observe(game.seat), game.legal_moves()
    workspace, net = new_workspace(np.zeros(COLUMNS), 1), learned_net()

    def evaluating(inputs_only: int) -> Callable[[], object]:
        board, count = game.table.packed, U(SAMPLES)
        return lambda: evaluate_often(game.state, board, net, workspace, U(inputs_only), count)

    works: dict[str, tuple[Callable[[], object], int]] = {
        "cycle": (lambda: multiply_on(U(3), U(CHAIN)), CYCLES_OF_A_PRODUCT * CHAIN),
        "simulation": (lambda: HalvingSearch(game.table, view, moves, seed=1).run(sims), sims),
        "evaluation": (evaluating(0), SAMPLES),
        "inputs": (evaluating(1), SAMPLES),
    }
    return {name: 1e9 * timed(run) / count for name, (run, count) in works.items()}


def simulation_table(rounds: int, sims: int) -> Table:
    """Measure."""
    game = example()
    simulation_round(game, 1000)  # compiles
    measured = [simulation_round(game, sims) for _ in range(rounds)]
    ns = {name: statistics.median(each[name] for each in measured) for name in measured[0]}
    net = net_of(inputs_of(game.state, game.table.packed)[0], game.players)
    rows = [
        ("a simulation", ns["simulation"]),
        ("play", ns["simulation"] - ns["evaluation"]),
        ("the net's inputs", ns["inputs"]),
        ("the net", ns["evaluation"] - ns["inputs"]),
        (
            f"the net's least: {net.products:,} products, weights of {net.weight_bytes / 1024:.0f} "
            "KiB",
            ns["cycle"] * net.products / floats_a_cycle(),
        ),
    ]
    return Table(
        ("part", "ns", "cycles", "share"),
        [
            (name, f"{took:,.0f}", f"{took / ns['cycle']:,.0f}", f"{took / ns['simulation']:.0%}")
            for name, took in rows
        ],
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("part", choices=("iterations", "simulation"))
    parser.add_argument("--rounds", type=positive, help="5 of iterations, 9 of simulations")
    parser.add_argument("--sims", type=positive, default=SIMS)
    options = parser.parse_args()
    if options.part == "iterations":
        print(iteration_table(options.rounds or 5))
    else:
        print(simulation_table(options.rounds or 9, options.sims))


if __name__ == "__main__":
    main()
