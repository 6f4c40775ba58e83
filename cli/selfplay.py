"""`selfplay`: games between named players, as records."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from masons.cli.params import COUNT, MAX_NUMBER, SEATS, board_option, seed_option
from masons.engine.errors import MasonsError
from masons.screen.words import count

if TYPE_CHECKING:
    from masons.engine.board import Board


@click.command("selfplay")
@click.option(
    "--players", type=SEATS, default=2, show_default=True, metavar="N",
    help="Number of seats.",
)  # fmt: skip
@click.option(
    "--games", type=COUNT, default=1, show_default=True, metavar="G",
    help="Number of games.",
)  # fmt: skip
@seed_option
@click.option(
    "--player", "specs", multiple=True, metavar="P",
    help="random, busy, greedy or ismcts, with options like ismcts:sims=2000,policy=greedy. "
    "Once for all seats, or once for each.  [default: greedy]",
)  # fmt: skip
@click.option("--out", required=True, metavar="FILE", help="File of records; - is standard output.")
@click.option("--append", is_flag=True, help="Add to FILE if it exists.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("--early-roll", is_flag=True, help="Play with the option early_roll.")
@board_option
def command(
    players: int,
    games: int,
    seed: int,
    specs: tuple[str, ...],
    out: str,
    append: bool,
    force: bool,
    early_roll: bool,
    board_file: str | None,
) -> None:
    """Let players play, and record their games.

    The records are JSON Lines. Game g (from 0) has the seed S + g, and seat g modulo N begins it.
    Each game is on the disk before the next one starts. A player sees only what its seat can see.
    """
    from masons.cli.warm import prepare
    from masons.engine.board import load_board

    if append and force:
        raise click.UsageError("--append and --force cannot go together: choose one")
    if seed > MAX_NUMBER - games:
        raise click.UsageError(f"--seed plus --games must stay below {MAX_NUMBER}")
    seats = _seats(specs, players)
    board = load_board(board_file or "classic")
    write, close = _open(out, append=append, force=force)
    try:
        prepare("rules", *_parts(seats))
        _play(board, seats, games, seed, early_roll, write)
    finally:
        close()


def _seats(specs: tuple[str, ...], players: int) -> list[str]:
    """The player of each seat. Raises UsageError for a wrong number of them or an unknown one."""
    from masons.ai.players import make_player

    if len(specs) not in (0, 1, players):
        raise click.UsageError(f"--player stands once, or {players} times, not {len(specs)} times")
    seats = list(specs or ("greedy",))
    for spec in seats:
        try:
            make_player(spec, 0)
        except MasonsError as error:
            raise click.UsageError(f"--player: {error}") from None
    return seats if len(seats) == players else seats * players


def _parts(seats: list[str]) -> list[str]:
    """What must be compiled for some players."""
    parts = ["values", "players"] if "greedy" in seats else []
    if any(spec.startswith("ismcts") for spec in seats):
        parts += ["search", "reuse"]
    return parts


def _open(
    out: str, *, append: bool, force: bool
) -> tuple[Callable[[str], None], Callable[[], None]]:
    """How to write a line, and how to finish."""
    if out == "-":
        return _print_line, lambda: None
    from masons.cli.files import LineFile

    file = LineFile(out, append=append, force=force)
    if file.cut:
        click.echo(f"{out}: took off {file.cut} bytes of a game that was cut short", err=True)
    return file.write, file.close


def _print_line(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _play(
    board: Board,
    seats: list[str],
    games: int,
    seed: int,
    early_roll: bool,
    write: Callable[[str], None],
) -> None:
    from masons.cli.console import messages, progress_bar
    from masons.cli.referee import play_game
    from masons.engine.record import format_record, game_record

    with progress_bar(messages()) as bar:
        task = bar.add_task("games", total=games)
        for number in range(games):
            first = number % len(seats)
            game = play_game(board, seats, seed + number, first, early_roll=early_roll)
            write(format_record(game_record(game, seats)))
            bar.advance(task)
    click.echo(f"{count(games, 'game')} played", err=True)
