"""The command `match`, which plays matches between engines, or the ladder of named players."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from masons.ai.players.player_names import PLAYERS, player_name
from masons.ai.search.limits import LADDER_DEFAULT, MAX_SIMS, Limits
from masons.cli import options
from masons.cli.commands.match_run import MatchOptions, Plan, Report, run
from masons.cli.sources import errors_of
from masons.engine.board.geometry import board_text, load_board
from masons.engine.errors import MasonsError
from masons.engine.plain_text import count, plain
from masons.protocol.client.client_arguments import PATIENCE, command_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.match.ladder import Floor
    from masons.match.running.match_runner import MatchProgress
    from masons.match.running.schedule import Entry, TimeControl
    from masons.match.statistics.sprt import SprtBounds


def time_control(text: str) -> TimeControl:
    """Parse a time such as 200ms, or a clock such as 60s+500ms."""
    from masons.match.running.schedule import TimeControl

    base, plus, inc = text.partition("+")
    if plus and not (base.strip() and inc.strip()):
        raise click.BadParameter(
            f"{text!r} is not a time: write 200ms, or a clock and its increment, 60s+500ms"
        )
    seconds = options.duration(base)
    if not plus:
        return TimeControl(movetime=seconds)
    return TimeControl(
        clock=seconds, inc=0.0 if inc.strip() in ("0", "0s") else options.duration(inc)
    )


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
def match(**values: Any) -> None:
    """Play a match between engines, and report which is stronger.

    An ENGINE is a player such as greedy, default:ms=100 or default:level=3 (from 1 to 10), or
    the command line of an engine that speaks the protocol. NAME=ENGINE gives it a name. A
    player's own sims or ms take precedence over --sims and --time. A level also limits the
    number of iterations.

    Games are played in blocks with duplicate deals: in all games of a block, each seat gets the
    same dice and cards. Within a block, two engines swap their seats; with more engines, all
    seatings are played. All figures are over blocks. With --sims, the table depends only on the
    arguments, however many games run at once.
    """
    chosen = MatchOptions(**values)
    if chosen.ladder and chosen.floors:
        raise click.UsageError("--ladder and --floors cannot go together: choose one")
    if chosen.ladder:
        run(_ladder_plan(chosen), chosen)
    elif chosen.floors:
        run(_floors_plan(chosen), chosen)
    else:
        run(_engines_plan(chosen), chosen)


def _engines_plan(chosen: MatchOptions) -> Plan:
    """Return the plan of a match between the engines. Raises UsageError."""
    from masons.match.running.schedule import MatchSettings, TimeControl

    entries, names = _entries(chosen.engines)
    if chosen.bounds is not None and len(entries) != 2:
        raise click.UsageError("--sprt needs exactly two engines")
    if chosen.bounds is not None and chosen.luck and chosen.players != 2:
        raise click.UsageError("--sprt with --luck needs games of two players")
    settings = MatchSettings(
        entries, names, chosen.players,
        replace(chosen.time or TimeControl(), sims=chosen.sims, strict=chosen.strict),
        board=board_text(load_board(chosen.board_file or "classic")),
        early_roll=chosen.early_roll,
    )  # fmt: skip
    size = settings.block_size
    blocks = -(-chosen.games // size)
    notice = ""
    if blocks * size != chosen.games:
        rounded = f"{count(chosen.games, 'game')} rounded up to {blocks * size:,}"
        notice = f"{rounded}: {count(blocks, 'block')} of {size}"
    return Plan([settings], [blocks], chosen.seed, _report, notice)


def _report(matches: Sequence[MatchProgress]) -> Report:
    """Return the figures of the match, with the time of each engine as a note."""
    from masons.cli.reports.match_json import match_figures
    from masons.cli.reports.match_report import match_report
    from masons.match.match_summary import summary_of

    [match] = matches
    blocks = match.counted()
    summary = summary_of(match.settings, blocks, match.verdict)
    notes = []
    for engine, entry in enumerate(match.settings.entries):
        seats = [
            (game, seat) for block in blocks for game in block for seat in game.seats_of(engine)
        ]
        total = sum(game.seconds[seat] for game, seat in seats)
        slowest = max((game.slowest[seat] for game, seat in seats), default=0.0)
        notes.append(
            f"{entry.name}: {total:.1f} s for its decisions, {slowest:.3f} s for the slowest"
        )
    return Report(match_figures(summary), match_report(summary), notes)


def _entries(texts: Sequence[str]) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """Return the distinct engines, and the names of all engines in order.

    An engine that is given several times has several seats. If all are the same engine, it plays
    against itself, and each seat has a name of its own. Raises UsageError for fewer than two
    engines, and if an engine is neither a player nor a command.
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

    named = options.NAMED.fullmatch(text)
    name, what = (named[1], named[2]) if named else (plain(text), text)
    is_player = player_name(what) in PLAYERS
    # A command line contains a space or a path separator, or is the name of a program.
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


