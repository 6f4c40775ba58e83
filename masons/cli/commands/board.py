"""The command `board`, which shows a board as a summary, as rows, as JSON or as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import click

from masons.cli import options
from masons.engine.board.board_description import MAX_LINES, MAX_SPACES, MAX_TOWERS
from masons.engine.board.board_rows import format_rows
from masons.engine.board.components import MAX_REGIONS
from masons.engine.board.geometry import Board, builtin_boards, load_board
from masons.engine.files import write_atomic
from masons.engine.plain_text import count, listed

_COUNTS: Final = 18  # the number of columns for the counts beside the drawing


@click.command("board")
@click.argument("name", metavar="NAME|FILE")
@click.option(
    "--check", is_flag=True,
    help="Draw the board and count its rows, to compare with a printed one.",
)  # fmt: skip
@click.option("--rows", is_flag=True, help="Print the board as rows, ready to edit.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the description of the board as one JSON object."
)
@click.option(
    "--svg",
    type=options.file_name,
    metavar="FILE",
    help="Draw the empty board with its ids into FILE.",
)
def board(name: str, check: bool, rows: bool, as_json: bool, svg: str | None) -> None:
    """Show a board.

    NAME is a built-in board. A FILE with a board in rows or JSON is read and checked. Prints a
    summary unless an option asks for something else.

    The built-in board, classic, is a reconstruction: no rulebook gives the number of spaces on
    the printed board. docs/boards.md describes how to type in the board of your own game in ten
    minutes.
    """
    outputs = {"--check": check, "--rows": rows, "--json": as_json, "--svg": svg is not None}
    chosen = [option for option, wanted in outputs.items() if wanted]
    if len(chosen) > 1:
        raise click.UsageError(f"{chosen[0]} and {chosen[1]} cannot go together: choose one")
    options.check_outputs({"--svg": svg}, [] if name in builtin_boards() else [name])
    board = load_board(name)
    if as_json:
        click.echo(board.to_json())
    elif rows:
        click.echo(format_rows(board), nl=False)
    elif svg is not None:
        from masons.engine.board.board_svg import board_svg

        write_atomic(svg, board_svg(board, labels=True, title=board.name) + "\n")
    else:
        if check:
            _picture(board)
        _summary(board)


def _picture(board: Board) -> None:
    """Print the empty board as text.

    If there is room, counts are printed beside each row of tower spaces and each strip of spaces.
    """
    from rich.text import Text

    from masons.cli.console import output, show
    from masons.cli.terminal.styled_board import draw_board, fitting_look
    from masons.engine.formats.text_board import Look
    from masons.engine.state.position import Position

    look = fitting_look(output(), board, beside=_COUNTS)
    empty = Position(players=2, scores=(0, 0), hands=(0, 0))
    drawing = draw_board(board, empty, look or fitting_look(output(), board) or Look("small"))
    if look is not None:
        for at, words in row_counts(board, look.size):
            drawing[at].append(f" {words}")
        drawing.append(Text("beside it: tower spaces of each row; spaces of each strip by region"))
    show(Text("\n").join([*drawing, Text()]))


def row_counts(board: Board, size: str) -> Iterator[tuple[int, str]]:
    """Yield (row of the drawing, counts) for each row of tower spaces and each strip of spaces."""
    from masons.engine.formats.text_board import STRIPS, plan_board

    high, plan = STRIPS[size], plan_board(board, size)
    rows = [row for row, _ in plan.towers]
    for row in sorted(set(rows)):
        shore = [board.tower_shore[at] for at, space_row in enumerate(rows) if space_row == row]
        yield row, f"{count(len(shore), 'tower')}, {sum(shore)} shore"
    strips = [min(rows[tower] for tower in ends) for ends in board.space_towers]
    for row in sorted(set(strips)):
        regions = [
            board.space_region[at] for at, space_row in enumerate(strips) if space_row == row
        ]
        each = "+".join(str(regions.count(region + 1)) for region in range(board.regions))
        yield row + high // 2, f"{len(regions)}: {each}"


def _summary(board: Board) -> None:
    from rich.table import Table

    from masons.cli.console import show

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
        ("tower spaces", len(board.tower_xy), MAX_TOWERS, f"{sum(board.tower_shore)} on the shore"),
        ("regions", board.regions, MAX_REGIONS, f"of {listed(regions)} spaces"),
    )
    for what, number, most, note in rows:
        table.add_row(what, str(number), str(most), note)
    show(table)
    if board.name in builtin_boards():
        click.echo(
            "a reconstruction: no rulebook says how many spaces are printed (docs/boards.md)"
        )
    click.echo(f"sha256 {board.sha256}")
