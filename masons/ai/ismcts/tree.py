"""The search tree: nodes and their edges in one flat, preallocated arena of words.

An item of the tree is identified by the offset of its first word; 0 stands for no item. Word 0 of
the arena (FREE) contains the offset of the first free word, and word 1 (ROWS_USED) contains the
number of report rows in use. A full arena returns no more items. All links to an item come from
items at lower offsets.

Node: HEADER_WORDS words of 32-bit halves, then content that depends on its type

| half | name   | value                                                                        |
| ---- | ------ | ---------------------------------------------------------------------------- |
| 0    | TYPE   | LINES, MOVES, HIDDEN, ROLL or CARD                                           |
| 1    | VISITS | iterations that visited the node                                             |
| 2    | COUNT  | moves (LINES, MOVES), or slots (ROLL, CARD)                                  |
| 3    | TRIED  | number of edges, one for each move that was tried                            |

LINES   a wall decision: four words with the set of untried lines (NONE stands for the early roll),
        then the first block of edges.
MOVES   another decision whose moves are the same in all determinizations: a half for each move,
        beginning with the COUNT - TRIED untried moves, then the first block.
HIDDEN  a decision about a hand that the observer does not see: only the first block.
ROLL    the dice: one 32-bit slot for each distinct roll.
CARD    a draw of the observer: one slot for each kind.
A slot holds 0 (never occurred), SEEN_ONCE, or the next node.

Block: BLOCK_WORDS words of halves, CAPACITY halves of means, CAPACITY halves of spreads, then
CAPACITY edges. Most nodes have few visits, so the first block is small, and a node gets further and
larger blocks only as more moves are tried.

| half | name     | value                                                                      |
| ---- | -------- | -------------------------------------------------------------------------- |
| 0    | TYPE     | BLOCK, plus USED for each edge in the block                                |
| 1    | CAPACITY | number of edges for which the block has room                               |
| 2    | NEXT     | the next block, or 0                                                       |

mean    float32: VALUE / EDGE_VISITS of an edge; all means are adjacent for fast selection.
spread  float32: 1 / sqrt(EDGE_VISITS).

Edge: EDGE_WORDS words

| half | name        | value                                                                   |
| ---- | ----------- | ----------------------------------------------------------------------- |
| 0    | MOVE        | the move, narrowed to 32 bits                                           |
| 1    | CHILD       | the next node, or 0                                                     |
| 2    | EDGE_VISITS | iterations that took the edge                                           |
| 3    | CHANCES     | HIDDEN: iterations in which the edge was available                      |
|      | REPORT      | otherwise: row of the report, with sums of rewards and scores, or 0     |
| 4-5  | VALUE       | float64: sum of the deciding seat's rewards                             |

The tree is an information-set tree of a single observer (Cowling, Powley and Whitehouse 2012):
hidden information makes no branches.

The moves of the tree are the legal moves, with two changes that exclude no good move. A swap is
decided card by card: the kinds ascend, and a last move closes the swap. In the final scoring, each
set of cards is tried only with the city for which it scores most.
"""

from __future__ import annotations

from typing import Final

from masons.engine.kernels.bits import U, lowest
from masons.engine.kernels.jit import Word, Words, bytes_of, floats_of, halves_of, inlined, inner
from masons.engine.rules.legal_moves import kinds_of, list_best_finals, list_legal
from masons.engine.state import layout

HEADER_WORDS = U(2)
LINE_WORDS = U(4)
BLOCK_WORDS = U(2)
EDGE_WORDS = U(3)

TYPE = U(0)
VISITS = U(1)
COUNT = U(2)
TRIED = U(3)

CAPACITY = U(1)
NEXT = U(2)

MOVE = U(0)
CHILD = U(1)
EDGE_VISITS = U(2)
CHANCES = U(3)
REPORT = U(3)
VALUE_WORD = U(2)

LINES = U(0)
MOVES = U(1)
HIDDEN = U(2)
ROLL = U(3)
CARD = U(4)
BLOCK = U(5)
USED = U(8)

