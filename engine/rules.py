"""The course of a turn: what each move and each chance event does to a state (rules, 3 to 7).

Nothing here checks that a move is legal: `moves` lists the legal ones. A state waits either for a
move (PHASE_WALL, TOWERS, HOUSES, MERGE, SCORE, SWAP, FINAL) or for chance (PHASE_ROLL: the dice,
PHASE_DRAW: a card), so the dice and cards can come from anywhere.

TOWERS and HOUSES are passed through even where there is only one outcome; `skip_forced` plays
those on, because they are no decisions (rules, 8).
"""

from __future__ import annotations

from masons.engine.bits import U, lowest, opaque, popcount
from masons.engine.build import (
    join_component,
    line_ends,
    put_house,
    put_tower,
    put_wall,
    settle_closing,
    start_component,
)
from masons.engine.cities import (
    build_palaces,
    complete_city,
    merge_cities,
)
from masons.engine.jit import Word, Words, bytes_of, inlined, inner, kernel, ptr
from masons.engine.layout import (
    ABSTAIN_MOVE,
    ACTIVE,
    CITY,
    CLOSES,
    DECK,
    DICE,
    DIE,
    DISCARD,
    DUE,
    EARLY_ROLL_MOVE,
    END,
    END_NO_LINE,
    FINAL_MOVE,
    HANDS,
    HOUSE_SUPPLY,
    HOUSES_MOVE,
    KIND_SHIFT,
    LABELS_BYTE,
    LINE,
    MERGE_MOVE,
    NO_CARD,
    NO_COLOR,
    NO_WALL_YET,
    NONE,
    OPEN,
    PHASE,
    PHASE_DRAW,
    PHASE_FINAL,
    PHASE_HOUSES,
    PHASE_MERGE,
    PHASE_OVER,
    PHASE_ROLL,
    PHASE_SCORE,
    PHASE_SWAP,
    PHASE_TOWERS,
    PHASE_WALL,
    PLAY_MOVE,
    PLAYERS,
    QUEUE,
    ROLLED,
    SCORES,
    SEAT,
    SWAP_MOVE,
    TOSS_MOVE,
    TOWER_SUPPLY,
    TOWERS_MOVE,
    TURN,
    TURN_WORD,
    VALUES_BYTE,
    WALL_MOVE,
)
from masons.engine.outcomes import (
    BOTH_ENDS,
    FIRST_END,
    SECOND_END,
    house_outcomes,
    tower_outcomes,
)
from masons.engine.scoring import score_cards
from masons.engine.topology import HOLES, LINE_SPACES, LINE_TOWERS

_SCORE_BITS = U(16)
_SCORE_MASK = U(0xFFFF)


@inner
def score_of(state: Words, seat: Word) -> Word:
    """A seat's points."""
    return (state[SCORES] >> (_SCORE_BITS * seat)) & _SCORE_MASK


@inner
def add_score(state: Words, seat: Word, points: Word) -> None:
    """Give points to a seat."""
    state[SCORES] += points << (_SCORE_BITS * seat)


@inner
def _clockwise(state: Words, seat: Word) -> Word:
    """The seat to the left of a seat."""
    following = seat + U(1)
    return U(0) if following == U(bytes_of(state)[PLAYERS]) else following


# --- the end of a turn


@inner
def _start_final(state: Words) -> None:
    """Begin the final scoring: the active player first (rules, 7)."""
    b = bytes_of(state)
    b[PHASE] = PHASE_FINAL
    b[SEAT] = b[ACTIVE]


@inlined
def _next_turn(state: Words) -> None:
    """Pass the turn on; without a legal line the game ends (rules, 7)."""
    b = bytes_of(state)
    active = _clockwise(state, U(b[ACTIVE]))
    b[ACTIVE] = active
    b[SEAT] = active
    b[PHASE] = PHASE_WALL
    b[ROLLED] = U(0)
    state[TURN_WORD] = NO_WALL_YET
    state[TURN] += U(1)
    if state[OPEN] | state[OPEN + U(1)] | state[OPEN + U(2)] | state[OPEN + U(3)] == U(0):
        b[END] = END_NO_LINE
        _start_final(state)


@inner
def _start_scoring(state: Words, board: Words) -> None:
    """Build palaces in the just-completed city and let the active player score first."""
    b = bytes_of(state)
    if board[HOLES]:
        settle_closing(state, board)
    build_palaces(state)
    score_cards(state, board, U(b[CITY]))
    b[PHASE] = PHASE_SCORE
    b[SEAT] = b[ACTIVE]


@inlined
def finish_building(state: Words, board: Words) -> tuple[Word, Word]:
    """After the houses: complete the city if there is one, else end the turn (rules, 3.5 and 3.6).

    Returns the cities that may now be merged: a set of their lowest spaces, empty without a choice.
    """
    b = bytes_of(state)
    if b[CLOSES]:
        return _finish_city(state, board)
    if b[END]:
        _start_final(state)
    else:
        if board[HOLES]:
            settle_closing(state, board)
        _next_turn(state)
    return U(0), U(0)


