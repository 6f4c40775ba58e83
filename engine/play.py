"""Random play at full speed: whole games, or on from any state (rules, 8).

A turn is played in one piece: the dice and both placements come out of one random word, and
phases are stored only where a city interrupts the turn. Chosen outcomes go through the same
functions as moves from outside.
"""

from __future__ import annotations

from typing import Final

from masons.engine.bits import U, high_product, nth_bit, nth_item, popcount
from masons.engine.build import place_houses, place_towers, put_wall
from masons.engine.cards import abstain, draw_cards, final_cards, play_cards, start_draw
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
    end_without_line,
    finish_building,
    finish_merge,
    pass_turns,
    score_of,
)

_WORDS = U(STATE_WORDS)
# All the cards of a hand come out of one random word: 60 * 59 * ... * 56 is below 2^32.
_DRAWS_A_WORD = U(HAND)

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
    cards = U(0)
    word = U(0)
    for i in range(count):
        if i % _DRAWS_A_WORD == U(0):
            word = next_word(rng)
        card = nth_item(deck, high_product(word, left))
        word *= left
        left -= U(1)
        deck ^= card
        cards |= card
    return cards


@inner
def draw_random(state: Words, rng: Words, tally: Words) -> None:
    """Draw the cards that are due."""
    b = bytes_of(state)
    while b[PHASE] == PHASE_DRAW:
        deck = state[DECK]
        left = popcount(deck)
        count = min(left, U(b[DUE]))
        cards = random_cards(deck, left, count, rng) if count < left else deck
        draw_cards(state, cards, count)
        tally[TALLY_RESHUFFLES] += U(count == left and state[DECK] != U(0))


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


@inner
def _play_score(state: Words, rng: Words, policy: Word) -> None:
    cards = state[HANDS + U(bytes_of(state)[SEAT])]
    if policy == GREEDY:
        first, second = best_score(state, cards)
    else:
        first, second = random_score(cards, next_word(rng), policy)
    if second == ABSTAINS:
        abstain(state, first)
    else:
        play_cards(state, first, second)


@inner
def _random_swap(state: Words, rng: Words) -> None:
    """Toss some cards, after those tossed already (DUE), and draw as many."""
    b = bytes_of(state)
    seat = U(b[SEAT])
    out = random_swap(state[HANDS + seat], next_word(rng), rng)
    state[HANDS + seat] ^= out
    state[DISCARD] |= out
    start_draw(state, U(b[DUE]) + popcount(out))


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
        else:
            tally[TALLY_DECISIONS] += U(1)
            if phase == PHASE_SCORE:
                _play_score(state, rng, policy)
            elif phase == PHASE_SWAP:
                _random_swap(state, rng)
            elif policy == GREEDY:
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
