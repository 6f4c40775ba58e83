"""The fits of the value net and the hand model, using gradient descent with PyTorch.

The value net is fitted with AdamW (Loshchilov and Hutter 2019) to the results of games. The result
of a single game is a noisy target for a position. The target is therefore the return of TD(lambda)
(Sutton 1988), a mixture of the result and of the net's predictions for the positions in between.
The loss of the win probabilities is their negative log-likelihood, and the loss of the scores is
their squared error.

The numbers of `ai/models/hand_model.py` are fitted with Adam (Kingma and Ba 2015). They maximize
the likelihood of the hands that many kinds of players held.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.training.self_play_data import Hands, Samples
from masons.ai.models.features import BOARD, SEAT_INPUTS
from masons.ai.models.hand_model import HAND_INPUTS, HANDS_NUMBERS, PAGE_AT, UNITS
from masons.ai.models.model_data import parts_of
from masons.ai.models.value_net import HIDDEN, LINEAR, SCORE, SHAPES, WEIGHTS
from masons.engine.board.components import KINDS
from masons.engine.errors import MasonsError
from masons.engine.extras import install_command
from masons.engine.files import write_atomic
from masons.engine.kernels.jit import FloatArray, SingleArray

try:
    import torch as torch  # exported explicitly, because other modules import `torch` from here
except ImportError:
    raise MasonsError(f"training needs the extra train: {install_command('train')}") from None

Rows = NDArray[np.int64]
Tensor = Any  # torch.Tensor, if torch is installed


def parameters_of(
    numbers: NDArray[np.floating], shapes: Sequence[tuple[int, ...]]
) -> list[torch.nn.Parameter]:
    """Return numbers as float32 matrices with the given shapes, as parameters to be fitted."""
    parts = parts_of(numbers.astype(np.float32), shapes)
    return [torch.nn.Parameter(torch.from_numpy(part.copy())) for part in parts]


def numbers_of(module: torch.nn.Module) -> NDArray[np.float32]:
    """Return the parameters of a module as a flat array, in the order of their definition."""
    flat = [part.detach().numpy().ravel() for part in module.parameters()]
    return np.concatenate(flat)


def batches(groups: Sequence[Rows], size: int, seed: int, epoch: int) -> list[Rows]:
    """Return all rows in random batches of about `size` rows. Each batch is from one group."""
    rng, parts = np.random.default_rng([seed, epoch]), list[Rows]()
    for rows in groups:
        if len(rows):
            parts += np.array_split(rng.permutation(rows), len(rows) // size + 1)
    # Sort the rows of a batch, because reading them from disk is then faster.
    return [np.sort(parts[i]) for i in rng.permutation(len(parts))]


def descend(
    name: str,
    optimizer: torch.optim.Optimizer,
    loss: Callable[[Rows], Tensor],
    batches: Callable[[int], Sequence[Rows]],
    epochs: int,
    rates: tuple[float, float],
    checkpoint: Path | None,
    progress: Callable[[], str],
) -> None:
    """Fit the parameters of an optimizer to the `batches` of each epoch.

    The learning rate falls along a cosine curve from the first to the last of `rates`. After each
    epoch, `name` and the text of `progress` are printed, and the state is saved in `checkpoint`. If
    this file exists already, the run that saved it is continued.
    """
    first = _restored(optimizer, checkpoint) if checkpoint and checkpoint.exists() else 0
    highest, lowest = rates
    for epoch in range(first, epochs):
        some = batches(epoch)
        for step, rows in enumerate(some, 1):
            over = (epoch + step / len(some)) / epochs
            rate = lowest + (highest - lowest) * (0.5 + 0.5 * float(np.cos(np.pi * over)))
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.zero_grad()
            loss(rows).backward()
            optimizer.step()
        print(f"{name}: epoch {epoch + 1} of {epochs}, {progress()}", flush=True)
        if checkpoint:
            _keep(optimizer, epoch + 1, checkpoint)


def _parameters(optimizer: torch.optim.Optimizer) -> list[Tensor]:
    return [part for group in optimizer.param_groups for part in group["params"]]


def _keep(optimizer: torch.optim.Optimizer, epochs: int, checkpoint: Path) -> None:
    """Save the state at the start of the next epoch."""
    file = io.BytesIO()
    parameters = [part.detach() for part in _parameters(optimizer)]
    kept = {"epochs": epochs, "parameters": parameters, "optimizer": optimizer.state_dict()}
    torch.save(kept, file)
    write_atomic(checkpoint, file.getvalue())


def _restored(optimizer: torch.optim.Optimizer, checkpoint: Path) -> int:
    """Restore an optimizer and its parameters. Return the number of finished epochs."""
    kept = torch.load(checkpoint, weights_only=True)
    with torch.no_grad():
        for part, before in zip(_parameters(optimizer), kept["parameters"], strict=True):
            part.copy_(before)
    optimizer.load_state_dict(kept["optimizer"])
    return int(kept["epochs"])


# Lambda in the returns: first while the net still learns how to play, then when it plays well and
# its predictions are more reliable.
LAMBDA, LAST_LAMBDA = 0.85, 0.7
SCORES_COUNT = 0.3  # weight of the squared error of scores, relative to the likelihood
RATES = 2e-3, 1e-5  # the first and the last learning rate
DECAY = 1e-3
BATCH = 1024
SIZES = 0.15, 0.15, 0.1  # standard deviations of the initial weights
_BLOCK = 20_000  # number of rows that are predicted together


class ValueNet(torch.nn.Module):  # type: ignore[misc]
    """The net of `ai/models/value_net.py` as a PyTorch module."""

    def __init__(self, net: SingleArray) -> None:
        """Take the weights of a net (float32[WEIGHTS])."""
        super().__init__()
        self.seats, self.board, self.out, self.constants = parameters_of(net, SHAPES)

    def forward(self, seats: Tensor, board: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits of winning and scores (in units of SCORE points), each [rows, players].

        `seats` is [rows, players, SEAT_INPUTS], and `board` is [rows, BOARD_INPUTS].
        """
        spread = seats @ self.seats
        self_sums, others = spread[..., :HIDDEN], spread[..., HIDDEN:]
        mean = (others.sum(dim=1, keepdim=True) - others) / (seats.shape[1] - 1)
        sums = self_sums + mean + (board @ self.board)[:, None]
        units = torch.cat([sums[..., :LINEAR], sums[..., LINEAR:].relu()], dim=-1)
        both = units @ self.out.T + self.constants
        return both[..., 0], both[..., 1]


