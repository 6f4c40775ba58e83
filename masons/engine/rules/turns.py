"""The course of a game from the houses of one turn to the wall of the next turn, or to the end.

After the houses have been placed, a city may be completed and merged. In this case all seats score,
and then the seats in last place may swap. After that, the next turn begins or the game ends. A game
that does not end by completing a city ends with the final scoring.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from masons.engine.board.packed_board import HOLES
from masons.engine.kernels.bits import U, lowest, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, inlined, inner
from masons.engine.rules.cities_and_palaces import (
    NewCity,
    build_palaces,
    complete_city,
    merge_cities,
)
from masons.engine.rules.placement import settle_closing
from masons.engine.rules.scoring import points_of, score_cards, score_city
from masons.engine.state import layout

SCORE_BITS = U(16)
_SCORE_MASK = U(0xFFFF)
MOST_SEATS = U(4)
# 65536 / players, rounded up: multiplying by it replaces a division.
_ROUNDS = np.array([0, 65536, 32768, 21846, 16384], dtype=np.uint64)


@inner
def score_of(state: Words, seat: Word) -> Word:
    """Return a seat's points."""
    return (state[layout.SCORES] >> (SCORE_BITS * seat)) & _SCORE_MASK


@inner
def add_score(state: Words, seat: Word, points: Word) -> None:
    """Add points to a seat's score."""
    state[layout.SCORES] += points << (SCORE_BITS * seat)


@inner
def clockwise(state: Words, seat: Word) -> Word:
    """Return the next seat clockwise."""
    following = seat + U(1)
    return U(0) if following == U(bytes_of(state)[layout.PLAYERS]) else following


@inner
def _start_final(state: Words) -> None:
    """Begin the final scoring with the active seat."""
    b = bytes_of(state)
    b[layout.PHASE] = layout.PHASE_FINAL
    b[layout.SEAT] = b[layout.ACTIVE]


@inlined
def pass_turns(state: Words, count: Word) -> None:
    """Pass the turn on `count` times.

    The caller resets the fields that belong to this turn's wall (TURN_WORD).
    """
    b = bytes_of(state)
    active = U(b[layout.ACTIVE]) + count
    active -= U(b[layout.PLAYERS]) * (active * _ROUNDS[U(b[layout.PLAYERS])] >> U(16))
    b[layout.ACTIVE] = active
    b[layout.SEAT] = active
    b[layout.ROLLED] = U(0) if count else U(b[layout.ROLLED])
    state[layout.TURN] += count


@inner
def end_without_line(state: Words) -> None:
    """End the game at the start of a turn without a legal line."""
    state[layout.TURN_WORD] = layout.NO_WALL_YET
    bytes_of(state)[layout.END] = layout.END_NO_LINE
    _start_final(state)


@inner
def next_turn(state: Words) -> None:
    """Pass the turn on, or end the game if no line is left."""
    pass_turns(state, U(1))
    state[layout.TURN_WORD] = layout.NO_WALL_YET
    bytes_of(state)[layout.PHASE] = layout.PHASE_WALL
    if state[layout.OPEN] | state[layout.OPEN + U(1)] | state[layout.OPEN + U(2)] | state[
        layout.OPEN + U(3)
    ] == U(0):
        end_without_line(state)


@inner
def _start_scoring(state: Words, board: Words, city: NewCity) -> None:
    """Build palaces in the city just completed and let the active seat score first."""
    b = bytes_of(state)
    if board[HOLES]:
        settle_closing(state, board)
    build_palaces(state)
    size = popcount(city.lo) + popcount(city.hi)
    score_city(state, board, U(b[layout.CITY]), size, (city.ends_lo, city.ends_hi))
    b[layout.PHASE] = layout.PHASE_SCORE
    b[layout.SEAT] = b[layout.ACTIVE]


@inlined
def finish_building(state: Words, board: Words) -> NewCity:
    """Complete the city that this turn's wall encloses, or else end the turn.

    Called after the houses have been placed. Returns the new city. Its `beside` words are 0 if
    there is no decision to merge, and all its words are 0 if no city was completed.
    """
    b = bytes_of(state)
    if b[layout.CLOSES]:
        return _finish_city(state, board)
    if b[layout.END]:
        _start_final(state)
    else:
        if board[HOLES]:
            settle_closing(state, board)
        next_turn(state)
    return NewCity(U(0), U(0), U(0), U(0), U(0), U(0))


@inner
def _finish_city(state: Words, board: Words) -> NewCity:
    """Complete the city of this turn's wall, and begin the scoring unless a merge is possible."""
    b = bytes_of(state)
    city = complete_city(state, board, True)
    if city.beside_lo | city.beside_hi:
        b[layout.PHASE] = layout.PHASE_MERGE
        b[layout.SEAT] = b[layout.ACTIVE]
    else:
        _start_scoring(state, board, city)
    return city


