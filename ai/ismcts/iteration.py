"""The search loop: determinize, select, expand, play out, back up; iteration after iteration.

Information-set Monte-Carlo tree search of a single observer (Cowling, Powley and Whitehouse 2012)
with max^n values: each edge sums the rewards of the seat that decides there. Dice are chance, and
so are the observer's own draws; what other seats draw stays hidden and makes no branches.

A node is made when its edge or slot is taken for the second time, so an iteration that meets
something new plays out from there at once.
"""

from __future__ import annotations

import math
from typing import Final

from masons.ai.beliefs.determinization import determinize
from masons.ai.evaluation.rewards import win_shares
from masons.ai.ismcts.selection import pick_hidden, pick_public
from masons.ai.ismcts.tree import (
    CAPACITY,
    CARD,
    CARD_SLOTS,
    CHILD,
    EDGE_VISITS,
    FIRST_NODE,
    FREE,
    HEADER_WORDS,
    HIDDEN,
    LINE_WORDS,
    LINES,
    MOVE,
    MOVES,
    REPORT,
    REPORT_COLUMNS,
    ROLL,
    ROLL_SLOTS,
    ROWS_USED,
    SEEN_ONCE,
    TYPE,
    VALUE_WORD,
    VISITS,
    edge_at,
    half,
    mean_at,
    new_chance,
    new_decision_node,
    slot_at,
)
from masons.ai.ismcts.tree_actions import NARROW_SHIFT, list_actions, widen
from masons.ai.search.control import DEADLINE, DONE, STOP
from masons.engine.kernels.bits import U, add, count4, high_product, nth_bit, popcount
from masons.engine.kernels.clock import now_ns
from masons.engine.kernels.jit import (
    FloatArray,
    Floats,
    Single,
    Word,
    WordArray,
    Words,
    bytes_of,
    copy_words,
    floats_of,
    halves_of,
    inner,
    kernel,
    ptr,
    singles_of,
)
from masons.engine.kernels.rng import below, next_word
from masons.engine.playouts.random_deals import draw_random
from masons.engine.playouts.random_games import play_out
from masons.engine.rules.cards import draw_card
from masons.engine.rules.dice import skip_forced, throw_dice
from masons.engine.rules.transitions import apply_legal
from masons.engine.rules.turns import score_of
from masons.engine.state.layout import (
    DECK,
    EARLY_ROLL_OPTION,
    EXCHANGE_MOVE,
    KIND_SHIFT,
    NONE,
    OPEN,
    OPTIONS,
    PHASE,
    PHASE_DRAW,
    PHASE_OVER,
    PHASE_ROLL,
    PHASE_SCORE,
    PHASE_WALL,
    PLAYERS,
    ROLLED,
    SEAT,
    STATE_WORDS,
)

# The longest path that is remembered; beyond it an iteration plays out.
MAX_DEPTH: Final = 512
PATH_WORDS: Final = 3 * MAX_DEPTH

# So many iterations pass between two looks at the clock: some 0.1 ms.
_CLOCK_STEP = U(16)

_DEPTH = U(MAX_DEPTH)
_STATE = U(STATE_WORDS)
_COLUMNS = U(REPORT_COLUMNS)
_NO_TOWER_DIE = U(3)
_PAIRS_OF_FACES = U(21)


@inner
def _wall_node(state: Words, arena: Words, size: Word) -> Word:
    """A LINES node with all the lines that are open untried; 0: no room."""
    b = bytes_of(state)
    early = U(b[OPTIONS]) & EARLY_ROLL_OPTION and b[ROLLED] == U(0)
    count = count4(state, OPEN) + U(early)
    node = new_decision_node(arena, size, LINES, count)
    if node:
        for i in range(LINE_WORDS):
            arena[node + HEADER_WORDS + i] = state[OPEN + i]
        if early:
            add(arena, node + HEADER_WORDS, NONE)
    return node


@inner
def new_decision(
    state: Words,
    board: Words,
    arena: Words,
    size: Word,
    observer: Word,
    least: Word,
    work: Words,
    roots: Words,
    actions: Words,
) -> Word:
    """A node for the decision that the state waits for; 0 where the arena is full."""
    b = bytes_of(state)
    if b[PHASE] == PHASE_WALL:
        return _wall_node(state, arena, size)
    if b[PHASE] >= PHASE_SCORE and U(b[SEAT]) != observer:
        return new_decision_node(arena, size, HIDDEN, U(0))
    count = list_actions(state, board, least, work, roots, actions)
    node = new_decision_node(arena, size, MOVES, count)
    if node:
        h = halves_of(arena)
        for i in range(count):
            h[half(node + HEADER_WORDS, i)] = actions[i]
    return node


