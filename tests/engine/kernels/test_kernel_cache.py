"""The cache of kernels that are compiled here, in real processes where that matters.

The kernel is a small one, `rng.draw_below`. A process that loads numba has compiled it; one that
does not has found it in the cache. Tests may run as root, whom file permissions do not stop: what
cannot be written is a file where a folder should be, or the system's limit on the size of files,
which makes every write fail.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from filelock import FileLock

from masons.engine.kernels import kernel_cache as cache
from masons.engine.kernels.c_module import kernel_sources
from masons.engine.kernels.rng import draw_below, new_rng
from tests.support.package_copy import copy_package
from tests.support.paths import PACKAGE
from tests.support.thinned import thinned

SECONDS = 240
MONTHS = 90 * 86400
VALUE = str(draw_below(new_rng(1), 10**6))
DRAW = """
import sys
from masons.engine.kernels.rng import draw_below, new_rng
def draw():
    return draw_below(new_rng(1), 10**6), "numba" in sys.modules
"""
DRAW_ONCE = DRAW + "print(*draw())"
COMPILED, LOADED = [VALUE, "True"], [VALUE, "False"]


@pytest.fixture(autouse=True)
def _separate_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test writes where users keep their kernels."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("MASONS_NO_CACHE", raising=False)
    monkeypatch.setenv("MASONS_JIT", "1")  # in the processes that are started
    monkeypatch.setenv("MASONS_CHECKED", "")
    cache.choose_cache.cache_clear()
    yield
    cache.choose_cache.cache_clear()


def write_nothing() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def python(
    *arguments: str, before: Callable[[], None] | None = None, code: int = 0, **environment: str
) -> str:
    """Return what a Python process prints: stdout, or stderr where it must fail."""
    done = subprocess.run(
        [sys.executable, *arguments], env={**os.environ, **environment}, preexec_fn=before,
        capture_output=True, text=True, timeout=SECONDS, cwd=os.sep,  # no checkout comes first
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert (done.stdout if code else done.stderr) == ""
    return done.stderr if code else done.stdout


def drawn(**environment: str) -> list[str]:
    return python("-c", DRAW_ONCE, **environment).split()


def cache_line(before: Callable[[], None] | None = None, **environment: str) -> str:
    """Return what --version says of the cache."""
    text = python("-m", "masons.cli", "--version", before=before, **environment)
    return text.splitlines()[-1].removeprefix("cache").strip()


def kernels(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.kernel"))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache that holds the kernel."""
    folder = tmp_path_factory.mktemp("compiled")
    environment = {"NUMBA_CACHE_DIR": str(folder), "MASONS_JIT": "1", "MASONS_CHECKED": ""}
    assert drawn(**environment) == COMPILED
    return folder


@pytest.fixture
def filled(compiled: Path, tmp_path: Path) -> Path:
    """Return the kernel's file in the cache of a test."""
    (path,) = kernels(shutil.copytree(compiled, tmp_path / "cache"))
    return path


# --- one kernel, many processes


@pytest.mark.slow
def test_of_many_first_runs_one_compiles() -> None:
    """Eight processes need a kernel at once, forked from one that has imported everything."""
    code = """
import os
ends = []
for _ in range(8):
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, repr(draw()).encode())
        os._exit(0)
    os.close(write)
    ends.append(read)
for end in ends:
    print(*eval(os.read(end, 1000)))
"""
    words = python("-c", DRAW + code).split()
    assert words[::2] == [VALUE] * 8
    assert sorted(words[1::2]) == ["False"] * 7 + ["True"]


