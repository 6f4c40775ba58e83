"""Random play at full speed, of whole games or from any state to the end.

The loop in `play_turns` plays whole turns until a city is completed. Then `play_scoring` plays the
scoring and the swaps. Both functions update the state's phase only at their end. Random choices are
applied by the same functions as a caller's moves.
"""

from __future__ import annotations

from typing import Final

from masons.engine.board.components import TOWER_COLORS
from masons.engine.board.packed_board import HOLES, LINE_COUNT, PackedBoard
from masons.engine.kernels.bits import U, high_product, nth_bit, popcount
from masons.engine.kernels.jit import (
    Byte,
    Bytes,
    Word,
    Words,
    bytes_of,
    copy_words,
    equal_bytes,
    inlined,
    inner,
    offset,
    shared,
    stack_bytes,
)
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import STEP, below, next_word, word_after
from masons.engine.playouts.counters import COUNT_DECISIONS, COUNT_MERGES, add_up
from masons.engine.playouts.random_moves import (
    BUSY,
    BUSY_BEST,
    UNIFORM,
    pick_outcome,
    random_houses,
    random_line,
    random_towers,
)
from masons.engine.playouts.random_scoring import (
    deal_hands,
    draw_random,
    play_finals,
    play_scoring,
    play_swaps,
)
from masons.engine.rules.cities_and_palaces import NewCity, new_city
from masons.engine.rules.placement import (
    colors_placed,
    ended_by,
    join_towers,
    lacking_house,
    line_ends,
    place_houses,
    place_towers,
    raise_houses,
    raise_towers,
    raise_wall,
    settle_closing,
)
from masons.engine.rules.roll_outcomes import (
    HOUSE_COUNTS,
    HOUSE_STEPS,
    PAIRS_OF_DICE,
    TOWER_COUNTS,
    TOWER_FACES,
    TOWER_STEPS,
    choices_made,
    house_outcomes,
    packed_towers,
    tower_bytes,
    tower_outcomes,
)
from masons.engine.rules.transitions import dice_rolled, empty_ends, ends_without, two_spaces
from masons.engine.rules.turns import end_without_line, finish_building, finish_merge, pass_turns
from masons.engine.state import layout

