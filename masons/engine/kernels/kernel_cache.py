"""The cache of compiled kernels.

The name of the cache folder contains a hash of everything that the machine code depends on. A
change of a kernel, or of the version of the engine or of numba, therefore starts a new folder.
Folders that have not been used for a month are removed. Each file begins with a hash of its name
and content; a truncated, damaged or misplaced file is ignored.

The folder is created in NUMBA_CACHE_DIR or, if that variable is not set, in the user's cache
folder. If this place is not writable, the folder is created in a private folder among the temporary
files. Kernels are also read from a folder that exists but is not writable, such as a folder in a
read-only image. Importing this module loads no compiler.
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
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final

from masons.engine.files import write_atomic
from masons.engine.kernels.c_module import SETTINGS, is_checked, sources_hash

CACHE_PREFIX: Final = "kernels-"
_SUFFIX: Final = ".kernel"
_KEEP_DAYS: Final = 30
_DIGEST_BYTES: Final = 32
# Longest wait for another process that is compiling.
_PATIENCE_SECONDS: Final = 300.0


def is_refused() -> bool:
    """Return whether the environment turns the cache off (MASONS_NO_CACHE=1 or --no-cache)."""
    return os.environ.get("MASONS_NO_CACHE", "") == "1"


def refuse_cache() -> None:
    """Turn the cache off in this process and its child processes, as MASONS_NO_CACHE=1 does.

    Call this function before any kernel is called; kernels that are already loaded stay loaded.
    """
    os.environ["MASONS_NO_CACHE"] = "1"
    choose_cache.cache_clear()


def installed(package: str) -> str:
    """Return the version of an installed package, or "none" if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def cache_key() -> str:
    """Return a hash of everything that the machine code depends on, except the processor."""
    build = (
        sources_hash(),
        *map(installed, ("numba", "llvmlite", "numpy")),
        sys.version,
        platform.machine(),
        *(os.environ.get(name, "") for name in SETTINGS),
        str(is_checked()),
    )
    return hashlib.sha256("\0".join(build).encode()).hexdigest()[:16]


def _is_private(folder: Path) -> bool:
    """Return whether only the user can write to a folder."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.lstat()
    mode = status.st_mode
    return stat.S_ISDIR(mode) and status.st_uid == os.getuid() and not mode & 0o022


def _bases() -> Iterator[Path]:
    """Yield the places for cache folders, the preferred place first; create them if possible."""
    from platformdirs import user_cache_path

    setting = os.environ.get("NUMBA_CACHE_DIR")
    home = Path(setting) if setting else user_cache_path("masons-engine")
    with suppress(OSError):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield home
    with suppress(OSError):  # also from gettempdir, if no folder is writable
        user = os.getuid() if hasattr(os, "getuid") else "user"
        temporary = Path(tempfile.gettempdir()) / f"masons-engine-{user}"
        temporary.mkdir(mode=0o700, exist_ok=True)
        if _is_private(temporary):
            yield temporary


def _can_write(folder: Path) -> bool:
    """Return whether a file can be written in a folder; the folder is created if necessary."""
    try:
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"kernel")
            file.flush()
        return True
    except OSError:
        return False


def _prune(base: Path, current: str) -> None:
    """Remove the folders of other versions that have not been used for a month."""
    limit = time.time() - _KEEP_DAYS * 86400
    with suppress(OSError):  # another process may remove them at the same time
        for old in base.glob(CACHE_PREFIX + "*"):
            if old.name != current and old.stat().st_mtime < limit:
                shutil.rmtree(old, ignore_errors=True)


@cache
def choose_cache() -> tuple[Path | None, tuple[Path, ...]]:
    """Return the folder to write kernels to, and the folders to read kernels from.

    The first result is None if no folder is writable. If the cache is turned off, the second result
    is also empty.
    """
    if is_refused():
        return None, ()
    name = CACHE_PREFIX + cache_key()
    readable: list[Path] = []
    for base in _bases():
        folder = base / name
        if _can_write(folder):
            os.utime(folder)
            _prune(base, name)
            return folder, (*readable, folder)
        if any(folder.glob("*" + _SUFFIX)):
            readable.append(folder)
    return None, tuple(readable)


def cache_folder() -> Path | None:
    """Return the folder that kernels are written to, or None if there is none."""
    return choose_cache()[0]


def describe_cache() -> str:
    """Return the cache folder as text, or the reason why no folder is used."""
    if is_refused():
        return "none, as requested: every run compiles again"
    folder, readable = choose_cache()
    if folder is not None:
        return str(folder)
    if readable:
        return f"{readable[0]} (read only)"
    return "none: no folder for it is writable, so every run compiles again"


@cache
def _processor() -> str:
    """Return a hash of the processor for which code is compiled.

    The first call loads LLVM, which takes 20 ms.
    """
    import llvmlite.binding as llvm

    try:
        features = llvm.get_host_cpu_features().flatten()
    except RuntimeError:  # LLVM does not support this on all platforms
        features = ""
    target = f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {features}"
    return hashlib.sha256(target.encode()).hexdigest()[:8]


def _path(folder: Path, name: str) -> Path:
    return folder / f"{name}-{_processor()}{_SUFFIX}"


def _digest(path: Path, payload: bytes) -> bytes:
    # The folder's name identifies the sources; the file's name identifies the kernels and the
    # processor.
    return hashlib.sha256(f"{path.parent.name}/{path.name}\0".encode() + payload).digest()


def read_kept(name: str) -> bytes | None:
    """Return the bytes cached under a name, or None if they are missing or damaged."""
    for folder in choose_cache()[1]:
        path = _path(folder, name)
        with suppress(OSError):
            data = path.read_bytes()
            payload = data[_DIGEST_BYTES:]
            if data[:_DIGEST_BYTES] == _digest(path, payload):
                return payload
    return None


def keep(name: str, payload: bytes) -> None:
    """Cache bytes under a name; ignore errors, which only cost time in the next run."""
    folder = cache_folder()
    if folder is not None:
        path = _path(folder, name)
        with suppress(OSError):
            folder.mkdir(exist_ok=True)
            write_atomic(path, _digest(path, payload) + payload, sync=False)


@contextmanager
def turn(name: str) -> Iterator[None]:
    """Let one process at a time compile the kernels cached under a name; other processes wait.

    The lock belongs to the operating system, so it ends when its process ends. If the file system
    has no locks (like some network file systems), or if the holder takes too long, the function
    goes on without the lock.
    """
    from filelock import FileLock, Timeout

    folder = cache_folder()
    if folder is None:
        yield
        return
    lock = FileLock(f"{_path(folder, name)}.lock", timeout=_PATIENCE_SECONDS)
    is_held = False
    with suppress(OSError, NotImplementedError, Timeout):
        lock.acquire()
        is_held = True
    try:
        yield
    finally:
        if is_held:
            lock.release()
