"""The command `match`, which plays matches between engines, or the ladder of named players."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from secrets import randbelow
from typing import TYPE_CHECKING

import click

from masons.ai.search.limits import LADDER_DEFAULT, MAX_SIMS, Limits
from masons.cli import options
from masons.cli.commands.match_run import (
    entries_of,
    fair_games,
    games_before,
    match_file,
    named_nonces,
    play,
    seed_before,
    try_engines,
)
from masons.cli.process import INTERRUPTED, prepare, say
from masons.cli.sources import errors_of
from masons.engine.board.geometry import board_text, load_board
from masons.engine.errors import MasonsError
from masons.engine.plain_text import count
from masons.protocol.client.client_arguments import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.match.ladder import Floor
    from masons.match.running.match_file import GameOutcome
    from masons.match.running.match_runner import MatchProgress
    from masons.match.running.schedule import MatchSettings, TimeControl
    from masons.match.statistics.sprt import SprtBounds, SprtVerdict


def time_control(text: str) -> tuple[float, float | None]:
    """Parse a time such as 200ms, or a clock such as 60s+500ms.

    Return the seconds and the increment, or None if each decision has a fixed time.
    """
    base, plus, inc = text.partition("+")
    if plus and not (base.strip() and inc.strip()):
        raise click.BadParameter(
            f"{text!r} is not a time: write 200ms, or a clock and its increment, 60s+500ms"
        )
    seconds = options.duration(base)
    if not plus:
        return seconds, None
    return seconds, 0.0 if inc.strip() in ("0", "0s") else options.duration(inc)


def sprt_bounds(text: str) -> SprtBounds:
    """Parse the Elo differences of a sequential test, such as 0,20."""
    from masons.match.statistics.sprt import SprtBounds

    try:
        low, high = map(float, text.split(","))
        return SprtBounds(low, high)
    except ValueError as error:
        said = error if isinstance(error, MasonsError) else "write two numbers like 0,20"
        raise click.BadParameter(f"{text!r}: {said}") from None


@click.command("match")
@click.argument("engines", nargs=-1, metavar="ENGINE ENGINE...")
@click.option(
    "--ladder", is_flag=True,
    help="Instead of ENGINEs, rate all named players against each other, with a cross table. "
    "--games counts for each pairing; by default the seed is 0 and the time 200ms.",
)  # fmt: skip
@click.option(
    "--floors", is_flag=True,
    help="Instead of ENGINEs, play the matches in which default must reach a certain score at "
    "200ms, and report whether it does.",
)  # fmt: skip
@options.players
@click.option(
    "--games", type=options.whole(1), default=100, show_default=True, metavar="G",
    help="Number of games, rounded up to whole blocks; with --sprt, the maximum.",
)  # fmt: skip
@click.option(
    "--sprt", "bounds", type=sprt_bounds, metavar="ELO0,ELO1",
    help="Stop as soon as a test with 5% error on each side decides whether the first engine "
    "is ELO0 or ELO1 better than the second.",
)  # fmt: skip
@click.option(
    "--luck", is_flag=True,
    help="Estimate each seat's luck with dice and cards, and show luck-adjusted results; "
    "--sprt then uses these.",
)  # fmt: skip
@click.option(
    "--time", type=time_control, metavar="TIME",
    help="Time per decision (200ms), or a clock with an increment per decision (60s+500ms).",
)  # fmt: skip
@click.option(
    "--sims", type=options.whole(1, MAX_SIMS), metavar="N", help="Iterations per decision."
)
@click.option(
    "--seed", type=options.whole(0), metavar="S",
    help="Seed of dice, cards and players.  [default: a random one, which is printed]",
)  # fmt: skip
@click.option(
    "--out",
    type=options.file_name,
    metavar="FILE",
    help="Write the record of each game to FILE as soon as it ends.",
)
@click.option("--resume", is_flag=True, help="Continue the match in the FILE of --out.")
@options.repair
@click.option(
    "--fair", is_flag=True,
    help="Give each game its own dice and cards, which anybody can verify afterwards.",
)  # fmt: skip
@click.option(
    "--nonce", "nonces", multiple=True, metavar="ENGINE=TEXT",
    help="With --fair: text that an engine adds to the secret. At a terminal, the program asks for "
    "missing ones.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="Let an engine forfeit the game at its first fault.")
@click.option(
    "--timeout", type=options.duration, default=f"{PATIENCE.silence:g}s", show_default=True,
    metavar="TIME", help="How long an engine may be silent when no limit sets a time. Its second "
    "stall forfeits the game.",
)  # fmt: skip
@options.json
@options.early_roll
@options.board
@options.backend
def match(
    engines: tuple[str, ...], ladder: bool, floors: bool, players: int, games: int,
    bounds: SprtBounds | None, luck: bool, time: tuple[float, float | None] | None,
    sims: int | None, seed: int | None, out: str | None, resume: bool, repair: bool, fair: bool,
    nonces: tuple[str, ...], strict: bool, timeout: float, as_json: bool, early_roll: bool,
    board_file: str | None, concurrency: int, backend: str, scheduler: str | None,
) -> None:  # fmt: skip
    """Play a match between engines, and report which is stronger.

    An ENGINE is a player such as greedy, default:ms=100 or default:level=3 (from 1 to 10), or
    the command line of an engine that speaks the protocol; NAME=ENGINE names it. A player's own
    sims or ms take precedence over --sims and --time, and a level searches at most its own
    iterations.

    Seats rotate in blocks of games with duplicate deals, the same dice and cards for each seat:
    two engines swap their seats, larger matches play all seatings. All figures are over blocks.
    If players search by --sims, the table depends only on the arguments, however many games run
    at once. With --fair each game has its own dice and cards instead, which verify checks
    (docs/fair.md).
    """
    if resume and out is None:
        raise click.UsageError("--resume needs --out FILE: the match to continue")
    if fair and out is None:
        raise click.UsageError("--fair needs --out FILE, to keep the commitments")
    preset = None
    if ladder or floors:
        if ladder and floors:
            raise click.UsageError("--ladder and --floors cannot go together: choose one")
        others = engines, bounds, luck, fair, nonces, strict, early_roll, board_file
        preset = _preset("--floors" if floors else "--ladder", players, time, sims, seed, others)
    entries, names = ((), ()) if preset else entries_of(engines)
    by_engine = named_nonces(nonces, [entry.name for entry in entries], fair=fair)
    if bounds is not None and len(entries) != 2:
        raise click.UsageError("--sprt needs exactly two engines")
    if bounds is not None and luck and players != 2:
        raise click.UsageError("--sprt with --luck needs games of two players")
    options.check_outputs({"--out": out}, [board_file])
    place = options.make_backend(concurrency, backend, scheduler)
    from masons.match.running.match_runner import MatchProgress
    from masons.match.running.schedule import MatchSettings

    with match_file(out, resume=resume, repair=repair) as file:
        matches = preset.matches if preset else [
            MatchSettings(
                entries, names, players, _time_control(time, sims, strict=strict),
                _seed(out if resume else None) if seed is None else seed,
                board_text(load_board(board_file or "classic")), early_roll=early_roll, fair=fair,
            )
        ]  # fmt: skip
        prepare()
        before = games_before(out, matches, resume=resume, weighs_luck=luck)
        blocks = _blocks(games, matches, is_preset=preset is not None)
        if backend == "local":
            try_engines(entries)
        secrets = None
        if fair:
            secrets = fair_games(matches[0], blocks[0], before[0], file, by_engine)
        progresses = [MatchProgress(each, bounds, weighs_luck=luck) for each in matches]
        is_interrupted = False
        try:
            for job in zip(matches, blocks, progresses, before, strict=True):
                play(*job, file, place, timeout, secrets)
        except KeyboardInterrupt:
            is_interrupted = True
    _print_result(matches, progresses, preset, as_json=as_json)
    if is_interrupted:
        say(f"interrupted after {count(sum(each.games for each in progresses), 'game')}")
        raise click.exceptions.Exit(INTERRUPTED)


def _time_control(
    time: tuple[float, float | None] | None, sims: int | None, *, strict: bool
) -> TimeControl:
    from masons.match.running.schedule import TimeControl

    base, inc = time or (None, None)
    if inc is None:
        return TimeControl(movetime=base, sims=sims, strict=strict)
    return TimeControl(clock=base, inc=inc, sims=sims, strict=strict)


def _seed(file: str | None) -> int:
    """Return the seed of the match in a file, or a random one if there is none.

    No engine can predict the dice and cards of a random seed.
    """
    seed = None if file is None else seed_before(file)
    return randbelow(options.MAX_NUMBER) if seed is None else seed


def _blocks(games: int, matches: Sequence[MatchSettings], *, is_preset: bool) -> list[int]:
    """Return the number of blocks to play in each match."""
    from masons.match.ladder import blocks_for
    from masons.match.running.schedule import Schedule

    if is_preset:
        return [blocks_for(match, games) for match in matches]
    size = Schedule(matches[0]).block_size
    blocks = -(-games // size)
    if blocks * size != games:
        rounded = f"{count(games, 'game')} rounded up to {blocks * size:,}"
        say(f"{rounded}: {count(blocks, 'block')} of {size}")
    return [blocks]


def _print_result(
    matches: Sequence[MatchSettings], progresses: Sequence[MatchProgress], preset: Preset | None,
    *, as_json: bool,
) -> None:  # fmt: skip
    """Print the figures of all blocks that count."""
    played = [progress.counted() for progress in progresses]
    if not any(played):
        say("no block was completed")
        if as_json:
            click.echo("null")
    elif preset:
        _print_preset(preset, played, as_json=as_json)
    else:
        _print_match(matches[0], played[0], progresses[0].verdict, as_json=as_json)


def _print_match(
    settings: MatchSettings,
    blocks: Sequence[Sequence[GameOutcome]],
    verdict: SprtVerdict | None,
    *,
    as_json: bool,
) -> None:
    """Print the result on standard output and the time of each engine on standard error."""
    from masons.match.match_summary import summary_of, times_of

    summary = summary_of(settings, blocks, verdict)
    if as_json:
        from masons.cli.reports.match_json import match_figures

        click.echo(json.dumps(match_figures(summary)))
    else:
        from masons.cli.console import show
        from masons.cli.reports.match_report import match_report

        show(match_report(summary))
    sys.stdout.flush()
    for entry, times in zip(settings.entries, times_of(settings, blocks), strict=True):
        said = f"{times.total:.1f} s for its decisions, {times.slowest:.3f} s for the slowest"
        say(f"{entry.name}: {said}")


# --- the ladder


@dataclass(frozen=True)
class Preset:
    """The match of `--ladder`, or the matches of `--floors` with their floors.

    `floors` is empty for `--ladder`.
    """

    limits: Limits
    matches: list[MatchSettings]
    floors: list[Floor]


def _preset(
    word: str, players: int, time: tuple[float, float | None] | None, sims: int | None,
    seed: int | None, others: Sequence[object],
) -> Preset:  # fmt: skip
    """Return the matches for `word`, which is `--ladder` or `--floors`.

    `others` are the engines and then the values of the options that do not go with `word`. Raises
    UsageError.
    """
    from masons.match.ladder import floor_matches, standing_match

    engines, *settings = others
    if engines:
        raise click.UsageError(f"{word} has its own engines: give no ENGINE")
    if any(settings):
        takes_options = "--players, --games, --time, --sims, --seed, and those of files and output"
        raise click.UsageError(f"{word} takes only {takes_options}")
    if word == "--floors" and players != 2:
        raise click.UsageError("--floors has its own numbers of players: give no --players")
    if time and sims:
        raise click.UsageError(f"{word} takes --time or --sims, not both")
    if time and (time[1] is not None or time[0] * 1000 % 1):
        raise click.UsageError(f"{word} takes a time of whole milliseconds like 200ms")
    limits = LADDER_DEFAULT
    if time or sims:
        limits = Limits(sims=sims, movetime_ms=round(time[0] * 1000) if time else None)
    if word == "--ladder":
        return Preset(limits, [standing_match(limits, players, seed or 0)], [])
    with errors_of("", click.UsageError):
        rows = floor_matches(limits, seed or 0)
    return Preset(limits, [match for _, match in rows], [floor for floor, _ in rows])


def _print_preset(
    preset: Preset, played: Sequence[Sequence[Sequence[GameOutcome]]], *, as_json: bool
) -> None:
    """Print the ratings and the cross table, or the floors that have at least one block."""
    from masons.cli.console import show
    from masons.cli.reports import match_json, match_report
    from masons.match.ladder import cross_table, floor_line
    from masons.match.match_summary import summary_of

    limits = preset.limits
    if preset.floors:
        rows = zip(preset.floors, preset.matches, played, strict=True)
        lines = [floor_line(*row) for row in rows if row[2]]
        figures = match_json.floor_figures(limits, lines)
        report = match_report.floor_report(limits, lines)
    else:
        summary = summary_of(preset.matches[0], played[0], None)
        cross = cross_table(played[0], len(summary.settings.entries))
        figures = match_json.ladder_figures(limits, summary, cross)
        report = match_report.ladder_report(summary, cross)
    if as_json:
        click.echo(json.dumps(figures))
    else:
        show(report)
    sys.stdout.flush()
