"""The saved figures of the suite: one file of pytest-benchmark for each time they were saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parents[1] / "baselines"


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
        found = {
            int(name.removeprefix(prefix)): saved
            for name, saved in self.works.items()
            if name.startswith(prefix) and name.removeprefix(prefix).isdigit()
        }
        return dict(sorted(found.items()))


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
