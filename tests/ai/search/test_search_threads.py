"""Several threads: one tree each, put together; repeatable, stopped at once, memory shared out."""

import threading
import time

import pytest

from masons.ai.ismcts.tree_search import Search
from masons.ai.players.named_players import make_player
from masons.ai.search.search_options import SearchOptions
from masons.ai.search.threads import shares, workers
from masons.ai.session import analyze
from masons.engine.errors import MasonsError
from masons.engine.game.game import Game
from masons.engine.kernels.rng import mix

ISMCTS = SearchOptions("ismcts")

SIMS = 901  # so few that no games are played on after them


def stopped_at(phase: str, seed: int) -> Game:
    """A game at its first decision of a kind."""
    game = Game(2, seed=seed)
    player = make_player("greedy", seed)
    while game.phase != phase:
        game.apply(player.choose(game.table, game.observe(game.seat), game.legal_moves()))
    return game


@pytest.fixture(scope="module", params=["wall", "houses", "score", "swap"])
def game(request) -> Game:
    return stopped_at(request.param, 3)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_are_repeatable(game, threads):
    view, options = game.observe(game.seat), SearchOptions("ismcts", threads=threads)
    first, second = (
        analyze(game.table, view, sims=SIMS, seed=7, options=options) for _ in range(2)
    )
    assert first.moves == second.moves
    assert (first.wins, first.scores) == (second.wins, second.scores)
    assert first.iterations == SIMS == sum(stats.visits for stats in first.moves)


def test_threads_add_up_what_single_searches_find(game):
    view, options = game.observe(game.seat), SearchOptions("ismcts", threads=2)
    analysis = analyze(game.table, view, sims=SIMS, seed=7, options=options)
    alone = []
    for number, sims in enumerate(shares(SIMS, 2)):
        search = Search(game.table, view, mix(7, number) if number else 7, options)
        search.run(sims)
        alone.append({stats.move: stats for stats in search.analysis().moves})
    assert {stats.move for stats in analysis.moves} == alone[0].keys() | alone[1].keys()
    for stats in analysis.moves:
        parts = [
            stats_by_move[stats.move] for stats_by_move in alone if stats.move in stats_by_move
        ]
        visits = [part.visits for part in parts]
        assert stats.visits == sum(visits)
        for seat in range(2):
            wins = sum(part.wins[seat] * part.visits for part in parts) / stats.visits
            scores = sum(part.scores[seat] * part.visits for part in parts) / stats.visits
            assert stats.wins[seat] == pytest.approx(wins)
            assert stats.scores[seat] == pytest.approx(scores)
        assert stats.line == parts[visits.index(max(visits))].line
        assert stats.error <= 0.5 / stats.visits**0.5 + 1e-9
    assert analysis.wins[0] == pytest.approx(
        sum(s.wins[0] * s.visits for s in analysis.moves) / SIMS
    )


def test_one_thread_is_the_plain_search(game):
    view = game.observe(game.seat)
    search = Search(game.table, view, 5, SearchOptions("ismcts"))
    search.run(SIMS)
    assert (
        analyze(game.table, view, sims=SIMS, seed=5, options=ISMCTS).moves
        == search.analysis().moves
    )


def test_threads_differ_from_each_other(game):
    view, options = game.observe(game.seat), SearchOptions("ismcts", threads=2)
    single = analyze(game.table, view, sims=400, seed=5, options=ISMCTS)
    double = analyze(game.table, view, sims=800, seed=5, options=options)
    # Were both trees grown from one seed, every number of visits would be twice that of one.
    doubled = {stats.move: 2 * stats.visits for stats in single.moves}
    assert {stats.move: stats.visits for stats in double.moves} != doubled


def test_shares_of_the_iterations():
    assert shares(10, 1) == [10]
    assert shares(11, 3) == [4, 4, 3]
    assert shares(2, 8) == [1, 1]


def test_fewer_iterations_than_threads(game):
    options = SearchOptions("ismcts", threads=8)
    analysis = analyze(game.table, game.observe(game.seat), sims=3, seed=1, options=options)
    assert analysis.iterations == 3 == sum(stats.visits for stats in analysis.moves)


def with_workers(number):
    """The threads of this process, among them so many that are kept for searches."""
    all_busy = threading.Barrier(number)
    list(workers(number).map(lambda _: all_busy.wait(), range(number)))
    return set(threading.enumerate())


@pytest.mark.slow
def test_time_ends_all_threads(game):
    options = SearchOptions("ismcts", threads=3)
    before = with_workers(3)
    analysis = analyze(game.table, game.observe(game.seat), seconds=0.1, options=options)
    assert set(threading.enumerate()) <= before
    assert analysis.iterations > 3
    assert analysis.iterations == sum(stats.visits for stats in analysis.moves)


def test_an_error_in_progress_ends_all_threads(game):
    def fail(_: object) -> None:
        raise ZeroDivisionError

    before = with_workers(2)
    with pytest.raises(ZeroDivisionError):
        analyze(game.table, game.observe(game.seat), seconds=600, progress=fail, interval=0.01,
                options=SearchOptions("ismcts", threads=2))  # fmt: skip
    assert set(threading.enumerate()) <= before


@pytest.mark.slow
def test_progress_is_told_of_all_threads(game):
    seen = []
    began = time.monotonic()
    while not seen and time.monotonic() < began + 60:
        final = analyze(game.table, game.observe(game.seat), seconds=0.2, progress=seen.append,
                        interval=0.02, options=SearchOptions("ismcts", threads=2))  # fmt: skip
    assert 0 < seen[0].iterations <= final.iterations
    # Rows are read while the searches write them: off by what happens meanwhile, no more.
    assert [s.iterations for s in seen] == sorted(s.iterations for s in seen)


def test_memory_is_shared_out(game):
    options = SearchOptions("ismcts", threads=4, memory_mb=8)
    trees = [Search(game.table, game.observe(game.seat), 0, options) for _ in range(4)]
    assert sum(tree.arena.nbytes for tree in trees) <= 8 << 20


@pytest.mark.parametrize(
    ("fields", "word"),
    [({"threads": 0}, "threads"), ({"threads": 65}, "threads"),
     ({"threads": 4, "memory_mb": 3}, "4 threads need 4 MiB")],
)  # fmt: skip
def test_impossible_threads(fields, word):
    with pytest.raises(MasonsError, match=word):
        SearchOptions(**fields)


def test_a_player_of_two_threads(game):
    moves = game.legal_moves()
    player = make_player("ismcts:sims=50,threads=2", 1)
    assert player.choose(game.table, game.observe(game.seat), moves) in moves
    with pytest.raises(MasonsError, match="threads"):
        make_player("ismcts:threads=0", 1)
