"""The commands `selfplay` and `dataset`, which write games as records or arrays for learning."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import click

from masons.cli import options
from masons.cli.process import INTERRUPTED, prepare, say
from masons.engine.board.geometry import board_text, load_board
from masons.engine.files import uninterrupted
from masons.engine.plain_text import count
from masons.engine.storage.line_file import LineFile
from masons.env import FORMS, MAX_GAMES, MAX_SHARD_GAMES


@contextmanager
def _interrupted(kept: Callable[[], str]) -> Iterator[None]:
    """On Ctrl-C, print how much is kept and how to go on, and exit."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"interrupted: {kept()}")
        raise click.exceptions.Exit(INTERRUPTED) from None


@click.command("selfplay")
@options.players
@click.option(
    "--games", type=options.whole(1), default=1, show_default=True, metavar="G",
    help="Number of games.",
)  # fmt: skip
@options.seed
@options.player
@click.option(
    "--out", type=options.file_name, required=True, metavar="FILE",
    help="Write the records to FILE (- for standard output).",
)  # fmt: skip
@click.option("--append", is_flag=True, help="Append to FILE if it exists.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@options.early_roll
@options.board
@options.backend
def selfplay(
    players: int, games: int, seed: int, specs: tuple[str, ...], out: str, append: bool,
    force: bool, early_roll: bool, board_file: str | None, place: options.Place,
) -> None:  # fmt: skip
    """Play games between players, and record them.

    Writes records as JSON Lines. The games have the seeds S, S + 1 and so on; a game with seed X
    begins with seat X modulo N. Games are written in this order, as soon as all earlier games are
    also finished. A player sees only what its seat can see.
    """
    if append and force:
        raise click.UsageError("--append and --force cannot go together: choose one")
    if seed > options.MAX_NUMBER - games:
        raise click.UsageError(f"--seed plus --games must stay below {options.MAX_NUMBER}")
    options.check_outputs({"--out": out}, [board_file])
    seats = options.seat_specs(specs, players)
    board = board_text(load_board(board_file or "classic"))
    written = 0

    def kept() -> str:
        rest = f"--append --seed {seed + written} --games {games - written}"
        onward = f": {rest} goes on" if out != "-" else ""
        return f"{written:,} of {count(games, 'game')} kept{onward}"

    with _interrupted(kept), ExitStack() as stack:
        workers, file = stack.enter_context(place.workers()), None
        if out != "-":
            file = stack.enter_context(closing(LineFile(out, append=append, force=force)))
            if file.cut:
                say(f"{out}: removed {file.cut} bytes of an incomplete game")
        prepare()
        from masons.ai.search.executors import completed
        from masons.cli.console import progress_bar
        from masons.match.running.match_runner import SeededGame, play_seeded

        jobs = (
            SeededGame(board, seats, each, each % players, early_roll)
            for each in range(seed, seed + games)
        )
        bar = stack.enter_context(progress_bar())
        task = bar.add_task("games", total=games)
        waiting: dict[int, str] = {}
        for job, line in stack.enter_context(closing(completed(workers, play_seeded, jobs))):
            waiting[job.seed] = line
            while (due := seed + written) in waiting:
                if file is None:
                    sys.stdout.write(waiting.pop(due) + "\n")
                    sys.stdout.flush()
                    written += 1
                    continue
                with uninterrupted():  # the file and the number of kept games must agree
                    file.write(waiting.pop(due))
                    written += 1
            bar.advance(task)
        if file is not None:
            file.check()
    say(f"{count(games, 'game')} played")


@click.command("dataset")
@options.players
@click.option(
    "--games", type=options.whole(1, MAX_GAMES), default=100, show_default=True, metavar="G",
    help="Number of games.",
)  # fmt: skip
@options.seed
@options.player
@click.option(
    "--out", type=options.file_name, required=True, metavar="DIR",
    help="Folder to write to: new or empty, unless --resume is given.",
)  # fmt: skip
@click.option("--resume", is_flag=True, help="Continue the dataset in DIR.")
@click.option(
    "--format", "form", type=click.Choice(FORMS), default="npz", show_default=True,
    help="File format of the shards; parquet needs pyarrow.",
)  # fmt: skip
@click.option(
    "--shard-games", type=options.whole(1, MAX_SHARD_GAMES), default=16, show_default=True,
    metavar="K", help="Games per shard.",
)  # fmt: skip
@options.board
@options.backend
def dataset(
    players: int, games: int, seed: int, specs: tuple[str, ...], out: str, resume: bool,
    form: str, shard_games: int, board_file: str | None, place: options.Place,
) -> None:  # fmt: skip
    """Play games between players, and write arrays for learning.

    The arrays hold what each seat saw and did. DIR receives shards of arrays, a README, and
    `dataset.json`, which describes the shards. Game g (from 0) begins with seat g modulo N, and
    its dice and cards depend only on the seed and g. A shard is written as a whole, as soon as its
    games are finished. --resume writes the missing shards.

    The players choose one move at a time: one process makes about 3,000 steps a second, even with
    random players. For random play by the million, step masons.env.BatchEnv instead.
    """
    from masons.env.datasets import DatasetCard, DatasetFolder, make_shard, need_form
    from masons.env.encoding import Encoding

    seats = options.seat_specs(specs, players)
    board = load_board(board_file or "classic")
    need_form(form)
    done = 0

    def kept() -> str:
        return f"{done:,} of {count(games, 'game')} kept: the same command with --resume continues"

    with _interrupted(kept), ExitStack() as stack:
        workers = stack.enter_context(place.workers())
        card = DatasetCard(
            board=board_text(board), encoding=Encoding(board).fingerprint, seats=seats, seed=seed,
            games=games, shard_games=shard_games, form=form,
        )  # fmt: skip
        folder = stack.enter_context(closing(DatasetFolder(Path(out), card, resume=resume)))
        prepare("engine", "env")
        from masons.ai.search.executors import completed
        from masons.cli.console import progress_bar

        jobs = folder.missing()
        done = games - sum(job.count for job in jobs)
        with progress_bar() as bar, closing(completed(workers, make_shard, jobs)) as results:
            task = bar.add_task("games", total=games, completed=done)
            for job, content in results:
                with uninterrupted():
                    folder.write(job, content)
                    done += job.count
                bar.advance(task, job.count)
        steps = folder.finish()
    say(f"{out}: {count(steps, 'step')} of {count(games, 'game')}")
