"""The search loop: determinize, select, expand, play out, back up; iteration after iteration.

Information-set Monte-Carlo tree search of a single observer (Cowling, Powley and Whitehouse 2012)
with max^n values: each edge sums the rewards of the seat that decides there. Dice are chance, and
so are the observer's own draws; what other seats draw stays hidden and makes no branches.

A node is made when its edge or slot is taken for the second time, so an iteration that meets
something new plays out from there at once.
"""

from __future__ import annotations

from typing import Final

from masons.ai.actions import list_actions, widen
from masons.ai.determinize import determinize
from masons.ai.evaluate import win_shares
from masons.ai.selection import pick_hidden, pick_public
from masons.ai.tree import (
    CARD,
    CARD_SLOTS,
    CHILD,
    COUNT,
    EDGE_WORDS,
    FIRST_NODE,
    FREE,
    HIDDEN,
    HIDDEN_BLOCK,
    MOVE,
    PUBLIC,
    REPORT,
    REPORT_COLUMNS,
    ROLL,
    ROLL_SLOTS,
    ROWS_USED,
    SEEN_ONCE,
    TRIES,
    TYPE,
    VALUE_WORD,
    VISITS,
    edge_at,
    half,
    new_chance,
    new_node,
    slot_at,
)
from masons.engine.bits import U, high_product, nth_bit, popcount
from masons.engine.cards import draw_card
from masons.engine.jit import (
    Word,
    Words,
    bytes_of,
    copy_words,
    floats_of,
    halves_of,
    inner,
    kernel,
    ptr,
)
from masons.engine.layout import (
    DECK,
    KIND_SHIFT,
    NONE,
    PHASE,
    PHASE_DRAW,
    PHASE_OVER,
    PHASE_ROLL,
    PHASE_SCORE,
    PLAYERS,
    SEAT,
    STATE_WORDS,
    TOSS_MOVE,
)
from masons.engine.placing import empty_ends, roll_dice, skip_forced
from masons.engine.play import draw_random, play_out
from masons.engine.rng import below, next_word
from masons.engine.rules import apply_legal
from masons.engine.turns import score_of

# The longest path that is remembered; beyond it an iteration plays out.
MAX_DEPTH: Final = 512

# Words of the control array.
STOP: Final = 0
DONE: Final = 1
CONTROL_WORDS: Final = 2

_DEPTH = U(MAX_DEPTH)
_STATE = U(STATE_WORDS)
_COLUMNS = U(REPORT_COLUMNS)
_NO_TOWER_DIE = U(3)
_PAIRS_OF_FACES = U(21)


@inner
def new_decision(
    state: Words,
    board: Words,
    arena: Words,
    size: Word,
    observer: Word,
    least: Word,
    rows: Word,
    work: Words,
    roots: Words,
    actions: Words,
) -> Word:
    """A node for the decision that the state waits for; 0 where the arena is full.

    `rows` is the number of report rows that its edges may use; 0: the edges are not reported.
    """
    b = bytes_of(state)
    if b[PHASE] >= PHASE_SCORE and U(b[SEAT]) != observer:
        return new_node(arena, size, HIDDEN, HIDDEN_BLOCK * EDGE_WORDS, HIDDEN_BLOCK)
    count = list_actions(state, board, least, work, roots, actions)
    node = new_node(arena, size, PUBLIC, count * EDGE_WORDS, count)
    if node == U(0):
        return node
    h = halves_of(arena)
    h[half(node, COUNT)] = count
    for i in range(count):
        edge = edge_at(node, i)
        h[half(edge, MOVE)] = actions[i]
        if arena[ROWS_USED] + U(1) < rows:
            arena[ROWS_USED] += U(1)
            h[half(edge, REPORT)] = arena[ROWS_USED]
    return node


