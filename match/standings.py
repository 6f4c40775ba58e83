"""The ladder: named players that everybody can let play again, and the floors of the default one.

The standing players meet each other in one match. The floors are matches of their own: what the
first engine, the default player, must at least reach against the others, at 200 ms a decision. Each
is `masons-engine match` with these engines, as many players as engines, and the same seed.

In the engines `{full}` stands for the time (or the simulations) of a decision, the other words for
parts of it, rounded down, or its double.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from masons.ai.players.player_names import SEARCHERS, STANDING, limit_option
from masons.ai.search.limits import Limits
from masons.engine.errors import MasonsError
from masons.match.running.match_file import Outcome
from masons.match.running.schedule import Entry, Settings, TimeControl, blocks, distinct
from masons.match.statistics.engine_scores import Block, engine_line, pair_values
from masons.match.statistics.estimates import Estimate, estimate


@dataclass(frozen=True)
class Floor:
    """A match and what its first engine must reach in it."""

    engines: str
    share: float  # of first places
    margin: float | None = None  # points above the best other seat
    timed: bool = False  # means nothing where simulations are counted instead of time


FLOORS: Final = (
    Floor("default:{full} random", 0.97),
    Floor("default:{full} greedy", 0.99, margin=40),
    Floor("default:{full} greedy greedy greedy", 0.97),
    Floor("default:{full} ismcts-plain:{full}", 0.90),
    Floor("default:{full} ismcts-plain:{full} ismcts-plain:{full}", 0.75),
    Floor("default:{full} ismcts-plain:{full} ismcts-plain:{full} ismcts-plain:{full}", 0.65),
    Floor("default:{full} heuristic", 0.97),
    Floor("default:{quarter} default:{eighth}", 0.53),
    Floor("default:{half} default:{quarter}", 0.53),
    Floor("default:{full} default:{half}", 0.53),
    Floor("default:{double} default:{full}", 0.53),
    # The default player before this search came: the tree search.
    Floor("default:{quarter} ismcts:{full}", 0.60),
    # Threads share out a number of simulations; only time gives two of them twice the work.
    Floor("default:{full},threads=2 default:{full}", 0.50, timed=True),
)


# Words of FLOORS, and what part of the limits of a decision each is.
_PARTS: Final = {
    "eighth": (1, 8),
    "quarter": (1, 4),
    "half": (1, 2),
    "full": (1, 1),
    "double": (2, 1),
}


def _options(limits: Limits) -> dict[str, str]:
    """Options of players by the words of FLOORS. Raises MasonsError where they are too small."""
    unit, _, amount = limit_option(limits).partition("=")
    if int(amount) < 8:
        raise MasonsError(f"floors need {unit} from 8: an eighth of it is played, too")
    return {word: limit_option(limits.part(*part)) for word, part in _PARTS.items()}


def _match(engines: Sequence[str], players: int, seed: int) -> Settings:
    """A match of named players; as `masons-engine match` makes it, which can go on with it."""
    entries = tuple(Entry(spec, player=spec) for spec in distinct(engines))
    return Settings(entries, tuple(engines), players, TimeControl(), seed)


def standing_match(limits: Limits, players: int, seed: int) -> Settings:
    """The match of the standing players; those that search get the limits."""
    option = limit_option(limits)
    engines = [f"{name}:{option}" if name in SEARCHERS else name for name in STANDING]
    return _match(engines, players, seed)


def floor_matches(limits: Limits, seed: int) -> list[tuple[Floor, Settings]]:
    """The floors with their matches, without `timed` ones where simulations are counted.

    Raises MasonsError for limits that are too small.
    """
    parts = _options(limits)
    found = []
    for floor in FLOORS:
        if not floor.timed or limits.sims is None:
            engines = floor.engines.format(**parts).split()
            found.append((floor, _match(engines, len(engines), seed)))
    return found


def blocks_for(settings: Settings, games: int) -> int:
    """The blocks in which each line-up plays `games` games, rounded up to whole blocks."""
    lineups = blocks(settings.names, settings.players)
    return len(lineups) * -(-games // len(lineups[0]))


@dataclass(frozen=True)
class FloorLine:
    """What the first engine of a floor reached."""

    floor: Floor
    settings: Settings
    games: int
    blocks: int
    first: Estimate
    margin: Estimate

    @property
    def fair(self) -> float:
        """The share of first places among equals."""
        return 1 / self.settings.players


def floor_line(floor: Floor, settings: Settings, played: Sequence[Sequence[Outcome]]) -> FloorLine:
    """The line of a floor from full blocks; ValueError where there is none."""
    line = engine_line(results_of(played), 0)
    games = sum(map(len, played))
    return FloorLine(floor, settings, games, len(played), line.first, line.margin)


def reached(value: Estimate, floor: float) -> str:
    """How sure it is that a value reaches a floor.

    `bound` where the whole interval does, `mean` where the mean does, else `no`.
    """
    if value.low >= floor:
        return "bound"
    return "mean" if value.mean >= floor else "no"


def results_of(played: Sequence[Sequence[Outcome]]) -> list[Block]:
    """The results of full blocks."""
    return [[outcome.result for outcome in block] for block in played]


def cross_table(played: Sequence[Sequence[Outcome]], engines: int) -> list[list[Estimate | None]]:
    """The share of games in which an engine (row) placed before another (column).

    Half for a shared place: with two players the share of first places. None where they did not
    meet, and for an engine with itself.
    """
    results = results_of(played)

    def cell(a: int, b: int) -> Estimate | None:
        values = () if a == b else pair_values(results, a, b)
        return estimate(values, (0.0, 1.0)) if values else None

    return [[cell(a, b) for b in range(engines)] for a in range(engines)]
