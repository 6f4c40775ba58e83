"""Compiling ahead: what is said meanwhile, and doing without a cache."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from masons.cli import process as warm
from masons.cli.main import COMMANDS
from masons.engine.kernels import kernel_cache as cache
from masons.engine.kernels import loading
from masons.engine.kernels.kernel_calls import LIBRARY
from tests.support.commands import called, run_python, told

FIRST = "compiling the kernels: first use only, takes up to a minute"


@pytest.fixture(autouse=True)
def _separate_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test reads or writes the user's kernels, or asks for no cache in those that follow."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("MASONS_NO_CACHE", "0")
    monkeypatch.setenv("MASONS_JIT", "1")  # in the processes that are started
    monkeypatch.setenv("MASONS_CHECKED", "")
    cache.choose_cache.cache_clear()
    yield
    cache.choose_cache.cache_clear()


def test_what_is_said_is_true(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled: list[None] = []
    monkeypatch.setattr(loading, "native_library", lambda: None)
    monkeypatch.setattr(warm, "is_outdated", lambda: False)
    monkeypatch.setattr(loading, "is_checked", lambda: False)
    monkeypatch.setattr(loading, "_codes", {})
    monkeypatch.setattr(warm, "compile_ahead", lambda _: compiled.append(None))

    def prepared() -> tuple[int, str]:
        compiled.clear()
        warm.prepare()
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", len(compiled))
        return len(compiled), err.rstrip()

    assert prepared() == (1, FIRST)
    monkeypatch.setattr(warm, "is_outdated", lambda: True)
    assert prepared() == (1, f"{FIRST} (their sources changed since the library was built)")
    cache.keep("engine", b"code")
    assert prepared() == (0, "")
    cache.refuse_cache()
    assert prepared() == (1, "compiling the kernels: --no-cache keeps none")
    monkeypatch.setenv("MASONS_NO_CACHE", "0")
    monkeypatch.setattr(cache, "_bases", lambda: iter([Path(os.devnull)]))
    cache.choose_cache.cache_clear()
    count, line = prepared()
    assert (count, line.startswith("compiling the kernels: they cannot be kept, ")) == (1, True)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_cache_may_follow_the_command(command: str) -> None:
    said = told(command, "--help")
    assert not cache.is_refused()
    said += told(command, "--no-cache", "--help")
    assert cache.is_refused()
    assert said.count("--no-cache") == 2


@pytest.mark.slow
def test_without_a_cache_nothing_is_written(tmp_path: Path) -> None:
    code = """
from masons.cli.main import run
assert run(["--no-cache", "board", "classic", "--json"]) == 0
from masons.engine.kernels.rng import draw_below, new_rng
from masons.engine.kernels.kernel_cache import describe_cache
print(draw_below(new_rng(1), 10**6) < 10**6, describe_cache())
"""
    done = run_python("-c", code)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "True none, as requested: every run compiles again"
    assert list(tmp_path.iterdir()) == []


def test_warmup_compiles_what_the_commands_use_or_says_why_not() -> None:
    if LIBRARY is not None:
        said = told("warmup", "--no-progress")
        assert said.startswith("ready")
        assert "made ahead of time" in said
        assert loading.is_ready()
    for arguments in (("warmup", "--no-cache"), ("--no-cache", "warmup")):
        code, out, err = called(*arguments)
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert "--no-cache keeps none" in err


# One kernel in the place of all.
COMPILE_ONE = """
from masons.cli.process import prepare
from masons.engine.kernels import loading
from masons.engine.kernels.rng import draw_below
loading.engine_kernels = lambda: [draw_below.__wrapped__]
prepare()
"""


@pytest.mark.slow
def test_the_bar_moves_while_kernels_are_compiled() -> None:
    pty = pytest.importorskip("pty")
    main, other = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", COMPILE_ONE], stdin=other, stdout=other, stderr=other,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "MASONS_NO_CACHE": "1"},
    ) as process:  # fmt: skip
        os.close(other)
        written = b""
        try:
            while data := os.read(main, 1 << 16):
                written += data
        except OSError:  # Linux's end of a terminal
            pass
        os.close(main)
    assert process.returncode == 0, written
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.decode())
    assert "--no-cache keeps none" in text
    frames = re.findall(r"(\S) compiling the kernels *(\S+) *\d:\d\d:\d\d", text)
    assert len({spinner for spinner, _ in frames}) > 2