def test_a_lock_that_cannot_be_had_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process holds it, or the file system has none."""
    monkeypatch.setattr(cache, "_PATIENCE_SECONDS", 0.2)
    folder = cache.cache_folder()
    assert folder is not None
    passed = 0
    with FileLock(f"{cache._path(folder, 'a')}.lock"), cache.turn("a"):
        passed += 1
    for error in (OSError("no locks available"), NotImplementedError("no flock")):
        monkeypatch.setattr(FileLock, "acquire", Mock(side_effect=error))
        with cache.turn("a"):
            passed += 1
    assert passed == 3
    with pytest.raises(OSError, match="inside"), cache.turn("a"):
        raise OSError("inside")


# --- damage


def test_damaged_files_are_passed_over(tmp_path: Path) -> None:
    """A file cut short anywhere, changed or replaced: nothing of it is used."""
    payload = np.random.default_rng(1).bytes(1000)
    cache.keep("a", payload)
    cache.keep("b", payload)
    path, other = kernels(tmp_path)
    assert cache.read_kept("a") == payload
    whole = path.read_bytes()
    damaged = [whole[:size] for size in (0, 1, 31, 32, 33, 500, len(whole) - 1)]
    for at in (0, 40, 500, len(whole) - 1):
        damaged.append(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    damaged += [b"\0" * len(whole), whole + b"\0", other.read_bytes()]
    for data in damaged:
        path.write_bytes(data)
        assert cache.read_kept("a") is None
    # The file of this name in another version's folder.
    older = path.parent.with_name(f"{cache.CACHE_PREFIX}0")
    path.parent.rename(older)
    path.parent.mkdir()
    shutil.copy(older / other.name, path.parent)
    (older / other.name).replace(path.parent / path.name)
    assert cache.read_kept("b") == payload
    assert cache.read_kept("a") is None


# --- places that cannot be written


@pytest.mark.slow
def test_a_folder_that_cannot_be_made_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    expected = f"{tmp_path}/masons-engine-{os.getuid()}/{cache.CACHE_PREFIX}"
    for home in thinned([str(file), str(file / "below"), os.devnull, "/proc/none"]):
        assert cache_line(NUMBA_CACHE_DIR=home).startswith(expected)
        assert cache_line(NUMBA_CACHE_DIR="", XDG_CACHE_HOME=home).startswith(expected)
    assert file.read_text() == ""


@pytest.mark.slow
def test_where_nothing_can_be_written_there_is_no_cache(tmp_path: Path) -> None:
    line = cache_line(write_nothing)
    assert line == "none: no folder for it is writable, so every run compiles again"
    assert python("-c", DRAW_ONCE, before=write_nothing).split() == COMPILED
    error = python("-m", "masons.cli", "warmup", before=write_nothing, code=1)
    assert error.startswith("error: compiled kernels cannot be kept")
    assert error.count("\n") == 1
    assert kernels(tmp_path) == []


@pytest.mark.slow
def test_a_folder_of_others_is_not_used(tmp_path: Path) -> None:
    """Among the temporary files anybody may have made it, to slip in machine code."""
    private = tmp_path / f"masons-engine-{os.getuid()}"
    private.mkdir(mode=0o700)
    assert cache_line(NUMBA_CACHE_DIR=os.devnull).startswith(str(private))
    private.chmod(0o777)
    assert cache_line(NUMBA_CACHE_DIR=os.devnull).startswith("none: ")
    private.rename(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").chmod(0o700)
    private.symlink_to(tmp_path / "elsewhere")
    assert cache_line(NUMBA_CACHE_DIR=os.devnull).startswith("none: ")


@pytest.mark.slow
def test_kernels_are_read_where_they_cannot_be_written(filled: Path) -> None:
    assert python("-c", DRAW_ONCE, before=write_nothing).split() == LOADED
    assert cache_line(write_nothing) == f"{filled.parent} (read only)"


# --- what the cache goes by


@pytest.mark.slow
def test_versions_live_side_by_side(tmp_path: Path, filled: Path) -> None:
    """Two copies, one of them changed; the same version elsewhere uses the same kernels."""
    first, second = (copy_package(tmp_path / name) for name in ("first", "second"))
    changed = second / "masons" / "engine" / "kernels" / "bits.py"  # a file that rng imports
    changed.write_text(changed.read_text() + "\n# Another version.\n")
    before = sorted(first.rglob("*"))
    assert drawn(PYTHONPATH=str(first), PYTHONDONTWRITEBYTECODE="1") == LOADED
    assert sorted(first.rglob("*")) == before  # nothing is written beside the sources
    assert drawn(PYTHONPATH=str(second)) == COMPILED
    # The second starts months after the first was used last.
    os.utime(filled.parent, (time.time() - MONTHS,) * 2)
    assert drawn(PYTHONPATH=str(second)) == LOADED
    assert not filled.parent.exists()


CONSTANT = """
from masons.engine.kernels import jit, kernel_calls
from masons.engine.state import {module} as constants

