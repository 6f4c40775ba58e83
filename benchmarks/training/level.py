"""The fit of the level of an analysis (see `masons.ai.models.level`) to the results of games.

    python -m benchmarks.ruler.truth fit.jsonl --seed 100000
    python -m benchmarks.training.level fit.jsonl [...]

The decisions are those of the ruler of truth, in games that nothing is judged by. The weights of
the win probabilities maximize the likelihood of the winners (logistic regression), and those of the
points minimize the squared error. A prior keeps both near half the rollout and half the search,
because several hundred decisions leave some combinations of weights open. The command writes the
weights to `ai/models/data/learned.json`. It prints the errors of predictions for one fifth of the
games by weights that were fitted to the others (cross-validation).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import Table, read_lines
from benchmarks.training.train import LEARNED, rounded
from masons.ai.models.level import combined_points, combined_win
from masons.engine.files import write_atomic
from masons.engine.kernels.jit import FloatArray

LEAST: Final = 1e-3  # win probabilities are at least this far from 0 and from 1
PARTS: Final = 5  # of the games, for the cross-validation
STEPS: Final = 30  # of Newton's method
PRIOR: Final = np.array([0.5, 0.0, 0.5, 0.0, 0.0, 0.0])
_COLUMNS: Final = (
    "players", "decisions", "figures", "win bias %", "squared error", "points", "others' points",
    "rms of points",
)  # fmt: skip
# The standard deviations of the prior: of the two weights and their slopes, and of the constants
# of win probabilities and of points.
_WEIGHT_SPREAD: Final = 0.12
_CONSTANT_SPREADS: Final = (0.15, 2.0)


class Decisions(NamedTuple):
    """Decisions of games with one number of players; each array has one row for each decision.

    The columns of the last four arrays are the deciding seat's share of the victory (or its win
    probability), its score, and the mean score of the others. `now` has only the scores.
    """

    players: int
    game: NDArray[np.int64]
    left: FloatArray
    now: FloatArray
    rollout: FloatArray
    searched: FloatArray
    result: FloatArray

    def part(self, is_in: NDArray[np.bool_]) -> Decisions:
        """Return some of the decisions."""
        return Decisions(
            self.players, self.game[is_in], self.left[is_in], self.now[is_in],
            self.rollout[is_in], self.searched[is_in], self.result[is_in],
        )  # fmt: skip


def decisions_of(lines: Sequence[dict[str, Any]], players: int) -> Decisions:
    """Return the decisions of the games with this number of players in lines of the ruler."""
    games = [line for line in lines if line["players"] == players]
    rows = [(number, each) for number, line in enumerate(games) for each in line["decisions"]]
    numbers = np.array([number for number, _ in rows], dtype=np.int64)
    columns = ("left", "now", "rollout", "search", "result")
    values = (np.array([each[column] for _, each in rows], dtype=float) for column in columns)
    return Decisions(players, numbers, *values)


def fit(decisions: Decisions) -> FloatArray:
    """Return the twelve weights for a number of players (see `masons.ai.models.level`)."""
    return np.concatenate([_fit_wins(decisions), _fit_points(decisions)])


def _columns(rollout: FloatArray, searched: FloatArray, left: FloatArray) -> FloatArray:
    """Return what the weights are multiplied by: float64[rows, 6]."""
    ones = np.ones_like(left)
    parts = (rollout, rollout * left, searched, searched * left, ones, left)
    return np.stack(parts, axis=1)


def _precision(constant_spread: float) -> FloatArray:
    spreads = np.repeat([_WEIGHT_SPREAD, _WEIGHT_SPREAD, constant_spread], 2)
    return np.diag(spreads**-2.0)


def _fit_wins(decisions: Decisions) -> FloatArray:
    """Return the weights of win probabilities that have the greatest posterior probability."""
    even = np.log(decisions.players - 1)

    def logits(figures: FloatArray) -> FloatArray:
        wins = np.clip(figures[:, 0], LEAST, 1 - LEAST)
        result: FloatArray = np.log(wins / (1 - wins)) + even
        return result

    columns = _columns(logits(decisions.rollout), logits(decisions.searched), decisions.left)
    precision, weights = _precision(_CONSTANT_SPREADS[0]), PRIOR.copy()
    for _ in range(STEPS):
        wins = 1 / (1 + np.exp(even - columns @ weights))
        slope = columns.T @ (decisions.result[:, 0] - wins) - precision @ (weights - PRIOR)
        curvature = (columns * (wins * (1 - wins))[:, None]).T @ columns + precision
        weights = weights + np.linalg.solve(curvature, slope)
    return weights


def _fit_points(decisions: Decisions) -> FloatArray:
    """Return the weights of points; those of the other seats' mean count as much as the seat's."""
    now, left = decisions.now.ravel(), np.repeat(decisions.left, 2)
    rollout, searched, result = (
        figures[:, 1:].ravel() - now
        for figures in (decisions.rollout, decisions.searched, decisions.result)
    )
    columns, precision = _columns(rollout, searched, left), _precision(_CONSTANT_SPREADS[1])
    noise = float(np.var(result - (rollout + searched) / 2)) or 1.0
    target = columns.T @ (result - columns @ PRIOR)
    change: FloatArray = np.linalg.solve(columns.T @ columns + noise * precision, target)
    return PRIOR + change


def predicted(weights: FloatArray, decisions: Decisions) -> FloatArray:
    """Return what the weights (float64[12]) predict, like the columns of `Decisions.result`."""
    every = np.tile(weights, 3)
    rows = []
    for left, now, rollout, searched in zip(*decisions[2:6], strict=True):
        wins = [min(max(figures[0], LEAST), 1 - LEAST) for figures in (rollout, searched)]
        win = combined_win(every, decisions.players, left, *wins)
        seats = np.repeat([0, 1], [1, decisions.players - 1])
        scores = (each[seats] for each in (now, rollout[1:], searched[1:]))
        points = combined_points(every, left, *scores)
        rows.append([win, points[0], points[1]])
    return np.array(rows)


def cross_validated(decisions: Decisions) -> FloatArray:
    """Return predictions by weights that were fitted to the games of the other parts."""
    result = np.zeros_like(decisions.result)
    for part in range(PARTS):
        is_in = decisions.game % PARTS == part
        result[is_in] = predicted(fit(decisions.part(~is_in)), decisions.part(is_in))
    return result


def main() -> None:
    """Fit the weights, write them, and print the errors of the cross-validation."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="results of the ruler")
    parser.add_argument("--out", type=Path, default=LEARNED, help="the file to change")
    options = parser.parse_args()
    lines = [line for path in options.files for line in read_lines(path)]
    rows: list[tuple[str, ...]] = []
    weights = []
    for players in (2, 3, 4):
        decisions = decisions_of(lines, players)
        if len(decisions.game) < PARTS * len(PRIOR):
            parser.error(f"too few decisions with {players} players: give more games")
        weights.append(fit(decisions))
        figures = {
            "rollout": decisions.rollout, "search": decisions.searched,
            "combined": cross_validated(decisions),
        }  # fmt: skip
        rows += [_row(name, values, decisions) for name, values in figures.items()]
    print(Table(_COLUMNS, rows))
    numbers = json.loads(LEARNED.read_text(encoding="utf-8"))
    numbers["level"] = rounded(np.concatenate(weights))
    write_atomic(options.out, json.dumps(numbers) + "\n")


def _row(name: str, values: FloatArray, decisions: Decisions) -> tuple[str, ...]:
    """Return the row of the table for some figures."""
    errors = values - decisions.result
    wins, own, others = errors.T
    return (
        str(decisions.players), str(len(errors)), name, f"{100 * wins.mean():+.1f}",
        f"{np.square(wins).mean():.4f}", f"{own.mean():+.1f}", f"{others.mean():+.1f}",
        f"{np.sqrt(np.square(own).mean()):.1f}",
    )  # fmt: skip


if __name__ == "__main__":
    main()
