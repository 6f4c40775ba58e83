"""`match`: which of some engines is stronger."""

from __future__ import annotations

import json
import secrets
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from masons.cli.commands.games.match_nonces import fair_games, named_nonces
from masons.cli.commands.games.match_progress import (
    Lines,
    end_interrupted,
    games_before,
    journal_in,
    nothing,
    play,
    print_times,
    seed_before,
)
from masons.cli.options.engine_names import entries_of, try_engines
from masons.cli.options.shared_options import (
    COUNT,
    DURATION,
    FILE,
    MAX_NUMBER,
    SIMS,
    Whole,
    backend_options,
    board_option,
    check_outputs,
    early_roll_option,
    json_option,
    make_backend,
    players_option,
    repair_option,
    takes,
)
from masons.cli.support.process import say
from masons.engine.errors import MasonsError
from masons.engine.plain_text import count
from masons.protocol.client.client_arguments import PATIENCE

if TYPE_CHECKING:
    from masons.match.running.backends import Backend
    from masons.match.running.fair_games import FairGames
    from masons.match.running.match_file import Outcome
    from masons.match.running.match_runner import Progress, Sprt
    from masons.match.running.schedule import Settings, TimeControl

    TimeType = click.ParamType[tuple[float, float | None]]
    BoundsType = click.ParamType[tuple[float, float]]
else:  # click before 8.2 knows no type arguments
    TimeType = BoundsType = click.ParamType


