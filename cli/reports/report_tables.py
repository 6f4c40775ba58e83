"""Tables of reports: figures under titles, and labels with what they stand for."""

from __future__ import annotations

from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

_ANY_WIDTH: Final = 10_000


class FigureTable(Table):
    """A table whose errors and intervals stand below their figures where a row is too narrow.

    Where that is not enough all cells are broken; nothing is cut off.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The rows, folded or not."""
        wide = Measurement.get(console, options.update(width=_ANY_WIDTH), self).maximum
        if wide > options.max_width:
            self.padding = (0, 1, 0, 0)
            for column in self.columns:
                column.overflow = "fold"
                column._cells = [
                    Text.assemble(
                        (_folded(str(cell)), cell.style if isinstance(cell, Text) else "")
                    )
                    for cell in column._cells
                ]
            folded = Measurement.get(console, options.update(width=_ANY_WIDTH), self).maximum
            if folded > options.max_width:
                for column in self.columns:
                    column.no_wrap = False
        yield from super().__rich_console__(console, options)


def _folded(figure: str) -> str:
    return figure.replace(" [", "\n[", 1).replace(
        " \N{PLUS-MINUS SIGN} ", "\n\N{PLUS-MINUS SIGN}", 1
    )


def figures_table(*titles: str, wraps_names: bool = False) -> Table:
    """A table whose first column is names and whose others are numbers."""
    table = FigureTable(box=None, header_style="cyan", pad_edge=False, padding=(0, 2, 0, 0))
    for number, title in enumerate(titles):
        table.add_column(
            title,
            justify="right" if number else "left",
            no_wrap=number > 0 or not wraps_names,
        )
    return table


def ranked_table(rank: str, name: str, *titles: str) -> Table:
    """The same with a rank before the name."""
    table = figures_table(rank, name, *titles)
    table.columns[1].justify = "left"
    return table


def label_grid() -> Table:
    """Labels on the left, what they stand for on the right."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column()
    return grid


def add_row(table: Table, *cells: str) -> None:
    """Add plain text, in which brackets mean nothing."""
    table.add_row(*(Text(cell) for cell in cells))
