"""The search of one decision by information-set trees, one for each thread, and its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from masons.ai.ismcts import tree
from masons.ai.ismcts.iteration import Tree, View, Workspace, run_search
from masons.ai.search.decision import decision_view, moves_to_search
from masons.ai.search.results import Analysis, MoveStats, standard_error
from masons.ai.search.search_options import SearchOptions
from masons.ai.search.threads import CONTROL_WORDS, DEADLINE, DONE, STOP
from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move, format_move, swap_move
from masons.engine.game.observation import Observation
from masons.engine.game.table import Table
from masons.engine.kernels.bits import U
from masons.engine.kernels.jit import new_workspace
from masons.engine.kernels.rng import mix, new_rng
from masons.engine.playouts.policies import POLICIES
from masons.engine.state.packed_move import EXCHANGE, KIND_SHIFT, SWAP
from masons.engine.state.position import Position

Arena = NDArray[np.uint64]

# The report has a row for each root move, with the sums of each seat's rewards and scores.
# REPORT_ROWS limits the number of rows, and _REPORT_SHARE limits the report's share of the memory.
# If a swap has more moves than rows, the remaining moves have no row.
REPORT_ROWS: Final = 8192
_REPORT_SHARE: Final = 1 / 8
_COLUMNS: Final = tree.REPORT_COLUMNS
# The first columns of rewards, squares of rewards and scores in a row of the report.
_REWARDS, _SQUARES, _SCORES = 1, 5, 9
MAX_LINE: Final = 12  # longest line of play, in moves

# The layout of `tree`, with numbers in plain integers, which are faster in Python than np.uint64.
EDGE: Final = np.dtype(
    [("move", "u4"), ("child", "u4"), ("visits", "u4"), ("row", "u4"), ("value", "f8")]
)
_HEADER, _LINE_WORDS, _BLOCK, _EDGE = (
    int(words) for words in (tree.HEADER_WORDS, tree.LINE_WORDS, tree.BLOCK_WORDS, tree.EDGE_WORDS)
)
_LINES, _MOVES, _ROLL, _USED = (
    int(kind) for kind in (tree.LINES, tree.MOVES, tree.ROLL, tree.USED)
)
_SEEN_ONCE, _FIRST_CAPACITY = int(tree.SEEN_ONCE), int(tree.FIRST_CAPACITY)
_FACES: Final = [(low, high) for high in range(len(HOUSE_DIE)) for low in range(high + 1)]
_CLOSE: Final = Move(SWAP << KIND_SHIFT)
# A number that is greater than every mean (from 0 to 1) and every bound.
_UNTRIED: Final = 1e30


class Search:
    """One tree over one view, with its own buffers, for one thread.

    The method of `options` must be `ismcts`. The search takes at most its thread's share of the
    option `memory_mb`. `only` lists the root moves to search (None: all). Raises MasonsError for a
    view in which no seat decides, and if `only` is empty or contains an illegal move.
    """

    def __init__(
        self,
        table: Table,
        observed: Position | Observation,
        seed: int,
        options: SearchOptions,
        only: Sequence[Move] | None = None,
    ) -> None:
        if options.policy is None or options.exploration is None:
            raise MasonsError(f"a tree search needs options of ismcts, not of {options.method}")
        self._policy = POLICIES.index(options.policy)
        self._exploration = float(options.exploration)
        self.view = view = decision_view(table, observed)
        self._workspace = new_workspace(Workspace)
        words = options.thread_words
        self._rows = min(REPORT_ROWS, int(_REPORT_SHARE * words) // _COLUMNS)
        self.report = np.zeros(self._rows * _COLUMNS)
        # Untouched memory costs nothing: the system allocates pages as the tree grows.
        arrays = cast("tuple[Arena, ...]", self._workspace[:-1])  # all but the rewards
        size = words - self._rows * _COLUMNS - sum(array.size for array in arrays)
        self.arena = np.empty(size, dtype=np.uint64)
        self.arena[int(tree.FREE)] = tree.FIRST_NODE
        self.arena[int(tree.ROWS_USED)] = 0
        if only is not None:
            plant_root(self.arena, table, view, only)
        self._hidden = view.hidden_words
        self._board = table.packed
        self._rng = new_rng(seed)
        self.control = np.zeros(CONTROL_WORDS, dtype=np.uint64)

    def run(self, iterations: int, deadline_ns: int = 0) -> None:
        """Search until a limit is reached or `stop` is called.

        The limits are a total of `iterations`, and a deadline. `deadline_ns` is a time
        as returned by `time.monotonic_ns`, or 0 for no deadline.
        """
        self.control[DEADLINE] = deadline_ns
        run_search(
            View(self.view.state, self._board, self._hidden),
            Tree(
                self.arena, U(self.arena.size), self.report, U(self._rows)
            ),
            int(iterations), self._policy, self._exploration, self._rng, self.control,
            self._workspace,
        )  # fmt: skip

    def stop(self) -> None:
        """Make a `run` in another thread end at once."""
        self.control[STOP] = 1

    @property
    def iterations(self) -> int:
        """The number of iterations done so far."""
        return int(self.control[DONE])

    @property
    def tree_bytes(self) -> int:
        """The size of the tree in bytes."""
        return int(self.arena[int(tree.FREE)]) * 8

    def root_visits(self) -> dict[Move, int]:
        """Return the number of visits of each root move."""
        return {move: total.visits for move, total in _root_sums([self]).items()}

    def analysis(self) -> Analysis:
        """Return the results of this tree so far."""
        return _analysis([self], 0.0, stopped=False, top=None)


class TreeSearch:
    """The search of one decision by trees, one for each thread.

    `only` lists the root moves to search (None: all). Raises MasonsError as `Search` does.
    """

    def __init__(
        self,
        table: Table,
        view: Observation,
        only: Sequence[Move] | None,
        *,
        seed: int,
        threads: int,
        options: SearchOptions,
    ) -> None:
        seeds = [mix(seed, number) if number else seed for number in range(threads)]
        self.searches = [Search(table, view, own_seed, options, only) for own_seed in seeds]
        for search in self.searches:
            search.run(1)  # compiles the kernel if necessary, and ensures that there is a result

    @property
    def iterations(self) -> int:
        """The number of iterations done so far by all threads."""
        return sum(search.iterations for search in self.searches)

    @property
    def best(self) -> Move:
        """The move with the most visits.

        This is also the first move of the analysis, but this property is faster to compute.
        """
        return self.analysis(0.0, top=0).best

    def analysis(
        self, seconds: float, *, stopped: bool = False, top: int | None = None
    ) -> Analysis:
        """Return the results so far; the `top` best moves (None: all) get lines of play."""
        return _analysis(self.searches, seconds, stopped=stopped, top=top)


@dataclass
class _MoveSums:
    """The sums of one root move over all trees.

    `row` has the columns of the report (see `tree`), and `value` is the sum of the deciding seat's
    rewards. `follow` is where the line after the move begins: the arena of the tree with the most
    visits of the move, and the node after the move in this arena (0: none).
    """

    visits: int = 0
    value: float = 0.0
    row: NDArray[np.float64] = field(default_factory=lambda: np.zeros(_COLUMNS))
    most: int = 0
    follow: tuple[Arena, int] | None = None

    def means(self, column: int, players: int) -> tuple[float, ...]:
        """Return each seat's mean in a group of columns, or () if the move has no row."""
        count, *sums = self.row[[0, *range(column, column + players)]].tolist()
        return tuple(total / count for total in sums) if count else ()


