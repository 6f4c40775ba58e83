"""Levels of play: weaker by errors of judgement, in players, at the table and in the protocol."""

from __future__ import annotations

import json
import random
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from masons.ai.players.named_players import make_player
from masons.ai.search import levels
from masons.ai.search.levels import TABLE_LEVEL, TOP_LEVEL, Level, level_of
from masons.ai.search.limits import Limits
from masons.ai.search.results import Analysis
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import Session, analyze
from masons.cli.main import run
from masons.cli.options import search_limits, search_options
from masons.engine.board.geometry import load_board
from masons.engine.errors import MasonsError
from masons.engine.game.game import Game
from masons.engine.kernels.rng import mix
from masons.match.playing.played_game import GameSetup, PlayedGame
from masons.protocol.messages.error_codes import Refused
from masons.protocol.server.jobs import Halt, Overhead
from masons.protocol.server.parsed_commands import SEARCH, EngineSettings, Request, parse_go
from masons.protocol.server.thinker import GoDecision, SearchThinker, evaluation
from tests.support.paths import EXAMPLES
from tests.support.sessions import WAIT, Process, masked

MIDGAME = str(EXAMPLES / "midgame.txt")
GAMES = str(EXAMPLES / "games.jsonl")
OPENING = (
    "position masons1 board=classic players=2 active=0 phase=wall "
    "hands=city-red+city-rose+land-red+land-blue+land-shore+cities/?6"
)
SIMS = 60  # of level 3 in tests that do not play by the real figures