class TimeControlType(TimeType):
    """A time for each decision like 200ms, or a clock with an increment like 60s+500ms."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float | None]:
        """Seconds, and the increment of each decision, or None for no clock."""
        base, plus, inc = str(value).partition("+")
        if plus and not (base.strip() and inc.strip()):
            self.fail(
                f"{value!r} is no time: write 200ms, or a clock and its gain, 60s+500ms", param, ctx
            )
        seconds = DURATION.convert(base, param, ctx)
        if not plus:
            return seconds, None
        return seconds, 0.0 if inc.strip() in ("0", "0s") else DURATION.convert(inc, param, ctx)


class Bounds(BoundsType):
    """Two Elo differences like 0,20."""

    name = "elo0,elo1"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        """Both numbers, which make a test."""
        from masons.match.statistics.sprt import sprt

        try:
            low, high = map(float, str(value).split(","))
            sprt((), low, high)
        except ValueError as error:
            said = error if isinstance(error, MasonsError) else "write two numbers like 0,20"
            self.fail(f"{value!r}: {said}", param, ctx)
        return low, high


@dataclass(frozen=True)
class MatchOptions:
    """What `match` is asked for; the names are those of its options."""

    engines: tuple[str, ...]
    players: int
    games: int
    bounds: tuple[float, float] | None
    luck: bool
    time: tuple[float, float | None] | None
    sims: int | None
    seed: int | None
    out: str | None
    resume: bool
    repair: bool
    fair: bool
    nonces: tuple[str, ...]
    strict: bool
    timeout: float
    as_json: bool
    early_roll: bool
    board_file: str | None
    concurrency: int
    backend: str
    scheduler: str | None


@click.command("match")
@click.argument("engines", nargs=-1, required=True, metavar="ENGINE ENGINE...")
@players_option
@click.option(
    "--games", type=COUNT, default=100, show_default=True, metavar="G",
    help="Number of games, rounded up to whole blocks; with --sprt the most.",
)  # fmt: skip
@click.option(
    "--sprt", "bounds", type=Bounds(), metavar="ELO0,ELO1",
    help="Stop as soon as it is clear (5% error each) whether the first engine is only ELO0 "
    "better than the second, or ELO1.",
)  # fmt: skip
@click.option(
    "--luck", is_flag=True,
    help="Weigh what dice and cards gave each seat, and show the results without it; --sprt then "
    "goes by those.",
)  # fmt: skip
@click.option(
    "--time", type=TimeControlType(), metavar="TIME",
    help="Time for each decision (200ms), or a clock and its gain for each decision (60s+500ms).",
)  # fmt: skip
@click.option("--sims", type=SIMS, metavar="N", help="Iterations for each decision.")
@click.option(
    "--seed", type=Whole(0), metavar="S",
    help="Seed of all luck.  [default: one by chance, which is told]",
)  # fmt: skip
@click.option(
    "--out", type=FILE, metavar="FILE", help="File of records, one a game, written at once."
)
@click.option("--resume", is_flag=True, help="Go on with the match in FILE.")
@repair_option
@click.option(
    "--fair", is_flag=True,
    help="Luck that anybody can verify afterwards; each game's own, not equal in a block.",
)  # fmt: skip
@click.option(
    "--nonce", "nonces", multiple=True, metavar="ENGINE=TEXT",
    help="With --fair: what an engine adds to the luck. At a terminal the others are asked for.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="An engine's first fault forfeits the game.")
@click.option(
    "--timeout", type=DURATION, default=f"{PATIENCE.silence:g}s", show_default=True, metavar="TIME",
    help="How long an engine's process may say nothing where no limit names a time. Its second "
    "stall forfeits the game.",
)  # fmt: skip
@json_option
@early_roll_option
@board_option
@backend_options
@takes(MatchOptions)
def command(options: MatchOptions) -> None:
    """Let engines play, and say which is stronger.

    An ENGINE is a player like greedy, default:ms=100 or default:level=3 (from 1 to 10), or the
    command line of an engine that speaks the protocol; NAME=ENGINE names it. A player's own sims
    or ms go before --sims and --time, and a level searches its own iterations at most.

    Seats rotate in blocks of games with equal luck: two engines of two players swap seats, more
    play all seatings. All figures are over blocks. The table depends on nothing but the
    arguments where players search by --sims, whatever is played at once and where. --fair plays
    each game with luck of its own instead, which verify replays (docs/fair.md).
    """
    from masons.cli.support.precompile import prepare
    from masons.engine.board.geometry import board_text, load_board
    from masons.match.running.schedule import Settings, block_size

    if options.resume and options.out is None:
        raise click.UsageError("--resume needs --out FILE: the match to go on with")
    if options.fair and options.out is None:
        raise click.UsageError("--fair needs --out FILE, where the commitments stand")
    entries, names = entries_of(options.engines)
    nonces = named_nonces(options.nonces, [entry.name for entry in entries], fair=options.fair)
    if options.bounds is not None and len(entries) != 2:
        raise click.UsageError("--sprt is a test of two engines")
    if options.bounds is not None and options.luck and options.players != 2:
        raise click.UsageError("--sprt with --luck is a test of games of two players")
    check_outputs({"--out": options.out}, [options.board_file])
    place = make_backend(options.concurrency, options.backend, options.scheduler)
    with journal_in(options.out, resume=options.resume, repair=options.repair) as file:
        settings = Settings(
            entries=entries,
            names=names,
            players=options.players,
            time_control=_time_control(options),
            seed=_seed(options.seed, options.out if options.resume else None),
            board=board_text(load_board(options.board_file or "classic")),
            early_roll=options.early_roll,
            fair=options.fair,
        )
        prepare()
        (before,) = games_before(
            options.out, [settings], resume=options.resume, weighs_luck=options.luck
        )
        if options.backend == "local":
            try_engines(entries)
        size = block_size(settings)
        blocks = -(-options.games // size)
        if blocks * size != options.games:
            asked = f"{count(options.games, 'game')} rounded up to {blocks * size:,}"
            say(f"{asked}: {count(blocks, 'block')} of {size}")
        fair = fair_games(settings, blocks, before, file, nonces) if options.fair else None
        _run(options, settings, blocks, place, before, file, fair)


def _time_control(options: MatchOptions) -> TimeControl:
    from masons.match.running.schedule import TimeControl

    base, inc = options.time or (None, None)
    is_clock = inc is not None
    return TimeControl(
        movetime=None if is_clock else base,
        clock=base if is_clock else None,
        inc=inc or 0.0,
        sims=options.sims,
        strict=options.strict,
    )


def _test(bounds: tuple[float, float] | None) -> Sprt | None:
    from masons.match.running.match_runner import Sprt

    return None if bounds is None else Sprt(*bounds)


def _seed(seed: int | None, path: str | None) -> int:
    """The seed given, that of the match in a file, or one by chance, in this order.

    By chance, as an engine could predict from a seed that is always the same all dice and cards.
    """
    if seed is None and path is not None:
        seed = seed_before(path)
    return secrets.randbelow(MAX_NUMBER) if seed is None else seed


def _run(
    options: MatchOptions,
    settings: Settings,
    blocks: int,
    place: Backend,
    before: list[Outcome],
    file: Lines,
    fair: FairGames | None,
) -> None:
    """Play, and print what came of it; also after Ctrl-C."""
    from masons.match.running.match_runner import Progress

    progress = Progress(settings, _test(options.bounds), weighs_luck=options.luck)
    interrupted = False
    try:
        play(settings, blocks, place, progress, before, file, options.timeout, fair)
    except KeyboardInterrupt:
        interrupted = True
    _print(settings, progress, as_json=options.as_json)
    if interrupted:
        end_interrupted(progress.games)


def _print(settings: Settings, progress: Progress, *, as_json: bool) -> None:
    """The result on stdout; what differs from run to run on stderr."""
    from masons.match.match_summary import summary_of

    blocks = progress.counted()
    if not blocks:
        nothing(as_json=as_json)
        return
    summary = summary_of(settings, blocks, progress.verdict)
    if as_json:
        from masons.cli.reports.match_json import match_figures

        click.echo(json.dumps(match_figures(summary)))
    else:
        from masons.cli.reports.match_report import match_report
        from masons.cli.support.console import show

        show(match_report(summary))
    sys.stdout.flush()
    print_times(settings, blocks)
