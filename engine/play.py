"""Random play at full speed: whole games, or on from any state (rules, 8).

Turns are played in one piece up to a city, and a scoring with its swaps in another; phases are
stored only between the pieces. What a choice does to the state is done by the same functions as for
moves from outside.
"""

from __future__ import annotations

from typing import Final

from masons.engine.bits import U, high_product, nth_bit, nth_item, popcount
from masons.engine.build import place_houses, place_towers, put_wall
from masons.engine.cards import (
    ABSTAIN_DRAWS,
    PLAY_DRAWS,
    discard,
    final_cards,
    refill_deck,
    score_hand,
    take_cards,
)
from masons.engine.choices import (
    ABSTAINS,
    BUSY,
    GREEDY,
    UNIFORM,
    best_score,
    nth_city,
    nth_kind,
    nth_pair,
    pair_count,
    random_line,
    random_score,
    random_swap,
)
from masons.engine.cities import merge_choices
from masons.engine.components import HAND
from masons.engine.draws import pick_outcome, random_houses, random_towers
from masons.engine.jit import Word, Words, bytes_of, copy_words, inlined, inner, kernel, ptr
from masons.engine.layout import (
    ACTIVE,
    CITIES,
    CITY,
    CLOSES,
    DECK,
    DIE,
    DISCARD,
    DUE,
    END,
    HANDS,
    HOUSE_SUPPLY,
    LINE,
    NO_CARD,
    NONE,
    PHASE,
    PHASE_DRAW,
    PHASE_HOUSES,
    PHASE_MERGE,
    PHASE_OVER,
    PHASE_ROLL,
    PHASE_SCORE,
    PHASE_SWAP,
    PHASE_WALL,
    PLAYERS,
    QUEUE,
    SEAT,
    STATE_WORDS,
    TOWER_SUPPLY,
    TURN,
    VALUES_BYTE,
    State,
)
from masons.engine.lines import settle_closing
from masons.engine.moves import kinds_of
from masons.engine.outcomes import (
    HOUSE_STEPS,
    PAIRS_OF_DICE,
    TOWER_FACES,
    TOWER_STEPS,
    house_outcomes,
    tower_outcomes,
)
from masons.engine.placing import dice_rolled, ends_without, two_spaces
from masons.engine.rng import below, next_word
from masons.engine.scoring import score_cards
from masons.engine.topology import HOLES, LINE_COUNT, Table
from masons.engine.turns import (
    clockwise,
    draws_done,
    end_without_line,
    finish_building,
    finish_merge,
    last_places,
    next_turn,
    pass_turns,
    score_of,
)

_WORDS = U(STATE_WORDS)
# Four cards come out of one random word: 60 * 59 * 58 * 57 is below 2^32.
_DRAWS_MASK = U(3)

# What a run of random games adds up: uint64[TALLY_WORDS].
TALLY_WORDS: Final = 32
TALLY_DECISIONS = U(0)
TALLY_TURNS = U(1)
TALLY_MERGES = U(2)
TALLY_RESHUFFLES = U(3)
TALLY_CITIES = U(4)  # on the board at the end; with the merges, all that were completed
TALLY_SCORES = U(5)
TALLY_SQUARES = U(6)
TALLY_ENDS = U(8)


@inlined
def play_turns(state: Words, board: Words, rng: Words, policy: Word, tally: Words) -> None:
    """Play turns, from a wall decision on, until one completes a city or ends the game.

    What only changes hands from turn to turn is put right at the end.
    """
    b = bytes_of(state)
    sets = policy != UNIFORM
    turns = decisions = U(0)
    # Drawn a turn ahead, so that nothing has to wait for them.
    line_word, house_word = next_word(rng), next_word(rng)
    while True:
        word, dice_word = line_word, house_word
        line_word, house_word = next_word(rng), next_word(rng)
        line = random_line(state, board, rng, policy, word)
        if line == NONE:
            break
        put_wall(state, board, line, sets)
        if policy == UNIFORM:
            word *= board[LINE_COUNT]
        else:
            word = next_word(rng)
        empty = ends_without(state, board, line)
        step, choice = random_towers(state[TOWER_SUPPLY], empty, word)
        place_towers(state, board, line, step, sets)
        decisions += U(1) + choice
        two = two_spaces(board, line)
        step, choice = random_houses(state[HOUSE_SUPPLY], two, dice_word)
        place_houses(state, board, line, step)
        decisions += choice
        if b[CLOSES] | b[END]:
            break
        if sets and board[HOLES]:
            settle_closing(state, board)
        turns += U(1)
    tally[TALLY_DECISIONS] += decisions
    pass_turns(state, turns)
    if line == NONE:
        end_without_line(state)
    else:
        _finish_turn(state, board, rng, tally)


