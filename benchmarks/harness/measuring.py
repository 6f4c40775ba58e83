"""What all benchmarks share: the clock, the unit that is measured, and the machine it ran on."""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
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
    """What the figures depend on, without the name of the computer."""
    from cpuinfo import get_cpu_info

    found = {
        "cpu": str(get_cpu_info().get("brand_raw", platform.machine())),
        "cores": str(os.cpu_count()),
        "system": platform.system(),
        "python": platform.python_version(),
    }
    for package in ("numba", "llvmlite", "numpy", "open_spiel"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _git(*arguments: str) -> str:
    """What git says about the working tree; nothing where it has nothing to say."""
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
    """What to write above figures that are kept."""
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
