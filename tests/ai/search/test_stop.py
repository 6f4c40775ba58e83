"""Ending a search from another thread: never lost, never too late, never another one's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from masons.ai.ismcts.tree_search import Search
from masons.ai.search.limits import MAX_SIMS
from masons.ai.search.search_options import SearchOptions
from masons.ai.search.threads import Stop
from masons.ai.session import Session, analyze
from masons.engine.game.game import Game

ISMCTS = SearchOptions("ismcts")

# Only a search that would never end takes so long.
PATIENCE = 60.0


@pytest.fixture(scope="module")
def game() -> Game:
    return Game(2, seed=1)


def session_of(game: Game, threads: int = 1) -> Session:
    session = Session(game.table, options=SearchOptions("ismcts", memory_mb=16, threads=threads))
    session.search(game.observe(0), sims=threads)
    return session


def in_thread(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
def test_a_running_search_ends(game, threads):
    session = session_of(game, threads)
    stop, results = Stop(), []
    thread = in_thread(
        lambda: results.append(session.analyze(game.observe(0), sims=MAX_SIMS, stop=stop))
    )
    while not sum(search.iterations for search in session._last_search.searches) > 2 * threads:
        time.sleep(0.001)
    stop.set()
    thread.join(PATIENCE)
    assert results[0].stopped
    assert results[0].iterations == sum(
        search.iterations for search in session._last_search.searches
    )
    assert results[0].moves


@pytest.mark.parametrize("threads", [1, 3])
def test_a_stop_before_the_call_ends_it_with_a_result(game, threads):
    session = session_of(game, threads)
    stop = Stop()
    stop.set()
    assert stop.is_set
    analysis = session.analyze(game.observe(0), sims=MAX_SIMS, stop=stop)
    assert analysis.stopped
    assert analysis.iterations == threads
    assert session.best == analysis.best


@pytest.mark.parametrize("where", ["run", "__init__"])
def test_a_stop_while_a_search_begins_is_not_lost(game, where, monkeypatch):
    """Whatever a search does before its first iteration in a thread of its own."""
    session = session_of(game)
    stop = Stop()
    plain = getattr(Search, where)

    def told(self: Search, *args: object, **words: object) -> None:
        plain(self, *args, **words)
        stop.set()

    monkeypatch.setattr(Search, where, told)
    results: list[bool] = []
    thread = in_thread(
        lambda: results.append(session.search(game.observe(0), sims=MAX_SIMS, stop=stop))
    )
    thread.join(PATIENCE)
    assert results == [False]


@pytest.mark.slow
def test_stops_at_any_moment(game):
    """From before the call to long after its end: it ends, and the next one is not touched."""
    session = session_of(game)
    for delay in (0.0, 0.0001, 0.0003, 0.001, 0.003, 0.01) * 10:
        stop, results = Stop(), []
        thread = in_thread(
            lambda s=stop, f=results: f.append(
                session.search(game.observe(0), sims=MAX_SIMS, stop=s)
            )
        )
        time.sleep(delay)
        stop.set()
        thread.join(PATIENCE)
        assert results == [False]
        assert session.search(game.observe(0), sims=200)
        assert sum(search.iterations for search in session._last_search.searches) == 200


def test_a_stop_that_comes_too_late_does_nothing(game):
    session = session_of(game)
    late = Stop()
    assert session.search(game.observe(0), sims=100, stop=late)
    late.set()
    analysis = session.analyze(game.observe(0), sims=100)
    assert (analysis.iterations, analysis.stopped) == (100, False)


def test_a_stop_of_another_search_does_nothing(game):
    session, other = session_of(game), Stop()
    results = []
    thread = in_thread(
        lambda: results.append(session.analyze(game.observe(0), sims=3000, stop=Stop()))
    )
    other.set()
    thread.join(PATIENCE)
    assert (results[0].iterations, results[0].stopped) == (3000, False)


def test_a_stop_may_be_said_in_progress_and_said_again(game):
    stop = Stop()

    def tell(_: object) -> None:
        stop.set()
        stop.set()

    analysis = analyze(
        game.table,
        game.observe(0),
        sims=MAX_SIMS,
        stop=stop,
        progress=tell,
        interval=0.01,
        options=ISMCTS,
    )
    assert analysis.stopped


def test_one_word_ends_several_searches(game):
    stop, results = Stop(), []
    threads = [
        in_thread(
            lambda: results.append(
                analyze(
                    Game(2, seed=1).table, game.observe(0), sims=MAX_SIMS, stop=stop, options=ISMCTS
                )
            )
        )
        for _ in range(2)
    ]
    time.sleep(0.02)
    stop.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert [analysis.stopped for analysis in results] == [True, True]


def test_nothing_is_left_behind(game):
    before = set(threading.enumerate())
    stop = Stop()
    session_of(game).search(game.observe(0), sims=50, stop=stop)
    assert stop._running == []
    assert set(threading.enumerate()) <= before


# --- results with some lines only


def test_lines_of_the_best_moves_only(game):
    session = session_of(game)
    whole = session.analyze(game.observe(0), sims=3000)
    assert sum(bool(stats.line) for stats in whole.moves) > 3
    for top in (0, 1, 3, 1000):
        some = session.analysis(top)
        assert [s.line for s in some.moves[:top]] == [s.line for s in whole.moves[:top]]
        assert not any(stats.line for stats in some.moves[top:])
        assert [s.visits for s in some.moves] == [s.visits for s in whole.moves]
    assert session.analysis() == whole


def test_progress_has_the_lines_asked_for(game):
    seen = []
    final = analyze(
        game.table,
        game.observe(0),
        seconds=0.2,
        progress=seen.append,
        interval=0.02,
        top=2,
        options=ISMCTS,
    )
    assert seen
    for analysis in (*seen, final):
        assert not any(stats.line for stats in analysis.moves[2:])
    assert final.moves[0].line
