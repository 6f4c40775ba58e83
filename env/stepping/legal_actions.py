"""The legal actions of the step that is due, as a set (see `action_numbers`)."""

from __future__ import annotations

from masons.engine.board.packed_board import LINE_COUNT, SPACE_COUNT
from masons.engine.kernels.bits import U, lowest, nth_item, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, halves_of, inner
from masons.engine.rules.cards import card_of
from masons.engine.rules.cities_and_palaces import new_city
from masons.engine.rules.dice import dice_rolled, houses_due, towers_due
from masons.engine.rules.legal_moves import kinds_of
from masons.engine.rules.scoring import score_cards
from masons.engine.state.layout import (
    CITIES,
    DIE,
    EARLY_ROLL_OPTION,
    HANDS,
    IS_CITY,
    NO_CARD,
    NO_COLOR,
    OPEN,
    OPTIONS,
    PHASE,
    PHASE_FINAL,
    PHASE_HOUSES,
    PHASE_MERGE,
    PHASE_OVER,
    PHASE_SCORE,
    PHASE_SWAP,
    PHASE_TOWERS,
    PHASE_WALL,
    ROLLED,
    SEAT,
    SPACES_HALF,
    VALUES,
    VALUES_BYTE,
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
    CHOSEN,
    FIRST,
    LEGAL,
    LEGAL_WORDS,
    SECOND,
    STAGE,
)

_LEGAL_WORDS = U(LEGAL_WORDS)
_ROW = U(255)  # of a grid of outcomes
_CHOSEN_BITS = U(3)


@inner
def _put(row: Words, at: Word, actions: Word) -> None:
    """Make a word of actions from number `at` on legal."""
    word, shift = LEGAL + (at >> U(6)), at & U(63)
    row[word] |= actions << shift
    if shift:
        row[word + U(1)] |= actions >> (U(64) - shift)


@inner
def _dense(kinds: Word) -> Word:
    """A set of kinds by their first copies (every other bit) as a set of kinds."""
    x = kinds
    x = (x | (x >> U(1))) & U(0x3333333333333333)
    x = (x | (x >> U(2))) & U(0x0F0F0F0F0F0F0F0F)
    x = (x | (x >> U(4))) & U(0x00FF00FF00FF00FF)
    x = (x | (x >> U(8))) & U(0x0000FFFF0000FFFF)
    return (x | (x >> U(16))) & U(0xFFFFFFFF)


@inner
def _kinds_left(row: Words) -> Word:
    """The kinds that may be chosen now: in hand beside those chosen, from the last of them on."""
    b = bytes_of(row)
    left = row[HANDS + U(b[SEAT])]
    chosen = row[CHOSEN]
    while chosen:
        kind = lowest(chosen) >> U(1)
        for _ in range((chosen >> (U(2) * kind)) & _CHOSEN_BITS):
            left ^= card_of(left, kind)
        chosen &= ~(_CHOSEN_BITS << (U(2) * kind))
    kinds = kinds_of(left)
    if b[FIRST] != NO_CARD:
        kinds &= ~((U(1) << (U(2) * U(b[FIRST]))) - U(1))
    return _dense(kinds)


@inner
def _put_colors(row: Words, board: Words, outcomes: Word, colors_at: Word) -> None:
    """The colours that may go to the place that is due, out of a grid of outcomes."""
    b = bytes_of(row)
    found = U(0)
    if b[STAGE]:
        found = (outcomes >> (U(8) * U(b[FIRST]))) & _ROW
    else:
        for color in range(U(8)):
            found |= U((outcomes >> (U(8) * color)) & _ROW != U(0)) << color
    at = others_at(board)
    _put(row, at + NOTHING, found >> NO_COLOR)
    _put(row, at + colors_at, found & ~(U(1) << NO_COLOR))


@inner
def chosen_points(row: Words, board: Words, root: Word) -> Word:
    """What the cards of a final scoring score for the city of `root` (VALUES are overwritten)."""
    b = bytes_of(row)
    score_cards(row, board, root)
    total = U(b[VALUES_BYTE + U(b[FIRST])])
    if b[SECOND] != NO_CARD:
        total += U(b[VALUES_BYTE + U(b[SECOND])])
    return total