SEEN_ONCE = U(1)
# A roll has four possible tower results (three colors or none) times 21 unordered pairs of house
# faces. A draw has a slot for each kind of card.
ROLL_SLOTS = U(84)
CARD_SLOTS = U(30)
# Capacity of a node's first block. Each further block has twice the capacity, up to MAX_CAPACITY.
FIRST_CAPACITY = U(4)
MAX_CAPACITY = U(32)

FREE = U(0)
ROWS_USED = U(1)
FIRST_NODE: Final = 2

# A row of the report has these columns: the iterations, then the sums of four rewards, of four
# squares of rewards and of four scores.
REPORT_COLUMNS: Final = 13


NARROW_SHIFT = U(28)
_PAYLOAD = U((1 << 28) - 1)
_PAIR_ROWS = U(64)
_NO_CARDS = U(60)
# Upper bound (exclusive) of `card_number`.
CARD_MOVES: Final = 64 + 32 * 32


@inner
def half(offset: Word, which: Word) -> Word:
    """Return the index of half `which` of the item or edge that begins at word `offset`."""
    return U(2) * offset + which


@inner
def reserve(arena: Words, size: Word, words: Word) -> Word:
    """Return the offset of `words` new words, which are not cleared, or 0 if the arena is full."""
    item = arena[FREE]
    end = item + words
    if end > size:
        return U(0)
    arena[FREE] = end
    return item


@inner
def _write_header(arena: Words, node: Word, kind: Word, count: Word) -> None:
    h = halves_of(arena)
    for i in range(HEADER_WORDS):
        arena[node + i] = U(0)
    h[half(node, TYPE)] = kind
    h[half(node, COUNT)] = count


@inner
def _write_block(arena: Words, block: Word, capacity: Word) -> None:
    h = halves_of(arena)
    h[half(block, TYPE)] = BLOCK
    h[half(block, CAPACITY)] = capacity
    h[half(block, NEXT)] = U(0)


@inlined
def block_words(capacity: Word) -> Word:
    """Return the number of words of a block with this capacity."""
    return BLOCK_WORDS + (EDGE_WORDS + U(1)) * capacity


@inlined
def moves_words(kind: Word, count: Word) -> Word:
    """Return the number of words between a decision's header and its first block."""
    if kind == LINES:
        return LINE_WORDS
    return (count + U(1)) >> U(1)


@inner
def new_decision_node(arena: Words, size: Word, kind: Word, count: Word) -> Word:
    """Return a new decision node with an empty first block, or 0 if the arena is full.

    The caller must fill in the moves.
    """
    before = HEADER_WORDS + moves_words(kind, count)
    capacity = FIRST_CAPACITY if kind == HIDDEN else min(FIRST_CAPACITY, count)
    node = reserve(arena, size, before + block_words(capacity))
    if node:
        _write_header(arena, node, kind, count)
        _write_block(arena, node + before, capacity)
    return node


@inner
def new_chance(arena: Words, size: Word, kind: Word, slots: Word) -> Word:
    """Return a new ROLL or CARD node, or 0 if the arena is full."""
    words = HEADER_WORDS + ((slots + U(1)) >> U(1))
    node = reserve(arena, size, words)
    if node:
        for i in range(node, node + words):
            arena[i] = U(0)
        _write_header(arena, node, kind, slots)
    return node


@inner
def slot_at(node: Word, slot: Word) -> Word:
    """Return the index (in halves) of a slot of a chance node."""
    return U(2) * (node + HEADER_WORDS) + slot


@inlined
def first_block(arena: Words, node: Word) -> Word:
    """Return the first block of edges of a decision."""
    h = halves_of(arena)
    return node + HEADER_WORDS + moves_words(U(h[half(node, TYPE)]), U(h[half(node, COUNT)]))


@inlined
def edge_at(arena: Words, block: Word, i: Word) -> Word:
    """Return the offset of an edge of a block."""
    return block + BLOCK_WORDS + U(halves_of(arena)[half(block, CAPACITY)]) + EDGE_WORDS * i


@inlined
def mean_at(block: Word, i: Word) -> Word:
    """Return the index of the half-word with an edge's mean.

    The edge's spread is CAPACITY half-words later.
    """
    return U(2) * (block + BLOCK_WORDS) + i


