"""One engine: the same default search, limits, levels and options, whoever asks."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import masons
from masons.ai.halving.halving_search import ARENA_WORDS, HalvingSearch
from masons.ai.ismcts.tree_search import Search
from masons.ai.players.named_players import make_player
from masons.ai.players.player_names import PLAYERS, SEARCHERS, SERVED, player_name
from masons.ai.rollout.plan import plan_of
from masons.ai.search import limits as defaults
from masons.ai.search.levels import level_of
from masons.ai.search.limits import MAX_SIMS, Limits
from masons.ai.search.search_options import SearchOptions
from masons.ai.search.time_management import allot, decisions_left
from masons.ai.session import Session, analyze
from masons.cli.main import run
from masons.engine.errors import MasonsError
from masons.engine.formats.move_text import Move
from masons.engine.game.game import Game
from masons.engine.playouts.policies import POLICIES
from masons.protocol.client import Limits as ClientLimits
from masons.protocol.server.parsed_commands import SEARCH, EngineSettings, parse_go
from masons.protocol.server.thinker import search_options
from tests.support.paths import ROOT
from tests.support.thinned import thinned

HALVING = SearchOptions(method="halving")
ISMCTS = SearchOptions(method="ismcts")
MIDGAME = str(ROOT / "examples" / "midgame.txt")
Ranked = list[tuple[Move, int, float]]


def ranked(analysis: masons.ai.search.results.Analysis) -> Ranked:
    return [(stats.move, stats.visits, stats.win) for stats in analysis.moves]


def held(search: HalvingSearch) -> int:
    """The bytes of all arrays that a search works in."""
    return sum(
        array.nbytes
        for workspace in search._workspaces
        for array in workspace
        if isinstance(array, np.ndarray)
    )


# --- the default player everywhere


def test_the_default_search_is_halving_for_every_caller() -> None:
    game = Game(2, seed=8)
    view = game.observe(0)
    expected = ranked(analyze(game.table, view, sims=600, seed=3, options=HALVING))
    assert ranked(masons.analyze(game.table, view, sims=600, seed=3)) == expected
    assert ranked(masons.Session(game.table, seed=3).analyze(view, sims=600)) == expected
    assert SearchOptions() == HALVING
    player = make_player("default:sims=600", 3)
    assert player.choose(game.table, view, game.legal_moves()) == expected[0][0]
    assert ranked(analyze(game.table, view, sims=600, seed=3, options=ISMCTS)) != expected


@pytest.mark.parametrize("method", ["halving", "ismcts"])
def test_a_session_searches_by_its_options(method: str) -> None:
    game = Game(2, seed=8)
    session = Session(game.table, seed=3, options=SearchOptions(method=method))
    analysis = session.analyze(game.observe(0), sims=300)
    tree = Search(game.table, game.observe(0), 3, ISMCTS)
    tree.run(300)
    assert (ranked(analysis) == ranked(tree.analysis())) == (method == "ismcts")
    assert session.best == analysis.best
    game.apply(analysis.best)
    while game.seat != 0 or len(game.legal_moves()) == 1:
        game.apply(game.legal_moves()[0])
    assert session.analyze(game.observe(0), sims=300).iterations == 300


def test_a_session_that_searched_nothing_says_so() -> None:
    session = Session(Game(2, seed=8).table)
    with pytest.raises(MasonsError, match="nothing was searched"):
        session.analysis()


def test_ismcts_has_its_old_name_too() -> None:
    assert SearchOptions(method="tree") == ISMCTS
    for name in ("tree", "ismcts"):
        settings = EngineSettings(SEARCH)
        settings.set("Method", name)
        assert settings["Method"] == "ismcts"
        assert search_options(settings) == ISMCTS


# --- every option does what it says, or is refused


@pytest.mark.parametrize("sims", [5000, None])
def test_the_level_ends_the_search_of_every_session(sims: int | None) -> None:
    game = Game(2, seed=8)
    options = SearchOptions(level=3)
    most = level_of(3).sims
    for analysis in (
        Session(game.table, options=options).analyze(game.observe(0), sims=sims),
        masons.analyze(game.table, game.observe(0), sims=sims, options=options),
        masons.analyze(game.table, game.observe(0), limits=Limits(infinite=True), options=options),
    ):
        assert analysis.iterations == most
    # Each round of halving ends by the clock here, so the last one may be cut short.
    analysis = Session(game.table, options=options).analyze(game.observe(0), seconds=60)
    assert most is not None
    assert most - 10 < analysis.iterations <= most


@pytest.mark.parametrize(
    ("method", "fields"),
    [
        ("halving", {"policy": "busy"}), ("halving", {"exploration": 0.7}),
        ("ismcts", {"level": 3}), ("tree", {"level": 10}),
    ],
)  # fmt: skip
def test_an_option_of_the_other_method_is_refused(method: str, fields: dict[str, object]) -> None:
    (name,) = fields
    with pytest.raises(MasonsError, match=f"^{name} is an option of ") as error:
        SearchOptions(method=method, **fields)  # type: ignore[arg-type]
    assert "\n" not in str(error.value)


def test_a_tree_needs_the_options_of_one() -> None:
    game = Game(2, seed=8)
    with pytest.raises(MasonsError, match="ismcts"):
        Search(game.table, game.observe(0), 1, HALVING)


@pytest.mark.slow
@pytest.mark.parametrize(("memory", "threads"), thinned([(1, 1), (2, 2), (3, 2), (64, 1)], 2))
def test_the_memory_bounds_the_default_search(memory: int, threads: int) -> None:
    game = Game(2, seed=8)
    options = SearchOptions(memory_mb=memory, threads=threads)
    session = Session(game.table, options=options)
    analysis = session.analyze(game.observe(0), sims=250_000)
    assert analysis.iterations == 250_000
    (search,) = session._last_search.searches
    assert isinstance(search, HalvingSearch)
    assert held(search) <= memory << 20
    assert 0 < analysis.tree_bytes <= memory << 20
    if memory == 1:
        assert analysis.tree_bytes > 900_000  # full, and searched on


def test_with_the_default_memory_a_thread_has_the_tree_that_it_had() -> None:
    game = Game(2, seed=8)
    search = HalvingSearch(game.table, game.observe(0), game.legal_moves(), seed=1)
    assert len(search._workspaces[0].arena) == ARENA_WORDS == 1 << 23


def test_moves_that_the_memory_has_no_room_for_are_refused() -> None:
    game = Game(2, seed=8)
    moves = game.legal_moves()[:1] * 20_000
    options = SearchOptions(memory_mb=1)
    with pytest.raises(MasonsError, match="no room for 20000 moves"):
        HalvingSearch(game.table, game.observe(0), moves, seed=1, options=options)


def test_the_memory_of_the_commands_is_that_of_the_search(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = []
    plain = HalvingSearch.run

    def kept(self: HalvingSearch, *arguments: int) -> None:
        sizes.append(held(self))
        plain(self, *arguments)

    monkeypatch.setattr(HalvingSearch, "run", kept)
    assert run(["analyze", MIDGAME, "--sims", "50", "--memory", "3", "--threads", "2"]) == 0
    assert sizes[-1] <= 3 << 20  # the last: what compiles the kernels may have searched before
    player = make_player("default:sims=50,memory=2", 1)
    game = Game(2, seed=8)
    assert player.choose(game.table, game.observe(0), game.legal_moves()) in game.legal_moves()
    assert sizes[-1] <= 2 << 20
    capsys.readouterr()


# --- one type of limits


def test_the_limits_of_the_client_are_those_of_the_search() -> None:
    assert ClientLimits is Limits is masons.Limits
    assert parse_go("sims 7 movetime 5 clock 9,8 inc 1,2 seed 3 infinite").limits == Limits(
        sims=7, movetime_ms=5, infinite=True, clock=(9, 8), inc=(1, 2), seed=3
    )
    assert parse_go("id a multipv 2").limits == Limits()


def test_limits_in_short_are_limits() -> None:
    game = Game(2, seed=8)
    view = game.observe(0)
    short = ranked(analyze(game.table, view, sims=200))
    assert ranked(analyze(game.table, view, limits=Limits(sims=200))) == short
    with pytest.raises(MasonsError, match="not both"):
        analyze(game.table, view, limits=Limits(sims=200), sims=200)
    assert Limits.of(5, 0.25) == Limits(sims=5, movetime_ms=250)


def test_without_limits_a_search_ends_by_the_default() -> None:
    game = Game(2, seed=8)
    for limits in (None, Limits(), Limits(seed=4)):
        analysis = analyze(game.table, game.observe(0), limits=limits)
        assert analysis.iterations == defaults.API_DEFAULT.sims


def test_a_clock_is_shared_out_by_any_search() -> None:
    game = Game(2, seed=8)
    view = game.observe(0)

    def ends(**limits: Any) -> tuple[int, float | None]:
        plan = plan_of(Limits(**limits), view, SearchOptions("ismcts"))
        return plan.sims, plan.ms

    left = allot(4000, 100, decisions_left(view))
    assert ends(clock=(4000, 1), inc=(100, 0))[1] == pytest.approx(1000 * left)
    assert ends(movetime_ms=1, clock=(4000, 1)) == (MAX_SIMS, 1)
    assert ends(infinite=True, movetime_ms=1) == (MAX_SIMS, None)
    with pytest.raises(MasonsError, match="each of the 2 seats"):
        Session(game.table).search(view, limits=Limits(clock=(4000, 1, 1)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"sims": 0},
        {"sims": MAX_SIMS + 1},
        {"movetime_ms": 0},
        {"movetime_ms": float("nan")},
        {"rollouts": 0},
        {"rollouts": 10**12 + 1},
        {"rollouts": 1.5},
        {"rollouts": True},
    ],
    ids=str,
)
def test_impossible_limits_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MasonsError, match="must be"):
        Limits(**wrong)


def test_parts_of_limits() -> None:
    assert Limits(sims=9, seed=2).part(1, 4) == Limits(sims=2, seed=2)
    assert Limits(sims=3).part(1, 4) == Limits(sims=1)
    assert Limits(movetime_ms=10).part(2, 1) == Limits(movetime_ms=20)
    assert Limits(rollouts=9).part(1, 4) == Limits(rollouts=2)
    assert Limits(rollouts=1).part(1, 4) == Limits(rollouts=1)


# --- names


def test_names_of_players_stand_once() -> None:
    for names in (SEARCHERS, SERVED):
        assert set(names) <= set(PLAYERS)
    for name in PLAYERS:
        assert make_player(name, 0).name == name
    assert player_name("thumb") == "heuristic"
    assert player_name("ismcts:sims=3") == "ismcts"


def test_the_policy_and_the_player_have_two_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert not set(POLICIES) & {"greedy"}
    assert "greedy" in PLAYERS
    # The name that the policy had is still taken.
    assert SearchOptions("ismcts", policy="greedy").policy == "busy-best"
    settings = EngineSettings(SEARCH)
    settings.set("Policy", "greedy")
    assert settings["Policy"] == "busy-best"
    said = []
    for name in ("greedy", "busy-best"):
        assert run(["analyze", MIDGAME, "--sims", "50", "--policy", name, "--json"]) == 0
        said.append(json.loads(capsys.readouterr().out))
    assert said[0] == said[1]
    assert (said[0]["method"], said[0]["policy"], said[0]["level"]) == ("ismcts", "busy-best", None)


def test_an_interrupt_before_the_first_simulation_is_passed_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = masons.Game(2, seed=3)
    session = masons.Session(game.table, seed=1)
    view = game.view(game.seat)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("masons.ai.session.run_all", interrupted)
    with pytest.raises(KeyboardInterrupt):
        session.analyze(view, sims=10)
