"""The search loop: determinize, select, expand, play out, back up.

This is information-set Monte Carlo tree search with a single observer (Cowling, Powley and
Whitehouse 2012) with max^n values: each edge sums the rewards of the seat that chooses it. Dice and
the observer's own draws are chance nodes. Draws of other seats stay hidden and make no branches.

A node is created when the edge or slot that leads to it is taken for the second time (a slot is a
branch of a chance node). An iteration that reaches an edge or slot without a node plays the game
out.
"""

from __future__ import annotations

import math
from typing import Annotated, Final, NamedTuple

from masons.ai.beliefs.determinization import determinize
from masons.ai.evaluation.rewards import fill_rewards
from masons.ai.ismcts import tree as nodes
from masons.ai.ismcts.selection import pick_hidden, pick_public
from masons.ai.ismcts.tree import edge_at, half, list_actions, mean_at, slot_at, widen
from masons.ai.search.threads import DEADLINE, DONE, STOP
from masons.engine.kernels.bits import U, add, count4, high_product, nth_bit, popcount
from masons.engine.kernels.jit import (
    Floats,
    Single,
    Word,
    Words,
    bytes_of,
    floats_of,
    halves_of,
    inlined,
    inner,
    now_ns,
    singles_of,
)
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import below, next_word
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.playouts.random_games import play_out
from masons.engine.playouts.random_scoring import draw_random
from masons.engine.rules.legal_moves import MAX_CITIES, MAX_MOVES, WORK_WORDS
from masons.engine.rules.transitions import apply_legal, skip_forced, throw_dice
from masons.engine.rules.turns import draw_card, score_of
from masons.engine.state import layout

# Upper limit for the length of a path. An iteration that reaches it plays the game out from there.
MAX_DEPTH: Final = 512
PATH_WORDS: Final = 3 * MAX_DEPTH

# Number of iterations (about 0.1 ms) between two readings of the clock.
_CLOCK_STEP = U(16)

_DEPTH = U(MAX_DEPTH)
_COLUMNS = U(nodes.REPORT_COLUMNS)
_NO_TOWER_DIE = U(3)
_PAIRS_OF_FACES = U(21)


class View(NamedTuple):
    """The observer's view. Kernels do not modify it."""

    state: Words  # uint64[STATE_WORDS]: hidden cards are in the deck; SEAT is the observer
    board: Words  # uint64[BOARD_WORDS]: the packed board
    hidden: Words  # uint64[4]: the number of hidden cards in each seat's hand


class Tree(NamedTuple):
    """A growing tree and its report. Everything in it is modified in place."""

    arena: Words  # uint64[size] (see `tree`)
    size: Word
    report: Floats  # float64[rows * REPORT_COLUMNS]: the sums of the root moves
    rows: Word


class Workspace(NamedTuple):
    """A thread's workspace. Everything in it is modified in place."""

    state: Annotated[Words, layout.STATE_WORDS]  # the game of an iteration
    path: Annotated[Words, PATH_WORDS]  # the edges of an iteration
    work: Annotated[Words, WORK_WORDS]  # for listing moves
    roots: Annotated[Words, MAX_CITIES]  # for listing moves
    actions: Annotated[Words, MAX_MOVES]  # the moves of a decision, narrowed to 32 bits
    marks: Annotated[Words, nodes.CARD_MOVES]  # flags for `pick_hidden`; all 0 between uses
    counters: Annotated[Words, COUNTER_WORDS]
    rewards: Annotated[Floats, 4]  # each seat's reward


@inner
def _wall_node(state: Words, arena: Words, size: Word) -> Word:
    """Return a new LINES node with all open lines untried, or 0 if the arena is full."""
    b = bytes_of(state)
    early = U(b[layout.OPTIONS]) & layout.EARLY_ROLL_OPTION and b[layout.ROLLED] == U(0)
    count = count4(state, layout.OPEN) + U(early)
    node = nodes.new_decision_node(arena, size, nodes.LINES, count)
    if node:
        for i in range(nodes.LINE_WORDS):
            arena[node + nodes.HEADER_WORDS + i] = state[layout.OPEN + i]
        if early:
            add(arena, node + nodes.HEADER_WORDS, layout.NONE)
    return node


