"""The terminal: consoles for output and for messages, and progress bars. Loads rich."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import click
from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

# Width of output that goes to a file or another program.
PLAIN_WIDTH: Final = 100


def output() -> Console:
    """The console for results: stdout."""
    plain = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(file=sys.stdout, width=PLAIN_WIDTH if plain else None, highlight=False)


def show(renderable: RenderableType) -> None:
    """Print on stdout; lines for a file or another program have no blanks at their end."""
    console = output()
    if console.is_terminal:
        console.print(renderable)
        return
    with console.capture() as capture:
        console.print(renderable)
    for line in capture.get().splitlines():
        click.echo(line.rstrip())


def messages() -> Console:
    """The console for everything that is not a result: stderr."""
    return Console(file=sys.stderr, highlight=False)


def progress_bar(console: Console) -> Progress:
    """A bar with counts and times on a console; nothing where that is no terminal."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


@contextmanager
def working(console: Console, *, shown: bool = True) -> Iterator[Callable[[str], None]]:
    """A moving bar and the time for work of unknown length; nothing where that is no terminal.

    Yields what changes the words beside it.
    """
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not shown or not console.is_terminal,
    )
    with bar:
        task = bar.add_task("", total=None)
        yield lambda words: bar.update(task, description=words)