@inner
def _finish_turn(state: Words, board: Words, rng: Words, tally: Words) -> None:
    """After the houses, a merge included."""
    lo, hi = finish_building(state, board)
    if lo | hi:
        _random_merge(state, board, rng, lo, hi, tally)


@inner
def go_on_turn(state: Words, board: Words, rng: Words, tally: Words) -> None:
    """Play the rest of a turn that waits for its roll, towers or houses."""
    b = bytes_of(state)
    line = U(b[LINE])
    word = next_word(rng)
    phase = U(b[PHASE])
    die, dice = U(b[DIE]), dice_rolled(state)
    if phase == PHASE_ROLL:
        die = high_product(word, TOWER_FACES)
        word *= TOWER_FACES
        dice = high_product(word, PAIRS_OF_DICE)
        word *= PAIRS_OF_DICE
    if phase != PHASE_HOUSES:
        outcomes = tower_outcomes(state[TOWER_SUPPLY], die, ends_without(state, board, line))
        code, choice = pick_outcome(outcomes, word)
        place_towers(state, board, line, TOWER_STEPS[code], True)
        tally[TALLY_DECISIONS] += choice
    outcomes = house_outcomes(state[HOUSE_SUPPLY], dice, two_spaces(board, line))
    code, choice = pick_outcome(outcomes, next_word(rng))
    place_houses(state, board, line, HOUSE_STEPS[code])
    tally[TALLY_DECISIONS] += choice
    _finish_turn(state, board, rng, tally)


@inner
def random_cards(deck: Word, left: Word, count: Word, rng: Words) -> Word:
    """A uniform set of `count` of the `left` cards in a deck."""
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


@inner
def _random_merge(state: Words, board: Words, rng: Words, lo: Word, hi: Word, tally: Words) -> None:
    """Merge with one of the cities whose lowest spaces are given, or with none."""
    low = popcount(lo)
    count = low + popcount(hi)
    n = below(rng, count + U(1))
    other = NONE
    if n < low:
        other = nth_bit(lo, n)
    elif n < count:
        other = U(64) + nth_bit(hi, n - low)
    finish_merge(state, board, other)
    tally[TALLY_DECISIONS] += U(1)
    tally[TALLY_MERGES] += U(other != NONE)


@inlined
def _deal_random(state: Words, seat: Word, due: Word, rng: Words, tally: Words) -> None:
    """Draw `due` cards, as far as there are any."""
    while due:
        if state[DECK] == U(0):
            if state[DISCARD] == U(0):
                return
            refill_deck(state)
            tally[TALLY_RESHUFFLES] += U(1)
        left = popcount(state[DECK])
        count = min(left, due)
        take_cards(state, seat, random_cards(state[DECK], left, count, rng))
        tally[TALLY_RESHUFFLES] += U(count == left and state[DECK] != U(0))
        due -= count


@inner
def draw_random(state: Words, rng: Words, tally: Words) -> None:
    """Draw the cards that are due (PHASE_DRAW), and go on to what follows."""
    b = bytes_of(state)
    _deal_random(state, U(b[SEAT]), U(b[DUE]), rng, tally)
    b[DUE] = U(0)
    draws_done(state)


@inlined
def _score_random(state: Words, seat: Word, rng: Words, policy: Word) -> Word:
    """Score some cards of a seat, or abstain; the number of cards to draw."""
    cards = state[HANDS + seat]
    if policy == GREEDY:
        first, second = best_score(state, cards)
    else:
        first, second = random_score(cards, next_word(rng), policy)
    if second == ABSTAINS:
        discard(state, seat, first)
        return ABSTAIN_DRAWS
    score_hand(state, seat, first, second)
    return PLAY_DRAWS


