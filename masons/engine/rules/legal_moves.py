"""The legal moves of a state. Moves that lead to the same position are listed only once."""

from __future__ import annotations

from typing import Final

from masons.engine.board.packed_board import LINE_PLACES, LINE_SPACES, SPACE_COUNT
from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.jit import Word, Words, bytes_of, halves_of, inner
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.rules.cities_and_palaces import new_city
from masons.engine.rules.scoring import score_cards
from masons.engine.rules.transitions import dice_rolled, houses_due, towers_due
from masons.engine.state import layout

# 33 walls can enclose at most 18 cities. In a final decision, a seat can pass, or play one of 30
# single cards or one of 465 pairs for one of the cities.
MAX_CITIES: Final = 18
MAX_MOVES: Final = 1 + (30 + 465) * MAX_CITIES
# The workspace holds a copy of the state and the card values of every city.
WORK_WORDS: Final = layout.STATE_WORDS + 4 * MAX_CITIES

_WORK_VALUES = U(layout.STATE_WORDS)


@inner
def kinds_of(cards: Word) -> Word:
    """Return the kinds in a set of cards, represented by the first copy of each kind."""
    return (cards | (cards >> U(1))) & layout.FIRST_COPIES


@inner
def doubles_of(cards: Word) -> Word:
    """Return the kinds that a set of cards holds twice, represented by their first copies."""
    return cards & (cards >> U(1)) & layout.FIRST_COPIES


@inner
def counts_of(cards: Word) -> Word:
    """Return the number of cards of each kind in a set, as 2-bit counts in one word."""
    return (cards & layout.FIRST_COPIES) + ((cards >> U(1)) & layout.FIRST_COPIES)


@inner
def placing_move(board: Words, kind: Word, at: Word, outcome: Word) -> Word:
    """Return the TOWERS or HOUSES move for an outcome with a given code (see `roll_outcomes`).

    Bytes `at` and `at + 1` of the board name the two places.
    """
    table = bytes_of(board)
    first, second = U(table[at]), U(table[at + U(1)])
    color_1, color_2 = outcome >> U(3), outcome & U(7)
    if color_1 == layout.NO_COLOR:
        first, color_1 = second, color_2
        color_2 = layout.NO_COLOR
    if color_2 == layout.NO_COLOR:
        second = layout.NONE
    places = first | (second << U(8))
    return (kind << layout.KIND_SHIFT) | places | (color_1 << U(16)) | (color_2 << U(19))


@inner
def _list_walls(state: Words, out: Words) -> Word:
    n = U(0)
    for w in range(U(4)):
        lines = state[layout.OPEN + w]
        while lines:
            out[n] = (layout.WALL_MOVE << layout.KIND_SHIFT) | (w << U(6)) | lowest(lines)
            lines &= lines - U(1)
            n += U(1)
    b = bytes_of(state)
    if U(b[layout.OPTIONS]) & layout.EARLY_ROLL_OPTION and b[layout.ROLLED] == U(0):
        out[n] = layout.EARLY_ROLL_MOVE << layout.KIND_SHIFT
        n += U(1)
    return n


@inner
def _list_outcomes(board: Words, kind: Word, at: Word, outcomes: Word, out: Words) -> Word:
    n = U(0)
    while outcomes:
        out[n] = placing_move(board, kind, at, lowest(outcomes))
        outcomes &= outcomes - U(1)
        n += U(1)
    return n


@inner
def _list_merges(state: Words, board: Words, out: Words) -> Word:
    city = new_city(state, board)
    lo, hi = city.beside_lo, city.beside_hi
    n = U(0)
    while lo:
        out[n] = (layout.MERGE_MOVE << layout.KIND_SHIFT) | lowest(lo)
        lo &= lo - U(1)
        n += U(1)
    while hi:
        out[n] = (layout.MERGE_MOVE << layout.KIND_SHIFT) | (U(64) + lowest(hi))
        hi &= hi - U(1)
        n += U(1)
    out[n] = (layout.MERGE_MOVE << layout.KIND_SHIFT) | layout.NONE
    return n + U(1)


@inner
def _list_sets(cards: Word, kind: Word, out: Words, n: Word) -> Word:
    """Append a move of `kind` for each distinct card and each distinct pair; return the new `n`."""
    kinds = kinds_of(cards)
    doubles = doubles_of(cards)
    rest = kinds
    while rest:
        out[n] = (kind << layout.KIND_SHIFT) | (lowest(rest) >> U(1)) | (layout.NO_CARD << U(5))
        rest &= rest - U(1)
        n += U(1)
    while kinds:
        first = lowest(kinds)
        later = kinds if (doubles >> first) & U(1) else kinds & (kinds - U(1))
        kinds &= kinds - U(1)
        while later:
            cards_played = (first >> U(1)) | ((lowest(later) >> U(1)) << U(5))
            out[n] = (kind << layout.KIND_SHIFT) | cards_played
            later &= later - U(1)
            n += U(1)
    return n


@inner
def _list_scores(state: Words, out: Words) -> Word:
    cards = state[layout.HANDS + U(bytes_of(state)[layout.SEAT])]
    n = _list_sets(cards, layout.PLAY_MOVE, out, U(0))
    kinds = kinds_of(cards)
    while kinds:
        out[n] = (layout.ABSTAIN_MOVE << layout.KIND_SHIFT) | (lowest(kinds) >> U(1))
        kinds &= kinds - U(1)
        n += U(1)
    return n


