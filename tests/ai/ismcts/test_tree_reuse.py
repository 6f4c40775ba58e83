"""Sessions: trees kept from decision to decision, cut down to what is about the later view."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from masons.ai.ismcts import tree
from masons.ai.ismcts.node_lookup import find_node, fingerprint
from masons.ai.ismcts.tree_report import edges, get, is_chance, slots
from masons.ai.ismcts.tree_reuse import keep_below
from masons.ai.ismcts.tree_search import Search
from masons.ai.players.named_players import make_player
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session, analyse
from masons.engine.board.components import CARDS, HOUSE_DIE, TOWER_DIE
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move
from masons.engine.formats.record_events import Event
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation, view_of
from masons.engine.state.packed_move import EXCHANGE, SWAP
from tests.ai.ismcts.test_ismcts import check_node, decision_nodes, redealt, untried_moves
from tests.support.playing import moves_by_chance
from tests.support.thinned import thinned

UNIFORM = SearchOptions("ismcts", policy="uniform", memory_mb=32)


def children(arena: np.ndarray, node: int) -> list[int]:
    """The nodes right below a node."""
    halves = arena.view(np.uint32)
    if is_chance(halves, node):
        return [child for child in slots(halves, node).tolist() if child > 1]
    return [child for edge in edges(arena, node) if (child := int(halves[edge.link]))]


def plain(arena: np.ndarray, node: int) -> object:
    """Everything that a tree knows from a node on, as plain data."""
    halves, singles = arena.view(np.uint32), arena.view(np.float32)
    kind, visits = get(halves, node, tree.TYPE), get(halves, node, tree.VISITS)
    if is_chance(halves, node):
        below = [plain(arena, n) if n > 1 else n for n in slots(halves, node).tolist()]
        return kind, visits, below
    found = [
        (e.move, e.visits, e.value, e.row if kind == tree.HIDDEN else 0, float(singles[e.mean]),
         float(singles[e.spread]), (c := int(halves[e.link])) and plain(arena, c))
        for e in edges(arena, node)
    ]  # fmt: skip
    left = untried_moves(arena, node)
    return kind, visits, get(halves, node, tree.COUNT), left, found


def searched(game: Game, sims: int, seed: int = 1) -> Search:
    search = Search(game.table, game.observe(game.seat), seed, UNIFORM)
    search.run(sims)
    return search


def some_games(count: int) -> Iterator[Game]:
    """Games of 2 to 4 stopped at decisions here and there."""
    for seed in range(count):
        game = Game(2 + seed % 3, seed=seed, early_roll=seed % 2 == 0)
        chance = random.Random(seed)
        stop = chance.randrange(150)
        for number, _ in enumerate(moves_by_chance(game, chance)):
            if number >= stop:
                break
        if not game.is_over:
            yield game


# --- cutting down


@pytest.mark.slow
def test_what_is_kept_is_the_part_below_a_node():
    kinds = set()
    for game in some_games(6):
        search = searched(game, 6000)
        before = search.arena.copy()
        used = int(before[0])
        nodes = list(decision_nodes(before))
        for node in [tree.FIRST_NODE, *random.Random(1).sample(nodes, min(8, len(nodes)))]:
            kinds.add(get(before.view(np.uint32), node, tree.TYPE))
            arena = before.copy()
            keep_below(arena, node)
            assert plain(arena, tree.FIRST_NODE) == plain(before, node)
            assert int(arena[0]) <= used - (node - tree.FIRST_NODE)
            if node == tree.FIRST_NODE:
                assert int(arena[0]) == used
            again = arena.copy()
            keep_below(again, tree.FIRST_NODE)  # nothing is left behind that is not needed
            assert (again[: int(again[0])] == arena[: int(arena[0])]).all()
    assert {int(tree.LINES), int(tree.MOVES), int(tree.HIDDEN)} <= kinds


@pytest.mark.slow
def test_a_tree_cut_down_is_searched_on():
    for game in some_games(6):
        session = Session(game.table, seed=1, options=UNIFORM)
        for _ in range(3):
            if game.is_over:
                break
            session.search(game.observe(game.seat), sims=4000)
            (search,) = session._last_search.searches
            check_node(search.arena, tree.FIRST_NODE)
            assert search.visits == sum(search.root_visits().values())
            game.apply(session.best)


# --- following the game


@dataclass
class Path:
    """What happened between two decisions of a seat, as its tree branches."""

    moves: list[Move]
    rolls: list[int]
    draws: list[int]

    def node(self, arena: np.ndarray) -> int:
        """The node at its end; 0 where the tree does not reach."""
        halves = arena.view(np.uint32)
        node = tree.FIRST_NODE
        while node > tree.SEEN_ONCE:
            kind = get(halves, node, tree.TYPE)
            if kind == tree.ROLL:
                node = int(slots(halves, node)[self.rolls.pop(0)])
            elif kind == tree.CARD:
                node = int(slots(halves, node)[self.draws.pop(0)])
            elif self.moves:
                move = self.moves.pop(0)
                found = [e for e in edges(arena, node) if e.move == move]
                node = int(halves[found[0].link]) if found else 0
            else:
                assert not self.rolls
                assert not self.draws
                return node
        return 0


def steps(move: Move) -> list[Move]:
    """A move as the tree takes it: a swap card by card."""
    if move.kind != SWAP:
        return [move]
    return [*(Move(EXCHANGE << 60 | card) for card in move.cards), Move(SWAP << 60)]


def path_of(moves: Sequence[Move], events: Sequence[Event], seat: int) -> Path:
    """The path of some decisions and the events that came with them."""
    path = Path([step for move in moves for step in steps(move)], [], [])
    for event in events:
        if event["e"] == "roll":
            tower = 3 if event["tower"] is None else TOWER_DIE.index(event["tower"])
            low, high = sorted(HOUSE_DIE.index(face) for face in event["houses"])
            path.rolls.append(21 * tower + high * (high + 1) // 2 + low)
        elif event.get("p") == seat:
            path.draws += [CARDS.index(c) for c in event.get("drew", event.get("in", []))]
    return path


@pytest.mark.slow
@pytest.mark.parametrize("players", thinned([4, 3, 2]))
def test_the_node_of_a_later_view_is_found(players):
    """Wherever the game went along the tree; by what happened, which `find_node` does not know."""
    found: dict[str, int] = {}
    turns = 0
    for seed in range(2):
        game = Game(players, seed=10 * players + seed)
        chance = random.Random(seed)
        greedy = make_player("greedy", seed)
        last: dict[int, tuple[Search, Observation, int, int, int]] = {}
        while not game.is_over:
            seat = game.seat
            view = game.observe(seat)
            if seat in last:
                search, old, done, known, turn = last[seat]
                path = path_of(game.moves[done:], game.events[known:], seat)
                node = path.node(search.arena)
                halves = search.arena.view(np.uint32)
                mine = find_node(search.arena, game.table, old, view)
                if node:
                    # Another roll may have led to the same board.
                    assert mine
                    visits = [get(halves, n, tree.VISITS) for n in (mine, node)]
                    assert visits[0] >= visits[1]
                    found[game.phase] = found.get(game.phase, 0) + 1
                    turns += turn != game.position.turn
            moves = game.legal_moves()
            if len(moves) > 1:
                search = searched(game, 2500, seed)
                last[seat] = (search, view, len(game.moves), len(game.events), game.position.turn)
            taken = searched(game, 30).root_visits() if chance.random() < 0.3 else {}
            game.apply(
                max(taken, key=lambda m: taken[m]) if taken and game.phase != "final"
                else greedy.choose(game.table, view, moves)
            )  # fmt: skip
    assert set(found) >= {"houses", "score"}
    assert sum(found.values()) > 20
    assert turns >= 0


@pytest.mark.slow
def test_fingerprints_tell_views_apart_as_positions_do():
    for game in some_games(4):
        prints: dict[str, str] = {}
        for _ in moves_by_chance(game, random.Random(3)):
            view = game.observe(game.seat)
            plain = view.position
            dice = plain.roll and (plain.roll[0], *sorted(plain.roll[1:]))
            key = repr(replace(plain, roll=dice))
            own = repr(fingerprint(view))
            assert prints.setdefault(key, own) == own
            assert repr(fingerprint(game.table.view(plain))) == own
        assert len(prints) == len(set(prints.values())) > 5


def test_nothing_is_found_in_another_game():
    game, other = Game(2, seed=1), Game(2, seed=2)
    search = searched(game, 3000)
    assert find_node(search.arena, game.table, search.view, search.view) == tree.FIRST_NODE
    assert find_node(search.arena, game.table, search.view, other.observe(0)) == 0
    game.apply(game.legal_moves()[0])
    while game.seat != 1:
        game.apply(game.legal_moves()[0])
    assert find_node(search.arena, game.table, search.view, game.observe(1)) == 0


# --- sessions


def play_on(session: Session, seed: int, *, deal: int | None = None) -> list[object]:
    """Some decisions of a fixed game, each analysed; seen by positions dealt anew, if asked."""
    game = Game(2, seed=seed)
    greedy = make_player("greedy", seed)
    results: list[object] = []
    while len(results) < 12:
        moves = game.legal_moves()
        if game.seat == 0 and len(moves) > 1:
            view = game.observe(0)
            if deal is not None:
                state = game.table.state_of(redealt(game, deal + len(results)))
                view = view_of(state, 0)
            found = session.analyse(view, sims=700)
            results.append((found.kept, found.moves, found.wins, found.scores))
            assert found.best == session.best
            assert sum(s.visits for s in found.moves) == found.kept + found.iterations
            game.apply(found.best)
        else:
            game.apply(greedy.choose(game.table, game.observe(game.seat), moves))
    return results


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_sessions_are_repeatable_and_know_only_views(threads):
    game = Game(2, seed=5)
    options = SearchOptions("ismcts", policy="uniform", threads=threads)
    sessions = [Session(game.table, seed=3, options=options) for _ in range(3)]
    first = play_on(sessions[0], 5)
    assert any(found[0] for found in first)
    assert play_on(sessions[1], 5) == first
    assert play_on(sessions[2], 5, deal=77) == first


def test_without_reuse_every_decision_begins_anew():
    game = Game(2, seed=5)
    session = Session(
        game.table, seed=3, options=SearchOptions("ismcts", policy="uniform", reuse=False)
    )
    assert not any(found[0] for found in play_on(session, 5))


def test_the_first_decision_of_a_session_is_a_plain_analysis():
    game = Game(2, seed=5)
    found = Session(game.table, seed=3, options=UNIFORM).analyse(game.observe(0), sims=500)
    plainly = analyse(game.table, game.observe(0), sims=500, seed=3, options=UNIFORM)
    assert found.moves == plainly.moves
    assert found.kept == 0
    assert all(stats.sampled == stats.visits for stats in found.moves)


def test_the_same_view_again_goes_on():
    game = Game(2, seed=5)
    session = Session(game.table, seed=3, options=UNIFORM)
    session.analyse(game.observe(0), sims=500)
    found = session.analyse(game.observe(0), sims=300)
    assert (found.kept, found.iterations) == (500, 300)
    assert sum(stats.visits for stats in found.moves) == 800
    assert sum(stats.sampled for stats in found.moves) == 300
    for stats in found.moves:
        assert 0 <= stats.win <= 1
        assert stats.error <= 0.5 / stats.visits**0.5 + 1e-9
        if stats.sampled:
            assert sum(stats.wins) == pytest.approx(1)
        else:
            assert stats.wins == stats.scores == ()


def test_a_session_may_go_to_another_seat_or_game():
    game = Game(2, seed=5)
    session = Session(game.table, seed=3, options=UNIFORM)
    session.search(game.observe(0), sims=200)
    while game.seat == 0:
        game.apply(game.legal_moves()[0])
    assert session.analyse(game.observe(1), sims=200).kept == 0
    assert session.analyse(Game(2, seed=6).observe(0), sims=200).kept == 0
    with pytest.raises(MasonsError, match="hidden"):
        session.analyse(game.view(0), sims=200)


@pytest.mark.slow
def test_memory_stays_bounded_over_a_session():
    game = Game(2, seed=4)
    greedy = make_player("greedy", 4)
    session = Session(game.table, options=SearchOptions("ismcts", policy="uniform", memory_mb=1))
    kept = 0
    for _ in range(30):
        found = session.analyse(game.observe(game.seat), sims=20_000)
        assert found.tree_bytes <= 1 << 20
        kept += found.kept > 0
        game.apply(found.best)
        while not game.is_over and (game.seat != 0 or len(game.legal_moves()) == 1):
            game.apply(greedy.choose(game.table, game.observe(game.seat), game.legal_moves()))
        if game.is_over:
            break
    assert kept


def test_a_player_with_and_without_reuse():
    for reuse in ("yes", "no"):
        game = Game(2, seed=4)
        player = make_player(f"ismcts:sims=60,policy=uniform,reuse={reuse}", 1)
        for _ in range(8):
            moves = game.legal_moves()
            game.apply(player.choose(game.table, game.observe(game.seat), moves))
    with pytest.raises(MasonsError, match="yes or no"):
        make_player("ismcts:reuse=maybe", 1)
