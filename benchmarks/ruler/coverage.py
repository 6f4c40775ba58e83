"""How often the intervals of an analysis hold: decisions of the ruler, played on to their ends.

    python -m benchmarks.ruler.coverage --decisions 150 --sims 10000 --games 256
    python -m benchmarks.ruler.coverage --decisions 150 --sims 100000 --method ismcts

Each decision is analysed as `analyze` does. The recommended move and one of the other candidates,
drawn by chance, are then played on from what the seat can know, in other deals with other luck, by
the policy of the net, to the end of the game. Covered is what lies in the interval; as the games
played on have an error of their own, theirs is added to it (both as standard errors, squared).
`values`: win probabilities; `losses`: of the other candidate against the recommended one. With
`--method ismcts` the other candidate is looked at no closer than the search does by itself. `off`
is the root mean square of the deviation, less the error of the games. `half` is the median of the
half intervals, in per cent.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks.harness.markdown_table import Table as Printed
from benchmarks.harness.measuring import positive
from benchmarks.ruler.ruler_data import FILE, load
from masons.ai.explain.paired_games import continuations
from masons.ai.models.features import game_left_of
from masons.ai.search.search_options import METHODS, SearchOptions
from masons.ai.session import analyse
from masons.engine.board.geometry import load_board
from masons.engine.game.table import Table
from masons.engine.kernels.rng import mix
from masons.engine.plain_words import signed_percent

_NORMAL = 1.96
_LUCK = 77  # the stream of the games, apart from that of the analysis


class Checked(NamedTuple):
    """A figure with its half interval, and what games say with their standard error."""

    what: str  # values or losses
    kind: str
    players: int
    left: float
    found: float
    half: float
    played: float
    error: float

    @property
    def is_covered(self) -> bool:
        """Whether the games lie in the interval, as far as their own error tells."""
        reach = math.hypot(self.half, _NORMAL * self.error)
        return abs(self.found - self.played) <= reach


def check(method: str, sims: int, games: int, row: int) -> list[Checked]:
    """The figures of one decision."""
    ruler, table = load(FILE), Table(load_board("classic"))
    view, candidates = ruler.view(row), ruler.candidates(row)
    rng = np.random.default_rng(row)
    other = candidates[int(rng.integers(len(candidates)))]
    also = [other] if method == "halving" else []
    found = analyse(table, view, sims=sims, seed=row, also=also, options=SearchOptions(method))
    best = found.moves[0]
    is_known = any(stats.move == other for stats in found.moves)
    moves = list(dict.fromkeys([best.move, other] if is_known else [best.move]))
    played = continuations(table, view, moves, deals=games, turns=0, seed=mix(row, _LUCK))
    wins = played.wins[:, :, view.seat]
    about = str(ruler.kinds[row]), int(ruler.players[row]), game_left_of(view.state)

    def error(values: np.ndarray) -> float:
        return math.sqrt(games * float(values.var()) + 1 / 12) / games

    rows = [
        Checked(
            "values", *about, best.win, best.interval or 0.0, float(wins[:, 0].mean()),
            error(wins[:, 0]),
        )
    ]  # fmt: skip
    if len(moves) == 2:
        stats, apart = found.of(other), wins[:, 0] - wins[:, 1]
        half = stats.loss_interval or 0.0
        rows.append(Checked("losses", *about, stats.loss, half, float(apart.mean()), error(apart)))
    return rows


def groups(rows: list[Checked]) -> Iterator[tuple[str, list[Checked]]]:
    """Figures that are looked at together, by name."""
    for what in ("values", "losses"):
        some = [row for row in rows if row.what == what]
        yield what, some
        for kind in dict.fromkeys(row.kind for row in some):
            yield f"{what}, {kind}", [row for row in some if row.kind == kind]
        for players in (2, 3, 4):
            yield f"{what}, {players} players", [row for row in some if row.players == players]
        for name, low, high in (("late", 0.0, 0.33), ("middle", 0.33, 0.66), ("early", 0.66, 2.0)):
            yield f"{what}, {name}", [row for row in some if low <= row.left < high]


def table_of(rows: list[Checked]) -> Printed:
    """Coverage by group."""
    lines = []
    for name, some in groups(rows):
        if len(some) < 2:
            continue
        covered = sum(row.is_covered for row in some)
        squares = np.mean([(row.found - row.played) ** 2 - row.error**2 for row in some])
        half = float(np.median([row.half for row in some]))
        lines.append(
            (
                name, str(len(some)), f"{100 * covered / len(some):.0f} %",
                f"{100 * math.sqrt(max(float(squares), 0.0)):.1f}", f"{100 * half:.1f}",
                signed_percent(float(np.mean([row.found - row.played for row in some]))),
            )
        )  # fmt: skip
    return Printed(("figures", "number", "covered", "off", "half", "bias"), lines)


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--decisions", type=positive, default=150, metavar="N")
    parser.add_argument("--sims", type=positive, default=10_000, metavar="N")
    parser.add_argument("--method", choices=METHODS, default=METHODS[0])
    parser.add_argument("--games", type=positive, default=256, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="ROW")
    parser.add_argument("--processes", type=positive, default=os.cpu_count() or 1, metavar="N")
    asked = parser.parse_args()
    count = len(load(FILE).kinds)
    step = max(count // asked.decisions, 1)
    todo = range(asked.first, count, step)[: asked.decisions]
    with ProcessPoolExecutor(asked.processes) as pool:
        found = pool.map(partial(check, asked.method, asked.sims, asked.games), todo)
        rows = [row for part in found for row in part]
    print(table_of(rows))


if __name__ == "__main__":
    main()