def first_net(seed: int) -> SingleArray:
    """Return a net with random weights (float32[WEIGHTS])."""
    generator = torch.Generator().manual_seed(seed)
    net = np.zeros(WEIGHTS, dtype=np.float32)
    for part, size in zip(parts_of(net, SHAPES), SIZES, strict=False):
        part[:] = size * torch.randn(part.shape, generator=generator).numpy()
    return net


def split_inputs(inputs: NDArray[np.floating], players: int) -> tuple[Tensor, Tensor]:
    """Return the inputs of the seats ([rows, players, SEAT_INPUTS]) and of the board."""
    both = torch.from_numpy(np.ascontiguousarray(inputs))
    seats = both[:, : players * SEAT_INPUTS].float().reshape(-1, players, SEAT_INPUTS)
    return seats, both[:, BOARD:].float()


def loss_of(module: ValueNet, samples: Samples, rows: Rows) -> Tensor:
    """Return the loss to be minimized, for rows with the same number of players."""
    players = int(samples.players[rows[0]])
    logits, points = module(*split_inputs(samples.inputs[rows], players))
    shares = torch.from_numpy(samples.shares[rows, :players])
    scores = torch.from_numpy(samples.scores[rows, :players]) / SCORE
    likelihood = (shares * logits.log_softmax(dim=1)).sum(dim=1).mean()
    return SCORES_COUNT * ((points - scores) ** 2).mean() - likelihood


