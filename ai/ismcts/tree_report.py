"""Reading a search tree from Python: the root's moves and the lines of play that follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from masons.ai.ismcts import tree
from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.formats.move_text import Move, format_move, swap_move
from masons.engine.state.packed_move import EXCHANGE, KIND_SHIFT, SWAP
from masons.engine.state.position import Roll

Arena = NDArray[np.uint64]
Halves = NDArray[np.uint32]

_FACES: Final = [(low, high) for high in range(len(HOUSE_DIE)) for low in range(high + 1)]
# The layout of `tree` in plain integers, which are quicker here than those of the kernels.
_HEADER_WORDS: Final = int(tree.HEADER_WORDS)
_LINE_WORDS: Final = int(tree.LINE_WORDS)
_BLOCK_WORDS: Final = int(tree.BLOCK_WORDS)
_EDGE_WORDS: Final = int(tree.EDGE_WORDS)
_TYPE: Final = int(tree.TYPE)
_VISITS: Final = int(tree.VISITS)
_COUNT: Final = int(tree.COUNT)
_CAPACITY: Final = int(tree.CAPACITY)
_NEXT: Final = int(tree.NEXT)
_MOVE: Final = int(tree.MOVE)
_CHILD: Final = int(tree.CHILD)
_EDGE_VISITS: Final = int(tree.EDGE_VISITS)
_REPORT: Final = int(tree.REPORT)
_VALUE_WORD: Final = int(tree.VALUE_WORD)
_LINES: Final = int(tree.LINES)
_ROLL: Final = int(tree.ROLL)
_USED: Final = int(tree.USED)
_SEEN_ONCE: Final = int(tree.SEEN_ONCE)
_EDGE_HALVES: Final = 2 * _EDGE_WORDS
MAX_LINE: Final = 12


@dataclass(frozen=True)
class Edge:
    """An edge that was visited."""

    move: Move
    visits: int
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


def get(halves: Halves, offset: int, which: int) -> int:
    """A 32-bit half of a node, a block or an edge."""
    return int(halves[2 * offset + int(which)])


def _blocks(halves: Halves, node: int) -> Iterator[tuple[int, int, Halves]]:
    """The blocks of a decision's edges: offset, capacity, and the edges' halves, an edge a row."""
    head = halves[2 * node : 2 * node + 4].tolist()
    before = _LINE_WORDS if head[_TYPE] == _LINES else (head[_COUNT] + 1) // 2
    block = node + _HEADER_WORDS + before
    while block:
        head = halves[2 * block : 2 * block + 4].tolist()
        capacity, used = head[_CAPACITY], head[_TYPE] // _USED
        first = 2 * _edge(block, capacity, 0)
        rows = halves[first : first + _EDGE_HALVES * used]
        yield block, capacity, rows.reshape(used, _EDGE_HALVES)
        block = head[_NEXT]


def _edge(block: int, capacity: int, i: int) -> int:
    return block + _BLOCK_WORDS + capacity + _EDGE_WORDS * i


def edges(arena: Arena, node: int) -> Iterator[Edge]:
    """A decision's edges that were visited."""
    halves, values = arena.view(np.uint32), arena.view(np.float64)
    for block, capacity, rows in _blocks(halves, node):
        means = 2 * (block + _BLOCK_WORDS)
        for i, row in enumerate(rows.tolist()):
            at = _edge(block, capacity, i)
            if row[_EDGE_VISITS]:
                yield Edge(
                    move=widened(row[_MOVE]),
                    visits=row[_EDGE_VISITS],
                    value=float(values[at + _VALUE_WORD]),
                    row=row[_REPORT],
                    link=2 * at + _CHILD,
                    mean=means + i,
                    spread=means + capacity + i,
                )


def grown(halves: Halves, node: int) -> Iterator[tuple[int, int]]:
    """A decision's moves that a node follows, narrowed, and the halves that hold it."""
    for block, capacity, rows in _blocks(halves, node):
        first = 2 * _edge(block, capacity, 0) + _CHILD
        for i, (move, child) in enumerate(rows[:, :2].tolist()):
            if child:
                yield move, first + _EDGE_HALVES * i


def most_visited(halves: Halves, node: int) -> tuple[Move, int] | None:
    """A decision's move with the most visits, the first of several, and the half with its child."""
    found, most = None, 0
    for block, capacity, rows in _blocks(halves, node):
        if len(rows):
            i = int(rows[:, _EDGE_VISITS].argmax())
            if (visits := int(rows[i, _EDGE_VISITS])) > most:
                most = visits
                link = 2 * _edge(block, capacity, i) + _CHILD
                found = widened(int(rows[i, _MOVE])), link
    return found


def slots(halves: Halves, node: int) -> Halves:
    """A chance node's slots: 0, SEEN_ONCE or the node that follows."""
    first = 2 * (node + _HEADER_WORDS)
    return halves[first : first + get(halves, node, _COUNT)]


def likeliest(halves: Halves, node: int) -> int | None:
    """The slot of a chance node that was visited most, the first of several."""
    following = slots(halves, node)
    made = np.flatnonzero(following > _SEEN_ONCE)
    if not len(made):
        return None
    visits = halves[2 * following[made].astype(np.int64) + _VISITS]
    return int(made[visits.argmax()])


def is_chance(halves: Halves, node: int) -> bool:
    """Whether chance goes on from a node."""
    return get(halves, node, _TYPE) >= _ROLL


def widened(narrow: int) -> Move:
    """A move that was narrowed to 32 bits."""
    return Move(((narrow >> 28) << KIND_SHIFT) | (narrow & ((1 << 28) - 1)))


def narrowed(move: Move) -> int:
    """A move in 32 bits (any but a whole swap of some cards)."""
    return ((move >> KIND_SHIFT) << 28) | (move & ((1 << 28) - 1))


def root_moves(arena: Arena) -> Iterator[RootMove]:
    """The moves visited at the root; the steps of a swap are put together."""
    halves = arena.view(np.uint32)
    todo: list[tuple[int, tuple[int, ...]]] = [(tree.FIRST_NODE, ())]
    while todo:
        node, exchanged = todo.pop()
        for edge in edges(arena, node):
            if edge.move.kind == EXCHANGE:
                if child := int(halves[edge.link]):
                    todo.append((child, (*exchanged, *edge.move.cards)))
            else:
                move = swap_move(exchanged) if edge.move.kind == SWAP else edge.move
                yield RootMove(move, edge.visits, edge.value, edge.row, edge.link)


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
        if node <= _SEEN_ONCE:
            return
        if is_chance(halves, node):
            slot = likeliest(halves, node)
            if slot is None:
                return
            is_roll = get(halves, node, _TYPE) == _ROLL
            yield roll_text(slot) if is_roll else f"draw:{CARDS[slot]}"
            link = 2 * (node + _HEADER_WORDS) + slot
            continue
        found = most_visited(halves, node)
        if found is None:
            return
        move, link = found
        yield format_move(move)
