"""The tree search: counts, UCB1, results, and roots with some moves only."""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from masons.ai.ismcts import tree
from masons.ai.ismcts.selection import best_edge
from masons.ai.ismcts.tree import edge_at
from masons.ai.ismcts.tree_search import (
    EDGE,
    Search,
    blocks,
    edges_of,
    header_at,
    is_chance,
    slots,
    widened,
)
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session
from masons.ai.session import analyze as plain_analyze
from masons.engine.board.components import CARDS
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import (
    Move,
    early_roll_move,
    merge_move,
    parse_cards,
    wall_move,
)
from masons.engine.game.game import Game
from masons.engine.game.table import Table
from masons.engine.kernels.jit import Word, Words
from masons.engine.kernels.kernel_calls import kernel
from masons.engine.state.packed_move import ABSTAIN, DECISIONS, FINAL, NONE, PLAY
from masons.engine.state.position import Position, members
from tests.support.named_play import all_decisions, games_by_phase
from tests.support.thinned import thinned

SIMS = 300


def ismcts(**fields: Any) -> SearchOptions:
    return SearchOptions("ismcts", **fields)


UNIFORM = ismcts(policy="uniform", memory_mb=32)


def analyze(table: Any, view: Any = None, **request: Any) -> Any:
    return plain_analyze(table, view, **{"options": ismcts(), **request})


def search_of(
    game: Game, seed: int = 2, options: SearchOptions | None = None, only: list[Move] | None = None
) -> Search:
    return Search(game.table, game.observe(game.seat), seed, options or ismcts(), only)


@pytest.fixture(scope="module")
def decisions() -> dict[str, Game]:
    return all_decisions()


by_phase = pytest.mark.parametrize("phase", DECISIONS)


@pytest.mark.parametrize("early_roll", [False, True])
def test_all_moves_are_tried_before_any_is_tried_twice(early_roll: bool) -> None:
    game = Game(2, seed=1, early_roll=early_roll)
    moves = game.legal_moves()
    assert (early_roll_move() in moves) == early_roll
    analysis = analyze(game, sims=len(moves), seed=1)
    assert sorted(stats.move for stats in analysis.moves) == sorted(moves)
    assert {stats.visits for stats in analysis.moves} == {1}


def test_a_search_may_go_on_in_steps(decisions: dict[str, Game]) -> None:
    at_once, stepwise = (search_of(decisions["score"]) for _ in range(2))
    at_once.run(200)
    for done in (1, 50, 200):
        stepwise.run(done)
        assert stepwise.iterations == done
    assert stepwise.analysis().moves == at_once.analysis().moves


def test_a_deadline_ends_the_search_in_the_kernel(decisions: dict[str, Game]) -> None:
    search = search_of(decisions["wall"])
    search.run(1 << 60, time.monotonic_ns())  # past already: ends at the next look at the clock
    assert 0 <= search.iterations <= 16
    search.run(100, time.monotonic_ns() + 10**12)
    assert search.iterations == 100
    search.run(1 << 60, time.monotonic_ns() + 10**7)
    assert search.iterations > 100
    search.run(search.iterations + 50)  # no deadline is left behind
    assert search.analysis().iterations == sum(s.visits for s in search.analysis().moves)


def test_a_full_tree_is_searched_on(decisions: dict[str, Game]) -> None:
    for sims, memory in ((40_000, 1), (80_000, 64)):
        options = ismcts(memory_mb=memory)
        analysis = analyze(decisions["wall"], sims=sims, options=options)
        assert analysis.iterations == sims
        assert (analysis.tree_bytes <= 1 << 20) == (memory == 1)


@pytest.mark.parametrize("threads", [1, 2])
def test_decisions_of_a_session_are_searched_apart(threads: int) -> None:
    """Repeatably, each from its own view, whatever was searched before."""
    game, options = Game(2, seed=5), ismcts(policy="uniform", threads=threads)
    session, again = (Session(game.table, seed=3, options=options) for _ in range(2))
    first, second = (session.analyze(game.observe(0), sims=500) for _ in range(2))
    assert first.moves == analyze(game, sims=500, seed=3, options=options).moves
    assert second.moves != first.moves  # another seed
    assert session.best == second.best
    again.search(game.observe(0), sims=10)
    assert again.analyze(game.observe(0), sims=500).moves == second.moves
    assert session.analyze(game.observe(0), seconds=0.2).rollouts == 0
    assert session.rollout is None


