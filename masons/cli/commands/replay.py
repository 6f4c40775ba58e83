"""The command `replay`, which retells or checks recorded games, or counts legal moves."""

from __future__ import annotations

import click

from masons.cli import options
from masons.cli.process import BAD_DATA, prepare
from masons.cli.sources import game_name, records_in, whole_game
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.plain_text import plain


@click.command("replay")
@click.argument("file", type=options.file_name)
@options.only_game
@click.option("--check", is_flag=True, help="Check every rule; exit with 1 if a game breaks one.")
@click.option("--counts", is_flag=True, help="Print the number of legal moves at each decision.")
@options.board
def replay(
    file: str, number: int | None, check: bool, counts: bool, board_file: str | None
) -> None:
    """Show or check recorded games.

    FILE is a file of records (JSON Lines), FILE#K is game K in this file, and - is standard
    input. The output numbers all decisions, so that you can name a position to other commands:
    FILE@N is the position before decision N of the first game, and FILE#K@N is the same in game
    K. --counts takes game 1 unless another game is named.
    """
    if check and counts:
        raise click.UsageError("--check and --counts cannot go together: choose one")
    file, number = whole_game(file, number)
    board = load_board(board_file) if board_file else None
    games = records_in(file, 1 if counts and number is None else number)
    prepare()
    from masons.cli.reports.game_story import tell
    from masons.engine.game.record import parse_record
    from masons.engine.game.replay import Replay
    from masons.words.events import unusual

    bad = total = 0
    for game, line in games:
        total += 1
        try:
            replayed = Replay(parse_record(line), board)
            if check:
                replayed.check()
                click.echo(plain(f"game {game}: {' '.join(['ok', *unusual(replayed)])}"))
            elif counts:
                while not replayed.is_done:
                    click.echo(len(replayed.game.legal_moves()))
                    replayed.step()
            else:
                tell(game, replayed)
        except MasonsError as error:
            if not check:
                raise MasonsError(f"{game_name(file, game)}: {error}") from None
            bad += 1
            click.echo(plain(f"game {game}: {error}"))
    if check:
        click.echo(f"{total} checked, {bad} bad" if bad else f"{total} checked, all ok")
    if bad:
        raise click.exceptions.Exit(BAD_DATA)
