"""Learn the numbers of `ai/data/learned.json` from games of the engine against itself.

    python benchmarks/learn.py [--minutes 180] [--seed 1] [--out ai/data/learned.json]

| step                | time | what                                                              |
| ------------------- | ---- | ----------------------------------------------------------------- |
| `learn_thumb`       | 10 % | heuristics, in games against their earlier selves             |
| `learn_games`,      | 45 % | rounds: searches with the net so far play each other, and the net |
| `learn_net`         |      | is fitted to how the positions of the last rounds came out        |
| `learn_hands`       | 10 % | which cards those hold who chose what                             |
| `learn_net`         | 20 % | the same again, between searches that guess hands by that         |
| `learn_hands`       |  5 % | again                                                             |
| `learn_calibration` | 10 % | how far what a search says is from how its games end              |

Fitting takes some minutes more. The first round is played by the heuristics alone.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from learn_calibration import fit_calibration, sample_verdicts
from learn_games import Samples, Singles, join, sample_games
from learn_hands import learn_hands
from learn_net import first_net, fit, loss, returns
from learn_thumb import Numbers, train_heuristic
from masons.engine.files import write_atomic
from masons.engine.kernels.rng import mix
from measuring import ROOT, positive

ROUNDS = 5
MORE_ROUNDS = 2
KEPT = 3  # rounds whose positions are learned from
EPOCHS = 8
DIGITS = 4  # that are kept of a weight


def learn_net(heuristic: Numbers, seconds: float, seed: int) -> Singles:
    """A net that knows nothing, and rounds of games and fitting."""
    net, kept = first_net(seed), list[Samples]()
    for number in range(ROUNDS):
        playing = net if number else None
        net = _round(net, kept, heuristic, playing, None, seconds / ROUNDS, mix(seed, number))
    return net


def learn_more(
    net: Singles, heuristic: Numbers, hands: Numbers, seconds: float, seed: int
) -> Singles:
    """More rounds with a net, between searches that guess hands."""
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


def rounded(numbers: Any) -> list[float]:
    """Numbers with DIGITS digits each."""
    return [float(f"{number:.{DIGITS}g}") for number in numbers]


def main() -> None:
    """Learn, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=180.0)
    parser.add_argument("--seed", type=positive, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "ai" / "data" / "learned.json")
    options = parser.parse_args()
    seconds = 60.0 * options.minutes
    heuristic = train_heuristic(0.1 * seconds, options.seed)
    net = learn_net(heuristic, 0.45 * seconds, options.seed)
    hands = learn_hands(heuristic, net, None, 0.1 * seconds, options.seed)
    net = learn_more(net, heuristic, hands, 0.2 * seconds, options.seed)
    hands = learn_hands(heuristic, net, hands, 0.05 * seconds, mix(options.seed, MORE_ROUNDS) >> 2)
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
