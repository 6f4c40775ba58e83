"""The fit of the calibration, which corrects the predictions of a search, to game results.

Searches play games against each other. The numbers that stretch and lower the win probabilities
(see `masons.ai.models.calibration`) are fitted to maximize the likelihood of the winners. The
numbers for the scores are fitted with least squares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.training.run_folder import Arrays
from masons.ai.halving.halving_search import HalvingSearch
from masons.ai.models.calibration import BY_PLAYERS, SHARES, calibrated
from masons.ai.models.features import game_left_of
from masons.ai.search.decision import moves_to_search
from masons.engine.game.game import Game
from masons.engine.kernels.jit import FloatArray
from masons.engine.kernels.rng import mix

SIMS = 2000  # simulations per decision
# A decision: the share of the game that is left; the seat; the win probabilities, the scores and
# the share of ended playouts for the best move; each seat's share of the victory; each seat's final
# score.
Verdict = tuple[float, int, FloatArray, FloatArray, float, FloatArray, FloatArray]
COLUMNS = "left", "seat", "wins", "scores", "ended", "won", "ends"


def play_game(players: int, weights: Mapping[str, NDArray[Any]], seed: int) -> list[Verdict]:
    """Play a game between searches. Return its decisions, each with the result of the game."""
    game = Game(players, seed=seed, first=seed % players)
    here: list[tuple[float, int, FloatArray, FloatArray, float]] = []
    decisions = 0
    while not game.is_over:
        view, moves = game.observe(game.seat), game.legal_moves()
        decisions += 1
        search = HalvingSearch(
            game.table, view, moves_to_search(game.table, view),
            seed=mix(seed, decisions), weights=weights,
        )  # fmt: skip
        search.run(SIMS)
        if len(moves) > 1:
            best = search.analysis(0.0).moves[0]
            ended = search.ended_share(best.move)
            left = game_left_of(game.state)
            here.append((left, game.seat, np.array(best.wins), np.array(best.scores), ended))
        game.apply(search.best)
    result = game.result
    assert result is not None
    won = np.array([s in result.winners for s in range(players)]) / len(result.winners)
    return [(*row, won, np.array(result.scores, dtype=np.float64)) for row in here]


def verdicts_here(weights: Mapping[str, NDArray[Any]], games: int, seed: int) -> Arrays:
    """Return the verdicts of `games` games as a shard, a dict of columns (see `run_folder`).

    Half of the games have 2 players.
    """
    raw = {**weights, "calibration": PLAIN}
    verdicts: list[Verdict] = []
    for number in range(games):
        players = (2, 2, 3, 4)[number % 4]
        verdicts += play_game(players, raw, mix(seed, number) >> 2)
    return {
        f"{column} {len(some[2][0])}": values
        for some in by_players(verdicts)
        for column, values in zip(COLUMNS, some, strict=True)
    }


def verdicts_of(shards: Sequence[Arrays]) -> list[Verdict]:
    """Return the verdicts of several shards."""
    verdicts: list[Verdict] = []
    for shard in shards:
        for players in (2, 3, 4):
            if f"left {players}" in shard:
                verdicts += zip(*(shard[f"{column} {players}"] for column in COLUMNS), strict=True)
    return verdicts


# The calibration that changes nothing.
PLAIN = np.tile(np.array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0], dtype=np.float64), 3)
STEPS, BINS = 20, 10
_DELTA, _MOST_DAMPING = 1e-2, 1e6


def by_players(verdicts: Sequence[Verdict]) -> list[tuple[Any, ...]]:
    """Return the verdicts as arrays by column, grouped by the number of players."""
    groups = []
    for players in (2, 3, 4):
        some = [verdict for verdict in verdicts if len(verdict[2]) == players]
        if some:
            groups.append(tuple(np.array(column) for column in zip(*some, strict=True)))
    return groups


def fit_calibration(verdicts: Sequence[Verdict]) -> FloatArray:
    """Return CALIBRATION numbers fitted to verdicts.

    The numbers for win probabilities maximize the likelihood of the winners, and the numbers for
    scores come from least squares. If there are no games with some number of players, its numbers
    stay as in PLAIN, so that they change nothing.
    """
    weights = PLAIN.copy()
    for *seen, won, ends in by_players(verdicts):
        part = weights.reshape(-1, BY_PLAYERS)[won.shape[1] - 2]
        _fit_shares(weights, part, seen, won)
        part[SHARES:] = _fit_scores(seen, ends)
    print(f"calibration: expected error {expected_error(weights, verdicts):.3f}")
    return weights


def _fit_shares(
    weights: FloatArray, part: FloatArray, seen: Sequence[Any], won: FloatArray
) -> None:
    """Fit the first SHARES numbers of `part` in place, using Newton's method.

    `part` is a view of `weights`. A step that would increase the loss is shortened (Levenberg
    1944).
    """

    def loss(numbers: FloatArray) -> float:
        part[:SHARES] = numbers
        shares, _ = calibrated(weights, *seen)
        return -float((won * np.log(shares + 1e-9)).sum()) / len(won)

    at, damping = part[:SHARES].copy(), 1e-3
    for _ in range(STEPS):
        here = loss(at)
        slope, bend = _slope_and_bend(loss, at)
        while damping < _MOST_DAMPING:
            ahead = at - np.linalg.solve(bend + damping * np.eye(SHARES), slope)
            if loss(ahead) < here:
                break
            damping *= 4
        else:
            break
        at, damping = ahead, damping / 4
    part[:SHARES] = at


def _slope_and_bend(
    loss: Callable[[FloatArray], float], at: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the gradient and the Hessian of a loss at a point, from finite differences."""
    ways = _DELTA * np.eye(len(at))
    slope = np.array([loss(at + way) - loss(at - way) for way in ways]) / (2 * _DELTA)
    bend = np.zeros((len(at), len(at)))
    for i, j in combinations_with_replacement(range(len(at)), 2):
        both, opposite = ways[i] + ways[j], ways[i] - ways[j]
        change = loss(at + both) - loss(at + opposite) - loss(at - opposite) + loss(at - both)
        bend[i, j] = bend[j, i] = change / (4 * _DELTA**2)
    return slope, bend


