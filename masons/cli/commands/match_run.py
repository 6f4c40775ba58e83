"""The part of the command `match` that plays the games and prints the result."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import randbelow
from typing import TYPE_CHECKING

import click

from masons.cli import options
from masons.cli.process import INTERRUPTED, prepare, say
from masons.engine.errors import MasonsError, RecordError
from masons.engine.files import refuse_special, uninterrupted
from masons.engine.plain_text import count, listed, signed
from masons.engine.storage.line_file import LineFile, repair_lines
from masons.protocol.client.dialogue_log import dialogue_log

if TYPE_CHECKING:
    from masons.ai.search.executors import Workers
    from masons.match.running.match_file import GameOutcome
    from masons.match.running.match_runner import MatchProgress
    from masons.match.running.schedule import MatchSettings, TimeControl
    from masons.match.statistics.sprt import SprtBounds


@dataclass(frozen=True)
class MatchOptions:
    """The values of the command's options. Each field has the name of its option's parameter."""

    engines: tuple[str, ...]
    players: int
    games: int
    bounds: SprtBounds | None
    luck: bool
    time: TimeControl | None
    sims: int | None
    seed: int | None
    out: str | None
    resume: bool
    repair: bool
    log: str | None
    time_margin: float | None  # in seconds; None stands for the default
    strict: bool
    timeout: float  # in seconds
    as_json: bool
    early_roll: bool
    board_file: str | None
    place: options.Place


def run(settings: MatchSettings, chosen: MatchOptions) -> None:
    """Play a match, and print the result. Ctrl-C ends the match early.

    The seed of `settings` is replaced by the seed that was chosen. Raises UsageError, MasonsError
    and OSError.
    """
    with (
        chosen.place.workers() as workers,
        _match_file(chosen.out, resume=chosen.resume, repair=chosen.repair) as file,
        dialogue_log(chosen.log),
    ):
        prepare()
        match = _match(settings, chosen)
        size = settings.block_size
        if match.blocks * size != chosen.games:
            rounded = f"{count(chosen.games, 'game')} rounded up to {match.blocks * size:,}"
            say(f"{rounded}: {count(match.blocks, 'block')} of {size}")
        _warn_of_idle(settings, match.blocks)
        is_interrupted = False
        try:
            _play(match, file, workers, chosen.timeout)
        except KeyboardInterrupt:
            is_interrupted = True
    _print_result(match, as_json=chosen.as_json)
    if is_interrupted:
        say(f"interrupted after {count(match.games, 'game')}")
        raise click.exceptions.Exit(INTERRUPTED)


def _warn_of_idle(settings: MatchSettings, blocks: int) -> None:
    """Warn if a match is too short for some engines to play."""
    lineups = settings.lineups
    playing = [{engine for seating in lineup for engine in seating} for lineup in lineups]
    entries = set(range(len(settings.entries)))
    idle = sorted(entries.difference(*playing[:blocks]))
    if idle:
        names = listed([settings.entries[engine].name for engine in idle])
        needed = blocks
        while not entries.issubset(set().union(*playing[:needed])):
            needed += 1
        games = settings.block_size * needed
        say(f"warning: too few games for {names} to play: all engines play with --games {games}")


def _match(settings: MatchSettings, chosen: MatchOptions) -> MatchProgress:
    """Return the match. With --resume, it includes the games in the file.

    Without --seed, a match that is continued gets the seed in its file. The seed of a new match is
    random, so that no engine can predict the dice and cards.
    """
    from masons.match.running.match_file import NotAMatchError, played_before, seed_in
    from masons.match.running.match_runner import MatchProgress

    old = chosen.out if chosen.resume else None
    try:
        seed = seed_in(old) if chosen.seed is None and old else chosen.seed
        seed = randbelow(options.MAX_NUMBER) if seed is None else seed
        settings = replace(settings, seed=seed)
        before = played_before(old, settings, weighs_luck=chosen.luck) if old else []
    except NotAMatchError:
        raise
    except RecordError as error:
        advice = "--resume --repair drops such lines and keeps the old file as FILE.bad"
        raise RecordError(f"{error}; {advice}") from None
    if old:
        say(f"{old}: {count(len(before), 'game')} played before")
    blocks = -(-chosen.games // settings.block_size)
    records = None if chosen.out is None else max((each.record for each in before), default=0)
    return MatchProgress(
        settings, blocks, before,
        test=chosen.bounds, weighs_luck=chosen.luck, records=records,
    )  # fmt: skip


def _print_result(match: MatchProgress, *, as_json: bool) -> None:
    """Print the figures of all blocks that count, and the time of each engine as a note."""
    blocks = match.counted()
    if not blocks:
        say("no block was completed")
        if as_json:
            click.echo("null")
        return
    from masons.match.match_summary import summary_of

    summary = summary_of(match.settings, blocks, match.verdict)
    if as_json:
        from masons.cli.reports.match_json import match_figures

        click.echo(json.dumps(match_figures(summary)))
    else:
        from masons.cli.console import show
        from masons.cli.reports.match_report import match_report

        show(match_report(summary))
    sys.stdout.flush()
    for engine, entry in enumerate(match.settings.entries):
        seats = [
            (game, seat) for block in blocks for game in block for seat in game.seats_of(engine)
        ]
        total = sum(game.seconds[seat] for game, seat in seats)
        slowest = max((game.slowest[seat] for game, seat in seats), default=0.0)
        say(f"{entry.name}: {total:.1f} s for its decisions, {slowest:.3f} s for the slowest")


# --- the file


@contextmanager
def _match_file(out: str | None, *, resume: bool, repair: bool) -> Iterator[LineFile | None]:
    """Open the file of a match. Raises MasonsError if the file exists and `resume` is false."""
    if out is None:
        yield None
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
    """Drop all lines that are not games of a match. Return a message about the repair."""
    from masons.engine.game.record import parse_record
    from masons.match.running.match_file import outcome_of

    def is_game(line: str) -> bool:
        try:
            outcome_of(parse_record(line))
        except MasonsError:
            return False
        return True

    return repair_lines(out, is_game) or f"{out}: nothing needed repair"


# --- the games


def _play(match: MatchProgress, file: LineFile | None, workers: Workers, silence: float) -> None:
    """Play a match with a progress bar, and print each forfeit when its game ends.

    `match` is modified in place. After Ctrl-C, `match` holds all games so far. `silence` has the
    same meaning as in `MatchGame`. Raises FileLostError if the file was removed or changed.
    """
    from masons.match.running.match_runner import close_engines, run_match

    with _watching(match) as watch:
        try:
            with closing(run_match(match, workers, silence=silence)) as games:
                for line, outcome in games:
                    with uninterrupted():  # the file and the table must agree
                        if file is not None:
                            file.write(line)
                        match.add(outcome)
                    for seat in sorted(outcome.forfeits):
                        last = [fault for fault in outcome.faults if fault.seat == seat][-1]
                        said = f"{outcome.names[seat]} forfeits game {outcome.record}"
                        say(f"{said}: {last.kind}: {last.text}")
                    watch(outcome)
        finally:
            close_engines()
            if file is not None:
                file.check()


@contextmanager
def _watching(match: MatchProgress) -> Iterator[Callable[[GameOutcome], None]]:
    """Show a progress bar with the victories so far, if messages go to a terminal."""
    from masons.cli.console import progress_bar

    entries = match.settings.entries
    with progress_bar() as bar:
        task = bar.add_task("games", total=match.blocks * match.settings.block_size)
        wins = [0.0] * len(entries)

        def watch(outcome: GameOutcome) -> None:
            for engine, share in zip(outcome.engines, outcome.first_shares, strict=True):
                wins[engine] += share
            shown = [f"{e.name} {won:g}" for e, won in zip(entries, wins, strict=True)]
            if match.verdict is not None:
                shown.append(f"LLR {signed(match.verdict.llr, 2)}")
            words = "  ".join(shown).replace("[", r"\[")
            bar.update(task, completed=match.games, description=words)

        yield watch
