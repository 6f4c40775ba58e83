"""`gui`: a board in the browser, to play and to analyse on."""

from __future__ import annotations

import importlib.util
import re
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from masons.cli.options.command_options import takes
from masons.cli.options.shared_options import Whole, board_option
from masons.cli.support.streams import say
from masons.engine.errors import MasonsError
from masons.engine.plain_words import quoted

if TYPE_CHECKING:
    from masons.gui.server.guard import Guard
    from masons.gui.server.room import Room

_NEEDED: Final = ("starlette", "uvicorn", "websockets")
_KERNELS: Final = ("values", "rules", "halving", "explain")
_ENGINE: Final = re.compile(r"(?P<name>[A-Za-z0-9_.#-]{1,40})=(?P<command>.+)", re.S)


@dataclass(frozen=True)
class GuiOptions:
    """What `gui` is asked for; the names are those of its arguments and options."""

    file: str | None
    port: int | None
    host: str
    no_open: bool
    engines: tuple[str, ...]
    board_file: str | None


@click.command("gui")
@click.argument("file", required=False, metavar="[FILE]")
@click.option("--port", type=Whole(0, 65535), metavar="P", help="The port.  [default: 8417]")
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="H",
    help="The address to listen on. 0.0.0.0 lets other devices in, each with a token.",
)  # fmt: skip
@click.option("--no-open", is_flag=True, help="Do not open the browser.")
@click.option(
    "--engine", "engines", multiple=True, metavar="NAME=COMMAND",
    help="An engine that speaks MEI, to be chosen for a seat by its name.",
)  # fmt: skip
@board_option
@takes(GuiOptions)
def command(options: GuiOptions) -> None:
    """Play on a board in the browser.

    The address that is printed holds a token: who has it sits at the board. FILE is a game that
    was left: it goes on, as with play --resume. Every decision is on the disk before it is shown,
    and a game that was begun here can go on at the terminal. Ctrl-C ends it.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        what = "pip install 'masons-engine[gui]'"
        raise MasonsError(f"the board in the browser needs {', '.join(missing)}: {what}")
    commands = _engines(options.engines)
    from masons.gui.server.guard import Guard
    from masons.gui.server.web_server import Later, is_everywhere, listen, serve

    if options.file is not None and not Path(options.file).is_file():
        raise MasonsError(f"{quoted(options.file, 80)} is no file: give a game that was left")
    listening = listen(options.host, options.port)
    guard = Guard(listening.host, listening.port)
    address = listening.address(guard.host_token)
    click.echo(address)
    if is_everywhere(options.host):
        say("other devices can reach this: who knows the address sits at the board")
    later = Later(lambda: _room(options, guard, commands))
    later.begin()
    if not options.no_open:
        webbrowser.open(address)
    try:
        serve(listening, guard, later.room)
    finally:
        later.close()


def _engines(texts: tuple[str, ...]) -> dict[str, str]:
    """The commands of engines by name. Raises UsageError."""
    found: dict[str, str] = {}
    for text in texts:
        match = _ENGINE.fullmatch(text)
        if match is None or match["name"] in found:
            raise click.UsageError(f"--engine {text[:60]!r}: write NAME=COMMAND, each name once")
        found[match["name"]] = match["command"]
    return found


def _room(options: GuiOptions, guard: Guard, commands: dict[str, str]) -> Room:
    """The room, with the game of the file if there is one. Raises MasonsError, OSError."""
    from masons.cli.support.precompile import prepare
    from masons.engine.board.geometry import load_board
    from masons.gui.server.room import Room

    board = load_board(options.board_file or "classic")
    prepare(*_KERNELS)
    room = Room(board, guard, commands)
    if options.file is not None:
        room.open_first(options.file)
    return room
