"""The course of a turn: what each move and each chance event does to a state (rules, 3 to 7).

Nothing here checks that a move is legal: `moves` lists the legal ones. A state waits either for a
move (PHASE_WALL, TOWERS, HOUSES, MERGE, SCORE, SWAP, FINAL) or for chance (PHASE_ROLL: the dice,
PHASE_DRAW: a card), so the dice and cards can come from anywhere.

TOWERS and HOUSES are passed through even where there is only one outcome; `skip_forced` plays
those on, because they are no decisions (rules, 8).
"""

from __future__ import annotations

from masons.engine.bits import U, lowest, popcount
from masons.engine.build import put_house, put_tower, put_wall
from masons.engine.cities import (
    build_palaces,
    complete_city,
    merge_choices,
    merge_cities,
    standing,
)
from masons.engine.jit import Words, bytes_of, inner, kernel, ptr
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
    LINE,
    MERGE_MOVE,
    NO_CARD,
    NO_COLOR,
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
    VALUES_BYTE,
    WALL_MOVE,
)
from masons.engine.outcomes import house_outcomes, in_plenty, in_supply, tower_outcomes
from masons.engine.scoring import score_cards
from masons.engine.topology import LINE_SPACES, LINE_TOWERS

_SCORE_BITS = U(16)
_SCORE_MASK = U(0xFFFF)


@inner
def score_of(state: Words, seat: int) -> int:
    """A seat's points."""
    return (state[SCORES] >> (_SCORE_BITS * seat)) & _SCORE_MASK  # type: ignore[no-any-return]


@inner
def add_score(state: Words, seat: int, points: int) -> None:
    """Give points to a seat."""
    state[SCORES] += points << (_SCORE_BITS * seat)


@inner
def _clockwise(state: Words, seat: int) -> int:
    """The seat to the left of a seat."""
    following = seat + U(1)
    return U(0) if following == U(bytes_of(state)[PLAYERS]) else following  # type: ignore[no-any-return]


# --- the end of a turn


@inner
def _start_final(state: Words) -> None:
    """Begin the final scoring: the active player first (rules, 7)."""
    b = bytes_of(state)
    b[PHASE] = PHASE_FINAL
    b[SEAT] = b[ACTIVE]


@inner
def _next_turn(state: Words) -> None:
    """Pass the turn on; without a legal line the game ends (rules, 7)."""
    b = bytes_of(state)
    b[ACTIVE] = _clockwise(state, U(b[ACTIVE]))
    b[SEAT] = b[ACTIVE]
    b[PHASE] = PHASE_WALL
    b[ROLLED] = U(0)
    b[LINE] = NONE
    b[CITY] = NONE
    state[TURN] += U(1)
    if state[OPEN] | state[OPEN + U(1)] | state[OPEN + U(2)] | state[OPEN + U(3)] == U(0):
        b[END] = END_NO_LINE
        _start_final(state)


@inner
def _start_scoring(state: Words, board: Words) -> None:
    """Build palaces in the just-completed city and let the active player score first."""
    b = bytes_of(state)
    build_palaces(state)
    score_cards(state, board, U(b[CITY]))
    b[PHASE] = PHASE_SCORE
    b[SEAT] = b[ACTIVE]


@inner
def finish_building(state: Words, board: Words) -> None:
    """After the houses: complete the city if there is one, else end the turn (rules, 3.5 and 3.6)."""
    b = bytes_of(state)
    if b[CLOSES]:
        complete_city(state, board)
        lo, hi = merge_choices(state, board, U(b[CITY]))
        if lo | hi:
            b[PHASE] = PHASE_MERGE
            b[SEAT] = b[ACTIVE]
        else:
            _start_scoring(state, board)
    elif b[END]:
        _start_final(state)
    else:
        _next_turn(state)


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
def _seek_swapper(state: Words, seat: int) -> None:
    """Set SEAT to the first seat from `seat` on, clockwise, that may still swap."""
    b = bytes_of(state)
    while not (U(b[QUEUE]) >> seat) & U(1):
        seat = _clockwise(state, seat)
    b[SEAT] = seat


@inner
def _draws_done(state: Words) -> None:
    """Go on after the last card of a draw: the next to swap, the next to score, or the next turn."""
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
def card_of(cards: int, kind: int) -> int:
    """One card of a kind out of a set that has it, as a set."""
    both = (cards >> (U(2) * kind)) & U(3)
    return (both & (~both + U(1))) << (U(2) * kind)  # type: ignore[no-any-return]


@inner
def discard(state: Words, seat: int, kind: int) -> None:
    """Lay a card from a seat's hand face up."""
    card = card_of(state[HANDS + seat], kind)
    state[HANDS + seat] ^= card
    state[DISCARD] |= card


@inner
def start_draw(state: Words, count: int) -> None:
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
def draw_card(state: Words, card: int) -> None:
    """Give SEAT the card (a set of one) from the deck; a deck used up is replaced at once."""
    b = bytes_of(state)
    state[DECK] ^= card
    state[HANDS + U(b[SEAT])] |= card
    if state[DECK] == U(0):
        state[DECK] = state[DISCARD]
        state[DISCARD] = U(0)
    b[DUE] = U(b[DUE]) - U(1)
    _settle_draw(state)


