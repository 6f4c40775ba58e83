"""The search: what it counts, what it finds, what it must not know, and that it is repeatable."""

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from masons.ai.beliefs.determinization import deal_hidden
from masons.ai.ismcts import tree
from masons.ai.ismcts.selection import best_edge
from masons.ai.ismcts.tree import edge_at
from masons.ai.ismcts.tree_search import (
    Search,
    edges,
    is_chance,
    node_half,
    slots,
    widened,
)
from masons.ai.players.named_players import make_player
from masons.ai.search.search_options import SearchOptions
from masons.ai.search.ucb import natural_log
from masons.ai.session import Session, analyze
from masons.engine.board.components import CARDS
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move, early_roll_move, parse_cards, wall_move
from masons.engine.game.game import Game
from masons.engine.game.table import Table
from masons.engine.kernels.jit import FloatArray, WordArray, kernel, ptr
from masons.engine.kernels.rng import new_rng
from masons.engine.playouts.random_moves import POLICIES
from masons.engine.state.packed_move import DECISIONS, NONE
from masons.engine.state.position import Position, members, unpack_state
from tests.support.thinned import thinned

ISMCTS = SearchOptions("ismcts")

SIMS = 300


def decisions_of(seed: int, players: int) -> dict[str, Game]:
    """A game stopped at each kind of decision in turn (at its last one before the end)."""
    game = Game(players, seed=seed)
    deciders = [make_player("greedy", seed + seat) for seat in range(players)]
    positions: dict[str, Position] = {}
    while not game.is_over:
        positions[game.phase] = game.position
        seen = game.observe(game.seat)
        game.apply(deciders[game.seat].choose(game.table, seen, game.legal_moves()))
    return {phase: Game.from_position(p, seed=1) for phase, p in positions.items()}


@pytest.fixture(scope="module")
def decisions() -> dict[str, Game]:
    games: dict[str, Game] = {}
    for seed in range(4):
        games = {**decisions_of(seed, 2 + seed % 3), **games}
        if set(games) >= set(DECISIONS):
            break
    return games


@kernel
def logs(numbers: WordArray, out: FloatArray) -> None:
    for i in range(len(numbers)):
        out[i] = natural_log(numbers[i])


@pytest.mark.slow
def test_natural_log_is_the_logarithm():
    numbers = np.array([1, 2, 3, 7, 10, 1000, 123456789, 1 << 40], dtype=np.uint64)
    out = np.zeros(len(numbers))
    logs(numbers, out)
    assert out == pytest.approx([math.log(n) for n in numbers.tolist()], abs=1e-6)


def test_every_kind_of_decision_is_searched(decisions):
    assert set(decisions) == set(DECISIONS)
    for game in decisions.values():
        analysis = analyze(game.table, game.view(game.seat), sims=SIMS, seed=1, options=ISMCTS)
        assert analysis.phase == game.phase
        assert analysis.iterations == SIMS
        assert sum(stats.visits for stats in analysis.moves) == SIMS
        assert all(game.is_legal(stats.move) for stats in analysis.moves)
        assert sum(analysis.wins) == pytest.approx(1)
        for stats in analysis.moves:
            assert sum(stats.wins) == pytest.approx(1)
            assert 0 <= stats.win <= 1
            assert (stats.error or 0) <= 0.5 / math.sqrt(stats.visits) + 1e-9


def test_all_moves_are_tried_before_any_is_tried_twice(decisions):
    game = decisions["wall"]
    count = len(game.legal_moves())
    analysis = analyze(game.table, game.view(game.seat), sims=count, seed=1, options=ISMCTS)
    assert sorted(s.move for s in analysis.moves) == sorted(game.legal_moves())
    assert {s.visits for s in analysis.moves} == {1}


def test_same_seed_same_search_other_seed_another(decisions):
    for phase in ("wall", "score"):
        game = decisions[phase]
        view = game.view(game.seat)
        first, second, third = (
            analyze(game.table, view, sims=SIMS, seed=seed, options=ISMCTS).moves
            for seed in (5, 5, 6)
        )
        assert first == second
        assert first != third or phase != "wall"


@pytest.mark.parametrize("policy", POLICIES)
def test_policies(decisions, policy):
    game = decisions["wall"]
    options = SearchOptions("ismcts", policy=policy)
    assert analyze(game, sims=SIMS, options=options).iterations == SIMS


def test_a_search_may_go_on_in_steps(decisions):
    game = decisions["score"]
    view = game.view(game.seat)
    at_once = Search(game.table, view, 3, SearchOptions("ismcts"))
    at_once.run(200)
    stepwise = Search(game.table, view, 3, SearchOptions("ismcts"))
    for done in (1, 50, 200):
        stepwise.run(done)
        assert stepwise.iterations == done
    assert stepwise.analysis().moves == at_once.analysis().moves


