"""Functions that run a match from the command line, with its engines, nonces and file."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from masons.ai.players.player_names import PLAYERS, player_name
from masons.cli.process import say
from masons.cli.sources import errors_of
from masons.engine.errors import MasonsError, RecordError
from masons.engine.files import refuse_special
from masons.engine.plain_text import count, listed, plain, signed
from masons.engine.storage.line_file import LineFile, NoFile, repair_lines
from masons.protocol.client.client_arguments import PATIENCE, check_program, command_words

if TYPE_CHECKING:
    from masons.match.running.backends import Backend
    from masons.match.running.fair_games import FairGames
    from masons.match.running.match_file import GameOutcome
    from masons.match.running.match_runner import MatchProgress
    from masons.match.running.schedule import Entry, MatchSettings


@contextmanager
def match_file(out: str | None, *, resume: bool, repair: bool) -> Iterator[LineFile | NoFile]:
    """Open the file of a match. Raises MasonsError if it exists and `resume` is false."""
    if repair and not resume:
        raise click.UsageError("--repair needs --resume: the file to continue")
    if out is None:
        yield NoFile()
        return
    if resume:
        refuse_special(out)
    if repair and Path(out).exists():
        say(_repaired(out))
    advice = "--resume continues the match in it"
    with closing(LineFile(out, append=resume, force=False, advice=advice)) as file:
        if file.cut:
            say(f"{out}: removed {file.cut} bytes of an incomplete game")
        yield file


def _repaired(out: str) -> str:
    """Drop the lines that are not games or notes of a match; return a message about this."""
    from masons.engine.formats.record_endings import is_note
    from masons.engine.game.record import parse_record
    from masons.match.running.fair_games import Announced
    from masons.match.running.match_file import outcome_of

    def is_game(line: str) -> bool:
        try:
            if is_note(line):
                Announced().read(line)
                return True
            outcome_of(parse_record(line))
        except MasonsError:
            return False
        return True

    return repair_lines(out, is_game) or f"{out}: nothing needed repair"


def games_before(
    out: str | None, matches: Sequence[MatchSettings], *, resume: bool, weighs_luck: bool = False
) -> list[list[GameOutcome]]:
    """Return for each match the games in the file, or no games if `resume` is false."""
    if out is None or not resume:
        return [[] for _ in matches]
    from masons.match.running.match_file import played_before

    with _with_advice():
        before = played_before(out, matches, weighs_luck=weighs_luck)
    say(f"{out}: {count(sum(map(len, before)), 'game')} played before")
    return before


def seed_before(out: str) -> int | None:
    """Return the seed of the match in a file, or None if no game was finished."""
    from masons.match.running.match_file import seed_in

    with _with_advice():
        return seed_in(out)


@contextmanager
def _with_advice() -> Iterator[None]:
    """Add advice to an error about a damaged line."""
    from masons.match.running.match_file import NotAMatchError

    try:
        yield
    except NotAMatchError:
        raise
    except RecordError as error:
        advice = "--resume --repair drops such lines and keeps the old file as FILE.bad"
        raise RecordError(f"{error}; {advice}") from None


def play(
    settings: MatchSettings,
    blocks: int,
    progress: MatchProgress,
    before: list[GameOutcome],
    file: LineFile | NoFile,
    place: Backend,
    silence: float = PATIENCE.silence,
    fair: FairGames | None = None,
) -> None:
    """Play a match with a progress bar, and print forfeits at once.

    `progress` is modified in place, even if Ctrl-C ends the match. `silence` is as in `MatchGame`.
    `fair` holds the secrets of a fair match. Raises FileLostError if the file was removed or
    changed.
    """
    from masons.match.running.match_runner import close_engines, run_match

    with _watching(progress, settings, blocks) as watch:
        games = run_match(
            settings, blocks, place, progress, before=before, silence=silence, fair=fair
        )
        try:
            with closing(games):
                for line, outcome in games:
                    file.write(line)
                    for seat in sorted(outcome.result.forfeits):
                        last = [fault for fault in outcome.faults if fault.seat == seat][-1]
                        said = f"{outcome.names[seat]} forfeits game {outcome.result.number}"
                        say(f"{said}: {last.kind}: {last.text}")
                    watch(outcome)
        finally:
            close_engines()
            file.check()


@contextmanager
def _watching(
    progress: MatchProgress, settings: MatchSettings, blocks: int
) -> Iterator[Callable[[GameOutcome], None]]:
    """Show a progress bar with the victories so far, if messages go to a terminal."""
    from masons.cli.console import progress_bar
    from masons.match.running.schedule import Schedule

    with progress_bar() as bar:
        task = bar.add_task("games", total=blocks * Schedule(settings).block_size)
        wins = [0.0] * len(settings.entries)

        def watch(outcome: GameOutcome) -> None:
            for engine, share in zip(
                outcome.result.engines, outcome.result.first_shares, strict=True
            ):
                wins[engine] += share
            shown = [f"{e.name} {won:g}" for e, won in zip(settings.entries, wins, strict=True)]
            if progress.verdict is not None:
                shown.append(f"LLR {signed(progress.verdict.llr, 2)}")
            # `progress` counts this game only after this call.
            words = "  ".join(shown).replace("[", r"\[")
            bar.update(task, completed=progress.games + 1, description=words)

        yield watch


# --- fair matches


def named_nonces(texts: Sequence[str], names: Sequence[str], *, fair: bool) -> dict[str, str]:
    """Parse `ENGINE=TEXT` nonces and return them by the engine's name. Raises UsageError."""
    from masons.engine.fair.fair_game import nonce_given

    if texts and not fair:
        raise click.UsageError("--nonce needs --fair")
    by_name: dict[str, str] = {}
    for text in texts:
        fitting = [name for name in names if text.startswith(f"{name}=")]
        if not fitting:
            said = f"--nonce {plain(text[:60])!r}: write ENGINE=TEXT"
            raise click.UsageError(f"{said}, where ENGINE is {listed(list(names), 'or')}")
        name = max(fitting, key=len)  # as a name may contain =, several names can fit
        if name in by_name:
            raise click.UsageError(f"--nonce names {name} twice")
        with errors_of("--nonce", click.UsageError):
            by_name[name] = nonce_given(text[len(name) + 1 :], f"the nonce of {name}")
    return by_name


