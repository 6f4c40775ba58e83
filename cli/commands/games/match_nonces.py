"""A fair match: what it commits to, then what each engine adds to the luck."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from masons.cli.support.process import say
from masons.engine.errors import MasonsError
from masons.engine.plain_text import count, listed, plain

if TYPE_CHECKING:
    from masons.cli.commands.games.match_progress import Lines
    from masons.match.running.fair_games import FairGames
    from masons.match.running.match_file import Outcome
    from masons.match.running.schedule import Settings


def named_nonces(texts: Sequence[str], names: Sequence[str], *, fair: bool) -> dict[str, str]:
    """The nonces given, by the engine's name. Raises UsageError."""
    from masons.engine.fair.fair_game import nonce_given

    if texts and not fair:
        raise click.UsageError("--nonce needs --fair")
    found: dict[str, str] = {}
    for text in texts:
        fitting = [name for name in names if text.startswith(f"{name}=")]
        if not fitting:
            said = f"--nonce {plain(text[:60])!r}: write ENGINE=TEXT"
            raise click.UsageError(f"{said}, ENGINE being {listed(list(names), 'or')}")
        name = max(fitting, key=len)  # a name may hold a = itself
        if name in found:
            raise click.UsageError(f"--nonce: {name} has two")
        try:
            found[name] = nonce_given(text[len(name) + 1 :], f"the nonce of {name}")
        except MasonsError as error:
            raise click.UsageError(f"--nonce: {error}") from None
    return found


def fair_games(
    settings: Settings,
    blocks: int,
    before: Sequence[Outcome],
    file: Lines,
    nonces: Mapping[str, str],
) -> FairGames | None:
    """Commit in the file to all games that are missing, then take the engines' nonces.

    None where nothing is missing. Raises MasonsError, OSError.
    """
    from masons.match.running.fair_games import FairGames, digest_of
    from masons.match.running.schedule import games_of

    played = {outcome.result.number for outcome in before}
    missing = [game.number for game in games_of(settings, blocks) if game.number not in played]
    if not missing:
        return None
    fair = FairGames(missing)
    for line in fair.commitment_notes():
        file.write(line)
    said = f"committed to the luck of {count(len(missing), 'game')}"
    say(f"fair: {said}: SHA-256 of the list {digest_of(fair.commitments)}")
    given = {name: _nonce_of(name, nonces) for name in dict.fromkeys(settings.names)}
    file.write(fair.nonces_note(given))
    if not any(given.values()):
        say("fair: no engine has a nonce, so nothing but this program decides on the luck")
    return fair


def _nonce_of(name: str, nonces: Mapping[str, str]) -> str:
    """The nonce given, or asked for at a terminal."""
    from masons.engine.fair.fair_game import nonce_given

    if name in nonces:
        return nonces[name]
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        return ""
    asked = f"nonce of {plain(name)} (Enter: none)"
    while True:
        try:
            return nonce_given(click.prompt(asked, default="", show_default=False, err=True))
        except MasonsError as error:
            say(str(error))
