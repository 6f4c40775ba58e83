"""Compiling the kernels before they are needed, with a line that says so."""

from __future__ import annotations

from masons.cli.support.process import say
from masons.engine.kernels.c_module import is_outdated, native_library


def is_ready() -> bool:
    """Return whether no command has to compile kernels any more."""
    if native_library() is not None:
        return True
    from masons.engine.kernels import loading

    return loading.is_ready()


def prepare(*, is_shown: bool = True) -> None:
    """Compile all kernels, unless they came compiled or are kept, and say so on stderr."""
    if not is_ready():
        say(f"compiling the kernels: {_how_often()}")
        compile_shown(is_shown=is_shown)


def compile_shown(*, is_shown: bool = True) -> None:
    """Compile or load all kernels, with a moving bar on a terminal."""
    from masons.cli.support.console import messages, working
    from masons.engine.kernels.loading import compile_ahead

    with working(messages(), shown=is_shown) as show:
        show("compiling the kernels")
        compile_ahead()


def _how_often() -> str:
    from masons.engine.kernels.kernel_cache import cache_folder, is_refused

    if is_refused():
        return "they are not kept, as asked"
    if cache_folder() is None:
        return "they cannot be kept, for no folder can be written (see masons-engine --version)"
    reason = " (their sources changed since the library was built)" if is_outdated() else ""
    return f"first use only, takes up to a minute{reason}"
