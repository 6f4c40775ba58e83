"""Cutting a tree down to the part below one of its nodes, which becomes the root.

Every item stands after the one that links to it, and only one link leads to an item. So one walk
through the arena does it all: an item that is kept moves down, notes at those that it links to
where its links now stand (BACK), and writes its own new place into the link that leads to it. An
item without such a note is left behind.
"""

from __future__ import annotations

from masons.ai.ismcts.tree import (
    BACK,
    BLOCK,
    CAPACITY,
    CHILD,
    COUNT,
    FIRST_NODE,
    FREE,
    HEADER_WORDS,
    NEXT,
    ROLL,
    ROWS_USED,
    SEEN_ONCE,
    TYPE,
    USED,
    block_words,
    edge_at,
    first_block,
    half,
    slot_at,
    used_in,
)
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import Word, WordArray, Words, halves_of, inner, kernel, ptr

# A link that nobody needs: the upper half of FREE, which is written last.
_NO_LINK = U(1)


@inner
def _item_words(arena: Words, item: Word) -> Word:
    """The size of a block, or of a node with its first block."""
    h = halves_of(arena)
    kind = U(h[half(item, TYPE)]) % USED
    if kind == BLOCK:
        return block_words(U(h[half(item, CAPACITY)]))
    if kind >= ROLL:
        return HEADER_WORDS + ((U(h[half(item, COUNT)]) + U(1)) >> U(1))
    block = first_block(arena, item)
    return block - item + block_words(U(h[half(block, CAPACITY)]))


@inner
def _note_link(arena: Words, link: Word) -> None:
    """Note at the item, if any, at the end of a link where that link stands."""
    h = halves_of(arena)
    if U(h[link]) > SEEN_ONCE:
        h[half(U(h[link]), BACK)] = link


@inner
def _note_links(arena: Words, item: Word) -> None:
    """The same for all links of an item."""
    h = halves_of(arena)
    kind = U(h[half(item, TYPE)]) % USED
    if kind != BLOCK and kind >= ROLL:
        for slot in range(U(h[half(item, COUNT)])):
            _note_link(arena, slot_at(item, slot))
        return
    block = item if kind == BLOCK else first_block(arena, item)
    for i in range(used_in(arena, block)):
        _note_link(arena, half(edge_at(arena, block, i), CHILD))
    _note_link(arena, half(block, NEXT))


@kernel
def keep_below(arena: WordArray, root: Word) -> None:
    """Make the node `root` the first one of `arena` (uint64[words]) and drop what is not below it.

    No row of the report is in use afterwards.
    """
    a = ptr(arena)
    h = halves_of(a)
    item, end = U(root), a[FREE]
    free = U(FIRST_NODE)
    h[half(item, BACK)] = _NO_LINK
    while item < end:
        words = _item_words(a, item)
        link = U(h[half(item, BACK)])
        if link:
            for i in range(words):
                a[free + i] = a[item + i]
            h[half(free, BACK)] = U(0)
            h[link] = free
            _note_links(a, free)
            free += words
        item += words
    a[FREE] = free
    a[ROWS_USED] = U(0)