def _root_sums(searches: Sequence[Search]) -> dict[Move, _MoveSums]:
    """Return the sums of each visited root move; the steps of a swap are combined into one move."""
    sums: dict[Move, _MoveSums] = {}
    for search in searches:
        todo: list[tuple[int, tuple[int, ...]]] = [(tree.FIRST_NODE, ())]
        while todo:
            node, exchanged = todo.pop()
            for narrow, child, visits, row, value in edges_of(search.arena, node).tolist():
                move = widened(narrow)
                if move.kind == EXCHANGE:
                    if child:
                        todo.append((child, (*exchanged, *move.cards)))
                    continue
                if move.kind == SWAP:
                    move = swap_move(exchanged)
                total = sums.setdefault(move, _MoveSums())
                total.visits += visits
                total.value += value
                total.row += search.report[row * _COLUMNS :][:_COLUMNS]
                if visits > total.most:
                    total.most, total.follow = visits, (search.arena, child)
    return sums


def _analysis(
    searches: Sequence[Search], seconds: float, *, stopped: bool, top: int | None
) -> Analysis:
    """Return the combined results of trees over one view.

    The `top` best moves (None: all) get lines of play.
    """
    view = searches[0].view
    seat, players = view.seat, view.players
    sums = _root_sums(searches)

    def rank(move: Move) -> tuple[float, ...]:
        total = sums[move]
        score = total.means(_SCORES, players)[seat : seat + 1]
        return (-total.visits, -total.value / total.visits, *(-x for x in score), move)

    def stats(number: int, move: Move) -> MoveStats:
        total = sums[move]
        win, squares = total.value / total.visits, float(total.row[_SQUARES + seat])
        # The squared rewards of a move without a row are unknown, but at most equal to the rewards.
        squares += total.value - float(total.row[_REWARDS + seat])
        has_line = total.follow is not None and (top is None or number < top)
        return MoveStats(
            move=move,
            visits=total.visits,
            win=win,
            error=standard_error(total.visits, win, squares / total.visits),
            wins=total.means(_REWARDS, players),
            scores=total.means(_SCORES, players),
            line=tuple(best_line(*total.follow)) if has_line and total.follow else (),
        )

    rows = np.sum([total.row for total in sums.values()], axis=0)
    wins, scores = (
        tuple((rows[column : column + players] / max(rows[0], 1.0)).tolist())
        for column in (_REWARDS, _SCORES)
    )
    return Analysis(
        seat=seat,
        phase=view.phase,
        iterations=sum(search.iterations for search in searches),
        seconds=seconds,
        tree_bytes=sum(search.tree_bytes for search in searches),
        moves=tuple(stats(number, move) for number, move in enumerate(sorted(sums, key=rank))),
        wins=wins,
        scores=scores,
        stopped=stopped,
    )


