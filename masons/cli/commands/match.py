"""The command `match`, which plays matches between engines."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from masons.ai.players.player_names import PLAYERS, player_name
from masons.ai.search.limits import MAX_SIMS
from masons.cli import options, process
from masons.cli.commands.match_run import MatchOptions, run
from masons.cli.sources import errors_of
from masons.engine.board.geometry import board_text, load_board
from masons.engine.errors import MasonsError
from masons.engine.plain_text import plain, quoted
from masons.protocol.client.client_arguments import (
    PATIENCE,
    TIME_MARGIN,
    check_program,
    command_words,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    help="Time per decision (200ms), or a clock and its increment (60s+500ms; without an "
    "increment 60s+0s). With a clock, the limit of a decision is what is left on it; the increment "
    "is added after the decision.",
)  # fmt: skip
@click.option(
    "--sims", type=options.whole(1, MAX_SIMS), metavar="N", help="Iterations per decision."
)
@click.option(
    "--seed", type=options.whole(0), metavar="S",
    help="Seed of dice, cards and players.  [default: a random one, which is printed; with "
    "--resume, that of FILE]",
)  # fmt: skip
@click.option(
    "--out",
    type=options.file_name,
    metavar="FILE",
    help="Write the record of each game to FILE as soon as it ends.",
)
@click.option(
    "--resume", is_flag=True,
    help="Continue the match in the FILE of --out. Repeat its engines and options; --seed may be "
    "left out, and --games may be larger or smaller.",
)  # fmt: skip
@options.repair
@options.log
@click.option(
    "--time-margin", "time_margin", type=options.duration, metavar="TIME",
    help="How far a decision may exceed its time; one that exceeds it further loses the game.  "
    "[default: 200ms]",
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
def match(**values: Any) -> None:
    """Play a match between engines, and report which is stronger.

    An ENGINE is a player such as greedy, default:ms=100 or default:level=3 (from 1 to 10), or
    the command line of an engine that speaks the protocol. NAME=ENGINE gives it a name; without
    NAME, an engine has the name that it reports. A player's own sims or ms take precedence over
    --sims and --time. A level also limits the number of iterations.

    Games are played in blocks with duplicate deals: in all games of a block, each seat gets the
    same dice and cards. Within a block, all seatings are played. Two engines have blocks of 2 games
    with 2 players, of 6 with 3 and of 14 with 4; three engines have blocks of 6 games with 3
    players and of 36 with 4. If there are more engines than players, a block is for one choice of
    engines, such as one pair, and the next block for the next choice. All figures are over blocks.
    With --sims, the table of built-in players depends only on the arguments, however many games
    run at once.
    """
    from masons.match.running.schedule import MatchSettings, TimeControl

    chosen = MatchOptions(**values)
    entries = _entries(chosen.engines)
    _check(chosen, entries)
    board = board_text(load_board(chosen.board_file or "classic"))
    if chosen.place.scheduler is None:
        entries = _started(entries, chosen.engines)
    entries = _with_names(entries)
    settings = MatchSettings(
        tuple(dict.fromkeys(entries)), tuple(entry.name for entry in entries), chosen.players,
        replace(
            chosen.time or TimeControl(), sims=chosen.sims, strict=chosen.strict,
            margin=TIME_MARGIN if chosen.time_margin is None else chosen.time_margin,
        ),
        board=board,
        early_roll=chosen.early_roll,
    )  # fmt: skip
    run(settings, chosen)


def _check(chosen: MatchOptions, entries: Sequence[Entry]) -> None:
    """Check the options before any engine starts. Raises UsageError, MasonsError and OSError."""
    if len(set(_with_names(entries))) != 2 and chosen.bounds is not None:
        raise click.UsageError("--sprt needs exactly two engines")
    if chosen.bounds is not None and chosen.luck and chosen.players != 2:
        raise click.UsageError("--sprt with --luck needs games of two players")
    if chosen.time_margin is not None and chosen.time is None:
        raise click.UsageError("--time-margin needs --time: the time that may be exceeded")
    if chosen.resume and chosen.out is None:
        raise click.UsageError("--resume needs --out FILE: the match to continue")
    if chosen.repair and not chosen.resume:
        raise click.UsageError("--repair needs --resume: the file to continue")
    if chosen.log is not None and (chosen.place.scheduler or chosen.place.concurrency > 1):
        raise click.UsageError("--log is for games played one at a time on this machine")
    options.check_outputs({"--out": chosen.out, "--log": chosen.log}, [chosen.board_file])


def _entries(texts: Sequence[str]) -> list[Entry]:
    """Return an engine for each text; equal texts give equal engines.

    Raises UsageError for fewer than two engines, and if one is neither a player nor a command.
    """
    if len(texts) < 2:
        raise click.UsageError("a match needs at least two engines")
    return [_entry(text) for text in texts]


def _with_names(entries: Sequence[Entry]) -> list[Entry]:
    """Return the engines with the names that they have in the match.

    An engine that is given several times has several seats. If all are the same engine, it plays
    against itself, and each seat has a name of its own. Raises UsageError if two engines have the
    same name.
    """
    if len(set(entries)) == 1:
        return [replace(entry, name=f"{entry.name}#{i}") for i, entry in enumerate(entries, 1)]
    counts = Counter(entry.name for entry in set(entries))
    for name in (entry.name for entry in entries):
        if counts[name] > 1:
            raise click.UsageError(f"two engines are called {name}: name them with NAME=ENGINE")
    return list(entries)


def _started(entries: Sequence[Entry], texts: Sequence[str]) -> list[Entry]:
    """Start each command once, and return the entries with the names that the engines report.

    An engine with a NAME of its own keeps it. If several engines have the same name, they keep
    their command lines as names. Raises MasonsError if a command does not answer.
    """
    from masons.protocol.client.engine_client import Engine

    own_names: dict[Entry, str] = {}
    for entry, text in zip(entries, texts, strict=True):
        if entry.command and entry not in own_names:
            name = entry.name if options.NAMED.fullmatch(text) else None
            with errors_of(f"engine {entry.name}"):
                try:
                    check_program(entry.command)
                except MasonsError as error:
                    raise MasonsError(f"{error}{_name_advice(text)}") from None
                with Engine(entry.command, name=name) as engine:
                    own_names[entry] = engine.name
    names = {entry: own_names.get(entry, entry.name) for entry in entries}
    shared = {name for name, number in Counter(names.values()).items() if number > 1}
    for name in sorted(shared & set(own_names.values())):
        process.say(f"two engines report the name {name}: name them with NAME=ENGINE")
    return [
        entry if names[entry] in shared else replace(entry, name=names[entry]) for entry in entries
    ]


def _name_advice(text: str) -> str:
    """Return what is wrong with the NAME of an engine that does not exist, or ""."""
    name, equals, _ = text.partition("=")
    if not equals or options.NAMED.fullmatch(text) or ":" in name or " -" in name:
        return ""
    return f"; {quoted(name, 40)} cannot be its NAME, which is {options.NAME_RULE}"


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
        unknown += _name_advice(text)
        raise click.UsageError(str(error) if is_player else unknown) from None
    return Entry(name, player=what)