@inner
def random_roll(state: Words, board: Words, rng: Words) -> Word:
    """Roll the dice; the slot of the roll: tower colour (3: not rolled) * 21 + pair of faces."""
    word = next_word(rng)
    die = high_product(word, U(3))
    word *= U(3)
    die_1 = high_product(word, U(6))
    word *= U(6)
    die_2 = high_product(word, U(6))
    rolled = throw_dice(state, board, die, die_1, die_2)
    high, low = max(die_1, die_2), min(die_1, die_2)
    color = die if rolled else _NO_TOWER_DIE
    return color * _PAIRS_OF_FACES + ((high * (high + U(1))) >> U(1)) + low


@inner
def random_draw(state: Words, rng: Words) -> Word:
    """Draw one card; its kind is the slot."""
    deck = state[DECK]
    card = nth_bit(deck, below(rng, popcount(deck)))
    draw_card(state, U(1) << card)
    return card >> U(1)


@inner
def follow_chance(
    state: Words,
    board: Words,
    arena: Words,
    size: Word,
    observer: Word,
    link: Word,
    rng: Words,
    counters: Words,
) -> tuple[Word, bool]:
    """Let luck happen up to the next decision, along or making the chance nodes after `link`.

    `link` is the half that holds the next node. Returns the half that holds the decision's node,
    and whether the tree goes on there.
    """
    h = halves_of(arena)
    b = bytes_of(state)
    while True:
        phase = U(b[PHASE])
        if phase == PHASE_OVER:
            return link, False
        if phase == PHASE_DRAW and U(b[SEAT]) != observer:
            draw_random(state, rng, counters)
            continue
        if phase != PHASE_ROLL and phase != PHASE_DRAW:
            return link, True
        node = U(h[link])
        if node <= SEEN_ONCE:
            if phase == PHASE_ROLL:
                node = new_chance(arena, size, ROLL, ROLL_SLOTS)
            else:
                node = new_chance(arena, size, CARD, CARD_SLOTS)
            if node == U(0):
                return link, False
            h[link] = node
        h[half(node, VISITS)] = U(h[half(node, VISITS)]) + U(1)
        if phase == PHASE_ROLL:
            slot = random_roll(state, board, rng)
            skip_forced(state, board)
        else:
            slot = random_draw(state, rng)
        link = slot_at(node, slot)
        if h[link] == U(0):
            h[link] = SEEN_ONCE
            return link, False


@inner
def give_row(arena: Words, edge: Word, rows: Word) -> None:
    """Let an edge of a decision of the root's be reported, while there are rows."""
    h = halves_of(arena)
    if h[half(edge, REPORT)] == U(0) and arena[ROWS_USED] + U(1) < rows:
        arena[ROWS_USED] += U(1)
        h[half(edge, REPORT)] = arena[ROWS_USED]


@inner
def descend(
    state: Words,
    board: Words,
    arena: Words,
    size: Word,
    root: Word,
    observer: Word,
    exploration: float,
    rng: Words,
    rows: Word,
    path: Words,
    work: Words,
    roots: Words,
    actions: Words,
    marks: Words,
    counters: Words,
) -> Word:
    """Select and expand: play on through the tree to something new; the number of edges in `path`.

    An edge takes three words of the path: its offset times 4 plus the seat that decided, and the
    halves with its mean and its spread.
    """
    h = halves_of(arena)
    b = bytes_of(state)
    node = root
    depth = least = U(0)
    shown = True
    while depth < _DEPTH:
        if U(h[half(node, TYPE)]) == HIDDEN:
            count = list_actions(state, board, least, work, roots, actions)
            block, i = pick_hidden(arena, size, node, actions, count, marks, exploration, rng)
        else:
            block, i = pick_public(arena, size, node, exploration, rng)
        if block == U(0):
            return depth
        edge = edge_at(arena, block, i)
        if shown and U(h[half(edge, MOVE)]) >> NARROW_SHIFT != EXCHANGE_MOVE:
            give_row(arena, edge, rows)
        h[half(node, VISITS)] = U(h[half(node, VISITS)]) + U(1)
        path[U(3) * depth] = (edge << U(2)) | U(b[SEAT])
        path[U(3) * depth + U(1)] = mean_at(block, i)
        path[U(3) * depth + U(2)] = mean_at(block, i) + U(h[half(block, CAPACITY)])
        depth += U(1)
        move = widen(U(h[half(edge, MOVE)]))
        exchanged = move >> KIND_SHIFT == EXCHANGE_MOVE
        least = move & U(31) if exchanged else U(0)
        # A swap of the root's seat is reported as a whole, so all its steps have rows.
        shown = shown and exchanged
        apply_legal(state, board, move)
        skip_forced(state, board)
        # A swap is taken to its end (as long as the arena has room), so that an iteration tries a
        # whole one.
        if h[half(edge, EDGE_VISITS)] == U(0) and not exchanged:
            return depth
        link, goes_on = follow_chance(
            state, board, arena, size, observer, half(edge, CHILD), rng, counters
        )
        if not goes_on:
            return depth
        node = U(h[link])
        if node <= SEEN_ONCE:
            node = new_decision(state, board, arena, size, observer, least, work, roots, actions)
            if node == U(0):
                return depth
            h[link] = node
    return depth


