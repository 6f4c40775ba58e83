"""Learn the numbers of `ai/data/learned.json` from games of the engine against itself.

    python benchmarks/learn.py [--minutes 180] [--seed 1] [--out ai/data/learned.json]

| step                | time | what                                                              |
| ------------------- | ---- | ----------------------------------------------------------------- |
| `learn_thumb`       | 10 % | rules of thumb, in games against their earlier selves             |
| `learn_games`,      | 80 % | rounds: searches with the net so far play each other, and the net |
| `learn_net`         |      | is fitted to how the positions of the last rounds came out        |
| `learn_calibration` | 10 % | how far what a search says is from how its games end              |

Fitting takes some minutes more. The first round is played by the rules of thumb alone.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from learn_calibration import PLAIN, fit_calibration, sample_verdicts
from learn_games import Samples, Singles, join, sample_games
from learn_net import first_net, fit, loss, returns
from learn_thumb import Numbers, learn_thumb
from masons.cli.files import write_atomic
from masons.engine.rng import mix
from measuring import ROOT, positive

ROUNDS = 6
KEPT = 3  # rounds whose positions are learned from
EPOCHS = 8
DIGITS = 4  # that are kept of a weight


def learn_net(thumb: Numbers, seconds: float, seed: int) -> Singles:
    """A net that knows nothing, and rounds of games and fitting."""
    net, kept = first_net(seed), list[Samples]()
    for number in range(ROUNDS):
        playing = net if number else None
        samples = sample_games(thumb, playing, seconds / ROUNDS, mix(seed, number))
        before = loss(net, samples)
        kept = [*kept[-(KEPT - 1) :], returns(samples, net) if number else samples]
        net = fit(net, join(kept), EPOCHS, mix(seed, number) >> 1)
        print(
            f"net {number}: {len(samples.players)} positions of {samples.game[-1] + 1} games, "
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
    thumb = learn_thumb(0.1 * seconds, options.seed)
    net = learn_net(thumb, 0.8 * seconds, options.seed)
    weights: dict[str, Any] = {"thumb": thumb, "net": net, "calibration": PLAIN}
    verdicts = sample_verdicts(weights, 0.1 * seconds, options.seed)
    weights["calibration"] = fit_calibration(verdicts)
    numbers = {key: rounded(found) for key, found in weights.items()}
    write_atomic(options.out, json.dumps(numbers) + "\n")


if __name__ == "__main__":
    main()
