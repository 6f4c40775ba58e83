"""Installing from the sources, with a C compiler and without: real builds in a copy."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

from masons.engine.kernels.c_module import C_LIBRARY, C_MODULE
from tests.support.commands import run_python
from tests.support.paths import PACKAGE, ROOT, SUPPORT
from tests.support.thinned import thinned

FILES = ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")
SETUPTOOLS = 77  # the least that pyproject.toml asks for


def _fault() -> str:
    """Return why nothing can be built with the packages installed here; empty where it can."""
    missing = [name for name in ("pip", "cffi", "setuptools") if find_spec(name) is None]
    if missing:
        return f"{' and '.join(missing)} not installed"
    old = int(version("setuptools").partition(".")[0]) < SETUPTOOLS
    return f"setuptools {SETUPTOOLS} is needed (pip install '.[test]')" if old else ""


_COMPILER = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
_HEADER = Path(sysconfig.get_path("include")) / "Python.h"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(_fault()), reason=_fault())]
with_compiler = pytest.mark.skipif(
    shutil.which(_COMPILER) is None or not _HEADER.exists(), reason="no C compiler with Python.h"
)


@pytest.fixture(autouse=True)
def _no_jit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed decides where kernels come from."""
    monkeypatch.delenv("MASONS_JIT", raising=False)


def python(*arguments: str, cwd: Path, **environment: str) -> str:
    """Return the stdout of a Python process that must succeed, however long it takes."""
    return run_python(*arguments, cwd=cwd, timeout=None, **environment).stdout


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of the project without anything that was built in it."""
    copy = tmp_path / "sources"
    copy.mkdir()
    leave = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    shutil.copytree(PACKAGE, copy / "masons", ignore=leave)
    for file in FILES:
        shutil.copy(ROOT / file, copy)
    return copy


def install(what: str, folder: Path, **environment: str) -> Path:
    """Install a folder or an archive of the project into `folder`/site, without the network."""
    site = folder / "site"
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(site)]
    python("-m", "pip", "install", *options, what, cwd=folder, **environment)
    return site


def said_of(site: Path, what: str) -> str:
    """Return what an installed command line says of its clock, or its kernels."""
    out = python("-m", "masons.cli", "--version", cwd=site.parent, PYTHONPATH=str(site))
    (line,) = (line for line in out.splitlines() if line.startswith(what))
    return line.split(maxsplit=1)[1]


def analyzed(site: Path, folder: Path) -> str:
    """A first analysis where there is no compiler, no numba, and nothing can be written."""
    folder.mkdir()
    for name in ("numba", "llvmlite"):
        (folder / f"{name}.py").write_text("raise ImportError('not for users')")
    home = str(folder / "numba.py" / "home")  # below a file: nobody can make it
    return python(
        "-m", "masons.cli", "analyze", str(ROOT / "examples" / "midgame.txt"), "--sims", "50",
        cwd=site.parent, PYTHONPATH=os.pathsep.join([str(folder), str(site)]), PATH=os.devnull,
        HOME=home, XDG_CACHE_HOME=home, NUMBA_CACHE_DIR="", TMPDIR=home,
    )  # fmt: skip


def tell_time(site: Path, source: str) -> str:
    """Return what `tell_time.py` prints with an installed package, in a separate cache."""
    return python(
        str(SUPPORT / "tell_time.py"), source, cwd=site.parent, PYTHONPATH=str(site),
        XDG_CACHE_HOME=str(site.parent / "cache"), NUMBA_CACHE_DIR="", MASONS_NO_CACHE="",
    ).strip()  # fmt: skip


@with_compiler
def test_an_archive_makes_one_wheel_with_machine_code(sources: Path, tmp_path: Path) -> None:
    """For every Python from the first on; every file of every folder is in it."""
    python("setup.py", "--quiet", "sdist", cwd=sources)
    (archive,) = (sources / "dist").glob("*.tar.gz")
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    python("-m", "pip", "wheel", *options, str(archive), cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert wheel.name.endswith(f"-cp311-abi3-{platform}.whl")
    with ZipFile(wheel) as content:
        (tags,) = (name for name in content.namelist() if name.endswith(".dist-info/WHEEL"))
        assert f"Tag: cp311-abi3-{platform}" in content.read(tags).decode()
    site = install(str(wheel), tmp_path)
    (module,) = (site / "masons" / "engine" / "kernels").glob("_native*")
    assert module.name in ("_native.abi3.so", "_native.pyd")
    assert not (site / "masons" / "engine" / "kernels" / "native").exists()
    for path in PACKAGE.rglob("*.py"):
        if "native" not in path.parts:
            assert (site / path.relative_to(ROOT)).exists(), path
    for data in (
        "engine/board/boards/classic.json", "ai/models/data/learned.json", "py.typed",
        "protocol/compliance/sessions.txt",
    ):  # fmt: skip
        assert (site / "masons" / data).exists(), data
    assert said_of(site, "clock") == C_MODULE
    assert said_of(site, "kernels").startswith("made ahead of time: library")
    assert tell_time(site, C_LIBRARY) == f"{C_MODULE}, True, False"
    assert "50 iterations" in analyzed(site, tmp_path / "bare")


@pytest.mark.parametrize("compiler", thinned(["false", "/nowhere/cc"]))
def test_no_compiler_is_needed(sources: Path, tmp_path: Path, compiler: str) -> None:
    # Left by an earlier build, of a file that is gone since.
    for name in ("lib", f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"):
        left = sources / "build" / name / "masons" / "engine" / "gone.py"
        left.parent.mkdir(parents=True)
        left.write_text("")
    site = install(str(sources), tmp_path, CC=compiler)
    assert (site / "masons" / "engine" / "errors.py").exists()
    assert not (site / "masons" / "engine" / "gone.py").exists()
    assert not list((site / "masons" / "engine" / "kernels").glob("_native*"))
    assert said_of(site, "clock") == f"{C_LIBRARY}: the C module is missing"
    assert said_of(site, "kernels") == "compiled here: no library was built"
    assert tell_time(site, C_LIBRARY) == f"{C_LIBRARY}, True, False"
    assert tell_time(site, C_LIBRARY) == f"{C_LIBRARY}, True, True"


@with_compiler
def test_an_editable_install_is_a_path_to_the_checkout(sources: Path, tmp_path: Path) -> None:
    build = f"from setuptools.build_meta import build_editable as b; b({str(tmp_path)!r})"
    python("-c", build, cwd=sources)
    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as archive:
        (path,) = (name for name in archive.namelist() if name.endswith(".pth"))
        assert archive.read(path).decode().strip() == str(sources)
    assert said_of(sources, "kernels").startswith("made ahead of time")
    # A new file is seen at once, but is not in the library.
    new = sources / "masons" / "engine" / "kernels" / "new.py"
    new.write_text("import masons; print(masons.__file__)")
    out = python("-c", "import masons.engine.kernels.new", cwd=tmp_path, PYTHONPATH=str(sources))
    assert out.strip() == str(sources / "masons" / "__init__.py")
    assert tell_time(sources, C_LIBRARY) == f"{C_LIBRARY}, True, False"
    changed = "compiled here: their sources changed since the library was built"
    assert said_of(sources, "kernels") == changed
