"""Random play at full speed: whole games, or on from any state (rules, 8).

Turns are played in one piece up to a city, and a scoring with its swaps in another; phases are
stored only between the pieces. What a choice does to the state is done by the same functions as for
moves from outside.
"""

from __future__ import annotations

from typing import Final

from masons.engine.board.packed_board import HOLES, LINE_COUNT, PackedBoard
from masons.engine.kernels.bits import U, high_product, nth_bit, popcount
from masons.engine.kernels.jit import (
    Word,
    WordArray,
    Words,
    bytes_of,
    copy_words,
    inlined,
    inner,
    kernel,
    ptr,
    shared,
)
from masons.engine.kernels.rng import below, next_word
from masons.engine.playouts.counters import (
    COUNT_DECISIONS,
    COUNT_MERGES,
    add_up,
)
from masons.engine.playouts.random_deals import deal_hands, draw_random
from masons.engine.playouts.random_moves import (
    BUSY,
    BUSY_BEST,
    UNIFORM,
    random_line,
)
from masons.engine.playouts.random_rolls import pick_outcome, random_houses, random_towers
from masons.engine.playouts.random_scoring import play_final, play_scoring, play_swaps
from masons.engine.rules.cities_and_palaces import NewCity, new_city
from masons.engine.rules.dice import dice_rolled, ends_without, two_spaces
from masons.engine.rules.lines import settle_closing
from masons.engine.rules.placement import place_houses, place_towers, put_wall
from masons.engine.rules.roll_outcomes import (
    HOUSE_STEPS,
    PAIRS_OF_DICE,
    TOWER_FACES,
    TOWER_STEPS,
    house_outcomes,
    tower_outcomes,
)
from masons.engine.rules.turns import (
    end_without_line,
    finish_building,
    finish_merge,
    pass_turns,
)
from masons.engine.state.layout import (
    CLOSES,
    DIE,
    END,
    HOUSE_SUPPLY,
    LINE,
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
    STATE_WORDS,
    TOWER_SUPPLY,
    State,
)

_WORDS = U(STATE_WORDS)


