"""Consoles for results and messages, progress bars and tables. All of them use rich."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import click
from rich import progress
from rich.console import (
    Console,
    ConsoleOptions,
    ConsoleRenderable,
    RenderableType,
    RenderHook,
    RenderResult,
)
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from masons.engine.plain_text import plain

PLAIN_WIDTH: Final = 100  # the number of columns of output to a file or another program
# Spaces at which no line ends: between a number and its percent sign, and after a plus-minus sign.
_NO_BREAK: Final = re.compile(r"(?<=\d) (?=%)|(?<=\N{PLUS-MINUS SIGN}) ")
_JOINT: Final = "\ufdd0"  # replaces such spaces while rich wraps a text; no character


class _Plain:
    """A renderable that escapes control characters in the texts of another renderable."""

    def __init__(self, inner: ConsoleRenderable) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for segment in console.render(self._inner, options):
            if segment.control or not segment.text:
                yield segment
            else:
                text = "\n".join(map(plain, segment.text.replace(_JOINT, " ").split("\n")))
                yield Segment(text, segment.style)


class _PlainHook(RenderHook):
    """A hook that escapes control characters in everything that a console prints."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Plain(renderable) for renderable in renderables]


class _OutputConsole(Console):
    """A console that never ends a line between a number and its percent sign."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render any part of the output. The hook turns the joints back into spaces."""
        if isinstance(renderable, str):
            renderable = _NO_BREAK.sub(_JOINT, renderable)
        elif isinstance(renderable, Text):
            renderable = renderable.copy()
            renderable.plain = _NO_BREAK.sub(_JOINT, renderable.plain)
        return super().render(renderable, options)


def safe(console: Console) -> Console:
    """Make a console escape control characters, and return the console."""
    console.push_render_hook(_PlainHook())
    return console


def output() -> Console:
    """Return the console for results, on standard output."""
    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    width = _piped_width() if piped else None
    return safe(_OutputConsole(file=sys.stdout, width=width, highlight=False))


def _piped_width() -> int:
    """Return the width of output that does not go to a terminal.

    A pipe may lead to a pager on the terminal, so that output to a pipe is no wider than the
    terminal to which messages go.
    """
    try:
        is_pipe = stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)
        columns = os.get_terminal_size(sys.stderr.fileno()).columns if is_pipe else 0
    except (OSError, ValueError):  # there is no such terminal, or a stream is not a file
        columns = 0
    return min(columns or PLAIN_WIDTH, PLAIN_WIDTH)


def show(renderable: RenderableType) -> None:
    """Print on standard output. If this is no terminal, strip the spaces at the ends of lines."""
    console = output()
    if console.is_terminal:
        console.print(renderable, crop=False)
        return
    with console.capture() as capture:
        console.print(renderable, crop=False)
    for line in capture.get().splitlines():
        click.echo(line.rstrip())


def messages() -> Console:
    """Return the console for messages, on standard error."""
    return safe(Console(file=sys.stderr, highlight=False))


def progress_bar(*, has_counts: bool = True, is_shown: bool = True) -> progress.Progress:
    """Return a progress bar with times. It is shown if standard error is a terminal.

    With `has_counts`, the bar also shows counts and the remaining time.
    """
    console, text = messages(), progress.TextColumn
    counts = (progress.MofNCompleteColumn(),) if has_counts else ()
    left = (text("left"), progress.TimeRemainingColumn()) if has_counts else ()
    return progress.Progress(
        progress.SpinnerColumn(), text("{task.description}"), progress.BarColumn(), *counts,
        progress.TimeElapsedColumn(), *left,
        console=console, transient=True, disable=not (is_shown and console.is_terminal),
    )  # fmt: skip


# --- texts and tables of reports


def indented(text: Text, columns: int) -> Padding:
    """Return a text in which all rows are indented, including wrapped rows."""
    return Padding(text, (0, 0, 0, columns))


def hanging(text: Text, columns: int) -> Table:
    """Return a text in which wrapped rows, but not the first row, are indented."""
    label, words = text.divide([columns])
    grid = Table.grid()
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(label, words)
    return grid


