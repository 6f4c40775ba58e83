"""A copy of the package, to be changed by a test."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.paths import PACKAGE


def copy_package(folder: Path, *ignored: str) -> Path:
    """Copy the package into `folder`, except for files that match `ignored`; return `folder`."""
    leave = shutil.ignore_patterns("__pycache__", *ignored)
    shutil.copytree(PACKAGE, folder / "masons", ignore=leave)
    return folder