@inner
def score_hand(state: Words, first: int, second: int) -> None:
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
def play_cards(state: Words, first: int, second: int) -> None:
    """SEAT scores one or two cards and draws one."""
    score_hand(state, first, second)
    start_draw(state, U(1))


@inner
def abstain(state: Words, kind: int) -> None:
    """SEAT discards one card for nothing and draws two."""
    discard(state, U(bytes_of(state)[SEAT]), kind)
    start_draw(state, U(2))


@inner
def _swap_cards(state: Words, counts: int) -> None:
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
def _toss(state: Words, kind: int) -> None:
    """One card of a swap; DUE counts them until the swap is closed."""
    b = bytes_of(state)
    discard(state, U(b[SEAT]), kind)
    b[DUE] = U(b[DUE]) + U(1)


@inner
def final_cards(state: Words, board: Words, first: int, second: int, root: int) -> None:
    """SEAT's part of the final scoring: pass (NO_CARD) or play for the city of `root` or NONE."""
    b = bytes_of(state)
    if first != NO_CARD:
        score_cards(state, board, root)
        score_hand(state, first, second)
    b[SEAT] = _clockwise(state, U(b[SEAT]))
    if b[SEAT] == b[ACTIVE]:
        b[PHASE] = PHASE_OVER


# --- towers and houses


@inner
def empty_ends(state: Words, board: Words) -> tuple[bool, bool]:
    """Whether the first and the second end of this turn's wall have no tower."""
    at = LINE_TOWERS + U(2) * U(bytes_of(state)[LINE])
    first = U(bytes_of(board)[at])
    second = U(bytes_of(board)[at + U(1)])
    return not _towered(state, first), not _towered(state, second)


@inner
def _towered(state: Words, tower: int) -> bool:
    return (standing(state, tower >> U(6)) >> (tower & U(63))) & U(1) != U(0)


@inner
def towers_due(state: Words, board: Words, die: int) -> int:
    """The distinct outcomes of the tower die for this turn's wall."""
    first, second = empty_ends(state, board)
    supply = state[TOWER_SUPPLY]
    return tower_outcomes(in_supply(supply), in_plenty(supply), die, first, second)


@inner
def houses_due(state: Words, board: Words, die_1: int, die_2: int) -> int:
    """The distinct outcomes of the house dice for this turn's wall."""
    second = bytes_of(board)[LINE_SPACES + U(2) * U(bytes_of(state)[LINE]) + U(1)]
    supply = state[HOUSE_SUPPLY]
    return house_outcomes(in_supply(supply), in_plenty(supply), die_1, die_2, second != NONE)


@inner
def place_towers(state: Words, board: Words, color_1: int, color_2: int) -> None:
    """Put towers at the ends of this turn's wall (NO_COLOR: none there)."""
    b = bytes_of(state)
    at = LINE_TOWERS + U(2) * U(b[LINE])
    first = U(bytes_of(board)[at])
    second = U(bytes_of(board)[at + U(1)])
    if color_1 != NO_COLOR:
        put_tower(state, board, first, second, color_1)
    if color_2 != NO_COLOR:
        put_tower(state, board, second, first, color_2)


@inner
def place_houses(state: Words, board: Words, color_1: int, color_2: int) -> None:
    """Put houses beside this turn's wall (NO_COLOR: none there)."""
    at = LINE_SPACES + U(2) * U(bytes_of(state)[LINE])
    if color_1 != NO_COLOR:
        put_house(state, board, U(bytes_of(board)[at]), color_1)
    if color_2 != NO_COLOR:
        put_house(state, board, U(bytes_of(board)[at + U(1)]), color_2)


@inner
def roll_dice(state: Words, board: Words, die: int, die_1: int, die_2: int) -> None:
    """The dice have fallen; `die` is NONE where the tower die is not rolled."""
    b = bytes_of(state)
    b[DIE] = die
    b[DICE] = die_1
    b[DICE + U(1)] = die_2
    first, second = empty_ends(state, board)
    b[PHASE] = PHASE_TOWERS if first or second else PHASE_HOUSES


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
def _colors_put(board: Words, at: int, move: int) -> tuple[int, int]:
    """The colours that a move puts at the first and second place (read at byte `at`)."""
    color_1, color_2 = (move >> U(16)) & U(7), (move >> U(19)) & U(7)
    if move & U(255) == U(bytes_of(board)[at]):
        return color_1, color_2
    return NO_COLOR, color_1


@inner
def apply_legal(state: Words, board: Words, move: int) -> None:
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
        if move & U(255) != NONE:
            merge_cities(state, board, move & U(255))
        _start_scoring(state, board)
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
def apply_move(state: Words, board: Words, move: int) -> None:
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
def give_roll(state: Words, board: Words, die: int, die_1: int, die_2: int) -> None:
    """Let the dice fall (`state` modified in place); `die` 255: the tower die is not rolled."""
    roll_dice(ptr(state), ptr(board), U(die), U(die_1), U(die_2))


@kernel
def give_card(state: Words, kind: int) -> None:
    """Let SEAT draw a card of a kind that the deck has (`state` modified in place)."""
    s = ptr(state)
    draw_card(s, card_of(s[DECK], U(kind)))