# --- the tree adds up


def check_node(arena: np.ndarray, node: int) -> int:
    """Check that visits agree with the edges, all the way down; return the number of nodes."""
    if is_chance(arena, node):
        below = [child for child in slots(arena, node).tolist() if child > 1]
        return 1 + sum(check_node(arena, child) for child in below)
    kind, visits, count, tried = header_at(arena, node)
    for block, rows in blocks(arena, node):
        capacity = header_at(arena, block)[1]
        figures = arena[block + int(tree.BLOCK_WORDS) :][:capacity].view(np.float32)
        is_taken = rows["visits"] > 0
        taken = rows[is_taken]
        means, spreads = (part[: len(rows)][is_taken] for part in (figures, figures[capacity:]))
        assert (means == np.float32(taken["value"] / taken["visits"])).all()
        assert (spreads == np.float32(1 / np.sqrt(taken["visits"], dtype=float))).all()
    edges = edges_of(arena, node)
    moves = {widened(narrow) for narrow in edges["move"].tolist()}
    if kind == tree.HIDDEN:
        assert ((edges["visits"] <= edges["row"]) & (edges["row"] <= visits)).all()
    assert visits == edges["visits"].sum()
    assert len(moves) == tried
    if kind != tree.HIDDEN:
        untried = untried_moves(arena, node)
        assert len(untried) == count - tried
        assert not moves & set(untried)
    total = 1
    for child, taken in edges[["child", "visits"]].tolist():
        if child:
            assert header_at(arena, child)[1] <= taken
            assert child > node
            total += check_node(arena, child)
    return total


def untried_moves(arena: np.ndarray, node: int) -> list[Move]:
    """Return the untried moves of a decision whose moves are known."""
    kind, _, count, tried = header_at(arena, node)
    if kind == tree.LINES:
        lines = members(arena, node + int(tree.HEADER_WORDS), 4)
        return [early_roll_move() if line == NONE else wall_move(line) for line in lines]
    narrow_moves = arena[node + int(tree.HEADER_WORDS) :].view(np.uint32)[: max(count - tried, 0)]
    return [widened(narrow) for narrow in narrow_moves.tolist()]


def decision_nodes(arena: np.ndarray) -> Iterator[int]:
    """Yield all nodes of a tree with edges."""
    todo = [tree.FIRST_NODE]
    while todo:
        node = todo.pop()
        if is_chance(arena, node):
            todo += [child for child in slots(arena, node).tolist() if child > 1]
            continue
        yield node
        todo += filter(None, edges_of(arena, node)["child"].tolist())


@pytest.mark.parametrize("phase", ["wall", "score", "swap", "houses", "early-roll"])
def test_visits_add_up_in_the_whole_tree(decisions: dict[str, Game], phase: str) -> None:
    early = Game(2, seed=1, early_roll=True)
    search = search_of(early if phase == "early-roll" else decisions[phase])
    search.run(3000)
    assert check_node(search.arena, tree.FIRST_NODE) > 1
    assert not search._workspace.marks.any()  # left clean


# --- selection


def test_new_moves_of_others_are_tried_in_random_order(decisions: dict[str, Game]) -> None:
    search = search_of(decisions["wall"])
    search.run(6000)
    firsts: Counter[int] = Counter()
    for node in decision_nodes(search.arena):
        tried = edges_of(search.arena, node)["move"].tolist()
        if header_at(search.arena, node)[0] == tree.HIDDEN and len(tried) == 1:
            firsts[widened(tried[0]).kind] += 1
    assert min(firsts[PLAY], firsts[ABSTAIN]) > 10, firsts


@kernel
def picks(arena: Words, nodes: Words, count: Word, exploration: float, out: Words) -> None:
    for i in range(count):
        block, number = best_edge(arena, nodes[i], exploration)
        out[i] = edge_at(arena, block, number)


