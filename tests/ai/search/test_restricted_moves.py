"""Searches restricted to some of the root's moves: every phase, swaps too, and what is kept."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from masons.ai.ismcts import tree
from masons.ai.ismcts.tree_report import edges, get
from masons.ai.ismcts.tree_reuse import keep_below
from masons.ai.ismcts.tree_search import Search
from masons.ai.players.named_players import make_player
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session, analyse
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
from tests.ai.ismcts.test_ismcts import check_node, decision_nodes, decisions_of
from tests.ai.ismcts.test_tree_reuse import plain

ISMCTS = SearchOptions("ismcts")

SIMS = 400
OPTIONS = SearchOptions("ismcts", policy="uniform", memory_mb=32)


@pytest.fixture(scope="module")
def decisions() -> dict[str, Game]:
    found: dict[str, Game] = {}
    for seed in range(4):
        found = {**decisions_of(seed, 2 + seed % 3), **found}
        if set(found) >= set(DECISIONS):
            break
    return found


def some_moves(game: Game, count: int, seed: int = 1) -> list[Move]:
    moves = list(game.legal_moves())
    return random.Random(seed).sample(moves, min(count, len(moves)))


@pytest.mark.slow
@pytest.mark.parametrize("phase", DECISIONS)
@pytest.mark.parametrize("threads", [1, 2])
def test_only_the_moves_named_are_searched(decisions, phase, threads):
    game = decisions[phase]
    view = game.observe(game.seat)
    options = SearchOptions("ismcts", policy="uniform", memory_mb=32, threads=threads)
    for count in (1, 2, 5, 40):
        only = some_moves(game, count)
        first, again = (
            analyse(game.table, view, sims=SIMS, seed=3, options=options, only=only)
            for _ in range(2)
        )
        assert first.moves == again.moves
        assert (first.iterations, first.kept) == (SIMS, 0)
        assert sum(stats.visits for stats in first.moves) == SIMS
        assert {stats.move for stats in first.moves} == set(only)
        assert all(stats.sampled == stats.visits for stats in first.moves)
        assert first.best in only


@pytest.mark.parametrize("phase", DECISIONS)
def test_a_restricted_tree_adds_up(decisions, phase):
    game = decisions[phase]
    only = some_moves(game, 12)
    search = Search(game.table, game.observe(game.seat), 2, OPTIONS, only)
    for done in (1, 2, 3000):
        search.run(done)
        assert search.iterations == search.visits == done
        assert sum(search.root_visits().values()) == done
    assert set(search.root_visits()) <= set(only)
    if phase != "swap":
        assert check_node(search.arena, tree.FIRST_NODE) >= 1
    assert not search._workspace.marks.any()
    before = search.tree_bytes
    search.advance(game.observe(game.seat), 2, only=only)  # anew, in the same place
    assert search.visits == 0
    search.run(3000)
    assert search.tree_bytes == before


@pytest.mark.parametrize("phase", ["wall", "score", "houses"])
def test_all_moves_named_is_as_good_as_none(decisions, phase):
    """The planted root is the very node that the search makes."""
    game = decisions[phase]
    view = game.observe(game.seat)
    free, bound = (
        Search(game.table, view, 5, OPTIONS, only) for only in (None, game.legal_moves())
    )
    for search in (free, bound):
        search.run(2000)
    used = int(free.arena[int(tree.FREE)])
    assert used == int(bound.arena[int(tree.FREE)])
    assert free.analysis().moves == bound.analysis().moves
    assert free.root_visits() == bound.root_visits()


def test_moves_are_compared_as_in_a_free_search(decisions):
    """A move that is won by far is found among few too."""
    game = decisions["final"]
    view = game.observe(game.seat)
    free = analyse(game.table, view, sims=6000, seed=1, options=OPTIONS)
    best, others = free.moves[0], free.moves[1:6]
    only = [stats.move for stats in others]
    found = analyse(game.table, view, sims=6000, seed=1, options=OPTIONS, only=only)
    for stats in found.moves:
        (same,) = (other for other in others if other.move == stats.move)
        assert stats.win == pytest.approx(same.win, abs=5 * (same.error + stats.error) + 0.02)
    alone = analyse(game.table, view, sims=6000, seed=1, options=OPTIONS, only=[best.move])
    assert alone.moves[0].win == pytest.approx(best.win, abs=0.05)


def test_the_order_and_repetition_of_names_change_little():
    game = Game(2, seed=1)
    moves = game.legal_moves()[:3]
    view = game.observe(0)
    first = analyse(game.table, view, sims=50, seed=1, only=moves, options=ISMCTS)
    assert (
        analyse(game.table, view, sims=50, seed=1, only=[*moves, *moves], options=ISMCTS).moves
        == first.moves
    )
    turned = analyse(game.table, view, sims=50, seed=1, only=moves[::-1], options=ISMCTS)
    assert turned.moves == first.moves  # lines are a set


def test_the_early_roll_alone():
    game = Game(2, seed=1, early_roll=True)
    for only in ([early_roll_move()], [early_roll_move(), wall_move(0), wall_move(169)]):
        found = analyse(game.table, game.observe(0), sims=60, only=only, options=ISMCTS)
        assert {stats.move for stats in found.moves} == set(only)


# --- the final scoring: any city


@pytest.mark.slow
def test_a_city_is_taken_as_it_is_named():
    """Each city of each set of cards is a move of its own, which scores what it says."""
    seen = 0
    for seed in range(12):
        game = decisions_of(seed, 2).get("final")
        if game is None or len(game.position.cities) < 3:
            continue
        roots = sorted(min(city) for city in game.position.cities)
        assert len(roots) <= MAX_CITIES
        cards = game.position.hands[game.seat]
        assert isinstance(cards, tuple)
        only = [final_move(root, cards[:1]) for root in roots] + [parse_move("final:pass")]
        unlisted = [move for move in only if move not in game.legal_moves()]
        search = Search(game.table, game.observe(game.seat), 1, OPTIONS, only)
        search.run(200)
        assert set(search.root_visits()) == set(only)
        for stats in search.analysis().moves:
            after = Game.from_position(game.position, seed=1)
            after.apply(stats.move)
            assert stats.scores[game.seat] == after.scores[game.seat]
        seen += bool(unlisted)
    assert seen > 2


# --- swaps


def swap_paths(arena: np.ndarray) -> list[tuple[int, tuple[int, ...]]]:
    """The nodes of the root's swap, with the visits of each one's edges."""
    halves = arena.view(np.uint32)
    found, todo = [], [tree.FIRST_NODE]
    for node in todo:
        tried = list(edges(arena, node))
        found.append((node, tuple(edge.visits for edge in tried)))
        todo += [int(halves[e.link]) for e in tried if str(e.move).startswith("toss")]
    return found


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
    halves = search.arena.view(np.uint32)
    for node, tried in swap_paths(search.arena):
        assert get(halves, node, tree.VISITS) == sum(tried) + 1  # it was given one
    found = search.analysis()
    assert all(stats.sampled == stats.visits for stats in found.moves)
    assert sum(stats.visits for stats in found.moves) == 4000 == found.iterations
    assert found.kept == 0


def test_all_swaps_named_find_what_a_free_search_finds(decisions):
    game = decisions["swap"]
    view = game.observe(game.seat)
    free, bound = (
        analyse(game.table, view, sims=4000, seed=1, options=OPTIONS, only=only)
        for only in (None, game.legal_moves())
    )
    assert {s.move for s in bound.moves} == set(game.legal_moves()) == {s.move for s in free.moves}
    for stats in bound.moves:
        (same,) = (other for other in free.moves if other.move == stats.move)
        assert stats.win == pytest.approx(same.win, abs=5 * (stats.error + same.error))


@pytest.mark.slow
def test_a_swap_too_large_for_the_memory_is_refused_and_changes_nothing(decisions):
    game = decisions["swap"]
    view = game.observe(game.seat)
    position = game.view(game.seat)
    hands = list(position.hands)
    hands[game.seat] = tuple(sorted(set(position.unseen))[:14])
    huge = game.table.view(replace(position, hands=tuple(hands)))
    moves = game.table.legal_moves(huge.state)
    assert len(moves) == 1 << 14
    search = Search(game.table, view, 1, SearchOptions("ismcts", memory_mb=1))
    search.run(50)
    before = search.analysis().moves
    with pytest.raises(MasonsError, match=r"no room for \d+ moves"):
        search.advance(huge, 1, only=moves)
    assert search.analysis().moves == before
    search.advance(huge, 1, only=moves[:2000])
    search.run(2000)
    assert sum(search.root_visits().values()) == 2000


# --- what is kept


def test_a_restricted_tree_is_not_taken_for_a_whole_one():
    game = Game(2, seed=5)
    view, moves = game.observe(0), game.legal_moves()
    session = Session(game.table, seed=3, options=OPTIONS)
    session.analyse(view, sims=300, only=moves[:2])
    again = session.analyse(view, sims=300)
    assert again.kept == 0
    assert len(again.moves) == len(moves)
    session.analyse(view, sims=300, only=moves[4:9])
    found = session.analyse(view, sims=200, only=moves[4:9])
    assert found.kept == 0
    assert [s.move for s in found.moves if s.move not in moves[4:9]] == []
    assert session.best == found.best


def test_what_lies_below_a_restricted_root_is_kept_and_whole():
    kept = 0
    for seed in range(6):
        game = Game(2, seed=seed)
        session = Session(game.table, seed=3, options=OPTIONS)
        for _ in range(6):
            only = some_moves(game, 2)
            session.analyse(game.observe(game.seat), sims=3000, only=only)
            game.apply(session.best)
            if game.is_over or game.seat != 0:
                break
            found = session.analyse(game.observe(0), sims=500)
            kept += found.kept > 0
            assert sum(s.visits for s in found.moves) == found.kept + 500
            if len(game.legal_moves()) <= 100:
                assert {s.move for s in found.moves} == set(game.legal_moves())
            (search,) = session._last_search.searches
            check_node(search.arena, tree.FIRST_NODE)
            game.apply(session.best)
            if game.is_over or game.seat != 0:
                break
    assert kept >= 4


def test_the_steps_of_a_swap_are_cut_down_like_any(decisions):
    game = decisions["swap"]
    moves = game.legal_moves()[:30]
    search = Search(game.table, game.observe(game.seat), 1, OPTIONS, moves)
    search.run(4000)
    nodes = list(decision_nodes(search.arena))
    for node in [tree.FIRST_NODE, *random.Random(1).sample(nodes, 20)]:
        arena = search.arena.copy()
        keep_below(arena, node)
        assert plain(arena, tree.FIRST_NODE) == plain(search.arena, node)


@pytest.mark.parametrize("restricted", [False, True])
def test_the_middle_of_a_swap_is_not_taken_for_a_view(decisions, restricted):
    """A swap with one card fewer looks like the other one after the first step."""
    game = decisions["swap"]
    position = game.view(game.seat)
    hands = list(position.hands)
    hands[game.seat] = tuple(sorted([*hands[game.seat], position.unseen[0]]))
    position = replace(position, hands=tuple(hands))
    first, *rest = position.hands[game.seat]
    hands[game.seat] = tuple(rest)
    later = replace(position, hands=tuple(hands), discard=tuple(sorted([*position.discard, first])))
    session = Session(game.table, options=OPTIONS)
    moves = game.table.legal_moves(game.table.state_of(position))
    session.search(position, sims=2000, only=moves if restricted else None)
    assert session.analyse(later, sims=100).kept == 0


# --- bad moves


@pytest.mark.parametrize("phase", DECISIONS)
def test_impossible_moves_are_refused(decisions, phase):
    game = decisions[phase]
    view = game.observe(game.seat)
    session = Session(game.table, options=OPTIONS)
    session.search(view, sims=30)
    before = session.analysis()
    other = parse_move("merge:254")
    foreign = parse_move("wall:254") if phase == "wall" else wall_move(1)
    for only in ([other], [*some_moves(game, 3), foreign], [Move(FINAL << 60)]):
        with pytest.raises(MasonsError, match="not legal here"):
            session.search(view, sims=10, only=only)
    with pytest.raises(MasonsError, match="no move to search"):
        session.search(view, sims=10, only=[])
    assert session.analysis() == before


def test_a_refused_search_leaves_the_seeds_as_they_were():
    game = Game(2, seed=5)
    player = make_player("greedy", 1)
    results = []
    for fails in (False, True):
        session = Session(game.table, seed=3, options=OPTIONS)
        session.search(game.observe(0), sims=100)
        if fails:
            with pytest.raises(MasonsError):
                session.search(game.observe(0), sims=100, only=[Move(1)])
        later = Game(2, seed=5)
        later.apply(player.choose(game.table, game.observe(0), game.legal_moves()[:1]))
        results.append(session.analyse(game.observe(0), sims=100).moves)
    assert results[0] == results[1]
