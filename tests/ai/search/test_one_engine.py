"""One engine: the same default search, limits, options and errors, whoever asks."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import masons
from masons.ai.halving.halving_search import ARENA_WORDS, HalvingSearch
from masons.ai.ismcts.tree_search import Search
from masons.ai.players.named_players import make_player
from masons.ai.players.player_names import PLAYERS, SEARCHERS, SERVED
from masons.ai.rollout.plan import plan_of
from masons.ai.search.limits import ANALYSIS_DEFAULT, MAX_SIMS, Limits
from masons.ai.search.results import Analysis, MoveStats, standard_error
from masons.ai.search.search_options import METHODS, SearchOptions, level_of
from masons.ai.search.time_management import allot, decisions_left
from masons.ai.session import Session, analyze
from masons.cli.options import search_limits
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move
from masons.engine.game.game import Game
from masons.engine.game.observation import Observation
from masons.engine.plain_text import spread
from masons.engine.state.packed_move import DECISIONS
from masons.protocol.client.engine_client import Limits as ClientLimits
from masons.protocol.server.parsed_commands import SEARCH, EngineSettings, parse_go
from masons.protocol.server.thinker import search_options
from tests.support.named_play import all_decisions

HALVING, ISMCTS = (SearchOptions(method) for method in METHODS)
GAME = Game(2, seed=8)
VIEW = GAME.observe(0)


def ranked(analysis: Analysis) -> list[tuple[Move, int, float | None]]:
    return [(stats.move, stats.visits, stats.win) for stats in analysis.moves]


def held(search: HalvingSearch) -> int:
    """Return the bytes of all arrays that a search works in."""
    arrays = (array for workspace in search._workspaces for array in workspace)
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


# --- the default player everywhere


@pytest.mark.parametrize("options", [HALVING, ISMCTS], ids=METHODS)
def test_every_caller_gets_the_same_search(options: SearchOptions) -> None:
    expected = ranked(analyze(GAME.table, VIEW, sims=600, seed=3, options=options))
    session = Session(GAME.table, seed=3, options=options)
    with pytest.raises(MasonsError, match="nothing has been searched"):
        session.analysis()
    assert ranked(session.analyze(VIEW, sims=600)) == expected
    assert session.best == expected[0][0]
    assert session.analyze(VIEW, sims=300).iterations == 300
    name = "default" if options == HALVING else "ismcts"
    player = make_player(f"{name}:sims=600", 3)
    assert player.choose(GAME.table, VIEW, GAME.legal_moves()) == expected[0][0]
    tree = Search(GAME.table, VIEW, 3, ISMCTS)
    tree.run(600)
    assert (ranked(tree.analysis()) == expected) == (options == ISMCTS)
    assert (ranked(masons.analyze(GAME.table, VIEW, sims=600, seed=3)) == expected) == (
        options == HALVING
    )


@pytest.mark.parametrize("method", METHODS)
def test_every_phase_is_searched_with_the_iterations_wanted(method: str) -> None:
    games = all_decisions()
    assert set(games) == set(DECISIONS)
    for game in games.values():
        moves = game.legal_moves()
        for sims in (1, 7, 300):
            analysis = analyze(game, sims=sims, seed=1, options=SearchOptions(method))
            visits = [stats.visits for stats in analysis.moves]
            assert analysis.iterations == sims == sum(visits)
            assert analysis.phase == game.phase
            assert sum(analysis.wins) == pytest.approx(1)
            assert analysis.best in moves
            for stats in analysis.moves:
                assert game.is_legal(stats.move)
                assert sum(stats.wins) == pytest.approx(1)
                assert (stats.error or 0) <= 0.5 / math.sqrt(stats.visits) + 1e-9
            assert method == "halving" or visits == sorted(visits, reverse=True)


def test_options_of_another_method_are_left_out() -> None:
    settings = EngineSettings(SEARCH)
    for option, value in (("Method", "ismcts"), ("Policy", "busy-best"), ("Level", "3")):
        settings.set(option, value)
        assert str(settings[option]) == value
    assert search_options(settings) == SearchOptions("ismcts", policy="busy-best")


def test_an_interrupt_before_the_first_simulation_is_passed_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("masons.ai.session.run_all", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Session(GAME.table).analyze(VIEW, sims=10)


# --- every option does what it says, or is refused


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"method": "halving", "policy": "busy"}, "^policy is an option of "),
        ({"method": "halving", "exploration": 0.7}, "^exploration is an option of "),
        ({"method": "ismcts", "level": 3}, "^level is an option of "),
        ({"method": "tree"}, "^method is 'tree': it must be one of halving, ismcts"),
        ({"method": 3}, "method"),
        ({"method": np.array(METHODS)}, "^method is "),
        ({"method": "ismcts", "policy": np.array(["busy", "best"])}, "^policy is "),
        ({"method": "ismcts", "policy": "best"}, "policy"),
        ({"method": "ismcts", "exploration": math.nan}, "exploration"),
        ({"memory_mb": 0}, "^memory_mb is 0: it must be from 1 to 16384 MiB"),
        ({"threads": 0}, "threads"),
        ({"threads": 65}, "threads"),
        ({"threads": 4, "memory_mb": 3}, "4 threads need 4 MiB"),
    ],
    ids=str,
)
def test_impossible_options_are_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(MasonsError, match=said) as error:
        SearchOptions(**fields)
    assert "\n" not in str(error.value)


def test_a_tree_needs_the_options_of_one() -> None:
    with pytest.raises(MasonsError, match="ismcts"):
        Search(GAME.table, VIEW, 1, HALVING)


@pytest.mark.slow
@pytest.mark.parametrize(("memory", "threads"), [(1, 1), (3, 2)])
def test_the_memory_bounds_the_default_search(memory: int, threads: int) -> None:
    session = Session(GAME.table, options=SearchOptions(memory_mb=memory, threads=threads))
    analysis = session.analyze(VIEW, sims=250_000)
    assert analysis.iterations == 250_000
    (search,) = session._last_search.searches
    assert held(search) <= memory << 20
    assert 0 < analysis.tree_bytes <= memory << 20
    if memory == 1:
        assert analysis.tree_bytes > 900_000  # full, and searched on


def test_the_memory_of_a_thread() -> None:
    search = HalvingSearch(GAME.table, VIEW, GAME.legal_moves(), seed=1)
    assert len(search._workspaces[0].arena) == ARENA_WORDS == 1 << 23
    moves, options = GAME.legal_moves()[:1] * 20_000, SearchOptions(memory_mb=1)
    with pytest.raises(MasonsError, match="no room for 20000 moves"):
        HalvingSearch(GAME.table, VIEW, moves, seed=1, options=options)


# --- one type of limits


def test_the_limits_of_the_client_are_those_of_the_search() -> None:
    assert ClientLimits is Limits is masons.Limits
    assert parse_go("sims 7 movetime 5 clock 9,8 inc 1,2 seed 3").limits == Limits(
        sims=7, movetime_ms=5, clock=(9, 8), inc=(1, 2), seed=3
    )
    assert parse_go("seed 3 infinite").limits == Limits(infinite=True, seed=3)
    assert parse_go("id a multipv 2").limits == Limits()


def test_limits_in_short_are_limits() -> None:
    short = ranked(analyze(GAME.table, VIEW, sims=200))
    assert ranked(analyze(GAME.table, VIEW, limits=Limits(sims=200))) == short
    with pytest.raises(MasonsError, match="not both"):
        analyze(GAME.table, VIEW, limits=Limits(sims=200), sims=200)
    assert Limits.of(5, 0.25, 9) == Limits(sims=5, movetime_ms=250, rollouts=9)
    games = analyze(GAME, rollouts=100, seed=1)
    assert games.rollouts >= 100
    assert ranked(games) == ranked(analyze(GAME, limits=Limits(rollouts=100), seed=1))
    assert analyze(GAME, seconds=0.2).iterations > 0


def test_the_default_is_that_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ANALYSIS_DEFAULT == search_limits(SearchOptions(), None, None) == Limits.of(seconds=2)
    monkeypatch.setattr("masons.ai.session.ANALYSIS_DEFAULT", Limits(rollouts=90))
    for limits in (None, Limits(), Limits(seed=4)):
        assert analyze(GAME, limits=limits).rollouts >= 90


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ({"seconds": 0}, "seconds is 0: it must be a number above 0"),
        ({"seconds": "1"}, "seconds is '1': it must be a number above 0"),
        ({"sims": 0}, "sims is 0: it must be"),
        ({"rollouts": -1}, "rollouts is -1: it must be"),
    ],
)
def test_wrong_limits_are_named_as_the_caller_wrote_them(limit: Any, message: str) -> None:
    with pytest.raises(MasonsError, match=re.escape(message)):
        analyze(GAME, **limit)
    with pytest.raises(TypeError, match=r"^analyze\(\) got an unexpected keyword argument 'sims_'"):
        analyze(GAME, sims_=3)  # type: ignore[call-arg]


def test_a_text_or_a_view_is_analyzed_as_the_deciding_seat_sees_it() -> None:
    from_game = ranked(analyze(GAME.table, GAME.view(GAME.seat), sims=100))
    assert GAME.position.is_complete
    hidden = GAME.observe(GAME.seat).text
    assert "?" in hidden
    for text in (GAME.text, hidden):
        assert ranked(analyze(text, sims=100)) == from_game
    assert ranked(analyze(Observation.from_text(hidden), sims=100)) == from_game
    for wrong in (None, 5, GAME.position, Observation(GAME.state, (0, 0))):
        with pytest.raises(MasonsError, match="it must be a Game, a view from game"):
            analyze(wrong)  # type: ignore[arg-type]
    with pytest.raises(MasonsError, match="a position begins with masons1"):
        analyze("nonsense")
    with pytest.raises(MasonsError, match="view is given twice"):
        analyze(GAME.text, GAME.view(0))


def test_a_clock_is_shared_out_by_any_search() -> None:
    def ends(**limits: Any) -> tuple[int, float | None]:
        plan = plan_of(Limits(**limits), VIEW, ISMCTS)
        return plan.sims, plan.ms

    left = allot(4000, 100, decisions_left(VIEW))
    assert ends(clock=(4000, 1), inc=(100, 0))[1] == pytest.approx(1000 * left)
    assert ends(movetime_ms=1, clock=(4000, 1)) == (MAX_SIMS, 1)
    assert ends(infinite=True, movetime_ms=1) == (MAX_SIMS, None)
    with pytest.raises(MasonsError, match="each of the 2 seats"):
        Session(GAME.table).search(VIEW, limits=Limits(clock=(4000, 1, 1)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sims", 0), ("sims", MAX_SIMS + 1), ("movetime_ms", 0), ("movetime_ms", math.nan),
        *(("rollouts", games) for games in (0, -1, 10**12 + 1, 2.5, "9", math.nan, True)),
    ],
)  # fmt: skip
def test_impossible_limits_are_refused(name: str, value: Any) -> None:
    with pytest.raises(MasonsError, match=rf"^{name} is .*must be"):
        Limits(**{name: value})


def test_parts_of_limits() -> None:
    assert Limits(sims=9, seed=2).part(1, 4) == Limits(sims=2, seed=2)
    assert Limits(sims=3).part(1, 4) == Limits(sims=1)
    assert Limits(movetime_ms=10).part(2, 1) == Limits(movetime_ms=20)
    assert Limits(rollouts=9).part(1, 4) == Limits(rollouts=2)
    assert Limits(rollouts=1).part(1, 4) == Limits(rollouts=1)


# --- players under a limit for each decision


def test_names_of_players_stand_once() -> None:
    for names in (SEARCHERS, SERVED):
        assert set(names) <= set(PLAYERS)
    for name in PLAYERS:
        player = make_player(name, 0)
        assert player.name == name
        assert player.takes_limit == (name in SEARCHERS)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int | None, float | None]]:
    """The limits of each search made."""
    made: list[tuple[int | None, float | None]] = []
    plain = Session.search

    def search(self: Session, *args: Any, **words: Any) -> bool:
        made.append((words["limits"].sims, words["limits"].movetime_ms))
        return plain(self, *args, **words)

    monkeypatch.setattr(Session, "search", search)
    return made


@pytest.mark.parametrize(
    ("spec", "limit", "within"),
    [("ismcts", None, (1000, None)), ("ismcts", Limits(sims=30), (30, None)),
     ("ismcts", Limits(movetime_ms=10), (None, 10)),
     ("ismcts:sims=20", Limits(30), (20, None)), ("ismcts:ms=10", Limits(30), (None, 10)),
     ("ismcts:ms=9000,sims=20", Limits(30), (20, 9000)),
     ("default:level=3", None, (level_of(3).sims, None)),
     ("default:level=3", Limits(20), (20, None)),
     ("default:level=10", None, (1000, None)), ("default:level=3,sims=9", None, (9, None))],
)  # fmt: skip
def test_whose_limit_holds(
    searches: list[Any], spec: str, limit: Limits | None, within: tuple[Any, ...]
) -> None:
    player = make_player(spec, 1)
    assert player.takes_limit == ("sims=" not in spec and "ms=" not in spec)
    assert player.choose(GAME.table, VIEW, GAME.legal_moves(), limit) in GAME.legal_moves()
    assert searches == [within]


@pytest.mark.parametrize("spec", ["random", "busy", "greedy"])
def test_other_players_ignore_it(spec: str) -> None:
    player, twin = make_player(spec, 5), make_player(spec, 5)
    for _ in range(20):
        free = player.choose(GAME.table, VIEW, GAME.legal_moves())
        assert free == twin.choose(GAME.table, VIEW, GAME.legal_moves(), Limits(sims=1))


# --- unknown errors are not reported as 0


def test_standard_errors() -> None:
    assert standard_error(1, 0.5, 0.25) is None
    few, more, many = (standard_error(n, 1.0, 1.0) or 0.0 for n in (2, 10, 10**6))
    assert 0.1 < few <= 0.5 / math.sqrt(2)
    assert 0.02 < more < 0.05
    assert 0 < many < 1e-6
    # 1,000 results of variance 0.09
    assert standard_error(1000, 0.5, 0.34) == pytest.approx(0.3 / math.sqrt(1000), rel=1e-3)
    assert [spread(error) for error in (None, 1e-9, 0.0004, 0.0005, 0.0123)] == [
        "± ?", "± <0.1", "± <0.1", "± 0.1", "± 1.2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("searched", "shown", "is_decided"),
    [
        (
            [(0.5, (60, 60)), (0.3, (60, 60)), (0.52, (50, 60))],
            [(0, (0.5, 0.5)), (2, (0.48, 0.52)), (1, (0.3, 0.7))],
            False,
        ),
        (
            [(0.99, (60, 50)), (0.995, (40, 50)), (0.98, (62, 50))],
            [(0, (0.99, 0.01)), (2, (0.98, 0.02)), (1, (0.995, 0.005))],
            True,
        ),
    ],
)
def test_a_point_counts_as_much_as_four_thousandths_of_a_game(
    monkeypatch: pytest.MonkeyPatch,
    searched: list[tuple[float, tuple[float, float]]],
    shown: list[tuple[int, tuple[float, float]]],
    is_decided: bool,
) -> None:
    rows = tuple(
        MoveStats(Move(number), 1, win, (win, 1 - win), scores)
        for number, (win, scores) in enumerate(searched)
    )
    raw = Analysis(0, "wall", moves=rows)
    monkeypatch.setattr(Session, "searched", lambda *_: raw)
    analysis = Session(GAME.table).analysis()
    assert [row.move for row in analysis.moves] == [Move(number) for number, _ in shown]
    for row, (_, wins) in zip(analysis.moves, shown, strict=True):
        assert (row.win, *row.wins) == pytest.approx((wins[0], *wins))
    assert analysis.is_decided == is_decided


@pytest.mark.parametrize("phase", all_decisions())
def test_a_search_alone_shows_its_moves_in_the_order_of_what_it_shows(phase: str) -> None:
    """The figures of the best move are as the search left them."""
    game = all_decisions()[phase]
    session = Session(game.table, seed=1)
    rows = session.analyze(game, sims=400).moves
    raw = session.searched()
    assert rows[0] == raw.moves[0]
    assert [row.win for row in rows] == sorted((row.win or 0.0 for row in rows), reverse=True)
    assert {row.move: row.visits for row in rows} == {row.move: row.visits for row in raw.moves}
    assert all(sum(row.wins) == pytest.approx(1) for row in rows)


@pytest.mark.parametrize("method", METHODS)
def test_a_search_alone_has_no_intervals(method: str) -> None:
    analysis = analyze(GAME.table, VIEW, sims=3000, options=SearchOptions(method))
    assert analysis.rollouts == 0
    assert len(analysis.moves) > 2
    for stats in analysis.moves:
        assert (stats.win is None, stats.games, stats.is_equal) == (False, 0, False)
        figures = (stats.interval, stats.loss, stats.loss_interval, stats.margin_interval)
        assert figures == (None,) * 4
