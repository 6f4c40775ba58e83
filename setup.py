"""The package map: engine/, ai/ and the others install as packages inside masons.

One C module is compiled, `masons.engine.kernels._native`; without a compiler the install does
without. Everything else about the project stands in pyproject.toml.
"""

import sysconfig
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_ext import build_ext

FOLDERS = ("engine", "ai", "pictures", "protocol", "match", "cli")


class BuildWhatCompiles(build_ext):
    """Forget a module that could not be compiled: an editable install would look for it."""

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
    cmdclass={"build_ext": BuildWhatCompiles},
)
