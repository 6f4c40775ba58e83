"""The memory option bounds the bytes that a search adds to its process.

Run as a program with the memory and the threads, this measures its own process.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys

import psutil
import pytest

from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session
from masons.cli.process import prepare
from masons.engine.game.game import Game
from tests.support.paths import ROOT

# What Python itself needs for the results and the threads.
MARGIN_MB = 6


def play(memory: int, threads: int, sims: int) -> tuple[Session, list[int]]:
    """Analyze three decisions in a session; return it, and the sizes of its trees."""
    game, sizes = Game(2, seed=1), []
    options = SearchOptions("ismcts", policy="uniform", memory_mb=memory, threads=threads)
    session = Session(game.table, options=options)
    for _ in range(3):
        analysis = session.analyze(game.observe(game.seat), sims=sims)
        sizes.append(analysis.tree_bytes)
        game.apply(analysis.best)
    return session, sizes


def most_so_far() -> int:
    """Return the most bytes that this process has had."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measure(memory: int, threads: int) -> dict[str, object]:
    """Return the growth of this process: at the end, at most, before; and sizes of trees."""
    prepare()  # compiles or loads the kernels, so that they do not count
    play(threads, threads, 20_000)
    before, peak = psutil.Process().memory_info().rss, most_so_far()
    session, sizes = play(memory, threads, 25_000 * memory)
    now = psutil.Process().memory_info().rss
    assert session.best
    return {"now": now - before, "peak": most_so_far() - before, "earlier": peak - before,
            "trees": sizes}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="counts in the units of Linux")
@pytest.mark.parametrize(("memory", "threads"), [(24, 3)])
def test_the_memory_option_bounds_the_process(memory: int, threads: int) -> None:
    line = [sys.executable, "-m", "tests.ai.search.test_search_memory", str(memory), str(threads)]
    prepare()  # every kernel is in the cache then: compiling takes memory of its own
    done = subprocess.run(line, capture_output=True, text=True, check=True, cwd=ROOT)
    figures = json.loads(done.stdout)
    most = (memory + MARGIN_MB) << 20
    assert figures["now"] <= most
    assert figures["peak"] <= max(most, figures["earlier"] + (MARGIN_MB << 20))
    # The trees were full, and their memory is seen.
    assert max(figures["trees"]) >= 0.7 * (memory << 20)
    assert figures["now"] >= 0.7 * max(figures["trees"])


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), int(sys.argv[2]))))