def test_a_deadline_ends_the_search_in_the_kernel(decisions):
    game = decisions["wall"]
    search = Search(game.table, game.view(game.seat), 1, SearchOptions("ismcts"))
    search.run(1 << 60, time.monotonic_ns())  # past already: ends at the next look at the clock
    assert 0 <= search.iterations <= 16
    search.run(100, time.monotonic_ns() + 10**12)
    assert search.iterations == 100
    search.run(1 << 60, time.monotonic_ns() + 10**7)
    assert search.iterations > 100
    search.run(search.iterations + 50)  # no deadline is left behind
    assert search.analysis().iterations == sum(s.visits for s in search.analysis().moves)


def test_a_full_tree_is_searched_on(decisions):
    game = decisions["wall"]
    view = game.view(game.seat)
    analysis = analyze(game.table, view, sims=40_000, options=SearchOptions("ismcts", memory_mb=1))
    assert analysis.iterations == 40_000
    assert analysis.tree_bytes <= 1 << 20
    larger = analyze(game.table, view, sims=80_000, options=SearchOptions("ismcts", memory_mb=64))
    assert larger.tree_bytes > 1 << 20


# --- the tree adds up


def check_node(arena: np.ndarray, node: int) -> int:
    """Visits agree with the edges, all the way down; the number of nodes."""
    halves, singles = arena.view(np.uint32), arena.view(np.float32)
    if is_chance(halves, node):
        return 1 + sum(
            check_node(arena, child) for child in slots(halves, node).tolist() if child > 1
        )
    visits, tried = node_half(halves, node, tree.VISITS), node_half(halves, node, tree.TRIED)
    kind, count = node_half(halves, node, tree.TYPE), node_half(halves, node, tree.COUNT)
    taken = 0
    moves = set()
    for edge in edges(arena, node):
        taken += edge.visits
        moves.add(edge.move)
        assert singles[edge.mean] == np.float32(edge.value / edge.visits)
        assert singles[edge.spread] == np.float32(1 / math.sqrt(edge.visits))
        if kind == tree.HIDDEN:
            assert edge.visits <= edge.row <= visits
    assert visits == taken
    assert len(moves) == tried
    untried = untried_moves(arena, node)
    if kind != tree.HIDDEN:
        assert len(untried) == count - tried
        assert not moves & set(untried)
    below = [int(halves[edge.link]) for edge in edges(arena, node)]
    for edge, child in zip(edges(arena, node), below, strict=True):
        if child:
            assert node_half(halves, child, tree.VISITS) <= edge.visits
            assert child > node
    return 1 + sum(check_node(arena, child) for child in below if child)


def untried_moves(arena: np.ndarray, node: int) -> list[Move]:
    """Return the untried moves of a decision, where they are known."""
    halves = arena.view(np.uint32)
    kind = node_half(halves, node, tree.TYPE)
    if kind == tree.LINES:
        lines = members(arena, node + int(tree.HEADER_WORDS), 4)
        return [early_roll_move() if line == NONE else wall_move(line) for line in lines]
    left = node_half(halves, node, tree.COUNT) - node_half(halves, node, tree.TRIED)
    first = 2 * (node + int(tree.HEADER_WORDS))
    return [widened(narrow) for narrow in halves[first : first + max(left, 0)].tolist()]


def test_visits_add_up_in_the_whole_tree(decisions):
    for phase in ("wall", "score", "swap", "houses"):
        game = decisions[phase]
        search = Search(game.table, game.view(game.seat), 2, SearchOptions("ismcts"))
        search.run(3000)
        assert check_node(search.arena, tree.FIRST_NODE) > 1
        assert not search._workspace.marks.any()  # left clean


# --- selection


@kernel
def picks(arena: WordArray, nodes: WordArray, exploration: float, out: WordArray) -> None:
    a = ptr(arena)
    for i in range(len(nodes)):
        block, number = best_edge(a, nodes[i], exploration)
        out[i] = edge_at(a, block, number)


def decision_nodes(arena: np.ndarray) -> Iterator[int]:
    """All nodes of a tree with edges."""
    halves = arena.view(np.uint32)
    todo = [tree.FIRST_NODE]
    while todo:
        node = todo.pop()
        if is_chance(halves, node):
            todo += [child for child in slots(halves, node).tolist() if child > 1]
            continue
        yield node
        todo += [child for e in edges(arena, node) if (child := int(halves[e.link]))]


