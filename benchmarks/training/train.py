"""Fit the numbers in `ai/models/data/learned.json` to games of the engine against itself.

    python -m benchmarks.training.train [--games 40000] [--seed 1] [--folder FOLDER] [--out FILE]
    python -m benchmarks.training.train --improve ...
    python -m benchmarks.training.train --policy ...
    python -m benchmarks.training.train --biases ...
    python -m benchmarks.training.train --calibration ...

| stage                | games     | work                                                          |
| -------------------- | --------- | ------------------------------------------------------------- |
| `heuristic`          |           | the heuristics, in games against earlier versions             |
| `net-1` to `net-5`   | 1 each    | searches with the current net play each other, and the net is |
|                      |           | fitted to the positions of the last rounds                    |
| `hands-1`            | 1         | the hand model, which predicts hands from actions             |
| `net-6`, `net-7`     | 1 each    | rounds between searches that predict hands with this model    |
| `hands-2`            | 1/2       | the hand model again                                          |
| `net-8`              | 1         | the last round, between equal searches, with more weight on   |
|                      |           | the predictions of the previous net                           |
| `hands-3`            | 1/2       | the hand model again                                          |
| `policy-1` to `-12`  |           | the net of the policy, in games against itself                |
| `prior`              |           | the hand model without actions, fitted to the same hands      |
| `biases`             | 1/20      | the biases of the policy in rollouts, from games of searches  |
| `calibration`        | 1/40      | the correction of a search's predictions, from game results   |

The unit of the second column is `--games`. The first round is played by the heuristics alone. With
`--improve`, the run begins with the stage `net-8` and the numbers in this package. With `--policy`,
only the net of the policy is tuned again, and with `--biases` or `--calibration` only these numbers
are fitted again; all other numbers stay the same. If a run is interrupted, the same command
continues it from the folder without repeating finished work.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_data_path

from benchmarks.measuring import parser_of
from benchmarks.training import evolution, run_folder, self_play_data
from benchmarks.training.bias_fit import decisions_here, fit_biases
from benchmarks.training.calibration import fit_calibration, verdicts_here, verdicts_of
from benchmarks.training.self_play_data import Hands, Samples
from masons.ai import models
from masons.ai.models.features import INPUTS
from masons.ai.models.hand_model import HANDS_NUMBERS
from masons.ai.models.model_data import learned
from masons.ai.models.value_net import WEIGHTS
from masons.engine.errors import MasonsError
from masons.engine.files import write_atomic
from masons.engine.kernels.jit import FloatArray, SingleArray
from masons.engine.kernels.rng import mix

LEARNED = Path(models.__file__).parent / "data" / "learned.json"
GENERATIONS = 400  # generations of the heuristics
ROUNDS = 5
MORE_ROUNDS = 2  # number of rounds between searches that predict hands
LAST_ROUND = ROUNDS + MORE_ROUNDS + 1
KEPT = 3  # the net is fitted to the positions of the latest KEPT rounds
EPOCHS = 8
SHARD_GAMES = 1200
VERDICT_GAMES = 20  # games in a shard of the calibration
BIAS_GAMES = 60  # games in a shard of the biases
POLICY_ROUNDS = 12
POLICY_STEPS, SHARD_STEPS = 2700, 450  # random steps in a round, and in a shard
DIGITS = 4  # significant digits of each number in the file
_PARTS = "policy", "biases", "calibration"  # keys of numbers that can be fitted alone


Learned = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Run:
    """A training run: its folder and its options."""

    folder: run_folder.TrainingFolder
    games: int  # number of games in a round
    seed: int
    processes: int

    def shards(self, stage: Path, work: run_folder.Maker, games: int, of_shard: int) -> list[Path]:
        """Make shards of `of_shard` games, at least `games` games in total. Return their paths."""
        seed = mix(self.seed, *stage.name.encode())
        return run_folder.make_shards(stage, work, -(-games // of_shard), seed, self.processes)

    def group_shards(
        self, stage: Path, maker: Any, models: tuple[Any, ...], games: int
    ) -> list[Path]:
        """Make shards of at least `games` games in total, played in groups. Return their paths."""
        of_group = self_play_data.GAMES
        groups = -(-min(games, SHARD_GAMES) // of_group)
        return self.shards(stage, partial(maker, *models, groups), games, groups * of_group)


def train_net(
    run: Run, number: int, net: SingleArray, heuristic: FloatArray, hands: FloatArray | None
) -> SingleArray:
    """Play a round of games. Return the net fitted to the games of this and earlier rounds.

    The last round is played between equal searches, and its net is fitted to the games of this
    round alone.
    """
    from benchmarks.training.torch_fits import LAMBDA, LAST_LAMBDA, fit, returns

    is_first, is_last = number == 1, number == LAST_ROUND

    def work(stage: Path) -> SingleArray:
        playing = (heuristic, None if is_first else net, hands)
        maker = partial(self_play_data.samples_here, alike=is_last)
        made = run.group_shards(stage, maker, playing, run.games)
        first = number if is_last else max(1, number - KEPT + 1)
        # The shards of earlier rounds exist, because these rounds are finished.
        earlier = [stage.with_name(f"net-{n}") for n in range(first, number)]
        paths = [path for before in earlier for path in sorted(before.glob("[0-9]*.npz"))]
        samples = Samples(**run_folder.joined_shards([*paths, *made], stage))
        if not is_first:
            samples = returns(samples, net, LAST_LAMBDA if is_last else LAMBDA)
        print(f"net: {len(samples.players)} positions of {samples.game[-1] + 1} games")
        return fit(net, samples, EPOCHS, mix(run.seed, number) >> 1, stage / "checkpoint.pt")

    return run.folder.stage(f"net-{number}", work)


def train_hands(
    run: Run,
    number: int,
    before: FloatArray | None,
    heuristic: FloatArray,
    net: SingleArray,
    games: int,
) -> FloatArray:
    """Return HANDS_NUMBERS fitted to the hands of games.

    If `before` is given, the searches predict hands with these numbers, and the fit starts from
    these numbers.
    """
    from benchmarks.training.torch_fits import HAND_EPOCHS, first_numbers, fit_hands

    def work(stage: Path) -> FloatArray:
        paths = run.group_shards(stage, self_play_data.hands_here, (heuristic, net, before), games)
        numbers = first_numbers(run.seed) if before is None else before
        hands, seed = Hands(**run_folder.joined_shards(paths, stage)), mix(run.seed, number) >> 2
        return fit_hands(numbers, hands, HAND_EPOCHS, seed, stage / "checkpoint.pt")

    return run.folder.stage(f"hands-{number}", work)


def train_prior(run: Run) -> FloatArray:
    """Return PRIOR_NUMBERS, fitted to the last hands. They predict hands without known actions."""
    from benchmarks.training.torch_fits import HAND_EPOCHS, fit_prior

    def work(stage: Path) -> FloatArray:
        paths = sorted(stage.with_name("hands-3").glob("[0-9]*.npz"))
        hands = Hands(**run_folder.joined_shards(paths, stage))
        return fit_prior(hands, HAND_EPOCHS, mix(run.seed, 4) >> 2)

    return run.folder.stage("prior", work)


def train_policy(
    run: Run, heuristic: FloatArray, net: SingleArray, hands: FloatArray
) -> SingleArray:
    """Return the net of the policy: the net of the search, tuned by playing games."""
    players, spread = evolution.Players(heuristic, hands), evolution.spread_of(net)
    state = np.append(net, 0.0)  # a net, followed by the direction of the previous round
    for number in range(1, POLICY_ROUNDS + 1):
        before, last = state[:WEIGHTS].astype(np.float32), state[WEIGHTS:]

        def work(
            stage: Path, before: SingleArray = before, last: FloatArray = last, number: int = number
        ) -> FloatArray:
            maker = partial(evolution.steps_here, before, spread, players, SHARD_STEPS)
            paths = run.shards(stage, maker, POLICY_STEPS, SHARD_STEPS)
            ahead = evolution.direction_of([run_folder.read_arrays(path) for path in paths], last)
            seed = mix(run.seed, number) >> 3
            return np.append(evolution.gone_on(before, spread, ahead, players, seed), ahead)

        state = run.folder.stage(f"policy-{number}", work)
    return state[:WEIGHTS].astype(np.float32)


def train_biases(run: Run, weights: Learned) -> FloatArray:
    """Return the BIASES of the policy with the net of the given models."""

    def work(stage: Path) -> FloatArray:
        games = max(run.games // 20, BIAS_GAMES)
        maker = partial(decisions_here, weights, BIAS_GAMES)
        paths = run.shards(stage, maker, games, BIAS_GAMES)
        return fit_biases([run_folder.read_arrays(path) for path in paths], weights)

    return run.folder.stage("biases", work)


def train_calibration(run: Run, weights: Learned) -> FloatArray:
    """Return the CALIBRATION numbers for a search with the given models."""

    def work(stage: Path) -> FloatArray:
        games = max(run.games // 40, VERDICT_GAMES)
        maker = partial(verdicts_here, weights, VERDICT_GAMES)
        paths = run.shards(stage, maker, games, VERDICT_GAMES)
        return fit_calibration(verdicts_of([run_folder.read_arrays(path) for path in paths]))

    return run.folder.stage("calibration", work)


def train(run: Run) -> Learned:
    """Run all stages. Return the numbers by their keys in `learned.json`."""
    from benchmarks.training.torch_fits import first_net

    heuristic = run.folder.stage(
        "heuristic",
        lambda stage: evolution.train_heuristic(GENERATIONS, run.seed, stage / "checkpoint.npz"),
    )
    net = first_net(run.seed)
    for number in range(1, ROUNDS + 1):
        net = train_net(run, number, net, heuristic, None)
    hands = train_hands(run, 1, None, heuristic, net, run.games)
    for number in range(ROUNDS + 1, ROUNDS + MORE_ROUNDS + 1):
        net = train_net(run, number, net, heuristic, hands)
    hands = train_hands(run, 2, hands, heuristic, net, run.games // 2)
    return improve(run, {"heuristic": heuristic, "net": net, "hands": hands})


def improve(run: Run, before: Learned) -> Learned:
    """Run the last stages, starting from models that already play well."""
    heuristic = before["heuristic"]
    net = train_net(run, LAST_ROUND, before["net"], heuristic, before["hands"])
    hands = train_hands(run, 3, before["hands"], heuristic, net, run.games // 2)
    policy = train_policy(run, heuristic, net, hands)
    weights = {
        "heuristic": heuristic, "net": net, "policy": policy, "hands": hands,
        "prior": train_prior(run),
    }  # fmt: skip
    biases, calibration = train_biases(run, weights), train_calibration(run, weights)
    return {**weights, "biases": biases, "calibration": calibration}


def rounded(numbers: Any) -> list[float]:
    """Return the numbers, each rounded to DIGITS significant digits."""
    return [float(f"{number:.{DIGITS}g}") for number in numbers]


def _options() -> argparse.Namespace:
    processors, data = os.cpu_count() or 1, user_data_path("masons-engine", appauthor=False)
    # `games` is the number of games in a round, `processes` is the number of processes that play,
    # and `threads` is the number of PyTorch's threads. With one thread, equal seeds give equal
    # numbers.
    parser = parser_of(__doc__, games=40_000, seed=1, processes=processors, threads=processors)
    parser.add_argument(
        "--folder", type=Path, default=data / "training",
        help="where games and checkpoints are kept, to go on from (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, default=LEARNED, help="the file to write")
    part = parser.add_mutually_exclusive_group()
    for name, what in (
        ("--improve", "begin with what is shipped, and the last round"),
        ("--policy", "tune the net of the policy alone, as all is shipped"),
        ("--biases", "fit the biases of the policy alone, as all is shipped"),
        ("--calibration", "fit the calibration alone, as all is shipped"),
    ):
        part.add_argument(name, action="store_true", help=what)
    return parser.parse_args()


def _fitted(options: argparse.Namespace, run: Run) -> dict[str, list[float]]:
    """Return the fitted numbers by key. If one part is fitted alone, only its numbers change."""
    before, part = learned(), _part(options)
    match part:
        case "policy":
            fitted: Any = train_policy(run, before["heuristic"], before["net"], before["hands"])
        case "biases":
            fitted = train_biases(run, before)
        case "calibration":
            fitted = train_calibration(run, before)
        case _:
            numbers = improve(run, before) if options.improve else train(run)
            return {key: rounded(values) for key, values in numbers.items()}
    shipped: dict[str, list[float]] = json.loads(LEARNED.read_text(encoding="utf-8"))
    return {**shipped, part: rounded(fitted)}


def _part(options: argparse.Namespace) -> str:
    """Return the key of the numbers that are fitted alone, or an empty string."""
    return next((key for key in _PARTS if getattr(options, key)), "")


def main() -> None:
    """Fit the models and write the file, or exit with a message and an error status."""
    options = _options()
    sizes = {"inputs": INPUTS, "weights": WEIGHTS, "hands": HANDS_NUMBERS}
    kept = {"games": options.games, "seed": options.seed, "improve": options.improve, **sizes}
    if part := _part(options):
        kept[part] = True
    try:
        if not part:
            from benchmarks.training.torch_fits import torch

            torch.set_num_threads(options.threads)
        folder = run_folder.TrainingFolder(options.folder, kept)
        with folder.held():
            numbers = _fitted(options, Run(folder, options.games, options.seed, options.processes))
        write_atomic(options.out, json.dumps(numbers) + "\n")
    except (MasonsError, OSError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        print("stopped: the same command goes on", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
