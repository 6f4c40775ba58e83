"""Games between searches and heuristics, to which the models are fitted.

The result says most about a position if the players are equal, so most games are between equal
players. But in many games the weights of the net are perturbed, which gives a different style. Some
moves are random, and some games have weak players. The net is therefore also fitted to positions
that it would not reach itself.

The model of hidden hands is fitted to the hands and the actions of many kinds of players.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.training.evolution import CLOSER
from benchmarks.training.run_folder import Arrays, joined
from masons.ai.models import features
from masons.ai.models.hand_model import POINTS, SCALES
from masons.ai.models.value_net import HIDDEN, WEIGHTS
from masons.ai.policies.heuristic_moves import PARAMETERS, STAGES
from masons.ai.self_play.seat_choices import Seat
from masons.ai.self_play.self_play import Games, play_games
from masons.engine.board.components import FIRST_LAND, KINDS, MAX_PLAYERS
from masons.engine.board.geometry import load_board
from masons.engine.game.action_history import ENTRIES, KEPT
from masons.engine.game.table import Table
from masons.engine.kernels.jit import FloatArray, SingleArray
from masons.engine.state.layout import DECK, HANDS

Half = np.float16  # the type of inputs in files

GAMES = 24  # number of games in a group, all between the same players
HELD_OUT = 20  # one in this number of games is held out from fits
SIMULATIONS = (120, 200, 300)  # numbers of simulations per decision
PLAYERS = (2, 2, 2, 3, 4)
EXPLORED = (0.0, 0.03, 0.08)  # shares of decisions that are random
EQUAL, PERTURBED, WEAK = 0.7, 0.6, 0.3  # shares of groups with equal, perturbed and weak players
PREDICTING = 0.7  # share of the searches that predict hands, if there is a hand model


@dataclass(frozen=True)
class Samples:
    """Positions at the starts of turns, with the results of their games."""

    inputs: NDArray[np.floating]  # [rows, INPUTS]: for the value net, possibly mapped from a file
    players: NDArray[np.int64]  # [rows]
    game: NDArray[np.int64]  # [rows]: the number of the game, ascending
    held_out: NDArray[np.bool_]  # [rows]: True for games held out from fits
    shares: SingleArray  # [rows, MAX_PLAYERS]: each seat's share of the victory
    scores: SingleArray  # [rows, MAX_PLAYERS]: each seat's final points


def perturbed(net: SingleArray, rng: np.random.Generator) -> SingleArray:
    """Return a net with a different style: it values cards and points more or less."""
    changed = net.copy()
    rows = changed[: 2 * features.SEAT_INPUTS * HIDDEN].reshape(features.SEAT_INPUTS, 2 * HIDDEN)
    held, best, margin = int(features.HELD), int(features.BEST), int(features.MARGIN)
    rows[1] *= rng.uniform(0.5, 1.3)
    rows[held : held + 2 * KINDS] *= rng.uniform(0.7, 1.2)
    rows[best : best + features.TOP] *= rng.uniform(0.7, 1.3)
    rows[margin] *= rng.uniform(0.6, 1.2)
    rows += 0.01 * rng.standard_normal(rows.shape)
    return changed.astype(np.float32)


def weak_heuristic(heuristic: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the heuristics unchanged or, more often, a variant that plays worse."""
    draw = rng.random()
    if draw < 0.4:
        return heuristic
    if draw < 0.7:
        return CLOSER
    weights = heuristic.reshape(STAGES, -1).copy()
    weights[:, 1] -= 3 * rng.random()
    weights[:, 6] += rng.standard_normal()
    return weights.ravel()


def draw_seats(
    heuristic: FloatArray,
    net: SingleArray | None,
    rng: np.random.Generator,
    *,
    predicts_hands: bool,
    alike: bool = False,
) -> list[Seat]:
    """Draw the seats of a group of games.

    Without a net, all seats use heuristics. With `alike`, all seats are equal searches.
    """
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


NO_NET: SingleArray = np.zeros(WEIGHTS, dtype=np.float32)  # for seats that never use a net


def samples_of(games: Games, table: Table) -> Samples:
    """Return the positions of some games, each with the result of its game."""
    count, players = games.points.shape
    won = (games.points == games.points.max(axis=1, keepdims=True)).astype(np.float32)
    shares, scores = (np.zeros((count, MAX_PLAYERS), dtype=np.float32) for _ in range(2))
    shares[:, :players] = won / won.sum(axis=1, keepdims=True)
    scores[:, :players] = np.floor(games.points)
    return Samples(
        features.inputs_of(games.starts, table.packed), np.full(len(games.of_game), players),
        games.of_game, held_out_games(games.of_game),
        shares[games.of_game], scores[games.of_game],
    )  # fmt: skip


