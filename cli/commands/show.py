"""The command `show`, which shows a position in words or as a picture, or a game as a page."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from masons.ai.search.limits import MAX_ROLLOUTS, MAX_SIMS
from masons.ai.search.search_options import SearchOptions
from masons.cli.commands.analyze import view_to_search
from masons.cli.options import (
    board_option,
    check_outputs,
    duration,
    file_name,
    position_argument,
    search_limits,
    search_options,
    seed_option,
    tree_option,
    whole,
)
from masons.cli.process import prepare
from masons.cli.sources import (
    Placed,
    errors_of,
    find_position,
    game_name,
    holds_position,
    named_game,
    position_file,
    records_in,
)
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.files import write_atomic
from masons.engine.plain_text import count
from masons.gui.pictures.side_panels import MAX_PNG, MIN_PNG

if TYPE_CHECKING:
    from masons.engine.formats.record_events import Event
    from masons.gui.pictures.overlay import Overlay

DEFAULT_WIDTH: Final = 1600  # in pixels
STDOUT: Final = "-"


@dataclass(frozen=True)
class ShowOptions:
    """The arguments and options of `show`."""

    position: str
    svg: str | None
    png: str | None
    html: str | None
    overlay: str | None
    hands: bool
    labels: bool
    title: str | None
    width: int | None
    seconds: float | None
    sims: int | None
    rollouts: int | None
    seed: int
    policy: str | None
    level: int | None
    board_file: str | None


@click.command("show")
@position_argument
@click.option(
    "--svg", type=file_name, metavar="FILE",
    help="Draw the position into FILE (- for standard output).",
)  # fmt: skip
@click.option(
    "--png",
    type=file_name,
    metavar="FILE",
    help="Draw the position as PNG; needs the extra png (pip install 'masons-engine[png]').",
)
@click.option(
    "--html", type=file_name, metavar="FILE",
    help="Write a page that steps through a whole game. POSITION is then FILE, FILE#K, or "
    "FILE#K@N to open at decision N.",
)  # fmt: skip
@click.option(
    "--overlay", type=click.Choice(["analysis"]),
    help="Draw the best moves of a search from the view of the deciding seat. They may name "
    "cards in its hand.",
)  # fmt: skip
@click.option("--hands", is_flag=True, help="Also show the hands, unless they are hidden.")
@click.option("--labels", is_flag=True, help="Draw the ids of lines, spaces and tower spaces.")
@click.option("--title", metavar="TEXT", help="Title above the picture.")
@click.option(
    "--width", type=whole(MIN_PNG, MAX_PNG), metavar="PIXELS",
    help=f"Width of the PNG.  [default: {DEFAULT_WIDTH}]",
)  # fmt: skip
@click.option(
    "--time", "seconds", type=duration, metavar="TIME",
    help="Time for the search of the overlay: 2s, 500ms, 1m.  [default: 2s, or the iterations "
    "of --level]",
)  # fmt: skip
@click.option(
    "--sims", type=whole(1, MAX_SIMS), metavar="N",
    help="Iterations of that search; with --time, the first limit reached counts.",
)  # fmt: skip
@click.option(
    "--rollouts", type=whole(1, MAX_ROLLOUTS), metavar="N",
    help="Measure the best moves by N games in all, played to the end.",
)  # fmt: skip
@seed_option
@tree_option
@board_option
def show(**values: Any) -> None:
    """Show a position, or a whole game.

    Prints the position in words unless an option names a file. With --sims or --rollouts the
    files depend only on the arguments.
    """
    options = ShowOptions(**values)
    files = [file for file in (options.svg, options.png, options.html) if file is not None]
    limits = (options.sims, options.rollouts, options.seconds, options.level)
    if options.overlay is None and any(limit is not None for limit in limits):
        raise click.UsageError("--time, --sims, --rollouts and --level need --overlay analysis")
    how = search_options(options.policy, options.level)
    _refuse(files, options)

    outputs = {"--svg": options.svg, "--png": options.png, "--html": options.html}
    check_outputs(outputs, [position_file(options.position), options.board_file])
    if options.html is not None:
        title = options.title or ""
        page = game_of(options.position, options.board_file, hands=options.hands, title=title)
        put_file(options.html, page)
        return
    placed = find_position(options.position, options.board_file)
    if not files and options.overlay is None:
        _say(placed, hands=options.hands)
        return
    overlay = None if options.overlay is None else _overlay(placed, how, options)
    from masons.gui.pictures.position_drawing import draw_position

    drawing = draw_position(
        placed.board, placed.position, hands=options.hands, labels=options.labels,
        title=options.title or "", overlay=overlay,
    )  # fmt: skip
    picture = None if options.png is None else drawing.png(options.width or DEFAULT_WIDTH)
    if options.svg is not None:
        put_file(options.svg, drawing.svg + "\n")
    if options.png is not None and picture is not None:
        put_file(options.png, picture)


def _refuse(files: list[str], options: ShowOptions) -> None:
    """Raise UsageError for options that contradict each other."""
    if files.count(STDOUT) > 1:
        raise click.UsageError("only one file can go to standard output")
    if options.overlay is not None and not files:
        raise click.UsageError("--overlay needs a drawing: name its file with --svg or --png")
    if options.html is not None and (
        len(files) > 1 or options.overlay is not None or options.labels
    ):
        raise click.UsageError(
            "--html shows a game; --svg, --png, --overlay and --labels show a position"
        )
    if options.width is not None and options.png is None:
        raise click.UsageError("--width needs --png FILE")


# The fewest rows of a terminal on which the large drawing of the board is used.
_HIGH: Final = 44


def _say(placed: Placed, *, hands: bool) -> None:
    """Print the board and then the position in words.

    The board is drawn as large as it fits, or described in words if no drawing fits.
    """
    from rich.console import Group
    from rich.text import Text

    from masons.cli.console import output, show
    from masons.cli.reports.analysis_report import position_words
    from masons.cli.terminal.text_board import draw_board, fitting_look
    from masons.cli.terminal.text_page import list_board

    look = fitting_look(output(), placed.board, _HIGH)
    drawing = draw_board(placed.board, placed.position, look) if look else []
    board = Text("\n", end="").join(drawing or map(Text, list_board(placed.position)))
    show(Group(board, "", position_words(placed.board, placed.position, hands=hands)))


def _overlay(placed: Placed, how: SearchOptions, options: ShowOptions) -> Overlay:
    """Search from the deciding seat's view and return the overlay. Raises MasonsError."""
    with errors_of(placed.source):
        view = view_to_search(placed.position)
    prepare()

    from masons.ai.session import analyze
    from masons.cli.reports.analysis_json import SearchQuery
    from masons.engine.game.table import Table
    from masons.gui.pictures.overlay import overlay_of

    observed = placed.observe(view.seat)
    query = SearchQuery(Table(placed.board), view, False, how, options.seed, observed)
    limits = search_limits(how, options.sims, options.seconds, options.rollouts)
    analysis = analyze(
        query.table, query.searched, limits=limits, seed=options.seed,
        options=how, top=0, also=[] if placed.played is None else [placed.played],
    )  # fmt: skip
    if analysis.stopped:
        raise click.Abort
    games = f"{count(analysis.rollouts, 'game')} after " if analysis.rollouts else ""
    note = f"{games}{count(analysis.iterations, 'iteration')}, {how.words}, seed {options.seed}"
    return overlay_of(analysis, query.words, note=note)