@inner
def new_decision(
    state: Words, board: Words, tree: Tree, observer: Word, least: Word, workspace: Workspace
) -> Word:
    """Return a new node for the decision that is due in the state, or 0 if the arena is full.

    `least` is the lowest kind of card that a swap in progress may still discard.
    """
    arena, size, actions = tree.arena, tree.size, workspace.actions
    b = bytes_of(state)
    if b[layout.PHASE] == layout.PHASE_WALL:
        return _wall_node(state, arena, size)
    if b[layout.PHASE] >= layout.PHASE_SCORE and U(b[layout.SEAT]) != observer:
        return nodes.new_decision_node(arena, size, nodes.HIDDEN, U(0))
    count = list_actions(state, board, least, workspace.work, workspace.roots, actions)
    node = nodes.new_decision_node(arena, size, nodes.MOVES, count)
    if node:
        h = halves_of(arena)
        for i in range(count):
            h[half(node + nodes.HEADER_WORDS, i)] = actions[i]
    return node


@inner
def roll_to_slot(state: Words, board: Words, rng: Words) -> Word:
    """Roll the dice and return the slot of the roll.

    The slot is 21 * tower color + pair of faces, where the color is 3 if the tower die is not
    rolled.
    """
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
def draw_to_slot(state: Words, rng: Words) -> Word:
    """Draw a random card and return its kind, which is also its slot number."""
    deck = state[layout.DECK]
    card = nth_bit(deck, below(rng, popcount(deck)))
    draw_card(state, U(1) << card)
    return card >> U(1)


@inlined
def follow_chance(
    board: Words, tree: Tree, observer: Word, link: Word, rng: Words, workspace: Workspace
) -> tuple[Word, bool]:
    """Play dice and draws up to the next decision; follow or create the chance nodes after `link`.

    `link` is the index of the half (see `tree`) that contains the next node. Returns the index of
    the half that contains the decision's node, and whether the path goes on with this decision.
    Unlike other loops over chance events, this loop must know each roll and card, because they
    select the slots of nodes.
    """
    state, arena, size = workspace.state, tree.arena, tree.size
    h = halves_of(arena)
    b = bytes_of(state)
    while True:
        phase = U(b[layout.PHASE])
        if phase == layout.PHASE_OVER:
            return link, False
        if phase == layout.PHASE_DRAW and U(b[layout.SEAT]) != observer:
            draw_random(state, rng, workspace.counters)
            continue
        if phase != layout.PHASE_ROLL and phase != layout.PHASE_DRAW:
            return link, True
        node = U(h[link])
        if node <= nodes.SEEN_ONCE:
            if phase == layout.PHASE_ROLL:
                node = nodes.new_chance(arena, size, nodes.ROLL, nodes.ROLL_SLOTS)
            else:
                node = nodes.new_chance(arena, size, nodes.CARD, nodes.CARD_SLOTS)
            if node == U(0):
                return link, False
            h[link] = node
        h[half(node, nodes.VISITS)] = U(h[half(node, nodes.VISITS)]) + U(1)
        if phase == layout.PHASE_ROLL:
            slot = roll_to_slot(state, board, rng)
            skip_forced(state, board)
        else:
            slot = draw_to_slot(state, rng)
        link = slot_at(node, slot)
        if h[link] == U(0):
            h[link] = nodes.SEEN_ONCE
            return link, False


@inner
def give_row(arena: Words, edge: Word, rows: Word) -> None:
    """Assign a row of the report to an edge of a root decision, if a row is left."""
    h = halves_of(arena)
    if h[half(edge, nodes.REPORT)] == U(0) and arena[nodes.ROWS_USED] + U(1) < rows:
        arena[nodes.ROWS_USED] += U(1)
        h[half(edge, nodes.REPORT)] = arena[nodes.ROWS_USED]