# --- reading a tree


def header_at(arena: Arena, item: int) -> list[int]:
    """Return the four halves with which a node or a block begins (see `tree`)."""
    halves: list[int] = arena[item : item + _HEADER].view(np.uint32).tolist()
    return halves


def blocks(arena: Arena, node: int) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield the offset of each block of a decision, and its edges as an array of EDGE."""
    kind, _, count, _ = header_at(arena, node)
    block = node + _HEADER + (_LINE_WORDS if kind == _LINES else (count + 1) // 2)
    while block:
        kind, capacity, following, _ = header_at(arena, block)
        first = block + _BLOCK + capacity
        yield block, arena[first : first + _EDGE * (kind // _USED)].view(EDGE)
        block = following


def edges_of(arena: Arena, node: int) -> NDArray[Any]:
    """Return the visited edges of a decision as an array of EDGE.

    In a HIDDEN node, `row` is the number of iterations in which the edge was available.
    """
    edges = np.concatenate([rows for _, rows in blocks(arena, node)])
    return edges[edges["visits"] > 0]


def slots(arena: Arena, node: int) -> NDArray[np.uint32]:
    """Return the slots of a chance node; each is 0, SEEN_ONCE or the next node."""
    first = 2 * (node + _HEADER)
    return arena.view(np.uint32)[first : first + header_at(arena, node)[2]]


def is_chance(arena: Arena, node: int) -> bool:
    """Return whether a node is a chance node."""
    return header_at(arena, node)[0] >= _ROLL


def widened(narrow: int) -> Move:
    """Return the move that a 32-bit form stands for."""
    return Move(((narrow >> 28) << KIND_SHIFT) | (narrow & ((1 << 28) - 1)))


def narrowed(move: Move) -> int:
    """Return a move in 32 bits.

    This works for every move except whole swaps of one or more cards.
    """
    return ((move >> KIND_SHIFT) << 28) | (move & ((1 << 28) - 1))


def _slot_text(kind: int, slot: int) -> str:
    """Return a roll or a draw as text, such as `roll:white/red/?` or `draw:cities`."""
    if kind != _ROLL:
        return f"draw:{CARDS[slot]}"
    color, faces = divmod(slot, len(_FACES))
    tower = TOWER_DIE[color] if color < len(TOWER_DIE) else "-"
    low, high = _FACES[faces]
    return f"roll:{tower}/{HOUSE_DIE[low]}/{HOUSE_DIE[high]}"


def best_line(arena: Arena, node: int) -> Iterator[str]:
    """Yield the most visited line of play from a node (0: none)."""
    halves = arena.view(np.uint32)
    for _ in range(MAX_LINE):
        if node <= _SEEN_ONCE:
            return
        kind = header_at(arena, node)[0]
        if kind >= _ROLL:
            following = slots(arena, node).astype(np.int64)
            nodes = np.flatnonzero(following > _SEEN_ONCE)
            if not len(nodes):
                return
            slot = int(nodes[halves[2 * following[nodes] + int(tree.VISITS)].argmax()])
            yield _slot_text(kind, slot)
            node = int(following[slot])
            continue
        rows = [
            edges[edges["visits"].argmax()].tolist()
            for _, edges in blocks(arena, node)
            if len(edges)
        ]
        move, node, visits, *_ = max(rows, key=lambda row: row[2], default=(0, 0, 0))
        if not visits:
            return
        yield format_move(widened(move))


# --- a root with only some of the moves


def plant_root(arena: Arena, table: Table, view: Observation, only: Sequence[Move]) -> None:
    """Write a root with only the moves in `only` to an empty `arena` (modified in place).

    Nodes below the root are not restricted. In the final scoring, the moves may name any city.
    Raises MasonsError if `only` is empty or contains an illegal move, or if the arena is too small.

    A swap is decided card by card, so every step towards one of the swaps is written. The edges of
    these steps exist from the beginning. An untried edge starts with a mean that is higher than any
    mean of real games. Each edge of a node is therefore taken once before any edge is taken again,
    just as other nodes try all their moves first.
    """
    moves = sorted(moves_to_search(table, view, only))
    swaps = [move.cards for move in moves if move.kind == SWAP]
    steps = {cards[:i] for cards in swaps for i in range(len(cards) + 1)}
    nodes, edge_count = max(len(steps), 1), len(steps) + len(moves)
    words = nodes * (_HEADER + _BLOCK + 1) + edge_count * (_EDGE + 1) + (edge_count + nodes) // 2
    if tree.FIRST_NODE + words > len(arena):
        raise MasonsError(f"the memory of the search has no room for {len(moves)} moves")
    if view.phase == "swap":
        _plant_swaps(arena, swaps)
    else:
        _plant_node(arena, moves, min(_FIRST_CAPACITY, len(moves)))


def _plant_swaps(arena: Arena, swaps: Sequence[tuple[int, ...]]) -> None:
    """Write the nodes for all steps of `swaps`; each swap lists its cards in ascending order."""
    halves, singles = arena.view(np.uint32), arena.view(np.float32)
    todo: list[tuple[int, Sequence[tuple[int, ...]]]] = [(0, swaps)]
    for link, rest in todo:
        after: dict[int, list[tuple[int, ...]]] = {}
        for cards in rest:
            after.setdefault(cards[0] if cards else -1, []).append(cards[1:])
        kinds = sorted(after)
        moves = [_CLOSE if kind < 0 else Move((EXCHANGE << KIND_SHIFT) | kind) for kind in kinds]
        capacity = len(moves)
        node, block = _plant_node(arena, moves, capacity)
        if link:
            halves[link] = node
        halves[2 * node + int(tree.VISITS)] = 1  # so that the logarithm of the visits exists
        halves[2 * node + int(tree.TRIED)] = capacity
        halves[2 * block + int(tree.TYPE)] = int(tree.BLOCK) + _USED * capacity
        means = 2 * (block + _BLOCK)
        singles[means : means + capacity] = _UNTRIED
        first = block + _BLOCK + capacity
        edges = arena[first : first + _EDGE * capacity].view(EDGE)
        edges["move"] = [narrowed(move) for move in moves]
        todo += [
            (2 * (first + _EDGE * i) + int(tree.CHILD), after[kind])
            for i, kind in enumerate(kinds)
            if kind >= 0
        ]


def _plant_node(arena: Arena, moves: Sequence[Move], capacity: int) -> tuple[int, int]:
    """Write a MOVES node with some untried moves and an empty block.

    Returns the offsets of the node and of the block.
    """
    node = int(arena[int(tree.FREE)])
    block = node + _HEADER + (len(moves) + 1) // 2
    end = block + _BLOCK + (_EDGE + 1) * capacity
    arena[node:end] = 0
    halves = arena.view(np.uint32)
    halves[2 * node :][:4] = _MOVES, 0, len(moves), 0
    halves[2 * (node + _HEADER) :][: len(moves)] = [narrowed(move) for move in moves]
    halves[2 * block :][:4] = int(tree.BLOCK), capacity, 0, 0
    arena[int(tree.FREE)] = end
    return node, block