_WORDS = U(layout.STATE_WORDS)
_QUARTER = U(layout.STATE_WORDS // 4)


@inlined
def play_turns(state: Words, board: Words, rng: Words, policy: Word, counters: Words) -> None:
    """Play turns from a wall decision on, until a turn completes a city or ends the game.

    Supplies, and fields that change in the same way each turn, are written to the state only after
    the last of these turns. With the policy UNIFORM, so are the sets of towers: the address of a
    set depends on the color rolled, and the processor would wait for it in each turn. Other
    policies play too few turns at a time to gain from this.
    """
    b = bytes_of(state)
    sets = policy != UNIFORM
    walls = U(b[layout.WALL_LEFT])
    towers, houses = packed_towers(state[layout.TOWER_SUPPLY]), state[layout.HOUSE_SUPPLY]
    land = state[layout.LAND_HOUSES]
    turns = closes = step = U(0)
    colors = stack_bytes()
    # The generator's position one turn ago. The random words of a turn do not depend on any draw in
    # the turn before, so the processor can compute them early.
    place = rng[0]
    seed = place + U(2) * STEP
    while True:
        word, dice_word = word_after(place), word_after(place + STEP)
        place, rng[0] = seed, seed + U(2) * STEP
        line = random_line(state, board, rng, policy, word)
        if line == layout.NONE:
            break
        closes, label_1, label_2 = raise_wall(state, board, line, sets)
        word = word * board[LINE_COUNT] if policy == UNIFORM else next_word(rng)
        seed = rng[0]
        step = random_towers(towers, empty_ends(label_1, label_2), word)
        join_towers(state, board, line, (label_1, label_2), step, sets)
        if sets:
            raise_towers(state, board, line, step)
        else:
            _note_colors(colors, board, line, step)
        towers -= step
        step, is_last = random_houses(houses & HOUSE_COUNTS, two_spaces(board, line), dice_word)
        land += raise_houses(state, board, line, step)
        houses -= step
        turns += U(1)
        if closes | is_last | U(towers & TOWER_COUNTS == U(0)) | U(turns == walls):
            break
        if sets and board[HOLES]:
            settle_closing(state, board)
    counters[COUNT_DECISIONS] += turns + choices_made(towers, houses)
    if not sets:
        _raise_noted(state, colors)
    walls -= turns
    towers, houses = tower_bytes(towers), houses & HOUSE_COUNTS
    if houses == U(0):
        land -= lacking_house(board, line, step)
    b[layout.WALL_LEFT] = walls
    state[layout.TOWER_SUPPLY], state[layout.HOUSE_SUPPLY], state[layout.LAND_HOUSES] = (
        towers,
        houses,
        land,
    )
    if line == layout.NONE:
        pass_turns(state, turns)
        end_without_line(state)
    else:
        pass_turns(state, turns - U(1))
        b[layout.LINE], b[layout.CLOSES], b[layout.END] = (
            line,
            closes,
            ended_by(walls, towers, houses),
        )
        _finish_turn(state, board, rng, counters)


@inlined
def _note_colors(colors: Bytes, board: Words, line: Word, step: Word) -> None:
    """Note the towers that a step puts at the ends of a line, each in the byte of its space."""
    first, second = line_ends(board, line)
    color_1, color_2 = colors_placed(step)
    colors[first] |= Byte(color_1)
    colors[second] |= Byte(color_2)


@inlined
def _raise_noted(state: Words, colors: Bytes) -> None:
    """Put all towers that `_note_colors` noted into TOWERS."""
    for color in range(U(len(TOWER_COLORS))):
        towers = offset(state, layout.TOWERS + U(2) * color)
        towers[0] |= equal_bytes(colors, color + U(1))
        towers[1] |= equal_bytes(offset(colors, U(64)), color + U(1))


@inlined
def _finish_turn(state: Words, board: Words, rng: Words, counters: Words) -> None:
    """Finish a turn whose houses have been placed, and make a random merge if one is due."""
    city = finish_building(state, board)
    if city.beside_lo | city.beside_hi:
        _random_merge(state, board, rng, city, counters)


@inlined
def place_turn(state: Words, board: Words, rng: Words, counters: Words) -> None:
    """Roll the dice if they are due, and place towers and houses at random."""
    b = bytes_of(state)
    line = U(b[layout.LINE])
    word = next_word(rng)
    phase = U(b[layout.PHASE])
    die, dice = U(b[layout.DIE]), dice_rolled(state)
    if phase == layout.PHASE_ROLL:
        die = high_product(word, TOWER_FACES)
        word *= TOWER_FACES
        dice = high_product(word, PAIRS_OF_DICE)
        word *= PAIRS_OF_DICE
    if phase != layout.PHASE_HOUSES:
        outcomes = tower_outcomes(state[layout.TOWER_SUPPLY], die, ends_without(state, board, line))
        code, choice = pick_outcome(outcomes, word)
        place_towers(state, board, line, TOWER_STEPS[code], True)
        counters[COUNT_DECISIONS] += choice
    outcomes = house_outcomes(state[layout.HOUSE_SUPPLY], dice, two_spaces(board, line))
    code, choice = pick_outcome(outcomes, next_word(rng))
    place_houses(state, board, line, HOUSE_STEPS[code])
    counters[COUNT_DECISIONS] += choice


@inner
def go_on_turn(state: Words, board: Words, rng: Words, counters: Words) -> None:
    """Play the rest of a turn that waits for its roll, its towers or its houses."""
    place_turn(state, board, rng, counters)
    _finish_turn(state, board, rng, counters)


@inner
def _random_merge(state: Words, board: Words, rng: Words, city: NewCity, counters: Words) -> None:
    """Merge the new city at random with one of the cities beside it, or with no city."""
    lo, hi = city.beside_lo, city.beside_hi
    low = popcount(lo)
    count = low + popcount(hi)
    n = below(rng, count + U(1))
    other = layout.NONE
    if n < low:
        other = nth_bit(lo, n)
    elif n < count:
        other = U(64) + nth_bit(hi, n - low)
    finish_merge(state, board, city, other)
    counters[COUNT_DECISIONS] += U(1)
    counters[COUNT_MERGES] += U(other != layout.NONE)


@inlined
def _play_out(state: Words, board: Words, rng: Words, policy: Word, counters: Words) -> None:
    """Play a game to its end. `state` is modified in place."""
    b = bytes_of(state)
    while True:
        phase = U(b[layout.PHASE])
        if phase == layout.PHASE_WALL:
            play_turns(state, board, rng, policy, counters)
        elif phase < layout.PHASE_MERGE:
            go_on_turn(state, board, rng, counters)
        elif phase == layout.PHASE_OVER:
            return
        elif phase == layout.PHASE_DRAW:
            draw_random(state, rng, counters)
        elif phase == layout.PHASE_MERGE:
            _random_merge(state, board, rng, new_city(state, board), counters)
        elif phase == layout.PHASE_SCORE:
            play_scoring(state, rng, policy, counters)
        elif phase == layout.PHASE_SWAP:
            play_swaps(state, rng, counters)
        else:
            play_finals(state, board, rng, policy, counters)


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
    """Play a dealt game to its end with the function that was compiled for `policy`."""
    if policy == UNIFORM:
        _uniform_out(state, board, rng, counters)
    elif policy == BUSY:
        _busy_out(state, board, rng, counters)
    else:
        _busy_best_out(state, board, rng, counters)


@inlined
def _copy_state(state: Words, begin: Words) -> None:
    """Copy a state in four parts, which are small enough for the compiler to inline."""
    copy_words(state, begin, _QUARTER)
    copy_words(offset(state, _QUARTER), offset(begin, _QUARTER), _QUARTER)
    copy_words(offset(state, U(2) * _QUARTER), offset(begin, U(2) * _QUARTER), _QUARTER)
    copy_words(offset(state, U(3) * _QUARTER), offset(begin, U(3) * _QUARTER), _QUARTER)


@inlined
def _run(
    start: Words,
    starts: Word,
    board: Words,
    rng: Words,
    count: Word,
    dealt: Word,
    state: Words,
    counters: Words,
    policy: Word,
) -> None:
    for number in range(starts):
        begin = offset(start, _WORDS * number)
        for _ in range(count):
            _copy_state(state, begin)
            if not dealt:
                deal_hands(state, rng)
            play_out(state, board, rng, policy, counters)
            add_up(state, counters)


# There is a kernel for each policy, so that the compiler drops the code of the other policies.


@kernel
def uniform_play(
    start: Words,
    starts: Word,
    board: Words,
    rng: Words,
    count: Word,
    dealt: Word,
    state: Words,
    counters: Words,
) -> None:
    """Play `count` games from each of `starts` states with the policy UNIFORM.

    If `dealt` is 1, the hands in `start` are kept, as in `play_outs`. If it is 0, hands are dealt
    first, as in `play_games`.
    """
    _run(start, starts, board, rng, count, dealt, state, counters, UNIFORM)


@kernel
def busy_play(
    start: Words,
    starts: Word,
    board: Words,
    rng: Words,
    count: Word,
    dealt: Word,
    state: Words,
    counters: Words,
) -> None:
    """Play games with the policy BUSY; the arguments are those of `uniform_play`."""
    _run(start, starts, board, rng, count, dealt, state, counters, BUSY)


@kernel
def busy_best_play(
    start: Words,
    starts: Word,
    board: Words,
    rng: Words,
    count: Word,
    dealt: Word,
    state: Words,
    counters: Words,
) -> None:
    """Play games with the policy BUSY_BEST; the arguments are those of `uniform_play`."""
    _run(start, starts, board, rng, count, dealt, state, counters, BUSY_BEST)


_KERNELS: Final = (uniform_play, busy_play, busy_best_play)


def play_games(
    start: layout.State,
    board: PackedBoard,
    rng: layout.State,
    policy: int,
    games: int,
    state: layout.State,
    counters: layout.State,
) -> None:
    """Play `games` random games from the state `start`, in which no hands are dealt yet.

    `rng` is the generator's state, and `policy` is an index into POLICIES. `state`
    (uint64[STATE_WORDS]) is a workspace. Results are added to `counters` (uint64[COUNTER_WORDS]).
    """
    _KERNELS[policy](start, 1, board, rng, games, 0, state, counters)


def play_outs(
    start: layout.State,
    board: PackedBoard,
    rng: layout.State,
    policy: int,
    count: int,
    state: layout.State,
    counters: layout.State,
) -> None:
    """Play `count` games from each of the dealt states in `start` (uint64[n * STATE_WORDS]).

    The other arguments are the same as for `play_games`.
    """
    starts = start.size // int(layout.STATE_WORDS)
    _KERNELS[policy](start, starts, board, rng, count, 1, state, counters)
