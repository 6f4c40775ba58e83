"""Hands to fit the model of hidden hands to: what players of many sorts held, and did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from masons.ai.models.features import LINE_INPUTS, LINES, game_left_of, inputs_of
from masons.ai.models.hand_model import POINTS, SCALES
from masons.ai.self_play.self_play import Games
from masons.ai.training.training_folder import Arrays
from masons.ai.training.training_games import Half, Singles, held_out_games, play_groups
from masons.engine.board.components import FIRST_LAND, KINDS, MAX_PLAYERS
from masons.engine.board.geometry import load_board
from masons.engine.game.action_history import ENTRIES, KEPT
from masons.engine.game.table import Table
from masons.engine.state.layout import DECK, HANDS

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Hands:
    """Hands at the start of turns, each with what another seat sees."""

    held: NDArray[np.uint8]  # [rows, KINDS]: how many of each card
    unseen: NDArray[np.uint8]  # [rows, KINDS]: how many the other seat does not see
    inputs: NDArray[np.floating]  # [rows, HAND_INPUTS]
    held_out: NDArray[np.bool_]  # [rows]: of games that are not fitted to


def hand_inputs(
    over: Numbers, players: int, lines: Numbers, values: Numbers, pages: Numbers
) -> Numbers:
    """The inputs of some hands ([rows, HAND_INPUTS]).

    `over` ([rows]): the share of the game that is over; `lines` ([rows, LINE_INPUTS]); `values`
    ([rows, LANDS]): what each land card scores; `pages` ([rows, ENTRIES]): the seat's own part of
    the action history.
    """
    e = over[:, None]
    kinds = np.broadcast_to([players == 3, players == 4], (len(e), 2))
    value = values / POINTS
    parts = (np.ones_like(e), e, e * e, kinds, lines, value, value * e, pages * SCALES)
    return np.concatenate(parts, axis=1)


def counts(cards: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """How many of each kind are among some cards ([rows] to [rows, KINDS])."""
    shifts = 2 * np.arange(KINDS, dtype=np.uint64)
    both = (cards[:, None] >> shifts) & np.uint64(3)
    return ((both & np.uint64(1)) + (both >> np.uint64(1))).astype(np.uint8)


def hands_of(games: Games, table: Table, rng: np.random.Generator) -> Hands:
    """A random seat's hand at each position, and what another random seat sees."""
    rows, players = np.arange(len(games.starts)), games.points.shape[1]
    who = rng.integers(players, size=len(rows))
    observer = (who + rng.integers(1, players, size=len(rows))) % players
    held = np.stack([counts(games.starts[:, int(HANDS) + s]) for s in range(players)], axis=1)
    deck = counts(games.starts[:, int(DECK)])
    unseen = deck + held.sum(axis=1, dtype=np.uint8) - held[rows, observer]
    over = np.array([1 - game_left_of(state) for state in games.starts])
    values = np.array([table.card_points(state, None)[FIRST_LAND:] for state in games.starts])
    lines = inputs_of(games.starts, table.packed)[:, int(LINES) :][:, :LINE_INPUTS].astype(
        np.float64
    )
    pages = games.histories[:, : int(KEPT)].reshape(-1, MAX_PLAYERS, ENTRIES)[rows, who]
    inputs = hand_inputs(over, players, lines, values, pages)
    return Hands(held[rows, who], unseen, inputs, held_out_games(games.of_game))


def hands_here(
    heuristic: Numbers, net: Singles, numbers: Numbers | None, groups: int, seed: int
) -> Arrays:
    """A shard: the hands of some groups of games, the inputs as float16."""
    table, rng = Table(load_board("classic")), np.random.default_rng(seed)
    played = play_groups(heuristic, net, numbers, groups, seed)
    found = join_hands([hands_of(games, table, rng) for games in played])
    return {**vars(found), "inputs": found.inputs.astype(Half)}


def join_hands(parts: Sequence[Hands]) -> Hands:
    """All of them."""
    columns = (np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Hands))
    return Hands(*columns)
