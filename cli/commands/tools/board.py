"""`board`: what a board is, as a table, as its description, or as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from masons.engine.board.board_description import MAX_LINES, MAX_SPACES, MAX_TOWERS
from masons.engine.board.components import MAX_REGIONS
from masons.engine.board.geometry import load_board

if TYPE_CHECKING:
    from masons.engine.board.geometry import Board


@click.command("board")
@click.argument("name", metavar="NAME|FILE")
@click.option("--json", "as_json", is_flag=True, help="Print the description, one JSON object.")
@click.option("--svg", metavar="FILE", help="Draw the empty board with its ids into FILE.")
def command(name: str, as_json: bool, svg: str | None) -> None:
    """Show a board.

    NAME is a built-in board; a FILE is read and checked.
    Prints a summary unless --json or --svg ask for something else.
    """
    if as_json and svg is not None:
        raise click.UsageError("--json and --svg cannot go together: choose one")
    board = load_board(name)
    if as_json:
        click.echo(board.to_json())
    elif svg is not None:
        _draw(board, svg)
    else:
        _summary(board)


def _draw(board: Board, file: str) -> None:
    from masons.engine.board.board_svg import board_svg
    from masons.engine.files import write_atomic

    write_atomic(file, board_svg(board, labels=True, title=board.name) + "\n")


def _summary(board: Board) -> None:
    from rich.table import Table

    from masons.cli.support.console import show

    edge = sum(1 for _, other in board.line_spaces if other is None)
    regions = [board.space_region.count(region + 1) for region in range(board.regions)]
    table = Table(box=None, header_style="bold", pad_edge=False, title_justify="left")
    table.add_column(board.name)
    table.add_column("number", justify="right")
    table.add_column("most allowed", justify="right", style="dim")
    table.add_column("")
    rows = (
        ("spaces", len(board.space_lines), MAX_SPACES, ""),
        ("wall lines", len(board.line_towers), MAX_LINES, f"{edge} on the edge"),
        (
            "tower spaces",
            len(board.tower_xy),
            MAX_TOWERS,
            f"{sum(board.tower_shore)} on the shore",
        ),
        ("regions", board.regions, MAX_REGIONS, f"of {_sizes(regions)} spaces"),
    )
    for what, number, most, note in rows:
        table.add_row(what, str(number), str(most), note)
    show(table)
    click.echo(f"sha256 {board.sha256}")


def _sizes(regions: list[int]) -> str:
    from masons.engine.formats.plain_words import listed

    return listed(regions)
