"""Where compiled kernels are kept. Pure Python: importing this loads no compiler.

The folder's name holds a hash of all that the machine code depends on (numba by itself notices
only changes in a function's own file), so editing any kernel starts a fresh folder.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import tempfile
import time
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

CACHE_PREFIX: Final = "kernels-"
_KEEP_DAYS: Final = 30


def is_checked() -> bool:
    """Whether the environment asks for the build that checks every access."""
    return os.environ.get("MASONS_CHECKED", "") == "1"


def _sources() -> list[Path]:
    """The files that hold kernels: the package's own, and those of `masons.ai` beside it."""
    engine = Path(__file__).resolve().parent
    folders = [engine, engine.parent / "ai"]
    return sorted(path for folder in folders if folder.is_dir() for path in folder.glob("*.py"))


def cache_key() -> str:
    """A hash of everything that the machine code of the kernels depends on."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    build = (
        version("numba"),
        version("llvmlite"),
        version("numpy"),
        sys.version,
        platform.machine(),
        os.environ.get("NUMBA_BOUNDSCHECK", ""),
        os.environ.get("NUMBA_OPT", ""),
        str(is_checked()),
    )
    digest.update("\0".join(build).encode())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _prune(folder: Path, ours: str) -> None:
    """Remove kernel folders of other versions that nobody has used for a month."""
    limit = time.time() - _KEEP_DAYS * 86400
    for old in folder.glob(CACHE_PREFIX + "*"):
        try:
            if old.name != ours and old.stat().st_mtime < limit:
                shutil.rmtree(old, ignore_errors=True)
        except OSError:
            continue


@cache
def choose_cache() -> Path | None:
    """The folder for compiled kernels, made if need be; None where there is to be none.

    That is where MASONS_NO_CACHE=1 asks for none, and where nothing can be written at all.
    """
    if os.environ.get("MASONS_NO_CACHE", "") == "1":
        return None
    own = os.environ.get("NUMBA_CACHE_DIR")
    home = Path(own) if own else user_cache_path("masons-engine")
    name = CACHE_PREFIX + cache_key()
    user = os.getuid() if hasattr(os, "getuid") else "user"
    for base in (home, Path(tempfile.gettempdir()) / f"masons-engine-{user}"):
        folder = base / name
        if _writable(folder) and (base == home or _is_ours(base)):
            os.utime(folder)
            _prune(base, name)
            return folder
    return None


def _is_ours(folder: Path) -> bool:
    """Whether nobody else can put machine code into a folder that others may have made first."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def has_kernel(folder: Path | None, kernel: str) -> bool:
    """Whether a folder holds a compiled kernel, named like `iterate.run_search`."""
    return folder is not None and any(folder.glob(f"*/{kernel}-*.nbi"))
