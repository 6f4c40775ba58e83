"""The build of the package `masons` and of its C module.

The build compiles one C module, `masons.engine.kernels._native`. It contains the kernels as machine
code, made by `masons.engine.kernels.library_build`. If there is no C compiler or no numba, or if
compiling the kernels fails, they are left out and are compiled on first use instead. All other
settings of the project are in pyproject.toml.
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

CLOCK_ONLY = "uint64_t masons_monotonic_ns(void);"
# Time limit for compiling the kernels, which usually takes about a minute.
LIBRARY_SECONDS = 600


def has_compiler():
    """Return whether a C compiler works; without one, the kernels cannot be put into a C module."""
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
    """Compile the kernels into `folder` in a separate process; return whether that succeeded."""
    wanted = os.environ.get("MASONS_JIT") != "1" and not sysconfig.get_config_var("Py_GIL_DISABLED")
    if not wanted or not has_compiler():
        return False
    shutil.rmtree(folder, ignore_errors=True)  # of an earlier build, with other levels
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "masons.engine.kernels.library_build", str(folder)]
    # A wheel for other machines needs the code for all processors, which takes longer to compile.
    if os.environ.get("MASONS_LEVELS") != "all":
        command.append("--this-processor")
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
    """Copy the Python files into an empty build folder.

    Otherwise, the wheel would also contain files that an earlier build copied and that have been
    deleted from the sources since.
    """

    def run(self) -> None:
        """Empty the folder (unless the install is editable), then copy the files."""
        if not self.editable_mode:
            shutil.rmtree(Path(self.build_lib, "masons"), ignore_errors=True)
        super().run()


class BuildWhatCompiles(build_ext):
    """Put the kernels into the C module; drop the module if it could not be compiled.

    An editable install would otherwise look for the module's file, which does not exist.
    """

    def pre_run(self, ext, ffi) -> None:
        """Add the kernels, or else only the clock, before cffi writes the module's C source."""
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
        """Compile, then keep only the modules whose file was built."""
        super().run()
        self.extensions = [
            module
            for module in self.extensions
            if Path(self.get_ext_fullpath(module.name)).exists()
        ]


# The C module uses only Python's limited API, so one wheel fits every Python from 3.11 on. A Python
# without the interpreter lock does not have this API.
LIMITED = {} if sysconfig.get_config_var("Py_GIL_DISABLED") else {"py_limited_api": "cp311"}

setup(
    options={"bdist_wheel": LIMITED},
    packages=find_packages(include=["masons", "masons.*"]),
    cffi_modules=["masons/engine/kernels/native/extension.py:builder"],
    cmdclass={"build_py": BuildAfresh, "build_ext": BuildWhatCompiles},
)
