"""Fit the numbers of `ai/models/data/learned.json` to games of the engine against itself.

    python -m masons.ai.training.train [--minutes 180] [--seed 1] [--out FILE]

| step                | time | what                                                              |
| ------------------- | ---- | ----------------------------------------------------------------- |
| `train_heuristic`   | 10 % | the heuristics, in games against their earlier selves             |
| `training_games`,   | 45 % | rounds: searches with the net so far play each other, and the net |
| `train_value_net`   |      | is fitted to how the positions of the last rounds came out        |
| `train_hand_model`  | 10 % | which cards those hold who chose what                             |
| `train_value_net`   | 20 % | the same again, between searches that predict hands by that       |
| `train_hand_model`  |  5 % | again                                                             |
| `train_calibration` | 10 % | how far what a search says is from how its games end              |

Fitting takes some minutes more. The first round is played by the heuristics alone.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from masons.ai import models
from masons.ai.training.train_calibration import fit_calibration, sample_verdicts
from masons.ai.training.train_hand_model import train_hand_model
from masons.ai.training.train_heuristic import Numbers, train_heuristic
from masons.ai.training.train_value_net import first_net, fit, loss, returns
from masons.ai.training.training_games import Samples, Singles, join, sample_games
from masons.engine.files import write_atomic
from masons.engine.kernels.rng import mix

LEARNED = Path(models.__file__).parent / "data" / "learned.json"
ROUNDS = 5
MORE_ROUNDS = 2
KEPT = 3  # rounds whose positions the net is fitted to
EPOCHS = 8
DIGITS = 4  # that are kept of a weight


def train_net(heuristic: Numbers, seconds: float, seed: int) -> Singles:
    """A net that knows nothing, and rounds of games and fitting."""
    net, kept = first_net(seed), list[Samples]()
    for number in range(ROUNDS):
        playing = net if number else None
        net = _round(net, kept, heuristic, playing, None, seconds / ROUNDS, mix(seed, number))
    return net


def train_net_further(
    net: Singles, heuristic: Numbers, hands: Numbers, seconds: float, seed: int
) -> Singles:
    """More rounds with a net, between searches that predict hands."""
    kept = list[Samples]()
    for number in range(MORE_ROUNDS):
        seed = mix(seed, number)
        net = _round(net, kept, heuristic, net, hands, seconds / MORE_ROUNDS, seed)
    return net


def _round(
    net: Singles,
    kept: list[Samples],
    heuristic: Numbers,
    playing: Singles | None,
    hands: Numbers | None,
    seconds: float,
    seed: int,
) -> Singles:
    """Games, and the net fitted to them and those of the last rounds, which are `kept`."""
    samples = sample_games(heuristic, playing, hands, seconds, seed)
    before = loss(net, samples)
    kept[:] = [*kept[-(KEPT - 1) :], samples if playing is None else returns(samples, net)]
    net = fit(net, join(kept), EPOCHS, seed >> 1)
    print(
        f"net: {len(samples.players)} positions of {samples.game[-1] + 1} games, "
        f"loss {before:.4f}, then {loss(net, samples):.4f}",
        flush=True,
    )
    return net


def _positive(text: str) -> int:
    """The type of an option that is a whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def rounded(numbers: Any) -> list[float]:
    """Numbers with DIGITS digits each."""
    return [float(f"{number:.{DIGITS}g}") for number in numbers]


def main() -> None:
    """Fit everything, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=180.0)
    parser.add_argument("--seed", type=_positive, default=1)
    parser.add_argument("--out", type=Path, default=LEARNED)
    options = parser.parse_args()
    seconds = 60.0 * options.minutes
    heuristic = train_heuristic(0.1 * seconds, options.seed)
    net = train_net(heuristic, 0.45 * seconds, options.seed)
    hands = train_hand_model(heuristic, net, None, 0.1 * seconds, options.seed)
    net = train_net_further(net, heuristic, hands, 0.2 * seconds, options.seed)
    hands = train_hand_model(
        heuristic, net, hands, 0.05 * seconds, mix(options.seed, MORE_ROUNDS) >> 2
    )
    weights: dict[str, Any] = {"heuristic": heuristic, "net": net, "hands": hands}
    fitted = [
        fit_calibration(
            sample_verdicts(weights, 0.05 * seconds, options.seed, predicts_hands=predicts_hands)
        )
        for predicts_hands in (False, True)
    ]
    weights["calibration"] = np.concatenate(fitted)
    numbers = {key: rounded(found) for key, found in weights.items()}
    write_atomic(options.out, json.dumps(numbers) + "\n")


if __name__ == "__main__":
    main()
