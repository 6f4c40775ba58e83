"""Rewards of finished games, the value that ranks moves, and immediate rewards of moves."""

from __future__ import annotations

from typing import Final, TypeVar

from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.jit import FloatArray, Floats, Word, Words, bytes_of, inner
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.playouts.random_moves import best_score
from masons.engine.rules.cities_and_palaces import build_palaces
from masons.engine.rules.scoring import points_of, score_cards, score_new_city
from masons.engine.rules.transitions import apply_legal
from masons.engine.rules.turns import score_of, winner_set
from masons.engine.state import layout

# --- rewards
# The reward of a finished game for each seat, and the value by which moves are ranked.


Real = TypeVar("Real", float, FloatArray)

POINT_VALUE: Final = 0.004  # the win probability that one point of score margin is worth


def move_value(win: Real, score: Real, total: Real, players: Word) -> Real:
    """Return a seat's win probability plus a small share of its score margin.

    `total` is the sum of all scores. When the game is practically decided, the margin still
    distinguishes the moves. The function is linear, so it can also be applied to sums over
    simulations. Kernels compile it as `inner(move_value)`.
    """
    return win + POINT_VALUE * (score - (total - score) / float(players - U(1)))


@inner
def fill_rewards(state: Words, rewards: Floats) -> None:
    """Fill `rewards` (float64[4]) for a finished game.

    The winners share 1 equally, and all other seats get 0.
    """
    winners = winner_set(state)
    share = 1.0 / float(popcount(winners))
    for seat in range(U(bytes_of(state)[layout.PLAYERS])):
        rewards[seat] = share if (winners >> seat) & U(1) else 0.0


@inner
def best_points(state: Words, seat: Word) -> Word:
    """Return the most points that a seat can score now with one or two cards.

    The state must contain the points of each kind of card (VALUES).
    """
    first, second = best_score(state, state[layout.HANDS + seat])
    return points_of(state, first, second)


@inner
def city_points(state: Words, board: Words, seat: Word) -> Word:
    """Return the points that a seat could score for the city completed in this turn.

    The result is 0 if this turn completes no city. The content of `state` is lost.
    """
    b = bytes_of(state)
    phase = U(b[layout.PHASE])
    if phase <= layout.PHASE_HOUSES:
        if b[layout.CLOSES] == U(0) or phase < layout.PHASE_ROLL:
            return U(0)
        score_new_city(state, board)
    elif phase == layout.PHASE_MERGE:
        build_palaces(state)
        score_cards(state, board, U(b[layout.CITY]))
    elif phase != layout.PHASE_SCORE:
        return U(0)
    return best_points(state, seat)


@kernel
def immediate_rewards(
    start: Words, board: Words, moves: Words, count: Word, state: Words, rewards: Words
) -> None:
    """Fill `rewards` (uint64[n]) with the immediate points of the first `count` of `moves`.

    `start` is the state before the moves. A move that plays cards brings the points of these cards.
    A move that builds (a wall, towers, houses or a merge) brings points only if the turn's wall
    completes a city: the points of the best one or two cards in hand, on the board after the move.
    `state` (uint64[STATE_WORDS]) is scratch memory.
    """
    seat = U(bytes_of(start)[layout.SEAT])
    before = score_of(start, seat)
    for i in range(count):
        layout.copy_state(state, start)
        apply_legal(state, board, moves[i])
        if moves[i] >> layout.KIND_SHIFT < layout.PLAY_MOVE:
            rewards[i] = city_points(state, board, seat)
        else:
            rewards[i] = score_of(state, seat) - before
