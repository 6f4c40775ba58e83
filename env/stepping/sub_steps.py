"""What an action does: steps of a decision, and what follows them (see `action_numbers`)."""

from __future__ import annotations

from masons.engine.board.packed_board import LINE_COUNT, LINE_PLACES, LINE_SPACES
from masons.engine.kernels.bits import U, high_product, lowest, nth_item, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, inner, offset
from masons.engine.kernels.rng import next_word
from masons.engine.playouts.random_rolls import roll_random
from masons.engine.rules.cards import card_of, draw_card
from masons.engine.rules.dice import skip_forced
from masons.engine.rules.legal_moves import placing_move
from masons.engine.rules.transitions import apply_legal
from masons.engine.state.layout import (
    ABSTAIN_MOVE,
    DECK,
    EARLY_ROLL_MOVE,
    FINAL_MOVE,
    HOUSES_MOVE,
    KIND_SHIFT,
    LINE,
    MERGE_MOVE,
    NO_CARD,
    NO_COLOR,
    NONE,
    PHASE,
    PHASE_DRAW,
    PHASE_HOUSES,
    PHASE_MERGE,
    PHASE_ROLL,
    PHASE_SCORE,
    PHASE_SWAP,
    PHASE_TOWERS,
    PHASE_WALL,
    PLAY_MOVE,
    SWAP_MOVE,
    TOWERS_MOVE,
    WALL_MOVE,
)
from masons.env.stepping.action_numbers import (
    DISCARDS,
    EARLY_ROLL_ACTION,
    HOUSES_ACTION,
    NOTHING,
    PLAYS,
    TOWERS_ACTION,
    others_at,
)
from masons.env.stepping.env_row import (
    BEGUN,
    CHOSEN,
    FIRST,
    RNG,
    SECOND,
    STAGE,
)
from masons.env.stepping.hand_odds import Past, note_past
from masons.env.stepping.legal_actions import list_actions, nth_action


@inner
def clear_choice(row: Words) -> None:
    """Nothing is chosen yet in the decision that is due."""
    b = bytes_of(row)
    b[STAGE] = U(0)
    b[BEGUN] = U(0)
    b[FIRST] = NO_CARD
    b[SECOND] = NO_CARD
    row[CHOSEN] = U(0)


@inner
def _choose_card(row: Words, kind: Word) -> Word:
    """Put a card with those chosen; no move yet (0)."""
    b = bytes_of(row)
    b[FIRST] = kind
    b[STAGE] = U(b[STAGE]) + U(1)
    row[CHOSEN] += U(1) << (U(2) * kind)
    return U(0)


@inner
def _placing(row: Words, board: Words, other: Word, colors_at: Word) -> Word:
    """What an action puts at the place that is due; the move, 0 where one place is left."""
    b = bytes_of(row)
    color = NO_COLOR if other == NOTHING else other - colors_at
    if b[STAGE] == U(0):
        b[STAGE] = U(1)
        b[FIRST] = color
        return U(0)
    outcome = (U(b[FIRST]) << U(3)) | color
    line = U(b[LINE])
    if colors_at == TOWERS_ACTION:
        return placing_move(board, TOWERS_MOVE, LINE_PLACES + U(8) * line, outcome)
    return placing_move(board, HOUSES_MOVE, LINE_SPACES + U(2) * line, outcome)


@inner
def _scored(row: Words, other: Word) -> Word:
    b = bytes_of(row)
    if b[STAGE]:
        second = NO_CARD if other == NOTHING else other - PLAYS
        return (PLAY_MOVE << KIND_SHIFT) | U(b[FIRST]) | (second << U(5))
    if other >= DISCARDS:
        return (ABSTAIN_MOVE << KIND_SHIFT) | (other - DISCARDS)
    return _choose_card(row, other - PLAYS)


@inner
def _swapped(row: Words, other: Word) -> Word:
    if other == NOTHING:
        return (SWAP_MOVE << KIND_SHIFT) | row[CHOSEN]
    return _choose_card(row, other - DISCARDS)


