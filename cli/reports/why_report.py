"""What is expected next and why a move is better, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from masons.cli.reports.report_tables import figures_table
from masons.engine.plain_words import points_within, signed, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.ai.explain.explanation import Explanation
    from masons.ai.explain.reasons import Difference

_PARTS: Final = {
    "now": "own cards in this turn",
    "cities": "own cards in later cities",
    "final": "own cards in the final scoring",
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
        for sentence in found.words(names):
            grid.add_row("", sentence)


def split_table(found: Difference) -> RenderableType:
    """Return where a difference comes from; the parts sum up to the whole."""
    title = f"{found.move} against {found.other}, points for seat {found.seat}"
    table = figures_table("", "points", wraps_names=True)
    # Rounded so that the tenths sum up too: the largest part takes what rounding leaves.
    points = [round(reason.points, 1) for reason in found.reasons]
    largest = max(range(len(points)), key=lambda number: abs(points[number]))
    points[largest] += round(found.points, 1) - sum(points)
    for reason, own in zip(found.reasons, points, strict=True):
        others = f"what seat {reason.seat} scores"
        table.add_row(
            _PARTS.get(reason.part, others), f"{signed(own)} {points_within(reason.interval)}"
        )
    whole = f"{signed(found.points)} {points_within(found.points_interval)}"
    table.add_row(Text("together", style="bold"), Text(whole, style="bold"))
    return Group(Text(title, style="cyan"), table)
