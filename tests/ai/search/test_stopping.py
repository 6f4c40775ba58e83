"""Searches in threads: repeatable, put together, ended from another thread, never too late."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pytest

from masons.ai.ismcts.tree_search import Search
from masons.ai.search.limits import MAX_SIMS
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.ai.search.threads import Stop, shares, workers
from masons.ai.session import Session
from masons.ai.session import analyze as plain_analyze
from masons.engine.game.game import Game
from masons.engine.kernels.rng import mix
from tests.support.named_play import brought_to

SIMS = 901  # so few that no games are played on after them
# Only a search that would never end takes so long.
PATIENCE = 60.0
at_phase = cache(brought_to)


def ismcts(threads: int = 1) -> SearchOptions:
    return SearchOptions("ismcts", memory_mb=16, threads=threads)


def analyze(game: Game, threads: int = 1, **request: Any) -> Analysis:
    return plain_analyze(game, options=ismcts(threads), **request)


@pytest.fixture(scope="module", params=["wall", "houses", "score", "swap"])
def game(request: pytest.FixtureRequest) -> Game:
    return at_phase(request.param, seed=3)


# --- one tree for each thread, put together


def test_threads_add_up_what_single_searches_find(game: Game) -> None:
    analysis, alone = analyze(game, 2, sims=SIMS, seed=7), []
    for number, sims in enumerate(shares(SIMS, 2)):
        view, seed = game.observe(game.seat), mix(7, number) if number else 7
        search = Search(game.table, view, seed, ismcts(2))
        search.run(sims)
        alone.append({stats.move: stats for stats in search.analysis().moves})
    # Were both trees grown from one seed, every number of visits would be the same.
    assert [s.visits for s in alone[0].values()] != [s.visits for s in alone[1].values()]
    assert {stats.move for stats in analysis.moves} == alone[0].keys() | alone[1].keys()
    for stats in analysis.moves:
        parts = [by_move[stats.move] for by_move in alone if stats.move in by_move]
        visits = [part.visits for part in parts]
        assert stats.visits == sum(visits)
        for seat in range(2):
            wins = sum(part.wins[seat] * part.visits for part in parts) / stats.visits
            scores = sum(part.scores[seat] * part.visits for part in parts) / stats.visits
            assert stats.wins[seat] == pytest.approx(wins)
            assert stats.scores[seat] == pytest.approx(scores)
        assert stats.line == parts[visits.index(max(visits))].line
        assert stats.error is None or stats.error <= 0.5 / stats.visits**0.5 + 1e-9
    total = sum(stats.wins[0] * stats.visits for stats in analysis.moves)
    assert analysis.wins[0] == pytest.approx(total / SIMS)


def test_no_thread_is_without_iterations(game: Game) -> None:
    few = analyze(game, 8, sims=3, seed=1)
    assert few.iterations == 3 == sum(stats.visits for stats in few.moves)


def test_shares_of_the_iterations() -> None:
    assert [shares(10, 1), shares(11, 3), shares(2, 8)] == [[10], [4, 4, 3], [1, 1]]


def test_memory_is_shared_out(game: Game) -> None:
    options = SearchOptions("ismcts", threads=4, memory_mb=8)
    trees = [Search(game.table, game.observe(game.seat), 0, options) for _ in range(4)]
    assert sum(tree.arena.nbytes for tree in trees) <= 8 << 20


# --- ended by time, by an error, with progress


def with_workers(number: int) -> set[threading.Thread]:
    """Return the threads of this process, among them so many that are kept for searches."""
    all_busy = threading.Barrier(number)
    list(workers(number).map(lambda _: all_busy.wait(), range(number)))
    return set(threading.enumerate())


@pytest.mark.slow
def test_time_ends_all_threads(game: Game) -> None:
    before = with_workers(3)
    analysis = analyze(game, 3, seconds=0.1)
    assert set(threading.enumerate()) <= before
    assert 3 < analysis.iterations == sum(stats.visits for stats in analysis.moves)


def test_an_error_in_progress_ends_all_threads(game: Game) -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError

    before = with_workers(2)
    with pytest.raises(ZeroDivisionError):
        analyze(game, 2, seconds=600, progress=fail, interval=0.01)
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_is_told_with_the_lines_wanted(threads: int) -> None:
    seen: list[Analysis] = []
    began = time.monotonic()
    while not seen and time.monotonic() < began + PATIENCE:
        watch: dict[str, Any] = {"progress": seen.append, "interval": 0.02, "top": 2}
        final = analyze(at_phase("wall"), threads, seconds=0.2, **watch)
    assert 0 < seen[0].iterations <= final.iterations
    # Rows are read while the searches write them: off by what happens meanwhile, no more.
    assert [s.iterations for s in seen] == sorted(s.iterations for s in seen)
    assert final.moves[0].line or final.iterations < 2000  # on a busy machine
    for analysis in (*seen, final):
        assert not any(stats.line for stats in analysis.moves[2:])


# --- ended by a stop

WALL = Game(2, seed=1)


def session_of(threads: int) -> Session:
    session = Session(WALL.table, options=ismcts(threads))
    session.search(WALL, sims=threads)
    return session


def in_thread(work: Callable[[], object]) -> tuple[threading.Thread, list[Any]]:
    """Start a thread; its result will be in the list."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()
    return thread, results


