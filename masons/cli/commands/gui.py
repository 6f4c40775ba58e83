"""The command `gui`, with which people play and analyze on a board in the browser."""

from __future__ import annotations

import importlib.util
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from masons.cli import options
from masons.cli.process import prepare, say
from masons.cli.sources import errors_of, is_file, named_game
from masons.engine.board.geometry import Board, load_board
from masons.engine.errors import MasonsError
from masons.engine.extras import install_command
from masons.engine.plain_text import quoted

if TYPE_CHECKING:
    from masons.gui.guard import Guard
    from masons.gui.open_games import OpenGames
    from masons.gui.web_server import Listening

_NEEDED: Final = (
    "brotli", "font_source_sans_pro", "fontTools", "msgspec", "rcssmin", "rjsmin", "segno",
    "starlette", "uvicorn", "websockets", "xstatic",
)  # fmt: skip
_MOST_BYTES: Final = 1 << 23


@click.command("gui")
@click.argument("what", required=False, metavar="[POSITION|FILE]")
@click.option(
    "--port", type=options.whole(0, 65535), metavar="P", help="Port to listen on.  [default: 8417]"
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="H",
    help="Address to listen on. 0.0.0.0 admits other devices, each with its own token.",
)  # fmt: skip
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option("--new-token", is_flag=True, help="Create new addresses; the old ones stop working.")
@click.option(
    "--engine", "engines", multiple=True, metavar="NAME=COMMAND",
    help="Offer another MEI engine for the seats, under this name; may be repeated.",
)  # fmt: skip
@options.board
def gui(
    what: str | None, port: int | None, host: str, no_open: bool, new_token: bool,
    engines: tuple[str, ...], board_file: str | None,
) -> None:  # fmt: skip
    """Play on a board in the browser.

    Prints an address with a token. Anyone who has this address can take part. A POSITION, or a
    FILE with a position or records, is opened for analysis; FILE#K@N is decision N of game K. A
    FILE with an unfinished game is continued, as with play --resume. Every decision is saved
    before it is shown. A game that was begun here can be continued in the terminal. Ctrl-C ends
    the program.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        needed = f"the board in the browser needs {', '.join(missing)}"
        raise MasonsError(f"{needed}: {install_command('gui')}")
    commands = _engines(engines)
    from masons.gui.web_server import listen, serve

    opened = _opened(what)
    board = load_board(board_file or "classic")
    listening = listen(host, port)
    guard = _guard(listening, port, anew=new_token)
    prepare()
    address = listening.address(guard.host_token)
    click.echo(address)
    if not guard.is_local:
        say("other devices can reach this address: anyone who has it can take part")
    with nullcontext() if no_open else _browser(listening.port, address):
        games = _games(board, opened, guard, commands)
        try:
            serve(listening, games, say)
        finally:
            games.close()


def _engines(texts: tuple[str, ...]) -> dict[str, str]:
    """Parse `NAME=COMMAND` texts and return the commands by name. Raises UsageError."""
    commands: dict[str, str] = {}
    for text in texts:
        match = options.NAMED.fullmatch(text)
        if match is None or match["name"] in commands:
            raise click.UsageError(
                f"--engine {text[:60]!r}: write NAME=COMMAND, each name once; "
                f"a NAME is {options.NAME_RULE}"
            )
        commands[match["name"]] = match["text"]
    if commands:
        from masons.protocol.client.client_arguments import check_program, command_words
    for name, text in commands.items():
        with errors_of(f"--engine {name}", click.UsageError):
            check_program(command_words(text))
    return commands


def _guard(listening: Listening, port: int | None, *, anew: bool) -> Guard:
    """Return the guard (see `masons.gui.guard`), which checks the tokens that pages send.

    On a fixed or default port, the tokens of earlier starts are used again, unless `anew` is true
    or the tokens cannot be saved. Otherwise, the tokens are new.
    """
    from masons.gui.guard import Guard, kept_guard
    from masons.gui.web_server import USUAL_PORTS

    if port or listening.port in USUAL_PORTS:
        try:
            return kept_guard(listening.host, listening.port, anew=anew)
        except OSError as error:
            why = f"cannot write {quoted(str(error.filename), 80)}: {error.strerror}"
            say(f"the address will change at the next start: {why}")
    return Guard(listening.host, listening.port)


@contextmanager
def _browser(port: int, address: str) -> Iterator[None]:
    """Open the address in the browser by a page that only the user's account can read.

    The browser's request waits until the games are ready. After the block, the page is removed.
    """
    from masons.gui.guard import keep_opener

    try:
        page = keep_opener(port, address)
    except OSError as error:
        why = f"cannot write {quoted(str(error.filename), 80)}: {error.strerror}"
        say(f"open this address in a browser yourself: {why}")
        yield
        return
    try:
        webbrowser.open(page.as_uri())
        yield
    finally:
        page.unlink(missing_ok=True)


def _games(board: Board, opened: Opened, guard: Guard, commands: dict[str, str]) -> OpenGames:
    """Open what the command's argument names, and return the open games."""
    from masons.gui.open_games import OpenGames

    games = OpenGames(board, guard, commands)
    if opened.resume:
        games.open_first(opened.resume)
    elif opened.text:
        games.study_first(opened.text, opened.game, opened.step, opened.file)
    elif opened.file:
        games.watch_first(opened.file)
    games.forget_seats()
    return games


class Opened(NamedTuple):
    """The content that the command's argument names.

    `resume` is the file of a game to continue. `text` holds a position or records to study. `game`
    and `step` name a decision in the records. `file` is the file that was read.
    """

    resume: str = ""
    text: str = ""
    game: int = 1
    step: int | None = None
    file: str = ""


def _opened(argument: str | None) -> Opened:
    """Read the argument. Raises MasonsError if it is neither a position nor a suitable file."""
    if argument is None:
        return Opened()
    if argument.split(None, 1)[:1] == ["masons1"]:
        return Opened(text=argument)
    named = named_game(argument)
    path, game = Path(named.file), named.game or 1
    step = None if named.decision is None else named.decision - 1
    if not is_file(named.file):
        raise MasonsError(
            f"{quoted(argument, 80)} is neither a position (masons1 board=...) nor a file"
        )
    try:
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise MasonsError(f"cannot read {quoted(str(path), 80)}: {error.strerror}") from None
    from masons.engine.game.record import PLAYED_HEAD

    if data.lstrip().startswith(PLAYED_HEAD):
        return Opened(resume=str(path))
    if len(data) > _MOST_BYTES:
        data = data[: data.rfind(b"\n", 0, _MOST_BYTES) + 1]
        say(f"{path} is too long: only the games in its first {_MOST_BYTES} bytes are shown")
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise MasonsError(f"{quoted(str(path), 80)} is not UTF-8 text") from None
    text = "\n".join(line for line in lines if line.strip() and not line.startswith("#"))
    if not text and not path.stat().st_size:
        return Opened(file=str(path))  # the file of a match that has just begun
    if not text.startswith(("masons1", "{")):
        raise MasonsError(
            f"{quoted(str(path), 80)} holds neither a position (masons1 board=...) nor a record"
        )
    return Opened(text=text, game=game, step=step, file=str(path))
