"""The engines of a match as they are named on the command line."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from masons.ai.players.player_names import PLAYERS, player_name
from masons.engine.errors import MasonsError
from masons.engine.plain_text import plain

if TYPE_CHECKING:
    from masons.match.running.schedule import Entry

# A name before a `=`; no option of a player looks like one, as a `:` comes first there.
_NAMED: Final = re.compile(r"([A-Za-z0-9_.#-]{1,40})=(.+)", re.DOTALL)


def entries_of(texts: Sequence[str]) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """The distinct engines, and the names of all in the order given.

    An engine that is given several times is one engine in several seats, unless it is the only one:
    then it plays against itself. Raises UsageError for what is neither player nor command.
    """
    entries = [_entry(text) for text in texts]
    if len(entries) < 2:
        raise click.UsageError("a match needs two engines or more")
    if len(set(entries)) == 1:
        entries = [_renamed(entry, f"{entry.name}#{i}") for i, entry in enumerate(entries, 1)]
    distinct = tuple(dict.fromkeys(entries))
    names = [entry.name for entry in distinct]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"two engines are called {name}: write NAME=ENGINE")
    return distinct, tuple(entry.name for entry in entries)


def _entry(text: str) -> Entry:
    from masons.match.running.schedule import Entry

    named = _NAMED.fullmatch(text)
    name, what = (named[1], named[2]) if named else (plain(text), text)
    if _is_command(what):
        from masons.protocol.client.client_arguments import command_words

        try:
            return Entry(name, command=tuple(command_words(what)))
        except MasonsError as error:
            raise click.UsageError(str(error)) from None
    from masons.ai.players.named_players import make_player

    try:
        make_player(what, 0)
    except MasonsError as error:
        said = str(error)
        if player_name(what) not in PLAYERS:
            said = f"{what!r} is neither a command nor a player (one of {', '.join(PLAYERS)})"
        raise click.UsageError(said) from None
    return Entry(name, player=what)


def _is_command(text: str) -> bool:
    """Return whether a text is a command line: it has a blank or a path, or names a program."""
    if player_name(text) in PLAYERS:
        return False
    return bool(text.strip()) and (
        len(text.split()) > 1 or os.sep in text or shutil.which(text) is not None
    )


def _renamed(entry: Entry, name: str) -> Entry:
    from dataclasses import replace

    return replace(entry, name=name)


def try_engines(entries: Sequence[Entry]) -> None:
    """Start every engine once. Raises MasonsError for one that does not answer."""
    from masons.protocol.client.client_arguments import check_program
    from masons.protocol.client.engine_client import Engine
    from masons.protocol.messages.error_codes import EngineError

    for entry in entries:
        if entry.command:
            try:
                check_program(entry.command)
                with Engine(entry.command, name=entry.name):
                    pass
            except (MasonsError, EngineError) as error:
                raise MasonsError(f"engine {entry.name}: {error}") from None