@inner
def _finish_city(state: Words, board: Words) -> tuple[Word, Word]:
    """Complete the city that this turn's wall encloses; the cities that it can be merged with."""
    b = bytes_of(state)
    lo, hi = complete_city(state, board)
    if lo | hi:
        b[PHASE] = PHASE_MERGE
        b[SEAT] = b[ACTIVE]
    else:
        _start_scoring(state, board)
    return lo, hi


@inner
def finish_merge(state: Words, board: Words, other: Word) -> None:
    """Merge the just-completed city with the one whose lowest space is `other`, or NONE."""
    if other != NONE:
        merge_cities(state, board, other)
    _start_scoring(state, board)


@inner
def _start_swap(state: Words) -> None:
    """After a scoring all who are last may swap, the active player first (rules, 5)."""
    b = bytes_of(state)
    least = score_of(state, U(0))
    for seat in range(U(1), U(b[PLAYERS])):
        least = min(least, score_of(state, seat))
    queue = U(0)
    for seat in range(U(b[PLAYERS])):
        if score_of(state, seat) == least:
            queue |= U(1) << seat
    b[QUEUE] = queue
    b[PHASE] = PHASE_SWAP
    _seek_swapper(state, U(b[ACTIVE]))


@inner
def _seek_swapper(state: Words, seat: Word) -> None:
    """Set SEAT to the first seat from `seat` on, clockwise, that may still swap."""
    b = bytes_of(state)
    while not (U(b[QUEUE]) >> seat) & U(1):
        seat = _clockwise(state, seat)
    b[SEAT] = seat


@inner
def _draws_done(state: Words) -> None:
    """Go on after the last card of a draw: next to swap, next to score, or the next turn."""
    b = bytes_of(state)
    seat = U(b[SEAT])
    if b[QUEUE]:
        b[QUEUE] = U(b[QUEUE]) & ~(U(1) << seat)
        if b[QUEUE]:
            b[PHASE] = PHASE_SWAP
            _seek_swapper(state, seat)
        else:
            _next_turn(state)
        return
    b[SEAT] = _clockwise(state, seat)
    b[PHASE] = PHASE_SCORE
    if b[SEAT] == b[ACTIVE]:
        if b[END]:
            b[PHASE] = PHASE_OVER
        else:
            _start_swap(state)


# --- cards


@inner
def card_of(cards: Word, kind: Word) -> Word:
    """One card of a kind out of a set that has it, as a set."""
    both = (cards >> (U(2) * kind)) & U(3)
    return (both & (~both + U(1))) << (U(2) * kind)


@inner
def discard(state: Words, seat: Word, kind: Word) -> None:
    """Lay a card from a seat's hand face up."""
    card = card_of(state[HANDS + seat], kind)
    state[HANDS + seat] ^= card
    state[DISCARD] |= card


@inner
def start_draw(state: Words, count: Word) -> None:
    """Let SEAT draw `count` cards."""
    b = bytes_of(state)
    b[PHASE] = PHASE_DRAW
    b[DUE] = count
    _settle_draw(state)


@inner
def _settle_draw(state: Words) -> None:
    """Shuffle if a card is due and there is none; go on if no card is due or to be had."""
    b = bytes_of(state)
    if b[DUE] and state[DECK] == U(0):
        state[DECK] = state[DISCARD]
        state[DISCARD] = U(0)
        if state[DECK] == U(0):
            b[DUE] = U(0)
    if b[DUE] == U(0):
        _draws_done(state)


@inner
def draw_card(state: Words, card: Word) -> None:
    """Give SEAT the card (a set of one) from the deck; a deck used up is replaced at once."""
    draw_cards(state, card, U(1))


@inner
def draw_cards(state: Words, cards: Word, count: Word) -> None:
    """Give SEAT `count` of the cards due (a set) from the deck; a deck used up is replaced."""
    b = bytes_of(state)
    state[DECK] ^= cards
    state[HANDS + U(b[SEAT])] |= cards
    if state[DECK] == U(0):
        state[DECK] = state[DISCARD]
        state[DISCARD] = U(0)
    b[DUE] = U(b[DUE]) - count
    _settle_draw(state)


@inner
def score_hand(state: Words, first: Word, second: Word) -> None:
    """SEAT plays one or two cards (the second NO_CARD) for what VALUES says."""
    b = bytes_of(state)
    seat = U(b[SEAT])
    points = U(b[VALUES_BYTE + first])
    discard(state, seat, first)
    if second != NO_CARD:
        points += U(b[VALUES_BYTE + second])
        discard(state, seat, second)
    add_score(state, seat, points)


@inner
def play_cards(state: Words, first: Word, second: Word) -> None:
    """SEAT scores one or two cards and draws one."""
    score_hand(state, first, second)
    start_draw(state, U(1))


