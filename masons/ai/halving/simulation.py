"""Simulations: each move is played in the same determinizations with the same random numbers.

Effects that two moves share cancel in their difference (common random numbers).

Below each move there is a tree of the walls that the seats place in the next turns. It is an
open-loop tree: dice and cards make no branches, because the effect of a wall (a city completed,
towers used up, the end of the game) hardly depends on the colors rolled. Each simulation draws new
dice and cards, and the heuristics play the rest of each turn, so a node averages over all positions
in which it can be reached. Each seat maximizes its own value (max^n) with UCB1, and the net
evaluates the position at which the simulation leaves the tree.

A new node gets a few random lines of each sort: lines that complete a city, and lines with towers
at both ends, at one end, or at none. Lines of the last three sorts use up 0, 1 or 2 towers, and the
game ends when towers run out. Because all these random lines may be bad, a node has one more edge,
HERE, which ends the simulation: the net evaluates the position as it is.

At each turn, half of the simulations end with an evaluation by the net. The value of a move thus
mixes the net's values after different numbers of turns, and each further turn has half the weight
of the turn before. A search that always followed the tree to its end would prefer moves that the
net overestimates.

Workspaces and batches are named tuples. They hold numpy arrays when Python passes them to a kernel,
and pointers inside kernels. A field with a single number is np.uint64.
"""

from __future__ import annotations

import math
from typing import Annotated, Final, NamedTuple

from masons.ai.beliefs.determinization import deal
from masons.ai.evaluation.rewards import move_value
from masons.ai.models.features import CITIES
from masons.ai.models.model_data import Models
from masons.ai.models.value_net import NET_WORKSPACE, TERMS, NetWorkspace, evaluate
from masons.ai.policies.heuristic_play import heuristic_play
from masons.ai.search.decision import Decision
from masons.ai.search.threads import CONTROL_WORDS, DEADLINE, DONE, STOP
from masons.engine.kernels.bits import U, count4, drop, has, nth_of4
from masons.engine.kernels.exact_math import natural_log
from masons.engine.kernels.jit import (
    FloatArray,
    Floats,
    Single,
    Singles,
    Word,
    Words,
    bytes_of,
    floats_of,
    inlined,
    inner,
    new_workspace,
    now_ns,
    prefetch,
    shared,
    singles_of,
    words,
)
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.kernels.rng import STEP, below
from masons.engine.playouts.counters import COUNTER_WORDS
from masons.engine.rules.placement import put_wall
from masons.engine.rules.scoring import AREAS
from masons.engine.rules.transitions import apply_legal
from masons.engine.state import layout

# The columns of a move's sums: the number of simulations; for each seat, the sums of its win
# probabilities, then of their squares, then of its scores; and the number of simulations that
# reached the end of the game.
COLUMNS: Final = 14
VISITS, WINS, SQUARES, SCORES, ENDED = 0, 1, 5, 9, 13
_COLUMNS = U(COLUMNS)

EXPLORATION: Final = 0.25
# The path of a simulation holds, for each turn, an edge, its node and the seat that decided.
LONGEST: Final = 64
PATH_WORDS: Final = 3 * LONGEST
SET_WORDS: Final = 4

# The first word of the arena is the offset of the first free word. A link for each root move
# follows, then the nodes. A node consists of its number of edges, its visits, and for each edge a
# line, a link and the sum of the edge's values (float64). The upper half of the line's word is
# 1 / sqrt(visits) (float32), which saves a division.
# A link holds the visits in its low half, and the node, NOT_MADE or SEEN_ONCE in its high half.
FREE = U(0)
LINKS: Final = 1
_EDGES, _VISITS, _FIRST_EDGE = U(0), U(1), U(2)
_LINE, _LINK, _VALUE = U(0), U(1), U(2)
_EDGE_WORDS = U(3)
_ROOT = U(1)  # offset of 1 / sqrt(visits) in an edge, in float32
_SORTS: Final = (4, 2, 3, 3)  # upper limit for the lines of each sort in a node
_NODE_WORDS = U(2 + 3 * (1 + sum(_SORTS)))
_CACHE_LINE = U(8)  # in words
_HERE = U(255)  # the edge HERE has this number instead of a line
_NODE = U(32)
_COUNT = U((1 << 32) - 1)
NOT_MADE = U(0)
SEEN_ONCE = U(1)
_LINKS = U(LINKS)

