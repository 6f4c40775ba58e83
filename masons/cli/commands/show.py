"""The command `show`, which shows a position in words or as a picture, or a game as a page."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from masons.ai.search.limits import MAX_ROLLOUTS, MAX_SIMS
from masons.cli import options, sources
from masons.cli.process import prepare
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.files import write_atomic
from masons.engine.plain_text import count
from masons.gui.pictures.side_panels import MAX_PNG, MIN_PNG

if TYPE_CHECKING:
    from masons.ai.search.limits import Limits
    from masons.ai.search.search_options import SearchOptions
    from masons.gui.pictures.overlay import Overlay

DEFAULT_WIDTH: Final = 1600  # in pixels
STDOUT: Final = "-"


@click.command("show")
@options.position
@click.option(
    "--svg", type=options.file_name, metavar="FILE",
    help="Draw the position into FILE (- for standard output).",
)  # fmt: skip
@click.option(
    "--png",
    type=options.file_name,
    metavar="FILE",
    help="Draw the position as PNG; needs the extra png.",
)
@click.option(
    "--html", type=options.file_name, metavar="FILE",
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
@click.option("--letters", is_flag=True, help="Write the letter of its color on each piece.")
@click.option("--title", metavar="TEXT", help="Title above the picture.")
@click.option(
    "--width", type=options.whole(MIN_PNG, MAX_PNG), metavar="PIXELS",
    help=f"Width of the PNG.  [default: {DEFAULT_WIDTH}]",
)  # fmt: skip
@click.option(
    "--time", "seconds", type=options.duration, metavar="TIME",
    help="Time for the search of the overlay: 2s, 500ms, 1m.  [default: 2s, or the iterations "
    "of --level]",
)  # fmt: skip
@click.option(
    "--sims", type=options.whole(1, MAX_SIMS), metavar="N",
    help="Iterations of that search; with --time, the first limit reached counts.",
)  # fmt: skip
@click.option(
    "--rollouts", type=options.whole(1, MAX_ROLLOUTS), metavar="N",
    help="Measure the best moves by N games in all, played to the end.",
)  # fmt: skip
@options.seed
@options.tree
@options.board
def show(
    position: str, svg: str | None, png: str | None, html: str | None, overlay: str | None,
    hands: bool, labels: bool, letters: bool, title: str | None, width: int | None,
    seconds: float | None, sims: int | None, rollouts: int | None, seed: int,
    policy: str | None, level: int | None, board_file: str | None,
) -> None:  # fmt: skip
    """Show a position, or a whole game.

    Prints the position in words unless an option names a file. With --sims or --rollouts, the
    files depend only on the arguments.
    """
    files = [file for file in (svg, png, html) if file is not None]
    if overlay is None and (sims, rollouts, seconds, level) != (None,) * 4:
        raise click.UsageError("--time, --sims, --rollouts and --level need --overlay analysis")
    how = options.search_options(policy, level)
    if files.count(STDOUT) > 1:
        raise click.UsageError("only one file can go to standard output")
    if overlay is not None and not files:
        raise click.UsageError("--overlay needs a drawing: name its file with --svg or --png")
    if html is not None and (len(files) > 1 or overlay is not None or labels or letters):
        raise click.UsageError(
            "--html shows a game; --svg, --png, --overlay, --labels and --letters show a position"
        )
    if width is not None and png is None:
        raise click.UsageError("--width needs --png FILE")
    outputs = {"--svg": svg, "--png": png, "--html": html}
    options.check_outputs(outputs, [sources.position_file(position), board_file])
    if html is not None:
        put_file(html, game_of(position, board_file, hands=hands, title=title or ""))
        return
    placed = sources.find_position(position, board_file)
    if not files:
        _say(placed, hands=hands)
        return
    drawn = None
    if overlay is not None:
        drawn = _overlay(placed, how, options.search_limits(how, sims, seconds, rollouts), seed)
    from masons.gui.pictures.position_drawing import draw_position

    drawing = draw_position(
        placed.board, placed.position, hands=hands, labels=labels, letters=letters,
        title=title or "", overlay=drawn,
    )  # fmt: skip
    picture = None if png is None else drawing.png(width or DEFAULT_WIDTH)
    if svg is not None:
        put_file(svg, drawing.svg + "\n")
    if png is not None and picture is not None:
        put_file(png, picture)


# The large drawing of the board is used on terminals with at least this number of rows.
_HIGH: Final = 44


def _say(placed: sources.Placed, *, hands: bool) -> None:
    """Print the board and then the position in words.

    The board is drawn in the largest size that fits. If no drawing fits, the board is
    described in words.
    """
    from rich.console import Group
    from rich.text import Text

    from masons.cli.console import output, show
    from masons.cli.reports.analysis_report import position_words
    from masons.cli.terminal.styled_board import draw_board, fitting_look
    from masons.words.positions import board_lines

    look = fitting_look(output(), placed.board, _HIGH)
    drawing = draw_board(placed.board, placed.position, look) if look else []
    board = Text("\n", end="").join(drawing or map(Text, board_lines(placed.position)))
    show(Group(board, "", position_words(placed.board, placed.position, hands=hands)))


def _overlay(placed: sources.Placed, how: SearchOptions, limits: Limits, seed: int) -> Overlay:
    """Search from the deciding seat's view and return the overlay. Raises MasonsError."""
    from masons.cli.search_query import query_of

    query = query_of(placed, how, seed)
    from masons.ai.session import analyze
    from masons.gui.pictures.overlay import overlay_of

    analysis = analyze(
        query.table, query.searched, limits=limits, seed=seed, options=how, top=0,
        also=[] if placed.played is None else [placed.played],
    )  # fmt: skip
    if analysis.stopped:
        raise click.Abort
    played = analysis.measuring_games
    games = f"{count(played, 'game')} after " if played else ""
    note = f"{games}{count(analysis.iterations, 'iteration')}, {how.words}, seed {seed}"
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
    from masons.engine.formats.position_text import is_position
    from masons.engine.game.record import parse_record, read_record
    from masons.engine.game.replay import Replay
    from masons.gui.pictures.game_page import game_page

    if is_position(argument):
        raise _NO_RECORD
    named = sources.named_game(argument)
    if named.file != "-" and sources.holds_position(named.file):  # `-` can be read only once
        raise _NO_RECORD
    file, game, decision = named.file, named.game or 1, named.decision or 1
    if file == "-":
        _, line = next(sources.records_in(file))
        if is_position(line):
            raise _NO_RECORD
        record = parse_record(line)
    else:
        record = read_record(file, game)
    board = load_board(board_file) if board_file else None
    prepare()
    with sources.errors_of(sources.game_name(file, game)):
        return game_page(Replay(record, board), title=title, hands=hands, start=decision - 1)
