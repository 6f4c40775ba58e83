"""The package map: api/ installs as masons, and engine/, ai/, cli/ as packages inside it.

One C module is compiled, `masons.engine._native`; without a compiler the install does without.
Everything else about the project stands in pyproject.toml.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext

FOLDERS = {
    "masons": "api",
    "masons.engine": "engine",
    "masons.ai": "ai",
    "masons.pictures": "pictures",
    "masons.review": "review",
    "masons.protocol": "protocol",
    "masons.match": "match",
    "masons.screen": "screen",
    "masons.cli": "cli",
}


class BuildWhatCompiles(build_ext):
    """Forget a module that could not be compiled: a strict editable install would look for it."""

    def run(self) -> None:
        """Compile, then keep what is there."""
        super().run()
        self.extensions = [
            module
            for module in self.extensions
            if Path(self.get_ext_fullpath(module.name)).exists()
        ]


setup(
    packages=list(FOLDERS),
    package_dir=FOLDERS,
    cffi_modules=["engine/native/extension.py:builder"],
    cmdclass={"build_ext": BuildWhatCompiles},
)
