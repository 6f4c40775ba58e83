"""Whole games in one kernel: thousands per hour, for fitting models and for measurements.

Each seat searches with `halve`, or plays with the heuristics or the policy. Games begin at the
deal, or at a decision with a given first move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.halving.simulation import COLUMNS, SimulationWorkspace, new_simulation_workspace
from masons.ai.models.model_data import NO_BIASES, learned
from masons.ai.net_policy.net_play import finish_game, net_turn, next_decision
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.self_play.seat_choices import (
    ARENA_WORDS,
    GameWorkspace,
    Seat,
    Seats,
    decide,
    list_moves,
    make_choice,
    packed_seats,
    player_of,
)
from masons.engine.game.action_history import HISTORY_SIZE, ActionHistory, clear_history
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.jit import (
    Floats,
    Word,
    Words,
    bytes_of,
    copy_words,
    inner,
    new_workspace,
    offset,
    words,
)
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import below
from masons.engine.playouts.random_scoring import deal_hands
from masons.engine.rules.legal_moves import MAX_MOVES
from masons.engine.rules.turns import score_of
from masons.engine.state import layout
from masons.engine.state.derive import empty_state

# The columns of a result: for each of four seats its points plus 0.01 for each card in hand, and
# then three further columns.
RESULT: Final = 7
LENGTH_COLUMN: Final = 4  # turns
CITIES_COLUMN: Final = 5  # completed cities
ROWS_COLUMN: Final = 6  # rows recorded so far
# Upper bound of the number of turns of a game.
_MOST_TURNS: Final = 64
# The seed of random choices is the seed of dice and cards, xored with this number.
_CHOICES: Final = 0x9E3779B97F4A7C15

_STATE = U(layout.STATE_WORDS)
_HISTORY_SIZE = U(HISTORY_SIZE)


class Beginnings(NamedTuple):
    """The beginnings of games. Kernels do not modify them."""

    games: Word
    seeds: Words  # uint64[games]: seeds of dice and cards
    choices: Word  # a seed xored with this number is the seed of random choices
    starts: Words  # uint64[games]: index of the state that a game begins with
    states: Words  # uint64[starts * STATE_WORDS]: complete states at a decision, or undealt states
    is_dealt: Word  # 0: hands are dealt first, and `histories` and `moves` are empty
    histories: Floats  # float64[starts * HISTORY_SIZE]
    moves: Words  # uint64[games]: the packed first move of each game


class Records(NamedTuple):
    """Decisions of one phase that are kept from games. Modified in place.

    Either all decisions are kept as long as there are free rows, or one decision of each game is
    drawn at random from the decisions with more than one move.
    """

    phase: Word
    one_each: Word  # 1: keep one decision of each game in the game's row (zeros if there is none)
    draws: Words  # uint64[games]: seeds of the random draws, if `one_each` is 1
    rows: Word  # number of rows, if `one_each` is 0
    states: Words  # uint64[rows * STATE_WORDS]
    histories: Floats  # float64[rows * HISTORY_SIZE]: the action histories
    results: Floats  # float64[games * RESULT]


@inner
def _begin(board: Words, begun: Beginnings, number: Word, game: GameWorkspace) -> None:
    """Begin a game: deal the hands, or play the first move."""
    seed, start = begun.seeds[number], begun.starts[number]
    game.rng[0], game.choice_rng[0] = seed, seed ^ begun.choices
    layout.copy_state(game.state, offset(begun.states, start * _STATE))
    if begun.is_dealt:
        copy_words(game.history, offset(begun.histories, start * _HISTORY_SIZE), _HISTORY_SIZE)
        make_choice(board, list_moves(board, game), begun.moves[number], game)
    else:
        deal_hands(game.state, game.rng)
        clear_history(game.history)


@inner
def _keep(records: Records, row: Word, game: GameWorkspace) -> None:
    """Store the game's state and history in a row."""
    layout.copy_state(offset(records.states, row * _STATE), game.state)
    copy_words(offset(records.histories, row * _HISTORY_SIZE), game.history, _HISTORY_SIZE)


@inner
def _note_decision(
    board: Words, number: Word, rows: Word, records: Records, game: GameWorkspace
) -> Word:
    """Keep a decision if it is selected; return the new number of rows.

    If `one_each` is 1, the result is instead the number of decisions with more than one move so
    far.
    """
    if records.one_each:
        if list_moves(board, game) == U(1):
            return rows
        if below(offset(records.draws, number), rows + U(1)) == U(0):
            _keep(records, number, game)
    elif rows < records.rows:
        _keep(records, rows, game)
    else:
        return rows
    return rows + U(1)


@inner
def _play_decisions(
    board: Words,
    number: Word,
    rows: Word,
    seats: Seats,
    records: Records,
    game: GameWorkspace,
    workspace: SimulationWorkspace,
    policy: PolicyWorkspace,
) -> Word:
    """Play a game to its end, decision by decision; return the number of rows."""
    while True:
        phase = next_decision(game.state, board, game.rng, game.counters)
        if phase == layout.PHASE_OVER:
            return rows
        if phase == records.phase:
            rows = _note_decision(board, number, rows, records, game)
        decide(board, seats, game, workspace, policy)


@inner
def _play_turns(
    board: Words,
    rows: Word,
    seats: Seats,
    records: Records,
    game: GameWorkspace,
    policy: PolicyWorkspace,
) -> Word:
    """Play a game to its end, turn by turn; return the number of rows.

    Hands are not predicted.
    """
    state, models = game.state, player_of(seats, U(0)).models
    while bytes_of(state)[layout.PHASE] != layout.PHASE_OVER:
        if rows < records.rows:
            layout.copy_state(offset(records.states, rows * _STATE), state)
            rows += U(1)
        net_turn(state, board, game.rng, game.rng, models, policy)
        finish_game(state, board)
    return rows


