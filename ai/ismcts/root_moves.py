"""Planting a root that has some of the moves only: how a search is restricted to them.

The root is written into an empty arena by the layout of `tree`, and the search goes on from there
as from any node; what lies below is not restricted. So the moves are searched as they are named,
in the final scoring with any city, and share all iterations among them.

A swap is taken card by card, so every step towards an allowed one is planted. Their edges stand
there from the beginning, with a mean above all others until they were tried: such a node takes
each of them once first, in order, as any other takes its untried moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from masons.ai.ismcts import tree
from masons.ai.ismcts.tree_report import Arena, narrowed
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move, format_move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Swaps, Table
from masons.engine.state.packed_move import EARLY_ROLL, EXCHANGE, KIND_SHIFT, NONE, SWAP

# The layout of `tree` in plain integers.
_HEADER_WORDS: Final = int(tree.HEADER_WORDS)
_LINE_WORDS: Final = int(tree.LINE_WORDS)
_BLOCK_WORDS: Final = int(tree.BLOCK_WORDS)
_EDGE_WORDS: Final = int(tree.EDGE_WORDS)
_FIRST_CAPACITY: Final = int(tree.FIRST_CAPACITY)

_CLOSE: Final = Move(SWAP << KIND_SHIFT)
# Above every mean, which are from 0 to 1, and every bound.
_UNTRIED: Final = 1e30
# What a node whose edges are all planted begins with: the logarithm of its visits must exist.
_GIVEN_VISITS: Final = 1


def allowed(table: Table, view: Observation, only: Sequence[Move], words: int) -> tuple[Move, ...]:
    """Moves to which a search of a view may be restricted, each of them once.

    Raises MasonsError where there is none or one that is not legal, or where an arena of so many
    `words` is too small for them.
    """
    moves = tuple(dict.fromkeys(only))
    if not moves:
        raise MasonsError("there is no move to search")
    legal = table.legal_moves(view.state)
    listed = legal if isinstance(legal, Swaps) else frozenset(legal)
    for move in moves:
        if not table.is_legal(view.state, move, listed):
            raise MasonsError(f"{format_move(move)} is not legal here")
    if tree.FIRST_NODE + _root_words(moves) > words:
        raise MasonsError(f"the memory of the search has no room for {len(moves)} moves")
    return moves


def _root_words(moves: Sequence[Move]) -> int:
    """The words that planting some moves takes at most."""
    swaps = [move.cards for move in moves if move.kind == SWAP]
    steps = {cards[:i] for cards in swaps for i in range(len(cards) + 1)}
    nodes, edges = max(len(steps), 1), len(steps) + len(moves)
    each = _HEADER_WORDS + _LINE_WORDS + _BLOCK_WORDS
    return nodes * each + edges * (_EDGE_WORDS + 1) + (edges + nodes) // 2


def plant_root(arena: Arena, phase: str, moves: Sequence[Move]) -> int:
    """Write the root of a decision in an empty `arena` (uint64[words], modified in place).

    Returns the visits that the root has been given. The moves are those that `allowed` let pass.
    """
    if phase == "wall":
        _plant_lines(arena, moves)
    elif phase == "swap":
        _plant_swaps(arena, [move.cards for move in moves])
        return _GIVEN_VISITS
    else:
        _new_moves(arena, [narrowed(move) for move in moves], min(_FIRST_CAPACITY, len(moves)))
    return 0


def _plant_lines(arena: Arena, moves: Sequence[Move]) -> None:
    lines = 0
    for move in moves:
        lines |= 1 << (NONE if move.kind == EARLY_ROLL else move.place)
    capacity = min(_FIRST_CAPACITY, len(moves))
    node, _ = _new_decision(arena, int(tree.LINES), len(moves), _LINE_WORDS, capacity)
    words = np.frombuffer(lines.to_bytes(8 * _LINE_WORDS, "little"), dtype=np.uint64)
    arena[node + _HEADER_WORDS :][:_LINE_WORDS] = words


def _plant_swaps(arena: Arena, swaps: Sequence[tuple[int, ...]]) -> None:
    """All steps of some swaps, which are cards ascending."""
    halves = arena.view(np.uint32)
    todo: list[tuple[int, Sequence[tuple[int, ...]]]] = [(0, swaps)]
    for link, rest in todo:
        after: dict[int, list[tuple[int, ...]]] = {}
        for cards in rest:
            after.setdefault(cards[0] if cards else -1, []).append(cards[1:])
        steps = sorted(after)
        moves = [_CLOSE if kind < 0 else Move((EXCHANGE << KIND_SHIFT) | kind) for kind in steps]
        node, links = _new_steps(arena, moves)
        if link:
            halves[link] = node
        todo += [(links[i], after[kind]) for i, kind in enumerate(steps) if kind >= 0]


def _new_steps(arena: Arena, moves: Sequence[Move]) -> tuple[int, list[int]]:
    """A node with an edge for each of its moves; the halves that hold what follows them."""
    capacity = len(moves)
    node, block = _new_moves(arena, [narrowed(move) for move in moves], capacity)
    halves, singles = arena.view(np.uint32), arena.view(np.float32)
    halves[2 * node + int(tree.VISITS)] = _GIVEN_VISITS
    halves[2 * node + int(tree.TRIED)] = capacity
    halves[2 * block + int(tree.TYPE)] = int(tree.BLOCK) + int(tree.USED) * capacity
    means = 2 * (block + _BLOCK_WORDS)
    singles[means : means + capacity] = _UNTRIED
    singles[means + capacity : means + 2 * capacity] = 0.0
    links = []
    for i, move in enumerate(moves):
        edge = block + _BLOCK_WORDS + capacity + _EDGE_WORDS * i
        arena[edge : edge + _EDGE_WORDS] = 0
        halves[2 * edge + int(tree.MOVE)] = narrowed(move)
        links.append(2 * edge + int(tree.CHILD))
    return node, links


def _new_moves(arena: Arena, narrow: Sequence[int], capacity: int) -> tuple[int, int]:
    """A MOVES node with some untried moves; its offset and its first block's."""
    before = (len(narrow) + 1) // 2
    node, block = _new_decision(arena, int(tree.MOVES), len(narrow), before, capacity)
    arena.view(np.uint32)[2 * (node + _HEADER_WORDS) :][: len(narrow)] = narrow
    return node, block


def _new_decision(
    arena: Arena, kind: int, count: int, before: int, capacity: int
) -> tuple[int, int]:
    """A node with an empty block of some capacity, `before` words after its header."""
    node = int(arena[int(tree.FREE)])
    block = node + _HEADER_WORDS + before
    end = block + _BLOCK_WORDS + (_EDGE_WORDS + 1) * capacity
    halves = arena.view(np.uint32)
    arena[node:end] = 0
    halves[2 * node + int(tree.TYPE)] = kind
    halves[2 * node + int(tree.COUNT)] = count
    halves[2 * block + int(tree.TYPE)] = int(tree.BLOCK)
    halves[2 * block + int(tree.CAPACITY)] = capacity
    arena[int(tree.FREE)] = end
    return node, block
