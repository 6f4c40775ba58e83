"""Which edge to follow: untried ones first, in random order, then by UCB1.

For decisions over hidden hands the count of parent visits is the number of times that the edge was
available (Cowling, Powley and Whitehouse 2012, section IV-B). A prior would order the untried edges
here, in `pick_public` and `pick_hidden`.
"""

from __future__ import annotations

import math

from masons.ai.actions import card_number
from masons.ai.tree import (
    CHANCES,
    COUNT,
    EDGE_WORDS,
    MOVE,
    NEXT,
    REPORT,
    TRIED,
    TRIES,
    VALUE_WORD,
    VISITS,
    edge_at,
    half,
    new_hidden_edge,
)
from masons.engine.bits import U, leading_zeros
from masons.engine.jit import Word, Words, floats_of, halves_of, inner
from masons.engine.rng import below

_LN_2 = math.log(2.0)


@inner
def natural_log(n: Word) -> float:
    """Ln n for n >= 1, to 1e-7, by exact arithmetic only: the same on every machine."""
    exponent = U(63) - leading_zeros(n)
    mantissa = float(n) / float(U(1) << exponent)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    q = s * s
    series = 1.0 + q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q / 13)))))
    return float(exponent) * _LN_2 + 2.0 * s * series


@inner
def pick_public(arena: Words, node: Word, exploration: float, rng: Words) -> Word:
    """The edge of a PUBLIC node to follow."""
    h = halves_of(arena)
    count = U(h[half(node, COUNT)])
    tried = U(h[half(node, TRIED)])
    if tried < count:
        h[half(node, TRIED)] = tried + U(1)
        chosen = edge_at(node, tried)
        other = edge_at(node, tried + below(rng, count - tried))
        for j in (MOVE, REPORT):
            kept = h[half(chosen, j)]
            h[half(chosen, j)] = h[half(other, j)]
            h[half(other, j)] = kept
        return chosen
    values = floats_of(arena)
    explore = exploration * exploration * natural_log(U(h[half(node, VISITS)]))
    best = edge_at(node, U(0))
    most = -1.0
    edge = best
    for _ in range(count):
        tries = float(h[half(edge, TRIES)])
        bound = values[edge + VALUE_WORD] / tries + math.sqrt(explore / tries)
        if bound > most:
            best, most = edge, bound
        edge += EDGE_WORDS
    return best


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
) -> Word:
    """The edge of a HIDDEN node to follow among `count` available actions.

    Where the arena is full that is the best edge known, and 0 where none is.

    `marks` (uint64[CARD_MOVES]) is all 0, and is left so.
    """
    h = halves_of(arena)
    values = floats_of(arena)
    for i in range(count):
        marks[card_number(actions[i])] = U(1)
    best = U(0)
    most = -1.0
    known = U(0)
    block = node
    while block:
        for i in range(U(h[half(block, COUNT)])):
            edge = edge_at(block, i)
            number = card_number(U(h[half(edge, MOVE)]))
            if marks[number] == U(0):
                continue
            marks[number] = U(0)
            known += U(1)
            chances = U(h[half(edge, CHANCES)]) + U(1)
            h[half(edge, CHANCES)] = chances
            tries = float(h[half(edge, TRIES)])
            bound = values[edge + VALUE_WORD] / tries
            bound += exploration * math.sqrt(natural_log(chances) / tries)
            if bound > most:
                best, most = edge, bound
        block = U(h[half(block, NEXT)])
    if known == count:
        return best
    skip = below(rng, count - known)
    for i in range(count):
        number = card_number(actions[i])
        if marks[number]:
            marks[number] = U(0)
            if skip == U(0):
                fresh = new_hidden_edge(arena, size, node, actions[i])
                if fresh:
                    h[half(fresh, CHANCES)] = U(1)
                    best = fresh
            skip -= U(1)
    return best