@inlined
def descend(
    view: View, tree: Tree, root: Word, exploration: float, rng: Words, workspace: Workspace
) -> Word:
    """Select and expand: play along the tree up to a new node, and return the length of the path.

    Each edge takes three words of the path. The first word is the offset of the edge times 4 plus
    the seat that decided. The other two are the indices of the halves (see `tree`) that contain the
    edge's mean and the edge's spread.
    """
    board, observer = view.board, U(bytes_of(view.state)[layout.SEAT])
    state, path, actions = workspace.state, workspace.path, workspace.actions
    arena, size = tree.arena, tree.size
    h = halves_of(arena)
    b = bytes_of(state)
    node = root
    depth = least = U(0)
    shown = True
    while depth < _DEPTH:
        if U(h[half(node, nodes.TYPE)]) == nodes.HIDDEN:
            count = list_actions(state, board, least, workspace.work, workspace.roots, actions)
            block, i = pick_hidden(
                arena, size, node, actions, count, workspace.marks, exploration, rng
            )
        else:
            block, i = pick_public(arena, size, node, exploration, rng)
        if block == U(0):
            return depth
        edge = edge_at(arena, block, i)
        if shown and U(h[half(edge, nodes.MOVE)]) >> nodes.NARROW_SHIFT != layout.EXCHANGE_MOVE:
            give_row(arena, edge, tree.rows)
        h[half(node, nodes.VISITS)] = U(h[half(node, nodes.VISITS)]) + U(1)
        path[U(3) * depth] = (edge << U(2)) | U(b[layout.SEAT])
        path[U(3) * depth + U(1)] = mean_at(block, i)
        path[U(3) * depth + U(2)] = mean_at(block, i) + U(h[half(block, nodes.CAPACITY)])
        depth += U(1)
        move = widen(U(h[half(edge, nodes.MOVE)]))
        exchanged = move >> layout.KIND_SHIFT == layout.EXCHANGE_MOVE
        least = move & U(31) if exchanged else U(0)
        # A swap at the root is reported as a whole, so only the edges that close it have rows.
        shown = shown and exchanged
        apply_legal(state, board, move)
        skip_forced(state, board)
        # A swap is followed to its end (if the arena has room), so that an iteration visits a
        # complete swap.
        if h[half(edge, nodes.EDGE_VISITS)] == U(0) and not exchanged:
            return depth
        link, goes_on = follow_chance(
            board, tree, observer, half(edge, nodes.CHILD), rng, workspace
        )
        if not goes_on:
            return depth
        node = U(h[link])
        if node <= nodes.SEEN_ONCE:
            node = new_decision(state, board, tree, observer, least, workspace)
            if node == U(0):
                return depth
            h[link] = node
    return depth


@inlined
def backup(tree: Tree, depth: Word, workspace: Workspace) -> None:
    """Add the rewards of the finished game to the first `depth` edges of the path."""
    state, path, rewards = workspace.state, workspace.path, workspace.rewards
    arena, report = tree.arena, tree.report
    h, singles = halves_of(arena), singles_of(arena)
    values = floats_of(arena)
    shown = True
    for i in range(depth):
        edge = path[U(3) * i] >> U(2)
        visits = U(h[half(edge, nodes.EDGE_VISITS)]) + U(1)
        h[half(edge, nodes.EDGE_VISITS)] = visits
        values[edge + nodes.VALUE_WORD] += rewards[path[U(3) * i] & U(3)]
        singles[path[U(3) * i + U(1)]] = Single(values[edge + nodes.VALUE_WORD] / float(visits))
        singles[path[U(3) * i + U(2)]] = Single(1.0 / math.sqrt(float(visits)))
        if shown:
            _add_row(state, report, U(h[half(edge, nodes.REPORT)]), rewards)
            shown = U(h[half(edge, nodes.MOVE)]) >> nodes.NARROW_SHIFT == layout.EXCHANGE_MOVE


@inner
def _add_row(state: Words, report: Floats, row: Word, rewards: Floats) -> None:
    """Add the rewards and scores of a finished game to a row of the report.

    Row 0 stands for no row.
    """
    if row:
        at = row * _COLUMNS
        report[at] += 1.0
        for seat in range(U(bytes_of(state)[layout.PLAYERS])):
            reward = rewards[seat]
            report[at + U(1) + seat] += reward
            report[at + U(5) + seat] += reward * reward
            report[at + U(9) + seat] += float(score_of(state, seat))


@kernel
def run_search(
    view: View,
    tree: Tree,
    iterations: Word,
    policy: Word,
    exploration: float,
    rng: Words,
    control: Words,
    workspace: Workspace,
) -> None:
    """Run iterations until one of three limits is reached.

    The search stops after `iterations` in total, when `control[STOP]` is set, or at the deadline.
    Creates the tree's root if the arena has none. `rng` (uint64[1]) and `control`
    (uint64[CONTROL_WORDS]) are modified in place; `control[DONE]` counts the iterations.
    """
    state, root = workspace.state, U(nodes.FIRST_NODE)
    if tree.arena[nodes.FREE] == root:
        observer = U(bytes_of(view.state)[layout.SEAT])
        root = new_decision(view.state, view.board, tree, observer, U(0), workspace)
    while control[DONE] < iterations and control[STOP] == U(0):
        if (
            control[DEADLINE]
            and control[DONE] % _CLOCK_STEP == U(0)
            and now_ns() >= control[DEADLINE]
        ):
            break
        layout.copy_state(state, view.state)
        determinize(state, view.hidden, rng)
        depth = descend(view, tree, root, exploration, rng, workspace)
        if bytes_of(state)[layout.PHASE] != layout.PHASE_OVER:
            play_out(state, view.board, rng, policy, workspace.counters)
        fill_rewards(state, workspace.rewards)
        backup(tree, depth, workspace)
        control[DONE] += U(1)
