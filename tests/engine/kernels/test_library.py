"""The kernels made ahead of time: the same results, no numba, and the compiler where they don't do.

Processes of their own, as this one has made its choice.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masons.engine.kernels import jit
from masons.engine.kernels.library.kernel_sources import asked_for_jit
from masons.engine.kernels.library.library_calls import library_call
from masons.engine.kernels.library.native_library import native_library
from masons.engine.kernels.library.parameters import Array, Group, Number, parameters_of
from masons.engine.kernels.rng import draw_below, new_rng
from tests.support.compiled_here import with_jit_only
from tests.support.package_copy import copy_package
from tests.support.paths import ROOT

MADE = "made ahead of time: library"
EXTENSION = ROOT / "engine" / "kernels" / "_native.abi3.so"
SAID = """
from masons.engine.kernels.library.native_library import describe_kernels
from masons.engine.kernels.rng import draw_below, new_rng
import sys
print(draw_below(new_rng(1), 10**6), "numba" in sys.modules, describe_kernels(), sep="; ")
"""


def python(*arguments: str, cwd: Path = ROOT, **environment: str) -> str:
    """What a Python process prints, in the environment of a user."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MASONS_JIT", "MASONS_CHECKED")
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        env=kept | environment,
        cwd=cwd,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def has_library() -> bool:
    """Whether this checkout has a library of its sources, whatever this process was asked for."""
    return native_library() is not None or MADE in python("-c", SAID)


BEST_LEVEL = """
from masons.engine.kernels.library.native_library import native_library
print(native_library().lib.masons_level())
"""

with_library = pytest.mark.skipif(not has_library(), reason="the library is not built, or outdated")


@with_library
@with_jit_only
def test_all_kernels_do_the_same_both_ways() -> None:
    """Every kernel, bit for bit: in the library, for each level, and compiled here."""
    best = int(python("-c", BEST_LEVEL))
    settings = {"best": {}, "here": {"MASONS_JIT": "1"}} | {
        f"v{level}": {"MASONS_LEVEL": str(level)} for level in range(2, best)
    }
    runs = {
        name: python("-m", "tests.support.kernel_results", **wanted).splitlines()
        for name, wanted in settings.items()
    }
    *found, origin, numba = runs["best"]
    assert (MADE in origin, numba) == (True, "numba loaded: False")
    assert len(found) > 20
    assert not [line for line in found if line.split()[1] == "0"], "a kernel was not called"
    assert runs["here"][-2] == "compiled here, as asked (MASONS_JIT=1)"
    assert len({lines[-2] for lines in runs.values()}) == len(runs), "a level was used twice"
    assert {name for name, lines in runs.items() if lines[:-2] != found} == set()


