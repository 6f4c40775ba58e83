"""The cache of compiled kernels, in real processes where that matters.

The kernel is a small one, `rng.draw_below`. Tests may run as root, whom file permissions do not
stop: what cannot be written is a file where a folder should be, or the system's limit on the size
of files, which makes every write fail.
"""

from __future__ import annotations

import functools
import inspect
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock, Timeout

from masons.engine.kernels import kernel_cache as cache
from masons.engine.kernels import kernel_store as store
from masons.engine.kernels.compiling import compile_kernel
from masons.engine.kernels.jit import CHECKED
from masons.engine.kernels.library.kernel_sources import kernel_sources
from masons.engine.kernels.rng import draw_below, new_rng
from tests.support.package_copy import copy_package
from tests.support.paths import ROOT
from tests.support.thinned import thinned

SECONDS = 120
MONTHS = 90 * 86400
DRAW = """
from masons.engine.kernels.rng import draw_below, new_rng
def draw():
    value = draw_below(new_rng(1), 10**6)
    return value, sum(draw_below.stats.cache_hits.values())
"""
# What a child of a process forked after the imports does; the parent has compiled nothing.
IN_CHILDREN = """
import faulthandler, os
def in_children(count, work):
    ends = []
    for _ in range(count):
        read, write = os.pipe()
        if os.fork() == 0:
            faulthandler.dump_traceback_later(100, exit=True)
            os.write(write, repr(work()).encode())
            os._exit(0)
        os.close(write)
        ends.append(read)
    found = [eval(os.read(end, 1000)) for end in ends]
    while ends and os.wait():
        ends.pop()
    return found
"""


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test writes where users keep their kernels."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("MASONS_NO_CACHE", raising=False)
    monkeypatch.setenv("MASONS_JIT", "1")  # in the processes that are started
    cache.choose_cache.cache_clear()
    yield
    cache.choose_cache.cache_clear()