@inner
def _value_cities(state: Words, board: Words, work: Words, roots: Words) -> Word:
    """Fill `work` with the card values of each city, and `roots` with the cities' lowest spaces.

    Returns the number of entries. If there is no city, there is one entry with the root NONE, for
    which city cards score 0.
    """
    layout.copy_state(work, state)
    n = U(0)
    for space in range(board[SPACE_COUNT]):
        if U(halves_of(state)[layout.SPACES_HALF + space]) & layout.IS_CITY:
            roots[n] = space
            n += U(1)
    if n == U(0):
        roots[n] = layout.NONE
        n = U(1)
    for i in range(n):
        score_cards(work, board, roots[i])
        for j in range(U(4)):
            work[_WORK_VALUES + U(4) * i + j] = work[layout.VALUES + j]
    return n


@inner
def add_total(totals: tuple[Word, Word], total: Word) -> tuple[bool, tuple[Word, Word]]:
    """Return whether a total is new in a set of totals from 0 to 127, and the set with it."""
    lo, hi = totals
    bit = U(1) << (total & U(63))
    if total < U(64):
        return lo & bit == U(0), (lo | bit, hi)
    return hi & bit == U(0), (lo, hi | bit)


@inner
def _list_finals(state: Words, board: Words, work: Words, roots: Words, out: Words) -> Word:
    cities = _value_cities(state, board, work, roots)
    values = bytes_of(work)
    start = U(MAX_MOVES - 500)
    sets = (
        _list_sets(
            state[layout.HANDS + U(bytes_of(state)[layout.SEAT])], layout.FINAL_MOVE, out, start
        )
        - start
    )
    out[0] = layout.PASS_MOVE
    n = U(1)
    for j in range(sets):
        played = out[start + j]
        first, second = played & U(31), (played >> U(5)) & U(31)
        totals = U(0), U(0)
        for i in range(cities):
            at = U(8) * (_WORK_VALUES + U(4) * i)
            # NO_CARD stands for no card and its byte is 0, so it adds no points.
            is_new, totals = add_total(totals, U(values[at + first]) + U(values[at + second]))
            if is_new:
                out[n] = played | (roots[i] << U(10))
                n += U(1)
    return n


@inner
def list_best_finals(state: Words, board: Words, work: Words, roots: Words, out: Words) -> Word:
    """List the move that passes, and each set of cards with the city for which it scores most.

    Fills `out` and returns the number of moves. The choice of the city changes only the points, so
    a search needs only the best city.
    """
    cities = _value_cities(state, board, work, roots)
    values = bytes_of(work)
    n = _list_sets(
        state[layout.HANDS + U(bytes_of(state)[layout.SEAT])], layout.FINAL_MOVE, out, U(1)
    )
    out[0] = layout.PASS_MOVE
    for j in range(U(1), n):
        first, second = out[j] & U(31), (out[j] >> U(5)) & U(31)
        best, most = U(0), U(0)
        for i in range(cities):
            at = U(8) * (_WORK_VALUES + U(4) * i)
            # NO_CARD stands for no card and its byte is 0, so it adds no points.
            total = U(values[at + first]) + U(values[at + second])
            if total > most:
                best, most = i, total
        out[j] |= roots[best] << U(10)
    return n


@inner
def list_legal(state: Words, board: Words, work: Words, roots: Words, out: Words) -> Word:
    """Fill `out` with the legal moves and return their number.

    Swaps are not listed; for swaps, see `swap_count` and `nth_swap`.
    """
    b = bytes_of(state)
    phase = U(b[layout.PHASE])
    if phase == layout.PHASE_WALL:
        return _list_walls(state, out)
    if phase == layout.PHASE_TOWERS:
        outcomes = towers_due(state, board, U(b[layout.DIE]))
        at = LINE_PLACES + U(8) * U(b[layout.LINE])
        return _list_outcomes(board, layout.TOWERS_MOVE, at, outcomes, out)
    if phase == layout.PHASE_HOUSES:
        outcomes = houses_due(state, board, dice_rolled(state))
        at = LINE_SPACES + U(2) * U(b[layout.LINE])
        return _list_outcomes(board, layout.HOUSES_MOVE, at, outcomes, out)
    if phase == layout.PHASE_MERGE:
        return _list_merges(state, board, out)
    if phase == layout.PHASE_SCORE:
        return _list_scores(state, out)
    if phase == layout.PHASE_FINAL:
        return _list_finals(state, board, work, roots, out)
    return U(0)


@inner
def swap_count(cards: Word) -> Word:
    """Return the number of different swaps of a hand.

    Each sub-multiset of the hand is one swap, the empty one included.
    """
    n = U(1)
    kinds = kinds_of(cards)
    while kinds:
        n *= U(3) if (cards >> lowest(kinds)) & U(3) == U(3) else U(2)
        kinds &= kinds - U(1)
    return n


@inner
def nth_swap(cards: Word, n: Word) -> Word:
    """Return the swap with number `n`, from 0 to `swap_count(cards)` - 1.

    The digits of `n` in a mixed base are the numbers of cards to discard, one digit for each kind
    in hand. A kind held once has base 2, and a kind held twice has base 3.
    """
    move = layout.SWAP_MOVE << layout.KIND_SHIFT
    kinds = kinds_of(cards)
    while kinds:
        at = lowest(kinds)
        kinds &= kinds - U(1)
        base = U(3) if (cards >> at) & U(3) == U(3) else U(2)
        move |= (n % base) << at
        n //= base
    return move


@kernel
def list_moves(state: Words, board: Words, work: Words, roots: Words, out: Words) -> Word:
    """Fill `out` (uint64[MAX_MOVES]) with the legal moves and return their number.

    Works for every decision except a swap. `work` (uint64[WORK_WORDS]) and `roots`
    (uint64[MAX_CITIES]) are workspaces.
    """
    return list_legal(state, board, work, roots, out)
