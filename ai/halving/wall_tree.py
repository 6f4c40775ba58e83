"""The tree below a move: which walls the seats put in the turns to come.

An open loop: luck makes no branches, as what a wall can do (close a city, use up towers, end the
game) hardly depends on the colours that fall. Dice, cards, and the rest of each turn are played by
chance and the heuristics, anew each time; so a node sums over all that may have come before.
Each seat goes for its own value (max^n), by UCB1. Where a node is new, the net judges.

A node looks at a few lines of each sort, drawn when it is made: lines that complete a city, with
towers at both ends, at one, at none: they use up 0, 1 or 2 towers of those whose end ends the game.
Among its edges is HERE, which leaves it at what the net says: so few lines may all be poor.

At each turn every other try ends, and the net judges. So what a move is worth mixes what the net
says after so many turns, half as much of each as of the one before: a tree followed to its ends
found the net's errors, and played the weaker the longer it was searched (docs/strength.md).
"""

from __future__ import annotations

import math
from typing import Final

from masons.ai.evaluation.rewards import win_shares
from masons.ai.models.value_net import predict_end
from masons.ai.policies.heuristic_play import heuristic_play
from masons.ai.search.ucb import natural_log
from masons.engine.kernels.bits import U, count4, drop, has, nth_of4
from masons.engine.kernels.jit import Floats, Singles, Word, Words, bytes_of, floats_of, inner
from masons.engine.kernels.rng import below
from masons.engine.rules.placement import put_wall
from masons.engine.rules.turns import score_of
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

LEAD: Final = 0.004  # of a share of the victory that a point of lead is worth
EXPLORATION: Final = 0.25

# The arena: its first word holds the offset of the first free one. Then a link for each root move,
# then nodes: how many edges, visits, and each edge's line, link, and value summed (float64).
# A link: visits in the low half, the node in the high one, or NOT_MADE or SEEN_ONCE.
FREE = U(0)
LINKS: Final = 1
_EDGES, _VISITS, _FIRST_EDGE = U(0), U(1), U(2)
_LINE, _LINK, _VALUE = U(0), U(1), U(2)
_EDGE_WORDS = U(3)
_SORTS: Final = (4, 2, 3, 3)  # lines of each sort at most
_NODE_WORDS = U(2 + 3 * (1 + sum(_SORTS)))
_HERE = U(255)  # the line of the edge where the net judges
_NODE = U(32)
_COUNT = U((1 << 32) - 1)
NOT_MADE = U(0)
SEEN_ONCE = U(1)

# A path: an edge, its node, the seat that decided, for each turn.
LONGEST: Final = 64
PATH_WORDS: Final = 3 * LONGEST
SET_WORDS: Final = 4


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
def _new_node(state: Words, arena: Words, size: Word, lines: Words, rng: Words) -> Word:
    """A node for a wall decision; 0 where there is no room."""
    node = arena[FREE]
    if node + _NODE_WORDS > size:
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
    values = floats_of(arena)
    weight = EXPLORATION * math.sqrt(natural_log(arena[node + _VISITS] + U(1)))
    best, most = U(0), -1.0e9
    for i in range(arena[node + _EDGES]):
        edge = node + _FIRST_EDGE + _EDGE_WORDS * i
        visits = arena[edge + _LINK] & _COUNT
        if visits == U(0):
            return edge
        bound = values[edge + _VALUE] / float(visits) + weight / math.sqrt(float(visits))
        if bound > most:
            best, most = edge, bound
    return best


@inner
def value(share: float, score: float, total: float, players: Word) -> float:
    """A seat's share of the victory with a little of its lead, `total` being all seats' scores."""
    return share + LEAD * (score - (total - score) / float(players - U(1)))


@inner
def _back_up(
    arena: Words, path: Words, depth: Word, players: Word, shares: Floats, scores: Floats
) -> None:
    """Add what came out to the edges of a path, each from the view of the seat that decided."""
    values = floats_of(arena)
    total = 0.0
    for seat in range(players):
        total += scores[seat]
    for i in range(depth):
        edge, node, seat = path[U(3) * i], path[U(3) * i + U(1)], path[U(3) * i + U(2)]
        arena[edge + _LINK] += U(1)
        arena[node + _VISITS] += U(1)
        values[edge + _VALUE] += value(shares[seat], scores[seat], total, players)


@inner
def evaluate(
    state: Words,
    board: Words,
    net: Singles,
    singles: Singles,
    copy: Words,
    shares: Floats,
    scores: Floats,
) -> None:
    """Fill `shares` and `scores` (float64[4]) for a game that is over or at the start of a turn."""
    if bytes_of(state)[PHASE] != PHASE_OVER:
        predict_end(state, board, net, singles, copy, shares, scores)
        return
    win_shares(state, shares)
    for seat in range(U(bytes_of(state)[PLAYERS])):
        scores[seat] = float(score_of(state, seat))


@inner
def simulate_walls(
    state: Words,
    board: Words,
    rng: Words,
    heuristic: Floats,
    net: Singles,
    arena: Words,
    size: Word,
    link: Word,
    copy: Words,
    counters: Words,
    path: Words,
    lines: Words,
    singles: Singles,
    shares: Floats,
    scores: Floats,
) -> None:
    """Play on from a state along the tree below `link`, and judge what comes of it.

    Fills `shares` and `scores` (float64[4]). `size`: words of the arena. Workspace: uint64
    `copy` [STATE_WORDS], `counters` [COUNTER_WORDS], `path` [PATH_WORDS], `lines` [SET_WORDS], float32
    `singles` [NET_WORKSPACE].
    """
    b = bytes_of(state)
    depth = U(0)
    heuristic_play(state, board, rng, heuristic, U(0), copy, counters)
    while b[PHASE] != PHASE_OVER and depth < U(LONGEST) and below(rng, U(2)):
        node = arena[link] >> _NODE
        if node == NOT_MADE:
            arena[link] |= SEEN_ONCE << _NODE
            break
        if node == SEEN_ONCE:
            node = _new_node(state, arena, size, lines, rng)
            if node == U(0):
                break
            arena[link] = (arena[link] & _COUNT) | (node << _NODE)
        edge = _best_edge(arena, node)
        line = arena[edge + _LINE]
        # What luck and merges did to the board may forbid a line.
        if line != _HERE and not has(state, OPEN, line):
            break
        path[U(3) * depth] = edge
        path[U(3) * depth + U(1)] = node
        path[U(3) * depth + U(2)] = U(b[SEAT])
        depth += U(1)
        if line == _HERE:
            break
        put_wall(state, board, line, True)
        b[PHASE] = PHASE_ROLL
        heuristic_play(state, board, rng, heuristic, U(0), copy, counters)
        link = edge + _LINK
    evaluate(state, board, net, singles, copy, shares, scores)
    _back_up(arena, path, depth, U(b[PLAYERS]), shares, scores)
