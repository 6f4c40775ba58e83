"""Which sources the kernels are made of, and which build of them the environment asks for."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Final

from masons import __version__

# The folders that have kernels.
_KERNEL_FOLDERS: Final = ("engine", "ai", "env/stepping")
# How the names of their modules begin.
KERNEL_MODULES: Final = tuple(f"masons.{name.replace('/', '.')}." for name in _KERNEL_FOLDERS)
# What stands there for the build of the package only, and is not installed.
_OF_THE_BUILD: Final = "native"
# Settings of numba in the environment that change the machine code.
SETTINGS: Final = (
    "NUMBA_BOUNDSCHECK",
    "NUMBA_OPT",
    "NUMBA_LOOP_VECTORIZE",
    "NUMBA_SLP_VECTORIZE",
    "NUMBA_DEBUGINFO",
    "NUMBA_ENABLE_AVX",
    "NUMBA_CPU_NAME",
    "NUMBA_CPU_FEATURES",
)


def is_checked() -> bool:
    """Whether the environment asks for the build that checks every access."""
    return os.environ.get("MASONS_CHECKED", "") == "1"


def asked_for_jit() -> str:
    """The setting in the environment that only kernels compiled here can follow; empty if none."""
    wanted = [name for name in ("MASONS_JIT", "MASONS_CHECKED") if os.environ.get(name) == "1"]
    wanted += [name for name in SETTINGS if os.environ.get(name)]
    return f"{wanted[0]}={os.environ[wanted[0]]}" if wanted else ""


def kernel_sources() -> list[tuple[str, Path]]:
    """The files that hold kernels, at any depth of these folders: name from the top, and path."""
    root = Path(__file__).resolve().parents[3]
    found = []
    for top in _KERNEL_FOLDERS:
        for folder, folders, names in os.walk(root / top):
            folders[:] = [name for name in folders if name not in (_OF_THE_BUILD, "__pycache__")]
            found += [Path(folder, name) for name in names if name.endswith(".py")]
    return sorted((path.relative_to(root).as_posix(), path) for path in found)


def sources_hash() -> str:
    """A hash of the sources of all kernels and of the engine's version."""
    digest = hashlib.sha256(__version__.encode())
    for name, path in kernel_sources():
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
