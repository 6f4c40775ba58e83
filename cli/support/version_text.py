"""What `--version` says, without loading the compiler."""

from __future__ import annotations

import platform
from pathlib import Path

from masons import __version__
from masons.engine.kernels.clock_source import C_MODULE, clock_source
from masons.engine.kernels.kernel_cache import describe_cache, installed
from masons.engine.kernels.library.native_library import describe_kernels
from masons.engine.plain_text import plain


def cpu_name() -> str:
    """The processor's name, as the system gives it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    except (OSError, UnicodeDecodeError):
        pass
    return platform.processor() or platform.machine()


def version_text() -> str:
    """The lines of `--version`."""
    clock = clock_source().name
    rows = {
        "masons-engine": __version__,
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        **{name: installed(name) for name in ("numba", "llvmlite", "numpy")},
        "CPU": plain(cpu_name()),
        "clock": clock if clock == C_MODULE else f"{clock}: the C module is not there",
        "kernels": plain(describe_kernels()),
        "cache": plain(describe_cache()),
    }
    return "\n".join(f"{name:13} {value}" for name, value in rows.items())