def nothing_written() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def little_written() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def python(code: str, before: Callable[[], None] | None = None, **environment: str) -> list[str]:
    """The words that a Python process prints; it must succeed and say nothing else."""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, preexec_fn=before,
        capture_output=True, text=True, timeout=SECONDS,
        cwd=os.sep,  # where no checkout comes first
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def engine(
    *arguments: str, before: Callable[[], None] | None = None, **environment: str
) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    done = subprocess.run(
        [sys.executable, "-m", "masons.cli", *arguments], env={**os.environ, **environment},
        preexec_fn=before, capture_output=True, text=True, timeout=SECONDS,
        cwd=os.sep,  # where no checkout comes first
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def cache_said(**environment: str) -> str:
    """What --version says of the cache."""
    code, out, _ = engine("--version", **environment)
    assert code == 0
    return out.splitlines()[-1].removeprefix("cache").strip()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the kernel."""
    folder = tmp_path_factory.mktemp("compiled")
    assert python(DRAW_ONCE, NUMBA_CACHE_DIR=str(folder), MASONS_JIT="1") == [VALUE, "0"]
    return folder


@pytest.fixture
def filled(compiled: Path, tmp_path: Path) -> Path:
    """The kernel's file in the cache of a test."""
    (path,) = kernels(shutil.copytree(compiled, tmp_path / "cache"))
    return path


def kernels(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.kernel"))


VALUE = str(draw_below(new_rng(1), 10**6))
DRAW_ONCE = DRAW + "print(*draw())"


# --- one kernel, many processes


@pytest.mark.slow
def test_of_many_first_runs_one_compiles() -> None:
    """16 processes that need a kernel at the same time: one compiles it, all have it."""
    found = python(DRAW + IN_CHILDREN + "for found_in in in_children(16, draw): print(*found_in)")
    assert found[::2] == [VALUE] * 16
    assert sorted(found[1::2]) == ["0"] + ["1"] * 15


@pytest.mark.slow
def test_the_lock_goes_with_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "a.kernel"
    code = f"""
import time
from pathlib import Path
from masons.engine.kernels.kernel_store import _turn
with _turn(Path({str(path)!r})):
    print("mine", flush=True)
    time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"mine\n"
        with pytest.raises(Timeout):
            FileLock(f"{path}.lock", timeout=0).acquire()
        holder.send_signal(signal.SIGKILL)
    with FileLock(f"{path}.lock", timeout=SECONDS):
        pass


def test_nobody_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PATIENCE_SECONDS", 0.2)
    path = tmp_path / "a.kernel"
    went_on = []
    with FileLock(f"{path}.lock"), store._turn(path):
        went_on.append("while another process holds the lock")
    with store._turn(tmp_path / "removed" / "a.kernel"):
        went_on.append("where another process removed the folder")
    for error in (OSError("no locks available"), NotImplementedError("no flock")):

        def refuse(*_: object, error: Exception = error, **__: object) -> None:
            raise error

        monkeypatch.setattr(FileLock, "acquire", refuse)
        with store._turn(path):
            went_on.append("where the file system has none")
    assert len(went_on) == 4


def test_what_fails_in_turn_is_not_hidden(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="inside"), store._turn(tmp_path / "a.kernel"):
        raise OSError("inside")
    with FileLock(f"{tmp_path / 'a.kernel'}.lock", timeout=0):
        pass


# --- damage


@functools.cache
def compiled_here() -> Any:
    """The kernel as numba has it, called once."""
    drawn: Any = compile_kernel(inspect.unwrap(draw_below))
    drawn(new_rng(1), 10**6)
    return drawn


def loaded() -> object:
    """What is loaded from the cache for the draw."""
    drawn = compiled_here()
    (types,) = drawn.signatures
    return drawn._cache.load_overload(types, drawn.targetctx)


@pytest.mark.slow
@pytest.mark.skipif(CHECKED, reason="looks at the build that is not checked")
def test_damaged_files_are_passed_over(filled: Path) -> None:
    """Each file of the folder cut short anywhere, changed or replaced: nothing of it is used."""
    path, whole = filled, filled.read_bytes()
    assert loaded() is not None
    size = len(whole)
    middle = size // 2
    damaged = [whole[:keep] for keep in (0, 1, 31, 32, 33, middle, size - 1)]
    for at in (0, 40, middle, size - 1):
        damaged.append(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    damaged += [np.random.default_rng(1).bytes(size), b"\0" * size, whole + b"\0"]
    for data in damaged:
        path.write_bytes(data)
        assert loaded() is None
    # What has the right hash and is no kernel.
    for payload in (b"", b"cos\nsystem\n", b"\x80\x04N."):
        path.write_bytes(store.packed(path, payload))
        assert loaded() is None
    path.unlink()
    path.mkdir()
    assert loaded() is None
    path.rmdir()
    path.write_bytes(whole)
    assert loaded() is not None


@pytest.mark.slow
def test_the_file_of_another_kernel_is_compiled_anew(tmp_path: Path) -> None:
    """Copied whole over this one's name; and the file of this name in another version's folder."""
    code = """
import numpy as np
from masons.engine.kernels.bits import popcount
from masons.engine.kernels.jit import kernel
from masons.engine.kernels.rng import draw_below, new_rng
@kernel
def ones(words):
    return popcount(words[0])
print(draw_below(new_rng(1), 10**6), ones(np.array([7], dtype=np.uint64)))
"""
    (tmp_path / "counting.py").write_text(code)

    def printed() -> list[str]:
        return python("import counting", PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]))

    assert printed() == [VALUE, "3"]
    counting, drawing = kernels(tmp_path / "cache")
    for name, other in ((drawing, counting), (counting, drawing)):
        shutil.copy(other, name)
        assert printed() == [VALUE, "3"]
    older = shutil.copytree(drawing.parent, drawing.parent.with_name(f"{cache.CACHE_PREFIX}0"))
    assert store.read_packed(drawing) is not None
    assert store.read_packed(older / drawing.name) is None


@pytest.mark.slow
def test_a_damaged_file_is_compiled_anew(filled: Path) -> None:
    whole = filled.stat().st_size
    os.truncate(filled, whole // 2)
    assert python(DRAW_ONCE) == [VALUE, "0"]
    assert filled.stat().st_size > whole // 2
    assert python(DRAW_ONCE) == [VALUE, "1"]


# --- places that cannot be written


@pytest.mark.slow
def test_a_folder_that_cannot_be_made_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    there = f"{tmp_path}/masons-engine-{os.getuid()}/{cache.CACHE_PREFIX}"
    for home in (str(file), str(file / "below"), os.devnull, "/proc/none"):
        assert cache_said(NUMBA_CACHE_DIR=home).startswith(there)
        assert cache_said(NUMBA_CACHE_DIR="", XDG_CACHE_HOME=home).startswith(there)
        assert cache_said(NUMBA_CACHE_DIR="", XDG_CACHE_HOME="", HOME=home).startswith(there)
    assert file.read_text() == ""


@pytest.mark.slow
def test_where_nothing_can_be_written_there_is_no_cache(tmp_path: Path) -> None:
    said = "cache         none: no folder for it can be written, so every run compiles anew\n"
    code, out, _ = engine("--version", before=nothing_written)
    assert (code, out.endswith(said)) == (0, True)
    assert python(DRAW_ONCE, nothing_written) == [VALUE, "0"]
    code, out, err = engine("warmup", before=nothing_written)
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert err.startswith("error: compiled kernels cannot be kept")
    assert kernels(tmp_path) == []


@pytest.mark.slow
def test_a_folder_of_others_is_not_used(tmp_path: Path) -> None:
    """Among the temporary files, where anybody may have made it to slip in machine code."""
    own = tmp_path / f"masons-engine-{os.getuid()}"
    none = {"NUMBA_CACHE_DIR": os.devnull}
    own.mkdir(mode=0o700)
    assert cache_said(**none).startswith(str(own))
    own.chmod(0o777)
    assert cache_said(**none).startswith("none: ")
    own.rename(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").chmod(0o700)
    own.symlink_to(tmp_path / "elsewhere")
    assert cache_said(**none).startswith("none: ")


@pytest.mark.slow
def test_a_full_disk_costs_no_more_than_time(tmp_path: Path) -> None:
    assert python(DRAW_ONCE, little_written) == [VALUE, "0"]
    left = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".lock"]
    assert left == []


@pytest.mark.slow
def test_kernels_are_read_where_they_cannot_be_written(filled: Path) -> None:
    assert python(DRAW_ONCE, nothing_written) == [VALUE, "1"]
    _, out, _ = engine("--version", before=nothing_written)
    assert out.endswith(f"{filled.parent} (read only)\n")


# --- versions


@pytest.mark.slow
def test_versions_live_side_by_side(tmp_path: Path) -> None:
    first, second = (copy_package(tmp_path / name) for name in ("first", "second"))
    changed = second / "masons" / "engine" / "kernels" / "bits.py"  # a file that rng imports
    changed.write_text(changed.read_text() + "\n# Another version.\n")
    runs = [python(DRAW_ONCE, PYTHONPATH=str(tree)) for tree in (first, second, first)]
    assert runs == [[VALUE, "0"], [VALUE, "0"], [VALUE, "1"]]
    old, new = sorted(
        {path.parent for path in kernels(tmp_path / "cache")}, key=lambda path: path.stat().st_mtime
    )[::-1]
    # The second starts months after the first was used last.
    os.utime(old, (time.time() - MONTHS,) * 2)
    assert python(DRAW_ONCE, PYTHONPATH=str(second)) == [VALUE, "1"]
    assert (old.exists(), new.exists()) == (False, True)


@pytest.mark.slow
def test_the_same_version_elsewhere_uses_the_same_kernels(tmp_path: Path, filled: Path) -> None:
    copy = copy_package(tmp_path / "copy")
    before = sorted(copy.rglob("*"))
    assert filled.exists()
    assert python(DRAW_ONCE, PYTHONPATH=str(copy), PYTHONDONTWRITEBYTECODE="1") == [VALUE, "1"]
    # Nothing is written beside the sources, which may be read only.
    assert sorted(copy.rglob("*")) == before


@pytest.mark.slow
def test_old_folders_are_removed_by_many_at_once(tmp_path: Path) -> None:
    base = tmp_path / "cache"
    for number in range(60):
        folder = base / f"{cache.CACHE_PREFIX}{number}"
        folder.mkdir(parents=True)
        for name in ("a.kernel", "b.kernel", "a.kernel.lock"):
            (folder / name).write_bytes(b"x")
        if number:
            os.utime(folder, (time.time() - MONTHS,) * 2)
    (base / "others").mkdir()
    os.utime(base / "others", (time.time() - MONTHS,) * 2)
    command = [sys.executable, "-m", "masons.cli", "--version"]
    started = [subprocess.Popen(command, stdout=-3, stderr=subprocess.PIPE) for _ in range(6)]
    for process in started:
        assert process.communicate(timeout=SECONDS)[1] == b""
        assert process.returncode == 0
    assert sorted(path.name for path in base.iterdir()) == sorted(
        [f"{cache.CACHE_PREFIX}0", f"{cache.CACHE_PREFIX}{cache.cache_key()}", "others"]
    )


def test_the_key_follows_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [cache.cache_key()]
    for name, value in (("NUMBA_BOUNDSCHECK", "1"), ("NUMBA_OPT", "1"), ("MASONS_CHECKED", "x")):
        monkeypatch.setenv(name, value)
        keys.append(cache.cache_key())
    assert len(set(keys)) == (4 if CHECKED else 3)


# --- what the cache goes by


ADD = """
from masons.engine.kernels.jit import kernel
@kernel
def add(number):
    return number + {what}
"""


def ran(*folders: Path, module: str) -> list[str]:
    """What `add(1)` of a module gives in a fresh process, and how often it was in the cache."""
    code = f"from {module} import add\nprint(int(add(1)), sum(add.stats.cache_hits.values()))"
    return python(code, PYTHONPATH=os.pathsep.join(map(str, folders)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "place", thinned(["engine/kernels/deeper/still", "engine/deeper", "ai/deeper"])
)
def test_a_kernel_edited_in_a_subfolder_runs_its_new_code(tmp_path: Path, place: str) -> None:
    tree = copy_package(tmp_path / "tree")
    file = tree / "masons" / place / "adding.py"
    file.parent.mkdir(parents=True)
    module = f"masons.{place.replace('/', '.')}.adding"
    file.write_text(ADD.format(what=1))
    assert ran(tree, module=module) == ["2", "0"]
    assert ran(tree, module=module) == ["2", "1"]
    file.write_text(ADD.format(what=10))
    assert ran(tree, module=module) == ["11", "0"]


@pytest.mark.slow
def test_kernels_of_one_name_in_two_folders_are_two(tmp_path: Path) -> None:
    tree = copy_package(tmp_path / "tree")
    for number, place in enumerate(("engine/first", "engine/second", "ai/first"), 1):
        file = tree / "masons" / place / "adding.py"
        file.parent.mkdir()
        file.write_text(ADD.format(what=number))
    code = """
from masons.engine.first import adding as first
from masons.engine.second import adding as second
from masons.ai.first import adding as third
for module in (first, second, third):
    print(int(module.add(1)), sum(module.add.stats.cache_hits.values()))
"""
    for hits in "01":
        found = python(code, PYTHONPATH=str(tree))
        assert found == ["2", hits, "3", hits, "4", hits]


@pytest.mark.slow
def test_a_kernel_of_another_file_goes_by_that_file(tmp_path: Path) -> None:
    """Of a benchmark, say: outside the package, so outside the hash that names the folder."""
    file = tmp_path / "scripts" / "adding.py"
    file.parent.mkdir()
    folders = file.parent, *sys.path
    file.write_text(ADD.format(what=1))
    assert ran(*folders, module="adding") == ["2", "0"]
    assert ran(*folders, module="adding") == ["2", "1"]
    file.write_text(ADD.format(what=10))
    assert ran(*folders, module="adding") == ["11", "0"]


def test_every_folder_with_kernels_is_in_the_hash() -> None:
    """Wherever the cache's own file stands: the names are those from the root of the packages."""
    hashed = {path.resolve() for _, path in kernel_sources()}
    for folder in ("engine", "ai", "env/stepping"):
        found = set((ROOT / folder).resolve().rglob("*.py"))
        assert {path for path in found if path.parent.name != "native"} <= hashed
    names = {name for name, _ in kernel_sources()}
    assert {"engine/kernels/rng.py", "ai/halving/simulation.py"} <= names


# --- an untried numba


@pytest.mark.slow
def test_an_untried_numba_is_used_as_it_is(tmp_path: Path) -> None:
    """With its own pipeline and cache; a damaged file of either kind is compiled anew."""
    code = """
import numba
numba.version_info = numba.version_info._replace(minor=numba.version_info.minor + 100)
import os, pathlib
from masons.engine.kernels import kernel_cache as cache
from masons.engine.kernels import compiling as jit
assert jit.KernelStore is jit.InnerCompiler is None
folder = cache.cache_folder()
def found_in():
    return in_children(1, draw)[0]
def has(name):
    return cache.has_kernel(f"engine.kernels.rng.{name}")
print(*found_in(), *found_in(), has("draw_below"), has("draw_above"))
for ending, size in ("nbi", 0), ("nbi", 60), ("nbc", 100):
    (path,) = folder.rglob("*." + ending)
    os.truncate(path, size)
    print(*found_in())
"""
    found = python(IN_CHILDREN + code.replace("as jit\n", "as jit\n" + DRAW))
    assert found == [VALUE, "0", VALUE, "1", "True", "False", *[VALUE, "0"] * 3]
    assert kernels(tmp_path) == []
