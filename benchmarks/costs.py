"""Measure parts of a search: an iteration and its playout, or the parts of a simulation.

    python -m benchmarks.costs iterations [--rounds 5]
    python -m benchmarks.costs simulation [--rounds 9] [--sims 200000]

`iterations` measures tree searches with 10,000 and 100,000 iterations from `examples/midgame.txt`.
Alternately with these searches, it measures the same numbers of playouts from the same position
with the same policy. The command prints CPU times and median ratios.

`simulation` shows how the default search spends the time of a simulation at the same position. A
simulation deals hidden cards, plays a move and the rest of some turns, and evaluates the result.
The evaluation first fills the net's inputs and then evaluates the net. These two parts are measured
separately, with many repetitions at the same position, so that all caches are warm and the sums of
the hands are known (see `value_net`). The remaining time is spent on playing, and on the extra cost
of positions that differ from each other.

`the net's least` is the time for an ideal processor, which multiplies and adds one register of
floats in each cycle and never waits. A register has 16 floats if the library is compiled for
x86-64-v4, and otherwise 8. To measure the length of a cycle, a chain of multiplications is run, in
which each multiplication takes three cycles.
"""

from __future__ import annotations

import statistics
from functools import partial
from typing import Final

import numpy as np

from benchmarks.measuring import Run, Table, in_turn, median_ratio, parser_of, positive, timed
from benchmarks.play_works import POLICIES, RandomPlay
from benchmarks.positions import example
from masons.ai.halving.halving_search import HalvingSearch
from masons.ai.halving.simulation import COLUMNS, SimulationWorkspace, new_simulation_workspace
from masons.ai.ismcts.tree_search import Search
from masons.ai.models import features
from masons.ai.models.model_data import learned_net
from masons.ai.models.value_net import HIDDEN, NetWorkspace, evaluate
from masons.ai.search.search_options import SearchOptions
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


def iteration_table(rounds: int) -> Table:
    """Return a table of the CPU times of iterations and playouts, and of the sizes of the trees."""
    game = example()
    view, state, sizes = game.observe(game.seat), game.state, list[int]()

    def searching(policy: str, count: int, seed: int) -> float:
        """Return the CPU seconds of one iteration, and store the size of the tree."""
        search = Search(game.table, view, seed, SearchOptions("ismcts", policy=policy))
        search.run(1)
        took = timed(lambda: search.run(count)) / count
        sizes.append(search.tree_bytes)
        return took

    def playing(policy: str, count: int, seed: int) -> float:
        """Return the CPU seconds of one playout."""
        play = RandomPlay(policy, seed=seed)
        return timed(lambda: play.playouts(state, count)) / count

    rows = []
    for policy in POLICIES:
        searching(policy, 1, 0)  # compiles the kernels
        for count in COUNTS:
            sizes.clear()
            measures = [partial(measure, policy, count) for measure in (searching, playing)]
            iteration, playout = in_turn(dict(enumerate(measures)), rounds).values()
            costs = (f"{1e6 * statistics.median(column):.2f}" for column in (iteration, playout))
            ratio, size = median_ratio(iteration, playout), statistics.median(sizes) / 2**20
            rows.append((policy, f"{count:,}", *costs, f"{ratio:.2f}", f"{size:.1f}"))
    columns = ("policy", "iterations", "us an iteration", "us a playout", "ratio", "tree, MiB")
    return Table(columns, rows)


SIMS: Final = 200_000
SAMPLES: Final = 100_000
CHAIN: Final = 20_000_000
CYCLES_OF_A_PRODUCT: Final = 3


