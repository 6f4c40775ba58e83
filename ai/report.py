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
from masons.engine.snapshot import Roll

Arena = NDArray[np.uint64]
Halves = NDArray[np.uint32]

_FACES: Final = [(low, high) for high in range(len(HOUSE_DIE)) for low in range(high + 1)]
_EDGE_HALVES: Final = 2 * int(tree.EDGE_WORDS)
MAX_LINE: Final = 12


@dataclass(frozen=True)
class Edge:
    """An edge that was tried."""

    move: Move
    tries: int
    value: float  # the sum of the deciding seat's rewards
    row: int  # of the report; HIDDEN: the iterations in which it was available
    link: int  # the half that holds its child
    mean: int  # the halves with what selection sees of its value
    spread: int


@dataclass(frozen=True)
class RootMove:
    """A move at the root: the report row with its sums, and the half that holds its child."""

    move: Move
    visits: int
    value: float
    row: int
    child: int


def get(halves: Halves, offset: int, which: object) -> int:
    """A 32-bit half of a node, a block or an edge."""
    return int(halves[2 * offset + int(which)])  # type: ignore[call-overload]


def _blocks(halves: Halves, node: int) -> Iterator[tuple[int, int, Halves]]:
    """The blocks of a decision's edges: offset, room, and the edges' halves, an edge a row."""
    kind, count = get(halves, node, tree.TYPE), get(halves, node, tree.COUNT)
    before = int(tree.LINE_WORDS) if kind == int(tree.LINES) else (count + 1) // 2
    block = node + int(tree.HEADER_WORDS) + before
    while block:
        head = halves[2 * block : 2 * block + 4].tolist()
        room, used = head[int(tree.ROOM)], head[int(tree.TYPE)] // int(tree.USED)
        first = 2 * _edge(block, room, 0)
        rows = halves[first : first + _EDGE_HALVES * used]
        yield block, room, rows.reshape(used, _EDGE_HALVES)
        block = head[int(tree.NEXT)]


def _edge(block: int, room: int, i: int) -> int:
    return block + int(tree.BLOCK_WORDS) + room + int(tree.EDGE_WORDS) * i


def edges(arena: Arena, node: int) -> Iterator[Edge]:
    """A decision's edges that were tried."""
    halves, values = arena.view(np.uint32), arena.view(np.float64)
    for block, room, rows in _blocks(halves, node):
        means = 2 * (block + int(tree.BLOCK_WORDS))
        for i, row in enumerate(rows.tolist()):
            at = _edge(block, room, i)
            if row[int(tree.TRIES)]:
                yield Edge(
                    move=widened(row[int(tree.MOVE)]),
                    tries=row[int(tree.TRIES)],
                    value=float(values[at + int(tree.VALUE_WORD)]),
                    row=row[int(tree.REPORT)],
                    link=2 * at + int(tree.CHILD),
                    mean=means + i,
                    spread=means + room + i,
                )


def grown(halves: Halves, node: int) -> Iterator[tuple[int, int]]:
    """A decision's moves that a node follows, narrowed, and the halves that hold it."""
    for block, room, rows in _blocks(halves, node):
        first = 2 * _edge(block, room, 0) + int(tree.CHILD)
        for i, (move, child) in enumerate(rows[:, :2].tolist()):
            if child:
                yield move, first + _EDGE_HALVES * i


def most_tried(halves: Halves, node: int) -> tuple[Move, int] | None:
    """A decision's move that was tried most, the first of several, and the half with its child."""
    found, most = None, 0
    for block, room, rows in _blocks(halves, node):
        if len(rows):
            i = int(rows[:, int(tree.TRIES)].argmax())
            if (tries := int(rows[i, int(tree.TRIES)])) > most:
                most = tries
                link = 2 * _edge(block, room, i) + int(tree.CHILD)
                found = widened(int(rows[i, int(tree.MOVE)])), link
    return found


def slots(halves: Halves, node: int) -> Halves:
    """A chance node's slots: 0, SEEN_ONCE or the node that follows."""
    first = 2 * (node + int(tree.HEADER_WORDS))
    return halves[first : first + get(halves, node, tree.COUNT)]


def likeliest(halves: Halves, node: int) -> int | None:
    """The slot of a chance node that was visited most, the first of several."""
    following = slots(halves, node)
    made = following > int(tree.SEEN_ONCE)
    if not made.any():
        return None
    visits = np.where(made, halves[2 * following.astype(np.int64) + int(tree.VISITS)], 0)
    return int(visits.argmax())


def is_chance(halves: Halves, node: int) -> bool:
    """Whether luck goes on from a node."""
    return get(halves, node, tree.TYPE) >= int(tree.ROLL)


def widened(narrow: int) -> Move:
    """A move that was narrowed to 32 bits."""
    return Move(((narrow >> 28) << KIND_SHIFT) | (narrow & ((1 << 28) - 1)))


def root_moves(arena: Arena) -> Iterator[RootMove]:
    """The moves tried at the root; the steps of a swap are put together."""
    halves = arena.view(np.uint32)
    todo: list[tuple[int, tuple[int, ...]]] = [(tree.FIRST_NODE, ())]
    while todo:
        node, tossed = todo.pop()
        for edge in edges(arena, node):
            if edge.move.kind == TOSS:
                if child := int(halves[edge.link]):
                    todo.append((child, (*tossed, *edge.move.cards)))
            else:
                move = swap_move(tossed) if edge.move.kind == SWAP else edge.move
                yield RootMove(move, edge.tries, edge.value, edge.row, edge.link)


def roll_of(slot: int) -> Roll:
    """The roll of a slot, its house dice in order."""
    color, faces = divmod(slot, len(_FACES))
    return (color if color < len(TOWER_DIE) else None, *_FACES[faces])


def roll_text(slot: int) -> str:
    """A roll as text: `roll:white/red/?`."""
    color, low, high = roll_of(slot)
    tower = "-" if color is None else TOWER_DIE[color]
    return f"roll:{tower}/{HOUSE_DIE[low]}/{HOUSE_DIE[high]}"


def best_line(arena: Arena, link: int) -> Iterator[str]:
    """The line of play visited most from the node that half `link` holds."""
    halves = arena.view(np.uint32)
    for _ in range(MAX_LINE):
        node = int(halves[link])
        if node <= int(tree.SEEN_ONCE):
            return
        if is_chance(halves, node):
            slot = likeliest(halves, node)
            if slot is None:
                return
            is_roll = get(halves, node, tree.TYPE) == int(tree.ROLL)
            yield roll_text(slot) if is_roll else f"draw:{CARDS[slot]}"
            link = 2 * (node + int(tree.HEADER_WORDS)) + slot
            continue
        found = most_tried(halves, node)
        if found is None:
            return
        move, link = found
        yield format_move(move)
