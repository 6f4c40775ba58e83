"""Rate all named players against each other, or play the matches that `default` must win.

    python -m benchmarks.ladder [--players 2] [--out ladder.jsonl]
    python -m benchmarks.ladder --floors [--out floors.jsonl]

The players that search get `--ms` or `--sims` for each decision. `--games` counts for each pairing.
If the file of `--out` has games of the same match already, the match goes on from there. With
`--sims`, the tables depend only on the arguments. With a time limit, give each game a core of its
own.

A floor is a match in which the first engine, the default player, must reach a given score at 200 ms
per decision. `reached by` is `bound` if the lower bound of the 95 % interval over blocks reaches
the score, `mean` if only the mean reaches it, and otherwise `no`. `masons-engine match` plays the
same matches if it is given the same engines and seed, and as many players as engines.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from benchmarks.measuring import Table, new_file, parser_of, positive
from masons.ai.players.player_names import PLAYERS, SEARCHERS
from masons.ai.search.executors import Processes
from masons.ai.search.limits import MAX_MS, MAX_SIMS, Limits
from masons.engine.errors import MasonsError
from masons.engine.plain_text import fixed, percent, signed
from masons.engine.storage.line_file import LineFile
from masons.match.match_summary import MatchSummary, summary_of
from masons.match.running.match_file import read_outcomes
from masons.match.running.match_runner import MatchProgress, run_match
from masons.match.running.schedule import Entry, MatchSettings, TimeControl, distinct
from masons.match.statistics.engine_scores import Block, pair_score
from masons.match.statistics.estimates import Estimate
from masons.protocol.client.client_arguments import PATIENCE


@dataclass(frozen=True)
class Floor:
    """A match and the score that its first engine must reach.

    In `engines`, `{full}` stands for the limit of each decision. `{eighth}`, `{quarter}` and
    `{half}` stand for that fraction of the limit, rounded down, and `{double}` for twice the limit.
    """

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


def _option(limits: Limits) -> str:
    """Return limits as an option of a player: `sims=20`, or `ms=100` in whole milliseconds."""
    if limits.sims is not None:
        return f"sims={limits.sims}"
    return f"ms={int(limits.movetime_ms or 0)}"


def _settings(engines: Sequence[str], players: int, seed: int) -> MatchSettings:
    """Return a match of named players with the default settings of `masons-engine match`."""
    entries = tuple(Entry(spec, player=spec) for spec in distinct(engines))
    return MatchSettings(entries, tuple(engines), players, TimeControl(), seed)


def ladder_match(limits: Limits, players: int, seed: int) -> MatchSettings:
    """Return the match between all named players. The players that search get `limits`."""
    option = _option(limits)
    engines = [f"{name}:{option}" if name in SEARCHERS else name for name in PLAYERS]
    return _settings(engines, players, seed)


def floor_matches(limits: Limits, seed: int) -> list[tuple[Floor, MatchSettings]]:
    """Return each floor with its match, without timed floors if simulations are limited."""
    parts = {word: _option(limits.part(*part)) for word, part in _PARTS.items()}
    rows = []
    for floor in FLOORS:
        if not floor.is_timed or limits.sims is None:
            engines = floor.engines.format(**parts).split()
            rows.append((floor, _settings(engines, len(engines), seed)))
    return rows


def reached(value: Estimate, floor: float) -> str:
    """Return how clearly an estimate reaches a floor: `bound`, `mean` or `no`."""
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


# --- tables


def _interval(value: Estimate, scale: float = 1.0) -> str:
    mean, low, high = (fixed(scale * each, 1) for each in (value.mean, value.low, value.high))
    return f"{mean} [{low}, {high}]"


def ladder_tables(summary: MatchSummary, blocks: Sequence[Block]) -> tuple[Table, Table]:
    """Return the ratings, with the best engine first, and the cross table of placings."""
    assert summary.ratings is not None
    ratings = summary.ratings.ratings
    lines = sorted(summary.engines, key=lambda line: (-ratings[line.engine].mean, line.engine))
    cross = cross_table(blocks, len(summary.settings.entries))
    rows, crossed = [], []
    for line in lines:
        name, rating = summary.name(line.engine), ratings[line.engine]
        mean, low, high = (signed(each, 0) for each in (rating.mean, rating.low, rating.high))
        victories, points = _interval(line.first, 100), _interval(line.score)
        rows.append((name, f"{line.games:,}", f"{mean} [{low}, {high}]", victories, points))
        pairs = [cross[line.engine][other.engine] for other in lines]
        crossed.append((name, *("-" if pair is None else percent(pair.mean) for pair in pairs)))
    names = tuple(summary.name(line.engine) for line in lines)
    return (
        Table(("engine", "games", "rating", "victories %", "points"), rows),
        Table(("placed before, %", *names), crossed),
    )


def floors_table(rows: Sequence[tuple[Floor, MatchSummary]]) -> Table:
    """Return the table of the floors. A floor for the margin has a row of its own."""
    shown = []
    for floor, summary in rows:
        engines, line = " ".join(summary.settings.names), summary.engines[0]
        least, games = f"{percent(floor.share, 0)} %", f"{summary.games:,}"
        by = reached(line.first, floor.share)
        shown.append((engines, games, f"{_interval(line.first, 100)} %", least, by))
        if floor.margin is not None:
            least, by = f"{floor.margin:g} points", reached(line.margin, floor.margin)
            shown.append((engines, games, f"{_interval(line.margin)} points", least, by))
    return Table(("engines", "games", "result", "floor", "reached by"), shown)


# --- playing


def play(settings: MatchSettings, games: int, processes: int, out: str | None) -> MatchProgress:
    """Play a match, in which each line-up gets at least `games` games.

    Games of this match that are in the file `out` count, and new games are added to it.
    """
    blocks = len(settings.lineups) * -(-games // settings.block_size)
    fingerprint = settings.fingerprint()
    file = LineFile(out, append=True, force=False) if out else None
    before = read_outcomes(out) if out else ()
    progress = MatchProgress(
        settings, blocks, [outcome for outcome in before if outcome.settings == fingerprint]
    )
    try:
        with (
            Processes(processes) as workers,
            closing(run_match(progress, workers, silence=PATIENCE.silence)) as lines,
        ):
            for line, outcome in lines:
                if file is not None:
                    file.write(line)
                progress.add(outcome)
    finally:
        if file is not None:
            file.close()
    print(f"{progress.games:,} games: {' '.join(settings.names)}", file=sys.stderr, flush=True)
    return progress


def _limits(options: argparse.Namespace) -> Limits:
    if options.sims is None:
        return Limits(movetime_ms=options.ms)
    return Limits(sims=options.sims)


def main() -> None:
    """Play the matches and print the tables."""
    parser = parser_of(__doc__, games=100, ms=200, processes=1)
    parser.add_argument("--floors", action="store_true", help="play the floors")
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=2, help="of the ladder")
    parser.add_argument("--sims", type=positive, help="simulations a decision, instead of --ms")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=new_file, metavar="FILE", help="the games, to go on from")
    options = parser.parse_args()
    most = (MAX_MS if options.sims is None else MAX_SIMS) // 2
    if not 8 <= (options.sims or options.ms) <= most:
        parser.error(f"--ms or --sims must be from 8 to {most}")
    limits = _limits(options)
    how = options.games, options.processes, options.out
    try:
        if options.floors:
            played = [(f, play(match, *how)) for f, match in floor_matches(limits, options.seed)]
            rows = [(f, summary_of(m.settings, m.counted(), None)) for f, m in played]
            print(floors_table(rows))
        else:
            ladder = play(ladder_match(limits, options.players, options.seed), *how)
            blocks = ladder.counted()
            print(*ladder_tables(summary_of(ladder.settings, blocks, None), blocks), sep="\n\n")
    except KeyboardInterrupt:
        parser.exit(130)
    except (MasonsError, OSError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    main()
