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

from masons.engine.kernels.clock_source import C_LIBRARY, C_MODULE, PYTHON
from tests.support.paths import ROOT, SUPPORT
from tests.support.thinned import thinned

FILES = ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")
FOLDERS = ("masons", "engine", "ai", "pictures", "protocol", "match", "cli")
SETUPTOOLS = 77  # the least that pyproject.toml asks for


def _cannot_build() -> str:
    """Why nothing can be built with what is installed here; empty where it can."""
    missing = [name for name in ("pip", "cffi", "setuptools") if find_spec(name) is None]
    if missing:
        return f"{' and '.join(missing)} not installed"
    try:
        found = version("setuptools")
    except PackageNotFoundError:
        found = "0"
    old = int(found.partition(".")[0]) < SETUPTOOLS
    return f"setuptools {found}: {SETUPTOOLS} is needed (pip install '.[test]')" if old else ""


def _has_compiler() -> bool:
    command = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    header = Path(sysconfig.get_path("include")) / "Python.h"
    return shutil.which(command[0]) is not None and header.exists()


pytestmark = pytest.mark.skipif(bool(_cannot_build()), reason=_cannot_build())
with_compiler = pytest.mark.skipif(not _has_compiler(), reason="no C compiler with Python.h")


def python(*arguments: str, cwd: Path, **environment: str) -> str:
    """The stdout of a Python process that must succeed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | environment,
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


def clock_of(site: Path) -> str:
    """What an installed command line says of its clock."""
    out = python("-m", "masons.cli", "--version", cwd=site.parent, PYTHONPATH=str(site))
    (line,) = (line for line in out.splitlines() if line.startswith("clock"))
    return line.split(maxsplit=1)[1]


def tell_time(site: Path, source: str) -> str:
    """What `tell_time.py` prints with an installed package, in a cache of its own."""
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
    assert tell_time(site, C_MODULE) == f"{C_MODULE}, True, 0"
    for source in (C_MODULE, C_LIBRARY, PYTHON):
        assert tell_time(site, source) == f"{source}, True, 1"


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
    site = install(str(sources), tmp_path)
    assert (site / "masons" / "engine" / "errors.py").exists()
    assert clock_of(site)


@pytest.mark.slow
@pytest.mark.parametrize("compiler", thinned(["false", "/nowhere/cc"]))
def test_install_without_a_compiler(sources: Path, tmp_path: Path, compiler: str) -> None:
    site = install(str(sources), tmp_path, CC=compiler)
    assert not list((site / "masons" / "engine" / "kernels").glob("_native*"))
    assert clock_of(site) == f"{C_LIBRARY}: the C module is not there"
    assert tell_time(site, C_MODULE) == f"{C_LIBRARY}, True, 0"


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
    (sources / "engine" / "kernels" / "new.py").write_text("import masons; print(masons.__file__)")
    out = python("-c", "import masons.engine.kernels.new", cwd=tmp_path, PYTHONPATH=str(sources))
    assert out.strip() == str(sources / "masons" / "__init__.py")
    assert tell_time(sources, C_MODULE) == f"{clock}, True, 0"