@inner
def backup(
    state: Words, arena: Words, report: Floats, path: Words, depth: Word, rewards: Floats
) -> None:
    """Add the rewards of a finished game (`state`) to the edges of the path."""
    h, singles = halves_of(arena), singles_of(arena)
    values = floats_of(arena)
    shown = True
    for i in range(depth):
        edge = path[U(3) * i] >> U(2)
        tries = U(h[half(edge, EDGE_VISITS)]) + U(1)
        h[half(edge, EDGE_VISITS)] = tries
        values[edge + VALUE_WORD] += rewards[path[U(3) * i] & U(3)]
        singles[path[U(3) * i + U(1)]] = Single(values[edge + VALUE_WORD] / float(tries))
        singles[path[U(3) * i + U(2)]] = Single(1.0 / math.sqrt(float(tries)))
        if shown:
            _add_row(state, report, U(h[half(edge, REPORT)]), rewards)
            shown = U(h[half(edge, MOVE)]) >> NARROW_SHIFT == EXCHANGE_MOVE


@inner
def _add_row(state: Words, report: Floats, row: Word, rewards: Floats) -> None:
    """Add the rewards and scores of a finished game to a row of the report; 0 is no row."""
    if row:
        at = row * _COLUMNS
        report[at] += 1.0
        for seat in range(U(bytes_of(state)[PLAYERS])):
            reward = rewards[seat]
            report[at + U(1) + seat] += reward
            report[at + U(5) + seat] += reward * reward
            report[at + U(9) + seat] += float(score_of(state, seat))


@kernel
def run_search(
    start: WordArray,
    board: WordArray,
    hidden: WordArray,
    arena: WordArray,
    report: FloatArray,
    rng: WordArray,
    control: WordArray,
    iterations: Word,
    policy: Word,
    exploration: float,
    state: WordArray,
    path: WordArray,
    work: WordArray,
    roots: WordArray,
    actions: WordArray,
    marks: WordArray,
    rewards: FloatArray,
    counters: WordArray,
) -> None:
    """Run iterations until there are `iterations`, `control[STOP]` is set, or the deadline comes.

    `start` (uint64[STATE_WORDS]): the observer's view, hidden cards in the deck; `hidden`
    (uint64[4]): how many of them each seat holds. Modified in place: `arena` (uint64[words]; see
    `tree`), `report` (float64[rows * REPORT_COLUMNS]), `rng` (uint64[1]), `control`
    (uint64[CONTROL_WORDS]; DONE counts). The rest is workspace: uint64 `state` [STATE_WORDS],
    `path` [PATH_WORDS], `work` [WORK_WORDS], `roots` [MAX_CITIES], `actions` [MAX_MOVES], `marks`
    [CARD_MOVES, all 0], `counters` [COUNTER_WORDS], float64 `rewards` [4].
    """
    size = U(len(arena))
    rows = U(len(report)) // _COLUMNS
    s, table, random = ptr(state), ptr(board), ptr(rng)
    a, r, p, w = ptr(arena), ptr(report), ptr(path), ptr(work)
    ro, ac, m, sums, shares = ptr(roots), ptr(actions), ptr(marks), ptr(counters), ptr(rewards)
    begin, unseen, flags = ptr(start), ptr(hidden), ptr(control)
    observer = U(bytes_of(begin)[SEAT])
    root = U(FIRST_NODE)
    if a[FREE] == root:
        root = new_decision(begin, table, a, size, observer, U(0), w, ro, ac)
    while flags[DONE] < U(iterations) and flags[STOP] == U(0):
        if flags[DEADLINE] and flags[DONE] % _CLOCK_STEP == U(0) and now_ns() >= flags[DEADLINE]:
            break
        copy_words(s, begin, _STATE)
        determinize(s, unseen, random)
        depth = descend(
            s, table, a, size, root, observer, exploration, random, rows, p, w, ro, ac, m, sums
        )
        if bytes_of(s)[PHASE] != PHASE_OVER:
            play_out(s, table, random, U(policy), sums)
        win_shares(s, shares)
        backup(s, a, r, p, depth, shares)
        flags[DONE] += U(1)
