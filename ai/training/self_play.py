"""Whole games between searches, in one kernel: thousands an hour to fit to.

Each seat searches as `self_play_search` does, or plays by the heuristics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.halving.workspace import COLUMNS, Models, Workspace, new_workspace
from masons.ai.models.model_data import heuristic_weights, learned
from masons.ai.net_policy.net_play import net_turn
from masons.ai.net_policy.policy_workspace import (
    NOISE,
    PolicyWorkspace,
    new_policy_workspace,
)
from masons.ai.training.seat_choices import (
    ARENA_WORDS,
    GameWorkspace,
    Seat,
    Seats,
    begin_game,
    decide,
    new_game_workspace,
    next_decision,
    note_result,
    packed_seats,
)
from masons.engine.game.action_history import (
    HISTORY_SIZE,
    ActionHistory,
)
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import (
    Floats,
    Word,
    WordArray,
    Words,
    bytes_of,
    copy_words,
    field_of,
    inner,
    kernel,
    offset,
    pointers,
    ptr,
)
from masons.engine.playouts.random_deals import deal_hands
from masons.engine.rules.legal_moves import (
    MAX_MOVES,
)
from masons.engine.state.initial_state import empty_state
from masons.engine.state.layout import (
    PHASE,
    PHASE_OVER,
    PHASE_WALL,
    STATE_WORDS,
    State,
)

# Of a game: each seat's points with a hundredth for each card in hand, turns, cities, rows so far.
RESULT: Final = 7
# A game has fewer turns than these.
_MOST_TURNS: Final = 64

_STATE = U(STATE_WORDS)
_HISTORY_SIZE = U(HISTORY_SIZE)


class Records(NamedTuple):
    """What is kept of the games, filled. A row is the start of a turn, as long as there are any."""

    turns: Words  # uint64[rows * STATE_WORDS]: the states
    rows: Word
    histories: Floats  # float64[rows * HISTORY_SIZE]: the action histories
    results: Floats  # float64[games * RESULT]


@inner
def _note_turn(records: Records, row: Word, game: GameWorkspace) -> None:
    """Fill a row with the start of a turn."""
    copy_words(offset(records.turns, row * _STATE), game.state, _STATE)
    copy_words(offset(records.histories, row * _HISTORY_SIZE), game.history, _HISTORY_SIZE)


@kernel
def play_searches(
    start: WordArray,
    board: WordArray,
    seeds: WordArray,
    seats: Seats,
    records: Records,
    game: GameWorkspace,
    workspace: Workspace,
    policy: PolicyWorkspace,
) -> None:
    """Play a game from an undealt state (uint64[STATE_WORDS]) for each of `seeds` (uint64[games]).

    Workspaces: `game`, `workspace` of the searches, `policy` of the policy by the net.
    """
    own, search, kept = pointers(game), pointers(workspace), pointers(records)
    by_net = pointers(policy)
    state, table = own.state, ptr(board)
    rows = U(0)
    for number in range(U(len(seeds))):
        begin_game(ptr(start), seeds[number], own)
        while True:
            phase = next_decision(state, table, own.rng, own.counters)
            if phase == PHASE_OVER:
                break
            if phase == PHASE_WALL and rows < kept.rows:
                _note_turn(kept, rows, own)
                rows += U(1)
            decide(table, pointers(seats), own, search, by_net)
        row = offset(kept.results, U(RESULT) * number)
        note_result(state, row)
        row[6] = float(rows)


@kernel
def play_policy(
    start: WordArray,
    board: WordArray,
    seeds: WordArray,
    models: Models,
    records: Records,
    state: WordArray,
    workspace: PolicyWorkspace,
) -> None:
    """Play a game of the policy by the net against itself for each of `seeds` (uint64[games]).

    From an undealt state `start` (uint64[STATE_WORDS]); no hands are predicted and no histories
    kept. Workspace: `state` (uint64[STATE_WORDS]), `workspace`.
    """
    own, by_net, kept = pointers(workspace), pointers(models), pointers(records)
    whole, table, rng = ptr(state), ptr(board), own.rng
    rows = U(0)
    for number in range(U(len(seeds))):
        rng[0] = seeds[number]
        copy_words(whole, ptr(start), _STATE)
        deal_hands(whole, rng)
        while bytes_of(whole)[PHASE] != PHASE_OVER:
            if rows < kept.rows:
                copy_words(offset(kept.turns, rows * _STATE), whole, _STATE)
                rows += U(1)
            net_turn(whole, table, rng, by_net, own)
        row = offset(kept.results, U(RESULT) * number)
        note_result(whole, row)
        row[6] = float(rows)


@dataclass(frozen=True)
class Games:
    """What games came to."""

    points: NDArray[np.float64]  # [games, seats], with a hundredth for each card in hand
    lengths: NDArray[np.int64]  # turns of each game
    cities: NDArray[np.int64]
    starts: State  # [rows, STATE_WORDS]: the states at the start of each turn
    histories: ActionHistory  # [rows, HISTORY_SIZE]: the action histories then
    of_game: NDArray[np.int64]  # [rows]: the game


def _games_of(
    turns: NDArray[np.uint64],
    histories: ActionHistory,
    results: NDArray[np.float64],
    players: int,
) -> Games:
    """What a kernel filled."""
    rows = results.reshape(-1, RESULT)
    ends = rows[:, 6].astype(np.int64)
    return Games(
        points=rows[:, :players],
        lengths=rows[:, 4].astype(np.int64),
        cities=rows[:, 5].astype(np.int64),
        starts=turns.reshape(-1, STATE_WORDS)[: ends[-1]],
        histories=histories[: ends[-1]],
        of_game=np.repeat(np.arange(len(rows)), np.diff(ends, prepend=0)),
    )


def play_games(
    table: Table,
    seats: Sequence[Seat],
    seeds: Sequence[int],
    explored: float = 0.0,
    numbers: NDArray[np.float64] | None = None,
) -> Games:
    """A game for each seed, from the deal on; `explored` of the decisions are made at random.

    `numbers` (float64[HANDS_NUMBERS]; None: those shipped): by which hands are predicted. The same
    arguments give the same games.
    """
    count = len(seeds)
    turns = np.zeros(count * _MOST_TURNS * STATE_WORDS, dtype=np.uint64)
    histories = np.zeros(count * _MOST_TURNS * HISTORY_SIZE)
    results = np.zeros(count * RESULT)
    play_searches(
        empty_state(table.packed, len(seats)),
        table.packed,
        np.array(seeds, dtype=np.uint64),
        packed_seats(seats, learned()["hands"] if numbers is None else numbers, explored),
        Records(field_of(turns), U(count * _MOST_TURNS), field_of(histories), field_of(results)),
        new_game_workspace(),
        new_workspace(np.zeros(MAX_MOVES * COLUMNS), ARENA_WORDS),
        new_policy_workspace(),
    )
    return _games_of(turns, histories.reshape(-1, HISTORY_SIZE), results, len(seats))


def play_policy_games(
    table: Table, players: int, seeds: Sequence[int], net: NDArray[np.float32], noise: float = NOISE
) -> Games:
    """A game of the policy by a net (float32[WEIGHTS]) against itself for each seed.

    `noise`: the values of lines differ by chance by so much (a share of a victory). The histories
    of the games are zeros. The same arguments give the same games.
    """
    count = len(seeds)
    turns = np.zeros(count * _MOST_TURNS * STATE_WORDS, dtype=np.uint64)
    results = np.zeros(count * RESULT)
    workspace = new_policy_workspace(noise)
    play_policy(
        empty_state(table.packed, players),
        table.packed,
        np.array(seeds, dtype=np.uint64),
        Models(field_of(heuristic_weights()), field_of(net)),
        Records(field_of(turns), U(count * _MOST_TURNS), field_of(np.zeros(0)), field_of(results)),
        np.zeros(STATE_WORDS, dtype=np.uint64),
        workspace,
    )
    return _games_of(turns, np.zeros((0, HISTORY_SIZE)), results, players)
