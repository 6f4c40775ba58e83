"""A ladder for people: the ratings and who beats whom, or what the default player reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from masons.ai.players.player_names import limit_option
from masons.cli.reports.match_report import (
    group_facts,
    played_words,
    rating_words,
    share,
    shown,
)
from masons.cli.reports.report_tables import add_row, figures_table, ranked_table
from masons.engine.plain_words import count, percent
from masons.match.standings import reached

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.ai.search.limits import Limits
    from masons.match.match_summary import Summary
    from masons.match.standings import FloorLine
    from masons.match.statistics.estimate import Estimate
    from masons.match.statistics.ratings import Rating


def standing_report(summary: Summary, cross: Sequence[Sequence[Estimate | None]]) -> RenderableType:
    """Who is how strong, the best first, and how often each placed before each other."""
    assert summary.ratings is not None
    rated = summary.ratings
    lines = {line.engine: line for line in summary.engines}
    ranked = sorted(
        (own for own in rated.ratings if own.engine in lines),
        key=lambda own: (-own.rating, own.engine),
    )
    names = [entry.name for entry in summary.settings.entries]
    table = ranked_table("#", "engine", "games", "rating", "victories %", "points")
    for place, own in enumerate(ranked, 1):
        line = lines[own.engine]
        cells = (f"{line.games:,}", rating_words(own), share(line.first), shown(line.score))
        add_row(table, str(place), names[own.engine], *cells)
    facts = [Text(f"{title}: {words}") for title, words in group_facts(summary, rated)]
    return Group(
        Text(played_words(summary)),
        "",
        table,
        *facts,
        "",
        _cross(ranked, names, cross),
    )


def _cross(
    ranked: Sequence[Rating], names: Sequence[str], cross: Sequence[Sequence[Estimate | None]]
) -> RenderableType:
    places = [str(place) for place in range(1, len(ranked) + 1)]
    table = ranked_table("#", "placed before, %", *places)
    for place, own in zip(places, ranked, strict=True):
        cells = [cross[own.engine][other.engine] for other in ranked]
        shares = ["-" if cell is None else percent(cell.mean) for cell in cells]
        add_row(table, place, names[own.engine], *shares)
    return table


def _others(names: Sequence[str]) -> str:
    """`greedy`, or `3 greedy`."""
    return names[0] if len(names) == 1 else f"{len(names)} {names[0]}"


def floor_report(limits: Limits, lines: Sequence[FloorLine]) -> RenderableType:
    """The floors, of each two lines: the share of first places, and the score margin in points."""
    table = figures_table(
        "first engine\nagainst", "games\nblocks", "first places %\nlead", "fair %\n",
        "floor\n", "reached by\n",
    )  # fmt: skip
    for line in lines:
        names, margin = line.settings.names, line.floor.margin
        add_row(
            table,
            f"{names[0]}\n{_others(names[1:])}",
            f"{line.games:,}\n{line.blocks:,}",
            f"{share(line.first)}\n{shown(line.margin)}",
            percent(line.fair),
            f"{percent(line.floor.share, 0)} %"
            + ("" if margin is None else f"\n{margin:g} points"),
            reached(line.first, line.floor.share)
            + ("" if margin is None else f"\n{reached(line.margin, margin)}"),
        )
    games = count(sum(line.games for line in lines), "game")
    seed = lines[0].settings.seed
    return Group(
        Text(f"{games}, {limit_option(limits)} a decision, seed {seed}; floors are for ms=200"),
        "",
        table,
        "",
        Text("reached by: bound, the lower bound of the 95% interval; mean, the mean alone; no"),
    )
