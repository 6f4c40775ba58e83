"""`protocol`: the engine on standard input and output, for a GUI or a referee."""

from __future__ import annotations

import os
import sys
from typing import Final

import click

from masons import __version__
from masons.ai.players.player_names import SERVED
from masons.cli.support.process import INTERRUPTED, Ended, say

_SWITCH_SECONDS: Final = 0.0005


@click.command("protocol")
@click.option(
    "--player", type=click.Choice(SERVED), default=SERVED[0], show_default=True,
    help="Player that answers.",
)  # fmt: skip
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE",
    help="Set one of the options that mei lists, such as Threads=2; may be repeated.",
)  # fmt: skip
def command(player: str, options: tuple[str, ...]) -> None:
    """Speak the engine protocol on standard input and output.

    For GUIs and match runners; docs/protocol.md describes it. Type mei to list the options, and
    quit to leave.
    """
    from masons.protocol.messages.error_codes import Refused
    from masons.protocol.server.command_loop import Server

    server = Server(
        sys.stdin.buffer, sys.stdout.buffer,
        player=player, version=__version__,
    )  # fmt: skip
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise click.UsageError(f"--option {option}: write NAME=VALUE")
        try:
            server.set_option(name, value)
        except Refused as refused:
            raise click.UsageError(f"--option {option}: {refused}") from None
    # The thread that searches need not wait long for one that is reading.
    sys.setswitchinterval(_SWITCH_SECONDS)
    code = 0
    try:
        server.run()
    except KeyboardInterrupt:
        say("interrupted")
        code = INTERRUPTED
    except Ended as ended:
        say(f"ended by {ended.name}")
        code = int(ended.code or 0)
    # Threads that compile or search must not hold up the end.
    os._exit(code)