def _fit_scores(seen: Sequence[Any], ends: FloatArray) -> FloatArray:
    """Return the numbers for scores, fitted to decisions where most playouts were cut off.

    These are playouts that did not reach the end of the game.
    """
    left, _, _, scores, ended = seen
    unfinished = ended < 0.5
    if not unfinished.any():
        return np.array(PLAIN[SHARES:BY_PLAYERS])
    mean = np.broadcast_to(scores.mean(axis=1, keepdims=True), scores.shape)
    at = np.stack([np.ones_like(scores), mean, scores - mean], axis=-1)
    columns = np.stack([at, at * left[:, None, None]], axis=-1)[unfinished].reshape(
        -1, BY_PLAYERS - SHARES
    )
    solution: FloatArray = np.linalg.lstsq(columns, ends[unfinished].ravel(), rcond=None)[0]
    return solution


def expected_error(weights: FloatArray, verdicts: Sequence[Verdict]) -> float:
    """Return the expected calibration error of the deciding seat's win probability.

    The probabilities are divided into BINS bins of equal width.
    """
    predicted, came = [], []
    for left, seats, wins, scores, ended, won, _ in by_players(verdicts):
        shares, _ = calibrated(weights, left, seats, wins, scores, ended)
        rows = np.arange(len(seats))
        predicted.append(shares[rows, seats])
        came.append(won[rows, seats])
    chances, outcomes = np.concatenate(predicted), np.concatenate(came)
    place = np.minimum((chances * BINS).astype(int), BINS - 1)
    return sum(
        float(np.mean(place == i) * abs(chances[place == i].mean() - outcomes[place == i].mean()))
        for i in range(BINS)
        if (place == i).any()
    )
