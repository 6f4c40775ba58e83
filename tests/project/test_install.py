"""Installing from the sources, with a C compiler and without: real builds in a copy."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

from masons.engine.kernels.c_module import C_LIBRARY, C_MODULE, PYTHON
from tests.support.paths import ROOT, SUPPORT
from tests.support.thinned import thinned

FILES = ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")
FOLDERS = (
    "masons", "engine", "ai", "env", "protocol", "match", "gui", "cli",
)  # fmt: skip
SETUPTOOLS = 77  # the least that pyproject.toml asks for


def _cannot_build() -> str:
    """Why nothing can be built with what is installed here; empty where it can."""
    missing = [name for name in ("pip", "cffi", "setuptools") if find_spec(name) is None]
    if missing:
        return f"{' and '.join(missing)} not installed"
    try:
        installed = version("setuptools")
    except PackageNotFoundError:
        installed = "0"
    old = int(installed.partition(".")[0]) < SETUPTOOLS
    return f"setuptools {installed}: {SETUPTOOLS} is needed (pip install '.[test]')" if old else ""


def _has_compiler() -> bool:
    command = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    header = Path(sysconfig.get_path("include")) / "Python.h"
    return shutil.which(command[0]) is not None and header.exists()


pytestmark = pytest.mark.skipif(bool(_cannot_build()), reason=_cannot_build())
with_compiler = pytest.mark.skipif(not _has_compiler(), reason="no C compiler with Python.h")


def python(*arguments: str, cwd: Path, **environment: str) -> str:
    """The stdout of a Python process that must succeed."""
    kept = {name: value for name, value in os.environ.items() if name != "MASONS_JIT"}
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=kept | environment,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of the project without anything that was built in it."""
    copy = tmp_path / "sources"
    copy.mkdir()
    leave = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, symlinks=True, ignore=leave)
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


def clock_of(site: Path) -> str:
    """Return what it says of its clock."""
    return said_of(site, "clock")


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
        str(SUPPORT / "tell_time.py"),
        source,
        cwd=site.parent,
        PYTHONPATH=str(site),
        XDG_CACHE_HOME=str(site.parent / "cache"),
        NUMBA_CACHE_DIR="",
        MASONS_NO_CACHE="",
    ).strip()


@pytest.mark.slow
@with_compiler
def test_install_from_an_archive_compiles_the_module(sources: Path, tmp_path: Path) -> None:
    python("setup.py", "--quiet", "sdist", cwd=sources)
    (archive,) = (sources / "dist").glob("*.tar.gz")
    site = install(str(archive), tmp_path)
    assert list((site / "masons" / "engine" / "kernels").glob("_native.*"))
    assert not (site / "masons" / "engine" / "kernels" / "native").exists()
    for folder in FOLDERS[1:]:  # every file of every folder is there
        for path in (ROOT / folder).rglob("*.py"):
            if "native" not in path.parts:
                assert (site / "masons" / path.relative_to(ROOT)).exists(), path
    for data in ("engine/board/boards/classic.json", "ai/models/data/learned.json", "py.typed"):
        assert (site / "masons" / data).exists(), data
    assert clock_of(site) == C_MODULE
    assert said_of(site, "kernels").startswith("made ahead of time: library")
    assert tell_time(site, C_MODULE) == f"{C_MODULE}, True, False"
    for source in (C_MODULE, C_LIBRARY, PYTHON):
        assert tell_time(site, source) == f"{source}, True, True"


@pytest.mark.slow
@with_compiler
def test_one_wheel_is_for_every_python_from_the_first_on(sources: Path, tmp_path: Path) -> None:
    build = f"from setuptools.build_meta import build_wheel as b; b({str(tmp_path)!r})"
    python("-c", build, cwd=sources)
    (wheel,) = tmp_path.glob("*.whl")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert wheel.name.endswith(f"-cp311-abi3-{platform}.whl")
    with ZipFile(wheel) as archive:
        (module,) = (name for name in archive.namelist() if "/_native." in name)
        (tags,) = (name for name in archive.namelist() if name.endswith(".dist-info/WHEEL"))
        assert f"Tag: cp311-abi3-{platform}" in archive.read(tags).decode()
    assert module.endswith(("/_native.abi3.so", "/_native.pyd"))
    site = install(str(wheel), tmp_path)
    assert "50 iterations" in analyzed(site, tmp_path / "bare")


@pytest.mark.slow
def test_a_checkout_without_links_is_enough(sources: Path, tmp_path: Path) -> None:
    """git writes a link as a text file where the system has none, or does not let it make them."""
    for folder in FOLDERS[1:]:
        link = sources / "masons" / folder
        assert link.is_symlink()
        link.unlink()
        link.write_text(f"../{folder}")
    code = "import masons.engine.errors as e; print(e.__file__)"
    out = python("-c", code, cwd=sources, PYTHONPATH=str(sources))
    assert Path(out.strip()) == sources / "engine" / "errors.py"
    # What an earlier build left, of a file that is gone since.
    for name in ("lib", f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"):
        left = sources / "build" / name / "masons" / "engine" / "gone.py"
        left.parent.mkdir(parents=True)
        left.write_text("")
    site = install(str(sources), tmp_path)
    assert (site / "masons" / "engine" / "errors.py").exists()
    assert not (site / "masons" / "engine" / "gone.py").exists()
    assert clock_of(site)


@pytest.mark.slow
@pytest.mark.parametrize("compiler", thinned(["false", "/nowhere/cc"]))
def test_install_without_a_compiler(sources: Path, tmp_path: Path, compiler: str) -> None:
    site = install(str(sources), tmp_path, CC=compiler)
    assert not list((site / "masons" / "engine" / "kernels").glob("_native*"))
    assert clock_of(site) == f"{C_LIBRARY}: the C module is missing"
    assert said_of(site, "kernels") == "compiled here: no library of them was built"
    assert tell_time(site, C_MODULE) == f"{C_LIBRARY}, True, False"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compiler", "clock"),
    [pytest.param("", C_MODULE, marks=with_compiler), ("false", C_LIBRARY)],
)
def test_editable_install(sources: Path, tmp_path: Path, compiler: str, clock: str) -> None:
    """A path to the checkout: a file that is new there is seen at once."""
    build = f"from setuptools.build_meta import build_editable as b; b({str(tmp_path)!r})"
    python("-c", build, cwd=sources, **({"CC": compiler} if compiler else {}))
    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as archive:
        (path,) = (name for name in archive.namelist() if name.endswith(".pth"))
        assert archive.read(path).decode().strip() == str(sources)
    made = "made ahead of time" if clock == C_MODULE else "compiled here: no library"
    assert said_of(sources, "kernels").startswith(made)
    (sources / "engine" / "kernels" / "new.py").write_text("import masons; print(masons.__file__)")
    out = python("-c", "import masons.engine.kernels.new", cwd=tmp_path, PYTHONPATH=str(sources))
    assert out.strip() == str(sources / "masons" / "__init__.py")
    assert tell_time(sources, C_MODULE) == f"{clock}, True, False"
    if clock == C_MODULE:  # the new file is not in the library
        changed = "compiled here: their sources changed since the library was built"
        assert said_of(sources, "kernels") == changed
