"""The command `review`, which rates each decision of a recorded game and measures luck."""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from platformdirs import user_cache_path

from masons.ai.search.limits import MAX_ROLLOUTS, MAX_SIMS, REVIEW_DEFAULT
from masons.cli import options
from masons.cli.process import INTERRUPTED, Ended, prepare, say
from masons.cli.sources import errors_of, game_name, records_in, whole_game
from masons.engine.board.geometry import Board, load_board
from masons.engine.errors import FileLostError, MasonsError
from masons.engine.files import write_atomic
from masons.engine.storage.held_file import HeldFile
from masons.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.ai.review.review_data import MoveWords
    from masons.ai.review.review_work import ReviewSettings, Work
    from masons.engine.game.table import Table
    from masons.gui.pictures.review_tables import Report

DEFAULT_PLAYOUTS: Final = 96


@click.command("review")
@click.argument("record", type=options.file_name, metavar="RECORD")
@options.game
@click.option(
    "--all", "every", is_flag=True, help="Review every game of the file, and show the trend."
)
@click.option(
    "--seat",
    metavar="SEAT|NAME",
    help="Review only the decisions of one seat, by its number (from 0) or its player's name.",
)
@click.option("--time", "seconds", type=options.duration, metavar="TIME",
              help="Time for the rollouts of each decision, instead of --rollouts.")  # fmt: skip
@click.option(
    "--rollouts", type=options.whole(1, MAX_ROLLOUTS), metavar="N",
    help="Games to play out for each decision, and up to twice as many if the result stays "
    f"unclear.  [default: {REVIEW_DEFAULT.rollouts}]",
)  # fmt: skip
@click.option(
    "--sims", type=options.whole(4, MAX_SIMS), default=REVIEW_DEFAULT.sims, show_default=True,
    metavar="N", help="Search iterations per decision, to select the moves that are played out.",
)  # fmt: skip
@click.option(
    "--playouts", type=options.whole(1, MAX_SIMS), default=DEFAULT_PLAYOUTS, show_default=True,
    metavar="N", help="Playouts for each roll and card that could have come, to measure luck.",
)  # fmt: skip
@options.seed
@click.option(
    "--html",
    type=options.file_name,
    metavar="FILE",
    help="Write the review as a page to FILE; with --all an overview, and beside it a page for "
    "each game (FILE-1.html ...).",
)
@click.option(
    "--csv", type=options.file_name, metavar="FILE", help="Write a line for each decision to FILE."
)
@options.json
@click.option("--resume", type=options.file_name, metavar="FILE",
              help="Keep unfinished work in FILE, and continue from it.  [default: a file in your "
              "cache folder]")  # fmt: skip
@options.repair
@options.board
def review(
    record: str, number: int | None, every: bool, seat: str | None, seconds: float | None,
    rollouts: int | None, sims: int, playouts: int, seed: int, html: str | None,
    csv: str | None, as_json: bool, resume: str | None, repair: bool, board_file: str | None,
) -> None:  # fmt: skip
    """Review a finished game.

    For each decision, shows how much win probability and how many points the move lost against
    the best move, given what its seat could know. Mistakes are explained. For each roll and draw,
    shows how lucky it was. RECORD is a file of records (FILE), or one game in it (FILE#K).

    The review of a two-player game takes one to three minutes on one core. Ctrl-C saves the work
    so far, and the same command continues it. Without --time, the review depends only on the
    arguments.
    """
    if rollouts is not None and seconds is not None:
        raise click.UsageError("--rollouts and --time cannot go together: choose one")
    if repair and resume is None:
        raise click.UsageError("--repair needs --resume FILE: the work to continue")
    record, number = whole_game(record, number)
    if every and (number or resume) is not None:
        raise click.UsageError("--all cannot go with --game, FILE#K or --resume")
    for name in (html, csv):
        if name is not None and not Path(name).absolute().parent.is_dir():
            raise MasonsError(f"{name}: its folder does not exist")
    from masons.gui.pictures.review_page import overview_page, page_name, review_page

    board = load_board(board_file) if board_file else None
    games = _games(record, None if every else number or 1)
    outputs = {"--html": html, "--csv": csv, "--resume": resume}
    pages = {number: page_name(html, number) if every else html for number, _ in games if html}
    if every:
        outputs |= {f"the page of game {number}": page for number, page in pages.items()}
    options.check_outputs(outputs, [record, board_file])
    prepare()

    from masons.ai.review.review_data import decisions_csv, report_of
    from masons.ai.review.review_work import ReviewSettings

    played_out = rollouts or REVIEW_DEFAULT.rollouts or 0
    settings = ReviewSettings(
        sims=sims, seconds=seconds, rollouts=played_out, playouts=playouts, seed=seed
    )
    reports: list[tuple[int, Report]] = []
    for number, game in games:
        with errors_of(game_name(record, number)):
            work = work_of(game, board, settings, seat)
        if every:
            say(f"game {number} of {len(games)}")
        with closing(open_work(work, resume, repair=repair)) as file:
            do_work(work, file)
        reports.append((number, report_of(work, move_words(work.timeline.table))))
        if number in pages:
            write_atomic(pages[number], review_page(work.timeline.table.board, reports[-1][1]))
    if csv is not None:
        write_atomic(csv, decisions_csv(reports))
    if every and html is not None:
        write_atomic(html, overview_page(reports, html))
    _show(reports, every=every, as_json=as_json)
    for name in (html, csv):
        if name is not None:
            say(f"{name} written")