@inner
def is_root(row: Words, space: Word) -> bool:
    """Whether a space is the lowest of a completed city."""
    return U(halves_of(row)[SPACES_HALF + space]) & IS_CITY != U(0)


@inner
def _put_cities(row: Words, board: Words) -> None:
    """Of the cities for which the cards score the same, the lowest; nothing where there is none."""
    if row[CITIES] == U(0):
        _put(row, others_at(board) + NOTHING, U(1))
        return
    kept = row[VALUES], row[VALUES + U(1)], row[VALUES + U(2)], row[VALUES + U(3)]
    totals_lo = totals_hi = U(0)
    for space in range(board[SPACE_COUNT]):
        if not is_root(row, space):
            continue
        total = chosen_points(row, board, space)
        bit = U(1) << (total & U(63))
        if total < U(64):
            is_new = totals_lo & bit == U(0)
            totals_lo |= bit
        else:
            is_new = totals_hi & bit == U(0)
            totals_hi |= bit
        if is_new:
            _put(row, board[LINE_COUNT] + space, U(1))
    row[VALUES], row[VALUES + U(1)], row[VALUES + U(2)], row[VALUES + U(3)] = kept


@inner
def _put_merges(row: Words, board: Words) -> None:
    city = new_city(row, board)
    _put(row, board[LINE_COUNT], city.beside_lo)
    _put(row, board[LINE_COUNT] + U(64), city.beside_hi)
    _put(row, others_at(board) + NOTHING, U(1))


@inner
def _put_cards(row: Words, board: Words, phase: Word) -> None:
    """A card of a scoring, a swap or the final scoring."""
    b = bytes_of(row)
    at = others_at(board)
    kinds = _kinds_left(row)
    if phase == PHASE_SWAP:
        _put(row, at + DISCARDS, kinds)
    else:
        _put(row, at + PLAYS, kinds)
    if phase == PHASE_SCORE and b[STAGE] == U(0):
        _put(row, at + DISCARDS, kinds)
    else:
        _put(row, at + NOTHING, U(1))


@inner
def list_actions(row: Words, board: Words) -> Word:
    """Fill LEGAL; the number of legal actions, 0 where the game is over."""
    b = bytes_of(row)
    phase = U(b[PHASE])
    for w in range(_LEGAL_WORDS):
        row[LEGAL + w] = U(0)
    if phase == PHASE_WALL:
        for w in range(U(4)):
            row[LEGAL + w] = row[OPEN + w]
        if U(b[OPTIONS]) & EARLY_ROLL_OPTION and b[ROLLED] == U(0):
            _put(row, others_at(board) + EARLY_ROLL_ACTION, U(1))
    elif phase == PHASE_TOWERS:
        _put_colors(row, board, towers_due(row, board, U(b[DIE])), TOWERS_ACTION)
    elif phase == PHASE_HOUSES:
        _put_colors(row, board, houses_due(row, board, dice_rolled(row)), HOUSES_ACTION)
    elif phase == PHASE_MERGE:
        _put_merges(row, board)
    elif phase == PHASE_FINAL and b[STAGE] == U(2):
        _put_cities(row, board)
    elif phase != PHASE_OVER:
        _put_cards(row, board, phase)
    count = U(0)
    for w in range(_LEGAL_WORDS):
        count += popcount(row[LEGAL + w])
    return count


@inner
def is_legal_action(row: Words, action: Word) -> bool:
    """Whether an action, any number, is legal now."""
    word = action >> U(6)
    return word < _LEGAL_WORDS and (row[LEGAL + word] >> (action & U(63))) & U(1) != U(0)


@inner
def nth_action(row: Words, n: Word) -> Word:
    """The n-th legal action (from 0, ascending); there must be more than n."""
    word = U(0)
    count = popcount(row[LEGAL])
    while n >= count:
        n -= count
        word += U(1)
        count = popcount(row[LEGAL + word])
    return (word << U(6)) + lowest(nth_item(row[LEGAL + word], n))
