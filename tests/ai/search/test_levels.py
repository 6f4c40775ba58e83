"""Levels of play: weaker by errors of judgment, in players, at the table and in the protocol."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from benchmarks.positions import example
from masons.ai.players.named_players import make_player
from masons.ai.search.limits import Limits
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import (
    LEVELS,
    TABLE_LEVEL,
    TOP_LEVEL,
    Level,
    SearchOptions,
    level_of,
)
from masons.ai.session import analyze
from masons.cli.main import run
from masons.cli.options import search_limits, search_options
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.game.game import Game
from masons.engine.kernels.rng import mix
from masons.match.playing.game_setup import GameSetup
from masons.match.playing.played_game import PlayedGame
from masons.protocol.messages.error_codes import Refused
from masons.protocol.server.jobs import Halt, Overhead
from masons.protocol.server.parsed_commands import SEARCH, EngineSettings, Request, parse_go
from masons.protocol.server.thinker import GoDecision, SearchThinker, evaluation
from tests.support.named_play import MIDGAME
from tests.support.sessions import WAIT

SIMS = 60  # of levels in tests that do not play by the real figures
GAME = Game(2, seed=8)


@pytest.fixture
def _fixed_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels with figures that the measured ones do not change."""
    errors = (5.0, 1.0, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.0)
    below = tuple(Level(SIMS, error) for error in errors)
    monkeypatch.setattr("masons.ai.search.search_options.LEVELS", (*below, Level(None, 0.0)))


fixed_levels = pytest.mark.usefixtures("_fixed_levels")


def at_level(level: int, **request: Any) -> Analysis:
    return analyze(GAME, options=SearchOptions(level=level), **{"sims": 200, "seed": 1, **request})


def ranked(analysis: Analysis) -> list[tuple[str, int, tuple[float, ...]]]:
    return [(str(stats.move), stats.visits, stats.wins) for stats in analysis.moves]


# --- the search