@inlined
def _swap_random(state: Words, seat: Word, rng: Words, tally: Words) -> None:
    """Toss some cards and draw as many, those tossed already (DUE) included."""
    out = random_swap(state[HANDS + seat], next_word(rng), rng)
    state[HANDS + seat] ^= out
    state[DISCARD] |= out
    _deal_random(state, seat, U(bytes_of(state)[DUE]) + popcount(out), rng, tally)


@inlined
def play_scoring(state: Words, rng: Words, policy: Word, tally: Words) -> None:
    """Play a scoring on: those who have not scored yet do, then those in last place swap."""
    b = bytes_of(state)
    active, seat = U(b[ACTIVE]), U(b[SEAT])
    decisions = U(0)
    while True:
        due = _score_random(state, seat, rng, policy)
        _deal_random(state, seat, due, rng, tally)
        decisions += U(1)
        seat = clockwise(state, seat)
        if seat == active:
            break
    tally[TALLY_DECISIONS] += decisions
    b[SEAT] = active
    if b[END]:
        b[PHASE] = PHASE_OVER
    else:
        b[QUEUE] = last_places(state)
        play_swaps(state, rng, tally)


@inlined
def play_swaps(state: Words, rng: Words, tally: Words) -> None:
    """Play the swaps of those who may still swap (QUEUE), from SEAT on, and end the turn."""
    b = bytes_of(state)
    seat, queue = U(b[SEAT]), U(b[QUEUE])
    tally[TALLY_DECISIONS] += popcount(queue)
    while queue:
        if (queue >> seat) & U(1):
            _swap_random(state, seat, rng, tally)
            b[DUE] = U(0)
            queue ^= U(1) << seat
        seat = clockwise(state, seat)
    next_turn(state)


@inner
def _random_final(state: Words, board: Words, rng: Words) -> None:
    """The city uniformly first, then passing, a single or a pair uniformly."""
    cards = state[HANDS + U(bytes_of(state)[SEAT])]
    word = next_word(rng)
    cities = max(state[CITIES], U(1))
    root = nth_city(state, high_product(word, cities))
    word *= cities
    kinds = popcount(kinds_of(cards))
    n = high_product(word, U(1) + kinds + pair_count(cards))
    first = second = NO_CARD
    if n > kinds:
        first, second = nth_pair(cards, n - kinds - U(1))
    elif n:
        first = nth_kind(cards, n - U(1))
    final_cards(state, board, first, second, root)


@inner
def _best_final(state: Words, board: Words) -> None:
    """The city and the cards that score most."""
    b = bytes_of(state)
    cards = state[HANDS + U(b[SEAT])]
    most = U(0)
    first = second = NO_CARD
    chosen = NONE
    for i in range(max(state[CITIES], U(1))):
        root = nth_city(state, i)
        score_cards(state, board, root)
        one, two = best_score(state, cards)
        if two == ABSTAINS:
            continue
        points = U(b[VALUES_BYTE + one])
        if two != NO_CARD:
            points += U(b[VALUES_BYTE + two])
        if points > most:
            most, first, second, chosen = points, one, two, root
    final_cards(state, board, first, second, chosen)


@inlined
def play_out(state: Words, board: Words, rng: Words, policy: Word, tally: Words) -> None:
    """Play on to the end of the game (`state` modified in place)."""
    b = bytes_of(state)
    while True:
        phase = U(b[PHASE])
        if phase == PHASE_WALL:
            play_turns(state, board, rng, policy, tally)
        elif phase < PHASE_MERGE:
            go_on_turn(state, board, rng, tally)
        elif phase == PHASE_OVER:
            return
        elif phase == PHASE_DRAW:
            draw_random(state, rng, tally)
        elif phase == PHASE_MERGE:
            lo, hi = merge_choices(state, board, U(b[CITY]))
            _random_merge(state, board, rng, lo, hi, tally)
        elif phase == PHASE_SCORE:
            play_scoring(state, rng, policy, tally)
        elif phase == PHASE_SWAP:
            play_swaps(state, rng, tally)
        else:
            tally[TALLY_DECISIONS] += U(1)
            if policy == GREEDY:
                _best_final(state, board)
            else:
                _random_final(state, board, rng)


