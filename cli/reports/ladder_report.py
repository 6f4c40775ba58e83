"""A ladder: the ratings and who beats whom, or what the default player reached, in text or JSON.

`ladder --json` prints:

| key                 | value                                                                  |
| ------------------- | ---------------------------------------------------------------------- |
| `format`, `version` | `masons-ladder`, 1                                                     |
| `seed`, `ms`, `sims` | how it was played; `ms` or `sims` is null                             |
| `match`             | all against all: the object that `match --json` prints                 |
| `cross`             | in the order of its engines, a list for each of them: the estimate of  |
|                     | the share of games in which it placed before each one, or null         |
| `floors`            | with `--floors`, instead: a list, as below                             |

A floor: `engines` (as `match` takes them; the first one must reach it), `games`, `blocks`, `first`
(the estimate of its share of first places), `fair` (that among equals), `floor`, `reached` (`bound`
where the lower bound of the interval reaches it, `mean` where only the mean does, or `no`), the
estimate `lead` on the best other seat in points, `lead_floor` and `lead_reached`, null where it
has none. Estimates are those of `match --json`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from masons.ai.players.player_names import limit_option
from masons.cli.reports.match_json import estimate_figures, match_figures
from masons.cli.reports.match_report import (
    group_facts,
    played_words,
    rating_words,
    share,
    shown,
)
from masons.cli.reports.report_tables import add_row, figures_table, ranked_table
from masons.engine.plain_text import count, percent
from masons.match.standings import reached

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.ai.search.limits import Limits
    from masons.match.match_summary import Summary
    from masons.match.standings import FloorLine
    from masons.match.statistics.estimates import Estimate
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


FORMAT: Final = "masons-ladder"
VERSION: Final = 1


def _head(limits: Limits, seed: int) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "seed": seed,
        "ms": limits.movetime_ms,
        "sims": limits.sims,
    }


def standing_figures(
    limits: Limits, summary: Summary, cross: Sequence[Sequence[Estimate | None]]
) -> dict[str, Any]:
    """The JSON object of all against all; `cross` is over the entries of the settings."""
    playing = [line.engine for line in summary.engines]
    return {
        **_head(limits, summary.settings.seed),
        "match": match_figures(summary),
        "cross": [[estimate_figures(cross[a][b]) for b in playing] for a in playing],
    }


def _floor(line: FloorLine) -> dict[str, Any]:
    margin = line.floor.margin
    return {
        "engines": list(line.settings.names),
        "games": line.games,
        "blocks": line.blocks,
        "first": estimate_figures(line.first),
        "fair": round(line.fair, 6),
        "floor": line.floor.share,
        "reached": reached(line.first, line.floor.share),
        "lead": estimate_figures(line.margin),
        "lead_floor": margin,
        "lead_reached": None if margin is None else reached(line.margin, margin),
    }


def floor_figures(limits: Limits, lines: Sequence[FloorLine]) -> dict[str, Any]:
    """The JSON object of floors, at least one."""
    seed = lines[0].settings.seed
    return {**_head(limits, seed), "floors": [_floor(line) for line in lines]}
