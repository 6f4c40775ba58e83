"""Random deals and draws, and random scorings, swaps and final scorings.

The functions that apply a choice do not make it, so other policies can apply their own choices.
"""

from __future__ import annotations

from masons.engine.board.components import HAND
from masons.engine.kernels.bits import U, high_product, lowest, nth_item, popcount
from masons.engine.kernels.jit import Word, Words, bytes_of, inlined, inner
from masons.engine.kernels.rng import next_word
from masons.engine.playouts.counters import COUNT_DECISIONS, COUNT_RESHUFFLES
from masons.engine.playouts.random_moves import (
    ABSTAINS,
    BUSY_BEST,
    best_score,
    nth_city,
    nth_play,
    pair_count,
    random_score,
    random_swap,
)
from masons.engine.rules import turns
from masons.engine.rules.legal_moves import kinds_of
from masons.engine.rules.scoring import points_of, score_cards
from masons.engine.state import layout

# Four cards are drawn with one random word: 60 * 59 * 58 * 57 is below 2^32.
_DRAWS_MASK = U(3)


@inner
def random_cards(deck: Word, left: Word, count: Word, rng: Words) -> Word:
    """Return a uniformly random set of `count` cards from a deck of `left` cards."""
    cards = word = U(0)
    for i in range(count):
        if i & _DRAWS_MASK == U(0):
            word = next_word(rng)
        card = nth_item(deck, high_product(word, left))
        word *= left
        left -= U(1)
        deck ^= card
        cards |= card
    return cards


@inlined
def deal_random(state: Words, seat: Word, due: Word, rng: Words, counters: Words) -> None:
    """Give a seat `due` random cards, or all cards that are left if there are fewer.

    When the deck is empty, the discard pile becomes the new deck.
    """
    while due:
        if state[layout.DECK] == U(0):
            if state[layout.DISCARD] == U(0):
                return
            turns.refill_deck(state)
            counters[COUNT_RESHUFFLES] += U(1)
        left = popcount(state[layout.DECK])
        count = min(left, due)
        turns.take_cards(state, seat, random_cards(state[layout.DECK], left, count, rng))
        counters[COUNT_RESHUFFLES] += U(count == left and state[layout.DECK] != U(0))
        due -= count


@inlined
def draw_after_scoring(state: Words, seat: Word, due: Word, rng: Words, counters: Words) -> None:
    """Give a seat one or two random cards (`due`), as `deal_random` does.

    Unless the deck runs out, the code does not branch on the number of cards.
    """
    deck = state[layout.DECK]
    left = popcount(deck)
    if left <= due:
        deal_random(state, seat, due, rng, counters)
        return
    word = next_word(rng)
    cards = nth_item(deck, high_product(word, left))
    second = nth_item(deck ^ cards, high_product(word * left, left - U(1)))
    cards |= second if due == U(2) else U(0)
    state[layout.DECK] = deck ^ cards
    state[layout.HANDS + seat] |= cards


@inner
def draw_random(state: Words, rng: Words, counters: Words) -> None:
    """Draw the cards that are due in PHASE_DRAW, and go on to the next phase."""
    b = bytes_of(state)
    deal_random(state, U(b[layout.SEAT]), U(b[layout.DUE]), rng, counters)
    b[layout.DUE] = U(0)
    turns.draws_done(state)


@inner
def deal_hands(state: Words, rng: Words) -> None:
    """Deal random hands from the full deck."""
    deck = state[layout.DECK]
    left = popcount(deck)
    for seat in range(U(bytes_of(state)[layout.PLAYERS])):
        hand = random_cards(deck, left, U(HAND), rng)
        deck ^= hand
        left -= U(HAND)
        state[layout.HANDS + seat] = hand
    state[layout.DECK] = deck


# Effects of the choices in a scoring, for any policy.


@inlined
def score_and_draw(
    state: Words, seat: Word, first: Word, second: Word, rng: Words, counters: Words
) -> None:
    """Score one or two cards of a seat, or abstain, and draw.

    `second` is NO_CARD if one card is scored, and ABSTAINS if the seat abstains.
    """
    # Choices are unpredictable, so this code avoids branches.
    hand = state[layout.HANDS + seat]
    abstains = U(second == ABSTAINS)
    points = points_of(state, first, second)
    turns.add_score(state, seat, points * (abstains ^ U(1)))
    played = turns.cards_of(hand, first, second)
    state[layout.HANDS + seat] = hand ^ played
    state[layout.DISCARD] |= played
    due = turns.PLAY_DRAWS + abstains * (turns.ABSTAIN_DRAWS - turns.PLAY_DRAWS)
    draw_after_scoring(state, seat, due, rng, counters)


@inlined
def end_scoring(state: Words) -> bool:
    """End a scoring after all seats have scored; return False if the game ends with this scoring.

    If the game goes on, QUEUE becomes the set of seats in last place, which may swap next.
    """
    b = bytes_of(state)
    b[layout.SEAT] = b[layout.ACTIVE]
    if b[layout.END]:
        b[layout.PHASE] = layout.PHASE_OVER
        return False
    b[layout.QUEUE] = turns.last_places(state)
    return True


