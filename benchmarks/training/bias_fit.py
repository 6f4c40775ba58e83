"""The fit of the policy's biases (see `masons.ai.models.choice_biases`) to games of searches.

First, the biases of each kind of choice are fitted so that the policy makes this kind as often as
the searches do, in the same positions, for each number of players and each fifth of the game. The
positions that the policy itself reaches are different. Therefore the biases are then moved a little
for the whole game, by as few units (UNITS) as possible, so that games of the policy are as long as
games of searches and end with the same scores on average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.training.run_folder import Arrays
from masons.ai.halving.halving_search import HalvingSearch
from masons.ai.models.choice_biases import KINDS, KNOTS
from masons.ai.models.features import game_left_of
from masons.ai.models.model_data import Models
from masons.ai.models.packed_net import kernel_nets
from masons.ai.net_policy.net_play import policy_move
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.search.decision import moves_to_search
from masons.ai.self_play.self_play import play_policy_games
from masons.engine.board.components import MAX_PLAYERS
from masons.engine.board.geometry import load_board
from masons.engine.formats.move_text import Move
from masons.engine.game.game import Game
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U, count4, lowest
from masons.engine.kernels.jit import FloatArray, Word, Words, bytes_of, new_workspace, words
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import mix, new_rng
from masons.engine.rules.placement import place_towers, put_wall
from masons.engine.rules.roll_outcomes import TOWER_STEPS, tower_outcomes
from masons.engine.rules.transitions import ends_without
from masons.engine.state import layout
from masons.engine.state.packed_move import PLAY, SWAP, WALL
from masons.engine.state.position import byte_in, members

SIMS = 1000  # simulations per decision of the searches
ROUNDS = 12  # rounds of the first fit
COURSE_ROUNDS = 3  # rounds of the second fit
COURSE_GAMES = 4000  # games of the policy that are played to measure the effect of biases
_PLAYERS: Final = range(2, MAX_PLAYERS + 1)
_SHAPE: Final = len(KINDS), len(_PLAYERS), KNOTS
# By kind: the change of a bias for a difference of 1 in the frequency, and the largest change.
_RATES: Final = np.array([0.3, 0.25, 0.08, 0.08, 0.03, 0.006])
_MOST: Final = np.array([0.015, 0.02, 0.02, 0.02, 0.006, 0.006])
UNITS: Final = np.array([0.03, 0.05, 0.004, 0.004, 0.01, 0.004])
_TURNS_WEIGHT: Final = 3.0  # a turn counts as much as this number of points
_DAMPING: Final = np.diag([0.5, 2.0])


def decisions_here(weights: Mapping[str, NDArray[Any]], games: int, seed: int) -> Arrays:
    """Return a shard: decisions of `games` games of searches, and the results of these games.

    The columns are `states` (uint64[decisions, STATE_WORDS]), `moves` (uint64[decisions]: what the
    search chose), `players` and `turns` (int64[games]), and `points` (float64[games]: the mean of
    the seats).
    """
    states, moves, results = list[layout.State](), list[int](), list[tuple[int, int, float]]()
    for number in range(games):
        game = Game(_PLAYERS[number % len(_PLAYERS)], seed=mix(seed, number))
        while (result := game.result) is None:
            view = game.observe(game.seat)
            listed = moves_to_search(game.table, view)
            search = HalvingSearch(
                game.table, view, listed, seed=mix(seed, number, game.decisions), weights=weights
            )
            search.run(SIMS)
            best = search.best
            if len(listed) > 1 and best.kind in (WALL, PLAY, SWAP):
                states.append(game.state.copy())
                moves.append(int(best))
            game.apply(best)
        mean = sum(result.scores) / game.players
        results.append((game.players, int(game.state[int(layout.TURN)]), mean))
    players, turns, points = zip(*results, strict=True)
    return {
        "states": np.array(states), "moves": np.array(moves, dtype=np.uint64),
        "players": np.array(players), "turns": np.array(turns), "points": np.array(points),
    }  # fmt: skip


@kernel
def closings_after(state: Words, board: Words, line: Word, copy: Words) -> Word:
    """Return how many lines could complete a city after a wall that completes none."""
    layout.copy_state(copy, state)
    b = bytes_of(copy)
    b[layout.WALL_LEFT] = U(b[layout.WALL_LEFT]) + U(1)
    empty = ends_without(copy, board, line)
    put_wall(copy, board, line, True)
    outcomes = tower_outcomes(copy[layout.TOWER_SUPPLY], U(0), empty)
    if outcomes:
        place_towers(copy, board, line, TOWER_STEPS[lowest(outcomes)], True)
    return count4(copy, layout.CLOSING)


class Choices:
    """The decisions of searches, and how often the policy makes each kind of choice in them."""

    def __init__(self, table: Table, shards: Sequence[Arrays], weights: Mapping[str, Any]) -> None:
        self._table, self._weights = table, weights
        self._states = np.concatenate([shard["states"] for shard in shards])
        moves = np.concatenate([shard["moves"] for shard in shards])
        self._copy = words(layout.STATE_WORDS)
        self._cells = [_cell(state) for state in self._states]
        self.of_search = self._frequencies(moves)

    def of_policy(self, biases: FloatArray) -> FloatArray:
        """Return the frequencies of the policy's choices with some biases, as `_frequencies`."""
        heuristic = np.tile(self._weights["heuristic"], MAX_PLAYERS)
        net = kernel_nets([self._weights["net"].astype(np.float32)])
        models, rng = Models(heuristic, net, biases.ravel()), new_rng(1)
        workspace, packed = new_workspace(PolicyWorkspace), self._table.packed
        chosen = [
            policy_move(state.copy(), packed, rng, models, workspace) for state in self._states
        ]
        return self._frequencies(np.array(chosen, dtype=np.uint64))

    def _frequencies(self, moves: NDArray[np.uint64]) -> FloatArray:
        """Return the mean number of choices of each kind in a decision that allows this kind.

        The result is [kinds, numbers of players, KNOTS], NaN where there was no decision.
        """
        sums, counts = np.zeros(_SHAPE), np.zeros(_SHAPE)
        for state, cell, packed in zip(self._states, self._cells, moves.tolist(), strict=True):
            numbers = self._numbers(state, Move(packed))
            first, last = (0, 4) if len(numbers) == 4 else (4, 5) if _is_scoring(state) else (5, 6)
            sums[(slice(first, last), *cell)] += numbers
            counts[(slice(first, last), *cell)] += 1
        with np.errstate(invalid="ignore"):
            frequencies: FloatArray = sums / counts
        return frequencies

    def _numbers(self, state: layout.State, move: Move) -> tuple[int, ...]:
        """Return how many choices of each kind a move makes: four for a wall, else one."""
        if move.kind == PLAY or move.kind == SWAP:
            return (len(move.cards),)
        if move.kind != WALL:
            return (0,)
        groups = (layout.CLOSING, layout.TOUCHED, layout.DOUBLE)
        is_closing, is_touched, is_double = (
            move.place in members(state, int(base), 4) for base in groups
        )
        if is_closing:
            return (1, 0, 0, 0)
        after = closings_after(state, self._table.packed, U(move.place), self._copy)
        is_offered = int(after) > len(members(state, int(layout.CLOSING), 4))
        return (0, is_offered, is_touched and not is_double, is_double)


