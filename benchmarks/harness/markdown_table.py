"""Tables as text: Markdown, with columns that line up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_NUMBER = re.compile(r"[-+]?[\d,.]+|-?")


class Table(NamedTuple):
    """A heading row and rows of cells; columns of numbers go to the right."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def __str__(self) -> str:
        """The Markdown, without a newline at the end."""
        columns = list(zip(self.columns, *self.rows, strict=True))
        widths = [max(3, *map(len, cells)) for cells in columns]
        right = [all(_NUMBER.fullmatch(cell) for cell in cells[1:]) for cells in columns]
        lines = [_line(cells, widths, right) for cells in (self.columns, *self.rows)]
        rule = ["-" * (n - 1) + (":" if r else "-") for n, r in zip(widths, right, strict=True)]
        return "\n".join([lines[0], _line(rule, widths, right), *lines[1:]])


def _line(cells: Sequence[str], widths: list[int], right: list[bool]) -> str:
    shown = (
        cell.rjust(width) if to_right else cell.ljust(width)
        for cell, width, to_right in zip(cells, widths, right, strict=True)
    )
    return f"| {' | '.join(shown)} |"


def short(number: float) -> str:
    """A figure with three digits that mean something, or all before the point."""
    digits = 0 if abs(number) >= 100 else 1 if abs(number) >= 10 else 2
    return f"{number:,.{digits}f}"