@kernel
def multiply_on(word: Word, count: Word) -> Word:
    """Square a number `count` times and return the result. Each step waits for the previous one."""
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
    """Evaluate a state (uint64[STATE_WORDS]) `count` times with `net` (float32[KERNEL_NET]).

    If `inputs_only` is not 0, only the net's inputs are filled.
    """
    arrays, table = pointers(workspace), ptr(board)
    evaluation = NetWorkspace(
        arrays.net, arrays.hand_sums, arrays.areas, arrays.copy, arrays.wins, arrays.scores
    )
    for _ in range(count):
        copy_words(arrays.state, ptr(start), U(STATE_WORDS))
        if inputs_only:
            features.fill_other_inputs(
                arrays.state, table, arrays.net, arrays.areas, arrays.wins, arrays.scores
            )
        else:
            evaluate(arrays.state, table, ptr(net), evaluation)


def net_work(inputs: np.ndarray, players: int) -> tuple[int, int]:
    """Return the number of products that the net computes, and the bytes of weights it reads.

    Only inputs (float32[INPUTS]) that are not 0 count. The cards in a hand do not count as inputs;
    instead, each hand counts as two sums that are added.
    """
    seats = inputs[: players * features.SEAT_INPUTS].reshape(players, features.SEAT_INPUTS) != 0
    seats = np.delete(seats, np.s_[int(features.HELD) : int(features.LAND)], axis=1)
    board = int(np.count_nonzero(inputs[features.BOARD :]))
    rows = int(np.count_nonzero(seats.any(axis=0))) + 2 * players
    return (players * (rows + 2) + board) * HIDDEN, 4 * HIDDEN * (2 * rows + board + 2)


def simulation_table(rounds: int, sims: int) -> Table:
    """Return a table of the time of each part of a simulation, in nanoseconds and in cycles."""
    game = example()
    view, moves, board = game.observe(game.seat), game.legal_moves(), game.table.packed
    workspace, net = new_simulation_workspace(np.zeros(COLUMNS), 1), learned_net()

    def evaluating(inputs_only: int) -> Run:
        return lambda: evaluate_often(game.state, board, net, workspace, U(inputs_only), U(SAMPLES))

    works: dict[str, tuple[Run, int]] = {
        "cycle": (lambda: multiply_on(U(3), U(CHAIN)), CYCLES_OF_A_PRODUCT * CHAIN),
        "simulation": (lambda: HalvingSearch(game.table, view, moves, seed=1).run(sims), sims),
        "evaluation": (evaluating(0), SAMPLES),
        "inputs": (evaluating(1), SAMPLES),
    }
    for run, _ in works.values():
        run()  # compiles the kernels
    measures = {name: lambda _, run=run: timed(run) for name, (run, _) in works.items()}
    took = in_turn(measures, rounds)
    ns = {name: 1e9 * statistics.median(took[name]) / count for name, (_, count) in works.items()}
    # the number of floats in a register that the loaded library uses
    floats = 16 if LIBRARY is not None and LIBRARY.lib.masons_level() >= 4 else 8
    products, size = net_work(features.inputs_of(game.state, board)[0], game.players)
    rows = [
        ("a simulation", ns["simulation"]),
        ("play", ns["simulation"] - ns["evaluation"]),
        ("the net's inputs", ns["inputs"]),
        ("the net", ns["evaluation"] - ns["inputs"]),
        (
            f"the net's least: {products:,} products, weights of {size / 1024:.0f} KiB",
            ns["cycle"] * products / floats,
        ),
    ]
    return Table(
        ("part", "ns", "cycles", "share"),
        [
            (name, f"{part:,.0f}", f"{part / ns['cycle']:,.0f}", f"{part / ns['simulation']:.0%}")
            for name, part in rows
        ],
    )


def main() -> None:
    """Measure the chosen part and print its table."""
    parser = parser_of(__doc__, sims=SIMS)
    parser.add_argument("part", choices=("iterations", "simulation"))
    parser.add_argument("--rounds", type=positive, help="5 of iterations, 9 of simulations")
    options = parser.parse_args()
    if options.part == "iterations":
        print(iteration_table(options.rounds or 5))
    else:
        print(simulation_table(options.rounds or 9, options.sims))


if __name__ == "__main__":
    main()