_value = inner(move_value)


class SimulationBatch(NamedTuple):
    """A batch of `number` determinizations, numbered `first`, `first + step` and so on.

    The seed and the number of a determinization decide its dice and cards.
    """

    seed: Word
    first: Word
    step: Word
    number: Word


class SimulationWorkspace(NamedTuple):
    """The memory of one thread. Everything is modified in place."""

    control: Annotated[Words, CONTROL_WORDS]  # see `threads`; DONE counts simulations
    sums: Floats  # float64[moves * COLUMNS]: sums over the simulations of each move
    arena: Words  # uint64[arena_words]: the trees; the first word of a new arena is 0
    arena_words: Word
    determinization: Annotated[Words, layout.STATE_WORDS]  # the deal that is simulated
    rng: Annotated[Words, 1]  # random state for the dice, cards and choices of a simulation
    state: Annotated[Words, layout.STATE_WORDS]  # the game that is simulated
    copy: Annotated[Words, layout.STATE_WORDS]  # a copy of the game for looking ahead
    counters: Annotated[Words, COUNTER_WORDS]
    path: Annotated[Words, PATH_WORDS]  # the edges followed
    lines: Annotated[Words, SET_WORDS]  # a set of lines
    net: Annotated[Singles, NET_WORKSPACE]  # inputs and sums of the net
    cities: Annotated[Words, CITIES]  # the cities that can be completed (see `features`)
    terms: Annotated[Words, TERMS]  # see `value_net`, and so on for `term_ends`
    term_ends: Annotated[Words, 4]
    areas: Annotated[Words, AREAS]  # cache of areas that walls would enclose (see `scoring`)
    wins: Annotated[Floats, 4]  # result of the simulation: each seat's win probability
    scores: Annotated[Floats, 4]  # result of the simulation: each seat's score


def new_simulation_workspace(sums: FloatArray, arena_words: int) -> SimulationWorkspace:
    """Return the workspace of one thread, which adds to `sums` (float64[moves * COLUMNS])."""
    return new_workspace(
        SimulationWorkspace,
        sums=sums,
        # Untouched memory costs nothing: the system allocates pages as the trees grow.
        arena=words(arena_words),
        arena_words=U(arena_words),
    )


@inner
def _add_edge(arena: Words, node: Word, line: Word) -> None:
    """Append an edge without visits to a node."""
    edges = arena[node + _EDGES]
    edge = node + _FIRST_EDGE + _EDGE_WORDS * edges
    arena[edge + _LINE] = line
    arena[edge + _LINK] = NOT_MADE
    arena[edge + _VALUE] = U(0)
    arena[node + _EDGES] = edges + U(1)


@inner
def _add_lines(arena: Words, node: Word, lines: Words, most: Word, rng: Words) -> None:
    """Move up to `most` random lines from the set `lines` to new edges of a node."""
    left = count4(lines, U(0))
    for _ in range(min(left, most)):
        line = nth_of4(lines, U(0), below(rng, left))
        drop(lines, U(0), line)
        left -= U(1)
        _add_edge(arena, node, line)


