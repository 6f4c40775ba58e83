"""The choice of the edge to follow: an untried move at random, or else the best edge by UCB1.

For decisions about hidden hands, the number of times that an edge was available replaces the number
of visits of the parent (Cowling, Powley and Whitehouse 2012, section IV-B).

An edge is identified by its block and its index in the block; block 0 stands for no edge.
"""

from __future__ import annotations

import math

from masons.ai.ismcts import tree as nodes
from masons.ai.ismcts.tree import edge_at, half, mean_at
from masons.engine.kernels.bits import U, drop, nth_of4
from masons.engine.kernels.exact_math import natural_log
from masons.engine.kernels.jit import (
    Single,
    Singles,
    Word,
    Words,
    halves_of,
    inner,
    larger,
    singles_of,
)
from masons.engine.kernels.rng import below
from masons.engine.state.layout import EARLY_ROLL_MOVE, KIND_SHIFT, NONE, WALL_MOVE


@inner
def highest(singles: Singles, means: Word, spreads: Word, count: Word, weight: float) -> float:
    """Return the highest mean + weight * spread of `count` edges; no value is negative."""
    most = Single(-1.0)
    for i in range(count):
        most = larger(most, singles[means + i] + weight * singles[spreads + i])
    return most


@inner
def first_with(singles: Singles, means: Word, spreads: Word, weight: float, wanted: float) -> Word:
    """Return the index of the first edge whose bound equals `wanted`, the result of `highest`."""
    i = U(0)
    while singles[means + i] + weight * singles[spreads + i] != wanted:
        i += U(1)
    return i


@inner
def best_edge(arena: Words, node: Word, exploration: float) -> tuple[Word, Word]:
    """Return the edge with the highest upper confidence bound of a LINES or MOVES node."""
    h, singles = halves_of(arena), singles_of(arena)
    weight = Single(exploration * math.sqrt(natural_log(U(h[half(node, nodes.VISITS)]))))
    best = block = nodes.first_block(arena, node)
    most = Single(-1.0)
    while block:
        means = mean_at(block, U(0))
        spreads = means + U(h[half(block, nodes.CAPACITY)])
        bound = highest(singles, means, spreads, nodes.used_in(arena, block), weight)
        if bound > most:
            best, most = block, bound
        block = U(h[half(block, nodes.NEXT)])
    means = mean_at(best, U(0))
    spreads = means + U(h[half(best, nodes.CAPACITY)])
    return best, first_with(singles, means, spreads, weight, most)


@inner
def _take_line(arena: Words, node: Word, n: Word) -> Word:
    """Remove the n-th untried line from a LINES node; return it as a narrowed move."""
    lines = node + nodes.HEADER_WORDS
    line = nth_of4(arena, lines, n)
    drop(arena, lines, line)
    return nodes.narrow(
        EARLY_ROLL_MOVE << KIND_SHIFT if line == NONE else WALL_MOVE << KIND_SHIFT | line
    )


@inner
def _take_move(arena: Words, node: Word, n: Word, left: Word) -> Word:
    """Remove the n-th of the `left` untried moves from a MOVES node, and return it."""
    h = halves_of(arena)
    moves = half(node + nodes.HEADER_WORDS, U(0))
    move = U(h[moves + n])
    h[moves + n] = h[moves + left - U(1)]
    return move


@inner
def take_untried(arena: Words, size: Word, node: Word, rng: Words) -> tuple[Word, Word]:
    """Return a new edge for a random untried move of a node, or block 0 if the arena is full."""
    h = halves_of(arena)
    left = U(h[half(node, nodes.COUNT)]) - U(h[half(node, nodes.TRIED)])
    block, i = nodes.new_edge(arena, size, node, U(0))
    if block:
        n = below(rng, left)
        if U(h[half(node, nodes.TYPE)]) == nodes.LINES:
            move = _take_line(arena, node, n)
        else:
            move = _take_move(arena, node, n, left)
        h[half(edge_at(arena, block, i), nodes.MOVE)] = move
    return block, i


@inner
def pick_public(
    arena: Words, size: Word, node: Word, exploration: float, rng: Words
) -> tuple[Word, Word]:
    """Return the edge of a LINES or MOVES node to follow.

    Returns block 0 if a move is untried but the arena is full; the node then remains a leaf.
    """
    h = halves_of(arena)
    if h[half(node, nodes.TRIED)] < h[half(node, nodes.COUNT)]:
        return take_untried(arena, size, node, rng)
    return best_edge(arena, node, exploration)


@inner
def pick_hidden(
    arena: Words,
    size: Word,
    node: Word,
    actions: Words,
    count: Word,
    marks: Words,
    exploration: float,
    rng: Words,
) -> tuple[Word, Word]:
    """Return the edge of a HIDDEN node to follow among `count` available actions.

    If the edge would be new but the arena is full, the result is the best known edge, or block 0 if
    no edge is known. `marks` (uint64[CARD_MOVES]) must contain only zeros, and contains only zeros
    again afterwards.
    """
    h, singles = halves_of(arena), singles_of(arena)
    for i in range(count):
        marks[nodes.card_number(actions[i])] = U(1)
    best = best_i = U(0)
    most = -1.0
    known = U(0)
    block = nodes.first_block(arena, node)
    while block:
        for i in range(nodes.used_in(arena, block)):
            edge = edge_at(arena, block, i)
            number = nodes.card_number(U(h[half(edge, nodes.MOVE)]))
            if marks[number] == U(0):
                continue
            marks[number] = U(0)
            known += U(1)
            chances = U(h[half(edge, nodes.CHANCES)]) + U(1)
            h[half(edge, nodes.CHANCES)] = chances
            at = mean_at(block, i)
            spread = float(singles[at + U(h[half(block, nodes.CAPACITY)])])
            bound = float(singles[at]) + exploration * math.sqrt(natural_log(chances)) * spread
            if bound > most:
                best, best_i, most = block, i, bound
        block = U(h[half(block, nodes.NEXT)])
    if known == count:
        return best, best_i
    skip = below(rng, count - known)
    for i in range(count):
        number = nodes.card_number(actions[i])
        if marks[number]:
            marks[number] = U(0)
            if skip == U(0):
                fresh, fresh_i = nodes.new_edge(arena, size, node, actions[i])
                if fresh:
                    h[half(edge_at(arena, fresh, fresh_i), nodes.CHANCES)] = U(1)
                    best, best_i = fresh, fresh_i
            skip -= U(1)
    return best, best_i