@inner
def random_roll(state: Words, board: Words, rng: Words) -> Word:
    """Roll the dice; the slot of the roll: tower colour (3: not rolled) * 21 + pair of faces."""
    word = next_word(rng)
    first, second = empty_ends(state, board)
    die = high_product(word, U(3))
    word *= U(3)
    die_1 = high_product(word, U(6))
    word *= U(6)
    die_2 = high_product(word, U(6))
    rolled = first or second
    roll_dice(state, board, die if rolled else NONE, die_1, die_2)
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
    tally: Words,
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
            draw_random(state, rng, tally)
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
    tally: Words,
) -> Word:
    """Select and expand: play on through the tree to something new; the number of edges in `path`.

    A path entry is the edge's offset times 4 plus the seat that decided.
    """
    h = halves_of(arena)
    b = bytes_of(state)
    node = root
    depth = least = U(0)
    while depth < _DEPTH:
        if U(h[half(node, TYPE)]) == HIDDEN:
            count = list_actions(state, board, least, work, roots, actions)
            edge = pick_hidden(arena, size, node, actions, count, marks, exploration, rng)
            if edge == U(0):
                return depth
        else:
            edge = pick_public(arena, node, exploration, rng)
        h[half(node, VISITS)] = U(h[half(node, VISITS)]) + U(1)
        path[depth] = (edge << U(2)) | U(b[SEAT])
        depth += U(1)
        move = widen(U(h[half(edge, MOVE)]))
        tossed = move >> KIND_SHIFT == TOSS_MOVE
        least = move & U(31) if tossed else U(0)
        apply_legal(state, board, move)
        skip_forced(state, board)
        # A swap is taken to its end (as long as the arena has room), so that an iteration tries a
        # whole one.
        if h[half(edge, TRIES)] == U(0) and not tossed:
            return depth
        link, goes_on = follow_chance(
            state, board, arena, size, observer, half(edge, CHILD), rng, tally
        )
        if not goes_on:
            return depth
        node = U(h[link])
        if node <= SEEN_ONCE:
            # A swap of the root's seat is reported as a whole, so all its steps have rows.
            shown = rows if tossed and h[half(edge, REPORT)] else U(0)
            node = new_decision(
                state, board, arena, size, observer, least, shown, work, roots, actions
            )
            if node == U(0):
                return depth
            h[link] = node
    return depth


@inner
def backup(
    state: Words, arena: Words, report: Words, path: Words, depth: Word, rewards: Words
) -> None:
    """Add the rewards of a finished game (`state`) to the edges of the path."""
    h = halves_of(arena)
    values = floats_of(arena)
    for i in range(depth):
        edge = path[i] >> U(2)
        h[half(edge, TRIES)] = U(h[half(edge, TRIES)]) + U(1)
        values[edge + VALUE_WORD] += rewards[path[i] & U(3)]
        row = U(h[half(edge, REPORT)])
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
    start: Words,
    board: Words,
    hidden: Words,
    arena: Words,
    report: Words,
    rng: Words,
    control: Words,
    iterations: Word,
    policy: Word,
    exploration: float,
    state: Words,
    path: Words,
    work: Words,
    roots: Words,
    actions: Words,
    marks: Words,
    rewards: Words,
    tally: Words,
) -> None:
    """Run iterations until there are `iterations` or `control[STOP]` is set.

    `start` (uint64[STATE_WORDS]): the observer's view, hidden cards in the deck; `hidden`
    (uint64[4]): how many of them each seat holds. Modified in place: `arena` (uint64[words]; see
    `tree`), `report` (float64[rows * REPORT_COLUMNS]), `rng` (uint64[1]), `control`
    (uint64[CONTROL_WORDS]; DONE counts). The rest is room to work in: uint64 `state` [STATE_WORDS],
    `path` [MAX_DEPTH], `work` [WORK_WORDS], `roots` [MAX_CITIES], `actions` [MAX_MOVES], `marks`
    [CARD_MOVES, all 0], `tally` [TALLY_WORDS], float64 `rewards` [4].
    """
    size = U(len(arena))
    rows = U(len(report)) // _COLUMNS
    s, table, random = ptr(state), ptr(board), ptr(rng)
    a, r, p, w = ptr(arena), ptr(report), ptr(path), ptr(work)
    ro, ac, m, sums, shares = ptr(roots), ptr(actions), ptr(marks), ptr(tally), ptr(rewards)
    begin, unseen, flags = ptr(start), ptr(hidden), ptr(control)
    observer = U(bytes_of(begin)[SEAT])
    root = U(FIRST_NODE)
    if a[FREE] == root:
        root = new_decision(begin, table, a, size, observer, U(0), rows, w, ro, ac)
    while flags[DONE] < U(iterations) and flags[STOP] == U(0):
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
