"""Decisions inside kernels: the choice of a move for a seat, and the memory of a game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from masons.ai.beliefs.determinization import hide_others
from masons.ai.halving.sequential_halving import halve
from masons.ai.halving.simulation import SimulationWorkspace
from masons.ai.models.choice_biases import BIASES
from masons.ai.models.hand_model import HAND_WEIGHTS, HAND_WORKSPACE, fill_hand_weights
from masons.ai.models.model_data import NO_BIASES, Models
from masons.ai.models.packed_net import kernel_nets
from masons.ai.models.value_net import KERNEL_NET
from masons.ai.net_policy.net_play import net_choice
from masons.ai.net_policy.policy_workspace import PolicyWorkspace
from masons.ai.policies.heuristic_moves import PARAMETERS
from masons.ai.policies.heuristic_play import heuristic_choice
from masons.ai.search.decision import Decision
from masons.engine.board.components import MAX_PLAYERS
from masons.engine.game.action_history import HISTORY_SIZE, HISTORY_WORKSPACE, Choice, note_choice
from masons.engine.kernels.bits import U, lowest, popcount
from masons.engine.kernels.jit import Floats, Singles, Word, Words, bytes_of, inner, offset
from masons.engine.kernels.rng import below, fraction, next_word
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.rules.legal_moves import (
    MAX_CITIES,
    MAX_MOVES,
    WORK_WORDS,
    kinds_of,
    list_legal,
    nth_swap,
)
from masons.engine.rules.transitions import apply_legal
from masons.engine.state import layout

# A decision considers at most this number of swaps. They use only the first kinds in hand.
MOST_SWAPS: Final = 96
# Words of the trees of one decision; a larger number would hardly be used.
ARENA_WORDS: Final = 1 << 20


class Seats(NamedTuple):
    """The players of the seats, one after the other. Kernels do not modify them."""

    simulations: Words  # uint64[players]: simulations of a decision; 0: no search, see `by_net`
    by_net: Words  # uint64[players]: players without a search: 1: the net's policy, 0: heuristics
    predicts_hands: Words  # uint64[players]: 1 if the player predicts hidden hands
    # float64[players * MAX_PLAYERS * PARAMETERS]: each player's parameters, repeated for each seat
    heuristics: Floats
    nets: Singles  # float32[players * KERNEL_NET]
    biases: Floats  # float64[players * BIASES]: of the net's policy
    hand_model: Floats  # float64[HANDS_NUMBERS]: the model that predicts hands
    explored: float  # share of decisions made at random
    by_turns: Word  # 1: the net's policy of the first seat plays all seats, a turn at a time


class GameWorkspace(NamedTuple):
    """The memory of a game, except for its searches. Everything is modified in place."""

    state: Annotated[Words, layout.STATE_WORDS]
    observed: Annotated[Words, layout.STATE_WORDS]  # the view of a seat
    copy: Annotated[Words, layout.STATE_WORDS]  # a copy of the state for looking ahead
    hidden: Annotated[Words, MAX_PLAYERS]  # the number of hidden cards of each seat
    rng: Annotated[Words, 1]  # random state for dice and cards
    choice_rng: Annotated[Words, 1]  # random state for the choices of seats
    counters: Annotated[Words, COUNTER_WORDS]
    work: Annotated[Words, WORK_WORDS]  # for listing moves
    roots: Annotated[Words, MAX_CITIES]  # for listing moves
    moves: Annotated[Words, MAX_MOVES]
    alive: Annotated[Words, 3 * MAX_MOVES]  # the moves that a search still compares (see `halve`)
    history: Annotated[Floats, HISTORY_SIZE]
    history_work: Annotated[Floats, HISTORY_WORKSPACE]
    hand_inputs: Annotated[Floats, HAND_WORKSPACE]
    hand_weights: Annotated[Floats, HAND_WEIGHTS]


class SeatPlayer(NamedTuple):
    """The player of one seat, inside kernels."""

    simulations: Word
    by_net: Word
    predicts_hands: Word
    models: Models
    hand_model: Floats  # float64[HANDS_NUMBERS]


@inner
def list_swaps(state: Words, out: Words) -> Word:
    """Fill `out` with all swaps of the first kinds in hand, up to MOST_SWAPS.

    Returns the number of swaps.
    """
    cards = state[layout.HANDS + U(bytes_of(state)[layout.SEAT])]
    count = U(1)
    kinds = kinds_of(cards)
    while kinds:
        ways = count * (U(1) + popcount((cards >> lowest(kinds)) & U(3)))
        if ways > U(MOST_SWAPS):
            break
        count = ways
        kinds &= kinds - U(1)
    for n in range(count):
        out[n] = nth_swap(cards, n)
    return count


@inner
def hide_hands(state: Words, seat: Word, observed: Words, hidden: Words) -> None:
    """Fill `observed` with the view of a seat, and `hidden` with the sizes of hidden hands."""
    layout.copy_state(observed, state)
    hide_others(observed, seat, hidden)


@inner
def list_moves(board: Words, game: GameWorkspace) -> Word:
    """Fill `game.moves` with the moves of the decision and return their number."""
    if bytes_of(game.state)[layout.PHASE] == layout.PHASE_SWAP:
        return list_swaps(game.state, game.moves)
    return list_legal(game.state, board, game.work, game.roots, game.moves)


@inner
def _predict_hands(
    board: Words, player: SeatPlayer, game: GameWorkspace, hand_weights: Floats
) -> None:
    """Fill `game.observed` and `game.hidden` with the view of SEAT.

    If the player predicts hands, also fill `hand_weights`.
    """
    hide_hands(game.state, U(bytes_of(game.state)[layout.SEAT]), game.observed, game.hidden)
    if player.predicts_hands:
        fill_hand_weights(
            game.observed,
            board,
            game.history,
            player.hand_model,
            game.copy,
            game.hand_inputs,
            hand_weights,
        )


@inner
def _search(
    board: Words,
    player: SeatPlayer,
    count: Word,
    game: GameWorkspace,
    workspace: SimulationWorkspace,
) -> Word:
    """Search the first `count` moves of `game.moves` for SEAT, and return the best move."""
    observed, predicts_hands = game.observed, player.predicts_hands
    _predict_hands(board, player, game, game.hand_weights)
    workspace.rng[0] = next_word(game.choice_rng)
    decision = Decision(
        observed, board, game.hidden, predicts_hands, game.hand_weights, game.moves, count
    )
    best = halve(decision, player.models, player.simulations, game.alive, workspace)
    return game.moves[best]


@inner
def _choose_by_net(
    board: Words, player: SeatPlayer, game: GameWorkspace, policy: PolicyWorkspace
) -> Word:
    """Return the policy's move for SEAT; 0 in the final scoring."""
    _predict_hands(board, player, game, policy.hand_weights)
    policy.by_weights[0] = player.predicts_hands
    return net_choice(game.state, board, game.choice_rng, player.models, policy)


