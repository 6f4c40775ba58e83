"""A copy of the package as it is installed, with its folders inside the folder `masons`."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.paths import ROOT

FOLDERS = ("engine", "ai", "env", "protocol", "match", "gui", "cli")


def copy_package(folder: Path, *ignored: str) -> Path:
    """Copy the package into `folder`, except for files that match `ignored`; return `folder`."""
    package = folder / "masons"
    package.mkdir(parents=True)
    shutil.copy(ROOT / "masons" / "__init__.py", package)
    for name in FOLDERS:
        leave = shutil.ignore_patterns("__pycache__", *ignored)
        shutil.copytree(ROOT / name, package / name, ignore=leave)
    return folder
