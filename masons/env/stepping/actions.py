"""The actions of environments: their numbers, their legality and their effects.

A decision is made in one or more steps. Each step is an action from a fixed set. On a board with L
lines and S spaces, the actions are numbered in this order:

| actions            | meaning                                                                  |
| ------------------ | ------------------------------------------------------------------------ |
| 0 .. L-1           | a wall on this line                                                      |
| L .. L+S-1         | the city with this lowest space: merge with it, or choose it in the      |
|                    | final scoring                                                            |
| the next 30        | play a card of this kind                                                 |
| the next 30        | discard a card of this kind: to abstain, or in a swap                    |
| the next 3         | a tower of this color at the current place                               |
| the next 5         | a house of this color at the current place                               |
| the next 1         | nothing: no piece at this place, no further card, no merge, or pass      |
| the last 1         | early roll                                                               |

A wall has two places for towers and two for houses; the first place is always filled first. Cards
are named in ascending order. So exactly one sequence of actions makes each legal move. A step
without a choice is made automatically unless it is the first step of its decision. As in
`masons.Game`, if the dice allow only one way to place the pieces, this is not a decision, and the
pieces are also placed automatically.
"""

from __future__ import annotations

from typing import Final

from masons.engine.board.components import HOUSE_COLORS, KINDS, TOWER_COLORS
from masons.engine.board.packed_board import LINE_COUNT, LINE_PLACES, LINE_SPACES, SPACE_COUNT
from masons.engine.kernels.bits import U, even_bits, high_product, lowest, nth_item, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, halves_of, inlined, inner, offset
from masons.engine.kernels.rng import next_word
from masons.engine.playouts.random_moves import roll_random
from masons.engine.rules.cities_and_palaces import new_city
from masons.engine.rules.legal_moves import add_total, kinds_of, placing_move
from masons.engine.rules.scoring import points_of, put_values, score_cards, values_of
from masons.engine.rules.transitions import (
    apply_legal,
    dice_rolled,
    houses_due,
    skip_forced,
    towers_due,
)
from masons.engine.rules.turns import card_of, draw_card
from masons.engine.state import layout
from masons.env.stepping import env_layout as env

# Numbers of the actions that name neither a line nor a city, counted from the first of them.
PLAYS: Final = U(0)
DISCARDS: Final = U(KINDS)
TOWERS_ACTION: Final = DISCARDS + U(KINDS)
HOUSES_ACTION: Final = TOWERS_ACTION + U(len(TOWER_COLORS))
NOTHING: Final = HOUSES_ACTION + U(len(HOUSE_COLORS))
EARLY_ROLL_ACTION: Final = NOTHING + U(1)
OTHER_ACTIONS: Final = int(EARLY_ROLL_ACTION) + 1


@inlined
def others_at(board: Words) -> Word:
    """Return the number of the first action that names neither a line nor a city."""
    return board[LINE_COUNT] + board[SPACE_COUNT]


_LEGAL_WORDS = U(env.LEGAL_WORDS)
_ROW = U(255)  # a row of a set of outcomes, a grid of 8 by 8 bits: first color by second color
_CHOSEN_BITS = U(3)


@inner
def _put(row: Words, at: Word, actions: Word) -> None:
    """Mark a set of actions as legal.

    Bit i of `actions` stands for action `at` + i.
    """
    word, shift = env.LEGAL + (at >> U(6)), at & U(63)
    row[word] |= actions << shift
    if shift:
        row[word + U(1)] |= actions >> (U(64) - shift)


@inner
def _kinds_left(row: Words) -> Word:
    """Return the kinds that may be named next, one bit for each kind.

    These are the kinds left in hand that are not lower than the last kind named.
    """
    b = bytes_of(row)
    left = row[layout.HANDS + U(b[layout.SEAT])]
    chosen = row[env.CHOSEN]
    while chosen:
        kind = lowest(chosen) >> U(1)
        for _ in range((chosen >> (U(2) * kind)) & _CHOSEN_BITS):
            left ^= card_of(left, kind)
        chosen &= ~(_CHOSEN_BITS << (U(2) * kind))
    kinds = kinds_of(left)
    if b[env.FIRST] != layout.NO_CARD:
        kinds &= ~((U(1) << (U(2) * U(b[env.FIRST]))) - U(1))
    return even_bits(kinds)


