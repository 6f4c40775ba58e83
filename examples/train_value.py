"""A value net from exported games: who wins, by what the seat that decides sees.

    pip install "masons-engine[train]"
    masons-engine dataset --games 1000 --player heuristic --out games
    python examples/train_value.py games --epochs 5

Prints the error of the predicted results (from -1 to 1) in games that were not trained with, beside
that of always saying 0 and that of the points on the board.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from masons.engine.board.geometry import load_board
from masons.env import Encoding
from masons.env.datasets.dataset_folder import read_dataset


def load(folder: Path, encoding: Encoding) -> tuple[Tensor, Tensor, Tensor]:
    """Observations, what each seat that decides got in the end, and the number of the game."""
    parts = [
        (
            shard["observation"],
            shard["result"][np.arange(len(shard["player"])), shard["player"]],
            shard["game"],
        )
        for shard in read_dataset(folder, encoding)
    ]
    observation, result, game = (np.concatenate(column) for column in zip(*parts, strict=True))
    return torch.from_numpy(observation), torch.from_numpy(result), torch.from_numpy(game)


def inputs_of(observation: Tensor, encoding: Encoding) -> Tensor:
    """The parts that say most of who wins: the game, seats, cards, and sums over the board."""
    parts = encoding.layout.features(observation.float())
    return torch.cat(
        [
            parts.game / 12, parts.seats.flatten(1) / 24, parts.kinds.flatten(1) / 4,
            parts.spaces.sum(1) / 24, parts.lines.sum(1) / 40, parts.towers.sum(1) / 10,
        ],
        dim=1,
    )  # fmt: skip


def main() -> None:
    """Train and report."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--epochs", type=int, default=5)
    options.add_argument("--board", default="classic")
    options.add_argument("--out", type=Path, help="a file for the weights")
    given = options.parse_args()
    torch.manual_seed(0)
    encoding = Encoding(load_board(given.board))
    observation, result, game = load(given.folder, encoding)
    held_out = game % 10 == 0
    seats = encoding.layout.features(observation).seats
    margin = (seats[:, 0, 1].float() - seats[:, 1:, 1].float().amax(1)) / 20
    net = nn.Sequential(
        nn.Linear(inputs_of(observation[:1], encoding).shape[1], 128), nn.ReLU(),
        nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1), nn.Tanh(),
    )  # fmt: skip
    optimizer = torch.optim.Adam(net.parameters(), 1e-3, weight_decay=1e-5)
    train = (~held_out).nonzero()[:, 0]
    for epoch in range(given.epochs):
        for part in train[torch.randperm(len(train))].split(1024):
            guess = net(inputs_of(observation[part], encoding))[:, 0]
            loss = (guess - result[part]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            guess = net(inputs_of(observation[held_out], encoding))[:, 0]
        errors = [
            float((other - result[held_out]).square().mean())
            for other in (guess, torch.zeros_like(guess), margin[held_out].clamp(-1, 1))
        ]
        print(
            f"epoch {epoch + 1}: squared error {errors[0]:.3f} "
            f"(always 0: {errors[1]:.3f}, by the points: {errors[2]:.3f})", flush=True
        )  # fmt: skip
    if given.out:
        torch.save({"encoding": encoding.fingerprint, "net": net.state_dict()}, given.out)


if __name__ == "__main__":
    main()
