"""What an iteration of the search costs beside the bare playout in it.

    python benchmarks/iterations.py [--rounds 5]

Mid-game positions with 2 players at a wall decision; 10,000 and 100,000 iterations of one search,
and as many playouts from the same position by the same policy, in turn; CPU time, median ratio.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import numpy as np

from masons.ai.search import Search, SearchOptions
from masons.engine.choices import POLICIES
from masons.engine.game import Game
from masons.engine.play import TALLY_WORDS, play_outs
from masons.engine.rng import new_rng

POSITION = Path(__file__).parent.parent / "examples" / "midgame.txt"


def playout_seconds(game: Game, policy: str, count: int) -> float:
    """CPU seconds of a playout from the position."""
    tally = np.zeros(TALLY_WORDS, dtype=np.uint64)
    state = game.state
    began = time.process_time()
    play_outs(
        state, game.table.packed, new_rng(1), POLICIES.index(policy), count, state.copy(), tally
    )
    return (time.process_time() - began) / count


def iteration_seconds(game: Game, policy: str, count: int, seed: int) -> tuple[float, float]:
    """CPU seconds of an iteration, and MiB of the tree."""
    search = Search(game.table, game.view(game.seat), seed, SearchOptions(policy=policy))
    search.run(1)
    began = time.process_time()
    search.run(count)
    seconds = (time.process_time() - began) / count
    return seconds, search.analysis(0).tree_bytes / 2**20


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    text = next(line for line in POSITION.read_text().splitlines() if line.startswith("masons1"))
    game = Game.from_position(text, seed=1)
    playout_seconds(game, "uniform", 10)
    print("policy   iterations  us/iteration  us/playout  ratio  tree MiB")
    for policy in POLICIES:
        for count in (10_000, 100_000):
            pairs = [
                (*iteration_seconds(game, policy, count, i), playout_seconds(game, policy, count))
                for i in range(rounds)
            ]
            ratio = statistics.median(a / c for a, _, c in pairs)
            own, tree, bare = (statistics.median(column) for column in zip(*pairs, strict=True))
            print(
                f"{policy:8} {count:10,} {own * 1e6:13.2f} {bare * 1e6:11.2f} "
                f"{ratio:6.2f} {tree:9.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
