"""The dice and what they put on the board: towers, then houses (rules, 3.2 to 3.4)."""

from __future__ import annotations

from masons.engine.board.packed_board import LINE_PLACES
from masons.engine.kernels.bits import U, lowest, opaque, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, inlined, inner
from masons.engine.rules.placement import line_ends, place_houses, place_towers
from masons.engine.rules.roll_outcomes import (
    FACES,
    FIRST_END,
    HOUSE_STEPS,
    SECOND_END,
    TOWER_STEPS,
    house_outcomes,
    tower_outcomes,
)
from masons.engine.rules.turns import finish_building
from masons.engine.state.layout import (
    DICE,
    DIE,
    HOUSE_SUPPLY,
    LABELS_BYTE,
    LINE,
    NONE,
    PHASE,
    PHASE_HOUSES,
    PHASE_TOWERS,
    TOWER_SUPPLY,
)


@inlined
def empty_ends(label_1: Word, label_2: Word) -> Word:
    """Return which ends have no tower, by their labels: FIRST_END, SECOND_END or both added."""
    return opaque(FIRST_END * U(label_1 == NONE) + SECOND_END * U(label_2 == NONE))


@inlined
def ends_without(state: Words, board: Words, line: Word) -> Word:
    """The ends of a line that have no tower: FIRST_END, SECOND_END or both added."""
    b = bytes_of(state)
    first, second = line_ends(board, line)
    return empty_ends(U(b[LABELS_BYTE + first]), U(b[LABELS_BYTE + second]))


@inlined
def towers_due(state: Words, board: Words, die: Word) -> Word:
    """The distinct outcomes of the tower die for this turn's wall."""
    return tower_outcomes(
        state[TOWER_SUPPLY], die, ends_without(state, board, U(bytes_of(state)[LINE]))
    )


@inlined
def two_spaces(board: Words, line: Word) -> Word:
    """1 where a line has two spaces beside it, 0 on the edge."""
    return U(bytes_of(board)[LINE_PLACES + U(8) * line + U(6)])


@inlined
def houses_due(state: Words, board: Words, dice: Word) -> Word:
    """The distinct outcomes of the house dice (6 * the one + the other) for this turn's wall."""
    line = U(bytes_of(state)[LINE])
    return house_outcomes(state[HOUSE_SUPPLY], dice, two_spaces(board, line))


@inner
def dice_rolled(state: Words) -> Word:
    """The house dice of this turn: 6 * the one + the other."""
    b = bytes_of(state)
    return FACES * U(b[DICE]) + U(b[DICE + U(1)])


@inner
def roll_dice(state: Words, board: Words, die: Word, die_1: Word, die_2: Word) -> None:
    """The dice have fallen; `die` is NONE where the tower die is not rolled."""
    b = bytes_of(state)
    b[DIE] = die
    b[DICE] = die_1
    b[DICE + U(1)] = die_2
    b[PHASE] = (
        PHASE_TOWERS if ends_without(state, board, U(bytes_of(state)[LINE])) else PHASE_HOUSES
    )


@inner
def throw_dice(state: Words, board: Words, die: Word, die_1: Word, die_2: Word) -> bool:
    """The dice have fallen; whether the tower die counts: not where both ends have towers."""
    is_rolled = ends_without(state, board, U(bytes_of(state)[LINE])) != U(0)
    roll_dice(state, board, die if is_rolled else NONE, die_1, die_2)
    return is_rolled


@inner
def skip_forced(state: Words, board: Words) -> None:
    """Play on towers and houses that leave no choice."""
    b = bytes_of(state)
    if b[PHASE] == PHASE_TOWERS:
        outcomes = towers_due(state, board, U(b[DIE]))
        if popcount(outcomes) != U(1):
            return
        place_towers(state, board, U(b[LINE]), TOWER_STEPS[lowest(outcomes)], True)
        b[PHASE] = PHASE_HOUSES
    if b[PHASE] == PHASE_HOUSES:
        outcomes = houses_due(state, board, dice_rolled(state))
        if popcount(outcomes) == U(1):
            place_houses(state, board, U(b[LINE]), HOUSE_STEPS[lowest(outcomes)])
            finish_building(state, board)