def test_the_levels_go_up_to_the_whole_search() -> None:
    assert len(LEVELS) == TOP_LEVEL == 10
    assert level_of(TOP_LEVEL) == Level(None, 0.0)
    errors = [level_of(number).error for number in range(1, TOP_LEVEL + 1)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > errors[-1]
    assert SearchOptions().most is None
    assert search_options(None, None).level == TOP_LEVEL


def test_the_same_seed_gives_the_same_move() -> None:
    for level in (1, 5, 9):
        assert ranked(at_level(level)) == ranked(at_level(level))
    assert len({str(at_level(1, seed=seed).best) for seed in range(8)}) > 3


@fixed_levels
def test_errors_change_what_is_chosen_and_not_what_a_move_is_worth() -> None:
    plain, worst = (at_level(level, sims=SIMS) for level in (9, 1))
    # All moves that are tried in the first round are tried in the same determinizations.
    assert plain.iterations == worst.iterations == SIMS
    once = {str(stats.move): stats.wins for stats in plain.moves if stats.visits == 1}
    both = [stats for stats in worst.moves if stats.visits == 1 and str(stats.move) in once]
    assert both
    assert all(once[str(stats.move)] == stats.wins for stats in both)
    assert ranked(plain) != ranked(worst)
    assert plain.moves[0].win > worst.moves[0].win


@fixed_levels
def test_no_level_searches_more_than_its_own_iterations() -> None:
    assert at_level(3, sims=5000).iterations == SIMS
    assert at_level(3, sims=20).iterations == 20
    assert at_level(TOP_LEVEL, sims=5000).iterations == 5000
    analysis = at_level(3, sims=None, seconds=60)
    assert 0 < analysis.iterations <= SIMS
    assert not analysis.stopped


# --- names and options


@pytest.mark.parametrize("level", ["0", "11", "x", "", "2.5", "-1"])
def test_a_level_that_does_not_exist(level: str) -> None:
    with pytest.raises(MasonsError):
        make_player(f"default:level={level}", 1)
    with pytest.raises(Refused, match="from 1 to 10"):
        EngineSettings(SEARCH).set("Level", level)


@pytest.mark.parametrize("spec", ["ismcts", "greedy", "heuristic", "policy"])
def test_only_the_default_player_has_levels(spec: str) -> None:
    with pytest.raises(MasonsError, match="option"):
        make_player(f"{spec}:level=3", 1)


@fixed_levels
def test_limits_where_none_are_given() -> None:
    two_seconds = Limits(movetime_ms=2000)
    for level, limits in ((None, two_seconds), (10, two_seconds), (3, Limits(sims=SIMS))):
        assert search_limits(search_options(None, level), None, None) == limits
    assert search_limits(search_options("busy", None), None, None) == two_seconds
    assert search_limits(search_options(None, 3), None, 0.5) == Limits(movetime_ms=500)
    assert search_limits(search_options(None, 3), 7, None) == Limits(sims=7)


# --- matches, analyze and show


@fixed_levels
def test_analyze_and_show_search_at_the_level(capsys: pytest.CaptureFixture[str]) -> None:
    def printed(*words: str, command: str = "analyze") -> str:
        code = run([command, MIDGAME, *words])
        out, err = capsys.readouterr()
        assert code == 0, err
        return out

    data = json.loads(printed("--level", "2", "--seed", "7", "--json"))
    assert (data["level"], data["iterations"], data["policy"]) == (2, SIMS, None)
    expected = analyze(example(), sims=SIMS, seed=7, options=SearchOptions(level=2))
    assert [move["move"] for move in data["moves"]] == [str(s.move) for s in expected.moves][:5]
    top = json.loads(printed("--sims", "500", "--json"))
    assert (top["level"], top["iterations"]) == (TOP_LEVEL, 500)
    out = printed("--level", "3")
    assert "level   3 of 10" in out
    assert f"{SIMS} iterations, evaluated by a net, level 3, hands predicted" in out
    overlay = printed("--overlay", "analysis", "--svg", "-", "--level", "4", command="show")
    assert f"{SIMS} iterations, evaluated by a net, level 4, seed 0" in overlay


# --- at the table


@fixed_levels
def test_a_seat_of_the_engine_plays_at_its_level() -> None:
    game, made = Game(2, seed=7), {}
    for level in (1, TABLE_LEVEL, 9, 10):
        terms = GameSetup(2, (1,), ("Engine", "Ann"), 7, level)
        made[level] = PlayedGame(load_board("classic"), terms).engine_moves()
        player = make_player(f"default:level={level}", mix(7, 0))
        limits, moves = Limits(sims=20_000), game.legal_moves()
        assert made[level] == player.choose(game.table, game.observe(0), moves, limits)
    assert len(set(made.values())) > 1


@pytest.mark.slow
@fixed_levels
def test_hints_are_at_full_strength() -> None:
    hints = []
    for level in (1, 9, 10):
        played = PlayedGame(load_board("classic"), GameSetup(2, (0,), ("Ann", "Engine"), 7, level))
        hints.append(ranked(played.hint()))
        assert played.hint(sims=300).iterations == 300
    assert hints[0] == hints[1] == hints[2]


# --- the protocol


def with_options(**options: str) -> EngineSettings:
    settings = EngineSettings(SEARCH)
    for name, value in options.items():
        settings.set(name, value)
    return settings


def thought(
    settings: EngineSettings, request: Request, halt: Halt | None = None
) -> tuple[str, list[str]]:
    """Return the move and the lines of a search in the opening."""
    lines: list[str] = []
    decision = GoDecision(GAME.table, GAME.observe(0), GAME.legal_moves(), request)
    text = SearchThinker(settings, Overhead()).answer(decision, lines.append, halt or Halt())
    *infos, best = text.split("\n")
    return best.split()[1], [*lines, *infos]


@fixed_levels
@pytest.mark.parametrize("words", ["sims 5000", "movetime 60000", "clock 2000000,2000000", ""])
def test_a_go_ends_when_the_level_is_done(words: str) -> None:
    _, lines = thought(with_options(Level="3"), parse_go(words))
    assert 0 < int(lines[-1].split(" sims ")[1].split()[0]) <= SIMS


@pytest.mark.slow
@fixed_levels
def test_go_infinite_waits_for_the_stop() -> None:
    halt = Halt()
    said: list[tuple[str, list[str]]] = []
    request = parse_go("infinite")
    thread = threading.Thread(
        target=lambda: said.append(thought(with_options(Level="3"), request, halt))
    )
    thread.start()
    thread.join(1.0)
    assert thread.is_alive()
    halt.set()
    thread.join(WAIT)
    ((move, lines),) = said
    assert f" sims {SIMS} " in lines[-1]
    assert f" move {move} " in lines[-1]


@fixed_levels
def test_eval_is_that_of_the_level() -> None:
    low, again, top = (
        evaluation(GAME.table, GAME.observe(0), with_options(Level=level), Halt())
        for level in ("1", "1", "10")
    )
    assert low == again != top