@inner
def _new_node(workspace: SimulationWorkspace) -> Word:
    """Make a node for the wall decision of the state; return 0 if the arena is full."""
    state, rng = workspace.state, workspace.rng
    arena, lines = workspace.arena, workspace.lines
    node = arena[FREE]
    if node + _NODE_WORDS > workspace.arena_words:
        return U(0)
    arena[node + _EDGES] = U(0)
    arena[node + _VISITS] = U(0)
    _add_edge(arena, node, _HERE)
    for w in range(U(SET_WORDS)):
        lines[w] = state[layout.CLOSING + w]
    _add_lines(arena, node, lines, U(_SORTS[0]), rng)
    for w in range(U(SET_WORDS)):
        lines[w] = state[layout.DOUBLE + w] & ~state[layout.CLOSING + w]
    _add_lines(arena, node, lines, U(_SORTS[1]), rng)
    for w in range(U(SET_WORDS)):
        lines[w] = state[layout.TOUCHED + w] & ~state[layout.DOUBLE + w]
    _add_lines(arena, node, lines, U(_SORTS[2]), rng)
    for w in range(U(SET_WORDS)):
        lines[w] = state[layout.OPEN + w] & ~state[layout.TOUCHED + w]
    _add_lines(arena, node, lines, U(_SORTS[3]), rng)
    arena[FREE] = node + _NODE_WORDS
    return node


@inner
def _best_edge(arena: Words, node: Word) -> Word:
    """Return an edge without visits, or the edge with the highest upper confidence bound."""
    values, roots = floats_of(arena), singles_of(arena)
    weight = EXPLORATION * math.sqrt(natural_log(arena[node + _VISITS] + U(1)))
    best, most = U(0), -1.0e9
    for i in range(arena[node + _EDGES]):
        edge = node + _FIRST_EDGE + _EDGE_WORDS * i
        visits = arena[edge + _LINK] & _COUNT
        if visits == U(0):
            return edge
        root = float(roots[U(2) * edge + _ROOT])
        bound = values[edge + _VALUE] * root * root + weight * root
        if bound > most:
            best, most = edge, bound
    return best


