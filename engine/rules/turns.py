"""Whose turn it is and what is due next: from the houses of one turn to the wall of the next.

After the houses a city may be completed and merged; then all score, those in last place swap, and
the turn passes on; or the game ends with the final scoring (rules, 3.5, 3.6, 5 and 7).
"""

from __future__ import annotations

import numpy as np

from masons.engine.board.packed_board import HOLES
from masons.engine.kernels.bits import U, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, inlined, inner
from masons.engine.rules.cities_and_palaces import (
    NewCity,
    build_palaces,
    complete_city,
    merge_cities,
)
from masons.engine.rules.lines import settle_closing
from masons.engine.rules.scoring import score_city
from masons.engine.state.layout import (
    ACTIVE,
    CITY,
    CLOSES,
    END,
    END_NO_LINE,
    NO_WALL_YET,
    NONE,
    OPEN,
    PHASE,
    PHASE_FINAL,
    PHASE_MERGE,
    PHASE_OVER,
    PHASE_SCORE,
    PHASE_SWAP,
    PHASE_WALL,
    PLAYERS,
    QUEUE,
    ROLLED,
    SCORES,
    SEAT,
    TURN,
    TURN_WORD,
)

SCORE_BITS = U(16)
_SCORE_MASK = U(0xFFFF)
MOST_SEATS = U(4)
# A number of turns times this, by players, is the number of rounds in 65536ths.
_ROUNDS = np.array([0, 65536, 32768, 21846, 16384], dtype=np.uint64)


@inner
def score_of(state: Words, seat: Word) -> Word:
    """A seat's points."""
    return (state[SCORES] >> (SCORE_BITS * seat)) & _SCORE_MASK


@inner
def add_score(state: Words, seat: Word, points: Word) -> None:
    """Give points to a seat."""
    state[SCORES] += points << (SCORE_BITS * seat)


@inner
def clockwise(state: Words, seat: Word) -> Word:
    """The seat to the left of a seat."""
    following = seat + U(1)
    return U(0) if following == U(bytes_of(state)[PLAYERS]) else following


@inner
def _start_final(state: Words) -> None:
    """Begin the final scoring: the active player first (rules, 7)."""
    b = bytes_of(state)
    b[PHASE] = PHASE_FINAL
    b[SEAT] = b[ACTIVE]


@inlined
def pass_turns(state: Words, count: Word) -> None:
    """Pass `count` turns on, all but what this turn's wall left behind (TURN_WORD)."""
    b = bytes_of(state)
    active = U(b[ACTIVE]) + count
    active -= U(b[PLAYERS]) * (active * _ROUNDS[U(b[PLAYERS])] >> U(16))
    b[ACTIVE] = active
    b[SEAT] = active
    b[ROLLED] = U(0) if count else U(b[ROLLED])
    state[TURN] += count


@inner
def end_without_line(state: Words) -> None:
    """At the start of a turn there is no legal line: the game ends (rules, 7)."""
    state[TURN_WORD] = NO_WALL_YET
    bytes_of(state)[END] = END_NO_LINE
    _start_final(state)


@inner
def next_turn(state: Words) -> None:
    """Pass the turn on, or end the game where there is no line left."""
    pass_turns(state, U(1))
    state[TURN_WORD] = NO_WALL_YET
    bytes_of(state)[PHASE] = PHASE_WALL
    if state[OPEN] | state[OPEN + U(1)] | state[OPEN + U(2)] | state[OPEN + U(3)] == U(0):
        end_without_line(state)


@inner
def _start_scoring(state: Words, board: Words, city: NewCity) -> None:
    """Build palaces in the just-completed city; the active player scores first."""
    b = bytes_of(state)
    if board[HOLES]:
        settle_closing(state, board)
    build_palaces(state)
    size = popcount(city.lo) + popcount(city.hi)
    score_city(state, board, U(b[CITY]), size, (city.ends_lo, city.ends_hi))
    b[PHASE] = PHASE_SCORE
    b[SEAT] = b[ACTIVE]


@inlined
def finish_building(state: Words, board: Words) -> NewCity:
    """After the houses: complete the city if there is one, else end the turn (rules, 3.5 and 3.6).

    Where the new city can be merged with none, or there is none, there is no choice.
    """
    b = bytes_of(state)
    if b[CLOSES]:
        return _finish_city(state, board)
    if b[END]:
        _start_final(state)
    else:
        if board[HOLES]:
            settle_closing(state, board)
        next_turn(state)
    return NewCity(U(0), U(0), U(0), U(0), U(0), U(0))


@inlined
def _finish_city(state: Words, board: Words) -> NewCity:
    """Complete the city that this turn's wall encloses."""
    b = bytes_of(state)
    city = complete_city(state, board)
    if city.beside_lo | city.beside_hi:
        b[PHASE] = PHASE_MERGE
        b[SEAT] = b[ACTIVE]
    else:
        _start_scoring(state, board, city)
    return city


@inner
def finish_merge(state: Words, board: Words, city: NewCity, other: Word) -> None:
    """Merge the just-completed city with the one whose lowest space is `other`, or NONE."""
    if other != NONE:
        city = merge_cities(state, board, city, other)
    _start_scoring(state, board, city)


@inner
def last_places(state: Words) -> Word:
    """The set of the seats with the fewest points: they may swap after a scoring (rules, 5)."""
    # Seats that nobody has get the most points there can be.
    nobody = (~U(0) << (SCORE_BITS * U(bytes_of(state)[PLAYERS]) - U(1))) << U(1)
    scores = state[SCORES] | nobody
    least = _SCORE_MASK
    for seat in range(MOST_SEATS):
        least = min(least, (scores >> (SCORE_BITS * seat)) & _SCORE_MASK)
    last = U(0)
    for seat in range(MOST_SEATS):
        last |= U((scores >> (SCORE_BITS * seat)) & _SCORE_MASK == least) << seat
    return last


@inner
def _start_swap(state: Words) -> None:
    """After a scoring all who are last may swap, the active player first."""
    b = bytes_of(state)
    b[QUEUE] = last_places(state)
    b[PHASE] = PHASE_SWAP
    _seek_swapper(state, U(b[ACTIVE]))


@inner
def _seek_swapper(state: Words, seat: Word) -> None:
    """Set SEAT to the first seat from `seat` on, clockwise, that may still swap."""
    b = bytes_of(state)
    while not (U(b[QUEUE]) >> seat) & U(1):
        seat = clockwise(state, seat)
    b[SEAT] = seat


@inner
def draws_done(state: Words) -> None:
    """Go on after the last card of a draw: next to swap, next to score, or the next turn."""
    b = bytes_of(state)
    seat = U(b[SEAT])
    if b[QUEUE]:
        b[QUEUE] = U(b[QUEUE]) & ~(U(1) << seat)
        if b[QUEUE]:
            b[PHASE] = PHASE_SWAP
            _seek_swapper(state, seat)
        else:
            next_turn(state)
        return
    b[SEAT] = clockwise(state, seat)
    b[PHASE] = PHASE_SCORE
    if b[SEAT] == b[ACTIVE]:
        if b[END]:
            b[PHASE] = PHASE_OVER
        else:
            _start_swap(state)