@inner
def _put_colors(row: Words, board: Words, outcomes: Word, colors_at: Word) -> None:
    """Mark as legal each color that is possible at the current place.

    A color is possible if one of `outcomes` (see `roll_outcomes`) has this color at the current
    place and agrees with the piece already chosen for the first place. `colors_at` is the number of
    the action for the first color.
    """
    b = bytes_of(row)
    colors = U(0)
    if b[env.STAGE]:
        colors = (outcomes >> (U(8) * U(b[env.FIRST]))) & _ROW
    else:
        for color in range(U(8)):
            colors |= U((outcomes >> (U(8) * color)) & _ROW != U(0)) << color
    at = others_at(board)
    _put(row, at + NOTHING, colors >> layout.NO_COLOR)
    _put(row, at + colors_at, colors & ~(U(1) << layout.NO_COLOR))


@inner
def chosen_points(row: Words, board: Words, root: Word) -> Word:
    """Return the points that the chosen cards score in the city `root`. Overwrites VALUES."""
    b = bytes_of(row)
    score_cards(row, board, root)
    return points_of(row, U(b[env.FIRST]), U(b[env.SECOND]))


@inner
def is_root(row: Words, space: Word) -> bool:
    """Return whether a space is the lowest space of a completed city."""
    return U(halves_of(row)[layout.SPACES_HALF + space]) & layout.IS_CITY != U(0)


@inner
def _put_cities(row: Words, board: Words) -> None:
    """Mark as legal the cities that can be chosen for the cards of a final decision.

    If the chosen cards score the same number of points in several cities, only the lowest of these
    cities is marked. If there is no city, the action "nothing" is marked.
    """
    if row[layout.CITIES] == U(0):
        _put(row, others_at(board) + NOTHING, U(1))
        return
    kept = values_of(row)
    totals = U(0), U(0)
    for space in range(board[SPACE_COUNT]):
        if not is_root(row, space):
            continue
        is_new, totals = add_total(totals, chosen_points(row, board, space))
        if is_new:
            _put(row, board[LINE_COUNT] + space, U(1))
    put_values(row, kept)


@inner
def _put_merges(row: Words, board: Words) -> None:
    city = new_city(row, board)
    _put(row, board[LINE_COUNT], city.beside_lo)
    _put(row, board[LINE_COUNT] + U(64), city.beside_hi)
    _put(row, others_at(board) + NOTHING, U(1))


@inner
def _put_cards(row: Words, board: Words, phase: Word) -> None:
    """Mark as legal the cards that can be named in a scoring, a swap or the final scoring."""
    b = bytes_of(row)
    at = others_at(board)
    kinds = _kinds_left(row)
    if phase == layout.PHASE_SWAP:
        _put(row, at + DISCARDS, kinds)
    else:
        _put(row, at + PLAYS, kinds)
    if phase == layout.PHASE_SCORE and b[env.STAGE] == U(0):
        _put(row, at + DISCARDS, kinds)
    else:
        _put(row, at + NOTHING, U(1))


@inner
def list_actions(row: Words, board: Words) -> Word:
    """Fill LEGAL and return the number of legal actions, which is 0 if the game is over."""
    b = bytes_of(row)
    phase = U(b[layout.PHASE])
    for w in range(_LEGAL_WORDS):
        row[env.LEGAL + w] = U(0)
    if phase == layout.PHASE_WALL:
        for w in range(U(4)):
            row[env.LEGAL + w] = row[layout.OPEN + w]
        if U(b[layout.OPTIONS]) & layout.EARLY_ROLL_OPTION and b[layout.ROLLED] == U(0):
            _put(row, others_at(board) + EARLY_ROLL_ACTION, U(1))
    elif phase == layout.PHASE_TOWERS:
        _put_colors(row, board, towers_due(row, board, U(b[layout.DIE])), TOWERS_ACTION)
    elif phase == layout.PHASE_HOUSES:
        _put_colors(row, board, houses_due(row, board, dice_rolled(row)), HOUSES_ACTION)
    elif phase == layout.PHASE_MERGE:
        _put_merges(row, board)
    elif phase == layout.PHASE_FINAL and b[env.STAGE] == U(2):
        _put_cities(row, board)
    elif phase != layout.PHASE_OVER:
        _put_cards(row, board, phase)
    count = U(0)
    for w in range(_LEGAL_WORDS):
        count += popcount(row[env.LEGAL + w])
    return count