@inner
def finish_merge(state: Words, board: Words, city: NewCity, other: Word) -> None:
    """Merge the city just completed with the city whose lowest space is `other`, and begin scoring.

    If `other` is NONE, no cities are merged.
    """
    if other != layout.NONE:
        city = merge_cities(state, board, city, other)
    _start_scoring(state, board, city)


@inner
def last_places(state: Words) -> Word:
    """Return the set of seats that have the fewest points and so may swap after a scoring."""
    # Absent seats get the maximum score, so that they never count as being in last place.
    nobody = (~U(0) << (SCORE_BITS * U(bytes_of(state)[layout.PLAYERS]) - U(1))) << U(1)
    scores = state[layout.SCORES] | nobody
    least = _SCORE_MASK
    for seat in range(MOST_SEATS):
        least = min(least, (scores >> (SCORE_BITS * seat)) & _SCORE_MASK)
    last = U(0)
    for seat in range(MOST_SEATS):
        last |= U((scores >> (SCORE_BITS * seat)) & _SCORE_MASK == least) << seat
    return last


@inner
def _start_swap(state: Words) -> None:
    """Let the seats in last place swap, in clockwise order starting from the active seat."""
    b = bytes_of(state)
    b[layout.QUEUE] = last_places(state)
    b[layout.PHASE] = layout.PHASE_SWAP
    _seek_swapper(state, U(b[layout.ACTIVE]))


@inner
def _seek_swapper(state: Words, seat: Word) -> None:
    """Set SEAT to the first seat that may still swap, going clockwise and starting with `seat`."""
    b = bytes_of(state)
    while not (U(b[layout.QUEUE]) >> seat) & U(1):
        seat = clockwise(state, seat)
    b[layout.SEAT] = seat


@inner
def draws_done(state: Words) -> None:
    """Continue after the last card of a draw: with a swap, a score decision, a turn or the end."""
    b = bytes_of(state)
    seat = U(b[layout.SEAT])
    if b[layout.QUEUE]:
        b[layout.QUEUE] = U(b[layout.QUEUE]) & ~(U(1) << seat)
        if b[layout.QUEUE]:
            b[layout.PHASE] = layout.PHASE_SWAP
            _seek_swapper(state, seat)
        else:
            next_turn(state)
        return
    b[layout.SEAT] = clockwise(state, seat)
    b[layout.PHASE] = layout.PHASE_SCORE
    if b[layout.SEAT] == b[layout.ACTIVE]:
        if b[layout.END]:
            b[layout.PHASE] = layout.PHASE_OVER
        else:
            _start_swap(state)


# Numbers of cards drawn after playing and after abstaining.
PLAY_DRAWS = U(1)
ABSTAIN_DRAWS = U(2)


@inner
def card_of(cards: Word, kind: Word) -> Word:
    """Return one card of a kind, as a set of one card.

    `cards` is a set that contains a card of the kind.
    """
    both = (cards >> (U(2) * kind)) & U(3)
    return (both & (~both + U(1))) << (U(2) * kind)


@inner
def cards_of(cards: Word, first: Word, second: Word) -> Word:
    """Return one card of each of two kinds, as a set.

    `cards` is a set that contains these cards. The kinds may be equal, and `second` may be NO_CARD.
    """
    card = card_of(cards, first)
    return card | card_of(cards ^ card, second)


@inner
def discard(state: Words, seat: Word, kind: Word) -> None:
    """Move a card of a kind from a seat's hand to the discard pile."""
    card = card_of(state[layout.HANDS + seat], kind)
    state[layout.HANDS + seat] ^= card
    state[layout.DISCARD] |= card


@inlined
def refill_deck(state: Words) -> None:
    """Turn the discard pile into the deck if the deck is empty."""
    if state[layout.DECK] == U(0):
        state[layout.DECK] = state[layout.DISCARD]
        state[layout.DISCARD] = U(0)


@inlined
def take_cards(state: Words, seat: Word, cards: Word) -> None:
    """Move a set of cards from the deck to a hand, and refill the deck if it is then empty."""
    state[layout.DECK] ^= cards
    state[layout.HANDS + seat] |= cards
    refill_deck(state)


@inner
def start_draw(state: Words, count: Word) -> None:
    """Begin a draw of `count` cards by SEAT."""
    b = bytes_of(state)
    b[layout.PHASE] = layout.PHASE_DRAW
    b[layout.DUE] = count
    _settle_draw(state)


@inner
def _settle_draw(state: Words) -> None:
    """Refill an empty deck if a card is due; end the draw if no card is due or none is left."""
    b = bytes_of(state)
    if b[layout.DUE]:
        refill_deck(state)
        if state[layout.DECK] == U(0):
            b[layout.DUE] = U(0)
    if b[layout.DUE] == U(0):
        draws_done(state)


