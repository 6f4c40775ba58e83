"""Train a net on exported games to predict the result and the choices of a search.

    pip install "masons-engine[train]"
    masons-engine dataset --games 200 --player default:sims=100 --out games
    python examples/train_value.py games --epochs 5

The value of the net is fitted to the results of the games. If the players searched, it is also
fitted to the win probabilities of their searches, and the policy of the net is fitted to the visits
of the searches. The program then tests the net on games that were not used for training. The first
figure is the squared error of the predicted results, which are from -1 to 1. For comparison, the
program also prints the errors of two simple predictions: always 0, and a prediction from the points
so far. The second figure says how often the net's most likely action is also the action with the
most visits.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from masons.engine.board.geometry import load_board
from masons.env import Encoding
from masons.env.datasets import read_dataset

PLAYERS = 7  # index of the feature that holds the number of players


class Steps(NamedTuple):
    """The columns of all shards (files) of a dataset, with one row for each step."""

    observation: Tensor  # uint8[n, observation size]
    legal: Tensor  # bool[n, actions]
    result: Tensor  # float32[n]: the final result of the seat that decides
    value: Tensor  # float32[n]: the win probability that the seat's search estimated, or NaN
    visits: Tensor  # float32[n, actions]: the share of the search spent on each action
    game: Tensor  # int32[n]


def load(folder: Path, encoding: Encoding) -> Steps:
    """Read a dataset into tensors."""
    columns: list[list[Any]] = []
    for shard in read_dataset(folder, encoding):
        mask = np.unpackbits(shard["mask"], axis=1, bitorder="little", count=encoding.actions.count)
        visits = shard["visits"] / np.maximum(shard["visits"].sum(axis=1, keepdims=True), 1)
        results = shard["result"][np.arange(len(shard["player"])), shard["player"]]
        columns.append([
            shard["observation"], mask.astype(bool), results, shard["value"],
            visits.astype(np.float32), shard["game"],
        ])  # fmt: skip
    return Steps(*(torch.from_numpy(np.concatenate(part)) for part in zip(*columns, strict=True)))


def inputs_of(observation: Tensor, encoding: Encoding) -> Tensor:
    """Return the net's inputs [b, n]: the game, seats, cards and lines, and sums over the board."""
    parts = encoding.layout.features(observation.float())
    return torch.cat(
        [
            parts.game / 12, parts.seats.flatten(1) / 24, parts.kinds.flatten(1) / 4,
            parts.spaces.sum(1) / 24, parts.lines.sum(1) / 40, parts.towers.sum(1) / 10,
            parts.lines.flatten(1),
        ],
        dim=1,
    )  # fmt: skip


def targets_of(steps: Steps, encoding: Encoding, share: float) -> Tensor:
    """Return the targets of the value: results mixed with the searches' win probabilities.

    `share` is the weight of the win probabilities.
    """
    players = encoding.layout.features(steps.observation).game[:, PLAYERS].float()
    searched = (players * steps.value - 1) / (players - 1)  # converted to the scale of the results
    mixed = (1 - share) * steps.result + share * searched
    return torch.where(searched.isnan(), steps.result, mixed)


class Net(nn.Module):  # type: ignore[misc]
    """A net that returns a value from -1 to 1 and a logit for each action."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
        self.value, self.policy = nn.Linear(64, 1), nn.Linear(64, actions)

    def forward(self, inputs: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        """Return values [b] and logits [b, actions], which are -1e9 for illegal actions."""
        hidden = self.trunk(inputs)
        return self.value(hidden)[:, 0].tanh(), self.policy(hidden).masked_fill(~legal, -1e9)


def train(net: Net, optimizer: Any, encoding: Encoding, steps: Steps, target: Tensor) -> None:
    """Train on all steps once. Steps without a search do not train the policy."""
    for part in torch.randperm(len(target)).split(1024):
        value, logits = net(inputs_of(steps.observation[part], encoding), steps.legal[part])
        loss = (value - target[part]).square().mean()
        loss = loss - (steps.visits[part] * logits.log_softmax(1)).sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def report(net: Net, encoding: Encoding, steps: Steps) -> str:
    """Return text that says how well a net predicts the results and the searches of some steps."""
    value, logits = net(inputs_of(steps.observation, encoding), steps.legal)
    seats = encoding.layout.features(steps.observation).seats
    margin = (seats[:, 0, 1].float() - seats[:, 1:, 1].float().amax(1)) / 20
    errors = [
        float((estimate - steps.result).square().mean())
        for estimate in (value, torch.zeros_like(value), margin.clamp(-1, 1))
    ]
    said = "squared error {:.3f} (always 0: {:.3f}, by the points: {:.3f})".format(*errors)
    searched = steps.visits.sum(1) > 0
    if searched.any():
        same = (logits.argmax(1) == steps.visits.argmax(1))[searched].float().mean()
        chance = (1 / steps.legal[searched].sum(1)).mean()
        said += f", the search's action {float(same):.1%} (by chance: {float(chance):.1%})"
    return said


def main() -> None:
    """Train the net, and report its errors after each epoch."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--epochs", type=int, default=5)
    options.add_argument("--board", default="classic")
    options.add_argument("--share", type=float, default=0.5, help="of the searches' values")
    options.add_argument("--out", type=Path, help="a file for the weights")
    chosen = options.parse_args()
    torch.manual_seed(0)
    encoding = Encoding(load_board(chosen.board))
    steps = load(chosen.folder, encoding)
    held_out = steps.game % 10 == 0
    training, others = (Steps(*(part[rows] for part in steps)) for rows in (~held_out, held_out))
    target = targets_of(training, encoding, chosen.share)
    net = Net(inputs_of(training.observation[:1], encoding).shape[1], encoding.actions.count)
    optimizer = torch.optim.Adam(net.parameters(), 1e-3, weight_decay=1e-5)
    for epoch in range(chosen.epochs):
        train(net, optimizer, encoding, training, target)
        print(f"epoch {epoch + 1}: {report(net, encoding, others)}", flush=True)
    if chosen.out:
        torch.save({"encoding": encoding.fingerprint, "net": net.state_dict()}, chosen.out)


if __name__ == "__main__":
    main()
