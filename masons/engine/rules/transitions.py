"""Moves and chance events, applied to a state.

No function here checks that a move is legal; `legal_moves` lists the legal moves. A state waits
either for a move (PHASE_WALL, TOWERS, HOUSES, MERGE, SCORE, SWAP, FINAL) or for chance (PHASE_ROLL
for the dice, PHASE_DRAW for a card). The caller supplies the dice and the cards.

A state enters PHASE_TOWERS and PHASE_HOUSES even if there is only one outcome. A single outcome is
not a decision, so callers play it with `skip_forced`.
"""

from __future__ import annotations

import numpy as np

from masons.engine.board.packed_board import LINE_PLACES, LINE_SPACES
from masons.engine.kernels.bits import U, lowest, opaque, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, inlined, inner
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.rules import turns
from masons.engine.rules.cities_and_palaces import new_city
from masons.engine.rules.placement import line_ends, place_houses, place_towers, put_wall
from masons.engine.rules.roll_outcomes import (
    FACES,
    FIRST_END,
    HOUSE_STEPS,
    SECOND_END,
    TOWER_STEPS,
    house_outcomes,
    tower_outcomes,
)
from masons.engine.rules.scoring import score_cards
from masons.engine.state import layout


@inlined
def empty_ends(label_1: Word, label_2: Word) -> Word:
    """Return the set of ends of a line that have no tower.

    The set is FIRST_END, SECOND_END, their sum or 0. The arguments are the labels of the two ends.
    """
    return opaque(FIRST_END * U(label_1 == layout.NONE) + SECOND_END * U(label_2 == layout.NONE))


@inlined
def ends_without(state: Words, board: Words, line: Word) -> Word:
    """Return the set of ends of a line that have no tower: FIRST_END, SECOND_END, the sum or 0."""
    b = bytes_of(state)
    first, second = line_ends(board, line)
    return empty_ends(U(b[layout.LABELS_BYTE + first]), U(b[layout.LABELS_BYTE + second]))


@inlined
def towers_due(state: Words, board: Words, die: Word) -> Word:
    """Return the distinct outcomes of the tower die for this turn's wall."""
    return tower_outcomes(
        state[layout.TOWER_SUPPLY], die, ends_without(state, board, U(bytes_of(state)[layout.LINE]))
    )


@inlined
def two_spaces(board: Words, line: Word) -> Word:
    """Return 1 if a line has a space on both sides, 0 if it lies on the edge of the board."""
    return U(bytes_of(board)[LINE_PLACES + U(8) * line + U(6)])


@inlined
def houses_due(state: Words, board: Words, dice: Word) -> Word:
    """Return the distinct outcomes of the house dice for this turn's wall.

    `dice` encodes the house dice as 6 * first + second.
    """
    line = U(bytes_of(state)[layout.LINE])
    return house_outcomes(state[layout.HOUSE_SUPPLY], dice, two_spaces(board, line))


@inner
def dice_rolled(state: Words) -> Word:
    """Return the house dice of this turn, encoded as 6 * first + second."""
    b = bytes_of(state)
    return FACES * U(b[layout.DICE]) + U(b[layout.DICE + U(1)])


@inner
def throw_dice(state: Words, board: Words, die: Word, die_1: Word, die_2: Word) -> bool:
    """Store the dice rolled, and return whether the tower die counts.

    If both ends of this turn's wall have towers, the tower die is ignored, PHASE_HOUSES begins, and
    the result is False. Otherwise, PHASE_TOWERS begins.
    """
    b = bytes_of(state)
    is_rolled = ends_without(state, board, U(b[layout.LINE])) != U(0)
    b[layout.DIE] = die if is_rolled else layout.NONE
    b[layout.DICE] = die_1
    b[layout.DICE + U(1)] = die_2
    b[layout.PHASE] = layout.PHASE_TOWERS if is_rolled else layout.PHASE_HOUSES
    return is_rolled


