"""Measure how wrong the values are that a rollout combines with the results of its games.

    python -m benchmarks.ruler.rollout_errors errors.jsonl --decisions 22 --seconds 4

There are two such values of each move: that of the search that chose the contenders, and the mean
of the net's values HORIZON turns after the decision. The decisions are those of
`benchmarks.ruler.coverage`, which come from games that the policy plays against itself. The best
moves by the search are played to the end, in the same determinizations, for `--seconds` of CPU time
in all. From the squared differences between moves, those are subtracted that chance explains.

The command prints by kind of decision and number of players

- the error of the search and that of the net: the root mean square, in percent of a victory;
- `prior`: the median of the lognormal distribution with which `WinEstimate` describes
  `(net's error / standard deviation of REST in one game) ** 2`. It makes what was measured most
  likely.

Each decision is one line of the file. The same command continues the file.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Table as Printed
from benchmarks.measuring import append_line, cpu_seconds, lines_with, parser_of
from benchmarks.ruler.coverage import KINDS, decision, missing
from masons.ai.rollout.evidence import NET_RATIO_SPREAD, NET_RATIOS, REST, measured
from masons.ai.rollout.plan import Contenders, contenders_of
from masons.ai.rollout.rollout import Rollout
from masons.ai.search.results import UNKNOWN_WIN
from masons.ai.session import Session
from masons.engine.kernels.rng import mix

_GAMES: Final = 10_000  # as many contenders are measured as for this number of games
_MOST: Final = 12  # contenders
_WORLDS: Final = 50  # number of determinizations that are played at a time
_LEAST_VARIANCE: Final = 0.002  # of REST; below, almost all games end before HORIZON
_MEDIANS: Final = np.geomspace(1e-6, 1e-2, 81)
Line = dict[str, Any]


def line_of(options: argparse.Namespace, kind: str, players: int, number: int) -> Line | None:
    """Return the squared errors at one decision, or None if it has only one contender."""
    game = decision(kind, players, number)
    view, session = game.observe(game.seat), Session(game.table, seed=mix(number, players))
    session.search(game, sims=options.sims)
    chosen = contenders_of(session.searched(), (), _GAMES, view.phase)
    count = min(len(chosen.moves), _MOST)
    if count < 2:
        return None
    contenders = Contenders(chosen.moves[:count], chosen.values[:count], count, 0)
    rollout = Rollout(game.table, view, contenders, seed=mix(number, players, 1))
    end = cpu_seconds() + options.seconds
    while cpu_seconds() < end or rollout.runner.worlds < _WORLDS:
        results = rollout.play(range(count), _WORLDS)
        rollout.sums.add(range(count), measured(results, view.seat, players))
    sums, games = rollout.sums, float(rollout.sums.games[0])
    net, search, rest = [], [], []
    for i, j in combinations(range(count), 2):
        win, win_error = sums.difference(view.seat, i, j, UNKNOWN_WIN)
        off, off_error = sums.difference(REST, i, j, UNKNOWN_WIN)
        claimed = contenders.values[i] - contenders.values[j]
        search.append(((win - claimed) ** 2 - win_error**2) / 2)
        net.append((off**2 - off_error**2) / 2)
        rest.append(off_error**2 * games / 2)
    return {
        "settings": settings(options), "kind": kind, "players": players, "number": number,
        "contenders": count, "games": games, "net": float(np.mean(net)),
        "search": float(np.mean(search)), "rest": float(np.mean(rest)),
    }  # fmt: skip


def settings(options: argparse.Namespace) -> list[float]:
    """Return the settings that all lines of one table share."""
    return [options.sims, options.seconds]


def prior_of(lines: list[Line]) -> float:
    """Return the median of the net's errors that makes what was measured most likely."""
    likely = np.zeros(len(_MEDIANS))
    for line in lines:
        noise = 1 / line["games"]
        seen, expected = line["net"] / line["rest"] + noise, NET_RATIOS + noise
        logs = -(line["contenders"] - 1) / 2 * (np.log(expected) + seen / expected)
        deviations = np.log(NET_RATIOS / _MEDIANS[:, None]) / NET_RATIO_SPREAD
        priors: NDArray[np.float64] = np.exp(-np.square(deviations) / 2)
        priors /= priors.sum(axis=1, keepdims=True)
        likely += np.log(priors @ np.exp(logs - logs.max()))
    return float(_MEDIANS[likely.argmax()])


def table(lines: list[Line]) -> Printed:
    """Return the errors by kind and number of players, and of all."""
    rows = []
    for kind in KINDS:
        for players in (2, 3, 4, None):
            some = [line for line in lines if line["kind"] == kind]
            some = [line for line in some if players in (None, line["players"])]
            if not some:
                continue
            squares = ([line[what] for line in some] for what in ("net", "search"))
            net, search = (np.sqrt(max(float(np.mean(each)), 0.0)) for each in squares)
            undecided = [line for line in some if line["rest"] > _LEAST_VARIANCE]
            prior = f"{prior_of(undecided):.1e}" if undecided else "-"
            name = f"{kind}, {players or 'all'}"
            rows.append((name, str(len(some)), f"{100 * search:.2f}", f"{100 * net:.2f}", prior))
    return Printed(("decisions", "number", "search, %", "net, %", "prior"), rows)


def main() -> None:
    """Measure the decisions that are missing in the file, and print the table."""
    parser = parser_of(__doc__, decisions=22)  # of each kind and number of players
    parser.add_argument("file", type=Path, help="where lines are kept")
    parser.add_argument("--seconds", type=float, default=4.0, help="CPU time for each decision")
    parser.add_argument("--sims", type=int, default=20_000, help="of the search")
    options = parser.parse_args()

    def kept() -> list[Line]:
        return lines_with(options.file, settings(options))

    for each in missing(kept(), range(options.decisions)):
        line = line_of(options, *each)
        if line is not None:
            append_line(options.file, line)
    print(table(kept()))


if __name__ == "__main__":
    main()