# --- the ladder and the floors


def _ladder_plan(chosen: MatchOptions) -> Plan:
    """Return the plan of the match between all named players. Raises UsageError."""
    from masons.match.ladder import blocks_for, ladder_match

    limits = _limits("--ladder", chosen)
    match = ladder_match(limits, chosen.players)
    blocks = blocks_for(match, chosen.games)
    return Plan([match], [blocks], chosen.seed or 0, partial(_ladder_report, limits))


def _floors_plan(chosen: MatchOptions) -> Plan:
    """Return the plan of the matches with floors. Raises UsageError."""
    from masons.match.ladder import blocks_for, floor_matches

    limits = _limits("--floors", chosen)
    if chosen.players != 2:
        raise click.UsageError("--floors has its own numbers of players: give no --players")
    with errors_of("", click.UsageError):
        floors, matches = zip(*floor_matches(limits), strict=True)
    blocks = [blocks_for(match, chosen.games) for match in matches]
    return Plan(matches, blocks, chosen.seed or 0, partial(_floors_report, limits, floors))


def _limits(word: str, chosen: MatchOptions) -> Limits:
    """Return the limits for each decision.

    Raises UsageError if an option cannot be used with `word`, which is `--ladder` or `--floors`.
    """
    if chosen.engines:
        raise click.UsageError(f"{word} has its own engines: give no ENGINE")
    if any((
        chosen.bounds, chosen.luck, chosen.strict, chosen.early_roll,
        chosen.board_file,
    )):  # fmt: skip
        takes_options = "--players, --games, --time, --sims, --seed, and those of files and output"
        raise click.UsageError(f"{word} takes only {takes_options}")
    if chosen.time is None:
        return LADDER_DEFAULT if chosen.sims is None else Limits(sims=chosen.sims)
    if chosen.sims:
        raise click.UsageError(f"{word} takes --time or --sims, not both")
    seconds = chosen.time.movetime
    if seconds is None or seconds * 1000 % 1:
        raise click.UsageError(f"{word} takes a time of whole milliseconds like 200ms")
    return Limits(movetime_ms=round(seconds * 1000))


def _ladder_report(limits: Limits, matches: Sequence[MatchProgress]) -> Report:
    """Return the ratings and the cross table."""
    from masons.cli.reports.match_json import ladder_figures
    from masons.cli.reports.match_report import ladder_report
    from masons.match.ladder import cross_table
    from masons.match.match_summary import summary_of

    [match] = matches
    blocks = match.counted()
    summary = summary_of(match.settings, blocks, None)
    cross = cross_table(blocks, len(match.settings.entries))
    return Report(ladder_figures(limits, summary, cross), ladder_report(summary, cross))


def _floors_report(
    limits: Limits, floors: Sequence[Floor], matches: Sequence[MatchProgress]
) -> Report:
    """Return the results of all floors that have at least one full block."""
    from masons.cli.reports.match_json import floor_figures
    from masons.cli.reports.match_report import floor_report
    from masons.match.match_summary import summary_of

    rows = [
        (floor, summary_of(match.settings, blocks, None))
        for floor, match in zip(floors, matches, strict=True)
        if (blocks := match.counted())
    ]
    return Report(floor_figures(limits, rows), floor_report(limits, rows))
