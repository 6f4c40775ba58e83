"""`perft`: counts of decision sequences, to compare rule implementations."""

from __future__ import annotations

import click

from masons.cli.options.shared_options import Whole, board_option, position_argument

MOST = 64


@click.command("perft")
@position_argument
@click.argument("depth", metavar="N", type=Whole(0, MOST))
@click.option("--divide", is_flag=True, help="Also print the count below each legal move.")
@board_option
def command(position: str, depth: int, divide: bool, board_file: str | None) -> None:
    """Count the paths of N decisions.

    Each distinct roll is a branch that counts once (63 branches, or 21 without the tower die).
    A draw takes the lowest card of the deck and does not branch. Forced placements are not
    decisions. A game that ends before N decisions adds nothing.
    """
    from masons.cli.options.position_argument import find_position
    from masons.cli.support.precompile import prepare
    from masons.cli.support.process import interruptible

    source = find_position(position, board_file)
    prepare()

    from masons.engine.game import perft as engine
    from masons.engine.game.table import Table

    table = Table(source.board)
    with source.named():
        if not divide:
            click.echo(interruptible(lambda: engine.perft(table, source.position, depth)))
            return
        total = 0
        for move, paths in engine.divide(table, source.position, depth):
            click.echo(f"{move} {paths}")
            total += paths
        click.echo(f"total {total}")
