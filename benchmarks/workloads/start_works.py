"""Work: whole processes of `masons-engine`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial

from benchmarks.harness.measuring import Run, Work
from benchmarks.workloads.measured_positions import EXAMPLE

ANALYZE = ("analyze", str(EXAMPLE), "--sims", "1000", "--seed", "1")
STARTS: dict[str, tuple[str, ...]] = {
    "--help": ("--help",),
    "--version": ("--version",),
    "analyze --sims 1000": ANALYZE,
}


def process(arguments: Sequence[str], cache: str | None = None) -> Run:
    """A run of `masons-engine`, with its kernels in the folder `cache` or in the user's own."""
    command = [sys.executable, "-m", "masons.cli", *arguments]
    changes = {} if cache is None else {"XDG_CACHE_HOME": cache}

    def run() -> None:
        subprocess.run(
            command,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **changes},
        )

    return run


WORKS: dict[str, Work] = {
    f"start/{arguments[0].strip('-')}": Work(partial(process, arguments), "process")
    for arguments in STARTS.values()
}