@inner
def skip_forced(state: Words, board: Words) -> None:
    """Place towers and houses for which there is only one outcome."""
    b = bytes_of(state)
    if b[layout.PHASE] == layout.PHASE_TOWERS:
        outcomes = towers_due(state, board, U(b[layout.DIE]))
        if popcount(outcomes) != U(1):
            return
        place_towers(state, board, U(b[layout.LINE]), TOWER_STEPS[lowest(outcomes)], True)
        b[layout.PHASE] = layout.PHASE_HOUSES
    if b[layout.PHASE] == layout.PHASE_HOUSES:
        outcomes = houses_due(state, board, dice_rolled(state))
        if popcount(outcomes) == U(1):
            place_houses(state, board, U(b[layout.LINE]), HOUSE_STEPS[lowest(outcomes)])
            turns.finish_building(state, board)


@inner
def _early_roll(state: Words) -> None:
    """Make SEAT pay one point for an early roll; scores never fall below 0."""
    b = bytes_of(state)
    if turns.score_of(state, U(b[layout.SEAT])) != U(0):
        state[layout.SCORES] -= U(1) << (turns.SCORE_BITS * U(b[layout.SEAT]))
    b[layout.ROLLED] = U(1)


@inner
def _outcome_of(board: Words, at: Word, move: Word) -> Word:
    """Return the code of the outcome that a TOWERS or HOUSES move chooses.

    Byte `at` of the board names the first place.
    """
    color_1, color_2 = (move >> U(16)) & U(7), (move >> U(19)) & U(7)
    if move & U(255) == U(bytes_of(board)[at]):
        return (color_1 << U(3)) | color_2
    return (layout.NO_COLOR << U(3)) | color_1


@inner
def apply_legal(state: Words, board: Words, move: Word) -> None:
    """Play one legal move, without calling `skip_forced` afterwards."""
    b = bytes_of(state)
    kind = move >> layout.KIND_SHIFT
    if kind == layout.WALL_MOVE:
        put_wall(state, board, move & U(255), True)
        b[layout.PHASE] = layout.PHASE_ROLL
    elif kind == layout.TOWERS_MOVE:
        line = U(b[layout.LINE])
        code = _outcome_of(board, LINE_PLACES + U(8) * line, move)
        place_towers(state, board, line, TOWER_STEPS[code], True)
        b[layout.PHASE] = layout.PHASE_HOUSES
    elif kind == layout.HOUSES_MOVE:
        line = U(b[layout.LINE])
        code = _outcome_of(board, LINE_SPACES + U(2) * line, move)
        place_houses(state, board, line, HOUSE_STEPS[code])
        turns.finish_building(state, board)
    elif kind == layout.MERGE_MOVE:
        turns.finish_merge(state, board, new_city(state, board), move & U(255))
    elif kind == layout.PLAY_MOVE:
        turns.play_cards(state, move & U(31), (move >> U(5)) & U(31))
    elif kind == layout.ABSTAIN_MOVE:
        turns.abstain(state, move & U(31))
    elif kind == layout.SWAP_MOVE:
        turns.swap_cards(state, move & ~(U(15) << layout.KIND_SHIFT))
    elif kind == layout.FINAL_MOVE:
        first, second = move & U(31), (move >> U(5)) & U(31)
        turns.final_cards(state, board, first, second, (move >> U(10)) & U(255))
    elif kind == layout.EXCHANGE_MOVE:
        turns.exchange_card(state, move & U(31))
    elif kind == layout.EARLY_ROLL_MOVE:
        _early_roll(state)


@kernel
def apply_move(state: Words, board: Words, move: Word | np.uint64) -> None:
    """Play one legal move on `state` (uint64[STATE_WORDS], modified in place)."""
    apply_legal(state, board, U(move))


@kernel
def refresh_values(state: Words, board: Words) -> None:
    """Fill VALUES in `state` with the points of each card for the city just completed.

    `state` is modified in place.
    """
    score_cards(state, board, U(bytes_of(state)[layout.CITY]))


@kernel
def give_roll(state: Words, board: Words, die: Word, die_1: Word, die_2: Word) -> None:
    """Store a roll in `state`, which is modified in place.

    `die` is 255 if the tower die is not rolled, and is ignored if both ends of this turn's wall
    have towers.
    """
    throw_dice(state, board, die, die_1, die_2)


@kernel
def give_card(state: Words, kind: Word) -> None:
    """Let SEAT draw a card of a kind that is in the deck.

    `state` is modified in place.
    """
    turns.draw_card(state, turns.card_of(state[layout.DECK], kind))
