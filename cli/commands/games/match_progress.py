"""Playing matches: the file of their games, the bar, and the engines' end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

import click

from masons.cli.support.process import INTERRUPTED, say
from masons.engine.errors import MasonsError, RecordError
from masons.engine.files import refuse_special
from masons.engine.plain_text import count, signed
from masons.protocol.client.client_arguments import PATIENCE

if TYPE_CHECKING:
    from masons.match.running.backends import Backend
    from masons.match.running.fair_games import FairGames
    from masons.match.running.match_file import Outcome
    from masons.match.running.match_runner import Progress
    from masons.match.running.schedule import Settings


class Lines(Protocol):
    """What keeps the games of a match."""

    def write(self, line: str) -> None:
        """Keep a line. Raises FileLostError, OSError."""

    def check(self) -> None:
        """Raise FileLostError where the lines are no longer there."""


@contextmanager
def journal_in(out: str | None, *, resume: bool, repair: bool) -> Iterator[Lines]:
    """What keeps a line. Raises MasonsError where a file exists that is not to be gone on with."""
    from masons.engine.storage.line_file import LineFile, NoFile

    if repair and not resume:
        raise click.UsageError("--repair needs --resume: the file to go on with")
    if out is None:
        yield NoFile()
        return
    if resume:
        refuse_special(out)
    if repair and Path(out).exists():
        say(_repaired(out))
    advice = "--resume goes on with the match in it"
    with closing(LineFile(out, append=resume, force=False, advice=advice)) as file:
        if file.cut:
            say(f"{out}: took off {file.cut} bytes of a game that was cut short")
        yield file


def _repaired(out: str) -> str:
    """Leave out the lines that are no games of a match; what was done, in words."""
    from masons.engine.formats.record_endings import is_note
    from masons.engine.game.record import parse_record
    from masons.engine.storage.line_file import repair_lines
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

    return repair_lines(out, is_game) or f"{out}: nothing was to be repaired"


def games_before(
    out: str | None, matches: Sequence[Settings], *, resume: bool, weighs_luck: bool = False
) -> list[list[Outcome]]:
    """The games of each match that are in the file to be gone on with; else none."""
    if out is None or not resume:
        return [[] for _ in matches]
    from masons.match.running.match_file import played_before

    with _with_advice():
        before = played_before(out, matches, weighs_luck=weighs_luck)
    say(f"{out}: {count(sum(map(len, before)), 'game')} played before")
    return before


def seed_before(out: str) -> int | None:
    """The seed of the match in a file; None where no game was finished."""
    from masons.match.running.match_file import seed_in

    with _with_advice():
        return seed_in(out)


@contextmanager
def _with_advice() -> Iterator[None]:
    """Say how to go on where a line is damaged."""
    from masons.match.running.match_file import NotAMatchError

    try:
        yield
    except NotAMatchError:
        raise
    except RecordError as error:
        advice = "--resume --repair leaves such lines out, and keeps the whole file beside it"
        raise RecordError(f"{error}; {advice}") from None


def play(
    settings: Settings,
    blocks: int,
    place: Backend,
    progress: Progress,
    before: list[Outcome],
    file: Lines,
    silence: float = PATIENCE.silence,
    fair: FairGames | None = None,
) -> None:
    """Play a match with a bar (`progress` modified in place, also where Ctrl-C is raised).

    What is told on the way: seats that forfeit. `silence` is that of `MatchGame`; `fair` holds the
    luck of a fair match. Raises FileLostError where the games are not in the file in the end.
    """
    from masons.match.running.match_runner import close_engines, run_match

    with _watching(progress, settings, blocks) as watch:

        def keep(line: str, outcome: Outcome) -> None:
            file.write(line)
            for seat in sorted(outcome.result.forfeits):
                last = [fault for fault in outcome.faults if fault.seat == seat][-1]
                said = f"{outcome.names[seat]} forfeits game {outcome.result.number}"
                say(f"{said}: {last.kind}: {last.text}")
            watch(outcome)

        try:
            run_match(
                settings, blocks, place, progress,
                before=before, silence=silence, fair=fair, keep=keep,
            )  # fmt: skip
        finally:
            close_engines()
            file.check()


@contextmanager
def _watching(
    progress: Progress, settings: Settings, blocks: int
) -> Iterator[Callable[[Outcome], None]]:
    """A bar with the victories so far, on a terminal."""
    from masons.cli.support.console import messages, progress_bar
    from masons.match.running.schedule import block_size

    with progress_bar(messages()) as bar:
        task = bar.add_task("games", total=blocks * block_size(settings))
        wins = [0.0] * len(settings.entries)

        def watch(outcome: Outcome) -> None:
            for engine, share in zip(
                outcome.result.engines, outcome.result.first_shares, strict=True
            ):
                wins[engine] += share
            shown = [f"{e.name} {won:g}" for e, won in zip(settings.entries, wins, strict=True)]
            if progress.verdict is not None:
                shown.append(f"LLR {signed(progress.verdict.llr, 2)}")
            # The game watched is counted right after.
            words = "  ".join(shown).replace("[", r"\[")
            bar.update(task, completed=progress.games + 1, description=words)

        yield watch


def nothing(*, as_json: bool) -> None:
    """Say that there is no result."""
    say("no block was played to its end")
    if as_json:
        click.echo("null")


def print_times(settings: Settings, blocks: Sequence[Sequence[Outcome]]) -> None:
    """What differs from run to run, on stderr."""
    from masons.match.match_summary import times_of

    for entry, times in zip(settings.entries, times_of(settings, blocks), strict=True):
        said = f"{times.total:.1f} s for its decisions, {times.slowest:.3f} s for the slowest"
        say(f"{entry.name}: {said}")


def end_interrupted(games: int) -> NoReturn:
    """End the command after Ctrl-C, of which the result so far is printed."""
    say(f"interrupted after {count(games, 'game')}")
    raise click.exceptions.Exit(INTERRUPTED)
