"""Down the gradient of a loss by PyTorch, with a checkpoint after each epoch."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.model_data import parts_of
from masons.engine.errors import MasonsError
from masons.engine.files import write_atomic

try:
    import torch as torch  # for those that import it from here
except ImportError:
    raise MasonsError(
        "training needs the extra train: pip install 'masons-engine[train]'"
    ) from None

Rows = NDArray[np.int64]
Tensor = Any  # torch.Tensor, where torch is installed


def parameters_of(
    numbers: NDArray[np.floating], shapes: Sequence[tuple[int, ...]]
) -> list[torch.nn.Parameter]:
    """The same matrices to be fitted, as float32."""
    parts = parts_of(numbers.astype(np.float32), shapes)
    return [torch.nn.Parameter(torch.from_numpy(part.copy())) for part in parts]


def numbers_of(module: torch.nn.Module) -> NDArray[np.float32]:
    """The parameters of a module one after the other, in the order in which they were set."""
    flat = [part.detach().numpy().ravel() for part in module.parameters()]
    return np.concatenate(flat)


def batches(groups: Sequence[Rows], size: int, seed: int, epoch: int) -> list[Rows]:
    """All rows in random order, about `size` at a time, only of one group each."""
    rng, found = np.random.default_rng([seed, epoch]), list[Rows]()
    for rows in groups:
        if len(rows):
            found += np.array_split(rng.permutation(rows), len(rows) // size + 1)
    # Ascending, because the rows may lie on disk.
    return [np.sort(found[i]) for i in rng.permutation(len(found))]


def descend(
    optimizer: torch.optim.Optimizer,
    loss: Callable[[Rows], Tensor],
    batches: Callable[[int], Sequence[Rows]],
    epochs: int,
    rates: tuple[float, float],
    checkpoint: Path | None,
    tell: Callable[[int], None],
) -> None:
    """Fit the parameters of an optimizer to the `batches` of each epoch.

    The learning rate falls from the first to the last of `rates` by a cosine. `tell` is called
    after each epoch. With a `checkpoint` of an earlier run the epochs after it are gone through.
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
        tell(epoch + 1)
        if checkpoint:
            _keep(optimizer, epoch + 1, checkpoint)


def _parameters(optimizer: torch.optim.Optimizer) -> list[Tensor]:
    return [part for group in optimizer.param_groups for part in group["params"]]


def _keep(optimizer: torch.optim.Optimizer, epochs: int, checkpoint: Path) -> None:
    """Write what the next epoch begins with."""
    file = io.BytesIO()
    parameters = [part.detach() for part in _parameters(optimizer)]
    kept = {"epochs": epochs, "parameters": parameters, "optimizer": optimizer.state_dict()}
    torch.save(kept, file)
    write_atomic(checkpoint, file.getvalue())


def _restored(optimizer: torch.optim.Optimizer, checkpoint: Path) -> int:
    """How many epochs a checkpoint has behind it; the optimizer and its parameters are set."""
    kept = torch.load(checkpoint, weights_only=True)
    with torch.no_grad():
        for part, before in zip(_parameters(optimizer), kept["parameters"], strict=True):
            part.copy_(before)
    optimizer.load_state_dict(kept["optimizer"])
    return int(kept["epochs"])