@inner
def _ended(row: Words, city: Word, other: Word) -> Word:
    """An action of the final scoring: pass or a card, a second one or none, the city."""
    b = bytes_of(row)
    if b[STAGE] == U(0):
        if other == NOTHING:
            passing = NO_CARD | (NO_CARD << U(5)) | (NONE << U(10))
            return (FINAL_MOVE << KIND_SHIFT) | passing
        return _choose_card(row, other - PLAYS)
    if b[STAGE] == U(1):
        b[STAGE] = U(2)
        if other != NOTHING:
            b[SECOND] = other - PLAYS
            row[CHOSEN] += U(1) << (U(2) * (other - PLAYS))
        return U(0)
    cards = U(b[FIRST]) | (U(b[SECOND]) << U(5))
    return (FINAL_MOVE << KIND_SHIFT) | cards | (city << U(10))


@inner
def _move_of(row: Words, board: Words, action: Word) -> Word:
    """Note an action; the move that is complete with it, 0 where more is to be chosen."""
    phase = U(bytes_of(row)[PHASE])
    # Of a line or a city it is a huge number, of no meaning.
    other = action - others_at(board)
    city = NONE if other == NOTHING else action - board[LINE_COUNT]
    if phase == PHASE_WALL:
        if other == EARLY_ROLL_ACTION:
            return EARLY_ROLL_MOVE << KIND_SHIFT
        return (WALL_MOVE << KIND_SHIFT) | action
    if phase == PHASE_TOWERS:
        return _placing(row, board, other, TOWERS_ACTION)
    if phase == PHASE_HOUSES:
        return _placing(row, board, other, HOUSES_ACTION)
    if phase == PHASE_MERGE:
        return (MERGE_MOVE << KIND_SHIFT) | city
    if phase == PHASE_SCORE:
        return _scored(row, other)
    if phase == PHASE_SWAP:
        return _swapped(row, other)
    return _ended(row, city, other)


@inner
def _draw(row: Words, rng: Words) -> None:
    """Give SEAT a card of the deck, all as likely; of two of a kind the first copy."""
    deck = row[DECK]
    card = nth_item(deck, high_product(next_word(rng), popcount(deck)))
    draw_card(row, card_of(deck, lowest(card) >> U(1)))


@inner
def settle_row(row: Words, board: Words) -> None:
    """Let chance and forced placings have their way, up to a decision or the game's end."""
    b = bytes_of(row)
    rng = offset(row, RNG)
    while True:
        skip_forced(row, board)
        if b[PHASE] == PHASE_ROLL:
            roll_random(row, board, rng)
        elif b[PHASE] == PHASE_DRAW:
            _draw(row, rng)
        else:
            return


@inner
def note_action(row: Words, board: Words, action: Word, past: Past) -> bool:
    """Make a legal action without what chance adds; whether it completes a decision."""
    move = _move_of(row, board, action)
    if move == U(0):
        return False
    note_past(row, board, move, past)
    clear_choice(row)
    apply_legal(row, board, move)
    return True


@inner
def note_choice(row: Words, board: Words, action: Word, past: Past) -> bool:
    """`note_action` of an action that was chosen."""
    is_whole = note_action(row, board, action, past)
    if not is_whole:
        bytes_of(row)[BEGUN] = U(1)
    return is_whole


@inner
def is_forced(row: Words, count: Word) -> bool:
    """Whether the step that is due, with so many legal actions, is made at once."""
    b = bytes_of(row)
    phase = U(b[PHASE])
    placing = PHASE_TOWERS <= phase <= PHASE_HOUSES
    return count == U(1) and (b[STAGE] != U(0) or placing)


@inner
def go_on(row: Words, board: Words, is_whole: bool, past: Past) -> None:
    """Go on to the next step that leaves a choice, or to the end, and fill LEGAL.

    `is_whole`: no step of a decision was made yet, so that chance and forced placings may be due.
    """
    while True:
        if is_whole:
            settle_row(row, board)
        count = list_actions(row, board)
        if not is_forced(row, count):
            return
        is_whole = note_action(row, board, nth_action(row, U(0)), past)


@inner
def make_action(row: Words, board: Words, action: Word, past: Past) -> None:
    """Make a legal action, and `go_on`."""
    go_on(row, board, note_choice(row, board, action, past), past)
