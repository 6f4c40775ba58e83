"""The clock inside kernels: Python's time, from whichever source, and never without an address."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from masons.cli.main import version_text
from masons.engine.errors import MasonsError
from masons.engine.kernels import clock_symbol
from masons.engine.kernels.bits import U
from masons.engine.kernels.clock import CLOCK_SOURCE, now_ns
from masons.engine.kernels.clock_source import C_LIBRARY, C_MODULE, PYTHON, Source, clock_source
from masons.engine.kernels.jit import Word, WordArray, kernel, ptr
from masons.engine.kernels.library.native_library import tells_time
from tests.support.paths import SUPPORT
from tests.support.thinned import thinned

# Those that this process could choose from.
SOURCES = (*([C_MODULE] if CLOCK_SOURCE == C_MODULE else []), C_LIBRARY, PYTHON)


@kernel
def read_often(out: WordArray) -> None:
    """Fill `out` (uint64[n]) with readings."""
    words = ptr(out)
    for i in range(U(len(out))):
        words[i] = now_ns()


@kernel
def wait_until(deadline: Word) -> Word:
    """Read the clock until a time has come; the last reading."""
    now = now_ns()
    while now < U(deadline):
        now = now_ns()
    return now


def tell_time(source: str, **environment: str) -> str:
    """What `tell_time.py` prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, str(SUPPORT / "tell_time.py"), source],
        capture_output=True,
        text=True,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_kernels_tell_pythons_time() -> None:
    out = np.zeros(10_000, dtype=np.uint64)
    read_often(out)
    before = time.monotonic_ns()
    read_often(out)
    after = time.monotonic_ns()
    times = out.tolist()
    assert before <= times[0] < times[-1] <= after
    assert all(early <= late for early, late in pairwise(times))


def test_pythons_deadlines_hold_in_kernels() -> None:
    wait_until(0)
    deadline = time.monotonic_ns() + 2_000_000
    assert deadline <= wait_until(deadline) <= time.monotonic_ns()


@pytest.mark.slow
@pytest.mark.parametrize("first", thinned(SOURCES[::-1]))
def test_a_kernel_is_cached_for_every_source(tmp_path: Path, first: str) -> None:
    """What one process compiled, a fresh one runs, and with any other source too."""
    there = {"XDG_CACHE_HOME": str(tmp_path), "NUMBA_CACHE_DIR": "", "MASONS_NO_CACHE": ""}
    assert tell_time(first, **there) == f"{first}, True, 0"
    for source in SOURCES:
        assert tell_time(source, **there) == f"{source}, True, 1"


@pytest.mark.parametrize(
    "module",
    [
        SimpleNamespace(ffi=None, lib=SimpleNamespace(masons_monotonic_ns=lambda: 1)),
        SimpleNamespace(ffi=None, lib=SimpleNamespace(masons_monotonic_ns=lambda: 1 << 63)),
        SimpleNamespace(ffi=None, lib=SimpleNamespace()),
        SimpleNamespace(),
        None,
    ],
    ids=["slow", "fast", "older", "empty", "missing"],
)
def test_a_module_that_is_wrong_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, module: SimpleNamespace | None
) -> None:
    monkeypatch.setattr("masons.engine.kernels.clock_source.native_module", lambda: module)
    clock_source.cache_clear()
    try:
        assert clock_source().name == C_LIBRARY
    finally:
        clock_source.cache_clear()


def test_other_clocks_do_not_pass_for_pythons() -> None:
    assert tells_time(time.monotonic_ns)
    for read in (time.time_ns, time.process_time_ns, lambda: time.monotonic_ns() + 10**9):
        assert not tells_time(read)


@pytest.mark.parametrize("address", [0, 4096])
def test_no_kernel_is_compiled_for_a_clock_without_address(
    monkeypatch: pytest.MonkeyPatch, address: int
) -> None:
    monkeypatch.setattr(clock_symbol.llvm, "add_symbol", lambda *_: None)
    with pytest.raises(MasonsError, match="clock"):
        clock_symbol.register(Source(PYTHON, address, None))


def test_version_says_which_clock() -> None:
    (line,) = (line for line in version_text().splitlines() if line.startswith("clock"))
    assert line.split(maxsplit=1)[1].startswith(CLOCK_SOURCE)
    assert ("not there" in line) == (CLOCK_SOURCE != C_MODULE)
