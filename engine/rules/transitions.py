"""What each move and each chance event does to a state (rules, 3 to 7).

Nothing here checks that a move is legal: `legal_moves` lists the legal ones. A state waits either
for a move (PHASE_WALL, TOWERS, HOUSES, MERGE, SCORE, SWAP, FINAL) or for chance (PHASE_ROLL: the
dice, PHASE_DRAW: a card), so the dice and cards can come from anywhere.

TOWERS and HOUSES are passed through even where there is only one outcome; `dice.skip_forced`
plays those on, because they are no decisions (rules, 8).
"""

from __future__ import annotations

import numpy as np

from masons.engine.board.packed_board import LINE_PLACES, LINE_SPACES
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Word, WordArray, Words, bytes_of, inner, kernel, ptr
from masons.engine.rules.cards import (
    abstain,
    card_of,
    draw_card,
    exchange_card,
    final_cards,
    play_cards,
    swap_cards,
)
from masons.engine.rules.cities_and_palaces import new_city
from masons.engine.rules.dice import roll_dice
from masons.engine.rules.placement import place_houses, place_towers, put_wall
from masons.engine.rules.roll_outcomes import HOUSE_STEPS, TOWER_STEPS
from masons.engine.rules.scoring import score_cards
from masons.engine.rules.turns import (
    SCORE_BITS,
    finish_building,
    finish_merge,
    score_of,
)
from masons.engine.state.layout import (
    ABSTAIN_MOVE,
    CITY,
    DECK,
    EARLY_ROLL_MOVE,
    EXCHANGE_MOVE,
    FINAL_MOVE,
    HOUSES_MOVE,
    KIND_SHIFT,
    LINE,
    MERGE_MOVE,
    NO_COLOR,
    PHASE,
    PHASE_HOUSES,
    PHASE_ROLL,
    PLAY_MOVE,
    ROLLED,
    SCORES,
    SEAT,
    SWAP_MOVE,
    TOWERS_MOVE,
    WALL_MOVE,
)


@inner
def _early_roll(state: Words) -> None:
    """One point lost, never below 0 (rules, 3)."""
    b = bytes_of(state)
    if score_of(state, U(b[SEAT])) != U(0):
        state[SCORES] -= U(1) << (SCORE_BITS * U(b[SEAT]))
    b[ROLLED] = U(1)


@inner
def _outcome_of(board: Words, at: Word, move: Word) -> Word:
    """The code of what a move puts at the first and second place (the first read at byte `at`)."""
    color_1, color_2 = (move >> U(16)) & U(7), (move >> U(19)) & U(7)
    if move & U(255) == U(bytes_of(board)[at]):
        return (color_1 << U(3)) | color_2
    return (NO_COLOR << U(3)) | color_1


@inner
def apply_legal(state: Words, board: Words, move: Word) -> None:
    """Play one legal move; no forced outcome is played on."""
    b = bytes_of(state)
    kind = move >> KIND_SHIFT
    if kind == WALL_MOVE:
        put_wall(state, board, move & U(255), True)
        b[PHASE] = PHASE_ROLL
    elif kind == TOWERS_MOVE:
        line = U(b[LINE])
        code = _outcome_of(board, LINE_PLACES + U(8) * line, move)
        place_towers(state, board, line, TOWER_STEPS[code], True)
        b[PHASE] = PHASE_HOUSES
    elif kind == HOUSES_MOVE:
        line = U(b[LINE])
        code = _outcome_of(board, LINE_SPACES + U(2) * line, move)
        place_houses(state, board, line, HOUSE_STEPS[code])
        finish_building(state, board)
    elif kind == MERGE_MOVE:
        finish_merge(state, board, new_city(state, board), move & U(255))
    elif kind == PLAY_MOVE:
        play_cards(state, move & U(31), (move >> U(5)) & U(31))
    elif kind == ABSTAIN_MOVE:
        abstain(state, move & U(31))
    elif kind == SWAP_MOVE:
        swap_cards(state, move & ~(U(15) << KIND_SHIFT))
    elif kind == FINAL_MOVE:
        first, second = move & U(31), (move >> U(5)) & U(31)
        final_cards(state, board, first, second, (move >> U(10)) & U(255))
    elif kind == EXCHANGE_MOVE:
        exchange_card(state, move & U(31))
    elif kind == EARLY_ROLL_MOVE:
        _early_roll(state)


@kernel
def apply_move(state: WordArray, board: WordArray, move: Word | np.uint64) -> None:
    """Play one legal move on `state` (uint64[STATE_WORDS], modified in place)."""
    apply_legal(ptr(state), ptr(board), U(move))


@kernel
def refresh_values(state: WordArray, board: WordArray) -> None:
    """Work out what each card scores for the just-completed city (`state` modified in place)."""
    s = ptr(state)
    score_cards(s, ptr(board), U(bytes_of(s)[CITY]))


@kernel
def give_roll(state: WordArray, board: WordArray, die: Word, die_1: Word, die_2: Word) -> None:
    """Let the dice fall (`state` modified in place); `die` 255: the tower die is not rolled."""
    roll_dice(ptr(state), ptr(board), U(die), U(die_1), U(die_2))


@kernel
def give_card(state: WordArray, kind: Word) -> None:
    """Let SEAT draw a card of a kind that the deck has (`state` modified in place)."""
    s = ptr(state)
    draw_card(s, card_of(s[DECK], U(kind)))