@pytest.mark.slow
def test_the_best_edge_is_that_of_ucb1(decisions):
    """Of nodes of one block and of many, by a bound worked out from visits and values alone."""
    game = decisions["wall"]
    search = Search(game.table, game.view(game.seat), 2, SearchOptions("ismcts"))
    search.run(30_000)
    halves = search.arena.view(np.uint32)
    nodes = [
        node
        for node in decision_nodes(search.arena)
        if node_half(halves, node, tree.TYPE) != tree.HIDDEN
        and node_half(halves, node, tree.TRIED) == node_half(halves, node, tree.COUNT)
    ]
    assert tree.FIRST_NODE in nodes
    assert len(nodes) > 100
    out = np.zeros(len(nodes), dtype=np.uint64)
    for exploration in (0.0, 0.3, 0.7, 2.0):
        picks(search.arena, np.array(nodes, dtype=np.uint64), exploration, out)
        for node, picked in zip(nodes, out.tolist(), strict=True):
            tried = list(edges(search.arena, node))
            log = math.log(node_half(halves, node, tree.VISITS))
            bounds = {
                e.link: e.value / e.visits + exploration * math.sqrt(log / e.visits) for e in tried
            }
            link = 2 * picked + int(tree.CHILD)
            assert bounds[link] == pytest.approx(max(bounds.values()), abs=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize("phase", thinned(["score", "wall"]))
def test_each_untried_move_is_as_likely(decisions, phase):
    game = decisions[phase]
    view = game.view(game.seat)
    count = len(game.legal_moves())
    searches = [Search(game.table, view, seed, SearchOptions("ismcts")) for seed in range(1000)]
    firsts: dict[Move, int] = dict.fromkeys(game.legal_moves(), 0)
    for search in searches:
        search.run(1)
        (edge,) = edges(search.arena, tree.FIRST_NODE)
        firsts[edge.move] += 1
    assert len(firsts) == count
    expected = len(searches) / count
    chi = sum((n - expected) ** 2 / expected for n in firsts.values())
    # The normal approximation's quantile 0.0001, of five and more that are expected of each.
    assert expected >= 5
    assert chi < count - 1 + 3.8 * math.sqrt(2 * (count - 1))


def test_the_early_roll_is_searched_like_any_move():
    game = Game(2, seed=1, early_roll=True)
    moves = game.legal_moves()
    assert early_roll_move() in moves
    analysis = analyze(game.table, game.view(0), sims=len(moves), seed=1, options=ISMCTS)
    assert sorted(s.move for s in analysis.moves) == sorted(moves)
    search = Search(game.table, game.view(0), 1, SearchOptions("ismcts"))
    search.run(3000)
    assert check_node(search.arena, tree.FIRST_NODE) > 10


# --- what it finds


def solve_final(game: Game) -> tuple[float, Move]:
    """The best share of the victory for the deciding seat, and a move that gets it."""
    seat = game.seat
    best = (-1.0, Move(0))
    for move in game.legal_moves():
        branch = Game.from_position(game.position, seed=0)
        branch.apply(move)
        if branch.is_over:
            winners = branch.result.winners
            share = (seat in winners) / len(winners)
        else:
            # Two players: what the other one wins is lost.
            share = 1 - solve_final(branch)[0]
        best = max(best, (share, move))
    return best


def late(hands: str, unseen: int = 0) -> tuple[Table, Position]:
    """A final scoring of two seats with these hands; or of one hand of `unseen` of these cards."""
    game = next(game for seed in range(20) if (game := decisions_of(seed, 2).get("final")))
    known = [tuple(sorted(parse_cards(hand))) for hand in hands.split("/")]
    position = game.position
    rest = sorted([*range(len(CARDS))] * 2)
    for kind in (kind for hand in known for kind in hand):
        rest.remove(kind)
    return game.table, replace(
        position, seat=position.active, scores=(60, 60), discard=tuple(rest),
        hands=((), unseen) if unseen else tuple(known),
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
def test_an_open_final_scoring_is_solved(hands):
    table, position = late(hands)
    position = replace(position, hands=position.hands[:: 1 - 2 * position.active])
    game = Game.from_position(position, seed=1)
    share, _ = solve_final(game)
    analysis = analyze(
        table, position, sims=20_000, options=SearchOptions("ismcts", policy="greedy")
    )
    after = Game.from_position(position, seed=1)
    after.apply(analysis.best)
    assert 1 - solve_final(after)[0] == share
    assert analysis.moves[0].win == pytest.approx(share, abs=0.05)


# --- what it must not know


def redealt(game: Game, seed: int) -> Position:
    """The game's position with everything hidden from its deciding seat dealt anew."""
    view = game.view(game.seat)
    state = game.table.state_of(view)
    deal_hidden(state, hidden_sizes(view), np.zeros(0), new_rng(seed))
    return unpack_state(state)


def hidden_sizes(view: Position) -> np.ndarray:
    sizes = [hand if isinstance(hand, int) else 0 for hand in view.hands]
    return np.array([*sizes, 0, 0, 0, 0][:4], dtype=np.uint64)


@pytest.mark.slow
def test_a_determinization_shows_the_observer_the_same(decisions):
    for game in decisions.values():
        position = game.position
        others = [redealt(game, seed) for seed in range(30)]
        view = position.observed_by(position.seat)
        assert all(other.observed_by(position.seat) == view for other in others)
        hidden = any(isinstance(hand, int) for hand in view.hands)
        assert any(other != position for other in others) == hidden


def test_redealing_what_is_hidden_changes_nothing(decisions):
    for game in decisions.values():
        position = game.position
        results = [
            analyze(
                game.table, dealt.observed_by(position.seat), sims=100, seed=9, options=ISMCTS
            ).moves
            for dealt in (position, redealt(game, 1), redealt(game, 2))
        ]
        assert results[0] == results[1] == results[2]


# --- bad arguments


@pytest.mark.parametrize(
    ("options", "word"),
    [({"policy": "best"}, "policy"), ({"exploration": math.nan}, "exploration"),
     ({"memory_mb": 0}, "memory")],
)  # fmt: skip
def test_bad_options(options, word):
    with pytest.raises(MasonsError, match=word):
        SearchOptions("ismcts", **options)


def test_bad_limits_and_views(decisions):
    game = decisions["wall"]
    view = game.view(game.seat)
    with pytest.raises(MasonsError, match="sims"):
        analyze(game.table, view, sims=0, options=ISMCTS)
    with pytest.raises(MasonsError, match="time"):
        analyze(game.table, view, seconds=-1, options=ISMCTS)
    with pytest.raises(MasonsError, match="hidden"):
        analyze(game.table, game.view(1 - game.seat), sims=1, options=ISMCTS)
    over = replace(view, phase="over", end="walls")
    with pytest.raises(MasonsError, match="nothing is to be decided"):
        analyze(game.table, over, sims=1, options=ISMCTS)


@pytest.mark.slow
def test_a_full_tree_still_chooses_for_the_others():
    """Where the arena is full, hidden decisions go on among the moves they know."""
    game = Game(2, seed=1)
    player = make_player("greedy", 1)
    while game.phase != "score" or game.seat != game.active:
        game.apply(player.choose(game.table, game.observe(game.seat), game.legal_moves()))
    options = SearchOptions("ismcts", memory_mb=1, policy="uniform")
    search = Search(game.table, game.observe(game.seat), 1, options)

    def hidden_visits() -> int:
        halves = search.arena.view(np.uint32)
        total, todo = 0, [tree.FIRST_NODE]
        while todo:
            node = todo.pop()
            if is_chance(halves, node):
                todo += [child for child in slots(halves, node).tolist() if child > 1]
                continue
            hidden = node_half(halves, node, tree.TYPE) == tree.HIDDEN
            total += node_half(halves, node, tree.VISITS) if hidden else 0
            todo += [c for edge in edges(search.arena, node) if (c := int(halves[edge.link]))]
        return total

    search.run(50_000)
    full = search.analysis().tree_bytes
    before = hidden_visits()
    search.run(60_000)
    assert search.analysis().tree_bytes - full < 1 << 12
    assert hidden_visits() - before > 5_000


@pytest.mark.parametrize("threads", [1, 2])
def test_decisions_of_a_session_are_searched_apart(threads):
    """Repeatably, each from its own view, whatever was searched before."""
    game = Game(2, seed=5)
    options = SearchOptions("ismcts", policy="uniform", threads=threads)
    session, again = (Session(game.table, seed=3, options=options) for _ in range(2))
    first = session.analyze(game.observe(0), sims=500)
    assert first.moves == analyze(game, sims=500, seed=3, options=options).moves
    second = session.analyze(game.observe(0), sims=500)
    assert second.iterations == sum(stats.visits for stats in second.moves) == 500
    assert second.moves != first.moves  # another seed
    assert session.best == second.best
    again.search(game.observe(0), sims=10)
    assert again.analyze(game.observe(0), sims=500).moves == second.moves


def test_a_tree_search_ranks_by_visits_and_is_not_followed_by_games(decisions):
    game = decisions["wall"]
    session = Session(game.table, seed=1, options=ISMCTS)
    analysis = session.analyze(game.view(game.seat), sims=600)
    visits = [stats.visits for stats in analysis.moves]
    assert visits == sorted(visits, reverse=True)
    assert analysis.best == session.best
    assert session.rollout is None
    alone = Search(game.table, game.view(game.seat), 1, ISMCTS)
    alone.run(600)
    assert alone.analysis().moves == analysis.moves
    assert session.analyze(game.view(game.seat), seconds=0.3).rollouts == 0
