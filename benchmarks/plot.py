"""Draw the cost of games and searches of different sizes, from saved figures of the suite.

    python -m benchmarks.plot [FILE] [--out benchmarks/cost.svg]

FILE is a file saved by pytest-benchmark; the default is the newest file in `benchmarks/baselines`.
The command needs matplotlib (`pip install matplotlib`).
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.measuring import ROOT, new_file
from benchmarks.suite import Baseline, Saved, load, newest
from masons.engine.files import write_atomic

OUT = ROOT / "benchmarks" / "cost.svg"
# Colors that color-blind people can tell apart (Okabe and Ito).
COLORS = {"uniform": "#0072b2", "busy": "#d55e00"}
STYLE = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#888888",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
    "svg.hashsalt": "masons",
}
# A function that returns the cost of a piece of work in the unit of a panel.
Cost = Callable[[Saved], float]


def microseconds(saved: Saved) -> float:
    """Return the microseconds that one unit of work takes."""
    return 1e6 * saved.seconds


def per_decision(saved: Saved) -> float:
    """Return the nanoseconds that one decision takes."""
    return 1e9 * saved.seconds / (saved.decisions or 1.0)


def draw(baseline: Baseline) -> str:
    """Return the picture as SVG. Raises ImportError if matplotlib is not installed."""
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    def line(axes: Axes, series: Mapping[int, Saved], cost: Cost, label: str, **style: Any) -> None:
        axes.plot(list(series), [cost(saved) for saved in series.values()], label=label, **style)

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10.5, 3.9), layout="constrained")
        whole, decision, tree = figure.subplots(1, 3)
        for policy, color in COLORS.items():
            games = baseline.series(f"board/games-{policy}-")
            iterations = baseline.series(f"board/iterations-{policy}-")
            line(whole, games, microseconds, f"game, {policy}", color=color, marker="o")
            line(
                whole, iterations, microseconds, f"iteration, {policy}",
                color=color, marker="s", linestyle="--", markerfacecolor="white",
            )  # fmt: skip
            line(decision, games, per_decision, policy, color=color, marker="o")
            grown = baseline.series(f"tree/{policy}-")
            line(tree, grown, microseconds, policy, color=color, marker="s")
            whole.set_xticks(list(games))
            decision.set_xticks(list(games))
        whole.set(title="A game, a search iteration: µs", xlabel="spaces of the board")
        decision.set(title="A decision of a random game: ns", xlabel="spaces of the board")
        tree.set(title="An iteration by size of the search: µs", xlabel="iterations")
        tree.set_xscale("log")
        tree.minorticks_off()
        for axes in (whole, decision, tree):
            axes.set_ylim(0, 1.3 * axes.get_ylim()[1])
            axes.margins(x=0.06)
            axes.tick_params(length=0)
            axes.legend(
                loc="upper left", ncols=2 if axes is whole else 1, fontsize=9, handlelength=1.8,
                columnspacing=1, framealpha=1, edgecolor="white",
            )  # fmt: skip
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


def main() -> None:
    """Write the picture to a file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE")
    parser.add_argument("--out", type=new_file, default=str(OUT), metavar="FILE")
    options = parser.parse_args()
    try:
        write_atomic(options.out, draw(load(options.file or newest())))
    except (OSError, ImportError, ValueError, KeyError) as error:
        sys.exit(f"plot.py: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
