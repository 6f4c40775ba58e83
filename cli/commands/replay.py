"""`replay`: games of a file of records, in words, checked, or as numbers of legal moves."""

from __future__ import annotations

from collections.abc import Iterator

import click

from masons.cli.options import board_option, file_name, whole
from masons.cli.process import prepare
from masons.cli.sources import errors_of, game_name, records_in, whole_game
from masons.engine.board.geometry import Board, load_board
from masons.engine.errors import MasonsError
from masons.engine.plain_text import plain


@click.command("replay")
@click.argument("file", type=file_name)
@click.option("--game", "number", type=whole(1), metavar="K", help="Only game K (from 1).")
@click.option("--check", is_flag=True, help="Check every rule; exit with 1 if a game breaks one.")
@click.option("--counts", is_flag=True, help="Print the number of legal moves at each decision.")
@board_option
def replay(
    file: str, number: int | None, check: bool, counts: bool, board_file: str | None
) -> None:
    """Show or check recorded games.

    FILE is a file of records (JSON Lines), FILE#K its game K, and - standard input. Decisions
    are numbered: FILE@N, or FILE#K@N in game K, names the position before decision N to other
    commands. --counts takes game 1 unless another is named.
    """
    if check and counts:
        raise click.UsageError("--check and --counts cannot go together: choose one")
    file, number = whole_game(file, number)
    board = load_board(board_file) if board_file else None
    games = records_in(file, 1 if counts and number is None else number)
    prepare()
    if check:
        _check(games, board)
    elif counts:
        _counts(file, games, board)
    else:
        _show(file, games, board)


def _check(games: Iterator[tuple[int, str]], board: Board | None) -> None:
    bad = total = 0
    for number, line in games:
        fault, note = _checked(line, board)
        total += 1
        bad += fault is not None
        click.echo(plain(f"game {number}: {fault or ' '.join(['ok', *note])}"))
    click.echo(f"{total} checked, {bad} bad" if bad else f"{total} checked, all ok")
    if bad:
        raise click.exceptions.Exit(1)


def _checked(line: str, board: Board | None) -> tuple[str | None, list[str]]:
    """The fault of a record, or how its game was stopped and who forfeited."""
    from masons.cli.reports.game_story import unusual
    from masons.engine.game.record import Replay, parse_record

    try:
        replay = Replay(parse_record(line), board)
        replay.check()
    except MasonsError as error:
        return str(error), []
    return None, unusual(replay)


def _counts(file: str, games: Iterator[tuple[int, str]], board: Board | None) -> None:
    from masons.engine.game.record import Replay, parse_record

    for number, line in games:
        with errors_of(game_name(file, number)):
            replay = Replay(parse_record(line), board)
            while not replay.is_done:
                click.echo(len(replay.game.legal_moves()))
                replay.step()


def _show(file: str, games: Iterator[tuple[int, str]], board: Board | None) -> None:
    from masons.cli.reports.game_story import Story
    from masons.engine.game.record import Replay, parse_record

    for number, line in games:
        with errors_of(game_name(file, number)):
            Story(number, Replay(parse_record(line), board)).print()