@pytest.mark.slow
def test_the_best_edge_is_that_of_ucb1(decisions: dict[str, Game]) -> None:
    """Of nodes of one block and of many, by a bound worked out from visits and values alone."""
    search = search_of(decisions["wall"])
    search.run(30_000)
    headers = {node: header_at(search.arena, node) for node in decision_nodes(search.arena)}
    nodes = [
        node
        for node, (kind, _, count, tried) in headers.items()
        if kind != tree.HIDDEN and tried == count
    ]
    assert tree.FIRST_NODE in nodes
    assert len(nodes) > 100
    out = np.zeros(len(nodes), dtype=np.uint64)
    for exploration in (0.0, 0.3, 0.7, 2.0):
        picks(search.arena, np.array(nodes, dtype=np.uint64), len(nodes), exploration, out)
        for node, picked in zip(nodes, out.tolist(), strict=True):
            log = math.log(headers[node][1])

            def bound(edges: Any, log: float = log, weight: float = exploration) -> Any:
                return edges["value"] / edges["visits"] + weight * np.sqrt(log / edges["visits"])

            most = bound(edges_of(search.arena, node)).max()
            edge = search.arena[picked : picked + int(tree.EDGE_WORDS)].view(EDGE)[0]
            assert bound(edge) == pytest.approx(most, abs=2e-6)


# --- the result of an open game


def solve_final(game: Game) -> float:
    """Return the best share of the victory for the deciding seat of two."""
    seat, best = game.seat, -1.0
    for move in game.legal_moves():
        branch = Game.from_position(game.position, seed=0)
        branch.apply(move)
        if branch.result is not None:
            winners = branch.result.winners
            best = max(best, (seat in winners) / len(winners))
        else:
            best = max(best, 1 - solve_final(branch))
    return best


def late(hands: str) -> tuple[Table, Position]:
    """Return a final scoring of two seats with these hands."""
    game = next(game for seed in range(20) if (game := games_by_phase(2, seed).get("final")))
    position = game.position
    known = tuple(tuple(sorted(parse_cards(hand))) for hand in hands.split("/"))
    rest = sorted([*range(len(CARDS))] * 2)
    for kind in (kind for hand in known for kind in hand):
        rest.remove(kind)
    return game.table, replace(
        position, seat=position.active, scores=(60, 60), discard=tuple(rest),
        hands=known[:: 1 - 2 * position.active],
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "hands",
    thinned(
        ["cities+land-blue/cities+land-towers", "city-red+city-palaces/land-blue+land-blue",
         "city-green+city-size-1+land-red/cities+land-blue+city-red"],
        2,
    ),
)  # fmt: skip
def test_an_open_final_scoring_is_solved(hands: str) -> None:
    table, position = late(hands)
    share = solve_final(Game.from_position(position, seed=1))
    analysis = analyze(table, position, sims=20_000, options=ismcts(policy="busy-best"))
    after = Game.from_position(position, seed=1)
    after.apply(analysis.best)
    assert 1 - solve_final(after) == share
    assert analysis.moves[0].win == pytest.approx(share, abs=0.05)


# --- some of the root's moves only


def some_moves(game: Game, count: int) -> list[Move]:
    moves = list(game.legal_moves())
    return random.Random(1).sample(moves, min(count, len(moves)))


@by_phase
def test_only_the_moves_named_are_searched_and_add_up(
    decisions: dict[str, Game], phase: str
) -> None:
    """In any order, however often they are named."""
    game = decisions[phase]
    only = some_moves(game, 12)
    search = search_of(game, 2, UNIFORM, [*only[::-1], *only])
    for done in (1, 2, 3000):
        search.run(done)
        assert search.iterations == sum(search.root_visits().values()) == done
    assert set(search.root_visits()) == set(only)
    assert {stats.move for stats in search.analysis().moves} == set(only)
    if phase != "swap":
        assert check_node(search.arena, tree.FIRST_NODE) >= 1
    assert not search._workspace.marks.any()


@by_phase
def test_impossible_moves_are_refused_and_leave_the_session_as_it_was(
    decisions: dict[str, Game], phase: str
) -> None:
    game = decisions[phase]
    session, other = (Session(game.table, options=UNIFORM) for _ in range(2))
    foreign = wall_move(254 if phase == "wall" else 1)
    before = session.analyze(game, sims=30)
    assert other.analyze(game, sims=30).moves == before.moves
    for only, said in (
        ([merge_move(254)], "not legal now"),
        ([*some_moves(game, 3), foreign], "not legal now"),
        ([Move(FINAL << 60)], "not legal now"),
        ([], "no move to search"),
    ):
        with pytest.raises(MasonsError, match=said):
            session.search(game, sims=10, only=only)
    assert session.analysis() == before
    assert session.analyze(game, sims=30).moves == other.analyze(game, sims=30).moves
