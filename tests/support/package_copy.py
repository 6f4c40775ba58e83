"""A copy of the package as an install has it: its folders inside `masons`."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.paths import ROOT

FOLDERS = ("engine", "ai", "env", "protocol", "match", "gui", "cli")


def copy_package(folder: Path, *ignored: str) -> Path:
    """Copy the package into `folder`, without files of the patterns `ignored`; returns `folder`."""
    package = folder / "masons"
    package.mkdir(parents=True)
    shutil.copy(ROOT / "masons" / "__init__.py", package)
    for name in FOLDERS:
        leave = shutil.ignore_patterns("__pycache__", *ignored)
        shutil.copytree(ROOT / name, package / name, ignore=leave)
    return folder
