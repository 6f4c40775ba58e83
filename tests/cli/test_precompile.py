"""Compiling ahead: what is said meanwhile, and doing without a cache."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from masons.cli.main import COMMANDS, run
from masons.cli.support import precompile as warm
from masons.engine.kernels import kernel_cache as cache

SECONDS = 120


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test reads or writes the user's kernels, or asks for no cache in those that follow."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("MASONS_NO_CACHE", "0")
    monkeypatch.setenv("MASONS_JIT", "1")  # in the processes that are started
    cache.choose_cache.cache_clear()
    yield
    cache.choose_cache.cache_clear()


def prepared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kernel: str = "a.b.c"
) -> tuple[int, str]:
    """How often a part is compiled, and what is said, where there is no library."""
    monkeypatch.setattr(warm, "native_library", lambda: None)
    monkeypatch.setattr(warm, "is_outdated", lambda: False)
    done: list[None] = []
    part = warm.Part("a part", (kernel,), lambda: done.append(None))
    monkeypatch.setitem(warm.PARTS, "part", part)
    warm.prepare("part")
    out, err = capsys.readouterr()
    assert out == ""
    return len(done), err


def test_what_is_said_is_true(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = "compiling the kernels: first use only, takes up to a minute\n"
    assert prepared(monkeypatch, capsys) == (1, first)
    folder = cache.cache_folder()
    assert folder is not None
    (folder / f"a.b.c-{cache.processor()}-0{cache.KERNEL_SUFFIX}").touch()
    assert prepared(monkeypatch, capsys) == (0, "")
    # A kernel for another processor is none.
    (folder / f"a.b.d-01234567-0{cache.KERNEL_SUFFIX}").touch()
    assert prepared(monkeypatch, capsys, "a.b.d") == (1, first)
    cache.refuse_cache()
    said = "compiling the kernels: they are not kept, as asked\n"
    assert prepared(monkeypatch, capsys) == (1, said)
    monkeypatch.setenv("MASONS_NO_CACHE", "0")
    monkeypatch.setattr(cache, "_bases", lambda: iter([Path(os.devnull)]))
    cache.choose_cache.cache_clear()
    count, said = prepared(monkeypatch, capsys)
    assert (count, len(said.splitlines())) == (1, 1)
    assert said.startswith("compiling the kernels: they cannot be kept, ")


@pytest.mark.parametrize("command", COMMANDS)
def test_no_cache_may_follow_the_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    assert not cache.is_refused()
    assert run([command, "--no-cache", "--help"]) == 0
    assert cache.is_refused()
    assert capsys.readouterr().out.count("--no-cache") == 2


@pytest.mark.slow
def test_without_a_cache_nothing_is_written(tmp_path: Path) -> None:
    code = """
from masons.cli.main import run
assert run(["--no-cache", "board", "classic", "--json"]) == 0
from masons.engine.kernels.rng import draw_below, new_rng
from masons.engine.kernels.kernel_cache import describe_cache
print(draw_below(new_rng(1), 10**6) < 10**6, draw_below.stats, describe_cache())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout.splitlines()[-1]
    assert said.startswith("True _CompileStats(cache_path='', cache_hits=Counter(), ")
    assert said.endswith(" none, as asked: every run compiles anew")
    assert list(tmp_path.iterdir()) == []


def test_warmup_without_a_cache_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["warmup", "--no-cache"], ["--no-cache", "warmup"]):
        assert run(arguments) == 2
        out, err = capsys.readouterr()
        assert (out, len(err.splitlines())) == ("", 1)
        assert "--no-cache keeps none" in err


def on_terminal(code: str) -> str:
    """What Python code writes to a terminal."""
    pty = pytest.importorskip("pty")
    main, other = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=other, stdout=other, stderr=other,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "MASONS_NO_CACHE": "1"},
    ) as process:  # fmt: skip
        os.close(other)
        written = b""
        while True:
            try:
                written += (data := os.read(main, 1 << 16))
            except OSError:  # Linux's end of a terminal
                break
            if not data:
                break
        os.close(main)
    assert process.returncode == 0, written
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.decode())


COMPILE_ONE = """
from masons.cli.support import precompile as warm
def work():
    from masons.engine.kernels.rng import draw_below, new_rng
    draw_below(new_rng(1), 2)
warm.PARTS["one"] = warm.Part("one kernel", ("engine.kernels.rng.draw_below",), work)
warm.prepare("one")
"""


@pytest.mark.slow
def test_the_bar_moves_while_a_kernel_is_compiled() -> None:
    written = on_terminal(COMPILE_ONE)
    assert "they are not kept" in written
    frames = re.findall(r"(\S) compiling one kernel \(1 of 1\) *(\S+) *\d:\d\d:\d\d", written)
    assert len({spinner for spinner, _ in frames}) > 2


@pytest.mark.slow
def test_one_line_where_there_is_no_terminal() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMPILE_ONE],
        env={**os.environ, "MASONS_NO_CACHE": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    said = "compiling the kernels: they are not kept, as asked\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, "", said)
