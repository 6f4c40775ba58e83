"""The model of hidden hands: how the numbers of `ai/models/hand_model.py` are fitted.

By the likelihood of the hands that players of many sorts held (Adam; Kingma and Ba 2015).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.hand_model import HAND_INPUTS, HANDS_NUMBERS, UNITS
from masons.ai.models.model_data import parts_of
from masons.ai.training.gradient_descent import (
    Rows,
    Tensor,
    batches,
    descend,
    numbers_of,
    parameters_of,
    torch,
)
from masons.ai.training.training_hands import Hands
from masons.engine.board.components import KINDS

Numbers = NDArray[np.float64]

EPOCHS = 10
BATCH = 512
RATES = 4e-3, 1e-5  # the learning rate at first and at last
# Of the squares, in the loss: of what goes straight through, of the rest.
DECAY_DIRECT, DECAY = 3e-3, 1e-4
_BLOCK = 20_000  # rows that are predicted together

# As `ai/models/hand_model.py` has them: straight through, in, out.
SHAPES = (HAND_INPUTS, KINDS), (HAND_INPUTS, UNITS), (UNITS, KINDS)


class HandModel(torch.nn.Module):  # type: ignore[misc]
    """The net of `ai/models/hand_model.py`."""

    def __init__(self, numbers: NDArray[np.floating]) -> None:
        """`numbers`: [HANDS_NUMBERS]."""
        super().__init__()
        self.direct, self.into, self.out = parameters_of(numbers, SHAPES)

    def forward(self, inputs: Tensor) -> Tensor:
        """The logarithm of the hand weight of each kind ([rows, KINDS])."""
        return inputs @ self.direct + (inputs @ self.into).relu() @ self.out


def first_numbers(seed: int) -> Numbers:
    """Numbers by which all cards are as likely: only the first layer is not 0."""
    generator = torch.Generator().manual_seed(seed)
    numbers = np.zeros(HANDS_NUMBERS)
    into = parts_of(numbers, SHAPES)[1]
    into[:] = torch.randn(into.shape, generator=generator).numpy() / HAND_INPUTS**0.5
    return numbers


def _likelihoods(logs: Tensor, hands: Hands, rows: Rows) -> Tensor:
    """The logarithm of the likelihood of each hand, but for what no weights change."""
    held, unseen = (torch.from_numpy(some[rows]).float() for some in (hands.held, hands.unseen))
    whole = (logs + unseen.log()).logsumexp(dim=1)
    return (held * logs).sum(dim=1) - held.sum(dim=1) * whole


def _inputs(hands: Hands, rows: Rows) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(hands.inputs[rows])).float()


def loss_of(module: HandModel, hands: Hands, rows: Rows) -> Tensor:
    """What is to be as low as can be."""
    return -_likelihoods(module(_inputs(hands, rows)), hands, rows).mean()


def fit_hands(
    numbers: Numbers, hands: Hands, epochs: int, seed: int, checkpoint: Path | None = None
) -> Numbers:
    """Numbers fitted to the hands that are not held out, starting from others.

    After each epoch it is printed what was gained on held-out games.
    """
    module = HandModel(numbers)
    fitted, held_out = np.flatnonzero(~hands.held_out), np.flatnonzero(hands.held_out)
    groups = [
        {"params": [module.direct], "weight_decay": DECAY_DIRECT},
        {"params": [module.into, module.out], "weight_decay": DECAY},
    ]

    def tell(epoch: int) -> None:
        gained = nats_gained(numbers_of(module), hands, held_out)
        print(
            f"hands: epoch {epoch} of {epochs}, {gained:.4f} nats a card over chance "
            f"in {len(held_out)} held-out hands",
            flush=True,
        )

    descend(
        torch.optim.Adam(groups, lr=RATES[0]),
        partial(loss_of, module, hands),
        partial(batches, [fitted], BATCH, seed),
        epochs,
        RATES,
        checkpoint,
        tell,
    )
    return numbers_of(module).astype(np.float64)


def nats_gained(numbers: NDArray[np.floating], hands: Hands, rows: Rows | None = None) -> float:
    """By how much a card of a hand is likelier than by chance, in nats. Of some rows, or of all."""
    rows = np.arange(len(hands.held)) if rows is None else rows
    module, gained = HandModel(numbers), 0.0
    with torch.inference_mode():
        for block in np.array_split(rows, len(rows) // _BLOCK + 1):
            logs = module(_inputs(hands, block))
            for sign, some in ((1, logs), (-1, torch.zeros_like(logs))):
                gained += sign * float(_likelihoods(some, hands, block).sum())
    return gained / max(float(hands.held[rows].sum()), 1.0)