_ANY_WIDTH: Final = 10_000


class FigureTable(Table):
    """A table of figures that becomes narrower if its rows are too wide.

    In the narrower form, errors and intervals are printed below their figures, and titles and texts
    are wrapped between words. If the rows are still too wide, the columns are printed in several
    tables, one below the other, each with the names. Nothing is cut off.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the table, in the narrower form if its rows are too wide."""
        wide = Measurement.get(console, options.update(width=_ANY_WIDTH), self).maximum
        if wide <= options.max_width:
            yield from super().__rich_console__(console, options)
            return
        for column in self.columns:
            column._cells = [
                Text(_folded(str(cell)), cell.style if isinstance(cell, Text) else "")
                for cell in column._cells
            ]
        names = 1 + (len(self.columns) > 1 and self.columns[1].justify == "left")
        widths = [self._widths(number) for number in range(len(self.columns))]
        groups = [[*range(names)]]
        for number in range(names, len(self.columns)):
            least = [widths[each][0] + 1 for each in (*groups[-1], number)]
            if sum(least) - 1 > options.max_width and len(groups[-1]) > names:
                groups.append([*range(names)])
            groups[-1].append(number)
        for at, group in enumerate(groups):
            if at:
                yield Text("")
            room = options.max_width - len(group) + 1
            yield self._part(group, _shrunk([widths[number] for number in group], room))

    def _widths(self, number: int) -> tuple[int, int]:
        """Return the least width of a column, at which no word is broken, and its full width."""
        column = self.columns[number]
        titles, cells = str(column.header).split("\n"), [str(cell) for cell in column._cells]
        words = [word for title in titles for word in title.split()]
        lines = [line for cell in cells for line in cell.split("\n")]
        is_text = column.justify == "left" and number > 0
        words += [word for line in lines for word in line.split()] if is_text else lines
        return max(map(len, ["", *words])), max(map(len, ["", *titles, *lines]))

    def _part(self, numbers: Sequence[int], widths: Sequence[int]) -> Table:
        """Return a plain table of some of the columns, in the given widths."""
        part = Table(box=None, header_style=self.header_style, pad_edge=False, padding=(0, 1, 0, 0))
        for number, width in zip(numbers, widths, strict=True):
            column = self.columns[number]
            part.add_column(column.header, justify=column.justify, width=width, overflow="fold")
        for cells in zip(*(self.columns[number]._cells for number in numbers), strict=True):
            part.add_row(*cells)
        return part


def _shrunk(widths: Sequence[tuple[int, int]], room: int) -> list[int]:
    """Return widths that fit into `room`, given the least and the full width of each column.

    If even the least widths don't fit, the widest columns are made narrower than that.
    """
    now = [full for _, full in widths]
    while sum(now) > room and max(now) > 1:
        spare = [each > least for each, (least, _) in zip(now, widths, strict=True)]
        widest = max(range(len(now)), key=lambda at: (spare[at], now[at]))
        now[widest] -= 1
    return now


def _folded(figure: str) -> str:
    return figure.replace(" [", "\n[", 1).replace(
        " \N{PLUS-MINUS SIGN} ", "\n\N{PLUS-MINUS SIGN}", 1
    )


def figures_table(*titles: str, wraps_names: bool = False) -> Table:
    """Return a table whose first column holds names and whose other columns hold numbers."""
    table = FigureTable(box=None, header_style="cyan", pad_edge=False, padding=(0, 2, 0, 0))
    for number, title in enumerate(titles):
        table.add_column(
            title, justify="right" if number else "left", no_wrap=number > 0 or not wraps_names
        )
    return table


def ranked_table(rank: str, name: str, *titles: str) -> Table:
    """Return a table of figures with a column of ranks before the names."""
    table = figures_table(rank, name, *titles)
    table.columns[1].justify = "left"
    return table


def label_grid() -> Table:
    """Return a grid with labels on the left and their texts on the right."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def add_row(table: Table, *cells: str) -> None:
    """Add a row of plain text. Brackets in the text are not treated as markup."""
    table.add_row(*(Text(cell) for cell in cells))
