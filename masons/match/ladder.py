"""The ladder (a match between all named players) and the floors for the default player.

A floor is a separate match in which the first engine, the default player, must reach a given score
with 200 ms for each decision. `masons-engine match` plays the same match if it is given the same
engines and seed, and as many players as engines.

In the engines of a floor, `{full}` stands for the limit of each decision, which is a time or a
number of simulations. `{eighth}`, `{quarter}` and `{half}` stand for that fraction of the limit,
rounded down, and `{double}` stands for twice the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from masons.ai.players.player_names import PLAYERS, SEARCHERS, limit_option
from masons.ai.search.limits import MAX_MS, MAX_SIMS, Limits
from masons.engine.errors import MasonsError
from masons.match.running.schedule import Entry, MatchSettings, TimeControl, distinct
from masons.match.statistics.engine_scores import Block, pair_score
from masons.match.statistics.estimates import Estimate


@dataclass(frozen=True)
class Floor:
    """A match and the score that its first engine must reach."""

    engines: str
    share: float  # the smallest sufficient share of the victories
    margin: float | None = None  # the smallest sufficient score margin in points, if any
    is_timed: bool = False  # True if the floor is only played with a time limit


# The tree search with uniform playouts.
_UNIFORM: Final = "ismcts:policy=uniform,{full}"
FLOORS: Final = (
    Floor("default:{full} random", 0.97),
    Floor("default:{full} greedy", 0.99, margin=40),
    Floor("default:{full} greedy greedy greedy", 0.97),
    Floor(f"default:{{full}} {_UNIFORM}", 0.90),
    Floor(f"default:{{full}} {_UNIFORM} {_UNIFORM}", 0.75),
    Floor(f"default:{{full}} {_UNIFORM} {_UNIFORM} {_UNIFORM}", 0.65),
    Floor("default:{full} heuristic", 0.97),
    Floor("default:{quarter} default:{eighth}", 0.53),
    Floor("default:{half} default:{quarter}", 0.53),
    Floor("default:{full} default:{half}", 0.53),
    Floor("default:{double} default:{full}", 0.53),
    Floor("default:{quarter} ismcts:{full}", 0.60),
    # With a limit on simulations, two threads share them. Only with a time limit can two threads do
    # twice the work.
    Floor("default:{full},threads=2 default:{full}", 0.50, is_timed=True),
)


# For each word in FLOORS, the fraction of a decision's limit that the word stands for.
_PARTS: Final = {
    "eighth": (1, 8),
    "quarter": (1, 4),
    "half": (1, 2),
    "full": (1, 1),
    "double": (2, 1),
}


def _match(engines: Sequence[str], players: int) -> MatchSettings:
    """Return a match of named players with the default settings of `masons-engine match`."""
    entries = tuple(Entry(spec, player=spec) for spec in distinct(engines))
    return MatchSettings(entries, tuple(engines), players, TimeControl())


def ladder_match(limits: Limits, players: int) -> MatchSettings:
    """Return the match between all named players. The players that search get `limits`."""
    option = limit_option(limits)
    engines = [f"{name}:{option}" if name in SEARCHERS else name for name in PLAYERS]
    return _match(engines, players)


def floor_matches(limits: Limits) -> list[tuple[Floor, MatchSettings]]:
    """Return each floor with its match.

    Timed floors are left out if `limits` is a number of simulations. Raises MasonsError if `limits`
    is too low to be divided by eight or too high to be doubled.
    """
    unit, _, amount = limit_option(limits).partition("=")
    most = (MAX_MS if limits.sims is None else MAX_SIMS) // 2
    if not 8 <= int(amount) <= most:
        raise MasonsError(
            f"floors need {unit} from 8 to {most}: they also play an eighth and the double of it"
        )
    parts = {word: limit_option(limits.part(*part)) for word, part in _PARTS.items()}
    rows = []
    for floor in FLOORS:
        if not floor.is_timed or limits.sims is None:
            engines = floor.engines.format(**parts).split()
            rows.append((floor, _match(engines, len(engines))))
    return rows


def blocks_for(settings: MatchSettings, games: int) -> int:
    """Return the number of blocks that gives each line-up of a match at least `games` games."""
    return len(settings.lineups) * -(-games // settings.block_size)


def reached(value: Estimate, floor: float) -> str:
    """Return how clearly an estimate reaches a floor.

    The result is "bound" if the lower bound of the interval reaches the floor, "mean" if only the
    mean reaches it, and "no" if the mean is below it.
    """
    if value.low >= floor:
        return "bound"
    return "mean" if value.mean >= floor else "no"


def cross_table(played: Sequence[Block], engines: int) -> list[list[Estimate | None]]:
    """Return, for each pair of engines, the share of games in which the row's engine placed better.

    Rows and columns are the engines 0 to `engines` - 1. A shared place counts half. A cell is None
    if the two engines did not meet or are the same.
    """
    return [
        [None if a == b else pair_score(played, a, b) for b in range(engines)]
        for a in range(engines)
    ]
