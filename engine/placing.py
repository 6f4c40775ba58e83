"""The dice and what they put on the board: towers, then houses (rules, 3.2 to 3.4)."""

from __future__ import annotations

from masons.engine.bits import U, lowest, opaque, popcount
from masons.engine.build import (
    join_component,
    line_ends,
    put_house,
    put_tower,
    start_component,
)
from masons.engine.jit import Word, Words, bytes_of, inlined, inner
from masons.engine.layout import (
    DICE,
    DIE,
    HOUSE_SUPPLY,
    LABELS_BYTE,
    LINE,
    NO_COLOR,
    NONE,
    PHASE,
    PHASE_HOUSES,
    PHASE_TOWERS,
    TOWER_SUPPLY,
)
from masons.engine.outcomes import (
    BOTH_ENDS,
    FIRST_END,
    SECOND_END,
    house_outcomes,
    tower_outcomes,
)
from masons.engine.topology import LINE_SPACES
from masons.engine.turns import (
    finish_building,
)


@inlined
def ends_without(state: Words, board: Words) -> Word:
    """The ends of this turn's wall that have no tower: FIRST_END, SECOND_END or both added."""
    b = bytes_of(state)
    first, second = line_ends(board, U(b[LINE]))
    no_first, no_second = b[LABELS_BYTE + first] == NONE, b[LABELS_BYTE + second] == NONE
    return opaque(FIRST_END * U(no_first) + SECOND_END * U(no_second))


@inner
def empty_ends(state: Words, board: Words) -> tuple[bool, bool]:
    """Whether the first and the second end of this turn's wall have no tower."""
    empty = ends_without(state, board)
    return empty & FIRST_END != U(0), empty & SECOND_END != U(0)


@inlined
def towers_due(state: Words, board: Words, die: Word) -> Word:
    """The distinct outcomes of the tower die for this turn's wall, which has an empty end."""
    return tower_outcomes(state[TOWER_SUPPLY], die, ends_without(state, board))


@inlined
def houses_due(state: Words, board: Words, die_1: Word, die_2: Word) -> Word:
    """The distinct outcomes of the house dice for this turn's wall."""
    second = bytes_of(board)[LINE_SPACES + U(2) * U(bytes_of(state)[LINE]) + U(1)]
    return house_outcomes(state[HOUSE_SUPPLY], die_1, die_2, second != NONE)


@inlined
def place_towers(state: Words, board: Words, color_1: Word, color_2: Word) -> None:
    """Put towers at the ends of this turn's wall (NO_COLOR: none there, but one at least)."""
    first, second = line_ends(board, U(bytes_of(state)[LINE]))
    if ends_without(state, board) == BOTH_ENDS and max(color_1, color_2) != NO_COLOR:
        put_tower(state, board, first, color_1)
        put_tower(state, board, second, color_2)
        start_component(state, first, second)
        return
    # Which end it is is random: arithmetic instead of a branch.
    swap = (first ^ second) & opaque(U(color_1 != NO_COLOR) - U(1))
    tower, other = first ^ swap, second ^ swap
    put_tower(state, board, tower, min(color_1, color_2))
    join_component(state, board, tower, other)


@inlined
def place_houses(state: Words, board: Words, color_1: Word, color_2: Word) -> None:
    """Put houses beside this turn's wall (NO_COLOR: none there)."""
    at = LINE_SPACES + U(2) * U(bytes_of(state)[LINE])
    if color_1 != NO_COLOR:
        put_house(state, board, U(bytes_of(board)[at]), color_1)
    if color_2 != NO_COLOR:
        put_house(state, board, U(bytes_of(board)[at + U(1)]), color_2)


@inner
def roll_dice(state: Words, board: Words, die: Word, die_1: Word, die_2: Word) -> None:
    """The dice have fallen; `die` is NONE where the tower die is not rolled."""
    b = bytes_of(state)
    b[DIE] = die
    b[DICE] = die_1
    b[DICE + U(1)] = die_2
    b[PHASE] = PHASE_TOWERS if ends_without(state, board) else PHASE_HOUSES


@inner
def skip_forced(state: Words, board: Words) -> None:
    """Play on towers and houses that leave no choice."""
    b = bytes_of(state)
    if b[PHASE] == PHASE_TOWERS:
        outcomes = towers_due(state, board, U(b[DIE]))
        if popcount(outcomes) != U(1):
            return
        at = lowest(outcomes)
        place_towers(state, board, at >> U(3), at & U(7))
        b[PHASE] = PHASE_HOUSES
    if b[PHASE] == PHASE_HOUSES:
        outcomes = houses_due(state, board, U(b[DICE]), U(b[DICE + U(1)]))
        if popcount(outcomes) == U(1):
            at = lowest(outcomes)
            place_houses(state, board, at >> U(3), at & U(7))
            finish_building(state, board)
