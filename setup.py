"""The package map: engine/, ai/ and the others install as packages inside masons.

One C module is compiled, `masons.engine.kernels._native`; it holds the kernels as machine code,
which `masons.engine.kernels.library_build` makes. Without a C compiler, or numba, or where the
kernels cannot be made ahead of time, the install does without. Everything else about the project
stands in pyproject.toml.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

FOLDERS = ("engine", "ai", "env", "protocol", "match", "gui", "cli")
CLOCK_ONLY = "uint64_t masons_monotonic_ns(void);"
# The longest that the kernels may take: a minute or so is usual.
LIBRARY_SECONDS = 600


def has_compiler():
    """Return whether C can be compiled here: without it the kernels are of no use."""
    from distutils.ccompiler import new_compiler
    from distutils.sysconfig import customize_compiler

    with TemporaryDirectory() as folder:
        source = Path(folder, "nothing.c")
        source.write_text("int nothing;\n")
        try:
            compiler = new_compiler()
            customize_compiler(compiler)
            compiler.compile([str(source)], output_dir=folder)
        except Exception:
            return False
    return True


def make_library(folder: Path) -> bool:
    """Make the kernels' machine code in a separate process; return whether it did."""
    wanted = os.environ.get("MASONS_JIT") != "1" and not sysconfig.get_config_var("Py_GIL_DISABLED")
    if not wanted or not has_compiler():
        return False
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "masons.engine.kernels.library_build", str(folder)]
    here = str(Path(__file__).resolve().parent)
    paths = [here, *filter(None, [os.environ.get("PYTHONPATH")])]
    try:
        subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            check=True,
            timeout=LIBRARY_SECONDS,
        )
    except (OSError, subprocess.SubprocessError) as error:
        print(f"the kernels are compiled on first use: {error}", file=sys.stderr)
        return False
    return True


class BuildAfresh(build_py):
    """Copy the files into an empty folder.

    What an earlier build left there may be gone from the sources since, and would go into the
    wheel: the library is of these sources only.
    """

    def run(self) -> None:
        """Empty the folder, then copy."""
        if not self.editable_mode:
            shutil.rmtree(Path(self.build_lib, "masons"), ignore_errors=True)
        super().run()


class BuildWhatCompiles(build_ext):
    """Put the kernels into the C module; forget it if it could not be compiled.

    An editable install would look for it.
    """

    def pre_run(self, ext, ffi) -> None:
        """Add the kernels before cffi writes the module's C."""
        folder = Path(self.build_temp, "library").absolute()
        if not make_library(folder):
            ffi.cdef(CLOCK_ONLY)
            return
        ffi.cdef((folder / "masons_cffi.h").read_text(encoding="utf-8"))
        ext.include_dirs.append(str(folder))
        ext.define_macros.append(("MASONS_LIBRARY", "1"))
        ext.extra_objects += sorted(map(str, folder.glob("masons_v*.o")))
        ext.depends += ext.extra_objects

    def run(self) -> None:
        """Compile, then keep what is there."""
        super().run()
        self.extensions = [
            module
            for module in self.extensions
            if Path(self.get_ext_fullpath(module.name)).exists()
        ]


# The module uses the limited API only, so that one wheel is for every Python from 3.11 on; those
# without the interpreter lock do not have that API.
LIMITED = {} if sysconfig.get_config_var("Py_GIL_DISABLED") else {"py_limited_api": "cp311"}

setup(
    options={"bdist_wheel": LIMITED},
    packages=[
        "masons",
        *(f"masons.{name}" for name in FOLDERS),
        *(f"masons.{name}.{inside}" for name in FOLDERS for inside in find_packages(name)),
    ],
    package_dir={"masons": "masons", **{f"masons.{name}": name for name in FOLDERS}},
    cffi_modules=["engine/kernels/native/extension.py:builder"],
    cmdclass={"build_py": BuildAfresh, "build_ext": BuildWhatCompiles},
)
