"""The saved figures of the suite for pytest-benchmark, one file for each time, and tables of them.

    pytest benchmarks --benchmark-enable      # measure (test_suite.py)
    python -m benchmarks.suite [FILE]         # tables

FILE was saved by pytest-benchmark; without one it is the newest in `benchmarks/baselines`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measuring import Table, short

FOLDER = Path(__file__).parent / "baselines"


class Saved(NamedTuple):
    """The median of one piece of work."""

    seconds: float  # a unit
    unit: str
    decisions: float | None  # in a unit, where they were counted


class Baseline(NamedTuple):
    """A saved run of the suite."""

    date: str
    revision: str
    works: dict[str, Saved]

    def series(self, prefix: str) -> dict[int, Saved]:
        """The works named by the prefix and a number, by that number."""
        by_size = {
            int(name.removeprefix(prefix)): saved
            for name, saved in self.works.items()
            if name.startswith(prefix) and name.removeprefix(prefix).isdigit()
        }
        return dict(sorted(by_size.items()))


def newest() -> Path:
    """The file saved last. Raises FileNotFoundError where there is none."""
    files = sorted(FOLDER.glob("*/*.json"), key=lambda path: path.name)
    if not files:
        raise FileNotFoundError(f"no figures in {FOLDER}: see benchmarks/README.md")
    return files[-1]


def _saved(benchmark: dict[str, Any]) -> tuple[str, Saved]:
    extra = benchmark["extra_info"]
    units = extra["units"]
    decisions = extra["decisions"] / units if "decisions" in extra else None
    return extra["name"], Saved(benchmark["stats"]["median"] / units, extra["unit"], decisions)


def load(path: Path) -> Baseline:
    """Read a file."""
    saved = json.loads(path.read_text(encoding="utf-8"))
    works = dict(_saved(benchmark) for benchmark in saved["benchmarks"])
    return Baseline(saved["datetime"][:10], saved["commit_info"]["id"], works)


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
    columns_of = {what: baseline.series(prefix) for what, prefix in rows.items()}
    columns_of = {what: series for what, series in columns_of.items() if series}
    columns = sorted({size for series in columns_of.values() for size in series})
    return Table(
        (head, *(f"{size:,}" for size in columns)),
        [
            (what, *(_cell(series.get(size)) for size in columns))
            for what, series in columns_of.items()
        ],
    )


def decisions(baseline: Baseline, rows: dict[str, str]) -> list[tuple[str, ...]]:
    """How many decisions a game of each size has, a row for each series."""
    by_name = {what: baseline.series(prefix) for what, prefix in rows.items()}
    return [
        (f"decisions in a {what}", *(f"{saved.decisions:.0f}" for saved in series.values()))
        for what, series in by_name.items()
        if series and all(saved.decisions for saved in series.values())
    ]


def boards(baseline: Baseline) -> Table:
    """Return the cost and length of games by the size of the board."""
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
