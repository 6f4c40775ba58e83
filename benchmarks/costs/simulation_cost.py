"""Where the time of a simulation of the default search goes, and the least that its net could take.

    python -m benchmarks.costs.simulation_cost [--rounds 9] [--sims 200000]

At `examples/midgame.txt`, CPU time of one core. A simulation deals hidden cards, plays a move and
the rest of some turns, and evaluates what comes: the net's inputs, then the net. Those two are
measured alone, at the same position again and again, so with all caches warm; what is left of the
simulation is play, and what it costs that no position is like the one before.

The net's least: a processor with registers of 8 floats that multiplies one and adds one in each
cycle, and waits for nothing. A cycle is measured by a chain of multiplications, three cycles each.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from benchmarks.harness.markdown_table import Table
from benchmarks.harness.measuring import positive, timed
from benchmarks.workloads.measured_positions import example
from masons.ai.halving.halving_search import HalvingSearch
from masons.ai.models.features import BOARD, BOARD_INPUTS, SEAT_INPUTS, inputs_of
from masons.ai.models.net_shapes import HIDDEN
from masons.ai.review.chance_values import kernel_calls
from masons.engine.game.game import Game
from masons.engine.kernels.jit import Word, kernel

SIMS: Final = 200_000
SAMPLES: Final = 20_000
CHAIN: Final = 20_000_000
CYCLES_OF_A_PRODUCT: Final = 3
FLOATS_A_CYCLE: Final = 8


@kernel
def multiply_on(word: Word, count: Word) -> Word:
    """A chain of squares, each waiting for the one before."""
    for _ in range(count):
        word *= word
    return word


class Net(NamedTuple):
    """What the net has to do at a position."""

    products: int
    weight_bytes: int


def net_of(inputs: np.ndarray, players: int) -> Net:
    """By the inputs (float32[INPUTS]) that are not 0."""
    seats = inputs[: players * SEAT_INPUTS].reshape(players, SEAT_INPUTS) != 0
    board = np.count_nonzero(inputs[BOARD : BOARD + BOARD_INPUTS])
    out = 2 * players * HIDDEN
    rows = int(np.count_nonzero(seats.any(axis=0)))
    products = (2 * int(np.count_nonzero(seats)) + board) * HIDDEN + out
    return Net(int(products), 4 * HIDDEN * (2 * rows + int(board) + 2))


def one_round(game: Game, sims: int) -> dict[str, float]:
    """Nanoseconds of each part, of a cycle too."""
    view, moves = game.observe(game.seat), game.legal_moves()
    position = kernel_calls(game.table, SAMPLES)["position_values"]
    states = np.tile(game.state, (SAMPLES, 1))
    works: dict[str, tuple[Callable[[], object], int]] = {
        "cycle": (lambda: multiply_on(3, CHAIN), CYCLES_OF_A_PRODUCT * CHAIN),
        "simulation": (lambda: HalvingSearch(game.table, view, moves, seed=1).run(sims), sims),
        "evaluation": (lambda: position(game.state), SAMPLES),
        "inputs": (lambda: inputs_of(states, game.table.packed), SAMPLES),
    }
    return {name: 1e9 * timed(run) / count for name, (run, count) in works.items()}


def table(rounds: int, sims: int) -> Table:
    """Measure."""
    game = example()
    one_round(game, 1000)  # compiles
    found = [one_round(game, sims) for _ in range(rounds)]
    ns = {name: statistics.median(each[name] for each in found) for name in found[0]}
    net = net_of(inputs_of(game.state, game.table.packed)[0], game.players)
    rows = [
        ("a simulation", ns["simulation"]),
        ("play", ns["simulation"] - ns["evaluation"]),
        ("the net's inputs", ns["inputs"]),
        ("the net", ns["evaluation"] - ns["inputs"]),
        (
            f"the net's least: {net.products:,} products, weights of {net.weight_bytes / 1024:.0f} "
            "KiB",
            ns["cycle"] * net.products / FLOATS_A_CYCLE,
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
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=positive, default=9)
    parser.add_argument("--sims", type=positive, default=SIMS)
    options = parser.parse_args()
    print(table(options.rounds, options.sims))


if __name__ == "__main__":
    main()