def iterations(session: Session) -> int:
    assert session._last_search is not None
    return session._last_search.iterations


@pytest.mark.parametrize("threads", [1, 3])
def test_a_stop_before_the_call_ends_it_with_a_result(threads: int) -> None:
    session, stop = session_of(threads), Stop()
    stop.set()
    assert stop.is_set
    analysis = session.analyze(WALL, sims=MAX_SIMS, stop=stop)
    assert (analysis.stopped, analysis.iterations) == (True, threads)
    assert session.best == analysis.best


@pytest.mark.parametrize("where", ["run", "__init__"])
def test_a_stop_while_a_search_begins_is_not_lost(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a search does before its first iteration in a thread of its own."""
    session, stop, plain = session_of(1), Stop(), getattr(Search, where)

    def told(self: Search, *args: object, **words: object) -> None:
        plain(self, *args, **words)
        stop.set()

    monkeypatch.setattr(Search, where, told)
    thread, results = in_thread(partial(session.search, WALL, sims=MAX_SIMS, stop=stop))
    thread.join(PATIENCE)
    assert results == [False]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
def test_stops_at_any_moment(threads: int) -> None:
    """From before the call to long after its end: it ends, and the next one is not touched."""
    session = session_of(threads)
    for delay in (0.0, 0.0001, 0.0003, 0.001, 0.003, 0.01) * 4:
        stop = Stop()
        thread, results = in_thread(partial(session.search, WALL, sims=MAX_SIMS, stop=stop))
        time.sleep(delay)
        stop.set()
        thread.join(PATIENCE)
        assert results == [False]
        assert session.search(WALL, sims=200)
        assert iterations(session) == 200


def test_a_stop_too_late_or_of_another_search_does_nothing() -> None:
    session, late = session_of(1), Stop()
    before = set(threading.enumerate())
    assert session.search(WALL, sims=100, stop=late)
    late.set()
    analysis = session.analyze(WALL, sims=3000, stop=Stop())
    assert (analysis.iterations, analysis.stopped) == (3000, False)
    assert late._running == []
    assert set(threading.enumerate()) <= before


def test_one_word_ends_several_searches() -> None:
    stop = Stop()

    def tell(_: object) -> None:
        stop.set()
        stop.set()

    watched = in_thread(
        partial(analyze, WALL, sims=MAX_SIMS, stop=stop, progress=tell, interval=0.02)
    )
    for thread, results in (in_thread(partial(analyze, WALL, sims=MAX_SIMS, stop=stop)), watched):
        thread.join(PATIENCE)
        assert [analysis.stopped for analysis in results] == [True]