@with_library
@pytest.mark.parametrize(
    "command",
    [
        ["analyze", "examples/midgame.txt", "--sims", "50"],
        ["perft", "examples/midgame.txt", "1"],
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


REASONS = {
    "as asked (MASONS_JIT=1)": {"MASONS_JIT": "1"},
    "as asked (MASONS_CHECKED=1)": {"MASONS_CHECKED": "1"},
    "as asked (NUMBA_OPT=1)": {"NUMBA_OPT": "1"},
}


@pytest.mark.slow
@with_library
def test_what_the_library_does_not_have_is_compiled_here() -> None:
    made, numba, said = python("-c", SAID).strip().split("; ")
    assert (numba, MADE in said) == ("False", True)
    for reason, settings in REASONS.items():
        found = python("-c", SAID, **settings).strip()
        assert found == f"{made}; True; compiled here, {reason}"


@pytest.mark.slow
@with_library
def test_a_library_of_other_sources_is_not_used(tmp_path: Path) -> None:
    """A copy of the package with its library: until a file changes it is used."""
    copy = copy_package(tmp_path / "copy")
    shutil.copy(EXTENSION, copy / "masons" / "engine" / "kernels")
    there = {"cwd": tmp_path, "PYTHONPATH": str(copy)}
    made, _, said = python("-c", SAID, **there).strip().split("; ")  # type: ignore[arg-type]
    assert MADE in said
    changed = copy / "masons" / "ai" / "search" / "levels.py"
    changed.write_text(changed.read_text() + "\n# Another version.\n")
    found = python("-c", SAID, **there).strip()  # type: ignore[arg-type]
    assert found == (
        f"{made}; True; compiled here: their sources changed since the library was built"
    )


@pytest.mark.slow
@pytest.mark.skipif(not EXTENSION.exists(), reason="the C module is not built")
def test_a_library_that_is_damaged_is_passed_over(tmp_path: Path) -> None:
    """Cut short anywhere in what is mapped of it, or of another kind: a line, and the compiler."""
    copy = copy_package(tmp_path / "copy", "*.so")
    library = copy / "masons" / "engine" / "kernels" / EXTENSION.name
    whole = EXTENSION.read_bytes()

    def ran(*arguments: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(copy), "MASONS_JIT": "", "MASONS_CHECKED": ""},
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    for size in (0, 10, 64, 1000, 4096, len(whole) // 20, len(whole) // 2):
        library.write_bytes(whole[:size])
        code, out, err = ran("-m", "masons.cli", "--version")
        (line,) = err.splitlines()
        assert (code, line.startswith(f"warning: {library} cannot be loaded (")) == (0, True)
        assert "compiled here: the library of them cannot be loaded\n" in out
    library.write_bytes(b"nothing of the kind")
    code, out, err = ran("-c", SAID)
    assert (code, out.split("; ")[1], len(err.splitlines())) == (0, "True", 1)
    # Workers, and engines, stay silent.
    workers = (
        "from concurrent.futures import ProcessPoolExecutor as Pool\n"
        "from masons.engine.kernels.library.native_library import describe_kernels\n"
        "if __name__ == '__main__':\n"
        "    import multiprocessing\n"
        "    describe_kernels()\n"
        "    with Pool(2, mp_context=multiprocessing.get_context('spawn')) as pool:\n"
        "        print(*{pool.submit(describe_kernels).result()})\n"
    )
    (tmp_path / "workers.py").write_text(workers)
    code, out, err = ran(str(tmp_path / "workers.py"))
    assert (code, "cannot be loaded" in out, len(err.splitlines())) == (0, True, 1)


@pytest.mark.slow
@with_library
def test_a_level_that_is_not_there_is_refused() -> None:
    for level in ("1", "7", "v3"):
        done = subprocess.run(
            [sys.executable, "-m", "masons.cli", "--version"], capture_output=True, text=True,
            env={**os.environ, "MASONS_LEVEL": level, "MASONS_JIT": ""}, cwd=ROOT,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (1, "")
        what = "the library or the processor has no such level"
        assert done.stderr == f"error: MASONS_LEVEL={level}: {what}\n"


@pytest.mark.skipif(jit.LIBRARY is None, reason=f"kernels are compiled here {asked_for_jit()}")
def test_wrong_arguments_are_refused() -> None:
    """Before anything is read or written through a pointer."""
    good = new_rng(1)
    draw: Any = draw_below
    assert 0 <= draw(good, 5) < 5
    wide = np.zeros((2, 2), dtype=np.uint64)
    for array in (
        good.astype(np.int64), good.astype(np.float64), good.view(np.uint8), good.tolist(), None, 3,
        b"12345678", good[0], wide, wide[:, 0], np.zeros(4, dtype=np.uint64)[::-1],
        np.zeros(1, dtype=">u8"), np.ma.zeros((1, 1)),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError)):
            draw(array, 5)
    for number in (1.5, "5", None, good.tolist(), np.float64(5)):
        with pytest.raises(TypeError):
            draw(good, number)
    with pytest.raises(OverflowError):
        draw(good, -1)
    for arguments in ((good,), (good, 5, 5), ()):
        with pytest.raises(TypeError):
            draw(*arguments)


@pytest.mark.skipif(jit.LIBRARY is None, reason=f"kernels are compiled here {asked_for_jit()}")
def test_tuples_of_another_kind_are_refused() -> None:
    from masons.ai.ismcts.iteration import View
    from masons.ai.models.model_data import Models
    from masons.ai.net_policy.policy_workspace import new_policy_workspace
    from masons.ai.review.open_values import position_values

    evaluate: Any = position_values
    words, floats = np.zeros(128, dtype=np.uint64), np.zeros(12)
    singles = np.zeros(12, dtype=np.float32)
    rest = new_policy_workspace(), words, floats
    for given in (View(words, words, words), (floats, singles), None):  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="a Models is wanted"):
            evaluate(words, words, words, 1, given, *rest)
    swapped = Models(singles, floats)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"models\.heuristic"):
        evaluate(words, words, words, 1, swapped, *rest)


def test_parameters_are_read_from_annotations() -> None:
    from masons.ai.models.model_data import Models
    from masons.ai.review.open_values import position_values
    from masons.engine.game.perft import count_paths

    def of(kernel: Any) -> Any:
        return parameters_of(getattr(kernel, "py_func", None) or kernel.__wrapped__)

    assert of(draw_below) == (Array("rng", "uint64", 1), Number("n", "uint64"))
    assert of(count_paths)[0] == Array("states", "uint64", 2)
    fields = Array("heuristic", "float64", 1), Array("net", "float32", 1)
    assert of(position_values)[4] == Group("models", Models, fields)


@pytest.mark.skipif(jit.LIBRARY is None, reason=f"kernels are compiled here {asked_for_jit()}")
def test_a_kernel_that_the_library_lacks_is_no_librarys() -> None:
    library = native_library()
    assert library is not None

    def nowhere(rng: jit.WordArray) -> None: ...

    assert library_call(nowhere, library) is None


def test_inner_functions_are_not_for_python() -> None:
    from masons.engine.kernels.bits import nth_bit, popcount

    for inner in (nth_bit, popcount):
        with pytest.raises(TypeError, match="called by kernels only"):
            inner(1)  # type: ignore[call-arg]


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
    """The example in C with the kernels for a target."""
    wanted = ("--target", target) if target else ()
    python("-m", "masons.engine.kernels.library_build", str(folder), *wanted)
    code = [ROOT / "examples" / "random_games.c", folder / "masons.c"]
    options = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-I", folder, "-o", "games.exe"]
    objects = sorted(folder.glob("masons_v*.o"))
    subprocess.run([*compiler, *options, *code, *objects], cwd=folder, check=True)
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
        f"{one / 20:.2f}" for one in points
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
    done = subprocess.run(
        [sys.executable, "-m", "masons.engine.kernels.library_build", str(tmp_path / "made"),
         "--target", "abacus"],
        capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("error: --target abacus: LLVM knows no such machine\n")
    assert not (tmp_path / "made").exists()
