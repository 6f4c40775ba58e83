"""Reading a search tree from Python: the root's moves and the lines of play that follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai import tree
from masons.engine.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.notation import KIND_SHIFT, SWAP, TOSS, Move, format_move, swap_move

Arena = NDArray[np.uint64]
Halves = NDArray[np.uint32]

_FACES: Final = [(low, high) for high in range(len(HOUSE_DIE)) for low in range(high + 1)]
_HEADER: Final = int(tree.HEADER_WORDS)
_EDGE: Final = int(tree.EDGE_WORDS)
MAX_LINE: Final = 12


@dataclass(frozen=True)
class RootMove:
    """A move at the root: the report row with its sums, and the half that holds its child."""

    move: Move
    row: int
    child: int


def _get(halves: Halves, offset: int, which: object) -> int:
    return int(halves[2 * offset + int(which)])  # type: ignore[call-overload]


def _edges(halves: Halves, node: int) -> Iterator[int]:
    """The offsets of a decision's edges that were tried."""
    while node:
        for i in range(_get(halves, node, tree.COUNT)):
            edge = node + _HEADER + _EDGE * i
            if _get(halves, edge, tree.TRIES):
                yield edge
        node = _get(halves, node, tree.NEXT)


def _move(halves: Halves, edge: int) -> Move:
    narrow = _get(halves, edge, tree.MOVE)
    return Move(((narrow >> 28) << KIND_SHIFT) | (narrow & ((1 << 28) - 1)))


def root_moves(arena: Arena) -> Iterator[RootMove]:
    """The moves tried at the root; the steps of a swap are put together."""
    halves = arena.view(np.uint32)
    todo: list[tuple[int, tuple[int, ...]]] = [(tree.FIRST_NODE, ())]
    while todo:
        node, tossed = todo.pop()
        for edge in _edges(halves, node):
            move = _move(halves, edge)
            row = _get(halves, edge, tree.REPORT)
            link = 2 * edge + int(tree.CHILD)
            if move.kind == TOSS:
                child = int(halves[link])
                if child:
                    todo.append((child, (*tossed, *move.cards)))
            elif row:
                yield RootMove(swap_move(tossed) if move.kind == SWAP else move, row, link)


def _likeliest(halves: Halves, node: int, slots: int) -> tuple[int, int] | None:
    """The slot of a chance node whose node was visited most, and the half that holds it."""
    first = 2 * (node + _HEADER)
    best, most = None, 0
    for slot in range(slots):
        child = int(halves[first + slot])
        if child > int(tree.SEEN_ONCE) and _get(halves, child, tree.VISITS) > most:
            best, most = (slot, first + slot), _get(halves, child, tree.VISITS)
    return best


def roll_text(slot: int) -> str:
    """A roll as text: `roll:white/red/?`."""
    color, faces = divmod(slot, len(_FACES))
    low, high = _FACES[faces]
    tower = TOWER_DIE[color] if color < len(TOWER_DIE) else "-"
    return f"roll:{tower}/{HOUSE_DIE[low]}/{HOUSE_DIE[high]}"


def best_line(arena: Arena, link: int) -> Iterator[str]:
    """The line of play visited most from the node that half `link` holds."""
    halves = arena.view(np.uint32)
    for _ in range(MAX_LINE):
        node = int(halves[link])
        if node <= int(tree.SEEN_ONCE):
            return
        kind = _get(halves, node, tree.TYPE)
        if kind in (int(tree.ROLL), int(tree.CARD)):
            slots = int(tree.ROLL_SLOTS if kind == int(tree.ROLL) else tree.CARD_SLOTS)
            found = _likeliest(halves, node, slots)
            if found is None:
                return
            slot, link = found
            yield roll_text(slot) if kind == int(tree.ROLL) else f"draw:{CARDS[slot]}"
            continue
        edges = list(_edges(halves, node))
        if not edges:
            return
        edge = max(edges, key=lambda e: _get(halves, e, tree.TRIES))
        yield format_move(_move(halves, edge))
        link = 2 * edge + int(tree.CHILD)
