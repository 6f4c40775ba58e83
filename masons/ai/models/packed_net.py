"""The form of a net that kernels read, made from the net's weights (see `value_net`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.models import features as f
from masons.ai.models import value_net as v
from masons.engine.board.components import KINDS, LANDS, MAX_PLAYERS
from masons.engine.kernels.jit import MOST_INPUT, MOST_WEIGHT, SUM_BITS, aligned_zeros

Weights = NDArray[np.float64]

# Each input is a multiple of 1 / steps: NUMBERS of a seat, SUPPLY and LINES of the board, and the
# others. The mean of two positions can be a multiple of half of that, hence the factors of 2.
_NUMBER_STEPS: Final = (
    f.SCORE_SCALE, f.HAND_SCALE, *[f.CARD_SCALE] * f.TOP, 1, 12, f.SCORE_SCALE,
    f.SCORE_SCALE, f.SCORE_SCALE, f.FINAL_SCALE, f.SCORE_SCALE,
)  # fmt: skip
_BOARD_STEPS: Final = (
    30, 33, v.LEFT_STEPS, 10, 10, 10, 60, 15,
    f.CITY_SCALE, f.CITY_SCALE, f.DOUBLE_SCALE, f.TOUCHED_SCALE,
)  # fmt: skip
_DECK_STEPS: Final = 60
_UNIT: Final = 2.0**SUM_BITS


def kernel_nets(nets: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return nets (float32[WEIGHTS]) in the form that kernels read, one after the other.

    Each net becomes float32[KERNEL_NET] (see `value_net`).
    """
    packed = aligned_zeros(len(nets) * v.KERNEL_NET, np.float32)
    for net, numbers in zip(nets, packed.reshape(-1, v.KERNEL_NET), strict=True):
        numbers[: v.WEIGHTS] = net
        versions = numbers[v.VERSIONS :].reshape(-1, v.VERSION)
        for players, version in zip(range(2, MAX_PLAYERS + 1), versions, strict=True):
            _Version(version).fill(net.astype(np.float64), players)
    return packed


class _Version:
    """A version of the first layer for a number of players, which is filled in place."""

    def __init__(self, numbers: NDArray[np.float32]) -> None:
        self._rows = numbers.reshape(-1, v.HIDDEN)
        self._pairs = numbers.view(np.int16).reshape(-1, v.HIDDEN, 2)

    def fill(self, net: Weights, players: int) -> None:
        """Fill all rows from the weights of a net."""
        seats, board = (
            part.reshape(-1, v.HIDDEN)
            for part in np.split(net, [int(v.BOARD_WEIGHTS), int(v.OUT)])[:2]
        )
        shared = seats[1::2] / (players - 1)
        self._fill_seats({v.SHARED: shared, v.OWN: seats[::2] - shared})
        self._fill_board(board)
        constants = board[v.ONE] + (board[v.ONE + players - 2] if players > 2 else 0)
        self._rows[v.START].view(np.int32)[:] = np.rint(constants * _UNIT)

    def _fill_seats(self, sides: dict[int, Weights]) -> None:
        """Fill the rows for inputs of seats; `sides` has the weights by the first row."""
        for i, steps in enumerate(_NUMBER_STEPS):
            self._rows[0, i] = factor = _factor((w[i] for w in sides.values()), 2 * steps)
            for first, weights in sides.items():
                self._put(first + i // 2, i % 2, weights[i], factor)
        groups = (
            (v.HELD_FACTOR, f.HELD, KINDS, 2, v.FIRST_CARD, 0),
            (v.LEFT_FACTOR, f.HELD_LEFT, KINDS, 2 * v.LEFT_STEPS, v.FIRST_CARD, 1),
            (v.LAND_FACTOR, f.LAND, LANDS, 2 * f.CARD_SCALE, v.FIRST_LAND_CARD, 0),
        )
        for place, begin, count, steps, row, side in groups:
            group = slice(int(begin), int(begin) + count)
            factor = _factor((w[group] for w in sides.values()), steps)
            self._rows[0, place] = factor / steps
            for first, weights in sides.items():
                self._put(slice(first + row, first + row + count), side, weights[group], factor)

    def _fill_board(self, weights: Weights) -> None:
        """Fill the rows for inputs of the board."""
        values, last = (int(first) - f.BOARD for first in (f.BOARD_VALUES, f.LAST))
        steps = dict(enumerate(_BOARD_STEPS)) | dict.fromkeys(range(values, last), f.SCORE_SCALE)
        for i, count in steps.items():
            self._rows[0, v.BOARD_FACTORS + i] = factor = _factor([weights[i]], count)
            row = i // 2 if i < values else v.BOARD_PAIRS + (i - values) // 2
            self._put(v.BOARD_ROWS + row, i % 2, weights[i], factor)
        self._rows[0, v.LAST_FACTOR] = factor = _factor([weights[last:]], 1)
        first = v.BOARD_ROWS + v.FIRST_LAST
        self._put(slice(first, first + len(weights) - last), 0, weights[last:], factor)
        deck = weights[int(f.SETTING) - f.BOARD]
        factor = _factor([deck], _DECK_STEPS)
        self._rows[0, v.DECK_FACTOR] = factor / _DECK_STEPS
        self._put(v.SHARED + v.DECK_ROW, 0, deck, factor)

    def _put(self, row: int | slice, side: int, weights: Weights, factor: float) -> None:
        """Write weights in 16 bits as the first or second numbers of the pairs of rows."""
        self._pairs[row, :, side] = np.rint(weights / factor * _UNIT)


def _factor(weights: Iterable[Weights], steps: float) -> float:
    """Return the least multiple of `steps` for which all weights have 16 bits."""
    most = max(float(np.abs(part).max()) for part in weights)
    factor = float(steps * max(np.ceil(most * _UNIT / (steps * MOST_WEIGHT)), 1))
    assert factor <= MOST_INPUT, "the net's weights are too large for 16 bits"
    return factor
