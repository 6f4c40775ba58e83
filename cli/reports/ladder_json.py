"""A ladder as data: what `ladder --json` prints.

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

from masons.cli.reports.match_json import estimate_figures, match_figures
from masons.match.standings import reached

if TYPE_CHECKING:
    from collections.abc import Sequence

    from masons.ai.search.limits import Limits
    from masons.match.match_summary import Summary
    from masons.match.standings import FloorLine
    from masons.match.statistics.estimate import Estimate

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
