"""Which commands there are. A new one is a file in a folder beside this one, and a line here."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

# In the order in which help shows them, each with the folder of its file.
COMMANDS: Final = {
    "play": "games",
    "gui": "games",
    "analyze": "analysis",
    "belief": "analysis",
    "show": "analysis",
    "selfplay": "games",
    "match": "games",
    "ladder": "games",
    "dataset": "games",
    "replay": "analysis",
    "verify": "analysis",
    "review": "analysis",
    "practice": "analysis",
    "perft": "tools",
    "bench": "tools",
    "board": "tools",
    "protocol": "tools",
    "compliance": "tools",
    "warmup": "tools",
}
# Other spellings, which help does not list.
ALIASES: Final = {"analyse": "analyze", "practise": "practice"}


def load_command(name: str) -> click.Command:
    """The command of a name: `command` in the file of that name."""
    command: click.Command = import_module(f"masons.cli.commands.{COMMANDS[name]}.{name}").command
    return command
