"""`selfplay` and `dataset`: games between named players, as records or as arrays for learning."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from masons.cli.options import (
    COUNT,
    FILE,
    MAX_NUMBER,
    Whole,
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
from masons.cli.process import prepare, say
from masons.engine.board.geometry import board_text, load_board
from masons.engine.plain_text import count
from masons.engine.storage.line_file import LineFile
from masons.env import FORMS, MAX_GAMES, MAX_SHARD_GAMES

if TYPE_CHECKING:
    from masons.engine.storage.line_file import LineFile
    from masons.env.datasets import DatasetFolder
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
def selfplay(options: SelfplayOptions) -> None:
    """Play games between players, and record them.

    Writes records as JSON Lines. Game g (from 0) has the seed S + g, and seat g modulo N begins
    it. Games are written in this order, each as soon as it and all games before it are
    finished. A player sees only what its seat can see.
    """
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
    from masons.cli.console import messages, progress_bar
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


@dataclass(frozen=True)
class DatasetOptions:
    """The options of `dataset`, named like them."""

    players: int
    games: int
    seed: int
    specs: tuple[str, ...]
    out: str
    resume: bool
    form: str
    shard_games: int
    board_file: str | None
    concurrency: int
    backend: str
    scheduler: str | None


@click.command("dataset")
@players_option
@click.option(
    "--games", type=Whole(1, MAX_GAMES), default=100, show_default=True, metavar="G",
    help="Number of games.",
)  # fmt: skip
@seed_option
@player_option
@click.option(
    "--out",
    type=FILE,
    required=True,
    metavar="DIR",
    help="Folder to write to: new or empty, unless --resume is given.",
)
@click.option("--resume", is_flag=True, help="Continue the dataset in DIR.")
@click.option(
    "--format", "form", type=click.Choice(FORMS), default="npz", show_default=True,
    help="File format of the shards; parquet needs pyarrow.",
)  # fmt: skip
@click.option(
    "--shard-games", type=Whole(1, MAX_SHARD_GAMES), default=16, show_default=True, metavar="K",
    help="Games per shard.",
)  # fmt: skip
@board_option
@backend_options
@takes(DatasetOptions)
def dataset(options: DatasetOptions) -> None:
    """Play games between players, and write arrays for learning.

    The arrays hold what each seat saw and did. DIR receives shards of arrays, a README, and
    `dataset.json`, which describes them. Seat g modulo N begins game g (from 0), whose dice and
    cards depend only on the seed and g. A shard is written whole, as soon as its games are
    finished; --resume writes those that are missing.
    """
    from masons.env.datasets import DatasetCard, DatasetFolder, need_form
    from masons.env.encoding import Encoding

    seats = seat_specs(options.specs, options.players)
    place = make_backend(options.concurrency, options.backend, options.scheduler)
    board = load_board(options.board_file or "classic")
    need_form(options.form)
    card = DatasetCard(
        board=board_text(board),
        encoding=Encoding(board).fingerprint,
        seats=seats,
        seed=options.seed,
        games=options.games,
        shard_games=options.shard_games,
        form=options.form,
    )
    folder = DatasetFolder(Path(options.out), card, resume=options.resume)
    prepare()
    _make(place, folder)
    say(f"{options.out}: {count(folder.finish(), 'step')} of {count(options.games, 'game')}")


def _make(backend: Backend, folder: DatasetFolder) -> None:
    """Make the shards that are missing, each on the disk when its games are played."""
    from masons.cli.console import messages, progress_bar
    from masons.env.datasets import make_shard

    jobs = folder.missing()
    games_done = folder.card.games - sum(job.count for job in jobs)
    with progress_bar(messages()) as bar, closing(backend.run(make_shard, jobs)) as results:
        task = bar.add_task("games", total=folder.card.games, completed=games_done)
        for job, content in results:
            folder.write(job, content)
            bar.advance(task, job.count)
