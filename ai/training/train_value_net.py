"""The value net: how it is fitted to how games ended (Adam; Kingma and Ba 2015).

The target of a position is not the end of its game alone, which is noisy, but a mixture of that
with what the net predicted for the positions in between: the return of TD(lambda) (Sutton 1988).
The win probabilities count by their likelihood, the scores by the square of the error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.features import BOARD, BOARD_INPUTS, SEAT_INPUTS
from masons.ai.models.value_net import HIDDEN, LINEAR, SCORE, WEIGHTS
from masons.ai.training.adam import Adam
from masons.ai.training.training_games import Samples

Singles = NDArray[np.float32]

LAMBDA = 0.85
SCORES_COUNT = 0.3  # of the square of the scores' error, for one of the likelihood
RATE, LAST_RATE = 2e-3, 1e-5  # the learning rate at first and at last
DECAY = 1e-3
BATCH = 1024
_BLOCK = 50_000  # rows that are predicted together


class Parts:
    """The weights of a net as matrices: views of the same memory."""

    def __init__(self, net: Singles) -> None:
        ends = np.cumsum([2 * SEAT_INPUTS * HIDDEN, BOARD_INPUTS * HIDDEN, 2 * HIDDEN, 2])
        seats, board, out, self.constants = np.split(net, ends[:-1])
        self.seats = seats.reshape(SEAT_INPUTS, 2 * HIDDEN)
        self.board = board.reshape(BOARD_INPUTS, HIDDEN)
        self.out = out.reshape(2, HIDDEN)


def first_net(seed: int) -> Singles:
    """A net of random weights (float32[WEIGHTS])."""
    rng = np.random.default_rng(seed)
    net = np.zeros(WEIGHTS, dtype=np.float32)
    parts = Parts(net)
    for matrix, size in ((parts.seats, 0.15), (parts.board, 0.15), (parts.out, 0.1)):
        matrix[:] = size * rng.standard_normal(matrix.shape)
    return net


def split_inputs(inputs: Singles, players: int) -> tuple[Singles, Singles]:
    """The inputs of the seats that play ([rows, players, SEAT_INPUTS]) and of the board."""
    seats = inputs[:, :BOARD].reshape(len(inputs), -1, SEAT_INPUTS)[:, :players]
    return seats, inputs[:, BOARD:]


def hidden_sums(parts: Parts, seats: Singles, board: Singles) -> Singles:
    """The sums of the hidden units before their activation: [rows, players, HIDDEN]."""
    spread = seats @ parts.seats
    own, others = spread[..., :HIDDEN], spread[..., HIDDEN:]
    mean = (others.sum(axis=1, keepdims=True) - others) / (seats.shape[1] - 1)
    found: Singles = own + mean + (board @ parts.board)[:, None]
    return found


def activated(units: Singles) -> Singles:
    """The hidden units' values, by their sums: the first LINEAR as they are, the rest rectified."""
    found = units.copy()
    np.maximum(found[..., LINEAR:], 0, out=found[..., LINEAR:])
    return found


def read_out(parts: Parts, values: Singles) -> tuple[Singles, Singles]:
    """Win probabilities and scores (in SCORE points), [rows, players] each."""
    both = values @ parts.out.T + parts.constants
    logits = both[..., 0] - both[..., 0].max(axis=1, keepdims=True)
    shares = np.exp(logits)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares, both[..., 1]


def predict(net: Singles, inputs: Singles, players: int) -> tuple[Singles, Singles]:
    """What a net predicts: win probabilities and scores in points, [rows, players] each."""
    parts = Parts(net)
    shares, scores = read_out(parts, activated(hidden_sums(parts, *split_inputs(inputs, players))))
    return shares, SCORE * scores


def gradient(net: Singles, inputs: Singles, shares: Singles, scores: Singles) -> Singles:
    """The gradient of the loss at some rows with as many players; `scores` in SCORE points."""
    rows, players = shares.shape
    parts = Parts(net)
    seats, board = split_inputs(inputs, players)
    units = hidden_sums(parts, seats, board)
    values = activated(units)
    predicted, points = read_out(parts, values)
    both = np.stack(
        [(predicted - shares) / rows, 2 * SCORES_COUNT * (points - scores) / (rows * players)],
        axis=-1,
    )
    found = np.zeros_like(net)
    slope = Parts(found)
    slope.constants[:] = both.sum(axis=(0, 1))
    slope.out[:] = np.tensordot(both, values, ((0, 1), (0, 1)))
    back = both @ parts.out
    back[..., LINEAR:] *= units[..., LINEAR:] > 0
    slope.board[:] = board.T @ back.sum(axis=1)
    others = (back.sum(axis=1, keepdims=True) - back) / (players - 1)
    spread = np.concatenate([back, others], axis=-1)
    slope.seats[:] = seats.reshape(-1, SEAT_INPUTS).T @ spread.reshape(-1, 2 * HIDDEN)
    return found


def returns(samples: Samples, net: Singles) -> Samples:
    """The same positions with the returns of TD(LAMBDA) for ends, by what a net predicts."""
    predicted, points = np.zeros_like(samples.shares), np.zeros_like(samples.scores)
    for players in np.unique(samples.players).tolist():
        rows = np.flatnonzero(samples.players == players)
        for block in np.array_split(rows, len(rows) // _BLOCK + 1):
            found = predict(net, samples.inputs[block], players)
            predicted[block, :players], points[block, :players] = found
    shares, scores = samples.shares.copy(), samples.scores.copy()
    follows = samples.game[1:] == samples.game[:-1]
    for row in np.flatnonzero(follows)[::-1].tolist():
        shares[row] = LAMBDA * shares[row + 1] + (1 - LAMBDA) * predicted[row + 1]
        scores[row] = LAMBDA * scores[row + 1] + (1 - LAMBDA) * points[row + 1]
    return replace(samples, shares=shares, scores=scores)


def batches(players: NDArray[np.int64], rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Rows with as many players, BATCH at a time, in random order."""
    found = []
    for count in np.unique(players):
        rows = rng.permutation(np.flatnonzero(players == count))
        found += np.array_split(rows, len(rows) // BATCH + 1)
    for i in rng.permutation(len(found)):
        yield found[i]


def fit(net: Singles, samples: Samples, epochs: int, seed: int) -> Singles:
    """A net fitted to samples, starting from another one."""
    rng = np.random.default_rng(seed)
    net = net.copy()
    adam = Adam(net)
    counts = np.unique(samples.players, return_counts=True)[1]
    steps = epochs * int(sum(count // BATCH + 1 for count in counts))
    step = 0
    for _ in range(epochs):
        for rows in batches(samples.players, rng):
            step += 1
            players = int(samples.players[rows[0]])
            slope = gradient(
                net, samples.inputs[rows], samples.shares[rows, :players],
                samples.scores[rows, :players] / np.float32(SCORE),
            )  # fmt: skip
            rate = LAST_RATE + RATE * (0.5 + 0.5 * np.cos(np.pi * step / steps))
            net = (net - rate * (adam.step(slope) + DECAY * net)).astype(np.float32)
    return net


def loss(net: Singles, samples: Samples) -> float:
    """Minus the mean logarithm of the win probability that the net gave to the winners."""
    total = 0.0
    for players in np.unique(samples.players).tolist():
        rows = samples.players == players
        predicted, _ = predict(net, samples.inputs[rows], players)
        total -= float((samples.shares[rows, :players] * np.log(predicted + 1e-9)).sum())
    return total / len(samples.players)
