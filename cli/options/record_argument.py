"""A game of a file of records that an argument names, and a decision in it.

`FILE`, `FILE#K`, `FILE@N` or `FILE#K@N`: games and decisions count from 1. A file of just that name
comes first.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

import click

from masons.engine.errors import RecordError
from masons.engine.plain_words import quoted

_NAMED: Final = re.compile(r"(?P<file>.+?)(?:#(?P<game>[0-9]+))?(?:@(?P<decision>[0-9]+))?", re.S)
_MAX_DIGITS: Final = 9


class NamedGame(NamedTuple):
    """What an argument names; None where it does not say."""

    file: str
    game: int | None = None
    decision: int | None = None


def named_game(argument: str) -> NamedGame:
    """File, game and decision. Raises RecordError for no name and numbers that nothing can have."""
    if not argument:
        raise RecordError("an empty name is no file")
    match = None if argument == "-" or is_file(argument) else _NAMED.fullmatch(argument)
    if match is None:
        return NamedGame(argument)
    file = match["file"]
    return NamedGame(file, _number("game", match, file), _number("decision", match, file))


def _number(what: str, match: re.Match[str], file: str) -> int | None:
    digits = match[what]
    if digits is None:
        return None
    digits = digits.lstrip("0")
    if not digits:
        raise RecordError(f"{quoted(file, 80)}: games and decisions count from 1")
    if len(digits) > _MAX_DIGITS:
        raise RecordError(f"{quoted(file, 80)}: no {what} has a number of so many digits")
    return int(digits)


def whole_game(argument: str, number: int | None) -> tuple[str, int | None]:
    """The file, and which game by the argument or by --game. Raises UsageError, RecordError."""
    named = named_game(argument)
    if named.decision is not None:
        raise click.UsageError("FILE@N names a decision: name a whole game by FILE or FILE#K")
    if named.game is not None and number is not None:
        raise click.UsageError("FILE#K cannot go with --game: name the game once")
    return named.file, number if named.game is None else named.game


def is_file(name: str) -> bool:
    """Whether there is a file of a name, which may be one that no file can have."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False