@pytest.fixture
def fixed_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels with figures that the measured ones do not change."""
    errors = (5.0, 1.0, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.0)
    below = tuple(Level(SIMS, error) for error in errors)
    monkeypatch.setattr(levels, "LEVELS", (*below, Level(None, 0.0)))


def at_level(level: int) -> SearchOptions:
    return SearchOptions(method="halving", level=level)


def looked(game: Game, level: int, *, sims: int = 200, seed: int = 1) -> Analysis:
    options = at_level(level)
    return analyze(game.table, game.observe(game.seat), sims=sims, seed=seed, options=options)


def ranked(analysis: Analysis) -> list[tuple[str, int, tuple[float, ...]]]:
    return [(str(stats.move), stats.visits, stats.wins) for stats in analysis.moves]


# --- the search


def test_the_levels_go_up_to_the_whole_search() -> None:
    assert len(levels.LEVELS) == TOP_LEVEL == 10
    assert level_of(TOP_LEVEL) == Level(None, 0.0)
    errors = [level_of(number).error for number in range(1, TOP_LEVEL + 1)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > errors[-1]


def test_the_same_seed_gives_the_same_move() -> None:
    game = Game(2, seed=8)
    for level in (1, 5, 9):
        assert ranked(looked(game, level)) == ranked(looked(game, level))
    best = {str(looked(game, 1, seed=seed).best) for seed in range(8)}
    assert len(best) > 3


@pytest.mark.usefixtures("fixed_levels")
def test_errors_change_what_is_chosen_and_not_what_a_move_is_worth() -> None:
    game = Game(2, seed=8)
    plain, worst = (looked(game, level, sims=SIMS) for level in (9, 1))
    # All that there is to try in the first round is tried in the same worlds.
    assert plain.iterations == worst.iterations == SIMS
    once = {str(stats.move): stats.wins for stats in plain.moves if stats.visits == 1}
    both = [stats for stats in worst.moves if stats.visits == 1 and str(stats.move) in once]
    assert both
    assert all(once[str(stats.move)] == stats.wins for stats in both)
    assert ranked(plain) != ranked(worst)
    assert plain.moves[0].win > worst.moves[0].win


@pytest.mark.usefixtures("fixed_levels")
def test_no_level_searches_more_than_its_own_iterations() -> None:
    game = Game(2, seed=8)
    assert looked(game, 3, sims=5000).iterations == SIMS
    assert looked(game, 3, sims=20).iterations == 20
    assert looked(game, TOP_LEVEL, sims=5000).iterations == 5000
    analysis = analyze(game.table, game.observe(0), seconds=60, seed=1, options=at_level(3))
    assert 0 < analysis.iterations <= SIMS
    assert not analysis.stopped


def test_hidden_cards_do_not_reach_a_level() -> None:
    game = Game(3, seed=4)
    position = game.position
    said, hands = [], set()
    for seed in range(3):
        left = list(game.view(0).unseen)
        random.Random(seed).shuffle(left)
        dealt = (position.hands[0], tuple(sorted(left[:6])), tuple(sorted(left[6:12])))
        hands.add(dealt)
        other = Game.from_position(replace(position, hands=dealt), seed=seed)
        said.append(ranked(looked(other, 2)))
    assert len(hands) == 3
    assert said[0] == said[1] == said[2]


# --- players


@pytest.mark.usefixtures("fixed_levels")
def test_a_player_without_a_limit_searches_what_its_level_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[tuple[int | None, float | None]] = []
    plain = Session.search

    def search(self: Session, *args: object, **words: object) -> bool:  # type: ignore[type-arg]
        limits = words["limits"]
        assert isinstance(limits, Limits)
        made.append((limits.sims, limits.movetime_ms))  # type: ignore[arg-type]
        return plain(self, *args, **words)  # type: ignore[arg-type]

    monkeypatch.setattr(Session, "search", search)
    game = Game(2, seed=8)
    for spec, limit in (
        ("default:level=3", None), ("default:level=3", Limits(sims=20)), ("default:level=10", None),
        ("default:level=3,sims=9", None), ("ismcts", None),
    ):  # fmt: skip
        player = make_player(spec, 1)
        assert player.takes_limit == ("sims=" not in spec)
        player.choose(game.table, game.observe(0), game.legal_moves(), limit)
    assert made == [(SIMS, None), (20, None), (1000, None), (9, None), (1000, None)]


@pytest.mark.parametrize("level", ["0", "11", "x", "", "2.5", "-1"])
def test_a_level_that_there_is_not(level: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["match", f"default:level={level}", "greedy", "--games", "2"],
        ["selfplay", "--out", "-", "--player", f"default:level={level}"],
        ["analyze", MIDGAME, "--level", level],
        ["show", MIDGAME, "--overlay", "analysis", "--svg", "-", "--level", level],
        ["play", "--level", level],
    ):
        code = run(arguments)
        out, err = capsys.readouterr()
        assert (code, out) == (2, "")
        assert err.startswith("error: ")
        assert err.count("\n") == 1
    with pytest.raises(MasonsError):
        make_player(f"default:level={level}", 1)
    with pytest.raises(Refused, match="from 1 to 10"):
        EngineSettings(SEARCH).set("Level", level)


def test_only_the_default_player_has_levels() -> None:
    for spec in ("ismcts", "greedy", "heuristic", "policy"):
        with pytest.raises(MasonsError, match="option"):
            make_player(f"{spec}:level=3", 1)


@pytest.mark.slow
def test_a_low_level_loses_to_a_middling_one() -> None:
    lost = 0
    for seed in range(8):
        game = Game(2, seed=seed)
        weak = seed % 2
        seats = [make_player(f"default:sims=100,level={1 if s == weak else 6}", s) for s in (0, 1)]
        while not game.is_over:
            seat = game.seat
            game.apply(seats[seat].choose(game.table, game.observe(seat), game.legal_moves()))
        assert game.result is not None
        lost += game.result.winners == (1 - weak,)
    assert lost >= 6


@pytest.mark.slow
def test_levels_in_a_match(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "default:level=3,sims=4", "default:level=4,sims=4"]
    assert run([*words, "--games", "2", "--seed", "1", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert [engine["name"] for engine in figures["engines"]] == words[1:]
    assert figures["games"] == 2


# --- analyze and show


def analyzed(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    code = run(["analyze", MIDGAME, *options])
    out, err = capsys.readouterr()
    assert code == 0, err
    return out


@pytest.mark.usefixtures("fixed_levels")
def test_analyze_ranks_as_the_level_does(capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(analyzed(capsys, "--level", "2", "--seed", "7", "--json"))
    assert (data["level"], data["iterations"], data["policy"]) == (2, SIMS, None)
    again = json.loads(analyzed(capsys, "--level", "2", "--seed", "7", "--json"))
    assert data == again
    game = Game.from_position(_position())
    expected = looked(game, 2, sims=SIMS, seed=7)
    assert [move["move"] for move in data["moves"]] == [m for m, *_ in ranked(expected)][:5]
    top = json.loads(analyzed(capsys, "--sims", "500", "--json"))
    assert (top["level"], top["iterations"]) == (TOP_LEVEL, 500)
    assert top == json.loads(analyzed(capsys, "--sims", "500", "--json", "--level", "10"))
    tree = json.loads(analyzed(capsys, "--sims", "50", "--json", "--policy", "busy"))
    assert (tree["level"], tree["policy"]) == (None, "busy")


def _position() -> str:
    lines = Path(MIDGAME).read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("masons1"))


@pytest.mark.usefixtures("fixed_levels")
def test_a_level_is_told_where_it_is_not_the_highest(capsys: pytest.CaptureFixture[str]) -> None:
    out = analyzed(capsys, "--level", "3")
    assert "level   3 of 10" in out
    assert f"{SIMS} iterations, evaluated by a net, level 3, hands predicted" in out
    assert "level" not in analyzed(capsys, "--sims", "50", "--level", "10")
    overlay = ["show", MIDGAME, "--overlay", "analysis", "--svg", "-", "--level", "4"]
    assert run(overlay) == 0
    assert f"{SIMS} iterations, evaluated by a net, level 4, seed 0" in capsys.readouterr().out


@pytest.mark.usefixtures("fixed_levels")
def test_limits_where_none_are_given() -> None:
    two_seconds = Limits(movetime_ms=2000)
    for level, limits in ((None, two_seconds), (10, two_seconds), (3, Limits(sims=SIMS))):
        assert search_limits(search_options(None, level), None, None) == limits
    assert search_limits(search_options("busy", None), None, None) == two_seconds
    assert search_limits(search_options(None, 3), None, 0.5) == Limits(movetime_ms=500)
    assert search_limits(search_options(None, 3), 7, None) == Limits(sims=7)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["analyze", MIDGAME, "--level", "3", "--policy", "busy"], "a tree has no levels"),
        (["show", MIDGAME, "--overlay", "analysis", "--svg", "-", "--level", "3", "--policy",
          "busy"], "a tree has no levels"),
        (["show", MIDGAME, "--level", "3"], "--level are for --overlay"),
        (["show", GAMES, "--html", "-", "--level", "3"], "--level are for --overlay"),
        (["review", GAMES, "--level", "3"], "--level"),
    ],
)  # fmt: skip
def test_where_a_level_cannot_be(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(arguments)
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert why in err


# --- at the table


@pytest.mark.usefixtures("fixed_levels")
def test_a_seat_of_the_engine_plays_at_its_level() -> None:
    game = Game(2, seed=7)
    made = {}
    for level in (1, TABLE_LEVEL, 9, 10):
        terms = GameSetup(2, (1,), ("Engine", "Ann"), 7, level)
        made[level] = PlayedGame(load_board("classic"), terms).engine_moves()
        player = make_player(f"default:level={level}", mix(7, 0))
        moves = game.legal_moves()
        assert made[level] == player.choose(game.table, game.observe(0), moves, Limits(sims=20_000))
    assert len(set(made.values())) > 1


@pytest.mark.slow
@pytest.mark.usefixtures("fixed_levels")
def test_hints_are_at_full_strength() -> None:
    hints = []
    for level in (1, 9, 10):
        played = PlayedGame(load_board("classic"), GameSetup(2, (0,), ("Ann", "Engine"), 7, level))
        hints.append(ranked(played.hint()))
        assert played.hint(sims=300).iterations == 300
    assert hints[0] == hints[1] == hints[2]


# --- the protocol


def thought(
    settings: EngineSettings, request: Request, halt: Halt | None = None
) -> tuple[str, list]:  # type: ignore[type-arg]
    """The move and the lines of a search in the opening."""
    game = Game(2, seed=8)
    lines: list[str] = []
    decision = GoDecision(game.table, game.observe(0), game.legal_moves(), request)
    chosen = SearchThinker(settings, Overhead()).choose(decision, lines.append, halt or Halt())
    return str(chosen.move), [*lines, *chosen.infos]


def with_options(**options: str) -> EngineSettings:
    settings = EngineSettings(SEARCH)
    for name, value in options.items():
        settings.set(name, value)
    return settings


@pytest.mark.usefixtures("fixed_levels")
@pytest.mark.parametrize("words", ["sims 5000", "movetime 60000", "clock 2000000,2000000", ""])
def test_a_go_ends_when_the_level_is_done(words: str) -> None:
    _, lines = thought(with_options(Level="3"), parse_go(words))
    assert 0 < int(lines[-1].split(" sims ")[1].split()[0]) <= SIMS


@pytest.mark.slow
@pytest.mark.usefixtures("fixed_levels")
def test_go_infinite_waits_for_the_stop() -> None:
    halt = Halt()
    said: list[tuple[str, list[str]]] = []

    def search() -> None:
        said.append(thought(with_options(Level="3"), parse_go("infinite"), halt))

    thread = threading.Thread(target=search)
    thread.start()
    thread.join(1.0)
    assert thread.is_alive()
    halt.set()
    thread.join(WAIT)
    ((move, lines),) = said
    assert f" sims {SIMS} " in lines[-1]
    assert f" move {move} " in lines[-1]


@pytest.mark.usefixtures("fixed_levels")
def test_the_tree_knows_no_levels() -> None:
    request = parse_go("sims 200 seed 4 multipv 9")
    said = []
    for level in ("10", "1"):
        move, lines = thought(with_options(Method="ismcts", Level=level), request)
        assert " sims 200 " in lines[-1]
        said.append((move, [masked(line) for line in lines[-9:]]))
    assert said[0] == said[1]


@pytest.mark.usefixtures("fixed_levels")
def test_eval_is_that_of_the_level() -> None:
    game = Game(2, seed=8)
    view = game.observe(0)
    level = evaluation(game.table, view, with_options(Level="1"), Halt())
    assert level == evaluation(game.table, view, with_options(Level="1"), Halt())
    assert level != evaluation(game.table, view, with_options(), Halt())


@pytest.mark.slow
def test_the_option_in_a_process() -> None:
    with Process("--option", "Level=2") as engine:
        engine.send(OPENING, "go sims 200 seed 4")
        first = engine.until("bestmove")[-1]
        assert engine.ask("setoption name Level value 0") == [
            "error illegal Level is '0': it must be a whole number from 1 to 10"
        ]
        assert engine.ask("setoption name level value 10") == []
        engine.send("go sims 200 seed 4")
        whole = engine.until("bestmove")[-1]
        assert engine.ask("setoption name LEVEL value 2") == []
        engine.send("go sims 200 seed 4")
        assert engine.until("bestmove")[-1] == first
        assert whole.startswith("bestmove wall:")


def test_without_a_level_nothing_is_capped() -> None:
    assert SearchOptions().most is None
    assert SearchOptions(method="halving").most is None
    assert search_options(None, None).level == TOP_LEVEL
