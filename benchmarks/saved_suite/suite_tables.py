"""Saved figures of the suite as tables.

    python -m benchmarks.saved_suite.suite_tables [FILE]

FILE was saved by pytest-benchmark; without one it is the newest in `benchmarks/baselines`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.harness.markdown_table import Table, short
from benchmarks.saved_suite.saved_figures import Baseline, Saved, load, newest

# Rows of the tables of sizes: what a row shows, and how its works' names begin.
PLAYERS = {
    f"{what}, {policy}": f"{prefix}/{policy}-"
    for what, prefix in (("game", "games"), ("iteration from the start", "players"))
    for policy in ("uniform", "busy", "busy-best")
}
BOARDS = {
    f"{what}, {policy}": f"board/{prefix}-{policy}-"
    for what, prefix in (("game", "games"), ("iteration from the start", "iterations"))
    for policy in ("uniform", "busy")
}
TREES = {f"iteration, {policy}": f"tree/{policy}-" for policy in ("uniform", "busy")}
THREADS = {f"iteration, {policy}": f"threads/{policy}-" for policy in ("uniform", "busy")}
SINGLE = ("kernel", "state", "text", "playouts", "iterations", "start")


def _cell(saved: Saved | None) -> str:
    return "" if saved is None else short(1e6 * saved.seconds)


def sizes(baseline: Baseline, head: str, rows: dict[str, str]) -> Table:
    """Microseconds by size: a column for each size."""
    found = {what: baseline.series(prefix) for what, prefix in rows.items()}
    found = {what: series for what, series in found.items() if series}
    columns = sorted({size for series in found.values() for size in series})
    return Table(
        (head, *(f"{size:,}" for size in columns)),
        [(what, *(_cell(series.get(size)) for size in columns)) for what, series in found.items()],
    )


def decisions(baseline: Baseline, rows: dict[str, str]) -> list[tuple[str, ...]]:
    """How many decisions a game of each size has, a row for each series."""
    found = {what: baseline.series(prefix) for what, prefix in rows.items()}
    return [
        (f"decisions in a {what}", *(f"{saved.decisions:.0f}" for saved in series.values()))
        for what, series in found.items()
        if series and all(saved.decisions for saved in series.values())
    ]


def boards(baseline: Baseline) -> Table:
    """What the size of the board costs, and how long the games are."""
    costs = sizes(baseline, "us, by spaces of the board", BOARDS)
    return Table(costs.columns, [*costs.rows, *decisions(baseline, BOARDS)])


def single(baseline: Baseline) -> Table:
    """Everything that has one size."""
    rows = [
        (f"`{name}`", short(1e6 * saved.seconds), saved.unit)
        for name, saved in baseline.works.items()
        if name.partition("/")[0] in SINGLE
    ]
    return Table(("what", "us", "for a"), rows)


def tables(baseline: Baseline) -> dict[str, Table]:
    """All tables, by name."""
    return {
        "players": sizes(baseline, "us, by players", PLAYERS),
        "boards": boards(baseline),
        "trees": sizes(baseline, "us, by iterations of the search", TREES),
        "threads": sizes(baseline, "us on the wall, by threads", THREADS),
        "single": single(baseline),
    }


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE")
    try:
        baseline = load(parser.parse_args().file or newest())
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"suite_tables.py: {type(error).__name__}: {error}")
    print("\n\n".join(str(table) for table in tables(baseline).values()))


if __name__ == "__main__":
    main()