@inner
def choose_move(
    board: Words,
    player: SeatPlayer,
    count: Word,
    game: GameWorkspace,
    workspace: SimulationWorkspace,
    policy: PolicyWorkspace,
) -> Word:
    """Return SEAT's move, or 0 if its policy or heuristics have no move for this decision."""
    if player.simulations:
        return _search(board, player, count, game, workspace)
    if player.by_net:
        return _choose_by_net(board, player, game, policy)
    return heuristic_choice(game.state, board, game.choice_rng, player.models.heuristic, game.copy)


@inner
def player_of(seats: Seats, seat: Word) -> SeatPlayer:
    """Return the player of a seat."""
    heuristic = offset(seats.heuristics, U(MAX_PLAYERS * PARAMETERS) * seat)
    net, biases = (
        offset(seats.nets, U(KERNEL_NET) * seat), offset(seats.biases, U(BIASES) * seat)
    )  # fmt: skip
    models = Models(heuristic, net, biases)
    return SeatPlayer(
        seats.simulations[seat],
        seats.by_net[seat],
        seats.predicts_hands[seat],
        models,
        seats.hand_model,
    )


@inner
def make_choice(board: Words, count: Word, move: Word, game: GameWorkspace) -> None:
    """Play a move and record it in the history as a choice.

    The first `count` moves of `game.moves` are the legal moves.
    """
    choice = Choice(game.state, board, game.moves, count, move)
    note_choice(choice, game.copy, game.history_work, game.history)
    apply_legal(game.state, board, move)


@inner
def decide(
    board: Words,
    seats: Seats,
    game: GameWorkspace,
    workspace: SimulationWorkspace,
    policy: PolicyWorkspace,
) -> None:
    """Choose and play SEAT's move; a share `explored` of the moves is random."""
    count = list_moves(board, game)
    move = game.moves[below(game.choice_rng, count)]
    if fraction(game.choice_rng) >= seats.explored:
        player = player_of(seats, U(bytes_of(game.state)[layout.SEAT]))
        chosen = choose_move(board, player, count, game, workspace, policy)
        move = chosen if chosen else move
    make_choice(board, count, move, game)


@dataclass(frozen=True)
class Seat:
    """The player of a seat."""

    simulations: int  # simulations of a decision; 0: no search
    heuristic: NDArray[np.float64]  # [PARAMETERS]
    net: NDArray[np.float32]  # [WEIGHTS]
    predicts_hands: bool = True  # True: predicts hidden hands from choices
    by_net: bool = False  # without a search: True: the net's policy, False: the heuristics
    biases: NDArray[np.float64] = field(default_factory=lambda: NO_BIASES)  # of that policy


def packed_seats(
    seats: Sequence[Seat],
    hand_model: NDArray[np.float64],
    explored: float = 0.0,
    *,
    by_turns: bool = False,
) -> Seats:
    """Return the seats in the form that kernels read.

    `hand_model` is float64[HANDS_NUMBERS].
    """
    return Seats(
        simulations=np.array([seat.simulations for seat in seats], dtype=np.uint64),
        by_net=np.array([seat.by_net for seat in seats], dtype=np.uint64),
        predicts_hands=np.array([seat.predicts_hands for seat in seats], dtype=np.uint64),
        heuristics=np.concatenate([np.tile(s.heuristic, MAX_PLAYERS) for s in seats]),
        nets=kernel_nets([seat.net for seat in seats]),
        biases=np.concatenate([seat.biases for seat in seats]),
        hand_model=hand_model,
        explored=explored,
        by_turns=U(by_turns),
    )
