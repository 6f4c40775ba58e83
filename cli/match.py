"""`match`: which of some engines is stronger."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from masons.cli.backends import backend_options, make_backend
from masons.cli.entries import entries_of, try_engines
from masons.cli.params import COUNT, DURATION, MAX_NUMBER, SEATS, Whole, board_option
from masons.engine.errors import MasonsError
from masons.screen.words import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from masons.match.backends import Backend
    from masons.match.journal import Outcome
    from masons.match.runner import Progress, Sprt
    from masons.match.schedule import Settings

    TimeType = click.ParamType[tuple[float, float | None]]
    BoundsType = click.ParamType[tuple[float, float]]
else:  # click before 8.2 knows no type arguments
    TimeType = BoundsType = click.ParamType

MAX_SIMS: Final = (1 << 32) - 2  # as in masons.ai.options
INTERRUPTED: Final = 130


class TimeControl(TimeType):
    """A time for each decision like 200ms, or a clock and what it gains like 60s+500ms."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float | None]:
        """Seconds, and those gained each decision, or None for no clock."""
        base, plus, gain = str(value).partition("+")
        seconds = DURATION.convert(base, param, ctx)
        if not plus:
            return seconds, None
        return seconds, 0.0 if gain.strip() in ("0", "0s") else DURATION.convert(gain, param, ctx)


class Bounds(BoundsType):
    """Two Elo differences like 0,20."""

    name = "elo0,elo1"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        """Both numbers, which make a test."""
        from masons.match.sprt import sprt

        try:
            low, high = map(float, str(value).split(","))
            sprt((), low, high)
        except ValueError as error:
            said = error if isinstance(error, MasonsError) else "write two numbers like 0,20"
            self.fail(f"{value!r}: {said}", param, ctx)
        return low, high