def put_file(name: str, content: str | bytes) -> None:
    """Write content to a file atomically, or to standard output if the name is `-`."""
    if name != STDOUT:
        write_atomic(name, content)
    elif isinstance(content, str):
        click.echo(content, nl=False)
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()


_NO_RECORD: Final = MasonsError(
    "--html shows a whole game: name a file of records, not a position, which --svg draws"
)


def game_of(argument: str, board_file: str | None, *, hands: bool, title: str = "") -> str:
    """Return the HTML page of the game that an argument names. Raises MasonsError."""
    from masons.cli.reports.game_story import ending_words
    from masons.engine.formats.position_text import is_position
    from masons.engine.game.record import Replay, parse_record, read_record
    from masons.gui.pictures.game_page import game_page
    from masons.match.playing.game_words import event_words, visible_event

    if is_position(argument):
        raise _NO_RECORD
    named = named_game(argument)
    if named.file != "-" and holds_position(named.file):  # as `-` can be read only once
        raise _NO_RECORD
    file, game, decision = named.file, named.game or 1, named.decision or 1
    if file == "-":
        _, line = next(records_in(file))
        if is_position(line):
            raise _NO_RECORD
        record = parse_record(line)
    else:
        record = read_record(file, game)
    board = load_board(board_file) if board_file else None
    prepare()
    with errors_of(game_name(file, game)):
        replay = Replay(record, board)

        def words(event: Event) -> str:
            return event_words(replay.game.board, event if hands else visible_event(event, ()))

        return game_page(
            replay, words, ending=ending_words,
            title=title, hands=hands, start=decision - 1,
        )  # fmt: skip
