"""Tables of reports: figures under titles, and labels with what they stand for."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text


def figures_table(*titles: str, wraps_names: bool = False) -> Table:
    """A table whose first column is names and whose others are numbers."""
    table = Table(box=None, header_style="cyan", pad_edge=False, padding=(0, 2, 0, 0))
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
