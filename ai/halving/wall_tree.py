"""The tree below a move: which walls the seats put in the turns to come.

An open loop: chance makes no branches, as what a wall can do (close a city, use up towers, end the
game) hardly depends on the colours that fall. Dice, cards, and the rest of each turn are played by
chance and the heuristics, anew each time; so a node sums over all that may have come before.
Each seat goes for its own value (max^n), by UCB1. Where a node is new, the net evaluates.

A node looks at a few lines of each sort, drawn when it is made: lines that complete a city, with
towers at both ends, at one, at none: they use up 0, 1 or 2 towers of those whose end ends the game.
Among its edges is HERE, which leaves it at what the net says: so few lines may all be poor.

At each turn every other simulation ends, and the net evaluates. So a move's value mixes what the
net says after so many turns, half as much of each as of the one before: a tree followed to its ends
found the net's errors, and played the weaker the longer it was searched (docs/strength.md).
"""

from __future__ import annotations

import math
from typing import Final

from masons.ai.halving.sequential_halving import move_value
from masons.ai.halving.workspace import LONGEST, SET_WORDS, Models, Workspace
from masons.ai.models.value_net import NetWorkspace, evaluate
from masons.ai.policies.heuristic_play import heuristic_play
from masons.ai.search.ucb import natural_log
from masons.engine.kernels.bits import U, count4, drop, has, nth_of4
from masons.engine.kernels.jit import (
    Single,
    Word,
    Words,
    bytes_of,
    floats_of,
    inlined,
    inner,
    prefetch,
    singles_of,
)
from masons.engine.kernels.rng import below
from masons.engine.rules.placement import put_wall
from masons.engine.state.layout import (
    CLOSING,
    DOUBLE,
    OPEN,
    PHASE,
    PHASE_OVER,
    PHASE_ROLL,
    PLAYERS,
    SEAT,
    TOUCHED,
)

EXPLORATION: Final = 0.25

# The arena: its first word holds the offset of the first free one. Then a link for each root move,
# then nodes: how many edges, visits, and each edge's line, link, and value summed (float64). Above
# the line stands 1 / sqrt(visits) (float32), as a division takes its time.
# A link: visits in the low half, the node in the high one, or NOT_MADE or SEEN_ONCE.
FREE = U(0)
LINKS: Final = 1
_EDGES, _VISITS, _FIRST_EDGE = U(0), U(1), U(2)
_LINE, _LINK, _VALUE = U(0), U(1), U(2)
_EDGE_WORDS = U(3)
_ROOT = U(1)  # in singles, from the edge on
_SORTS: Final = (4, 2, 3, 3)  # lines of each sort at most
_NODE_WORDS = U(2 + 3 * (1 + sum(_SORTS)))
_CACHE_LINE = U(8)  # in words
_HERE = U(255)  # the line of the edge where the net evaluates
_NODE = U(32)
_COUNT = U((1 << 32) - 1)
NOT_MADE = U(0)
SEEN_ONCE = U(1)

_value = inner(move_value)


@inner
def _add_edge(arena: Words, node: Word, line: Word) -> None:
    """Append an edge, not yet visited."""
    edges = arena[node + _EDGES]
    edge = node + _FIRST_EDGE + _EDGE_WORDS * edges
    arena[edge + _LINE] = line
    arena[edge + _LINK] = NOT_MADE
    arena[edge + _VALUE] = U(0)
    arena[node + _EDGES] = edges + U(1)


@inner
def _add_lines(arena: Words, node: Word, lines: Words, most: Word, rng: Words) -> None:
    """Append edges for up to `most` random lines of a set, which is used up."""
    left = count4(lines, U(0))
    for _ in range(min(left, most)):
        line = nth_of4(lines, U(0), below(rng, left))
        drop(lines, U(0), line)
        left -= U(1)
        _add_edge(arena, node, line)


@inner
def _new_node(workspace: Workspace) -> Word:
    """A node for the wall decision of the state; 0 where the arena is full."""
    state, rng = workspace.state, workspace.rng
    arena, lines = workspace.arena, workspace.lines
    node = arena[FREE]
    if node + _NODE_WORDS > workspace.arena_words:
        return U(0)
    arena[node + _EDGES] = U(0)
    arena[node + _VISITS] = U(0)
    _add_edge(arena, node, _HERE)
    for w in range(U(SET_WORDS)):
        lines[w] = state[CLOSING + w]
    _add_lines(arena, node, lines, U(_SORTS[0]), rng)
    for w in range(U(SET_WORDS)):
        lines[w] = state[DOUBLE + w] & ~state[CLOSING + w]
    _add_lines(arena, node, lines, U(_SORTS[1]), rng)
    for w in range(U(SET_WORDS)):
        lines[w] = state[TOUCHED + w] & ~state[DOUBLE + w]
    _add_lines(arena, node, lines, U(_SORTS[2]), rng)
    for w in range(U(SET_WORDS)):
        lines[w] = state[OPEN + w] & ~state[TOUCHED + w]
    _add_lines(arena, node, lines, U(_SORTS[3]), rng)
    arena[FREE] = node + _NODE_WORDS
    return node


@inner
def _best_edge(arena: Words, node: Word) -> Word:
    """The edge with the highest upper confidence bound; one not yet visited first."""
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
    """Have the node that a link leads to fetched while the turn before it is played."""
    node = arena[link] >> _NODE
    for i in range(_NODE_WORDS // _CACHE_LINE + U(1)):
        prefetch(arena, node + _CACHE_LINE * i)


@inlined
def _back_up(depth: Word, players: Word, workspace: Workspace) -> None:
    """Add what came out to the edges of the path, each from the view of the seat that decided."""
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
def simulate_walls(link: Word, board: Words, models: Models, workspace: Workspace) -> None:
    """Play on from `workspace.state` along the tree below `link`, and evaluate what comes of it.

    Fills `wins` and `scores` of the workspace.
    """
    state, rng, arena = workspace.state, workspace.rng, workspace.arena
    copy, counters, path = workspace.copy, workspace.counters, workspace.path
    b = bytes_of(state)
    depth = U(0)
    _fetch_node(arena, link)
    heuristic_play(state, board, rng, models.heuristic, U(0), copy, counters)
    while b[PHASE] != PHASE_OVER and depth < U(LONGEST) and below(rng, U(2)):
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
        # What dice and merges did to the board may forbid a line.
        if line != _HERE and not has(state, OPEN, line):
            break
        path[U(3) * depth] = edge
        path[U(3) * depth + U(1)] = node
        path[U(3) * depth + U(2)] = U(b[SEAT])
        depth += U(1)
        if line == _HERE:
            break
        link = edge + _LINK
        _fetch_node(arena, link)
        put_wall(state, board, line, True)
        b[PHASE] = PHASE_ROLL
        heuristic_play(state, board, rng, models.heuristic, U(0), copy, counters)
    evaluation = NetWorkspace(
        workspace.net, workspace.hand_sums, workspace.areas, copy, workspace.wins, workspace.scores
    )
    evaluate(state, board, models.net, evaluation)
    _back_up(depth, U(b[PLAYERS]), workspace)