@inlined
def play_turns(state: Words, board: Words, rng: Words, policy: Word, counters: Words) -> None:
    """Play turns, from a wall decision on, until one completes a city or ends the game.

    What only passes from seat to seat at each turn is put right at the end.
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
    counters[COUNT_DECISIONS] += decisions
    pass_turns(state, turns)
    if line == NONE:
        end_without_line(state)
    else:
        _finish_turn(state, board, rng, counters)


@inlined
def _finish_turn(state: Words, board: Words, rng: Words, counters: Words) -> None:
    """After the houses, a merge included."""
    city = finish_building(state, board)
    if city.beside_lo | city.beside_hi:
        _random_merge(state, board, rng, city, counters)


@inlined
def place_turn(state: Words, board: Words, rng: Words, counters: Words) -> None:
    """Roll and place at random what a turn still waits for, up to its houses."""
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
        counters[COUNT_DECISIONS] += choice
    outcomes = house_outcomes(state[HOUSE_SUPPLY], dice, two_spaces(board, line))
    code, choice = pick_outcome(outcomes, next_word(rng))
    place_houses(state, board, line, HOUSE_STEPS[code])
    counters[COUNT_DECISIONS] += choice


@inner
def go_on_turn(state: Words, board: Words, rng: Words, counters: Words) -> None:
    """Play the rest of a turn that waits for its roll, towers or houses."""
    place_turn(state, board, rng, counters)
    _finish_turn(state, board, rng, counters)


@inner
def _random_merge(state: Words, board: Words, rng: Words, city: NewCity, counters: Words) -> None:
    """Merge the new city with one of those beside it, or with none."""
    lo, hi = city.beside_lo, city.beside_hi
    low = popcount(lo)
    count = low + popcount(hi)
    n = below(rng, count + U(1))
    other = NONE
    if n < low:
        other = nth_bit(lo, n)
    elif n < count:
        other = U(64) + nth_bit(hi, n - low)
    finish_merge(state, board, city, other)
    counters[COUNT_DECISIONS] += U(1)
    counters[COUNT_MERGES] += U(other != NONE)


@inlined
def _play_out(state: Words, board: Words, rng: Words, policy: Word, counters: Words) -> None:
    """Play on to the end of the game (`state` modified in place)."""
    b = bytes_of(state)
    while True:
        phase = U(b[PHASE])
        if phase == PHASE_WALL:
            play_turns(state, board, rng, policy, counters)
        elif phase < PHASE_MERGE:
            go_on_turn(state, board, rng, counters)
        elif phase == PHASE_OVER:
            return
        elif phase == PHASE_DRAW:
            draw_random(state, rng, counters)
        elif phase == PHASE_MERGE:
            _random_merge(state, board, rng, new_city(state, board), counters)
        elif phase == PHASE_SCORE:
            play_scoring(state, rng, policy, counters)
        elif phase == PHASE_SWAP:
            play_swaps(state, rng, counters)
        else:
            play_final(state, board, rng, policy, counters)


@shared
def _uniform_out(state: Words, board: Words, rng: Words, counters: Words) -> None:
    _play_out(state, board, rng, UNIFORM, counters)


@shared
def _busy_out(state: Words, board: Words, rng: Words, counters: Words) -> None:
    _play_out(state, board, rng, BUSY, counters)


@shared
def _busy_best_out(state: Words, board: Words, rng: Words, counters: Words) -> None:
    _play_out(state, board, rng, BUSY_BEST, counters)


@inlined
def play_out(state: Words, board: Words, rng: Words, policy: Word, counters: Words) -> None:
    """Play a dealt game to its end; see `_play_out`, compiled once for each policy."""
    if policy == UNIFORM:
        _uniform_out(state, board, rng, counters)
    elif policy == BUSY:
        _busy_out(state, board, rng, counters)
    else:
        _busy_best_out(state, board, rng, counters)


@inlined
def _run(
    start: WordArray,
    board: Words,
    rng: Words,
    count: Word,
    dealt: Word,
    state: Words,
    counters: Words,
    policy: Word,
) -> None:
    for first in range(U(0), U(len(start)), _WORDS):
        begin = ptr(start[first:])
        for _ in range(U(count)):
            copy_words(state, begin, _WORDS)
            if not dealt:
                deal_hands(state, rng)
            play_out(state, board, rng, policy, counters)
            add_up(state, counters)


# A kernel for each policy: in each the compiler knows the policy and drops what it does not need.


@kernel
def uniform_play(
    start: WordArray,
    board: WordArray,
    rng: WordArray,
    count: Word,
    dealt: Word,
    state: WordArray,
    counters: WordArray,
) -> None:
    """`play_games`, or `play_outs` where the cards are dealt, by uniform play."""
    _run(start, ptr(board), ptr(rng), count, dealt, ptr(state), ptr(counters), UNIFORM)


@kernel
def busy_play(
    start: WordArray,
    board: WordArray,
    rng: WordArray,
    count: Word,
    dealt: Word,
    state: WordArray,
    counters: WordArray,
) -> None:
    """`play_games`, or `play_outs` where the cards are dealt, by busy play."""
    _run(start, ptr(board), ptr(rng), count, dealt, ptr(state), ptr(counters), BUSY)


@kernel
def busy_best_play(
    start: WordArray,
    board: WordArray,
    rng: WordArray,
    count: Word,
    dealt: Word,
    state: WordArray,
    counters: WordArray,
) -> None:
    """`play_games`, or `play_outs` where the cards are dealt, by busy play with the best cards."""
    _run(start, ptr(board), ptr(rng), count, dealt, ptr(state), ptr(counters), BUSY_BEST)


_KERNELS: Final = (uniform_play, busy_play, busy_best_play)


def play_games(
    start: State,
    board: PackedBoard,
    rng: State,
    policy: int,
    games: int,
    state: State,
    counters: State,
) -> None:
    """Play `games` random games from the undealt state `start`; `policy` is a place in POLICIES.

    `state` (uint64[STATE_WORDS]) is workspace; `counters` (uint64[COUNTER_WORDS]) is added to.
    """
    _KERNELS[policy](start, board, rng, games, 0, state, counters)


def play_outs(
    start: State,
    board: PackedBoard,
    rng: State,
    policy: int,
    count: int,
    state: State,
    counters: State,
) -> None:
    """Play on `count` times from each of the dealt states in `start` (uint64[n * STATE_WORDS]).

    The rest as in `play_games`.
    """
    _KERNELS[policy](start, board, rng, count, 1, state, counters)
