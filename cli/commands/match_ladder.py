"""The plans of `match --ladder` and `match --floors`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from masons.ai.search.limits import LADDER_DEFAULT, Limits
from masons.cli.commands.match_run import MatchOptions, Plan, Report
from masons.cli.sources import errors_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.match.ladder import Floor
    from masons.match.running.match_runner import MatchProgress


def ladder_plan(chosen: MatchOptions) -> Plan:
    """Return the plan of the match between all named players. Raises UsageError."""
    from masons.match.ladder import blocks_for, ladder_match

    limits = _limits("--ladder", chosen)
    match = ladder_match(limits, chosen.players)
    blocks = blocks_for(match, chosen.games)
    return Plan([match], [blocks], chosen.seed or 0, partial(_ladder_report, limits))


def floors_plan(chosen: MatchOptions) -> Plan:
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
        chosen.bounds, chosen.luck, chosen.fair, chosen.nonces, chosen.strict, chosen.early_roll,
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
