"""`warmup`: compile everything now, so that no later command has to."""

from __future__ import annotations

import click


@click.command("warmup")
@click.option("--no-progress", is_flag=True, help="Show no progress bar.")
def command(no_progress: bool) -> None:
    """Compile all kernels now.

    They are kept in the cache folder, which is named at the end.
    """
    from masons.cli.console import messages, progress_bar
    from masons.cli.warm import PARTS
    from masons.engine.cache import choose_cache

    with progress_bar(messages(), shown=not no_progress, even=False) as bar:
        task = bar.add_task("", total=len(PARTS))
        for part in PARTS.values():
            bar.update(task, description=f"compiling {part.title}")
            part.compile()
            bar.advance(task)
    folder = choose_cache()
    if folder is None:
        click.echo("ready, but there is no cache folder: every run compiles anew")
    else:
        click.echo(f"ready: compiled kernels are in {folder}")