@inlined
def swap_out(state: Words, seat: Word, out: Word, rng: Words, counters: Words) -> None:
    """Discard the cards `out` of a seat, and draw as many as the seat discarded in the whole swap.

    `out` is a set of cards. DUE is the number of cards discarded earlier in the swap.
    """
    b = bytes_of(state)
    state[layout.HANDS + seat] ^= out
    state[layout.DISCARD] |= out
    deal_random(state, seat, U(b[layout.DUE]) + popcount(out), rng, counters)
    b[layout.DUE] = U(0)


@inlined
def next_in_queue(queue: Word, seat: Word) -> Word:
    """Return the first seat of a set, going clockwise and starting with `seat`."""
    later = (queue >> seat) << seat
    return lowest(later if later else queue)


# Random play.


@inlined
def _pick_score(state: Words, seat: Word, rng: Words, policy: Word) -> tuple[Word, Word]:
    """Choose a scoring for a seat, in the form that `score_and_draw` takes."""
    cards = state[layout.HANDS + seat]
    if policy == BUSY_BEST:
        return best_score(state, cards)
    return random_score(cards, next_word(rng), policy)


@inlined
def play_scoring(state: Words, rng: Words, policy: Word, counters: Words) -> None:
    """Play the rest of a scoring. When all seats have scored, seats in last place swap cards."""
    b = bytes_of(state)
    active, seat = U(b[layout.ACTIVE]), U(b[layout.SEAT])
    decisions = U(0)
    while True:
        first, second = _pick_score(state, seat, rng, policy)
        score_and_draw(state, seat, first, second, rng, counters)
        decisions += U(1)
        seat = turns.clockwise(state, seat)
        if seat == active:
            break
    counters[COUNT_DECISIONS] += decisions
    if end_scoring(state):
        play_swaps(state, rng, counters)


@inlined
def play_swaps(state: Words, rng: Words, counters: Words) -> None:
    """Play the swaps of all seats in QUEUE, starting with SEAT, and end the turn."""
    b = bytes_of(state)
    seat, queue = U(b[layout.SEAT]), U(b[layout.QUEUE])
    counters[COUNT_DECISIONS] += popcount(queue)
    while queue:
        seat = next_in_queue(queue, seat)
        out = random_swap(state[layout.HANDS + seat], next_word(rng), rng)
        swap_out(state, seat, out, rng, counters)
        queue ^= U(1) << seat
    turns.next_turn(state)


@inlined
def _random_finals(state: Words, board: Words, rng: Words, counters: Words) -> None:
    """Play the final scoring to its end with uniformly random choices.

    Each seat chooses a random city and then a random set of cards. Passing, each single card and
    each pair are equally likely.
    """
    b = bytes_of(state)
    active, seat, cities = U(b[layout.ACTIVE]), U(b[layout.SEAT]), state[layout.CITIES]
    valued = layout.NONE
    if cities == U(0):
        score_cards(state, board, layout.NONE)
    while True:
        cards, word = state[layout.HANDS + seat], next_word(rng)
        root = layout.NONE
        if cities:
            root = nth_city(state, high_product(word, cities))
            word *= cities
        n = high_product(word, U(1) + popcount(kinds_of(cards)) + pair_count(cards))
        first, second = nth_play(cards, n)
        if root != valued and first != layout.NO_CARD:
            score_cards(state, board, root)
            valued = root
        turns.score_hand(state, seat, first, second)
        counters[COUNT_DECISIONS] += U(1)
        seat = turns.clockwise(state, seat)
        if seat == active:
            break
    b[layout.SEAT], b[layout.PHASE] = active, layout.PHASE_OVER


@inner
def best_final(state: Words, board: Words) -> None:
    """Play SEAT's part of the final scoring with the city and the cards that score most."""
    b = bytes_of(state)
    cards = state[layout.HANDS + U(b[layout.SEAT])]
    most = U(0)
    first = second = layout.NO_CARD
    chosen = layout.NONE
    for i in range(max(state[layout.CITIES], U(1))):
        root = nth_city(state, i)
        score_cards(state, board, root)
        kind_1, kind_2 = best_score(state, cards)
        points = points_of(state, kind_1, kind_2)
        if points > most:
            most, first, second, chosen = points, kind_1, kind_2, root
    turns.final_cards(state, board, first, second, chosen)


@inlined
def play_finals(state: Words, board: Words, rng: Words, policy: Word, counters: Words) -> None:
    """Play the final scoring to its end."""
    if policy != BUSY_BEST:
        _random_finals(state, board, rng, counters)
        return
    while bytes_of(state)[layout.PHASE] == layout.PHASE_FINAL:
        counters[COUNT_DECISIONS] += U(1)
        best_final(state, board)
