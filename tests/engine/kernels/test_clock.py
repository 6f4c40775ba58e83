"""The clock inside kernels: Python's time, from whichever source, and never without an address."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

from masons.cli.main import version_text
from masons.engine.errors import MasonsError
from masons.engine.kernels import c_module, machine
from masons.engine.kernels.c_module import C_LIBRARY, PYTHON, clock_name, tells_time
from masons.engine.kernels.jit import Word, Words, now_ns
from masons.engine.kernels.kernel_calls import kernel
from tests.support.paths import SUPPORT


@kernel
def read_often(out: Words, count: Word) -> None:
    """Fill `out` (uint64[count]) with readings."""
    for i in range(count):
        out[i] = now_ns()


@kernel
def wait_until(deadline: Word) -> Word:
    """Read the clock until a time has come; return the last reading."""
    now = now_ns()
    while now < deadline:
        now = now_ns()
    return now


def test_kernels_tell_pythons_time() -> None:
    out = np.zeros(10_000, dtype=np.uint64)
    read_often(out, len(out))
    before = time.monotonic_ns()
    read_often(out, len(out))
    after = time.monotonic_ns()
    times = out.tolist()
    assert before <= times[0] < times[-1] <= after
    assert all(early <= late for early, late in pairwise(times))
    wait_until(0)
    deadline = time.monotonic_ns() + 2_000_000
    assert deadline <= wait_until(deadline) <= time.monotonic_ns()


@pytest.mark.slow
@pytest.mark.parametrize("source", [C_LIBRARY, PYTHON])
def test_a_kernel_is_cached_with_its_clock(tmp_path: Path, source: str) -> None:
    """A fresh process runs what another one compiled."""
    cache = {"XDG_CACHE_HOME": str(tmp_path), "NUMBA_CACHE_DIR": "", "MASONS_NO_CACHE": ""}
    for is_kept in (False, True):
        done = subprocess.run(
            [sys.executable, str(SUPPORT / "tell_time.py"), source], capture_output=True, text=True,
            env=os.environ | cache | {"MASONS_CHECKED": "", "MASONS_JIT": "1"},
        )  # fmt: skip
        assert (done.stderr, done.stdout) == ("", f"{source}, True, {is_kept}\n")


def test_other_clocks_do_not_pass_for_pythons() -> None:
    assert tells_time(time.monotonic_ns)
    for read in (time.time_ns, time.process_time_ns, lambda: time.monotonic_ns() + 10**9):
        assert not tells_time(read)


def test_no_kernel_is_compiled_for_a_clock_without_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "add_symbol", lambda *_: None)
    with pytest.raises(MasonsError, match="clock"):
        machine.register_clock.__wrapped__()


def test_version_says_which_clock() -> None:
    (line,) = (line for line in version_text().splitlines() if line.startswith("clock"))
    missing = ": the C module is missing" if c_module.native_module() is None else ""
    assert line.split(maxsplit=1)[1] == clock_name() + missing