def held_out_games(game: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return True for each position that is held out from fits. `game` is its game ([rows])."""
    is_held_out: NDArray[np.bool_] = game % HELD_OUT == HELD_OUT - 1
    return is_held_out


def play_groups(
    heuristic: FloatArray,
    net: SingleArray | None,
    hands: FloatArray | None,
    groups: int,
    seed: int,
    *,
    alike: bool = False,
) -> Iterator[Games]:
    """Play `groups` groups of GAMES games. All games of a group are between the same players."""
    table = Table(load_board("classic"))
    rng = np.random.default_rng(seed)
    for _ in range(groups):
        seats = draw_seats(heuristic, net, rng, predicts_hands=hands is not None, alike=alike)
        seeds = [int(n) for n in rng.integers(1 << 62, size=GAMES)]
        yield play_games(table, seats, seeds, float(rng.choice(EXPLORED)), hands)


def samples_here(
    heuristic: FloatArray,
    net: SingleArray | None,
    hands: FloatArray | None,
    groups: int,
    seed: int,
    *,
    alike: bool = False,
) -> Arrays:
    """Return a shard with the samples of `groups` groups of games. Inputs are float16."""
    table = Table(load_board("classic"))
    played = play_groups(heuristic, net, hands, groups, seed, alike=alike)
    columns = joined([vars(samples_of(games, table)) for games in played])
    return {**columns, "inputs": columns["inputs"].astype(Half)}


@dataclass(frozen=True)
class Hands:
    """Hands at the starts of turns, each with the cards that a random other seat does not see."""

    held: NDArray[np.uint8]  # [rows, KINDS]: number of cards of each kind in the hand
    unseen: NDArray[np.uint8]  # [rows, KINDS]: number of cards that the other seat does not see
    inputs: NDArray[np.floating]  # [rows, HAND_INPUTS]: for the hand model
    held_out: NDArray[np.bool_]  # [rows]: True for games held out from fits


def hand_inputs(
    over: FloatArray, players: int, lines: FloatArray, values: FloatArray, pages: FloatArray
) -> FloatArray:
    """Return the hand model's inputs, one row for each hand ([rows, HAND_INPUTS]).

    `over` ([rows]) is the share of the game that is over, and `lines` ([rows, LINE_INPUTS]) are the
    value net's inputs about lines. `values` ([rows, LANDS]) are the points of each land card, and
    `pages` ([rows, ENTRIES]) are the entries of the action history for the seat with the hand.
    """
    e = over[:, None]
    kinds = np.broadcast_to([players == 3, players == 4], (len(e), 2))
    value = values / POINTS
    parts = (np.ones_like(e), e, e * e, kinds, lines, value, value * e, pages * SCALES)
    return np.concatenate(parts, axis=1)


def counts(cards: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Count the cards of each kind in sets (uint64[rows]). Return uint8[rows, KINDS]."""
    shifts = 2 * np.arange(KINDS, dtype=np.uint64)
    both = (cards[:, None] >> shifts) & np.uint64(3)
    return ((both & np.uint64(1)) + (both >> np.uint64(1))).astype(np.uint8)


def hands_of(games: Games, table: Table, rng: np.random.Generator) -> Hands:
    """Return the hand of a random seat at each position, as another random seat sees it."""
    rows, players = np.arange(len(games.starts)), games.points.shape[1]
    who = rng.integers(players, size=len(rows))
    observer = (who + rng.integers(1, players, size=len(rows))) % players
    held = np.stack([counts(games.starts[:, int(HANDS) + s]) for s in range(players)], axis=1)
    deck = counts(games.starts[:, int(DECK)])
    unseen = deck + held.sum(axis=1, dtype=np.uint8) - held[rows, observer]
    over = np.array([1 - features.game_left_of(state) for state in games.starts])
    values = np.array([table.card_points(state, None)[FIRST_LAND:] for state in games.starts])
    lines = features.inputs_of(games.starts, table.packed)[:, int(features.LINES) :][
        :, : features.LINE_INPUTS
    ].astype(np.float64)
    pages = games.histories[:, : int(KEPT)].reshape(-1, MAX_PLAYERS, ENTRIES)[rows, who]
    inputs = hand_inputs(over, players, lines, values, pages)
    return Hands(held[rows, who], unseen, inputs, held_out_games(games.of_game))


def hands_here(
    heuristic: FloatArray, net: SingleArray, numbers: FloatArray | None, groups: int, seed: int
) -> Arrays:
    """Return a shard with the hands of `groups` groups of games. Inputs are float16."""
    table, rng = Table(load_board("classic")), np.random.default_rng(seed)
    played = play_groups(heuristic, net, numbers, groups, seed)
    columns = joined([vars(hands_of(games, table, rng)) for games in played])
    return {**columns, "inputs": columns["inputs"].astype(Half)}