@inlined
def used_in(arena: Words, block: Word) -> Word:
    """Return the number of edges in a block."""
    return U(halves_of(arena)[half(block, TYPE)]) // USED


@inner
def new_edge(arena: Words, size: Word, node: Word, move: Word) -> tuple[Word, Word]:
    """Return the block and index of a new edge of a decision, or block 0 if the arena is full."""
    h = halves_of(arena)
    block = first_block(arena, node)
    while h[half(block, NEXT)]:
        block = U(h[half(block, NEXT)])
    used = used_in(arena, block)
    capacity = U(h[half(block, CAPACITY)])
    if used == capacity:
        capacity = min(U(2) * capacity, MAX_CAPACITY)
        if U(h[half(node, TYPE)]) != HIDDEN:
            capacity = min(capacity, U(h[half(node, COUNT)]) - U(h[half(node, TRIED)]))
        fresh = reserve(arena, size, block_words(capacity))
        if fresh == U(0):
            return U(0), U(0)
        _write_block(arena, fresh, capacity)
        h[half(block, NEXT)] = fresh
        block, used = fresh, U(0)
    h[half(block, TYPE)] = BLOCK + USED * (used + U(1))
    h[half(node, TRIED)] = U(h[half(node, TRIED)]) + U(1)
    edge = edge_at(arena, block, used)
    h[half(edge, MOVE)] = move
    h[half(edge, CHILD)] = U(0)
    h[half(edge, EDGE_VISITS)] = U(0)
    h[half(edge, CHANCES)] = U(0)
    floats_of(arena)[edge + VALUE_WORD] = 0.0
    return block, used


@inner
def narrow(move: Word) -> Word:
    """Return a move in 32 bits.

    This works for every move except whole swaps of one or more cards.
    """
    return ((move >> layout.KIND_SHIFT) << NARROW_SHIFT) | (move & _PAYLOAD)


@inner
def widen(move: Word) -> Word:
    """Return the 64-bit form of a narrowed move."""
    return ((move >> NARROW_SHIFT) << layout.KIND_SHIFT) | (move & _PAYLOAD)


@inner
def card_number(move: Word) -> Word:
    """Return a number below CARD_MOVES for a narrowed card move.

    Different moves of the same decision have different numbers.
    """
    kind = move >> NARROW_SHIFT
    first, second = move & U(31), (move >> U(5)) & U(31)
    if kind == layout.SWAP_MOVE or first == layout.NO_CARD:
        return _NO_CARDS
    if kind == layout.ABSTAIN_MOVE:
        return U(30) + first
    if kind == layout.EXCHANGE_MOVE or second == layout.NO_CARD:
        return first
    return _PAIR_ROWS + U(32) * first + second


@inner
def _list_exchanges(state: Words, least: Word, out: Words) -> Word:
    """Fill `out` with the move that closes the swap and a move for each kind that can be discarded.

    Only kinds from `least` on are listed. Returns the number of moves.
    """
    out[0] = layout.SWAP_MOVE << layout.KIND_SHIFT
    n = U(1)
    kinds = kinds_of(state[layout.HANDS + U(bytes_of(state)[layout.SEAT])])
    kinds &= ~((U(1) << (U(2) * least)) - U(1))
    while kinds:
        out[n] = (layout.EXCHANGE_MOVE << layout.KIND_SHIFT) | (lowest(kinds) >> U(1))
        kinds &= kinds - U(1)
        n += U(1)
    return n


@inner
def list_actions(
    state: Words, board: Words, least: Word, work: Words, roots: Words, out: Words
) -> Word:
    """Fill `out` with the moves to search, narrowed, and return their number.

    `least` is the lowest kind of card that a swap in progress may still discard.
    """
    phase = U(bytes_of(state)[layout.PHASE])
    if phase == layout.PHASE_SWAP:
        n = _list_exchanges(state, least, out)
    elif phase == layout.PHASE_FINAL:
        n = list_best_finals(state, board, work, roots, out)
    else:
        n = list_legal(state, board, work, roots, out)
    for i in range(n):
        out[i] = narrow(out[i])
    return n
