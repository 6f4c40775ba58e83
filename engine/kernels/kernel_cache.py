"""Where compiled kernels are kept. Pure Python: importing this loads no compiler.

The folder's name holds a hash of all that the machine code depends on, so editing any kernel, or
another version of the engine or of numba, starts a fresh folder. Folders that nobody has used for
a month are removed.

The first of these that can be written is used: NUMBA_CACHE_DIR, else the user's cache folder; a
folder of the user's own among the temporary files. Kernels are also read, never written, from one
that is there but cannot be written, such as a read-only image that was warmed up when it was made.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

from masons.engine.kernels.library.kernel_sources import SETTINGS, is_checked, sources_hash

CACHE_PREFIX: Final = "kernels-"
KERNEL_SUFFIX: Final = ".kernel"
_KEEP_DAYS: Final = 30


def is_refused() -> bool:
    """Whether the environment asks for no cache: MASONS_NO_CACHE=1, or --no-cache."""
    return os.environ.get("MASONS_NO_CACHE", "") == "1"


def refuse_cache() -> None:
    """Use no cache in this process and in those it starts, as if MASONS_NO_CACHE=1 were set.

    To be called before any kernel is; what is compiled or loaded already stays.
    """
    os.environ["MASONS_NO_CACHE"] = "1"
    choose_cache.cache_clear()


def installed(package: str) -> str:
    """The version of an installed package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def cache_key() -> str:
    """A hash of everything that the machine code of the kernels depends on, but the processor."""
    build = (
        sources_hash(),
        *map(installed, ("numba", "llvmlite", "numpy")),
        sys.version,
        platform.machine(),
        *(os.environ.get(name, "") for name in SETTINGS),
        str(is_checked()),
    )
    return hashlib.sha256("\0".join(build).encode()).hexdigest()[:16]


def _is_ours(folder: Path) -> bool:
    """Whether nobody else can put machine code into a folder that others may have made first."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.lstat()
    mode = status.st_mode
    return stat.S_ISDIR(mode) and status.st_uid == os.getuid() and not mode & 0o022


def _bases() -> Iterator[Path]:
    """The places for cache folders that may be used, the best first; each is made if it can be."""
    own = os.environ.get("NUMBA_CACHE_DIR")
    home = Path(own) if own else user_cache_path("masons-engine")
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield home
    except OSError:
        pass
    try:
        user = os.getuid() if hasattr(os, "getuid") else "user"
        temporary = Path(tempfile.gettempdir()) / f"masons-engine-{user}"
        temporary.mkdir(mode=0o700, exist_ok=True)
        if _is_ours(temporary):
            yield temporary
    except OSError:  # gettempdir's too, where nothing can be written
        pass


def _can_write(folder: Path) -> bool:
    """Make a folder if need be, and try to put something into it."""
    try:
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"kernel")
            file.flush()
        return True
    except OSError:
        return False


def _prune(base: Path, ours: str) -> None:
    """Remove kernel folders of other versions that nobody has used for a month."""
    limit = time.time() - _KEEP_DAYS * 86400
    try:
        for old in base.glob(CACHE_PREFIX + "*"):
            if old.name != ours and old.stat().st_mtime < limit:
                shutil.rmtree(old, ignore_errors=True)
    except OSError:  # another process removes them too
        pass


@cache
def choose_cache() -> tuple[Path | None, tuple[Path, ...]]:
    """The folder to write kernels to, made if need be, and those to look for kernels in.

    None, and none, where `is_refused`; None where nothing can be written.
    """
    if is_refused():
        return None, ()
    name = CACHE_PREFIX + cache_key()
    found: list[Path] = []
    for base in _bases():
        folder = base / name
        if _can_write(folder):
            os.utime(folder)
            _prune(base, name)
            return folder, (*found, folder)
        if any(folder.glob("*" + KERNEL_SUFFIX)):
            found.append(folder)
    return None, tuple(found)


def cache_folder() -> Path | None:
    """The folder that kernels are written to; None where there is none."""
    return choose_cache()[0]


def describe_cache() -> str:
    """The cache folder, or why there is none."""
    if is_refused():
        return "none, as asked: every run compiles anew"
    folder, found = choose_cache()
    if folder is not None:
        return str(folder)
    if found:
        return f"{found[0]} (read only)"
    return "none: no folder for it can be written, so every run compiles anew"


@cache
def processor() -> str:
    """A hash of what machine code is made for; loads the library that makes it (20 ms)."""
    import llvmlite.binding as llvm

    try:
        features = llvm.get_host_cpu_features().flatten()
    except RuntimeError:  # not known for this platform
        features = ""
    target = f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {features}"
    return hashlib.sha256(target.encode()).hexdigest()[:8]


def has_kernel(kernel: str) -> bool:
    """Whether a compiled kernel is there, named like `engine.kernels.rng.draw_below`."""
    ours = f"{kernel}-{processor()}-*{KERNEL_SUFFIX}"
    # numba's own files stand in a folder for each source folder (see `jit`).
    *_, folder_name, module, function = kernel.split(".")
    numbas = f"{folder_name}_*/{module}.{function}-*.nbi"
    return any(
        any(folder.glob(pattern)) for folder in choose_cache()[1] for pattern in (ours, numbas)
    )
