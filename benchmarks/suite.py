"""The saved figures of the suite (`test_suite.py`), and tables of these figures.

pytest-benchmark saves a file for each run, and the newest file is in `benchmarks/baselines`.
`report.py` writes the tables into `README.md`, and `plot.py` draws some of the figures.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import Table, short
from benchmarks.works import WORKS

FOLDER = Path(__file__).parent / "baselines"


class Saved(NamedTuple):
    """The median time of a piece of work."""

    seconds: float  # seconds of one unit
    unit: str
    decisions: float | None  # decisions in one unit, if they were counted


class Baseline(NamedTuple):
    """A saved run of the suite."""

    date: str
    revision: str
    works: dict[str, Saved]

    def series(self, prefix: str) -> dict[int, Saved]:
        """Return the saved times of one kind of work, by its size.

        The name of each piece of work is the prefix followed by the size.
        """
        by_size = {
            int(name.removeprefix(prefix)): saved
            for name, saved in self.works.items()
            if name.startswith(prefix) and name.removeprefix(prefix).isdigit()
        }
        return dict(sorted(by_size.items()))


def newest() -> Path:
    """Return the path of the newest saved file. Raises FileNotFoundError if there is none."""
    files = sorted(FOLDER.glob("*/*.json"), key=lambda path: path.name)
    if not files:
        raise FileNotFoundError(f"no figures in {FOLDER}: see benchmarks/README.md")
    return files[-1]


def load(path: Path) -> Baseline:
    """Read a file that pytest-benchmark saved."""
    saved = json.loads(path.read_text(encoding="utf-8"))
    works = {}
    for benchmark in saved["benchmarks"]:
        extra = benchmark["extra_info"]
        units = extra["units"]
        decisions = extra["decisions"] / units if "decisions" in extra else None
        seconds = benchmark["stats"]["median"] / units
        works[extra["name"]] = Saved(seconds, extra["unit"], decisions)
    return Baseline(saved["datetime"][:10], saved["commit_info"]["id"], works)


# The rows of the tables with a column for each size. Each entry maps the title of a row to the
# prefix of the names of its work (see `series`).
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


def sizes(baseline: Baseline, head: str, rows: dict[str, str]) -> Table:
    """Return a table of times in microseconds, with a column for each size."""
    series_of = {what: series for what in rows if (series := baseline.series(rows[what]))}
    columns = sorted({size for series in series_of.values() for size in series})
    return Table(
        (head, *(f"{size:,}" for size in columns)),
        [
            (what, *(short(1e6 * series[n].seconds) if n in series else "" for n in columns))
            for what, series in series_of.items()
        ],
    )


def boards(baseline: Baseline) -> Table:
    """Return a table of the cost and the length of games on boards of different sizes."""
    costs = sizes(baseline, "us, by spaces of the board", BOARDS)
    by_name = {what: baseline.series(prefix) for what, prefix in BOARDS.items()}
    lengths = [
        (f"decisions in a {what}", *(f"{saved.decisions:.0f}" for saved in series.values()))
        for what, series in by_name.items()
        if series and all(saved.decisions for saved in series.values())
    ]
    return Table(costs.columns, [*costs.rows, *lengths])


def single(baseline: Baseline) -> Table:
    """Return a table of the works that `against` compares."""
    rows = [
        (f"`{name}`", short(1e6 * saved.seconds), saved.unit)
        for name, saved in baseline.works.items()
        if name in WORKS
    ]
    return Table(("what", "us", "for a"), rows)


def tables(baseline: Baseline) -> dict[str, Table]:
    """Return all tables by name."""
    return {
        "players": sizes(baseline, "us, by players", PLAYERS),
        "boards": boards(baseline),
        "trees": sizes(baseline, "us, by iterations of the search", TREES),
        "threads": sizes(baseline, "us on the wall, by threads", THREADS),
        "single": single(baseline),
    }
