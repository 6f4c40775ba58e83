"""Games to fit to: searches against each other and heuristics.

Equal players tell most about a position, so most games are between equals; but each game has a
style of its own (a net with perturbed weights), some moves are made at random, and in some games
weak players sit, so that the net meets what it would not play into itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.features import BEST, HELD, MARGIN, SEAT_INPUTS, TOP, inputs_of
from masons.ai.models.net_shapes import HIDDEN
from masons.ai.policies.heuristic_moves import PARAMETERS, STAGES
from masons.ai.self_play.seat_choices import Seat
from masons.ai.self_play.self_play import Games, play_games
from masons.ai.training.train_heuristic import CLOSER
from masons.ai.training.training_folder import Arrays
from masons.engine.board.components import KINDS, MAX_PLAYERS
from masons.engine.board.geometry import load_board
from masons.engine.game.table import Table

Singles = NDArray[np.float32]
Numbers = NDArray[np.float64]
Half = np.float16  # of inputs in files

GAMES = 24  # of the same players: a group
HELD_OUT = 20  # of a group one game of so many is never fitted to
SIMULATIONS = (120, 200, 300)  # of a decision
PLAYERS = (2, 2, 2, 3, 4)
EXPLORED = (0.0, 0.03, 0.08)  # shares of decisions made at random
EQUAL, PERTURBED, WEAK = 0.7, 0.6, 0.3  # shares of games
PREDICTING = 0.7  # share of the searches that predict hands, where they can


@dataclass(frozen=True)
class Samples:
    """Positions at the start of turns, and how their games ended."""

    inputs: NDArray[np.floating]  # [rows, INPUTS], also a file that is mapped into memory
    players: NDArray[np.int64]  # [rows]
    game: NDArray[np.int64]  # [rows], ascending
    held_out: NDArray[np.bool_]  # [rows]: of games that are not fitted to
    shares: Singles  # [rows, MAX_PLAYERS]: of the win
    scores: Singles  # [rows, MAX_PLAYERS]: points


def join(parts: Sequence[Samples]) -> Samples:
    """All of them, the games numbered anew."""
    before = np.cumsum([0] + [int(part.game[-1]) + 1 for part in parts[:-1]])
    numbered = [
        replace(part, game=part.game + more) for part, more in zip(parts, before, strict=True)
    ]
    columns = (
        np.concatenate([getattr(part, f.name) for part in numbered]) for f in fields(Samples)
    )
    return Samples(*columns)


def perturbed(net: Singles, rng: np.random.Generator) -> Singles:
    """A net of another style: it values cards, points and what they will score more or less."""
    found = net.copy()
    rows = found[: 2 * SEAT_INPUTS * HIDDEN].reshape(SEAT_INPUTS, 2 * HIDDEN)
    held, best, margin = int(HELD), int(BEST), int(MARGIN)
    rows[1] *= rng.uniform(0.5, 1.3)
    rows[held : held + 2 * KINDS] *= rng.uniform(0.7, 1.2)
    rows[best : best + TOP] *= rng.uniform(0.7, 1.3)
    rows[margin] *= rng.uniform(0.6, 1.2)
    rows += 0.01 * rng.standard_normal(rows.shape)
    return found.astype(np.float32)


def weak_heuristic(heuristic: Numbers, rng: np.random.Generator) -> Numbers:
    """The heuristics, or such as close more than is good, or whatever can be closed."""
    draw = rng.random()
    if draw < 0.4:
        return heuristic
    if draw < 0.7:
        return CLOSER
    found = heuristic.reshape(STAGES, -1).copy()
    found[:, 1] -= 3 * rng.random()
    found[:, 6] += rng.standard_normal()
    assert found.size == PARAMETERS
    return found.ravel()


def draw_seats(
    heuristic: Numbers,
    net: Singles | None,
    rng: np.random.Generator,
    *,
    predicts_hands: bool,
    alike: bool = False,
) -> list[Seat]:
    """Who sits at a table. Without a net all play by heuristics; `alike`: all are the player."""
    players = int(rng.choice(PLAYERS))
    if alike and net is not None:
        return [Seat(int(rng.choice(SIMULATIONS)), heuristic, net, predicts_hands)] * players
    simulations = int(rng.choice(SIMULATIONS)) if net is not None else 0
    is_perturbed, is_equal = rng.random() < PERTURBED, rng.random() < EQUAL

    def seat() -> Seat:
        if net is None:
            return Seat(0, heuristic * (1 + 0.3 * rng.standard_normal(PARAMETERS)), NO_NET)
        predicts = predicts_hands and rng.random() < PREDICTING
        return Seat(simulations, heuristic, perturbed(net, rng) if is_perturbed else net, predicts)

    seats = [seat()] * players if is_equal else [seat() for _ in range(players)]
    if rng.random() < WEAK:
        seats = [
            Seat(0, weak_heuristic(heuristic, rng), s.net) if rng.random() < 0.5 else s
            for s in seats
        ]
    return seats


NO_NET: Singles = np.zeros(0, dtype=np.float32)


def samples_of(games: Games, table: Table) -> Samples:
    """The positions of some games, each with how its game ended."""
    count, players = games.points.shape
    won = (games.points == games.points.max(axis=1, keepdims=True)).astype(np.float32)
    shares, scores = (np.zeros((count, MAX_PLAYERS), dtype=np.float32) for _ in range(2))
    shares[:, :players] = won / won.sum(axis=1, keepdims=True)
    scores[:, :players] = np.floor(games.points)
    return Samples(
        inputs_of(games.starts, table.packed), np.full(len(games.of_game), players), games.of_game,
        held_out_games(games.of_game), shares[games.of_game], scores[games.of_game],
    )  # fmt: skip


def held_out_games(game: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which positions are not fitted to, by the numbers of their games in a group ([rows])."""
    found: NDArray[np.bool_] = game % HELD_OUT == HELD_OUT - 1
    return found


def play_groups(
    heuristic: Numbers,
    net: Singles | None,
    hands: Numbers | None,
    groups: int,
    seed: int,
    *,
    alike: bool = False,
) -> Iterator[Games]:
    """Some groups of GAMES of the same players each."""
    table = Table(load_board("classic"))
    rng = np.random.default_rng(seed)
    for _ in range(groups):
        seats = draw_seats(heuristic, net, rng, predicts_hands=hands is not None, alike=alike)
        seeds = [int(n) for n in rng.integers(1 << 62, size=GAMES)]
        yield play_games(table, seats, seeds, float(rng.choice(EXPLORED)), hands)


def samples_here(
    heuristic: Numbers,
    net: Singles | None,
    hands: Numbers | None,
    groups: int,
    seed: int,
    *,
    alike: bool = False,
) -> Arrays:
    """A shard: the samples of some groups of games, the inputs as float16."""
    table = Table(load_board("classic"))
    played = play_groups(heuristic, net, hands, groups, seed, alike=alike)
    found = join([samples_of(games, table) for games in played])
    return {**vars(found), "inputs": found.inputs.astype(Half)}