def predict(
    net: SingleArray, inputs: NDArray[np.floating], players: int
) -> tuple[SingleArray, SingleArray]:
    """Return a net's win probabilities and its scores in points, each [rows, players]."""
    with torch.inference_mode():
        logits, scores = ValueNet(net)(*split_inputs(inputs, players))
        return logits.softmax(dim=1).numpy(), (SCORE * scores).numpy()


def by_players(samples: Samples, rows: Rows) -> list[Rows]:
    """Return the rows in groups. All rows of a group have the same number of players."""
    players = samples.players[rows]
    return [rows[players == count] for count in np.unique(players)]


def _blocks(samples: Samples, rows: Rows) -> Iterator[tuple[Rows, int]]:
    """Yield (rows, number of players). Each block has about _BLOCK rows."""
    for some in by_players(samples, rows):
        for block in np.array_split(some, len(some) // _BLOCK + 1):
            yield block, int(samples.players[block[0]])


def returns(samples: Samples, net: SingleArray, rate: float = LAMBDA) -> Samples:
    """Return the positions with TD(`rate`) returns as targets in place of the results.

    The net predicts the values of the positions in between. Held-out games keep their results, with
    which the net is compared.
    """
    predicted, points = np.zeros_like(samples.shares), np.zeros_like(samples.scores)
    for block, players in _blocks(samples, np.arange(len(samples.players))):
        values = predict(net, samples.inputs[block], players)
        predicted[block, :players], points[block, :players] = values
    shares, scores = samples.shares.copy(), samples.scores.copy()
    last = np.flatnonzero(np.diff(samples.game, append=-1))
    first = np.append(0, last[:-1] + 1)
    for back in range(1, int((last - first).max(initial=0)) + 1):
        # The positions that are `back` positions before the last one of their game.
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
    net: SingleArray, samples: Samples, epochs: int, seed: int, checkpoint: Path | None = None
) -> SingleArray:
    """Return a net fitted to the samples that are not held out, starting from `net`.

    The loss on held-out games is printed after each epoch.
    """
    module = ValueNet(net)
    fitted, held_out = np.flatnonzero(~samples.held_out), np.flatnonzero(samples.held_out)
    optimizer = torch.optim.AdamW(module.parameters(), lr=RATES[0], weight_decay=DECAY)

    def progress() -> str:
        held_out_loss = loss(numbers_of(module), samples, held_out)
        return f"loss {held_out_loss:.4f} on {len(held_out)} held-out positions"

    descend(
        "net", optimizer, partial(loss_of, module, samples),
        partial(batches, by_players(samples, fitted), BATCH, seed), epochs, RATES, checkpoint,
        progress,
    )  # fmt: skip
    return numbers_of(module)


def loss(net: SingleArray, samples: Samples, rows: Rows | None = None) -> float:
    """Return the mean negative log-likelihood of the winners in some rows, or in all rows."""
    rows = np.arange(len(samples.players)) if rows is None else rows
    total = 0.0
    for block, players in _blocks(samples, rows):
        predicted, _ = predict(net, samples.inputs[block], players)
        total -= float((samples.shares[block, :players] * np.log(predicted + 1e-9)).sum())
    return total / max(len(rows), 1)


HAND_EPOCHS = 10
HAND_BATCH = 512
HAND_RATES = 4e-3, 1e-5  # the first and the last learning rate
# The weight decay (L2) of the direct weights, and of all other weights.
HAND_DECAY_DIRECT, HAND_DECAY = 3e-3, 1e-4

# As in `ai/models/hand_model.py`: direct weights, weights into units, weights out of units.
HAND_SHAPES = (HAND_INPUTS, KINDS), (HAND_INPUTS, UNITS), (UNITS, KINDS)