def _games(file: str, number: int | None) -> list[tuple[int, dict[str, Any]]]:
    """Return one record of a file, or all records, as pairs (number in the file, record)."""
    from masons.engine.game.record import parse_record, read_record

    if number is not None:
        return [(number, read_record(file, number))]
    games = []
    for place, line in records_in(file):
        with errors_of(game_name(file, place)):
            games.append((place, parse_record(line)))
    return games


def work_of(
    record: dict[str, Any], board: Board | None, settings: ReviewSettings, seat: str | None
) -> Work:
    """Return the work of a new review. If a seat is named, only its decisions are rated.

    Raises MasonsError.
    """
    from masons.ai.review.review_work import Work
    from masons.ai.review.timeline import timeline_of

    timeline = timeline_of(record, board)
    rated = None if seat is None else _seat(seat, timeline.names)
    key = settings.key(record, f"{__version__} {rated}" if rated is not None else __version__)
    return Work(timeline, settings, key, seat=rated)


def _seat(text: str, names: Sequence[str]) -> int:
    """Return the seat with a given number or name. Raises MasonsError."""
    if text in names:
        return names.index(text)
    if text.isdecimal() and int(text) < len(names):
        return int(text)
    known = ", ".join(f"{seat} ({name})" for seat, name in enumerate(names))
    raise MasonsError(f"there is no seat {text!r}: the seats are {known}")


def do_work(work: Work, file: WorkFile) -> None:
    """Finish the work with a progress bar. On Ctrl-C, save the work and exit."""
    from masons.ai.review.decision_loss import Interrupted
    from masons.cli.console import progress_bar

    if work.done:
        say(f"continuing: {_finished(work)} so far")
    try:
        with progress_bar() as bar:
            for doing, finished, steps in (
                ("measuring luck", work.values, work.timeline.steps),
                ("rating decisions", work.verdicts, work.rated),
            ):
                task = bar.add_task(doing, total=len(steps), completed=len(finished))
                while len(finished) < len(steps):
                    work.go_on()
                    file.save_now_and_then()
                    bar.update(task, completed=len(finished))
                bar.remove_task(task)
        file.save()
    except (KeyboardInterrupt, Interrupted):
        kept = file.save()
        what = "saved; the same command continues" if kept else "lost: no file is writable"
        say(f"interrupted: {_finished(work)} and {what}")
        raise click.exceptions.Exit(INTERRUPTED) from None
    except Ended:
        file.save()
        raise


def _finished(work: Work) -> str:
    """Return how much of the current stage of the work is finished, in words."""
    measured, steps = len(work.values), len(work.timeline.steps)
    if measured < steps:
        return f"luck measured for {measured} of {steps} steps"
    return f"{len(work.verdicts)} of {len(work.rated)} decisions rated"


