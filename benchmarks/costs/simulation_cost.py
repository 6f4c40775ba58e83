"""Where the time of a simulation of the default search goes, and the least that its net could take.

    python -m benchmarks.costs.simulation_cost [--rounds 9] [--sims 200000]

At `examples/midgame.txt`, CPU time of one core. A simulation deals hidden cards, plays a move and
the rest of some turns, and evaluates what comes: the net's inputs, then the net. Those two are
measured alone, at the same position again and again, so with all caches warm and the hands known
(see `hand_sums`); what is left of the simulation is play, and what it costs that no position is
like the one before.

The net's least: a processor that multiplies one register of floats and adds one in each cycle, and
waits for nothing. A register has 16 floats at the library's level x86-64-v4, else 8. A cycle is
measured by a chain of multiplications, three cycles each.
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
from masons.ai.halving.simulation import COLUMNS, SimulationWorkspace, new_workspace
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
    own, table = pointers(workspace), ptr(board)
    evaluation = NetWorkspace(own.net, own.hand_sums, own.areas, own.copy, own.wins, own.scores)
    for _ in range(count):
        copy_words(own.state, ptr(start), U(STATE_WORDS))
        if inputs_only:
            fill_other_inputs(own.state, table, own.net, own.areas, own.wins, own.scores)
        else:
            evaluate(own.state, table, ptr(net), evaluation)


def floats_a_cycle() -> int:
    """How many floats a register has at the level of the library that is used."""
    return 16 if LIBRARY is not None and LIBRARY.lib.masons_level() >= 4 else 8


class Net(NamedTuple):
    """What the net has to do at a position."""

    products: int
    weight_bytes: int


def net_of(inputs: np.ndarray, players: int) -> Net:
    """By the inputs (float32[INPUTS]) that are not 0; of a hand two sums are added, no inputs."""
    seats = inputs[: players * SEAT_INPUTS].reshape(players, SEAT_INPUTS) != 0
    seats = np.delete(seats, np.s_[int(HELD) : int(LAND)], axis=1)
    board = np.count_nonzero(inputs[BOARD : BOARD + BOARD_INPUTS])
    rows = int(np.count_nonzero(seats.any(axis=0))) + 2 * players
    products = (players * (rows + 2) + int(board)) * HIDDEN
    return Net(products, 4 * HIDDEN * (2 * rows + int(board) + 2))


def one_round(game: Game, sims: int) -> dict[str, float]:
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
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=positive, default=9)
    parser.add_argument("--sims", type=positive, default=SIMS)
    options = parser.parse_args()
    print(table(options.rounds, options.sims))


if __name__ == "__main__":
    main()
