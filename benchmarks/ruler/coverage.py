"""Measure how often the intervals of an analysis hold, and how fast they shrink.

    python -m benchmarks.ruler.coverage coverage.jsonl --seconds 2 --reference 20 --analyses 6

The decisions come from games that the policy plays against itself. There are `--decisions`
decisions of each kind and number of players. Each decision is analyzed with several seeds. Then a
long rollout with different dice and cards measures all moves that any of these analyses measured.
Its results are the reference. An interval is first widened by the error of the reference (their
squares are added). It holds if it then contains the reference. The command also prints how often
analyses with different seeds agree.

For the first decisions of each kind, the same two moves are also compared in longer and longer
analyses. The half width of the loss falls as a power of the CPU time. The exponent is fitted to all
these decisions.

Each decision is one line of the file. The same command continues the file without repeating
decisions. The tables include all lines that have the same settings.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Table as Printed
from benchmarks.measuring import append_line, cpu_seconds, lines_with, parser_of
from masons.ai.players.named_players import make_player
from masons.ai.rollout.evidence import NORMAL, measured
from masons.ai.rollout.plan import Contenders
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.results import UNKNOWN_WIN, Analysis
from masons.ai.session import Session
from masons.engine.formats.move_text import Move
from masons.engine.game.game import Game
from masons.engine.kernels.rng import mix

KINDS: Final = {
    "wall": ("wall",),
    "towers, houses": ("towers", "houses"),
    "score": ("score",),
    "swap": ("swap",),
}
# The fields of a row, first for win and then for loss: the value, the half width of its interval,
# and the standard error of the reference.
_FIGURES: Final = (("win", "interval", "ref_error"), ("loss", "loss_interval", "ref_loss_error"))
_REFERENCE: Final = 1 << 40  # gives the reference a seed that no analysis has
_WORLDS: Final = 50  # number of determinizations that the reference plays at a time
Line = dict[str, Any]


def decision(kind: str, players: int, number: int) -> Game:
    """Return a game at a decision of the given kind with at least two moves.

    Each `number` gives a decision from a different game.
    """
    seed = mix(number, players, sorted(KINDS).index(kind))
    while True:
        game, places = Game(players, seed=seed), list[int]()
        seats = [make_player("policy", mix(seed, seat)) for seat in range(players)]
        while not game.is_over:
            moves = game.legal_moves()
            if game.phase in KINDS[kind] and len(moves) > 1:
                places.append(game.decisions)
            game.apply(seats[game.seat].choose(game.table, game.observe(game.seat), moves))
        if places:
            game.undo(game.decisions - places[seed % len(places)])
            return game
        seed = mix(seed)


def missing(lines: list[Line], numbers: Iterable[int]) -> Iterator[tuple[str, int, int]]:
    """Yield the kind, the players and the number of each decision that has no line yet."""
    done = {(line["kind"], line["players"], line["number"]) for line in lines}
    for number, players, kind in product(numbers, (2, 3, 4), KINDS):
        if (kind, players, number) not in done:
            yield kind, players, number


def rows_of(analysis: Analysis) -> list[Line]:
    """Return the figures of the moves for which an analysis played games."""
    return [
        {
            "move": int(stats.move), "win": stats.win, "interval": stats.interval,
            "loss": stats.loss, "loss_interval": stats.loss_interval, "equal": stats.is_equal,
            "games": stats.games,
        }
        for stats in analysis.moves
        if stats.games
    ]  # fmt: skip


def references(game: Game, analyses: list[list[Line]], seconds: float, seed: int) -> None:
    """Add the results of a long rollout to the rows of each analysis (see `rows_of`).

    The new fields are `ref_win`, `ref_error`, `ref_loss` and `ref_loss_error`.
    """
    moves = list(dict.fromkeys(row["move"] for rows in analyses for row in rows))
    view, count = game.observe(game.seat), len(moves)
    contenders = Contenders(tuple(map(Move, moves)), (0.0,) * count, count, 0)
    rollout = Rollout(game.table, view, contenders, seed=mix(seed, _REFERENCE))
    end = time.monotonic() + seconds
    while time.monotonic() < end or rollout.runner.worlds < _WORLDS:
        results = rollout.play(range(count), _WORLDS)
        rollout.sums.add(range(count), measured(results, view.seat, view.players))
    wins = rollout.sums.means(view.seat)
    for rows in analyses:
        best = moves.index(rows[0]["move"])
        for row in rows:
            number = moves.index(row["move"])
            row["ref_win"] = float(wins[number])
            row["ref_error"] = rollout.sums.error(view.seat, number, UNKNOWN_WIN)
            row["ref_loss"], row["ref_loss_error"] = rollout.sums.difference(
                view.seat, best, number, UNKNOWN_WIN
            )


def widths(game: Game, pair: list[int], seconds: Iterable[float], seed: int) -> list[Line]:
    """Return the half width of the loss between two moves, for an analysis of each length.

    `seconds` has the lengths.
    """
    lines = []
    for each in seconds:
        began, session = cpu_seconds(), Session(game.table, seed=mix(seed, int(1000 * each)))
        analysis = session.analyze(game, seconds=each, also=[Move(move) for move in pair], top=0)
        spent = cpu_seconds() - began
        half = max(analysis.of(Move(move)).loss_interval or 0.0 for move in pair)
        lines.append(
            {"seconds": each, "cpu": spent, "half": half, "equal": len(analysis.equal),
             "games": analysis.rollouts}
        )  # fmt: skip
    return lines


def line_of(options: argparse.Namespace, kind: str, players: int, number: int) -> Line:
    """Return all figures of one decision."""
    game, seed = decision(kind, players, number), mix(number, players)
    analyses = [
        rows_of(
            Session(game.table, seed=mix(seed, n)).analyze(game, seconds=options.seconds, top=0)
        )
        for n in range(options.analyses)
    ]
    analyses = [rows for rows in analyses if rows]  # on a busy machine, some played no game
    if analyses:
        references(game, analyses, options.reference, seed)
    rows = analyses[0] if analyses else []
    has_widths = number < options.widths_of and len(rows) > 1
    pair = [row["move"] for row in rows[:2]]
    return {
        "settings": settings(options), "kind": kind, "players": players, "number": number,
        "analyses": analyses,
        "widths": widths(game, pair, options.times, seed) if has_widths else [],
    }  # fmt: skip


def settings(options: argparse.Namespace) -> list[float]:
    """Return the settings that all lines of one table share."""
    return [options.seconds, options.reference, options.analyses]


def holds(row: Line, *, is_loss: bool) -> bool:
    """Return whether the interval of a row, widened by the reference's error, holds."""
    value, half, error = _FIGURES[is_loss]
    difference = row[value] - row[f"ref_{value}"]
    return bool(abs(difference) <= math.hypot(row[half], NORMAL * row[error]))