@inner
def abstain(state: Words, kind: Word) -> None:
    """SEAT discards one card for nothing and draws two."""
    discard(state, U(bytes_of(state)[SEAT]), kind)
    start_draw(state, U(2))


@inner
def _swap_cards(state: Words, counts: Word) -> None:
    """SEAT discards some of each kind (2-bit counts) and draws as many."""
    b = bytes_of(state)
    tossed = U(b[DUE])
    while counts:
        kind = lowest(counts) >> U(1)
        for _ in range((counts >> (U(2) * kind)) & U(3)):
            discard(state, U(b[SEAT]), kind)
            tossed += U(1)
        counts &= ~(U(3) << (U(2) * kind))
    start_draw(state, tossed)


@inner
def _toss(state: Words, kind: Word) -> None:
    """One card of a swap; DUE counts them until the swap is closed."""
    b = bytes_of(state)
    discard(state, U(b[SEAT]), kind)
    b[DUE] = U(b[DUE]) + U(1)


@inner
def final_cards(state: Words, board: Words, first: Word, second: Word, root: Word) -> None:
    """SEAT's part of the final scoring: pass (NO_CARD) or play for the city of `root` or NONE."""
    b = bytes_of(state)
    if first != NO_CARD:
        score_cards(state, board, root)
        score_hand(state, first, second)
    b[SEAT] = _clockwise(state, U(b[SEAT]))
    if b[SEAT] == b[ACTIVE]:
        b[PHASE] = PHASE_OVER


# --- towers and houses


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


@inner
def _early_roll(state: Words) -> None:
    """One point lost, never below 0 (rules, 3)."""
    b = bytes_of(state)
    if score_of(state, U(b[SEAT])) != U(0):
        state[SCORES] -= U(1) << (_SCORE_BITS * U(b[SEAT]))
    b[ROLLED] = U(1)


@inner
def _colors_put(board: Words, at: Word, move: Word) -> tuple[Word, Word]:
    """The colours that a move puts at the first and second place (read at byte `at`)."""
    color_1, color_2 = (move >> U(16)) & U(7), (move >> U(19)) & U(7)
    if move & U(255) == U(bytes_of(board)[at]):
        return color_1, color_2
    return NO_COLOR, color_1


@inner
def apply_legal(state: Words, board: Words, move: Word) -> None:
    """Play one legal move; no forced outcome is played on."""
    b = bytes_of(state)
    kind = move >> KIND_SHIFT
    if kind == WALL_MOVE:
        put_wall(state, board, move & U(255))
        b[PHASE] = PHASE_ROLL
    elif kind == TOWERS_MOVE:
        color_1, color_2 = _colors_put(board, LINE_TOWERS + U(2) * U(b[LINE]), move)
        place_towers(state, board, color_1, color_2)
        b[PHASE] = PHASE_HOUSES
    elif kind == HOUSES_MOVE:
        color_1, color_2 = _colors_put(board, LINE_SPACES + U(2) * U(b[LINE]), move)
        place_houses(state, board, color_1, color_2)
        finish_building(state, board)
    elif kind == MERGE_MOVE:
        finish_merge(state, board, move & U(255))
    elif kind == PLAY_MOVE:
        play_cards(state, move & U(31), (move >> U(5)) & U(31))
    elif kind == ABSTAIN_MOVE:
        abstain(state, move & U(31))
    elif kind == SWAP_MOVE:
        _swap_cards(state, move & ~(U(15) << KIND_SHIFT))
    elif kind == FINAL_MOVE:
        first, second = move & U(31), (move >> U(5)) & U(31)
        final_cards(state, board, first, second, (move >> U(10)) & U(255))
    elif kind == TOSS_MOVE:
        _toss(state, move & U(31))
    elif kind == EARLY_ROLL_MOVE:
        _early_roll(state)


# --- entry points


@kernel
def apply_move(state: Words, board: Words, move: Word) -> None:
    """Play one legal move on `state` (uint64[STATE_WORDS], modified in place)."""
    apply_legal(ptr(state), ptr(board), U(move))


@kernel
def play_forced(state: Words, board: Words) -> None:
    """Play on towers and houses without a choice (`state` modified in place)."""
    skip_forced(ptr(state), ptr(board))


@kernel
def refresh_values(state: Words, board: Words) -> None:
    """Work out what each card scores for the just-completed city (`state` modified in place)."""
    s = ptr(state)
    score_cards(s, ptr(board), U(bytes_of(s)[CITY]))


@kernel
def give_roll(state: Words, board: Words, die: Word, die_1: Word, die_2: Word) -> None:
    """Let the dice fall (`state` modified in place); `die` 255: the tower die is not rolled."""
    roll_dice(ptr(state), ptr(board), U(die), U(die_1), U(die_2))


@kernel
def give_card(state: Words, kind: Word) -> None:
    """Let SEAT draw a card of a kind that the deck has (`state` modified in place)."""
    s = ptr(state)
    draw_card(s, card_of(s[DECK], U(kind)))
