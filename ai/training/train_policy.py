"""The net of the policy: tuned by playing, as the policy asks more of a net than it was fitted for.

What the policy goes by are a net's slopes, and no game tells those. An evolution strategy with
mirrored samples (Salimans and others 2017, arXiv:1703.03864): in a round the net is changed at
random (see `net_changes`) and plays against itself changed the other way, with equal luck and seats
swapped. How much the steps of the winners have in common is the direction; some lengths are tried
against the net as it is, and the best is gone, if it wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.features import SEAT_INPUTS, inputs_of
from masons.ai.self_play.seat_choices import Seat
from masons.ai.self_play.self_play import play_games, play_policy_games
from masons.ai.training.net_changes import NetChanges
from masons.ai.training.training_folder import Arrays
from masons.engine.board.geometry import load_board
from masons.engine.game.table import Table

Numbers = NDArray[np.float64]
Singles = NDArray[np.float32]

SIZE: Final = 0.7  # of a random step, in each number
PAIRS: Final = 16  # of games of a random step, each with both seats
LENGTHS: Final = (0.7, 1.5, 3.0, 5.0)  # that are tried in a direction
TRIED: Final = 1500  # pairs of games for each length
MEASURED: Final = 200  # games that say how much inputs differ
MARGIN: Final = 0.01  # what a point of margin counts beside the share of the win
KEPT: Final = 0.5  # of the direction of the round before


class Players(NamedTuple):
    """What the policy plays by, beside its net."""

    heuristic: Numbers
    hands: Numbers  # by which hidden hands are predicted


def spread_of(net: Singles) -> Numbers:
    """The standard deviation of the difference between two seats' inputs (float64[SEAT_INPUTS])."""
    table = Table(load_board("classic"))
    games = play_policy_games(table, 2, range(MEASURED), net)
    seats = inputs_of(games.starts, table.packed)[:, : 2 * SEAT_INPUTS].reshape(-1, 2, SEAT_INPUTS)
    spread: Numbers = (seats[:, 0] - seats[:, 1]).std(axis=0).astype(np.float64)
    return spread


def value_against(
    table: Table, ours: Singles, theirs: Singles, players: Players, seeds: Sequence[int]
) -> Numbers:
    """What a net's policy gets against another's, for each luck ([seeds]): above 0 if more.

    The share of the win above a half, and MARGIN for each point. Both seats are played.
    """
    own, other = (
        Seat(0, players.heuristic, net, predicts_hands=True, by_net=True) for net in (ours, theirs)
    )
    total = np.zeros(len(seeds))
    for seat in range(2):
        seats = [own, other] if seat == 0 else [other, own]
        points = play_games(table, seats, seeds, 0.0, players.hands).points
        won = np.sign(points[:, seat] - points[:, 1 - seat]) / 2
        margin = np.floor(points[:, seat]) - np.floor(points[:, 1 - seat])
        total += (won + MARGIN * margin) / 2
    return total


def steps_here(net: Singles, spread: Numbers, players: Players, count: int, seed: int) -> Arrays:
    """A shard: random steps ([count, changes]), and what each got against its mirror image."""
    table = Table(load_board("classic"))
    rng, changes = np.random.default_rng(seed), NetChanges(spread)
    steps = SIZE * rng.standard_normal((count, changes.count))
    values = np.zeros(count)
    for number, step in enumerate(steps):
        seeds = [int(n) for n in rng.integers(1 << 62, size=PAIRS)]
        ahead, back = changes.changed(net, step), changes.changed(net, -step)
        values[number] = value_against(table, ahead, back, players, seeds).mean()
    return {"steps": steps, "values": values}


def direction_of(shards: Sequence[dict[str, NDArray[Any]]], before: Numbers) -> Numbers:
    """Where the steps of the winners lead on average ([changes]): in value for a step of 1.

    With KEPT of the direction `before` (0, or [changes]).
    """
    steps = np.concatenate([shard["steps"] for shard in shards])
    values = np.concatenate([shard["values"] for shard in shards])
    found: Numbers = steps.T @ values / (2 * SIZE**2 * len(values)) + KEPT * before
    return found


def gone_on(
    net: Singles, spread: Numbers, direction: Numbers, players: Players, seed: int
) -> Singles:
    """The net after the best of LENGTHS in a direction, or as it is where none wins."""
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