def _is_scoring(state: layout.State) -> bool:
    return byte_in(state, layout.PHASE) == int(layout.PHASE_SCORE)


def _cell(state: layout.State) -> tuple[int, int]:
    """Return the indices of the number of players and of the fifth of the game."""
    knot = min(int(KNOTS * (1 - game_left_of(state))), KNOTS - 1)
    return byte_in(state, layout.PLAYERS) - _PLAYERS[0], knot


def fit_frequencies(choices: Choices) -> FloatArray:
    """Return biases with which the policy makes each kind of choice as often as the search."""
    biases = np.zeros(_SHAPE)
    for number in range(ROUNDS):
        missing = np.nan_to_num(choices.of_search - choices.of_policy(biases))
        print(f"biases: frequencies differ by {np.abs(missing).mean():.4f}", flush=True)
        share = 0.7 ** max(0, number - 4) + 0.1
        change = np.moveaxis(missing, 0, -1) * _RATES
        biases += share * np.moveaxis(np.clip(change, -_MOST, _MOST), -1, 0)
    return biases


class Course:
    """The course of games of the policy with some number of players."""

    def __init__(self, table: Table, players: int, net: NDArray[np.float32]) -> None:
        self._table, self._players, self._net = table, players, net

    def moved(self, biases: FloatArray, units: FloatArray) -> FloatArray:
        """Return biases moved by a number of units for each kind."""
        changed = biases.copy()
        changed[:, self._players - _PLAYERS[0]] += (units * UNITS)[:, None]
        return changed

    def measured(self, biases: FloatArray) -> FloatArray:
        """Return the mean final score and the mean number of turns times _TURNS_WEIGHT."""
        games = play_policy_games(
            self._table, self._players, range(COURSE_GAMES), self._net, biases.ravel()
        )
        return np.array([np.floor(games.points).mean(), _TURNS_WEIGHT * games.lengths.mean()])

    def fit(self, biases: FloatArray, wanted: FloatArray) -> FloatArray:
        """Return biases with which games have the wanted course (damped least-norm steps)."""
        steps = np.eye(len(KINDS))
        ahead, back = (
            np.array([self.measured(self.moved(biases, side * step)) for step in steps]).T
            for side in (1, -1)
        )
        slopes, units = (ahead - back) / 2, np.zeros(len(KINDS))
        for _ in range(COURSE_ROUNDS):
            missing = wanted - self.measured(self.moved(biases, units))
            units += 0.8 * slopes.T @ np.linalg.solve(slopes @ slopes.T + _DAMPING, missing)
        return self.moved(biases, units)


@cache
def _table() -> Table:
    return Table(load_board("classic"))


def fit_biases(shards: Sequence[Arrays], weights: Mapping[str, NDArray[Any]]) -> FloatArray:
    """Return the biases fitted to the shards of `decisions_here`: float64[BIASES]."""
    biases = fit_frequencies(Choices(_table(), shards, weights))
    players, turns, points = (
        np.concatenate([shard[name] for shard in shards]) for name in ("players", "turns", "points")
    )
    for count in _PLAYERS:
        here = players == count
        wanted = np.array([points[here].mean(), _TURNS_WEIGHT * turns[here].mean()])
        course = Course(_table(), count, weights["net"].astype(np.float32))
        biases = course.fit(biases, wanted)
        reached = course.measured(biases)
        print(f"biases: {count} players: {reached[0]:.1f} points instead of {wanted[0]:.1f}")
    flat: FloatArray = biases.ravel()
    return flat
