"""Fit the weights by which search and rollout are combined into the level of an analysis.

    python -m benchmarks.ruler.level_fit truth.jsonl more.jsonl

The files are those of `benchmarks.ruler.truth`. For each number of players, a logistic regression
predicts the result from what the search and the rollout said and from how much of the game was
left. It starts from equal weights, which it leaves only as far as the decisions bear it out (a
ridge penalty). The points are corrected by their mean errors. Prints the weights as they stand in
`masons/ai/rollout/level.py`, and how well such weights predict: each tenth of the games is
predicted by weights that were fitted to the other nine. All errors are standard errors, clustered
by game. A bias is a forecast minus the result.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import parser_of
from benchmarks.ruler.forecasts import bins_of, calibration_error, clustered_mean
from benchmarks.ruler.truth_tables import THIRDS
from masons.ai.rollout.level import KNOTS, LevelWeights

_PENALTY: Final = 3e-3  # for each decision, on the squares of the differences from equal weights
_STEPS: Final = 12  # of Newton's method
_PARTS: Final = 10
_CLIP: Final = 0.0025  # win probabilities closer to 0 or 1 count as this
_START: Final = (0.5, 0.5, 0.0, 0.0)
Values = NDArray[np.float64]


class Rows:
    """Decisions of games with the same number of players."""

    def __init__(self, lines: Iterable[dict[str, Any]], players: int) -> None:
        rows = [
            (number, each)
            for number, line in enumerate(lines)
            if line["players"] == players
            for each in line["decisions"]
        ]
        self.players = players
        self.fair = -np.log(players - 1)  # logarithm of the odds of 1 in `players`
        self.games = np.array([number for number, _ in rows])
        self.thirds = np.array([each["third"] for _, each in rows])
        self.left = np.array([each["left"] for _, each in rows])
        self.search, self.rollout, self.result = (
            np.array([each[name] for _, each in rows]).reshape(-1, 3)
            for name in ("search", "rollout", "result")
        )

    @property
    def inputs(self) -> Values:
        """The inputs of the regression for each decision: float64[rows, 4]."""
        odds = [_logit(figures[:, 0]) - self.fair for figures in (self.search, self.rollout)]
        return np.stack([*odds, self.left, 1 - self.left], axis=1)


def _logit(wins: Values) -> Values:
    wins = np.clip(wins, _CLIP, 1 - _CLIP)
    made: Values = np.log(wins / (1 - wins))
    return made


def _chances(odds: Values) -> Values:
    made: Values = 1 / (1 + np.exp(-odds))
    return made


def fitted(inputs: Values, fair: float, results: Values) -> Values:
    """Return the weights of a logistic regression: float64[4]."""
    weights = np.array(_START)
    penalty = _PENALTY * 2 * len(results)
    for _ in range(_STEPS):
        chances = _chances(fair + inputs @ weights)
        slope = inputs.T @ (chances - results) + penalty * (weights - _START)
        bend = (inputs.T * (chances * (1 - chances))) @ inputs + penalty * np.eye(len(weights))
        weights = weights - np.linalg.solve(bend, slope)
    return weights


def added_points(rows: Rows, column: int) -> tuple[float, ...]:
    """Return the points to add to the mean of search and rollout, at the KNOTS after the first."""
    errors = rows.result[:, column] - (rows.search[:, column] + rows.rollout[:, column]) / 2
    hats = [np.interp(rows.left, KNOTS, np.eye(len(KNOTS))[knot]) for knot in range(1, len(KNOTS))]
    points, *_ = np.linalg.lstsq(np.stack(hats, axis=1), errors, rcond=None)
    return tuple(round(float(each), 1) for each in points)


def weights_of(rows: Rows) -> LevelWeights:
    """Return the weights fitted to decisions, rounded as they are written down."""
    weights = fitted(rows.inputs, rows.fair, rows.result[:, 0])
    searched, rollout, begin, end = (round(float(each), 2) for each in weights)
    points = (added_points(rows, column) for column in (1, 2))
    return LevelWeights(searched, rollout, begin, end, *points)


def held_out(rows: Rows) -> Values:
    """Return each decision's win probability by weights that were fitted to other games."""
    chances = np.zeros(len(rows.games))
    for part in range(_PARTS):
        is_held = rows.games % _PARTS == part
        inputs, results = rows.inputs[~is_held], rows.result[~is_held, 0]
        weights = fitted(inputs, rows.fair, results)
        chances[is_held] = _chances(rows.fair + rows.inputs[is_held] @ weights)
    return chances


def squares_text(rows: Sequence[Rows], chances: Sequence[Values]) -> str:
    """Return a line with squared errors and the calibration error of held-out decisions."""
    games, forecast = np.concatenate([each.games for each in rows]), np.concatenate(chances)
    results, search, rollout = (
        np.concatenate(columns)
        for columns in (
            [each.result[:, 0] for each in rows],
            [each.search[:, 0] for each in rows],
            [each.rollout[:, 0] for each in rows],
        )
    )
    squares, *others = (np.square(each - results) for each in (forecast, search, rollout))
    than = [clustered_mean(squares - other, games).text(4) for other in others]
    calibration = calibration_error(bins_of(forecast, np.zeros(len(games)), results, games))
    return (
        f"{len(games)} decisions: squared error {squares.mean():.4f}, than the search's {than[0]}, "
        f"than the rollout's {than[1]}; calibration error {calibration.error:.3f} "
        f"(by chance {calibration.by_chance:.3f})"
    )


def main() -> None:
    """Fit the weights to the decisions of files, and print them."""
    parser = parser_of(__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="file of results")
    lines = [json.loads(text) for file in parser.parse_args().files for text in file.open()]
    every = [rows for players in (2, 3, 4) if len((rows := Rows(lines, players)).games)]
    chances = [held_out(rows) for rows in every]
    for rows, forecast in zip(every, chances, strict=True):
        print(f"{rows.players}: {weights_of(rows)}")
        for third, name in enumerate(THIRDS):
            some = rows.thirds == third
            bias = clustered_mean((forecast - rows.result[:, 0])[some], rows.games[some])
            print(f"   bias in the {name}, %: {bias.text(1, 100)}")
        print(f"   {squares_text([rows], [forecast])}")
    print(f"all: {squares_text(every, chances)}")


if __name__ == "__main__":
    main()
