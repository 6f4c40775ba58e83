"""Immediate rewards of moves: the points that the deciding seat could take with its own cards."""

from __future__ import annotations

from typing import Final, TypeVar

from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.jit import (
    FloatArray,
    Floats,
    Word,
    WordArray,
    Words,
    bytes_of,
    copy_words,
    inner,
    kernel,
    ptr,
)
from masons.engine.playouts.random_moves import ABSTAINS, best_score
from masons.engine.rules.cities_and_palaces import build_palaces
from masons.engine.rules.scoring import score_cards, score_new_city
from masons.engine.rules.transitions import apply_legal
from masons.engine.rules.turns import score_of, winner_set
from masons.engine.state.layout import (
    CITY,
    CLOSES,
    HANDS,
    KIND_SHIFT,
    NO_CARD,
    PHASE,
    PHASE_HOUSES,
    PHASE_MERGE,
    PHASE_ROLL,
    PHASE_SCORE,
    PLAY_MOVE,
    PLAYERS,
    SEAT,
    STATE_WORDS,
    VALUES_BYTE,
)

# --- rewards
# The reward of a finished playout to each seat, and the value by which moves are ranked.


Real = TypeVar("Real", float, FloatArray)

POINT_VALUE: Final = 0.004  # the win probability that a point of score margin counts for


def move_value(win: Real, score: Real, total: Real, players: Word) -> Real:
    """Return a seat's win probability plus a small share of its margin; `total`: all scores.

    The margin distinguishes moves when the game is practically decided. Being linear, it works on
    sums over simulations too. Kernels compile it (`inner(move_value)`).
    """
    return win + POINT_VALUE * (score - (total - score) / float(players - U(1)))


@inner
def fill_rewards(state: Words, rewards: Floats) -> None:
    """Fill `rewards` (float64[4]) for a game that is over: the winners get equal parts of 1."""
    winners = winner_set(state)
    share = 1.0 / float(popcount(winners))
    for seat in range(U(bytes_of(state)[PLAYERS])):
        rewards[seat] = share if (winners >> seat) & U(1) else 0.0


_STATE = U(STATE_WORDS)


@inner
def best_points(state: Words, seat: Word) -> Word:
    """Return the most that a seat's hand can score with one or two cards by VALUES."""
    b = bytes_of(state)
    first, second = best_score(state, state[HANDS + seat])
    if second == ABSTAINS:
        return U(0)
    points = U(b[VALUES_BYTE + first])
    if second != NO_CARD:
        points += U(b[VALUES_BYTE + second])
    return points


@inner
def city_points(state: Words, board: Words, seat: Word) -> Word:
    """Return the points a seat could score if this turn's wall completes a city, else 0."""
    b = bytes_of(state)
    phase = U(b[PHASE])
    if phase <= PHASE_HOUSES:
        if b[CLOSES] == U(0) or phase < PHASE_ROLL:
            return U(0)
        score_new_city(state, board)
    elif phase == PHASE_MERGE:
        build_palaces(state)
        score_cards(state, board, U(b[CITY]))
    elif phase != PHASE_SCORE:
        return U(0)
    return best_points(state, seat)


@kernel
def immediate_rewards(
    start: WordArray, board: WordArray, moves: WordArray, state: WordArray, rewards: WordArray
) -> None:
    """Fill `rewards` with what each of `moves` (uint64[n]) brings the deciding seat at once.

    Cards played: their points. Building: the best one or two cards of the hand, if the wall
    completes a city, as the board then is. `state` (uint64[STATE_WORDS]) is workspace.
    """
    begin, table, s = ptr(start), ptr(board), ptr(state)
    seat = U(bytes_of(begin)[SEAT])
    before = score_of(begin, seat)
    for i in range(len(moves)):
        copy_words(s, begin, _STATE)
        apply_legal(s, table, moves[i])
        if moves[i] >> KIND_SHIFT < PLAY_MOVE:
            rewards[i] = city_points(s, table, seat)
        else:
            rewards[i] = score_of(s, seat) - before