@click.command("match")
@click.argument("engines", nargs=-1, required=True, metavar="ENGINE ENGINE...")
@click.option(
    "--players", type=SEATS, default=2, show_default=True, metavar="N", help="Number of seats."
)
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
    "--time", type=TimeControl(), metavar="TIME",
    help="Time for each decision (200ms), or a clock and its gain for each decision (60s+500ms).",
)  # fmt: skip
@click.option("--sims", type=Whole(1, MAX_SIMS), metavar="N", help="Iterations for each decision.")
@click.option(
    "--seed", type=Whole(0), metavar="S",
    help="Seed of all luck.  [default: one by chance, which is told]",
)  # fmt: skip
@click.option("--out", metavar="FILE", help="File of records, one a game, written at once.")
@click.option("--resume", is_flag=True, help="Go on with the match in FILE.")
@click.option("--strict", is_flag=True, help="An engine's first fault forfeits the game.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--early-roll", is_flag=True, help="Play with the option early_roll.")
@board_option
@backend_options
def command(
    engines: tuple[str, ...],
    players: int,
    games: int,
    bounds: tuple[float, float] | None,
    time: tuple[float, float | None] | None,
    sims: int | None,
    seed: int | None,
    out: str | None,
    resume: bool,
    strict: bool,
    as_json: bool,
    early_roll: bool,
    board_file: str | None,
    concurrency: int,
    backend: str,
    scheduler: str | None,
) -> None:
    """Let engines play against each other, and say which is stronger.

    An ENGINE is a player like greedy or default:ms=100, or the command line of an
    engine that speaks the protocol; NAME=ENGINE names it. A player's own sims or ms go before
    --sims and --time.

    Seats rotate in blocks of games with equal luck: two engines of two players swap seats, more
    play all seatings. All figures are over blocks. The table depends on nothing but the
    arguments where players search by --sims, whatever is played at once and where.
    """
    from masons.cli.warm import parts_for, prepare
    from masons.engine.board import load_board
    from masons.match.schedule import Settings, block_size, board_text
    from masons.match.terms import Terms

    if resume and out is None:
        raise click.UsageError("--resume needs --out FILE: the match to go on with")
    entries, names = entries_of(engines)
    if bounds is not None and len(entries) != 2:
        raise click.UsageError("--sprt is a test of two engines")
    base, gain = time or (None, None)
    clock = gain is not None
    place = make_backend(concurrency, backend, scheduler)
    with _journal(out, resume=resume) as write:
        settings = Settings(
            entries=entries,
            names=names,
            players=players,
            terms=Terms(
                movetime=None if clock else base,
                clock=base if clock else None,
                inc=gain or 0.0,
                sims=sims,
                strict=strict,
            ),
            seed=_seed(seed, out if resume else None),
            board=board_text(load_board(board_file or "classic")),
            early_roll=early_roll,
        )
        before = _before(out, settings) if out is not None and resume else []
        prepare(*parts_for(entry.player for entry in entries))
        if backend == "local":
            try_engines(entries)
        size = block_size(settings)
        blocks = -(-games // size)
        if blocks * size != games:
            said = f"{count(games, 'game')} rounded up to {blocks * size:,}"
            click.echo(f"{said}: {count(blocks, 'block')} of {size}", err=True)
        _run(settings, blocks, place, _test(bounds), before, write, as_json=as_json)


def _test(bounds: tuple[float, float] | None) -> Sprt | None:
    from masons.match.runner import Sprt

    return None if bounds is None else Sprt(*bounds)


def _seed(seed: int | None, path: str | None) -> int:
    """The seed given, that of the match in a file, or one by chance, in this order.

    By chance, as an engine could guess a seed that is always the same, and so all luck.
    """
    if seed is None and path is not None:
        from masons.match.journal import seed_in

        seed = seed_in(path)
    return secrets.randbelow(MAX_NUMBER) if seed is None else seed


@contextmanager
def _journal(out: str | None, *, resume: bool) -> Iterator[Callable[[str], None]]:
    """What keeps a line. Raises MasonsError where a file exists that is not to be gone on with."""
    if out is None:
        yield lambda _: None
        return
    from masons.cli.files import LineFile

    if not resume and Path(out).exists():
        raise MasonsError(f"{out} exists: --resume goes on with the match in it")
    with closing(LineFile(out, append=True, force=False)) as file:
        if file.cut:
            click.echo(f"{out}: took off {file.cut} bytes of a game that was cut short", err=True)
        yield file.write


def _before(out: str, settings: Settings) -> list[Outcome]:
    from masons.match.journal import played_before

    before = played_before(out, settings)
    click.echo(f"{out}: {count(len(before), 'game')} played before", err=True)
    return before


def _run(
    settings: Settings,
    blocks: int,
    place: Backend,
    test: Sprt | None,
    before: list[Outcome],
    write: Callable[[str], None],
    *,
    as_json: bool,
) -> None:
    """Play, and print what came of it; also after Ctrl-C."""
    from masons.match.runner import Progress, run_match
    from masons.match.worker import close_engines

    progress = Progress(settings, test)
    interrupted = False
    with _watching(progress, settings, blocks) as watch:

        def keep(line: str, outcome: Outcome) -> None:
            write(line)
            watch(outcome)

        try:
            run_match(settings, blocks, place, progress, before=before, keep=keep)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            close_engines()
    _print(settings, progress, as_json=as_json)
    if interrupted:
        click.echo(f"interrupted after {count(progress.games, 'game')}", err=True)
        raise click.exceptions.Exit(INTERRUPTED)


@contextmanager
def _watching(
    progress: Progress, settings: Settings, blocks: int
) -> Iterator[Callable[[Outcome], None]]:
    """A bar with the victories so far, on a terminal."""
    from masons.cli.console import messages, progress_bar
    from masons.match.schedule import block_size

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


def _print(settings: Settings, progress: Progress, *, as_json: bool) -> None:
    """The result on stdout; what differs from run to run on stderr."""
    from masons.match.summary import summary_of, times_of

    blocks = progress.counted()
    if not blocks:
        click.echo("no block was played to its end", err=True)
        if as_json:
            click.echo("null")
        return
    summary = summary_of(settings, blocks, progress.verdict)
    if as_json:
        from masons.cli.match_figures import match_figures

        click.echo(json.dumps(match_figures(summary)))
    else:
        from masons.cli.console import show
        from masons.cli.match_report import match_report

        show(match_report(summary))
    sys.stdout.flush()
    for entry, times in zip(settings.entries, times_of(settings, blocks), strict=True):
        said = f"{times.total:.1f} s for its decisions, {times.slowest:.3f} s for the slowest"
        click.echo(f"{entry.name}: {said}", err=True)