class HandModel(torch.nn.Module):  # type: ignore[misc]
    """The net of `ai/models/hand_model.py` as a PyTorch module."""

    def __init__(self, numbers: NDArray[np.floating]) -> None:
        """Take the numbers of the hand model ([HANDS_NUMBERS])."""
        super().__init__()
        self.direct, self.into, self.out = parameters_of(numbers, HAND_SHAPES)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the logarithm of the hand weight of each kind ([rows, KINDS])."""
        return inputs @ self.direct + (inputs @ self.into).relu() @ self.out


def first_numbers(seed: int) -> FloatArray:
    """Return numbers that make all cards equally likely.

    The weights into the units are random, and all other weights are 0.
    """
    generator = torch.Generator().manual_seed(seed)
    numbers = np.zeros(HANDS_NUMBERS)
    into = parts_of(numbers, HAND_SHAPES)[1]
    into[:] = torch.randn(into.shape, generator=generator).numpy() / HAND_INPUTS**0.5
    return numbers


def _likelihoods(logs: Tensor, hands: Hands, rows: Rows) -> Tensor:
    """Return the log-likelihood of each hand, up to terms that do not depend on the weights."""
    held, unseen = (torch.from_numpy(some[rows]).float() for some in (hands.held, hands.unseen))
    whole = (logs + unseen.log()).logsumexp(dim=1)
    return (held * logs).sum(dim=1) - held.sum(dim=1) * whole


def _inputs(hands: Hands, rows: Rows) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(hands.inputs[rows])).float()


def hand_loss(module: HandModel, hands: Hands, rows: Rows) -> Tensor:
    """Return the loss to be minimized, for some rows."""
    return -_likelihoods(module(_inputs(hands, rows)), hands, rows).mean()


def fit_hands(
    numbers: FloatArray, hands: Hands, epochs: int, seed: int, checkpoint: Path | None = None
) -> FloatArray:
    """Return numbers fitted to the hands that are not held out, starting from `numbers`.

    The gain on held-out games is printed after each epoch.
    """
    module = HandModel(numbers)
    fitted, held_out = np.flatnonzero(~hands.held_out), np.flatnonzero(hands.held_out)
    groups = [
        {"params": [module.direct], "weight_decay": HAND_DECAY_DIRECT},
        {"params": [module.into, module.out], "weight_decay": HAND_DECAY},
    ]

    def progress() -> str:
        gained = nats_gained(numbers_of(module), hands, held_out)
        return f"{gained:.4f} nats a card over chance in {len(held_out)} held-out hands"

    descend(
        "hands", torch.optim.Adam(groups, lr=HAND_RATES[0]), partial(hand_loss, module, hands),
        partial(batches, [fitted], HAND_BATCH, seed), epochs, HAND_RATES, checkpoint, progress,
    )  # fmt: skip
    return numbers_of(module).astype(np.float64)


def fit_prior(hands: Hands, epochs: int, seed: int) -> FloatArray:
    """Return PRIOR_NUMBERS (see `hand_model`), which predict hands when no action is known.

    For each number of players, only the linear part is fitted. It uses only the inputs that do not
    come from the action history.
    """
    columns = np.arange(HAND_INPUTS)
    has_three, has_four = hands.inputs[:, 3] > 0, hands.inputs[:, 4] > 0
    numbers = []
    for rows in (~(has_three | has_four), has_three, has_four):
        inputs = np.where((columns < PAGE_AT) & ~np.isin(columns, (3, 4)), hands.inputs[rows], 0)
        part = Hands(hands.held[rows], hands.unseen[rows], inputs, hands.held_out[rows])
        fitted = fit_hands(np.zeros(HANDS_NUMBERS), part, epochs, seed)
        numbers.append(fitted[: PAGE_AT * KINDS])
    return np.concatenate(numbers)


def nats_gained(numbers: NDArray[np.floating], hands: Hands, rows: Rows | None = None) -> float:
    """Return how much better than chance hands are predicted, in nats per card.

    `rows` are the rows to use. By default, all rows are used.
    """
    rows = np.arange(len(hands.held)) if rows is None else rows
    module, gained = HandModel(numbers), 0.0
    with torch.inference_mode():
        for block in np.array_split(rows, len(rows) // _BLOCK + 1):
            logs = module(_inputs(hands, block))
            for sign, some in ((1, logs), (-1, torch.zeros_like(logs))):
                gained += sign * float(_likelihoods(some, hands, block).sum())
    return gained / max(float(hands.held[rows].sum()), 1.0)
