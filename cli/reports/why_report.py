"""What is expected next and why a move is better, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from masons.ai.explain.why_words import why_words
from masons.cli.reports.report_tables import figures_table
from masons.engine.plain_words import points_within, signed, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.ai.explain.explanation import Explanation
    from masons.ai.explain.split_difference import Difference

_PARTS: Final = {
    "now": "own cards in this turn",
    "cities": "own cards in the next cities",
    "hand": "own hand later",
    "others": "what the others gain",
    "tempo": "how long the game goes on",
    "rest": "when points come, and what the search sees beyond",
}


def whole_words(found: Difference) -> str:
    """`+1.2 ± 0.8 % and +0.5 ± 0.4 points against wall:3`."""
    return (
        f"{signed(100 * found.win)} {within(found.win_interval)} % and {signed(found.points)} "
        f"{points_within(found.points_interval)} points against {found.other}"
    )


def add_explained(grid: Table, explanation: Explanation, names: Sequence[str]) -> None:
    """Rows with what is expected, and why the best move is better."""
    for number, line in enumerate(explanation.expected(names)):
        grid.add_row("next" if number == 0 else "", line)
    for found in explanation.differences:
        head = whole_words(found)
        if found.other == explanation.played:
            head += ", which was played"
        if found.move != explanation.line.move:
            head = f"{found.move}: {head}"
        grid.add_row("why", Text(head, style="bold"))
        for sentence in why_words(found, names):
            grid.add_row("", sentence)


def split_table(found: Difference) -> RenderableType:
    """Where a difference comes from; the parts sum up to the whole."""
    title = f"{found.move} against {found.other}, {found.deals} games of {found.turns} more turns"
    table = figures_table("", "points", "win %", wraps_names=True)
    # Rounded so that the tenths sum up too: the last part takes what rounding leaves.
    points = [round(part.points, 1) for part in found.parts[:-1]]
    wins = [round(100 * part.win, 1) for part in found.parts[:-1]]
    points.append(round(found.points, 1) - sum(points))
    wins.append(round(100 * found.win, 1) - sum(wins))
    for part, own, win in zip(found.parts, points, wins, strict=True):
        table.add_row(
            _PARTS[part.name],
            f"{signed(own)} {points_within(part.points_interval)}",
            f"{signed(win)} {within(part.win_interval)}",
        )
    table.add_row(
        Text("together", style="bold"),
        Text(f"{signed(found.points)} {points_within(found.points_interval)}", style="bold"),
        Text(f"{signed(100 * found.win)} {within(found.win_interval)}", style="bold"),
    )
    return Group(Text(title, style="cyan"), table)
