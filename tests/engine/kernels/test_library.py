"""Kernels made ahead of time or compiled here: the same results, and calls that are checked.

Mostly in separate processes, as this one has made its choice.
"""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

import numpy as np
import pytest

from masons.engine.kernels import compiling, jit
from masons.engine.kernels.bits import U, nth_bit, popcount
from masons.engine.kernels.c_module import is_checked, jit_setting, native_library
from masons.engine.kernels.jit import Floats, Word, Words, inner, offset
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import draw_below, new_rng
from tests.support.package_copy import copy_package
from tests.support.paths import PACKAGE, ROOT

MADE = "made ahead of time: library"
EXTENSION = PACKAGE / "engine" / "kernels" / "_native.abi3.so"
SAID = """
from masons.engine.kernels.c_module import describe_kernels
from masons.engine.kernels.rng import draw_below, new_rng
import sys
print(draw_below(new_rng(1), 10**6), "numba" in sys.modules, describe_kernels(), sep="; ")
"""


def ran(*arguments: str, cwd: Path = ROOT, **environment: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of a Python process in the environment of a user."""
    user = os.environ | {"MASONS_JIT": "", "MASONS_CHECKED": ""} | environment
    done = subprocess.run(
        [sys.executable, *arguments], env=user, cwd=cwd, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


def python(*arguments: str, cwd: Path = ROOT, **environment: str) -> str:
    """Return what a Python process prints."""
    code, out, err = ran(*arguments, cwd=cwd, **environment)
    assert (code, err) == (0, "")
    return out


def has_library() -> bool:
    """Return whether this checkout has a library of its sources."""
    return native_library() is not None or MADE in python("-c", SAID)


LOWER_LEVELS = """
from masons.engine.kernels.c_module import native_library
lib = native_library().lib
print(*(level for level in range(2, lib.masons_level()) if lib.masons_use(level)))
"""

with_library = pytest.mark.skipif(not has_library(), reason="the library is not built, or outdated")


@with_library
@pytest.mark.skipif(not jit_setting(), reason="compiles kernels: MASONS_JIT=1")
def test_all_kernels_do_the_same_both_ways() -> None:
    """Every kernel, bit for bit: in the library, for each level, and compiled here."""
    lower = python("-c", LOWER_LEVELS).split()  # none if only this processor's level was built
    settings = {"best": {}, "here": {"MASONS_JIT": "1"}} | {
        f"v{level}": {"MASONS_LEVEL": level} for level in lower
    }
    runs = {
        name: python("-m", "tests.support.kernel_results", **environment).splitlines()
        for name, environment in settings.items()
    }
    *results, origin, numba = runs["best"]
    assert (MADE in origin, numba) == (True, "numba loaded: False")
    assert len(results) > 20
    assert not [line for line in results if line.split()[1] == "0"], "a kernel was not called"
    assert runs["here"][-2] == "compiled here, as set by (MASONS_JIT=1)"
    assert len({lines[-2] for lines in runs.values()}) == len(runs), "a level was used twice"
    assert {name for name, lines in runs.items() if lines[:-2] != results} == set()


@with_library
@pytest.mark.parametrize(
    "command",
    [
        ["analyze", "examples/midgame.txt", "--sims", "50"],
        ["warmup"],
        ["--version"],
    ],
    ids=lambda words: words[0],
)
def test_commands_do_without_numba(command: list[str]) -> None:
    code = (
        "import sys; from masons.cli.main import run; code = run(sys.argv[1:]); "
        "print([name for name in ('numba', 'llvmlite') if name in sys.modules], code)"
    )
    out = python("-c", f"import sys; sys.stderr = sys.stdout; {code}", *command)
    assert out.splitlines()[-1] == "[] 0"


@pytest.mark.slow
@with_library
@pytest.mark.parametrize("setting", ["MASONS_JIT", "NUMBA_OPT"])
def test_what_the_library_does_not_have_is_compiled_here(setting: str, tmp_path: Path) -> None:
    made, numba, origin = python("-c", SAID).strip().split("; ")
    assert (numba, MADE in origin) == ("False", True)
    line = python("-c", SAID, **{setting: "1", "NUMBA_CACHE_DIR": str(tmp_path)}).strip()
    assert line == f"{made}; True; compiled here, as set by ({setting}=1)"


@pytest.mark.slow
@with_library
def test_a_library_of_other_sources_is_not_used(tmp_path: Path) -> None:
    """A copy of the package with its library, which is used until a constant changes."""
    copy = copy_package(tmp_path / "copy")
    shutil.copy(EXTENSION, copy / "masons" / "engine" / "kernels")
    package = {"PYTHONPATH": str(copy), "NUMBA_CACHE_DIR": str(tmp_path)}
    made, _, origin = python("-c", SAID, cwd=tmp_path, **package).strip().split("; ")
    assert MADE in origin
    layout = copy / "masons" / "engine" / "state" / "layout.py"
    layout.write_text(layout.read_text().replace("\nSCORES = U(", "\nSCORES = U(1) + U("))
    line = python("-c", SAID, cwd=tmp_path, **package).strip()
    changed = "compiled here: their sources changed since the library was built"
    assert line == f"{made}; True; {changed}"


@pytest.mark.slow
@pytest.mark.skipif(not EXTENSION.exists(), reason="the C module is not built")
def test_a_library_that_is_damaged_is_passed_over(tmp_path: Path) -> None:
    """Cut short anywhere in what is mapped of it, or of another kind: a line, and the compiler."""
    copy = copy_package(tmp_path / "copy", "*.so")
    library = copy / "masons" / "engine" / "kernels" / EXTENSION.name
    whole = EXTENSION.read_bytes()
    in_copy = partial(ran, cwd=tmp_path, PYTHONPATH=str(copy))
    for size in (0, 10, 1000, len(whole) // 4):  # the last half may hold symbols only
        library.write_bytes(whole[:size])
        code, out, err = in_copy("-m", "masons.cli", "--version")
        (line,) = err.splitlines()
        assert (code, line.startswith(f"warning: {library} cannot be loaded (")) == (0, True)
        assert "compiled here: the library cannot be loaded\n" in out
    library.write_bytes(b"nothing of the kind")
    code, out, err = in_copy("-c", SAID)
    assert (code, "; compiled here: " in out, len(err.splitlines())) == (0, True, 1)
    # Workers, and engines, stay silent.
    workers = (
        "from concurrent.futures import ProcessPoolExecutor as Pool\n"
        "from masons.engine.kernels.c_module import describe_kernels\n"
        "if __name__ == '__main__':\n"
        "    import multiprocessing\n"
        "    describe_kernels()\n"
        "    with Pool(2, mp_context=multiprocessing.get_context('spawn')) as pool:\n"
        "        print(*{pool.submit(describe_kernels).result()})\n"
    )
    (tmp_path / "workers.py").write_text(workers)
    code, out, err = in_copy(str(tmp_path / "workers.py"))
    assert (code, "cannot be loaded" in out, len(err.splitlines())) == (0, True, 1)


@pytest.mark.slow
@with_library
def test_a_level_that_is_not_there_is_refused() -> None:
    for level in ("1", "7", "v3"):
        what = "the library or the processor has no such level"
        error = f"error: MASONS_LEVEL={level}: {what}\n"
        assert ran("-m", "masons.cli", "--version", MASONS_LEVEL=level) == (1, "", error)


# --- calls


class Workspace(NamedTuple):
    """Arrays of several types, and a number."""

    words: jit.Words  # uint64[any]
    sums: jit.Floats  # float64[any]
    singles: jit.Singles  # float32[any]
    count: Word


class Pair(NamedTuple):
    """Arrays of one type."""

    first: Words
    second: Words


@inner
def add_up(workspace: Workspace, rows: Pair, by: Word) -> None:
    for i in range(workspace.count):
        workspace.words[i] += rows.first[i]
        workspace.sums[i] += float(offset(rows.second, by)[i])
        workspace.singles[i] += np.float32(1.5)


@kernel
def add_pairs(workspace: Workspace, rows: Pair, by: Word) -> None:
    # A tuple made inside a kernel goes the same way.
    add_up(workspace, Pair(rows.first, rows.second), by)


@kernel
def quotient(words: Words, numbers: Floats, place: Word, divisor: Word) -> Word:
    return words[place] // divisor + U(numbers[0])


def words(*numbers: int) -> Any:
    return np.array(numbers, dtype=np.uint64)


def workspace() -> Workspace:
    sums: Any = np.zeros(3)
    singles: Any = np.zeros(3, dtype=np.float32)
    return Workspace(words(1, 2, 3), sums, singles, U(2))


def test_kernels_write_to_the_arrays_of_a_tuple() -> None:
    values = workspace()
    for by in (0, 2):
        add_pairs(values, Pair(words(10, 20, 30), words(1, 2, 3, 4)), by)
    assert np.array(values.words).tolist() == [21, 42, 3]
    assert np.array(values.sums).tolist() == [4.0, 6.0, 0.0]
    assert np.array(values.singles).tolist() == [3.0, 3.0, 0.0]


def test_errors_are_raised() -> None:
    assert quotient(words(3, 9), np.array([2.0]), 1, 4) == 4
    with pytest.raises(ZeroDivisionError):
        quotient(words(3, 9), np.array([2.0]), 1, 0)


@pytest.mark.skipif(is_checked(), reason="numba checks what plain kernels are given")
def test_wrong_arguments_are_refused() -> None:
    """Before anything is read or written through a pointer; alike in the library and here."""
    draw: Any = draw_below
    draw_here: Any = kernel(draw_below.__wrapped__)  # type: ignore[attr-defined]
    pairs: Any = add_pairs
    rng = new_rng(1)
    wide = np.zeros((2, 2), dtype=np.uint64)
    for call in (draw, draw_here):
        assert 0 <= call(rng, 5) < 5
        for array in (
            rng.astype(np.int64), rng.astype(np.float64), rng.view(np.uint8), rng.tolist(), None,
            3, b"12345678", rng[0], wide, wide[:, 0], np.zeros(4, dtype=np.uint64)[::-1],
            np.zeros(1, dtype=">u8"), np.ma.zeros((1, 1)),
        ):  # fmt: skip
            with pytest.raises((TypeError, ValueError)):
                call(array, 5)
        for number in (1.5, "5", None, rng.tolist(), np.float64(5)):
            with pytest.raises(TypeError):
                call(rng, number)
        with pytest.raises(OverflowError):
            call(rng, -1)
        for arguments in ((rng,), (rng, 5, 5), ()):
            with pytest.raises(TypeError):
                call(*arguments)
    values, pair = workspace(), Pair(words(1), words(2))
    for other in (pair, tuple(values), None):
        with pytest.raises(TypeError, match="a Workspace is wanted"):
            pairs(other, pair, 0)
    swapped: Any = values._replace(sums=values.singles)
    with pytest.raises(TypeError, match=r"workspace\.sums"):
        pairs(swapped, pair, 0)


def test_inner_functions_are_not_for_python() -> None:
    for function in (nth_bit, popcount, offset):
        with pytest.raises(TypeError, match="called by kernels only"):
            function(1)  # type: ignore[call-arg, arg-type]


# --- numba


def test_the_names_that_numba_does_not_document_are_there() -> None:
    """Those of the table in `compiling`, in the numba that is installed."""
    names = re.findall(r"^\| `(numba[\w.]+)`", compiling.__doc__ or "", re.M)
    assert len(names) > 5
    for name in names:
        assert resolve_name(name) is not None
    modules = compiling, compiling.intrinsics, compiling.vector_intrinsics
    code = "".join(map(inspect.getsource, modules))
    used = re.findall(r"^from (numba\.(?:core|np)[\w.]*) import (\w+)", code, re.M)
    assert used
    for module, part in used:
        assert any(name.startswith(f"{module}.{part}") for name in names), (module, part)
    requirement = ">={}.{},<{}.{}".format(*compiling.VERSIONS[0], 0, compiling.VERSIONS[1][1] + 1)
    assert (ROOT / "pyproject.toml").read_text().count(f'"numba{requirement}') == 2


# For other machines than this one: the target, a compiler for it, what runs its programs here, and
# the level that they use. (ziglang, from PyPI, is a compiler for all of them.)
ZIG = (sys.executable, "-m", "ziglang", "cc", "-target")
TARGETS = (
    ("aarch64-linux-gnu", ("aarch64-linux-gnu-gcc", "-static"), "qemu-aarch64-static", 1),
    ("x86_64-w64-windows-gnu", ("x86_64-w64-mingw32-gcc",), "wine", 3),
)
LINKED = (("x86_64-apple-macosx11.0", "x86_64-macos"), ("arm64-apple-macosx11.0", "aarch64-macos"))
IN_FULL = os.environ.get("MASONS_GAMES") == "full"


def build(folder: Path, target: str | None, compiler: Sequence[str]) -> Path:
    """Return the example in C with the kernels for a target."""
    options = ("--target", target) if target else ()
    python("-m", "masons.engine.kernels.library_build", str(folder), *options)
    code = [ROOT / "examples" / "random_games.c", folder / "masons.c"]
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-I", folder, "-o", "games.exe"]
    objects = sorted(folder.glob("masons_v*.o"))
    subprocess.run([*compiler, *flags, *code, *objects], cwd=folder, check=True)
    return folder / "games.exe"


@pytest.mark.slow
@with_library
@pytest.mark.parametrize(
    ("target", "compiler", "runner", "level"),
    [
        pytest.param(
            None, ("cc",), None, None, id="here",
            marks=pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler"),
        ),
        *(
            pytest.param(
                *target, id=target[0],
                marks=pytest.mark.skipif(
                    not (IN_FULL and shutil.which(target[1][0]) and shutil.which(target[2])),
                    reason=f"MASONS_GAMES=full, {target[1][0]} and {target[2]} are wanted",
                ),
            )
            for target in TARGETS
        ),
    ],
)  # fmt: skip
def test_a_program_in_c_plays_the_same_games(
    target: str | None, compiler: Sequence[str], runner: str | None, level: int | None,
    tmp_path: Path,
) -> None:  # fmt: skip
    from masons.engine.board.geometry import load_board
    from masons.engine.game.table import Table
    from masons.engine.playouts.counters import COUNTER_WORDS
    from masons.engine.playouts.random_games import play_games
    from masons.engine.state.derive import empty_state
    from masons.engine.state.layout import SCORES

    board = Table(load_board("classic")).packed
    start = empty_state(board, 2)
    board.tofile(tmp_path / "board.bin")
    start.tofile(tmp_path / "start.bin")
    program = build(tmp_path, target, compiler)
    played = subprocess.run(
        [*([runner] if runner else []), program, "board.bin", "start.bin", "20"],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    )  # fmt: skip
    rng, state = np.array([1], dtype=np.uint64), start.copy()
    counters = np.zeros(COUNTER_WORDS, dtype=np.uint64)
    points = np.zeros(2)
    for _ in range(20):
        play_games(start, board, rng, 0, 1, state, counters)
        points += state[int(SCORES) :].view(np.uint16)[:2]
    head, *lines = played.stdout.splitlines()
    assert [line.split(":")[1].split()[0] for line in lines] == [
        f"{mean:.2f}" for mean in points / 20
    ]
    assert level is None or head.endswith(f", level {level}")


@pytest.mark.slow
@with_library
@pytest.mark.parametrize(("target", "name"), LINKED)
@pytest.mark.skipif(not IN_FULL, reason="MASONS_GAMES=full is wanted")
def test_a_program_in_c_is_linked_for_machines_that_nothing_here_runs(
    target: str, name: str, tmp_path: Path
) -> None:
    pytest.importorskip("ziglang")
    program = build(tmp_path, target, (*ZIG, name)).read_bytes()
    assert program[:4] == b"\xcf\xfa\xed\xfe"  # Mach-O, 64 bits


@pytest.mark.slow
def test_an_unknown_target_is_refused(tmp_path: Path) -> None:
    command = "-m", "masons.engine.kernels.library_build", str(tmp_path / "made")
    code, out, err = ran(*command, "--target", "abacus")
    assert (code, out) == (2, "")
    assert err.endswith("error: --target abacus: LLVM knows no such machine\n")
    assert not (tmp_path / "made").exists()


DEALS = """
from masons import Game
from masons.ai.beliefs.determinization import determinized
from masons.ai.models.hand_model import hand_weights_of
from masons.ai.models.model_data import learned
from masons.engine.kernels.rng import new_rng

game = Game(3, seed=1)
view = game.observe(game.seat)
for weights in (None, hand_weights_of(game.table, view, learned())):
    print(determinized(view, new_rng(5), weights).tolist())
"""


@pytest.mark.slow
def test_the_checked_build_does_the_same() -> None:
    deals = [
        subprocess.run(
            [sys.executable, "-c", DEALS],
            env=os.environ | {"MASONS_CHECKED": checked, "NUMBA_BOUNDSCHECK": checked},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for checked in ("1", "")
    ]
    assert deals[0] == deals[1] != ""