@inner
def _note_result(state: Words, rows: Word, out: Floats) -> None:
    """Fill a row of results from a finished game."""
    for seat in range(U(bytes_of(state)[layout.PLAYERS])):
        out[seat] = float(score_of(state, seat)) + 0.01 * float(
            popcount(state[layout.HANDS + seat])
        )
    out[LENGTH_COLUMN] = float(state[layout.TURN])
    out[CITIES_COLUMN] = float(state[layout.CITIES])
    out[ROWS_COLUMN] = float(rows)


@kernel
def play_whole_games(
    board: Words,
    beginnings: Beginnings,
    seats: Seats,
    records: Records,
    game: GameWorkspace,
    workspace: SimulationWorkspace,
    policy: PolicyWorkspace,
) -> None:
    """Play all games to the end.

    `game`, `workspace` (for the searches) and `policy` (for the net policy) are workspaces.
    """
    rows = U(0)
    for number in range(beginnings.games):
        if records.one_each:
            rows = U(0)
        _begin(board, beginnings, number, game)
        if seats.by_turns:
            rows = _play_turns(board, rows, seats, records, game, policy)
        else:
            rows = _play_decisions(board, number, rows, seats, records, game, workspace, policy)
        _note_result(game.state, rows, offset(records.results, U(RESULT) * number))


def from_the_deal(table: Table, players: int, seeds: Sequence[int]) -> Beginnings:
    """Return beginnings at the deal, one game for each seed."""
    return Beginnings(
        games=U(len(seeds)),
        seeds=np.array(seeds, dtype=np.uint64),
        choices=U(_CHOICES),
        starts=words(len(seeds)),
        states=empty_state(table.packed, players),
        is_dealt=U(0),
        histories=np.zeros(0),
        moves=words(0),
    )


def play_in_kernel(table: Table, beginnings: Beginnings, seats: Seats, records: Records) -> None:
    """Play games to the end and fill `records`."""
    play_whole_games(
        table.packed, beginnings, seats, records,
        new_workspace(GameWorkspace),
        new_simulation_workspace(np.zeros(MAX_MOVES * COLUMNS), ARENA_WORDS),
        new_workspace(PolicyWorkspace),
    )  # fmt: skip


@dataclass(frozen=True)
class Games:
    """The results of several games, and the states at the starts of their turns."""

    points: NDArray[np.float64]  # [games, seats]: points plus 0.01 for each card in hand
    lengths: NDArray[np.int64]  # [games]: the turns of each game
    cities: NDArray[np.int64]  # [games]: the cities of each game
    starts: layout.State  # [rows, STATE_WORDS]: the states at the start of each turn
    histories: ActionHistory  # [rows, HISTORY_SIZE]: the action histories at these states
    of_game: NDArray[np.int64]  # [rows]: the index of the game


def _play(table: Table, players: int, seeds: Sequence[int], seats: Seats) -> Games:
    """Play one game of `seats` from the deal for each seed.

    The result includes the states at the starts of turns.
    """
    count = len(seeds) * _MOST_TURNS
    starts = np.zeros((count, layout.STATE_WORDS), dtype=np.uint64)
    histories = np.zeros((0 if seats.by_turns else count, HISTORY_SIZE))
    results = np.zeros((len(seeds), RESULT))
    records = Records(
        phase=layout.PHASE_WALL,
        one_each=U(0),
        draws=words(0),
        rows=U(count),
        states=starts.ravel(),
        histories=histories.ravel(),
        results=results.ravel(),
    )
    play_in_kernel(table, from_the_deal(table, players, seeds), seats, records)
    ends = results[:, ROWS_COLUMN].astype(np.int64)
    return Games(
        points=results[:, :players],
        lengths=results[:, LENGTH_COLUMN].astype(np.int64),
        cities=results[:, CITIES_COLUMN].astype(np.int64),
        starts=starts[: ends[-1]],
        histories=histories[: ends[-1]],
        of_game=np.repeat(np.arange(len(seeds)), np.diff(ends, prepend=0)),
    )


def play_games(
    table: Table,
    seats: Sequence[Seat],
    seeds: Sequence[int],
    explored: float = 0.0,
    numbers: NDArray[np.float64] | None = None,
) -> Games:
    """Play one game from the deal for each seed; a share `explored` of the decisions is random.

    `numbers` (float64[HANDS_NUMBERS]; None: the shipped numbers) is the model that predicts hands.
    Equal arguments give equal games.
    """
    hand_model = learned()["hands"] if numbers is None else numbers
    return _play(table, len(seats), seeds, packed_seats(seats, hand_model, explored))


def play_policy_games(
    table: Table,
    players: int,
    seeds: Sequence[int],
    net: NDArray[np.float32],
    biases: NDArray[np.float64] = NO_BIASES,
) -> Games:
    """Play one game for each seed, in which the policy with `net` plays all seats.

    `net` is float32[WEIGHTS], and `biases` is float64[BIASES]. The games have no histories. Equal
    arguments give equal games.
    """
    numbers = learned()
    seat = Seat(
        0, numbers["heuristic"], net, predicts_hands=False, by_net=True, biases=biases
    )  # fmt: skip
    seats = packed_seats([seat], numbers["hands"], by_turns=True)
    return _play(table, players, seeds, seats)