def fair_games(
    settings: MatchSettings,
    blocks: int,
    before: Sequence[GameOutcome],
    file: LineFile | NoFile,
    nonces: Mapping[str, str],
) -> FairGames | None:
    """Write the commitments for all missing games to the file, and then the engines' nonces.

    Return the secrets of these games, or None if no game is missing. Raises MasonsError or OSError.
    """
    from masons.match.running.fair_games import FairGames, digest_of
    from masons.match.running.schedule import Schedule

    played = {outcome.result.number for outcome in before}
    games = Schedule(settings).games(blocks)
    missing = [game.number for game in games if game.number not in played]
    if not missing:
        return None
    fair = FairGames(missing)
    for line in fair.commitment_notes():
        file.write(line)
    said = f"committed to the dice and cards of {count(len(missing), 'game')}"
    say(f"fair: {said}: SHA-256 of the list {digest_of(fair.commitments)}")
    answers = {name: _nonce_of(name, nonces) for name in dict.fromkeys(settings.names)}
    file.write(fair.nonces_note(answers))
    if not any(answers.values()):
        say("fair: no engine gave a nonce, so this program alone decides the dice and cards")
    return fair


def _nonce_of(name: str, nonces: Mapping[str, str]) -> str:
    """Return the nonce of an engine. At a terminal, ask for a missing nonce."""
    from masons.engine.fair.fair_game import nonce_given

    if name in nonces:
        return nonces[name]
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        return ""
    question = f"nonce of {plain(name)} (Enter: none)"
    while True:
        try:
            return nonce_given(click.prompt(question, default="", show_default=False, err=True))
        except MasonsError as error:
            say(str(error))


# --- engines

# NAME=ENGINE. A player with options does not match, as a `:` stands before the `=` of an option.
_NAMED: Final = re.compile(r"([A-Za-z0-9_.#-]{1,40})=(.+)", re.DOTALL)


def entries_of(texts: Sequence[str]) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """Return the distinct engines, and the names of all engines in order.

    An engine that is named several times has several seats. If it is the only engine, it plays
    against itself. Raises UsageError if an engine is neither a player nor a command.
    """
    entries = [_entry(text) for text in texts]
    if len(entries) < 2:
        raise click.UsageError("a match needs at least two engines")
    if len(set(entries)) == 1:
        entries = [replace(entry, name=f"{entry.name}#{i}") for i, entry in enumerate(entries, 1)]
    distinct = tuple(dict.fromkeys(entries))
    names = [entry.name for entry in distinct]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"two engines are called {name}: name them with NAME=ENGINE")
    return distinct, tuple(entry.name for entry in entries)


def _entry(text: str) -> Entry:
    from masons.match.running.schedule import Entry

    named = _NAMED.fullmatch(text)
    name, what = (named[1], named[2]) if named else (plain(text), text)
    is_player = player_name(what) in PLAYERS
    # A command line has a blank or a path, or is the name of a program.
    has_path = len(what.split()) > 1 or os.sep in what
    if what.strip() and not is_player and (has_path or shutil.which(what) is not None):
        with errors_of("", click.UsageError):
            return Entry(name, command=tuple(command_words(what)))
    from masons.ai.players.named_players import make_player

    try:
        make_player(what, 0)
    except MasonsError as error:
        unknown = f"{what!r} is neither a command nor a player ({', '.join(PLAYERS)})"
        raise click.UsageError(str(error) if is_player else unknown) from None
    return Entry(name, player=what)


def try_engines(entries: Sequence[Entry]) -> None:
    """Start every engine once. Raises MasonsError if an engine does not answer."""
    from masons.protocol.client.engine_client import Engine

    for entry in entries:
        if entry.command:
            with errors_of(f"engine {entry.name}"):
                check_program(entry.command)
                with Engine(entry.command, name=entry.name):
                    pass