@inner
def is_legal_action(row: Words, action: Word) -> bool:
    """Return whether an action is legal now; the action may be any number."""
    word = action >> U(6)
    return word < _LEGAL_WORDS and (row[env.LEGAL + word] >> (action & U(63))) & U(1) != U(0)


@inner
def nth_action(row: Words, n: Word) -> Word:
    """Return the legal action with index `n` in ascending order, from 0. There must be one."""
    word = U(0)
    count = popcount(row[env.LEGAL])
    while n >= count:
        n -= count
        word += U(1)
        count = popcount(row[env.LEGAL + word])
    return (word << U(6)) + lowest(nth_item(row[env.LEGAL + word], n))


@inner
def clear_choice(row: Words) -> None:
    """Reset the choices made in the current decision."""
    b = bytes_of(row)
    b[env.STAGE] = U(0)
    b[env.BEGUN] = U(0)
    b[env.FIRST] = layout.NO_CARD
    b[env.SECOND] = layout.NO_CARD
    row[env.CHOSEN] = U(0)


@inner
def _choose_card(row: Words, kind: Word) -> Word:
    """Add a card to the chosen cards. Return 0, because the move is not complete yet."""
    b = bytes_of(row)
    b[env.FIRST] = kind
    b[env.STAGE] = U(b[env.STAGE]) + U(1)
    row[env.CHOSEN] += U(1) << (U(2) * kind)
    return U(0)


@inner
def _placing(row: Words, board: Words, other: Word, colors_at: Word) -> Word:
    """Store the piece for the current place. Return the move if both places are done, else 0."""
    b = bytes_of(row)
    color = layout.NO_COLOR if other == NOTHING else other - colors_at
    if b[env.STAGE] == U(0):
        b[env.STAGE] = U(1)
        b[env.FIRST] = color
        return U(0)
    outcome = (U(b[env.FIRST]) << U(3)) | color
    line = U(b[layout.LINE])
    if colors_at == TOWERS_ACTION:
        return placing_move(board, layout.TOWERS_MOVE, LINE_PLACES + U(8) * line, outcome)
    return placing_move(board, layout.HOUSES_MOVE, LINE_SPACES + U(2) * line, outcome)


@inner
def _scored(row: Words, other: Word) -> Word:
    b = bytes_of(row)
    if b[env.STAGE]:
        second = layout.NO_CARD if other == NOTHING else other - PLAYS
        return (layout.PLAY_MOVE << layout.KIND_SHIFT) | U(b[env.FIRST]) | (second << U(5))
    if other >= DISCARDS:
        return (layout.ABSTAIN_MOVE << layout.KIND_SHIFT) | (other - DISCARDS)
    return _choose_card(row, other - PLAYS)


@inner
def _swapped(row: Words, other: Word) -> Word:
    if other == NOTHING:
        return (layout.SWAP_MOVE << layout.KIND_SHIFT) | row[env.CHOSEN]
    return _choose_card(row, other - DISCARDS)


@inner
def _ended(row: Words, city: Word, other: Word) -> Word:
    """Return the move that an action in the final scoring completes, or 0 if steps remain.

    The first step passes or names a card. The second step names a second card or declines to. The
    third step names the city.
    """
    b = bytes_of(row)
    if b[env.STAGE] == U(0):
        if other == NOTHING:
            return layout.PASS_MOVE
        return _choose_card(row, other - PLAYS)
    if b[env.STAGE] == U(1):
        b[env.STAGE] = U(2)
        if other != NOTHING:
            b[env.SECOND] = other - PLAYS
            row[env.CHOSEN] += U(1) << (U(2) * (other - PLAYS))
        return U(0)
    cards = U(b[env.FIRST]) | (U(b[env.SECOND]) << U(5))
    return (layout.FINAL_MOVE << layout.KIND_SHIFT) | cards | (city << U(10))


