"""Playing to a decision, and on from one after a given move: kernels of whole games."""

from __future__ import annotations

from typing import NamedTuple

from masons.ai.halving.workspace import Workspace
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.training.seat_choices import (
    GameWorkspace,
    Seats,
    begin_game,
    decide,
    list_moves,
    make_choice,
    next_decision,
    note_result,
)
from masons.engine.game.action_history import HISTORY_SIZE
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import (
    FloatArray,
    Floats,
    Word,
    WordArray,
    Words,
    copy_words,
    inner,
    kernel,
    offset,
    pointers,
    ptr,
)
from masons.engine.kernels.rng import below
from masons.engine.state.layout import PHASE_OVER, STATE_WORDS

_STATE, _HISTORY = U(STATE_WORDS), U(HISTORY_SIZE)
# What seats choose is drawn apart from the luck: its generator begins with the luck's, xored.
_CHOICES = U(0xD1B54A32D192ED03)
# Numbers of a row of results: each seat's points with a hundredth a card in hand, turns, cities.
RESULT_NUMBERS = 6


class Worlds(NamedTuple):
    """Whole games at a decision, hidden cards where they lie."""

    states: Words  # uint64[games * STATE_WORDS]
    histories: Floats  # float64[games * HISTORY_SIZE]


class Continued(NamedTuple):
    """What is to be played on: one game for each entry."""

    worlds: Words  # uint64[count]: the number of the world
    moves: Words  # uint64[count]: the packed move that is played there
    seeds: Words  # uint64[count]: of the dice and cards that follow


@kernel
def play_to_decisions(
    start: WordArray,
    board: WordArray,
    seeds: WordArray,
    seats: Seats,
    worlds: Worlds,
    game: GameWorkspace,
    workspace: Workspace,
    policy: PolicyWorkspace,
) -> None:
    """Play a game for each of `seeds` (uint64[3 * games]) and keep one of its decisions by chance.

    Of each game three numbers: its seed, the phase of the decision, the seed of the draw among the
    game's decisions of that phase with more than one move (modified). `worlds` is filled; a game
    without such a decision leaves its row of zeros.
    """
    own, search, kept = pointers(game), pointers(workspace), pointers(worlds)
    by_net = pointers(policy)
    state, table = own.state, ptr(board)
    for number in range(U(len(seeds)) // U(3)):
        row = U(3) * number
        begin_game(ptr(start), seeds[row], own)
        found = U(0)
        while True:
            phase = next_decision(state, table, own.rng, own.counters)
            if phase == PHASE_OVER:
                break
            if phase == seeds[row + U(1)] and list_moves(table, own) > U(1):
                found += U(1)
                if below(offset(ptr(seeds), row + U(2)), found) == U(0):
                    copy_words(offset(kept.states, number * _STATE), state, _STATE)
                    copy_words(offset(kept.histories, number * _HISTORY), own.history, _HISTORY)
            decide(table, pointers(seats), own, search, by_net)


@inner
def _play_on(
    board: Words,
    move: Word,
    seats: Seats,
    game: GameWorkspace,
    workspace: Workspace,
    policy: PolicyWorkspace,
) -> None:
    """Play a move in `game`, and on to the end."""
    make_choice(board, list_moves(board, game), move, game)
    while next_decision(game.state, board, game.rng, game.counters) != PHASE_OVER:
        decide(board, seats, game, workspace, policy)


@kernel
def play_on_after(
    board: WordArray,
    worlds: Worlds,
    continued: Continued,
    count: Word,
    seats: Seats,
    results: FloatArray,
    game: GameWorkspace,
    workspace: Workspace,
    policy: PolicyWorkspace,
) -> None:
    """Play `count` games on from worlds after a move each, to their ends.

    Fills `results` (float64[count * RESULT_NUMBERS]).
    """
    own, search, begun = pointers(game), pointers(workspace), pointers(worlds)
    todo, table, players = pointers(continued), ptr(board), pointers(seats)
    by_net = pointers(policy)
    for number in range(count):
        world = todo.worlds[number]
        copy_words(own.state, offset(begun.states, world * _STATE), _STATE)
        copy_words(own.history, offset(begun.histories, world * _HISTORY), _HISTORY)
        own.rng[0] = todo.seeds[number]
        own.choice_rng[0] = todo.seeds[number] ^ _CHOICES
        _play_on(table, todo.moves[number], players, own, search, by_net)
        note_result(own.state, offset(ptr(results), U(RESULT_NUMBERS) * number))