@inner
def draw_card(state: Words, card: Word) -> None:
    """Give SEAT a card that is due from the deck, and refill the deck if it is then empty.

    `card` is a set of one card.
    """
    b = bytes_of(state)
    take_cards(state, U(b[layout.SEAT]), card)
    b[layout.DUE] = U(b[layout.DUE]) - U(1)
    _settle_draw(state)


@inner
def score_hand(state: Words, seat: Word, first: Word, second: Word) -> None:
    """Play one or two cards of a seat for the points that VALUES holds.

    `second` is NO_CARD if one card is played. If both kinds are NO_CARD, nothing changes.
    """
    points = points_of(state, first, second)
    played = cards_of(state[layout.HANDS + seat], first, second)
    state[layout.HANDS + seat] ^= played
    state[layout.DISCARD] |= played
    add_score(state, seat, points)


@inner
def play_cards(state: Words, first: Word, second: Word) -> None:
    """Score one or two cards of SEAT, and let SEAT draw one card."""
    score_hand(state, U(bytes_of(state)[layout.SEAT]), first, second)
    start_draw(state, PLAY_DRAWS)


@inner
def abstain(state: Words, kind: Word) -> None:
    """Discard a card of SEAT without points, and let SEAT draw two cards."""
    discard(state, U(bytes_of(state)[layout.SEAT]), kind)
    start_draw(state, ABSTAIN_DRAWS)


@inner
def swap_cards(state: Words, counts: Word) -> None:
    """Discard cards of SEAT, and let SEAT draw the same number.

    `counts` has a 2-bit count for each kind.
    """
    b = bytes_of(state)
    exchanged = U(b[layout.DUE])
    while counts:
        kind = lowest(counts) >> U(1)
        for _ in range((counts >> (U(2) * kind)) & U(3)):
            discard(state, U(b[layout.SEAT]), kind)
            exchanged += U(1)
        counts &= ~(U(3) << (U(2) * kind))
    start_draw(state, exchanged)


@inner
def exchange_card(state: Words, kind: Word) -> None:
    """Discard one card in a swap that is decided card by card; DUE counts the cards discarded."""
    b = bytes_of(state)
    discard(state, U(b[layout.SEAT]), kind)
    b[layout.DUE] = U(b[layout.DUE]) + U(1)


@inner
def final_cards(state: Words, board: Words, first: Word, second: Word, root: Word) -> None:
    """Play SEAT's part of the final scoring, and go on to the next seat or end the game.

    `first` and `second` are kinds of cards: `second` is NO_CARD if one card is played, and both are
    NO_CARD if the seat passes. The cards score for the city whose lowest space is `root`, or for no
    city if `root` is NONE.
    """
    b = bytes_of(state)
    if first != layout.NO_CARD:
        score_cards(state, board, root)
        score_hand(state, U(b[layout.SEAT]), first, second)
    b[layout.SEAT] = clockwise(state, U(b[layout.SEAT]))
    if b[layout.SEAT] == b[layout.ACTIVE]:
        b[layout.PHASE] = layout.PHASE_OVER


# One point outranks even all 60 cards, so cards in hand only break ties.
POINT = 64
_POINT = U(POINT)


def standing(points: int, cards: int) -> int:
    """Return the number that ranks a seat at the end of a game: 64 * points + cards in hand."""
    return POINT * points + cards


def winners_of(
    scores: Sequence[int], hand_sizes: Sequence[int], forfeited: Collection[int] = ()
) -> tuple[int, ...]:
    """Return the winning seats in ascending order; several seats can share a victory.

    Seats in `forfeited` rank behind all other seats. If every seat forfeited, nobody wins.
    """
    ranks = {
        seat: standing(*seat_rank)
        for seat, seat_rank in enumerate(zip(scores, hand_sizes, strict=True))
        if seat not in forfeited
    }
    best = max(ranks.values(), default=0)
    return tuple(seat for seat, rank in ranks.items() if rank == best)


@inner
def standing_of(state: Words, seat: Word) -> Word:
    """Return the number that ranks a seat, like `standing` but for kernels."""
    return score_of(state, seat) * _POINT + popcount(state[layout.HANDS + seat])


@inner
def winner_set(state: Words) -> Word:
    """Return the set of seats that win a finished game, like `winners_of` but for kernels."""
    best = U(0)
    winners = U(0)
    for seat in range(U(bytes_of(state)[layout.PLAYERS])):
        seat_rank = standing_of(state, seat)
        if seat_rank > best:
            best = seat_rank
            winners = U(0)
        if seat_rank == best:
            winners |= U(1) << seat
    return winners