def _show(reports: Sequence[tuple[int, Report]], *, every: bool, as_json: bool) -> None:
    """Print the review of one game, or the trend over all games of a file."""
    if as_json:
        from masons.ai.review.trends import trends

        several = {
            "format": "masons-reviews",
            "version": 2,
            "games": [report for _, report in reports],
            "players": trends(reports),
        }
        click.echo(json.dumps(several if every else reports[0][1]))
    else:
        from masons.cli.console import show
        from masons.cli.reports.review_report import review_report, trend_report

        show(trend_report(reports) if every else review_report(reports[0][1]))


def move_words(table: Table) -> MoveWords:
    """Return a function that takes a view and a move and describes the move in words."""
    from masons.words.scored_view import ScoredView

    return lambda view, move: ScoredView(table, view.position).words(move)


# --- the file of unfinished work

_EVERY_SECONDS: Final = 2.0  # the time between two saves
_KEPT: Final = 20  # the most files in the cache folder
_MAX_BYTES: Final = 1 << 26


class WorkFile:
    """The locked file of a review's work. If `file` is None, nothing is saved."""

    def __init__(self, work: Work, file: HeldFile | None, *, is_named: bool) -> None:
        self._work = work
        self._file = file
        self._is_named = is_named
        self._saved = time.monotonic()

    def save_now_and_then(self) -> None:
        """Save the work, unless it was saved within the last _EVERY_SECONDS."""
        if time.monotonic() - self._saved >= _EVERY_SECONDS:
            self.save()

    def save(self) -> bool:
        """Save the work. Return True if the work was saved.

        If an option names the file, a failure raises FileLostError or OSError instead.
        """
        self._saved = time.monotonic()
        if self._file is None:
            return False
        try:
            self._file.replace(self._work.format().encode())
        except (OSError, FileLostError) as error:
            if self._is_named:
                raise
            why = error.strerror if isinstance(error, OSError) else str(error)
            say(f"cannot keep unfinished work: {why}")
            self._file.close()
            self._file = None
        return self._file is not None

    def close(self) -> None:
        """Close the file.

        If the file is in the cache, also remove all but the latest files from the cache. A review
        whose file stays in the cache can be shown again without new work.
        """
        if self._file is None:
            return
        self._file.close()
        if self._is_named:
            return
        try:
            files = sorted(
                Path(self._file.name).parent.glob("*.json"),
                key=lambda p: p.stat().st_mtime,
                reverse=True,
            )
            for old in files[_KEPT:]:
                old.unlink(missing_ok=True)
        except OSError:  # another process may be removing files, too
            pass


def open_work(work: Work, name: str | None, *, repair: bool = False) -> WorkFile:
    """Open the file of a review's work, and load the work that is saved in it.

    `work` is modified in place. If `name` is given and this file has unusable content, raises
    MasonsError; with `repair`, saves the content under another name instead. Also raises
    MasonsError if another process uses the file `name`, and OSError if the file cannot be used.
    """
    file = HeldFile(name, "any") if name is not None else _cached(work.key)
    if file is not None and file.size:
        try:
            work.take_up(_read(file))
        except MasonsError as error:
            if name is not None and not repair:
                file.close()
                advice = "--repair starts over and keeps the old file as FILE.bad"
                raise MasonsError(f"{name}: {error}; {advice}") from None
            if name is not None:
                spare = file.set_aside("bad", file.read())
                say(f"{name}: {error}; it is kept as {spare}")
    return WorkFile(work, file, is_named=name is not None)


def _cached(key: str) -> HeldFile | None:
    """Open the file of a review in the user's cache, or return None if this is not possible."""
    folder = user_cache_path("masons-engine") / "reviews"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return HeldFile(str(folder / f"{key[:32]}.json"), "any")
    except MasonsError:
        say("another process is doing this review: this one keeps no unfinished work")
    except OSError:
        pass
    return None


def _read(file: HeldFile) -> str:
    data = file.read(_MAX_BYTES + 1)
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise MasonsError("it is not UTF-8 text, so not the unfinished work of a review") from None
