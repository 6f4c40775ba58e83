"""`dataset`: games between named players, as arrays for learning."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from masons.cli.options.shared_options import (
    FILE,
    Whole,
    backend_options,
    board_option,
    make_backend,
    player_option,
    players_option,
    seat_specs,
    seed_option,
    takes,
)
from masons.cli.support.process import say
from masons.engine.plain_text import count
from masons.env import FORMS, MAX_GAMES, MAX_SHARD_GAMES

if TYPE_CHECKING:
    from masons.env.datasets import DatasetFolder
    from masons.match.running.backends import Backend


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
def command(options: DatasetOptions) -> None:
    """Play games between players, and write arrays for learning.

    The arrays hold what each seat saw and did. DIR receives shards of arrays, a README, and
    `dataset.json`, which describes them. Seat g modulo N begins game g (from 0), whose dice and
    cards depend only on the seed and g. A shard is written whole, as soon as its games are
    finished; --resume writes those that are missing.
    """
    from masons.cli.support.precompile import prepare
    from masons.engine.board.geometry import board_text, load_board
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
    from masons.cli.support.console import messages, progress_bar
    from masons.env.datasets import make_shard

    jobs = folder.missing()
    games_done = folder.card.games - sum(job.count for job in jobs)
    with progress_bar(messages()) as bar, closing(backend.run(make_shard, jobs)) as results:
        task = bar.add_task("games", total=folder.card.games, completed=games_done)
        for job, content in results:
            folder.write(job, content)
            bar.advance(task, job.count)
