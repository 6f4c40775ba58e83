"""Parts that all benchmarks share, such as the clock, the rounds, the options and the tables."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

Key = TypeVar("Key")
Measured = TypeVar("Measured")

ROOT = Path(__file__).parents[1]
# Files that benchmarks write. `revision` ignores changes of these files.
WRITTEN = ("benchmarks/README.md", "benchmarks/baselines", "benchmarks/cost.svg")

# A function that does some work whose preparation is not measured.
Run = Callable[[], object]


class Work(NamedTuple):
    """A piece of work to measure. One run of it does `units` units."""

    make: Callable[[], Run]
    unit: str
    units: int = 1  # number of units in one run
    decides: bool = False  # True if a run returns the number of its decisions
    is_wall: bool = False  # True if wall-clock time is measured, because there are threads


def cpu_seconds() -> float:
    """Return the CPU seconds (user and system) of this process and its finished child processes."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def timed(run: Run, times: int = 1) -> float:
    """Return the CPU seconds that `times` calls of `run` take."""
    began = cpu_seconds()
    for _ in range(times):
        run()
    return cpu_seconds() - began


def milliseconds(work: Callable[[], object]) -> float:
    """Return the wall-clock milliseconds that a call takes."""
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def times_for(run: Run, seconds: float) -> int:
    """Return the number of runs that together take about `seconds` CPU seconds."""
    times = 1
    while True:
        took = timed(run, times)
        if took >= seconds / 4:
            return max(1, round(times * seconds / took))
        times *= 2


def in_turn(
    measures: Mapping[Key, Callable[[int], Measured]], rounds: int
) -> dict[Key, list[Measured]]:
    """Call each measure in every round, with the number of the round. Return results by key.

    Every second round calls the measures in reverse order.
    """
    results: dict[Key, list[Measured]] = {key: [] for key in measures}
    for i in range(rounds):
        print(f"round {i + 1} of {rounds}", file=sys.stderr, flush=True)
        for key in [*measures][:: -1 if i % 2 else 1]:
            results[key].append(measures[key](i))
    return results


def median_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median ratio of measurements that were made in pairs."""
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def quantile(ordered: Sequence[float], percent: int) -> float:
    """Return the smallest value that at least `percent` % of the values do not exceed."""
    return ordered[max(0, -(-percent * len(ordered) // 100) - 1)]


def delay_cells(delays: Sequence[float], digits: int = 1) -> tuple[str, ...]:
    """Return the cells of a row of delays: number, median, 99th percentile and maximum."""
    ordered = sorted(delays)
    figures = statistics.median(ordered), quantile(ordered, 99), ordered[-1]
    return str(len(ordered)), *(f"{figure:.{digits}f}" for figure in figures)


def machine() -> dict[str, str]:
    """Return data about the machine that may affect figures, without the host name."""
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


def git(*arguments: str) -> bytes:
    """Return the output of a git command in the working tree.

    Raises ChildProcessError with git's message if the command fails.
    """
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=False)
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip() or f"git {arguments[0]} failed"
        raise ChildProcessError(why.splitlines()[-1])
    return done.stdout


def revision() -> str:
    """Return the commit of the working tree, followed by + if files have changed since.

    Without git, returns `unknown`.
    """
    try:
        commit = git("rev-parse", "--short=12", "HEAD").decode().strip()
        changed = git("status", "--porcelain", "--", ".", *(f":!{name}" for name in WRITTEN))
    except OSError:
        return "unknown"
    return commit + "+" * bool(changed)


def about() -> dict[str, object]:
    """Return the date, the revision and the machine, to be saved with figures."""
    return {"date": time.strftime("%Y-%m-%d"), "revision": revision(), "machine": machine()}


def positive(text: str) -> int:
    """Return the value of an option that is a whole number of at least 1.

    Raises ArgumentTypeError for any other text.
    """
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return number


def parser_of(doc: str | None, **counts: int) -> argparse.ArgumentParser:
    """Return a parser with an option for each of `counts`.

    Each option takes a positive number, and its default is the value in `counts`. The first line of
    `doc` is the description.
    """
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    for name, default in counts.items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, type=positive, default=default, help=f"default: {default}")
    return parser


def new_file(text: str) -> str:
    """Return the value of an option that names a file to write.

    Raises ArgumentTypeError if the folder of the file does not exist.
    """
    if not Path(text).absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"cannot write {text}: its folder does not exist")
    return text


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the JSON objects in the lines of a file, skipping a line that was cut off."""
    lines = []
    for text in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        with suppress(ValueError):
            lines.append(json.loads(text))
    return lines


def lines_with(path: Path, settings: Sequence[object]) -> list[dict[str, Any]]:
    """Return the lines of a file (see `read_lines`) that were measured with some settings."""
    return [line for line in read_lines(path) if line["settings"] == [*settings]]


def append_line(path: Path, line: Mapping[str, Any]) -> None:
    """Append a JSON object to a file. Begin a new line even if the last line was cut off."""
    is_cut = path.exists() and path.read_bytes()[-1:] not in (b"\n", b"")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" * is_cut + json.dumps(line) + "\n")


_NUMBER = re.compile(r"[-+]?[\d,.]+|-?")


class Table(NamedTuple):
    """A row of headings and rows of cells. Columns of numbers are aligned to the right."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def __str__(self) -> str:
        """Return the table in Markdown, without a newline at the end."""
        columns = list(zip(self.columns, *self.rows, strict=True))
        widths = [max(3, *map(len, cells)) for cells in columns]
        right = [all(_NUMBER.fullmatch(cell) for cell in cells[1:]) for cells in columns]
        rule = tuple(
            "-" * (n - 1) + (":" if r else "-") for n, r in zip(widths, right, strict=True)
        )
        lines = []
        for cells in (self.columns, rule, *self.rows):
            columns_of = zip(cells, widths, right, strict=True)
            padded = (
                cell.rjust(n) if is_right else cell.ljust(n) for cell, n, is_right in columns_of
            )
            lines.append(f"| {' | '.join(padded)} |")
        return "\n".join(lines)


def short(number: float) -> str:
    """Return a number as text with three significant digits, or more if it is above 1000."""
    digits = 0 if abs(number) >= 100 else 1 if abs(number) >= 10 else 2
    return f"{number:,.{digits}f}"
