"""`review`: a finished game decision by decision, with luck apart from skill."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from masons import __version__
from masons.ai.search.limits import MAX_SIMS, REVIEW_DEFAULT
from masons.cli.options.command_options import takes
from masons.cli.options.shared_options import (
    COUNT,
    DURATION,
    Whole,
    board_option,
    json_option,
    repair_option,
    seed_option,
)
from masons.cli.support.exit_codes import INTERRUPTED
from masons.cli.support.interrupt import Ended
from masons.cli.support.streams import say
from masons.engine.errors import MasonsError
from masons.engine.plain_words import count

if TYPE_CHECKING:
    from typing import Any

    from masons.ai.review.review_data import MoveWords
    from masons.ai.review.review_work import Settings, Work
    from masons.cli.support.review_file import WorkFile
    from masons.engine.board.geometry import Board
    from masons.engine.formats.move_text import Move
    from masons.engine.game.observation import Observation

DEFAULT_PLAYOUTS: Final = 10_000


@dataclass(frozen=True)
class ReviewOptions:
    """What `review` is asked for; the names are those of its options."""

    record: str
    number: int
    seconds: float | None
    sims: int | None
    playouts: int
    seed: int
    html: str | None
    as_json: bool
    resume: str | None
    repair: bool
    board_file: str | None


@click.command("review")
@click.argument("record", metavar="RECORD")
@click.option("--game", "number", type=COUNT, default=1, show_default=True, metavar="K",
              help="Which game of the file (from 1).")  # fmt: skip
@click.option("--time", "seconds", type=DURATION, metavar="TIME",
              help="How long to search each decision, instead of --sims.")  # fmt: skip
@click.option(
    "--sims", type=Whole(4, MAX_SIMS), metavar="N",
    help=f"How many iterations to search each decision.  [default: {REVIEW_DEFAULT.sims}]",
)  # fmt: skip
@click.option(
    "--playouts", type=Whole(1, MAX_SIMS), default=DEFAULT_PLAYOUTS, show_default=True,
    metavar="N", help="How many games tell what luck was worth, for each moment of the game.",
)  # fmt: skip
@seed_option
@click.option("--html", metavar="FILE", help="Write the review as a page into FILE.")
@json_option
@click.option("--resume", metavar="FILE",
              help="Keep unfinished work in FILE and go on from it.  [default: a file of the "
              "user's cache]")  # fmt: skip
@repair_option
@board_option
@takes(ReviewOptions)
def command(options: ReviewOptions) -> None:
    """Review a finished game.

    For each decision: the win probability that the move played gave away against the best move, as
    far as its seat could know, with a reason for what was a mistake. For each roll and each draw:
    what luck gave. RECORD is a file of records.

    A game of two takes about half a minute. Ctrl-C keeps what is done: the same command goes on
    there. With --sims the review depends on nothing but the arguments.
    """
    from masons.cli.support.precompile import prepare
    from masons.engine.board.geometry import load_board
    from masons.engine.game.record import read_record

    if options.sims is not None and options.seconds is not None:
        raise click.UsageError("--sims and --time cannot go together: choose one")
    if options.repair and options.resume is None:
        raise click.UsageError("--repair needs --resume FILE: the work to go on with")
    if options.sims is None and options.seconds is None:
        options = replace(options, sims=REVIEW_DEFAULT.sims)
    if options.html is not None and not Path(options.html).absolute().parent.is_dir():
        raise MasonsError(f"{options.html}: there is no such folder to write into")
    board = load_board(options.board_file) if options.board_file else None
    game = read_record(options.record, options.number)
    prepare("values", "rules", "halving", "explain", "position_values")

    from masons.ai.review.review_work import Settings
    from masons.cli.support.review_file import open_work

    settings = Settings(options.sims, options.seconds, options.playouts, options.seed)
    try:
        work = _work(game, board, settings)
    except MasonsError as error:
        raise MasonsError(f"{options.record}, game {options.number}: {error}") from None
    with closing(open_work(work, options.resume, repair=options.repair)) as file:
        _do(work, file)
        _show(work, options.html, as_json=options.as_json)


def _work(record: dict[str, Any], board: Board | None, settings: Settings) -> Work:
    from masons.ai.review.review_work import Work
    from masons.ai.review.timeline import timeline_of

    key = settings.key(record, __version__)
    return Work(timeline_of(record, board), settings, key)


def _do(work: Work, file: WorkFile) -> None:
    """Do what is left, with a bar; on Ctrl-C keep what is done and end."""
    from masons.ai.review.decision_loss import Interrupted
    from masons.cli.support.console import messages, progress_bar

    if work.done:
        say(f"going on: {work.done} of {work.total} steps were done before")
    try:
        with progress_bar(messages()) as bar:
            task = bar.add_task("review", total=work.total, completed=work.done)
            while work.done < work.total:
                work.go_on()
                file.save_now_and_then()
                bar.update(task, completed=work.done, description=_doing(work))
        file.save()
    except (KeyboardInterrupt, Interrupted):
        kept = file.save()
        what = "kept: the same command goes on" if kept else "lost: no file could be written"
        say(f"interrupted: {work.done} of {work.total} steps done and {what}")
        raise click.exceptions.Exit(INTERRUPTED) from None
    except Ended:
        file.save()
        raise


def _doing(work: Work) -> str:
    return f"{count(len(work.verdicts), 'decision')} rated" if work.verdicts else "weighing luck"


def _show(work: Work, html: str | None, *, as_json: bool) -> None:
    """The page, and the review on stdout."""
    from masons.ai.review.review_data import report_of

    report = report_of(work, _words(work))
    if html is not None:
        from masons.engine.files import write_atomic
        from masons.pictures.review.review_page import page

        write_atomic(html, page(work.timeline.table.board, report))
    if as_json:
        click.echo(json.dumps(report))
    else:
        from masons.cli.reports.review_report import review_report
        from masons.cli.support.console import show

        show(review_report(report))
    if html is not None:
        say(f"{html} written")


def _words(work: Work) -> MoveWords:
    """A move of a view in words."""
    from masons.ai.search.search_options import SearchOptions
    from masons.cli.reports.search_query import SearchQuery

    def words(view: Observation, move: Move) -> str:
        query = SearchQuery(work.timeline.table, view.position, False, SearchOptions(), 0)
        return query.words(move)

    return words
