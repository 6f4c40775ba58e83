"""Compiled kernels on disk: one file for each, looked for before numba compiles.

numba's own cache goes by the path of the source and reads whatever stands in its files. This one
is found by all installs of one version; each file begins with a hash of its name and the rest, so
that one that was cut short, damaged or copied over another is passed over; and loading does without
the compiler's tables of types, which take a third of a second to fill.

Of several processes that need a kernel at once one compiles it, and the others wait for its file.
The lock is the system's, so it goes when its holder dies. Where the file system has none (some
network ones), and where the holder takes too long, everybody compiles: files are put into place
whole, so that is only slower.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from masons.engine.files import write_atomic
from masons.engine.kernels.kernel_cache import KERNEL_SUFFIX, cache_folder, choose_cache, processor
from masons.engine.kernels.library.kernel_sources import KERNEL_MODULES

_DIGEST_BYTES: Final = 32
# The longest that one kernel's compiling is waited for.
PATIENCE_SECONDS: Final = 120.0


def _digest(path: Path, payload: bytes) -> bytes:
    # The folder's name stands for the sources, the file's for kernel, types and processor.
    return hashlib.sha256(f"{path.parent.name}/{path.name}\0".encode() + payload).digest()


def packed(path: Path, payload: bytes) -> bytes:
    """Return the content of the file that keeps a payload in the cache."""
    return _digest(path, payload) + payload


def read_packed(path: Path) -> bytes | None:
    """Return the payload that `packed` put into a file; None where it is damaged or another's."""
    data = path.read_bytes()
    payload = data[_DIGEST_BYTES:]
    return payload if _digest(path, payload) == data[:_DIGEST_BYTES] else None


def _name_of(func: Callable[..., Any]) -> str | None:
    """What a kernel's files are named by; None where it must not be kept.

    The cache folder is named by a hash of the sources of all the engine's kernels; a kernel
    of any other file (a benchmark, a test) has the hash of that file in its name.
    """
    module = func.__module__
    name = f"{module.removeprefix('masons.')}.{func.__qualname__}"
    if module.startswith(KERNEL_MODULES):
        return name
    try:
        source = Path(func.__code__.co_filename).read_bytes()
    except OSError:
        return None
    return f"{name}-{hashlib.sha256(source).hexdigest()[:8]}"


@contextmanager
def _turn(path: Path) -> Iterator[None]:
    """Hold the lock of a kernel's file, or go on without it where that cannot be had."""
    from filelock import FileLock, Timeout

    lock = FileLock(f"{path}.lock", timeout=PATIENCE_SECONDS)
    try:
        lock.acquire()
    except (OSError, NotImplementedError, Timeout):
        yield
        return
    try:
        yield
    finally:
        lock.release()


class KernelStore(_Cache):  # type: ignore[misc]
    """What numba asks for the compiled form of one kernel."""

    def __init__(self, func: Callable[..., Any]) -> None:
        self._name = _name_of(func)
        self._enabled = self._name is not None

    @property
    def cache_path(self) -> str:
        """The folder that kernels are written to."""
        return str(cache_folder() or "")

    def enable(self) -> None:
        """Look for kernels and keep them, as at first."""
        self._enabled = self._name is not None

    def disable(self) -> None:
        """Neither look for kernels nor keep them."""
        self._enabled = False

    def flush(self) -> None:
        """Forget this kernel, in whatever form."""
        for folder in choose_cache()[1]:
            for path in folder.glob(f"{self._name}-*{KERNEL_SUFFIX}"):
                with suppress(OSError):
                    path.unlink()

    def _file_name(self, signature: Any, codegen: Any) -> str:
        form = hashlib.sha256(f"{signature} {codegen.magic_tuple()}".encode()).hexdigest()[:8]
        return f"{self._name}-{processor()}-{form}{KERNEL_SUFFIX}"

    def _read(self, name: str) -> bytes | None:
        """What is kept in the first sound file of that name."""
        for folder in choose_cache()[1]:
            with suppress(OSError):
                payload = read_packed(folder / name)
                if payload is not None:
                    return payload
        return None

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled kernel for argument types; None where it has to be compiled."""
        if not self._enabled:
            return None
        payload = self._read(self._file_name(signature, target_context.codegen()))
        if payload is None:
            return None
        try:
            # All that machine code needs of numba; a compilation would fill its tables too.
            rtsys.initialize(target_context)
            return CompileResult._rebuild(target_context, *pickle.loads(payload))
        except Exception:
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled kernel, if it can be kept: a full disk costs the next run time only."""
        folder = cache_folder()
        if not self._enabled or folder is None or compiled.library.has_dynamic_globals:
            return
        path = folder / self._file_name(signature, compiled.codegen)
        with suppress(OSError):
            folder.mkdir(exist_ok=True)
            write_atomic(path, packed(path, dumps(compiled._reduce())), sync=False)

    def compile_once(self, function: Any) -> Callable[[Any], Any]:
        """The `compile` of numba's function, for one process at a time."""
        compile_now = function.compile

        def compile_in_turn(signature: Any) -> Any:
            folder = cache_folder()
            name = self._file_name(signature, function.targetctx.codegen())
            if not self._enabled or folder is None or self._read(name) is not None:
                return compile_now(signature)
            with _turn(folder / name):
                return compile_now(signature)

        return compile_in_turn
