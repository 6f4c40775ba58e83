"""The models in plain numpy, written after their docstrings, to check kernels and fits."""

from __future__ import annotations

import numpy as np

from masons.ai.models.features import BOARD, BOARD_INPUTS, SEAT_INPUTS
from masons.ai.models.hand_model import HAND_INPUTS, UNITS
from masons.ai.models.value_net import HIDDEN, LINEAR, SCORE
from masons.engine.board.components import KINDS


def predict(net: np.ndarray, inputs: np.ndarray, players: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the value net's win probabilities and scores in points, [rows, players] each."""
    ends = np.cumsum([2 * SEAT_INPUTS * HIDDEN, BOARD_INPUTS * HIDDEN, 2 * HIDDEN])
    of_seats, of_board, out, constants = np.split(net, ends)
    seats = inputs[:, :BOARD].reshape(len(inputs), -1, SEAT_INPUTS)[:, :players]
    spread = seats @ of_seats.reshape(SEAT_INPUTS, 2 * HIDDEN)
    self_sums, others = spread[..., :HIDDEN], spread[..., HIDDEN:]
    mean = (others.sum(axis=1, keepdims=True) - others) / (players - 1)
    units = self_sums + mean + (inputs[:, BOARD:] @ of_board.reshape(BOARD_INPUTS, HIDDEN))[:, None]
    units[..., LINEAR:] = np.maximum(units[..., LINEAR:], 0)
    both = units @ out.reshape(2, HIDDEN).T + constants
    shares = np.exp(both[..., 0] - both[..., 0].max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True), SCORE * both[..., 1]


def log_weights(numbers: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Return the logarithm of each kind's hand weight ([rows, KINDS])."""
    ends = np.cumsum([HAND_INPUTS * KINDS, HAND_INPUTS * UNITS])
    direct, into, out = np.split(numbers, ends)
    units = np.maximum(inputs @ into.reshape(-1, UNITS), 0)
    logs: np.ndarray = inputs @ direct.reshape(-1, KINDS) + units @ out.reshape(UNITS, KINDS)
    return logs