def coverage_row(name: str, lines: list[Line], *, is_loss: bool) -> tuple[str, ...]:
    """Return a row of the table.

    The ± in the row is a 95 % interval. It takes into account that the rows of one decision are not
    independent.
    """
    first = int(is_loss)  # skip the best move, which has no loss
    by_decision = [[row for rows in line["analyses"] for row in rows[first:]] for line in lines]
    by_decision = [rows for rows in by_decision if rows]
    rows = [row for part in by_decision for row in part]
    if not rows:
        return (name, "0", "-", "-", "-")
    share = float(np.mean([holds(row, is_loss=is_loss) for row in rows]))
    sums = [sum(holds(row, is_loss=is_loss) - share for row in part) for part in by_decision]
    error = NORMAL * math.sqrt(float(np.square(sums).sum())) / len(rows)
    half = float(np.median([row["loss_interval" if is_loss else "interval"] for row in rows]))
    reference = float(
        np.median([row["ref_loss_error" if is_loss else "ref_error"] for row in rows])
    )
    return (
        name, str(len(rows)), f"{100 * share:.1f} ± {100 * error:.1f}", f"{100 * half:.2f}",
        f"{100 * NORMAL * reference:.2f}",
    )  # fmt: skip


def coverage_table(lines: list[Line]) -> Printed:
    """Return the share of intervals that hold: overall, by kind and by number of players."""
    parts: list[tuple[str, list[Line]]] = [("all", lines)]
    parts += [(kind, [line for line in lines if line["kind"] == kind]) for kind in KINDS]
    parts += [(f"{n} players", [line for line in lines if line["players"] == n]) for n in (2, 3, 4)]
    rows = [
        coverage_row(f"{what}, {name}", some, is_loss=what == "loss")
        for what in ("win", "loss")
        for name, some in parts
    ]
    return Printed(("figure", "rows", "holds, %", "half width, %", "of the reference"), rows)


