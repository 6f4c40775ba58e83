"""What an iteration of the search costs beside the bare playout in it.

    python -m benchmarks.costs.iterations [--rounds 5]

A mid-game position with 2 players at a wall decision; 10,000 and 100,000 iterations of one search,
and as many playouts from the same position by the same policy, in turn; CPU time, median ratio.
"""

from __future__ import annotations

import argparse
import statistics

from benchmarks.harness.markdown_table import Table
from benchmarks.harness.measuring import median_ratio, positive, timed
from benchmarks.workloads.measured_positions import example
from benchmarks.workloads.play_works import POLICIES, RandomPlay
from masons.ai.ismcts.tree_search import Search
from masons.ai.search.search_options import SearchOptions

COUNTS = (10_000, 100_000)


def one_round(policy: str, count: int, seed: int) -> tuple[float, float, float]:
    """CPU seconds of an iteration and of a playout, and MiB of the tree."""
    game = example()
    play, state = RandomPlay(policy), game.state
    search = Search(
        game.table, game.observe(game.seat), seed, SearchOptions("ismcts", policy=policy)
    )
    search.run(1)
    own = timed(lambda: search.run(count)) / count
    bare = timed(lambda: play.playouts(state, count)) / count
    return own, bare, search.analysis(0).tree_bytes / 2**20


def table(rounds: int) -> Table:
    """Measure."""
    rows = []
    for policy in POLICIES:
        one_round(policy, 1, 0)  # compiles
        for count in COUNTS:
            found = [one_round(policy, count, seed) for seed in range(rounds)]
            own, bare, tree = (list(column) for column in zip(*found, strict=True))
            costs = (f"{1e6 * statistics.median(column):.2f}" for column in (own, bare))
            ratio, size = median_ratio(own, bare), statistics.median(tree)
            rows.append((policy, f"{count:,}", *costs, f"{ratio:.2f}", f"{size:.1f}"))
    return Table(
        ("policy", "iterations", "us an iteration", "us a playout", "ratio", "tree, MiB"), rows
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=positive, default=5)
    print(table(parser.parse_args().rounds))


if __name__ == "__main__":
    main()
