"""Shared parts of all benchmarks: clock, unit of work, paired rounds, tables, machine."""

from __future__ import annotations

import argparse
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
# What measuring writes itself.
WRITTEN = ("benchmarks/README.md", "benchmarks/baselines", "benchmarks/cost.svg")

# One piece of work, everything that it needs made ready.
Run = Callable[[], object]


class Work(NamedTuple):
    """Something to be measured, and how much of it one run does."""

    make: Callable[[], Run]
    unit: str
    units: int = 1  # in one run
    decides: bool = False  # whether a run returns the number of decisions in it
    is_wall: bool = False  # whether it is timed by the clock on the wall, as threads must be


def cpu_seconds() -> float:
    """CPU seconds (user and system) of this process and of the children it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def timed(run: Run, times: int = 1) -> float:
    """CPU seconds of running it so many times."""
    began = cpu_seconds()
    for _ in range(times):
        run()
    return cpu_seconds() - began


def times_for(run: Run, seconds: float) -> int:
    """How many times it must run to take about so many CPU seconds."""
    times = 1
    while True:
        took = timed(run, times)
        if took >= seconds / 4:
            return max(1, round(times * seconds / took))
        times *= 2


def median_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of the ratios of measurements that were made in pairs."""
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def machine() -> dict[str, str]:
    """Return what the figures depend on, without the name of the computer."""
    from cpuinfo import get_cpu_info

    details = {
        "cpu": str(get_cpu_info().get("brand_raw", platform.machine())),
        "cores": str(os.cpu_count()),
        "system": platform.system(),
        "python": platform.python_version(),
    }
    for package in ("numba", "llvmlite", "numpy", "open_spiel"):
        try:
            details[package] = version(package)
        except PackageNotFoundError:
            continue
    return details


def _git(*arguments: str) -> str:
    """Return git's answer about the working tree; empty if it has none."""
    line = ["git", "-C", str(ROOT), *arguments]
    try:
        return subprocess.run(line, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def revision() -> str:
    """The commit of the working tree, with a + where it was changed; `unknown` outside git."""
    changed = _git("status", "--porcelain", "--", ".", *(f":!{name}" for name in WRITTEN))
    return (_git("rev-parse", "--short=12", "HEAD") or "unknown") + "+" * bool(changed)


def about() -> dict[str, object]:
    """Return date, revision and machine, to be kept with figures."""
    return {"date": time.strftime("%Y-%m-%d"), "revision": revision(), "machine": machine()}


def positive(text: str) -> int:
    """The type of an option that counts something."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return number


def new_file(text: str) -> str:
    """The type of an option that names a file to write: its folder is there."""
    if not Path(text).absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"cannot write {text}: its folder does not exist")
    return text


_NUMBER = re.compile(r"[-+]?[\d,.]+|-?")


class Table(NamedTuple):
    """A heading row and rows of cells; columns of numbers go to the right."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def __str__(self) -> str:
        """The Markdown, without a newline at the end."""
        columns = list(zip(self.columns, *self.rows, strict=True))
        widths = [max(3, *map(len, cells)) for cells in columns]
        right = [all(_NUMBER.fullmatch(cell) for cell in cells[1:]) for cells in columns]
        lines = [_line(cells, widths, right) for cells in (self.columns, *self.rows)]
        rule = ["-" * (n - 1) + (":" if r else "-") for n, r in zip(widths, right, strict=True)]
        return "\n".join([lines[0], _line(rule, widths, right), *lines[1:]])


def _line(cells: Sequence[str], widths: list[int], right: list[bool]) -> str:
    shown = (
        cell.rjust(width) if to_right else cell.ljust(width)
        for cell, width, to_right in zip(cells, widths, right, strict=True)
    )
    return f"| {' | '.join(shown)} |"


def short(number: float) -> str:
    """A figure with three digits that mean something, or all before the point."""
    digits = 0 if abs(number) >= 100 else 1 if abs(number) >= 10 else 2
    return f"{number:,.{digits}f}"


class Rate(NamedTuple):
    """The rate of one side in one round."""

    rate: float  # a CPU second
    decisions: float  # in each


# A side measures itself in a round, by the number of the round.
RateOf = Callable[[int], Rate]


class Pairing(NamedTuple):
    """Something of ours beside something of theirs."""

    beside: str
    what: str
    ours: RateOf
    theirs: RateOf


class Outcome(NamedTuple):
    """The rates of both sides, one a round."""

    beside: str
    what: str
    ours: list[float]
    theirs: list[float]
    decisions: tuple[float, float]

    @property
    def ratio(self) -> float:
        """Ours to theirs."""
        return median_ratio(self.ours, self.theirs)

    @property
    def by_decision(self) -> float:
        """Our decisions a second to theirs."""
        ours, theirs = self.decisions
        return self.ratio * ours / theirs


def run_pairings(pairings: Sequence[Pairing], rounds: int) -> list[Outcome]:
    """Every pairing in every round; who begins changes with the round."""
    collected: list[tuple[list[Rate], list[Rate]]] = [([], []) for _ in pairings]
    for i in range(rounds):
        print(f"round {i + 1} of {rounds}", file=sys.stderr, flush=True)
        for pairing, (ours, theirs) in zip(pairings, collected, strict=True):
            if i % 2:
                theirs.append(pairing.theirs(i))
            ours.append(pairing.ours(i))
            if not i % 2:
                theirs.append(pairing.theirs(i))
    return [
        _outcome(pairing, *figures) for pairing, figures in zip(pairings, collected, strict=True)
    ]


def _outcome(pairing: Pairing, ours: list[Rate], theirs: list[Rate]) -> Outcome:
    return Outcome(
        pairing.beside,
        pairing.what,
        [figure.rate for figure in ours],
        [figure.rate for figure in theirs],
        (
            statistics.mean(figure.decisions for figure in ours),
            statistics.mean(figure.decisions for figure in theirs),
        ),
    )


def pairing_table(outcomes: Sequence[Outcome]) -> Table:
    """Medians of the rounds, and the median of the rounds' ratios."""
    return Table(
        (
            "beside",
            "what",
            "ours a second",
            "theirs",
            "ratio",
            "decisions in ours",
            "in theirs",
            "ratio by decision",
        ),
        [
            (
                outcome.beside,
                outcome.what,
                short(statistics.median(outcome.ours)),
                short(statistics.median(outcome.theirs)),
                short(outcome.ratio),
                *(f"{decisions:.1f}" for decisions in outcome.decisions),
                short(outcome.by_decision),
            )
            for outcome in outcomes
        ],
    )