@inner
def _move_of(row: Words, board: Words, action: Word) -> Word:
    """Store an action and return the move that it completes, or 0 if steps remain."""
    phase = U(bytes_of(row)[layout.PHASE])
    # If the action names a line or a city, the subtraction wraps around, and `other` is unused.
    other = action - others_at(board)
    city = layout.NONE if other == NOTHING else action - board[LINE_COUNT]
    if phase == layout.PHASE_WALL:
        if other == EARLY_ROLL_ACTION:
            return layout.EARLY_ROLL_MOVE << layout.KIND_SHIFT
        return (layout.WALL_MOVE << layout.KIND_SHIFT) | action
    if phase == layout.PHASE_TOWERS:
        return _placing(row, board, other, TOWERS_ACTION)
    if phase == layout.PHASE_HOUSES:
        return _placing(row, board, other, HOUSES_ACTION)
    if phase == layout.PHASE_MERGE:
        return (layout.MERGE_MOVE << layout.KIND_SHIFT) | city
    if phase == layout.PHASE_SCORE:
        return _scored(row, other)
    if phase == layout.PHASE_SWAP:
        return _swapped(row, other)
    return _ended(row, city, other)


@inner
def _draw(row: Words, rng: Words) -> None:
    """Give a random card of the deck to SEAT. If the deck has both copies, give the first copy."""
    deck = row[layout.DECK]
    card = nth_item(deck, high_product(next_word(rng), popcount(deck)))
    draw_card(row, card_of(deck, lowest(card) >> U(1)))


@inner
def settle_row(row: Words, board: Words) -> None:
    """Play chance events and forced placements, up to a decision or the end of the game.

    Unlike `next_decision` of the net policy, this function leaves the final scoring to the players,
    and draws the first copy of a card if both copies are in the deck.
    """
    b = bytes_of(row)
    rng = offset(row, env.RNG)
    while True:
        skip_forced(row, board)
        if b[layout.PHASE] == layout.PHASE_ROLL:
            roll_random(row, board, rng)
        elif b[layout.PHASE] == layout.PHASE_DRAW:
            _draw(row, rng)
        else:
            return


@inner
def note_action(row: Words, board: Words, action: Word) -> bool:
    """Make a legal action without the chance events that follow.

    Returns True if the action completes a decision.
    """
    move = _move_of(row, board, action)
    if move == U(0):
        return False
    clear_choice(row)
    apply_legal(row, board, move)
    return True


@inner
def note_choice(row: Words, board: Words, action: Word) -> bool:
    """Make an action that was chosen, as `note_action` does.

    If the decision is still unfinished, set its flag BEGUN: the row was not forced to begin it.
    """
    is_whole = note_action(row, board, action)
    if not is_whole:
        bytes_of(row)[env.BEGUN] = U(1)
    return is_whole


@inner
def is_forced(row: Words, count: Word) -> bool:
    """Return whether the next step is made automatically because it offers no choice.

    `count` is the number of legal actions.
    """
    b = bytes_of(row)
    phase = U(b[layout.PHASE])
    placing = layout.PHASE_TOWERS <= phase <= layout.PHASE_HOUSES
    return count == U(1) and (b[env.STAGE] != U(0) or placing)


@inner
def go_on(row: Words, board: Words, is_whole: bool) -> None:
    """Go on to the next step that has a choice or to the end of the game, and fill LEGAL.

    `is_whole` is true if no decision is in progress. Chance events and forced placements may then
    be due.
    """
    while True:
        if is_whole:
            settle_row(row, board)
        count = list_actions(row, board)
        if not is_forced(row, count):
            return
        is_whole = note_action(row, board, nth_action(row, U(0)))


@inner
def make_action(row: Words, board: Words, action: Word) -> None:
    """Make a legal action, and go on to the next step that has a choice."""
    go_on(row, board, note_choice(row, board, action))
