"""The value net: how it is fitted to how games ended (AdamW; Loshchilov and Hutter 2019).

The target of a position is not the end of its game alone, which is noisy, but a mixture of that
with what the net predicted for the positions in between: the return of TD(lambda) (Sutton 1988).
The win probabilities count by their likelihood, the scores by the square of the error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.features import BOARD, SEAT_INPUTS
from masons.ai.models.model_data import parts_of
from masons.ai.models.net_shapes import HIDDEN, LINEAR, SCORE, SHAPES, WEIGHTS
from masons.ai.training.gradient_descent import (
    Rows,
    Tensor,
    batches,
    descend,
    numbers_of,
    parameters_of,
    torch,
)
from masons.ai.training.training_games import Samples, Singles

# The share of the end, as of TD(lambda): where the net still learns how to play, and where it plays
# well and its predictions are worth more.
LAMBDA, LAST_LAMBDA = 0.85, 0.7
SCORES_COUNT = 0.3  # of the square of the scores' error, for one of the likelihood
RATES = 2e-3, 1e-5  # the learning rate at first and at last
DECAY = 1e-3
BATCH = 1024
SIZES = 0.15, 0.15, 0.1  # of the first weights: standard deviations
_BLOCK = 20_000  # rows that are predicted together


class ValueNet(torch.nn.Module):  # type: ignore[misc]
    """The net of `ai/models/value_net.py`."""

    def __init__(self, net: Singles) -> None:
        """`net`: float32[WEIGHTS]."""
        super().__init__()
        self.seats, self.board, self.out, self.constants = parameters_of(net, SHAPES)

    def forward(self, seats: Tensor, board: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of winning and scores (in SCORE points), [rows, players] each.

        `seats`: [rows, players, SEAT_INPUTS]; `board`: [rows, BOARD_INPUTS].
        """
        spread = seats @ self.seats
        own, others = spread[..., :HIDDEN], spread[..., HIDDEN:]
        mean = (others.sum(dim=1, keepdim=True) - others) / (seats.shape[1] - 1)
        sums = own + mean + (board @ self.board)[:, None]
        units = torch.cat([sums[..., :LINEAR], sums[..., LINEAR:].relu()], dim=-1)
        both = units @ self.out.T + self.constants
        return both[..., 0], both[..., 1]


def first_net(seed: int) -> Singles:
    """A net of random weights (float32[WEIGHTS])."""
    generator = torch.Generator().manual_seed(seed)
    net = np.zeros(WEIGHTS, dtype=np.float32)
    for part, size in zip(parts_of(net, SHAPES), SIZES, strict=False):
        part[:] = size * torch.randn(part.shape, generator=generator).numpy()
    return net


def split_inputs(inputs: NDArray[np.floating], players: int) -> tuple[Tensor, Tensor]:
    """The inputs of the seats that play ([rows, players, SEAT_INPUTS]) and of the board."""
    both = torch.from_numpy(np.ascontiguousarray(inputs))
    seats = both[:, : players * SEAT_INPUTS].float().reshape(-1, players, SEAT_INPUTS)
    return seats, both[:, BOARD:].float()


def loss_of(module: ValueNet, samples: Samples, rows: Rows) -> Tensor:
    """What is to be as low as can be, at rows with as many players."""
    players = int(samples.players[rows[0]])
    logits, points = module(*split_inputs(samples.inputs[rows], players))
    shares = torch.from_numpy(samples.shares[rows, :players])
    scores = torch.from_numpy(samples.scores[rows, :players]) / SCORE
    likelihood = (shares * logits.log_softmax(dim=1)).sum(dim=1).mean()
    return SCORES_COUNT * ((points - scores) ** 2).mean() - likelihood


def predict(net: Singles, inputs: NDArray[np.floating], players: int) -> tuple[Singles, Singles]:
    """What a net predicts: win probabilities and scores in points, [rows, players] each."""
    with torch.inference_mode():
        logits, scores = ValueNet(net)(*split_inputs(inputs, players))
        return logits.softmax(dim=1).numpy(), (SCORE * scores).numpy()


def by_players(samples: Samples, rows: Rows) -> list[Rows]:
    """Some rows by the number of players."""
    players = samples.players[rows]
    return [rows[players == count] for count in np.unique(players)]


def _blocks(samples: Samples, rows: Rows) -> Iterator[tuple[Rows, int]]:
    """Some rows, not too many at a time, with the number of players."""
    for some in by_players(samples, rows):
        for block in np.array_split(some, len(some) // _BLOCK + 1):
            yield block, int(samples.players[block[0]])


def returns(samples: Samples, net: Singles, rate: float = LAMBDA) -> Samples:
    """The same positions with the returns of TD(`rate`) for ends, by what a net predicts.

    Held-out games keep their ends, to which the net is compared.
    """
    predicted, points = np.zeros_like(samples.shares), np.zeros_like(samples.scores)
    for block, players in _blocks(samples, np.arange(len(samples.players))):
        found = predict(net, samples.inputs[block], players)
        predicted[block, :players], points[block, :players] = found
    shares, scores = samples.shares.copy(), samples.scores.copy()
    last = np.flatnonzero(np.diff(samples.game, append=-1))
    first = np.append(0, last[:-1] + 1)
    for back in range(1, int((last - first).max(initial=0)) + 1):
        # The positions so many before the last, of all games that have them.
        rows = last[last - first >= back] - back
        for target, value in ((shares, predicted), (scores, points)):
            target[rows] = rate * target[rows + 1] + (1 - rate) * value[rows + 1]
    kept = samples.held_out[:, None]
    return replace(
        samples,
        shares=np.where(kept, samples.shares, shares),
        scores=np.where(kept, samples.scores, scores),
    )


def fit(
    net: Singles, samples: Samples, epochs: int, seed: int, checkpoint: Path | None = None
) -> Singles:
    """A net fitted to the samples that are not held out, starting from another one.

    After each epoch the loss on held-out games is printed.
    """
    module = ValueNet(net)
    fitted, held_out = np.flatnonzero(~samples.held_out), np.flatnonzero(samples.held_out)
    optimizer = torch.optim.AdamW(module.parameters(), lr=RATES[0], weight_decay=DECAY)

    def tell(epoch: int) -> None:
        found = loss(numbers_of(module), samples, held_out)
        print(
            f"net: epoch {epoch} of {epochs}, loss {found:.4f} "
            f"on {len(held_out)} held-out positions",
            flush=True,
        )

    descend(
        optimizer,
        partial(loss_of, module, samples),
        partial(batches, by_players(samples, fitted), BATCH, seed),
        epochs,
        RATES,
        checkpoint,
        tell,
    )
    return numbers_of(module)


def loss(net: Singles, samples: Samples, rows: Rows | None = None) -> float:
    """Minus the mean logarithm of the win probability that the net gave to the winners.

    Of some rows, or of all.
    """
    rows = np.arange(len(samples.players)) if rows is None else rows
    total = 0.0
    for block, players in _blocks(samples, rows):
        predicted, _ = predict(net, samples.inputs[block], players)
        total -= float((samples.shares[block, :players] * np.log(predicted + 1e-9)).sum())
    return total / max(len(rows), 1)
