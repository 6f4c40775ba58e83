"""The search tree: nodes and their edges in one flat arena of words, allocated in advance.

A node is known by the offset of its first word; 0 is no node. The arena's word 0 (FREE) holds the
offset of the first free word, so a full arena simply gives no more nodes; word 1 (ROWS_USED) the
number of report rows in use.

Node: HEADER_WORDS words of 32-bit halves, then its edges or chance slots

| half | name    | what                                                                        |
| ---- | ------- | --------------------------------------------------------------------------- |
| 0    | VISITS  | iterations that came through                                                |
| 1    | COUNT   | edges in this block                                                         |
| 2    | TRIED   | edges tried, which stand first (PUBLIC)                                     |
| 3    | NEXT    | offset of the next block of edges (HIDDEN), or 0                            |
| 4    | TYPE    | PUBLIC, HIDDEN, ROLL or CARD                                                |
| 5    | ROOM    | edges that fit into this block                                              |

PUBLIC  a decision whose moves are the same in all determinizations: all edges at once, in a row.
HIDDEN  a decision over a hand that the observer does not see: edges as they become available.
ROLL    the dice: one 32-bit slot for each distinct roll.
CARD    a draw of the observer's: one slot for each kind.
A slot holds 0 (never came up), SEEN_ONCE, or the node that follows.

Edge: EDGE_WORDS words

| half | name    | what                                                                        |
| ---- | ------- | --------------------------------------------------------------------------- |
| 0    | MOVE    | the move, narrowed to 32 bits                                               |
| 1    | CHILD   | the node that follows, or 0                                                 |
| 2    | TRIES   | iterations that took it                                                     |
| 3    | CHANCES | iterations in which it was available (HIDDEN)                               |
| 4-5  | VALUE   | float64: sum of the deciding seat's rewards                                 |
| 6    | REPORT  | row of the report that sums every seat's rewards and scores, or 0           |

The tree is an information-set tree of a single observer (Cowling, Powley and Whitehouse 2012): what
the observer cannot see makes no branches.
"""

from __future__ import annotations

from typing import Final

from masons.engine.bits import U
from masons.engine.jit import Word, Words, halves_of, inner

HEADER_WORDS = U(3)
EDGE_WORDS = U(4)

VISITS = U(0)
COUNT = U(1)
TRIED = U(2)
NEXT = U(3)
TYPE = U(4)
ROOM = U(5)

MOVE = U(0)
CHILD = U(1)
TRIES = U(2)
CHANCES = U(3)
VALUE_WORD = U(2)
REPORT = U(6)

PUBLIC = U(0)
HIDDEN = U(1)
ROLL = U(2)
CARD = U(3)

SEEN_ONCE = U(1)
# 3 tower colours or none, times 21 unordered pairs of house faces; kinds of card.
ROLL_SLOTS = U(84)
CARD_SLOTS = U(30)
HIDDEN_BLOCK = U(8)

FREE = U(0)
ROWS_USED = U(1)
FIRST_NODE: Final = 2

# Columns of a report's row: iterations, then for each seat reward, square of reward, score.
REPORT_COLUMNS: Final = 13


@inner
def half(offset: Word, which: Word) -> Word:
    """The index of a 32-bit half, counted from a node's or an edge's first word."""
    return U(2) * offset + which


@inner
def new_node(arena: Words, size: Word, kind: Word, payload: Word, room: Word) -> Word:
    """A node (or block of edges) with room for `payload` words, all 0; 0 where none is left."""
    node = arena[FREE]
    end = node + HEADER_WORDS + payload
    if end > size:
        return U(0)
    arena[FREE] = end
    for i in range(node, end):
        arena[i] = U(0)
    h = halves_of(arena)
    h[half(node, TYPE)] = kind
    h[half(node, ROOM)] = room
    return node


@inner
def new_chance(arena: Words, size: Word, kind: Word, slots: Word) -> Word:
    """A ROLL or CARD node."""
    return new_node(arena, size, kind, (slots + U(1)) >> U(1), slots)


@inner
def slot_at(node: Word, slot: Word) -> Word:
    """The index (in halves) of a slot of a chance node."""
    return U(2) * (node + HEADER_WORDS) + slot


@inner
def edge_at(node: Word, i: Word) -> Word:
    """The offset of an edge of a node or block."""
    return node + HEADER_WORDS + EDGE_WORDS * i


@inner
def new_hidden_edge(arena: Words, size: Word, node: Word, move: Word) -> Word:
    """A new edge at the end of a HIDDEN node's blocks; 0 where there is no room."""
    h = halves_of(arena)
    block = node
    while h[half(block, NEXT)]:
        block = U(h[half(block, NEXT)])
    count = U(h[half(block, COUNT)])
    if count == U(h[half(block, ROOM)]):
        fresh = new_node(arena, size, HIDDEN, HIDDEN_BLOCK * EDGE_WORDS, HIDDEN_BLOCK)
        if fresh == U(0):
            return U(0)
        h[half(block, NEXT)] = fresh
        block = fresh
        count = U(0)
    h[half(block, COUNT)] = count + U(1)
    edge = edge_at(block, count)
    h[half(edge, MOVE)] = move
    return edge
