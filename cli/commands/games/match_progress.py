"""Playing matches: the file of their games, the bar, and the engines' end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from masons.cli.support.exit_codes import INTERRUPTED
from masons.engine.errors import MasonsError
from masons.engine.formats.plain_words import count
from masons.match.setup.time_control import SILENCE

if TYPE_CHECKING:
    from masons.match.running.backends import Backend
    from masons.match.running.match_file import Outcome
    from masons.match.running.match_runner import Progress
    from masons.match.setup.schedule import Settings


@contextmanager
def journal_in(out: str | None, *, resume: bool) -> Iterator[Callable[[str], None]]:
    """What keeps a line. Raises MasonsError where a file exists that is not to be gone on with."""
    if out is None:
        yield lambda _: None
        return
    from masons.cli.support.line_file import LineFile

    if not resume and Path(out).exists():
        raise MasonsError(f"{out} exists: --resume goes on with the match in it")
    with closing(LineFile(out, append=True, force=False)) as file:
        if file.cut:
            click.echo(f"{out}: took off {file.cut} bytes of a game that was cut short", err=True)
        yield file.write


def games_before(
    out: str | None, matches: Sequence[Settings], *, resume: bool
) -> list[list[Outcome]]:
    """The games of each match that are in the file to be gone on with; else none."""
    if out is None or not resume:
        return [[] for _ in matches]
    from masons.match.running.match_file import played_before

    before = played_before(out, matches)
    click.echo(f"{out}: {count(sum(map(len, before)), 'game')} played before", err=True)
    return before


def play(
    settings: Settings,
    blocks: int,
    place: Backend,
    progress: Progress,
    before: list[Outcome],
    write: Callable[[str], None],
    silence: float = SILENCE,
) -> None:
    """Play a match with a bar (`progress` modified in place, also where Ctrl-C is raised).

    What is told on the way: seats that forfeit. `silence` is that of `MatchGame`.
    """
    from masons.match.running.game_worker import close_engines
    from masons.match.running.match_runner import run_match

    with _watching(progress, settings, blocks) as watch:

        def keep(line: str, outcome: Outcome) -> None:
            write(line)
            for seat in sorted(outcome.result.forfeits):
                last = [fault for fault in outcome.faults if fault.seat == seat][-1]
                said = f"{outcome.names[seat]} forfeits game {outcome.result.number}"
                click.echo(f"{said}: {last.kind}: {last.text}", err=True)
            watch(outcome)

        try:
            run_match(settings, blocks, place, progress, before=before, silence=silence, keep=keep)
        finally:
            close_engines()


@contextmanager
def _watching(
    progress: Progress, settings: Settings, blocks: int
) -> Iterator[Callable[[Outcome], None]]:
    """A bar with the victories so far, on a terminal."""
    from masons.cli.support.console import messages, progress_bar
    from masons.match.setup.schedule import block_size

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
                shown.append(f"LLR {progress.verdict.llr:+.2f}")
            # The game watched is counted right after.
            words = "  ".join(shown).replace("[", r"\[")
            bar.update(task, completed=progress.games + 1, description=words)

        yield watch


def nothing(*, as_json: bool) -> None:
    """Say that there is no result."""
    click.echo("no block was played to its end", err=True)
    if as_json:
        click.echo("null")


def print_times(settings: Settings, blocks: Sequence[Sequence[Outcome]]) -> None:
    """What differs from run to run, on stderr."""
    from masons.match.match_summary import times_of

    for entry, times in zip(settings.entries, times_of(settings, blocks), strict=True):
        said = f"{times.total:.1f} s for its decisions, {times.slowest:.3f} s for the slowest"
        click.echo(f"{entry.name}: {said}", err=True)


def end_interrupted(games: int) -> NoReturn:
    """End the command after Ctrl-C, of which the result so far is printed."""
    click.echo(f"interrupted after {count(games, 'game')}", err=True)
    raise click.exceptions.Exit(INTERRUPTED)
