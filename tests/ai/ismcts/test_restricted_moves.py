"""Tree searches restricted to some of the root's moves: every phase, swaps too."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from masons.ai.ismcts import tree
from masons.ai.ismcts.tree_search import Search, edges, node_half
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session, analyze
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import (
    Move,
    early_roll_move,
    final_move,
    parse_move,
    swap_move,
    wall_move,
)
from masons.engine.game.game import Game
from masons.engine.rules.legal_moves import MAX_CITIES
from masons.engine.state.packed_move import DECISIONS, FINAL
from tests.ai.ismcts.test_ismcts import check_node, decisions_of

SIMS = 400
OPTIONS = SearchOptions("ismcts", policy="uniform", memory_mb=32)


@pytest.fixture(scope="module")
def decisions() -> dict[str, Game]:
    games: dict[str, Game] = {}
    for seed in range(4):
        games = {**decisions_of(seed, 2 + seed % 3), **games}
        if set(games) >= set(DECISIONS):
            break
    return games


def some_moves(game: Game, count: int, seed: int = 1) -> list[Move]:
    moves = list(game.legal_moves())
    return random.Random(seed).sample(moves, min(count, len(moves)))


@pytest.mark.slow
@pytest.mark.parametrize("phase", DECISIONS)
@pytest.mark.parametrize("threads", [1, 2])
def test_only_the_moves_named_are_searched(decisions, phase, threads):
    """In any order, however often they are named."""
    game = decisions[phase]
    view = game.observe(game.seat)
    options = SearchOptions("ismcts", policy="uniform", memory_mb=32, threads=threads)
    for count in (1, 2, 5, 40):
        only = some_moves(game, count)
        first, again = (
            analyze(game.table, view, sims=SIMS, seed=3, options=options, only=moves)
            for moves in (only, [*only[::-1], *only])
        )
        assert first.moves == again.moves
        assert first.iterations == sum(stats.visits for stats in first.moves) == SIMS
        assert {stats.move for stats in first.moves} == set(only)


@pytest.mark.parametrize("phase", DECISIONS)
def test_a_restricted_tree_adds_up(decisions, phase):
    game = decisions[phase]
    only = some_moves(game, 12)
    search = Search(game.table, game.observe(game.seat), 2, OPTIONS, only)
    for done in (1, 2, 3000):
        search.run(done)
        assert search.iterations == sum(search.root_visits().values()) == done
    assert set(search.root_visits()) <= set(only)
    if phase != "swap":
        assert check_node(search.arena, tree.FIRST_NODE) >= 1
    assert not search._workspace.marks.any()


def test_moves_are_compared_as_in_a_free_search(decisions):
    """A move that is won by far is seen among few too."""
    game = decisions["final"]
    free = analyze(game, sims=6000, seed=1, options=OPTIONS)
    best, others = free.moves[0], free.moves[1:6]
    bound = analyze(game, sims=6000, seed=1, options=OPTIONS, only=[s.move for s in others])
    for stats in bound.moves:
        (same,) = (other for other in others if other.move == stats.move)
        assert stats.win == pytest.approx(same.win, abs=5 * (same.error + stats.error) + 0.02)
    alone = analyze(game, sims=6000, seed=1, options=OPTIONS, only=[best.move])
    assert alone.moves[0].win == pytest.approx(best.win, abs=0.05)


def test_the_early_roll_alone():
    game = Game(2, seed=1, early_roll=True)
    for only in ([early_roll_move()], [early_roll_move(), wall_move(0), wall_move(169)]):
        moves = analyze(game, sims=60, only=only, options=OPTIONS).moves
        assert {stats.move for stats in moves} == set(only)


@pytest.mark.slow
def test_a_city_is_taken_as_it_is_named():
    """In the final scoring each city of each set of cards is a move, which scores what it says."""
    unlisted = 0
    for seed in range(12):
        game = decisions_of(seed, 2).get("final")
        if game is None or len(game.position.cities) < 3:
            continue
        roots = sorted(min(city) for city in game.position.cities)
        assert len(roots) <= MAX_CITIES
        cards = game.position.hands[game.seat]
        assert isinstance(cards, tuple)
        only = [final_move(root, cards[:1]) for root in roots] + [parse_move("final:pass")]
        search = Search(game.table, game.observe(game.seat), 1, OPTIONS, only)
        search.run(200)
        assert set(search.root_visits()) == set(only)
        for stats in search.analysis().moves:
            after = Game.from_position(game.position, seed=1)
            after.apply(stats.move)
            assert stats.scores[game.seat] == after.scores[game.seat]
        unlisted += not set(only) <= set(game.legal_moves())
    assert unlisted > 2


# --- swaps


def test_every_allowed_swap_is_searched_and_no_other_step_is_taken(decisions):
    game = decisions["swap"]
    hand = game.position.hands[game.seat]
    assert isinstance(hand, tuple)
    only = [swap_move(()), swap_move(hand), swap_move(hand[:2]), swap_move(hand[2:4])]
    search = Search(game.table, game.observe(game.seat), 4, OPTIONS, only)
    search.run(4)
    assert search.root_visits().keys() <= set(only)
    search.run(4000)
    visits = search.root_visits()
    assert visits.keys() == set(only)
    assert min(visits.values()) > 20
    assert sum(visits.values()) == 4000
    halves, nodes = search.arena.view(np.uint32), [tree.FIRST_NODE]
    for node in nodes:
        tried = list(edges(search.arena, node))
        # A planted node begins with one visit.
        assert node_half(halves, node, tree.VISITS) == sum(edge.visits for edge in tried) + 1
        nodes += [int(halves[e.link]) for e in tried if str(e.move).startswith("toss")]


def test_all_swaps_named_are_valued_as_in_a_free_search(decisions):
    game = decisions["swap"]
    free, bound = (
        analyze(game, sims=4000, seed=1, options=OPTIONS, only=only)
        for only in (None, game.legal_moves())
    )
    assert {s.move for s in bound.moves} == set(game.legal_moves()) == {s.move for s in free.moves}
    for stats in bound.moves:
        (same,) = (other for other in free.moves if other.move == stats.move)
        assert stats.win == pytest.approx(same.win, abs=5 * (stats.error + same.error))


@pytest.mark.slow
def test_a_swap_too_large_for_the_memory_is_refused(decisions):
    game = decisions["swap"]
    position = game.view(game.seat)
    hands = list(position.hands)
    hands[game.seat] = tuple(sorted(set(position.unseen))[:14])
    huge = game.table.view(replace(position, hands=tuple(hands)))
    moves = game.table.legal_moves(huge.state)
    assert len(moves) == 1 << 14
    options = SearchOptions("ismcts", memory_mb=1)
    with pytest.raises(MasonsError, match=r"no room for \d+ moves"):
        Search(game.table, huge, 1, options, moves)
    search = Search(game.table, huge, 1, options, moves[:2000])
    search.run(2000)
    assert sum(search.root_visits().values()) == 2000


# --- bad moves


@pytest.mark.parametrize("phase", DECISIONS)
def test_impossible_moves_are_refused_and_leave_the_session_as_it_was(decisions, phase):
    game = decisions[phase]
    session, other = (Session(game.table, options=OPTIONS) for _ in range(2))
    foreign = parse_move("wall:254") if phase == "wall" else wall_move(1)
    before = session.analyze(game, sims=30)
    assert other.analyze(game, sims=30).moves == before.moves
    wrong = ([parse_move("merge:254")], [*some_moves(game, 3), foreign], [Move(FINAL << 60)])
    for only in wrong:
        with pytest.raises(MasonsError, match="not legal here"):
            session.search(game, sims=10, only=only)
    with pytest.raises(MasonsError, match="no move to search"):
        session.search(game, sims=10, only=[])
    assert session.analysis() == before
    assert session.analyze(game, sims=30).moves == other.analyze(game, sims=30).moves