def agreements(lines: list[Line]) -> Iterator[bool]:
    """Yield for each pair of analyses whether each of them calls the other's best move equal."""
    for line in lines:
        best = [rows[0]["move"] for rows in line["analyses"]]
        equal = [{row["move"] for row in rows if row["equal"]} for rows in line["analyses"]]
        for first in range(len(best)):
            for other in range(first):
                is_same = best[first] == best[other]
                yield is_same or (best[first] in equal[other] and best[other] in equal[first])


def exponent(lines: list[Line]) -> tuple[float, float]:
    """Return the exponent with which the half width depends on CPU time, and its 95 % error."""
    times, halves = list[NDArray[np.float64]](), list[NDArray[np.float64]]()
    for line in lines:
        if line["widths"]:
            logs = np.log([[width["cpu"], max(width["half"], 1e-9)] for width in line["widths"]])
            times.append(logs[:, 0] - logs[:, 0].mean())
            halves.append(logs[:, 1] - logs[:, 1].mean())
    x, y = np.concatenate(times), np.concatenate(halves)
    slope = float(x @ y / (x @ x))
    freedom = max(len(x) - len(times) - 1, 1)
    return slope, NORMAL * math.sqrt(float(np.square(y - slope * x).sum()) / freedom / float(x @ x))


def print_all(lines: list[Line]) -> None:
    """Print the tables and figures of all lines."""
    print(coverage_table(lines))
    pairs = list(agreements(lines))
    if pairs:
        print(f"\ntwo seeds agree: {100 * sum(pairs) / len(pairs):.1f} % of {len(pairs)} pairs")
    measured_widths = [line["widths"] for line in lines if line["widths"]]
    if measured_widths:
        slope, error = exponent(lines)
        print(f"half width of a loss: CPU seconds to the power of {slope:.2f} ± {error:.2f}")
        for column in zip(*measured_widths, strict=False):
            half, equal = (np.mean([width[name] for width in column]) for name in ("half", "equal"))
            print(f"  {column[0]['seconds']:g} s: ± {100 * half:.2f} %, {equal:.1f} equal moves")


def main() -> None:
    """Analyze the decisions that are missing in the file, and print the tables."""
    parser = parser_of(__doc__, decisions=4, analyses=20)  # decisions of each kind
    parser.add_argument("file", type=Path, help="where lines are kept")
    parser.add_argument("--first", type=int, default=0, help="the first decision of each kind")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--reference", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--widths-of", type=int, default=1, metavar="N", help="of each kind")
    parser.add_argument("--times", type=float, nargs="+", default=[2.0, 6.0, 20.0, 60.0])
    options = parser.parse_args()

    def kept() -> list[Line]:
        return lines_with(options.file, settings(options))

    for each in missing(kept(), range(options.first, options.first + options.decisions)):
        append_line(options.file, line_of(options, *each))
    print_all(kept())


if __name__ == "__main__":
    main()