@inner
def _fetch_node(arena: Words, link: Word) -> None:
    """Prefetch the node of a link while the previous turn is still being played."""
    node = arena[link] >> _NODE
    for i in range(_NODE_WORDS // _CACHE_LINE + U(1)):
        prefetch(arena, node + _CACHE_LINE * i)


@inlined
def _back_up(depth: Word, players: Word, workspace: SimulationWorkspace) -> None:
    """Add the result of a simulation to each edge of its path.

    An edge gets the value for the seat that chose it.
    """
    arena, path = workspace.arena, workspace.path
    wins, scores = workspace.wins, workspace.scores
    values, roots = floats_of(arena), singles_of(arena)
    total = 0.0
    for seat in range(players):
        total += scores[seat]
    for i in range(depth):
        edge, node, seat = path[U(3) * i], path[U(3) * i + U(1)], path[U(3) * i + U(2)]
        arena[edge + _LINK] += U(1)
        visits = float(arena[edge + _LINK] & _COUNT)
        roots[U(2) * edge + _ROOT] = Single(math.sqrt(1.0 / visits))
        arena[node + _VISITS] += U(1)
        values[edge + _VALUE] += _value(wins[seat], scores[seat], total, players)


@inlined
def simulate_walls(
    link: Word, board: Words, models: Models, workspace: SimulationWorkspace
) -> None:
    """Play on from `workspace.state` along the tree below `link`, and evaluate the last state.

    Fills `wins` and `scores` of the workspace.
    """
    state, rng, arena = workspace.state, workspace.rng, workspace.arena
    copy, counters, path = workspace.copy, workspace.counters, workspace.path
    b = bytes_of(state)
    depth = U(0)
    _fetch_node(arena, link)
    heuristic_play(state, board, rng, models.heuristic, U(0), copy, counters)
    while b[layout.PHASE] != layout.PHASE_OVER and depth < U(LONGEST) and below(rng, U(2)):
        node = arena[link] >> _NODE
        if node == NOT_MADE:
            arena[link] |= SEEN_ONCE << _NODE
            break
        if node == SEEN_ONCE:
            node = _new_node(workspace)
            if node == U(0):
                break
            arena[link] = (arena[link] & _COUNT) | (node << _NODE)
        edge = _best_edge(arena, node)
        line = arena[edge + _LINE] & _COUNT
        # In this simulation, dice or merges may have made the line unavailable.
        if line != _HERE and not has(state, layout.OPEN, line):
            break
        path[U(3) * depth] = edge
        path[U(3) * depth + U(1)] = node
        path[U(3) * depth + U(2)] = U(b[layout.SEAT])
        depth += U(1)
        if line == _HERE:
            break
        link = edge + _LINK
        _fetch_node(arena, link)
        put_wall(state, board, line, True)
        b[layout.PHASE] = layout.PHASE_ROLL
        heuristic_play(state, board, rng, models.heuristic, U(0), copy, counters)
    evaluation = NetWorkspace(
        workspace.net, workspace.cities, workspace.terms, workspace.term_ends, workspace.areas,
        workspace.wins, workspace.scores,
    )  # fmt: skip
    evaluate(state, board, models.net, evaluation)
    _back_up(depth, U(b[layout.PLAYERS]), workspace)


@inlined
def _add_up(row: Word, workspace: SimulationWorkspace) -> None:
    """Add the result of a simulation to a move's sums, which begin at index `row` of `sums`."""
    sums, wins, scores = workspace.sums, workspace.wins, workspace.scores
    b = bytes_of(workspace.state)
    sums[row] += 1.0
    sums[row + U(ENDED)] += float(U(b[layout.PHASE] == layout.PHASE_OVER))
    for seat in range(U(b[layout.PLAYERS])):
        win = wins[seat]
        sums[row + U(WINS) + seat] += win
        sums[row + U(SQUARES) + seat] += win * win
        sums[row + U(SCORES) + seat] += scores[seat]


@inlined
def simulate_move(
    decision: Decision, models: Models, number: Word, workspace: SimulationWorkspace
) -> None:
    """Simulate move `number` in `workspace.determinization`; add the result to the move's sums."""
    layout.copy_state(workspace.state, workspace.determinization)
    apply_legal(workspace.state, decision.board, decision.moves[number])
    simulate_walls(_LINKS + number, decision.board, models, workspace)
    _add_up(_COLUMNS * number, workspace)


@inner
def clear_links(arena: Words, count: Word) -> None:
    """Empty the arena and clear the links of `count` root moves."""
    arena[FREE] = _LINKS + count
    for i in range(count):
        arena[_LINKS + i] = NOT_MADE


@shared
def simulate_batch(
    decision: Decision, models: Models, batch: SimulationBatch, alive: Words, count: Word,
    workspace: SimulationWorkspace,
) -> None:  # fmt: skip
    """Simulate the first `count` moves of `alive` in each determinization of a batch.

    The stop flag and the deadline are ignored in the first determinization of a thread, because
    each move must be simulated at least once.
    """
    control, rng = workspace.control, workspace.rng
    for n in range(batch.number):
        if control[DONE] and (
            control[STOP] or (control[DEADLINE] and now_ns() >= control[DEADLINE])
        ):
            return
        rng[0] = batch.seed + STEP * ((batch.first + batch.step * n) << U(20))
        layout.copy_state(workspace.determinization, decision.observed)
        deal(
            workspace.determinization, decision.hidden, decision.hand_weights,
            decision.by_weights, rng,
        )  # fmt: skip
        dealt = rng[0]
        for i in range(count):
            rng[0] = dealt
            simulate_move(decision, models, alive[i], workspace)
            control[DONE] += U(1)


@kernel
def simulate_moves(
    decision: Decision,
    models: Models,
    batch: SimulationBatch,
    alive: Words,
    count: Word,
    workspace: SimulationWorkspace,
) -> None:
    """Call `simulate_batch` from Python, for `count` move numbers in `alive`."""
    if workspace.arena[FREE] == U(0):
        clear_links(workspace.arena, decision.move_count)
    simulate_batch(decision, models, batch, alive, count, workspace)
