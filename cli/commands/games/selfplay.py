"""`selfplay`: games between named players, as records."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from masons.cli.options.shared_options import (
    COUNT,
    FILE,
    MAX_NUMBER,
    backend_options,
    board_option,
    check_outputs,
    early_roll_option,
    make_backend,
    player_option,
    players_option,
    seat_specs,
    seed_option,
    takes,
)
from masons.cli.support.process import say
from masons.engine.plain_text import count

if TYPE_CHECKING:
    from masons.engine.storage.line_file import LineFile
    from masons.match.running.backends import Backend
    from masons.match.running.match_runner import SeededGame


@dataclass(frozen=True)
class SelfplayOptions:
    """The options of `selfplay`, by their names."""

    players: int
    games: int
    seed: int
    specs: tuple[str, ...]
    out: str
    append: bool
    force: bool
    early_roll: bool
    board_file: str | None
    concurrency: int
    backend: str
    scheduler: str | None


@click.command("selfplay")
@players_option
@click.option(
    "--games", type=COUNT, default=1, show_default=True, metavar="G",
    help="Number of games.",
)  # fmt: skip
@seed_option
@player_option
@click.option(
    "--out", type=FILE, required=True, metavar="FILE",
    help="Write the records to FILE (- for standard output).",
)  # fmt: skip
@click.option("--append", is_flag=True, help="Append to FILE if it exists.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@early_roll_option
@board_option
@backend_options
@takes(SelfplayOptions)
def command(options: SelfplayOptions) -> None:
    """Play games between players, and record them.

    Writes records as JSON Lines. Game g (from 0) has the seed S + g, and seat g modulo N begins
    it. Games are written in this order, each as soon as it and all games before it are
    finished. A player sees only what its seat can see.
    """
    from masons.cli.support.precompile import prepare
    from masons.engine.board.geometry import load_board

    if options.append and options.force:
        raise click.UsageError("--append and --force cannot go together: choose one")
    if options.seed > MAX_NUMBER - options.games:
        raise click.UsageError(f"--seed plus --games must stay below {MAX_NUMBER}")
    check_outputs({"--out": options.out}, [options.board_file])
    seats = seat_specs(options.specs, options.players)
    place = make_backend(options.concurrency, options.backend, options.scheduler)
    board = load_board(options.board_file or "classic")
    file = _open(options.out, append=options.append, force=options.force)
    try:
        prepare()
        from masons.engine.board.geometry import board_text
        from masons.match.running.match_runner import SeededGame

        named = board_text(board)
        jobs = (
            SeededGame(
                named, seats, options.seed + number, number % options.players,
                options.early_roll,
            )
            for number in range(options.games)
        )  # fmt: skip
        _play(place, jobs, options.seed, options.games, file.write if file else _print_line)
        if file is not None:
            file.check()
        say(f"{count(options.games, 'game')} played")
    finally:
        if file is not None:
            file.close()


def _open(out: str, *, append: bool, force: bool) -> LineFile | None:
    """Return the file to write; None is standard output."""
    if out == "-":
        return None
    from masons.engine.storage.line_file import LineFile

    file = LineFile(out, append=append, force=force)
    if file.cut:
        say(f"{out}: took off {file.cut} bytes of a game that was cut short")
    return file


def _print_line(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _play(
    backend: Backend,
    jobs: Iterable[SeededGame],
    seed: int,
    games: int,
    write: Callable[[str], None],
) -> None:
    """Play games and write their records in order, each as soon as those before it are written.

    The games have the seeds from `seed` on.
    """
    from masons.cli.support.console import messages, progress_bar
    from masons.match.running.match_runner import play_seeded

    waiting: dict[int, str] = {}
    with progress_bar(messages()) as bar, closing(backend.run(play_seeded, jobs)) as results:
        task = bar.add_task("games", total=games)
        due = seed
        for job, line in results:
            waiting[job.seed] = line
            while due in waiting:
                write(waiting.pop(due))
                due += 1
            bar.advance(task)
