"""`warmup`: compile everything now, so that no later command has to."""

from __future__ import annotations

import click

from masons.engine.errors import MasonsError
from masons.engine.plain_text import plain


@click.command("warmup")
@click.option("--no-progress", is_flag=True, help="Do not show a progress bar.")
def command(no_progress: bool) -> None:
    """Compile all kernels now, before they are needed.

    Does nothing if the kernels came compiled. Otherwise they are kept in the cache folder,
    which is named at the end.
    """
    from masons.cli.support.precompile import compile_shown, is_ready
    from masons.engine.kernels.c_module import describe_kernels, native_library
    from masons.engine.kernels.kernel_cache import cache_folder, describe_cache, is_refused

    if is_refused():
        raise click.UsageError("warmup keeps compiled kernels, and --no-cache keeps none")
    if native_library() is not None:
        click.echo(f"ready: the kernels were {describe_kernels()}")
        return
    if cache_folder() is None and not is_ready():
        raise MasonsError(f"compiled kernels cannot be kept; cache: {describe_cache()}")
    compile_shown(is_shown=not no_progress)
    click.echo(plain(f"ready: compiled kernels are in {describe_cache()}"))