@jit.inner
def add_constant(number: jit.Word) -> jit.Word:
    return number + constants.ADDED

@kernel_calls.kernel
def add(number: jit.Word) -> jit.Word:
    return add_constant(number)
"""


@pytest.mark.slow
@pytest.mark.parametrize("place", thinned(["engine/deeper", "ai/deeper/still", "outside"]))
def test_a_changed_constant_is_noticed(tmp_path: Path, place: str) -> None:
    """A constant of a module that a kernel's module imports as a whole."""
    tree = copy_package(tmp_path / "tree")
    folder = tree / (place if place == "outside" else f"masons/{place}")
    folder.mkdir(parents=True)
    (folder / "adding.py").write_text(CONSTANT.format(module="layout"))
    name = "adding" if place == "outside" else f"masons.{place.replace('/', '.')}.adding"
    code = f"import sys\nfrom {name} import add\nprint(add(1), 'numba' in sys.modules)"
    layout = tree / "masons" / "engine" / "state" / "layout.py"
    text = layout.read_text()

    def printed(added: int) -> list[str]:
        layout.write_text(f"{text}\nADDED = U({added})\n")
        paths = os.pathsep.join([str(tree), str(folder)])
        return python("-c", code, PYTHONPATH=paths).split()

    runs = [printed(added) for added in (1, 1, 10)]
    assert runs == [["2", "True"], ["2", "False"], ["11", "True"]]


@pytest.mark.slow
def test_a_kernel_goes_by_its_file(tmp_path: Path) -> None:
    """Three of one name in the engine; one of another file, outside of the folder's hash."""
    tree = copy_package(tmp_path / "tree")
    text = (
        "from masons.engine.kernels.jit import Word\n"
        "from masons.engine.kernels.kernel_calls import kernel\n"
        "@kernel\ndef add(n: Word) -> Word:\n    "
    )
    places = ("masons/engine/first", "masons/engine/second", "masons/ai/first", "outside")
    for number, place in enumerate(places, 1):
        (tree / place).mkdir()
        (tree / place / "adding.py").write_text(f"{text}return n + {number}\n")
    names = [place.replace("/", ".") for place in places]
    code = "import sys\n" + "".join(
        f"from {name} import adding\nprint(adding.add(1))\n" for name in names
    )
    code += "print('numba' in sys.modules)"
    runs = [python("-c", code, PYTHONPATH=str(tree)).split() for _ in range(2)]
    assert runs == [["2", "3", "4", "5", "True"], ["2", "3", "4", "5", "False"]]
    (tree / "outside" / "adding.py").write_text(f"{text}return n + 10\n")
    last = python("-c", code, PYTHONPATH=str(tree)).split()
    assert last == ["2", "3", "4", "11", "True"]


def test_every_folder_with_kernels_is_in_the_hash() -> None:
    hashed = {path.resolve() for _, path in kernel_sources()}
    for folder in ("engine", "ai", "env/stepping"):
        paths = set((PACKAGE / folder).resolve().rglob("*.py"))
        assert {path for path in paths if path.parent.name != "native"} <= hashed
    assert "engine/kernels/rng.py" in {name for name, _ in kernel_sources()}


def test_the_key_follows_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "MASONS_CHECKED")
    for name in settings:
        monkeypatch.delenv(name, raising=False)
    keys = {cache.cache_key()}
    for name in settings:
        monkeypatch.setenv(name, "1")
        keys.add(cache.cache_key())
    assert len(keys) == 4
