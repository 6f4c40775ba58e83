"""`ladder`: the table of the named players, played again."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from masons.ai.search.limits import LADDER_DEFAULT, MAX_MS, MAX_SIMS, Limits
from masons.cli.commands.games.match_progress import (
    end_interrupted,
    games_before,
    journal_in,
    nothing,
    play,
)
from masons.cli.options.shared_options import (
    COUNT,
    FILE,
    SEATS,
    Whole,
    backend_options,
    json_option,
    make_backend,
    repair_option,
    takes,
)
from masons.engine.errors import MasonsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from masons.match.running.match_file import Outcome
    from masons.match.running.schedule import Settings
    from masons.match.standings import Floor

# A floor doubles what a player takes.
_DOUBLE: Final = 2
DEFAULT_MS: Final = int(LADDER_DEFAULT.movetime_ms or 0)


@dataclass(frozen=True)
class LadderOptions:
    """What `ladder` is asked for; the names are those of its options."""

    floors: bool
    players: int | None
    games: int
    ms: int | None
    sims: int | None
    seed: int
    out: str | None
    resume: bool
    repair: bool
    as_json: bool
    concurrency: int
    backend: str
    scheduler: str | None


@click.command("ladder")
@click.option(
    "--floors", is_flag=True,
    help="Play what the default player must reach, instead of all against all.",
)  # fmt: skip
@click.option(
    "--players", type=SEATS, metavar="N",
    help="Number of seats where all meet all.  [default: 2]",
)  # fmt: skip
@click.option(
    "--games", type=COUNT, default=100, show_default=True, metavar="G",
    help="Games of each pairing, rounded up to whole blocks.",
)  # fmt: skip
@click.option(
    "--ms", type=Whole(1, MAX_MS // _DOUBLE), metavar="MS",
    help=f"Milliseconds for each decision of a search.  [default: {DEFAULT_MS}]",
)  # fmt: skip
@click.option(
    "--sims", type=Whole(1, MAX_SIMS // _DOUBLE), metavar="N",
    help="Iterations instead, with which the same seed gives the same table.",
)  # fmt: skip
@click.option(
    "--seed", type=Whole(0), default=0, show_default=True, metavar="S", help="Seed of all luck."
)
@click.option(
    "--out", type=FILE, metavar="FILE", help="File of records, one a game, written at once."
)
@click.option("--resume", is_flag=True, help="Go on with the ladder in FILE.")
@repair_option
@json_option
@backend_options
@takes(LadderOptions)
def command(options: LadderOptions) -> None:
    """Play the table of the named players again.

    Every two of random, busy, greedy, heuristic, policy, ismcts-plain and default meet in blocks of
    games with equal luck and swapped seats. With --floors the default player meets the others, more
    of them at once, itself with half the time, and itself with one thread, and each line says
    whether it reached what it must at 200 ms a decision.

    Both are matches as `match` plays them. At 200 ms they take hours; where times are compared,
    each game at once needs processors of its own.
    """
    from masons.cli.support.precompile import prepare
    from masons.match.running.match_runner import Progress
    from masons.match.standings import blocks_for, floor_matches, standing_match

    if options.resume and options.out is None:
        raise click.UsageError("--resume needs --out FILE: the ladder to go on with")
    if options.ms is not None and options.sims is not None:
        raise click.UsageError("a search is given --ms or --sims, not both")
    if options.floors and options.players is not None:
        raise click.UsageError("--floors has its own numbers of players: --players is for the rest")
    limits = Limits(movetime_ms=options.ms or DEFAULT_MS)
    if options.sims is not None:
        limits = Limits(sims=options.sims)
    place = make_backend(options.concurrency, options.backend, options.scheduler)
    try:
        rows = floor_matches(limits, options.seed) if options.floors else []
    except MasonsError as error:
        raise click.UsageError(str(error)) from None
    matches = [own for _, own in rows]
    if not matches:
        matches = [standing_match(limits, options.players or 2, options.seed)]
    progresses = [Progress(settings, None) for settings in matches]
    interrupted = False
    with journal_in(options.out, resume=options.resume, repair=options.repair) as file:
        before = games_before(options.out, matches, resume=options.resume)
        prepare()
        try:
            for settings, progress, games_played in zip(matches, progresses, before, strict=True):
                blocks = blocks_for(settings, options.games)
                play(settings, blocks, place, progress, games_played, file)
        except KeyboardInterrupt:
            interrupted = True
    played = [progress.counted() for progress in progresses]
    _print(limits, rows, matches[0], played, as_json=options.as_json)
    if interrupted:
        end_interrupted(sum(progress.games for progress in progresses))


def _print(
    limits: Limits,
    rows: Sequence[tuple[Floor, Settings]],
    standing: Settings,
    played: Sequence[Sequence[Sequence[Outcome]]],
    *,
    as_json: bool,
) -> None:
    """The lines of the floors in `rows`, of which blocks were played; else the standing table."""
    if not any(played):
        nothing(as_json=as_json)
        return
    result = _floors(limits, rows, played) if rows else _standing(limits, standing, played[0])
    figures, report = result
    if as_json:
        click.echo(json.dumps(figures))
    else:
        from masons.cli.support.console import show

        show(report)
    sys.stdout.flush()


def _floors(
    limits: Limits,
    rows: Sequence[tuple[Floor, Settings]],
    played: Sequence[Sequence[Sequence[Outcome]]],
) -> tuple[dict[str, Any], RenderableType]:
    from masons.cli.reports.ladder_report import floor_figures, floor_report
    from masons.match.standings import floor_line

    lines = [
        floor_line(floor, settings, blocks)
        for (floor, settings), blocks in zip(rows, played, strict=True)
        if blocks
    ]
    return floor_figures(limits, lines), floor_report(limits, lines)


def _standing(
    limits: Limits, settings: Settings, blocks: Sequence[Sequence[Outcome]]
) -> tuple[dict[str, Any], RenderableType]:
    from masons.cli.reports.ladder_report import standing_figures, standing_report
    from masons.match.match_summary import summary_of
    from masons.match.standings import cross_table

    summary = summary_of(settings, blocks, None)
    cross = cross_table(blocks, len(settings.entries))
    return standing_figures(limits, summary, cross), standing_report(summary, cross)
