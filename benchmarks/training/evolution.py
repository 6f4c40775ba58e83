"""The tuning of the heuristics and of the policy's net by playing games.

An evolution strategy tunes the heuristics in games against a pool of earlier versions. Each
parameter has a normal distribution, which moves towards the best candidates drawn from it.

The net of the policy is also tuned by playing games. A fit to the results of games is not enough,
because the policy depends on how the net's output changes with its inputs, which these results do
not show. The tuning is an evolution strategy with mirrored samples (Salimans and others
2017, arXiv:1703.03864). In each round, nets with random changes play against nets with the opposite
changes, with equal dice and cards and with the seats swapped. The direction of the round is the
average of the changes, weighted by their success. Then the net is changed by steps of several
lengths in this direction, and the changed nets play against the unchanged net. The best changed net
replaces the unchanged net if it wins.

The changes of a net are given by a few numbers. All have about the same effect on the play:

| change       | count       | effect of a step of 1                                             |
| ------------ | ----------- | ----------------------------------------------------------------- |
| `adds`       | inputs      | an input adds 0.03 per standard deviation to its seat's logit     |
| `own`        | inputs      | a seat's input counts 10 % more in its own nonlinear units        |
| `others`     | inputs      | a seat's input counts 10 % more in the others' nonlinear units    |
| `thresholds` | other units | 0.05 is added to the input of a nonlinear unit                    |
| `units`      | other units | a nonlinear unit counts 7 % more for the logit                    |
| `logit`      | 1           | all logits are 10 % larger                                        |
| `score`      | 1           | all scores are 20 % larger                                        |

The "inputs" are those inputs of a seat that differ between seats. The "other units" are the
nonlinear units.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.training.run_folder import Arrays, read_arrays, write_arrays
from masons.ai.models.features import SEAT_INPUTS, inputs_of
from masons.ai.models.model_data import parts_of
from masons.ai.models.value_net import HIDDEN, LINEAR, ONE, SHAPES, WEIGHTS
from masons.ai.policies.heuristic_moves import PARAMETERS, STAGES
from masons.ai.self_play.seat_choices import Seat
from masons.ai.self_play.self_play import play_games, play_policy_games
from masons.engine.board.geometry import load_board
from masons.engine.game.table import Table
from masons.engine.kernels.jit import FloatArray, SingleArray
from masons.engine.kernels.rng import mix

# The initial means and standard deviations of the heuristics, which are the same for each third of
# the game. CLOSER is a variant that completes too many cities. The parameters are in the order of
# `masons.ai.policies.heuristic_moves`.
FIRST = np.tile([0.9, 3.0, 0.0, 0.0, -2.0, 1.0, 1.3, 1.0, 0.0, 2.0, 1.0], STAGES)
SPREAD = np.tile([0.3, 2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 0.3, 1.0, 1.5, 1.5], STAGES)
CLOSER = np.tile([0.0, 0.0, 2.0, 1.0, 3.0, 3.0, 0.0, 0.0, 0.0, 0.0, 1.0], STAGES)
CANDIDATES, PARENTS, HEURISTIC_GAMES = 24, 6, 1000


def heuristic_share(ours: FloatArray, theirs: FloatArray, seed: int) -> float:
    """Return the share of games that `ours` wins, plus 0.01 per point of margin."""
    table = Table(load_board("classic"))
    no_net = np.zeros(WEIGHTS, dtype=np.float32)
    our_seat, their_seat = (Seat(0, weights, no_net) for weights in (ours, theirs))
    seeds = [mix(seed, number) for number in range(HEURISTIC_GAMES)]
    total = 0.0
    for seat in range(2):
        seats = [our_seat, their_seat] if seat == 0 else [their_seat, our_seat]
        points = play_games(table, seats, seeds).points
        margin = points[:, seat] - points[:, 1 - seat]
        total += float(np.mean(margin > 0) + 0.5 * np.mean(margin == 0) + 0.01 * margin.mean())
    return total / 2


def train_heuristic(generations: int, seed: int, checkpoint: Path | None = None) -> FloatArray:
    """Tune the heuristics for `generations` generations. Return the mean of the distribution.

    The state is saved in `checkpoint` after each generation. If this file exists already, the run
    that saved it is continued.
    """
    first, mean, spread, pool = 0, FIRST.copy(), SPREAD * 0.6, [CLOSER, FIRST]
    if checkpoint and checkpoint.exists():
        kept = read_arrays(checkpoint)
        first, mean, spread, pool = int(kept["done"]), kept["mean"], kept["spread"], [*kept["pool"]]
    for number in range(first + 1, generations + 1):
        rng = np.random.default_rng([seed, number])
        tried = [mean + spread * rng.standard_normal(PARAMETERS) for _ in range(CANDIDATES)]
        rivals = [pool[i] for i in (0, -1, *rng.integers(0, len(pool), 2))]
        shares = [
            np.mean([heuristic_share(t, r, mix(seed, number)) for r in rivals]) for t in tried
        ]
        best = np.array([tried[i] for i in np.argsort(shares)[::-1][:PARENTS]])
        moved = np.sqrt(((best - mean) ** 2).mean(axis=0))
        spread = np.clip(0.9 * spread + 0.13 * moved, 0.03 * SPREAD, SPREAD)
        mean = best.mean(axis=0)
        if number % 10 == 0:
            pool = [*pool[:2], *pool[2:][-9:], mean.copy()]
            share = heuristic_share(mean, CLOSER, 7)
            print(f"heuristic {number}: {share:.3f} against the closer", flush=True)
        if checkpoint:
            kept = {
                "done": np.array(number),
                "mean": mean,
                "spread": spread,
                "pool": np.array(pool),
            }
            write_arrays(checkpoint, kept)
    return mean


_ADDS, _COUNTS, _THRESHOLD, _UNIT, _LOGIT, _SCORE = 0.03, 0.1, 0.05, 0.07, 0.1, 0.2
_LEAST: Final = 1e-3  # inputs with a smaller standard deviation are left out
_OTHERS: Final = HIDDEN - LINEAR


class NetChanges:
    """The changes of a net that a few numbers describe.

    `spread` (float64[SEAT_INPUTS]) holds the standard deviations of the differences between two
    seats' inputs.
    """

    def __init__(self, spread: FloatArray) -> None:
        self._live = np.flatnonzero(spread > _LEAST)
        self._spread = spread[self._live]
        parts = len(self._live), len(self._live), len(self._live), _OTHERS, _OTHERS, 1, 1
        self._ends = np.cumsum(parts)

    @property
    def count(self) -> int:
        """The number of parameters."""
        return int(self._ends[-1])

    def changed(self, net: SingleArray, steps: FloatArray) -> SingleArray:
        """Return a copy of `net` (float32[WEIGHTS]) changed by `steps` (float64[count])."""
        weights = net.astype(np.float64)
        seats, board, out, _ = parts_of(weights, SHAPES)
        adds, own_counts, others, thresholds, units, logit, score = np.split(steps, self._ends[:-1])
        live = self._live
        seats[live, LINEAR:HIDDEN] *= np.exp(_COUNTS * own_counts)[:, None]
        seats[live, HIDDEN + LINEAR :] *= np.exp(_COUNTS * others)[:, None]
        # `adds` changes the linear unit that counts most for the logit.
        unit = int(np.abs(out[0, :LINEAR]).argmax())
        seats[live, unit] += _ADDS * adds / self._spread / out[0, unit]
        board[ONE, LINEAR:] += _THRESHOLD * thresholds
        out[0, LINEAR:] *= np.exp(_UNIT * units)
        out *= np.exp([_LOGIT * logit, _SCORE * score])
        return weights.astype(np.float32)


SIZE: Final = 0.7  # standard deviation of each number of a random step
PAIRS: Final = 16  # number of pairs of games for a random step; a pair swaps the seats
LENGTHS: Final = (0.7, 1.5, 3.0, 5.0)  # lengths of the steps that are tried in a direction
TRIED: Final = 1500  # number of pairs of games for each length
MEASURED: Final = 200  # number of games whose positions `spread_of` uses
MARGIN: Final = 0.01  # value of one point of score margin, in shares of the victory
KEPT: Final = 0.5  # share of the previous direction that is added to the new one


class Players(NamedTuple):
    """The models that the policy uses besides its net."""

    heuristic: FloatArray
    hands: FloatArray  # the model of hidden hands


def spread_of(net: SingleArray) -> FloatArray:
    """Return how much two seats differ in each input: standard deviations, float64[SEAT_INPUTS]."""
    table = Table(load_board("classic"))
    games = play_policy_games(table, 2, range(MEASURED), net)
    seats = inputs_of(games.starts, table.packed)[:, : 2 * SEAT_INPUTS].reshape(-1, 2, SEAT_INPUTS)
    spread: FloatArray = (seats[:, 0] - seats[:, 1]).std(axis=0).astype(np.float64)
    return spread


def value_against(
    table: Table, ours: SingleArray, theirs: SingleArray, players: Players, seeds: Sequence[int]
) -> FloatArray:
    """Return the value of a net against another net for each seed, as float64[seeds].

    For each seed, each net plays both seats. The value is the share of the victory minus a half,
    plus MARGIN for each point of score margin. It is above 0 if `ours` did better.
    """
    our_seat, their_seat = (
        Seat(0, players.heuristic, net, predicts_hands=True, by_net=True) for net in (ours, theirs)
    )
    total = np.zeros(len(seeds))
    for seat in range(2):
        seats = [our_seat, their_seat] if seat == 0 else [their_seat, our_seat]
        points = play_games(table, seats, seeds, 0.0, players.hands).points
        won = np.sign(points[:, seat] - points[:, 1 - seat]) / 2
        margin = np.floor(points[:, seat]) - np.floor(points[:, 1 - seat])
        total += (won + MARGIN * margin) / 2
    return total


def steps_here(
    net: SingleArray, spread: FloatArray, players: Players, count: int, seed: int
) -> Arrays:
    """Return a shard: random steps ([count, changes]) and their values against opposite steps."""
    table = Table(load_board("classic"))
    rng, changes = np.random.default_rng(seed), NetChanges(spread)
    steps = SIZE * rng.standard_normal((count, changes.count))
    values = np.zeros(count)
    for number, step in enumerate(steps):
        seeds = [int(n) for n in rng.integers(1 << 62, size=PAIRS)]
        ahead, back = changes.changed(net, step), changes.changed(net, -step)
        values[number] = value_against(table, ahead, back, players, seeds).mean()
    return {"steps": steps, "values": values}


def direction_of(shards: Sequence[dict[str, NDArray[Any]]], before: FloatArray) -> FloatArray:
    """Return the average of the steps in the shards, weighted by value, as float64[changes].

    The average is scaled so that each number is the gain in value for a step of 1. KEPT times the
    previous direction `before` (0, or float64[changes]) is added.
    """
    steps = np.concatenate([shard["steps"] for shard in shards])
    values = np.concatenate([shard["values"] for shard in shards])
    direction: FloatArray = steps.T @ values / (2 * SIZE**2 * len(values)) + KEPT * before
    return direction


def gone_on(
    net: SingleArray, spread: FloatArray, direction: FloatArray, players: Players, seed: int
) -> SingleArray:
    """Return the net after the best step in a direction, or the same net if no step wins."""
    table = Table(load_board("classic"))
    rng, changes = np.random.default_rng(seed), NetChanges(spread)
    seeds = [int(n) for n in rng.integers(1 << 62, size=TRIED)]
    unit = direction / np.linalg.norm(direction)
    nets = [changes.changed(net, length * unit) for length in LENGTHS]
    values = [float(value_against(table, each, net, players, seeds).mean()) for each in nets]
    best = int(np.argmax(values))
    won = values[best] > 0
    print(f"policy: {LENGTHS[best] if won else 0} steps, {values[best]:+z.3f}", flush=True)
    return nets[best] if won else net