@inner
def deal(state: Words, rng: Words) -> None:
    """Deal the hands from the full deck."""
    deck = state[DECK]
    left = popcount(deck)
    for seat in range(U(bytes_of(state)[PLAYERS])):
        hand = random_cards(deck, left, U(HAND), rng)
        deck ^= hand
        left -= U(HAND)
        state[HANDS + seat] = hand
    state[DECK] = deck


@inner
def _add_up(state: Words, tally: Words) -> None:
    b = bytes_of(state)
    tally[TALLY_TURNS] += state[TURN] + U(1)
    tally[TALLY_ENDS + U(b[END])] += U(1)
    tally[TALLY_CITIES] += state[CITIES]
    for seat in range(U(b[PLAYERS])):
        points = score_of(state, seat)
        tally[TALLY_SCORES] += points
        tally[TALLY_SQUARES] += points * points


@inlined
def _run_games(
    start: Words, board: Words, rng: Words, games: Word, state: Words, tally: Words, policy: Word
) -> None:
    s, table, random, sums, empty = ptr(state), ptr(board), ptr(rng), ptr(tally), ptr(start)
    for _ in range(U(games)):
        copy_words(s, empty, _WORDS)
        deal(s, random)
        play_out(s, table, random, policy, sums)
        _add_up(s, sums)


@inlined
def _run_playouts(
    start: Words, board: Words, rng: Words, count: Word, state: Words, tally: Words, policy: Word
) -> None:
    s, table, random, sums, begin = ptr(state), ptr(board), ptr(rng), ptr(tally), ptr(start)
    for _ in range(U(count)):
        copy_words(s, begin, _WORDS)
        play_out(s, table, random, policy, sums)
        _add_up(s, sums)


# A kernel for each policy: in each the compiler knows the policy and drops what it does not need.


@kernel
def uniform_games(
    start: Words, board: Words, rng: Words, games: Word, state: Words, tally: Words
) -> None:
    """`play_games` by uniform play."""
    _run_games(start, board, rng, games, state, tally, UNIFORM)


@kernel
def busy_games(
    start: Words, board: Words, rng: Words, games: Word, state: Words, tally: Words
) -> None:
    """`play_games` by busy play."""
    _run_games(start, board, rng, games, state, tally, BUSY)


@kernel
def greedy_games(
    start: Words, board: Words, rng: Words, games: Word, state: Words, tally: Words
) -> None:
    """`play_games` by greedy play."""
    _run_games(start, board, rng, games, state, tally, GREEDY)


@kernel
def uniform_playouts(
    start: Words, board: Words, rng: Words, count: Word, state: Words, tally: Words
) -> None:
    """`play_outs` by uniform play."""
    _run_playouts(start, board, rng, count, state, tally, UNIFORM)


@kernel
def busy_playouts(
    start: Words, board: Words, rng: Words, count: Word, state: Words, tally: Words
) -> None:
    """`play_outs` by busy play."""
    _run_playouts(start, board, rng, count, state, tally, BUSY)


@kernel
def greedy_playouts(
    start: Words, board: Words, rng: Words, count: Word, state: Words, tally: Words
) -> None:
    """`play_outs` by greedy play."""
    _run_playouts(start, board, rng, count, state, tally, GREEDY)


_GAMES: Final = (uniform_games, busy_games, greedy_games)
_PLAYOUTS: Final = (uniform_playouts, busy_playouts, greedy_playouts)


def play_games(
    start: State, board: Table, rng: State, policy: int, games: int, state: State, tally: State
) -> None:
    """Play `games` random games from the undealt state `start`; `policy` is a place in POLICIES.

    `state` is room for one game; `tally` (uint64[TALLY_WORDS]) is added to.
    """
    _GAMES[policy](start, board, rng, games, state, tally)


def play_outs(
    start: State, board: Table, rng: State, policy: int, count: int, state: State, tally: State
) -> None:
    """Play on `count` times from the dealt state `start`; the rest as in `play_games`."""
    _PLAYOUTS[policy](start, board, rng, count, state, tally)
