"""`match`, through the command line and real processes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
import pytest

from masons.engine.game.record import parse_record
from masons.engine.game.replay import check_record
from masons.match.running.match_file import GameOutcome, outcome_of
from masons.match.running.match_runner import MatchProgress, play_match_game
from masons.match.running.schedule import Entry, MatchSettings, TimeControl
from masons.match.statistics.sprt import SprtBounds
from tests.support.commands import SECONDS, called, start, told, wait_for, whole_lines
from tests.support.paths import BOARDS, EXAMPLES, SUPPORT

HEXAGON = str(BOARDS / "hexagon-24.json")
FAKE = f"{sys.executable} -S {SUPPORT / 'fake_engine.py'}"
PLAIN = f"{sys.executable} -S {EXAMPLES / 'plain_random.py'}"
pytestmark = pytest.mark.usefixtures("compiled")


TWO = ("greedy", "random", "--games", "2", "--seed", "1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of a match, which is not there yet."""
    return tmp_path / "match.jsonl"


@pytest.fixture(scope="module")
def two_games(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of the match TWO."""
    path = tmp_path_factory.mktemp("two") / "match.jsonl"
    told("match", *TWO, "--out", str(path))
    return path.read_text()


def settings() -> MatchSettings:
    entries = Entry("a", "greedy"), Entry("b", "random")
    return MatchSettings(entries, ("a", "b"), 2, TimeControl(), seed=731731731731731)


def outcomes_in(path: Path) -> list[GameOutcome]:
    return [outcome_of(parse_record(line)) for line in path.read_text().splitlines()]


def kill(process: subprocess.Popen[str]) -> list[str]:
    """Kill a runner, with which all its processes end; return their command lines."""
    family = psutil.Process(process.pid).children(recursive=True)
    commands = [" ".join(child.cmdline()) for child in family]
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(family, timeout=SECONDS)
    assert not alive
    return commands


# --- the table


@pytest.mark.slow
def test_the_table_and_the_records(path: Path) -> None:
    arguments = ("greedy", "random", "--games", "9", "--seed", "4", "--out", str(path))
    code, out, err = called("match", *arguments)
    assert code == 0
    assert "9 games rounded up to 10: 5 blocks of 2" in err
    assert "greedy: " in err
    assert out.startswith("10 games in 5 blocks, 2 players, seed 4\n")
    for word in ("Elo", "victories %", "jokers a roll", "pairing", "crash"):
        assert word in out
    records = [parse_record(line) for line in path.read_text().splitlines()]
    assert [check_record(record) for record in records] == [None] * 10
    outcomes = [outcome_of(record) for record in records]
    assert [outcome.number for outcome in outcomes] == list(range(10))
    for record, outcome in zip(records, outcomes, strict=True):
        names = [("greedy", "random")[engine] for engine in outcome.engines]
        assert record["names"] == names
        assert record["seed"] is None
    for first, second in zip(records[::2], records[1::2], strict=True):
        assert first["hands"] == second["hands"]
        assert first["names"] == second["names"][::-1]


def test_json_has_the_same_figures() -> None:
    arguments = ("greedy", "random", "--games", "10", "--seed", "4")
    figures = json.loads(told("match", *arguments, "--json"))
    assert (figures["format"], figures["games"], figures["blocks"]) == ("masons-match", 10, 5)
    assert [engine["name"] for engine in figures["engines"]] == ["greedy", "random"]
    shares = [engine["first"]["mean"] for engine in figures["engines"]]
    assert sum(shares) == pytest.approx(1)
    assert f"{100 * shares[0]:.1f} [" in told("match", *arguments)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("greedy", "random", "--sprt", "0,20"), "--sprt needs exactly two engines"),
        (("greedy", "--resume"), "--resume needs --out FILE"),
        (("greedy", "--time-margin", "1s"), "--time-margin needs --time"),
        (("A=greedy", "A=random"), "two engines are called A: name them with NAME=ENGINE"),
        (("greedy", "--board", "none.json"), "none.json"),
    ],
)
def test_arguments_are_checked_before_an_engine_starts(
    words: tuple[str, ...], fault: str, tmp_path: Path
) -> None:
    begun = tmp_path / "begun"
    script = tmp_path / "engine.py"
    script.write_text(f"open({str(begun)!r}, 'w')\n")
    code, out, err = called("match", f"{sys.executable} {script}", *words)
    assert (code, out) in ((2, ""), (1, ""))
    assert fault in err
    assert not begun.exists()


@pytest.mark.parametrize("text", ["My Rival 2=python x.py", "a,b=greedy", "Größe=greedy"])
def test_a_name_that_cannot_be_one_is_the_fault(text: str) -> None:
    code, out, err = called("match", text, "greedy")
    assert (code, out, err.count("\n")) in ((2, "", 1), (1, "", 1))
    name = text.partition("=")[0]
    assert f"'{name}' cannot be its NAME, which is 1 to 40 of the characters a-z" in err


def test_an_option_of_a_program_that_does_not_exist_is_no_name() -> None:
    *_, err = called("match", "nocommand --seed=3", "greedy")
    assert err.startswith(
        "error: engine nocommand --seed=3: there is no program 'nocommand' to run"
    )
    assert "NAME" not in err


def test_engines_that_report_one_name_keep_their_commands() -> None:
    one, other = FAKE, f"{FAKE} another"
    code, out, err = called("match", one, other, "--games", "2", "--seed", "1")
    assert code == 0
    assert err.startswith("two engines report the name Fake One: name them with NAME=ENGINE\n")
    assert "Fake One" not in out
    code, out, err = called("match", one, f"Mine={other}", "--games", "2", "--seed", "1")
    assert code == 0
    assert "two engines" not in err
    assert "Fake One" in out
    assert "Mine" in out


@pytest.mark.slow
def test_an_engine_plays_against_itself() -> None:
    """The same players do not play the same games, and equality is not rejected."""
    specs = ("ismcts:sims=4", "ismcts:sims=4")
    sprt = ("--sprt", "0,400")
    figures = json.loads(told("match", *specs, "--games", "12", "--seed", "2", "--json", *sprt))
    names = [engine["name"] for engine in figures["engines"]]
    assert names == ["ismcts:sims=4#1", "ismcts:sims=4#2"]
    assert figures["sprt"]["accepted"] != "H1"
    assert figures["elo"]["elo"]["low"] is None or figures["elo"]["elo"]["low"] < 0
    scores = [engine["score"]["mean"] for engine in figures["engines"]]
    assert scores[0] != scores[1]


@pytest.mark.slow
def test_sims_reach_named_players(tmp_path: Path) -> None:
    """It is as if their names said so; what a name says goes before."""
    events = []
    for spec, limit in (
        ("ismcts:memory=8", ("--sims", "3")),
        ("ismcts:memory=8,sims=3", ()),
        ("ismcts:memory=8,sims=3", ("--sims", "9")),
    ):
        path = tmp_path / f"{len(events)}.jsonl"
        told("match", spec, "busy", "--games", "2", "--seed", "1", *limit, "--out", str(path))
        events.append([json.loads(line)["events"] for line in path.read_text().splitlines()])
    assert events[0] == events[1] == events[2]


# --- the sequential test


@pytest.mark.slow
def test_the_sequential_test_stops_early_and_at_the_same_block(path: Path) -> None:
    """However many games are played at once, and also when gone on with."""
    arguments = ("greedy", "random", "--sprt", "0,100", "--games", "1000", "--seed", "5", "--json")
    out = told("match", *arguments)
    figures = json.loads(out)
    assert figures["sprt"]["accepted"] == "H1"
    assert 10 < figures["games"] < 500
    assert told("match", *arguments, "--concurrency", "2", "--out", str(path)) == out
    played = whole_lines(path)
    assert played >= figures["games"]
    assert told("match", *arguments, "--resume", "--out", str(path)) == out
    assert whole_lines(path) == played


@pytest.mark.slow
def test_blocks_are_judged_in_their_order() -> None:
    """A block that is finished early waits for those before it."""
    games = settings().games(16)
    outcomes = [outcome_of(parse_record(play_match_game(game))) for game in games]
    results = []
    for order in (outcomes, outcomes[::-1], outcomes[1::2] + outcomes[::2]):
        progress = MatchProgress(settings(), 16, test=SprtBounds(0, 400, 0.2, 0.2))
        for outcome in order:
            progress.add(outcome)
        assert progress.is_decided()
        results.append((progress.verdict, progress.counted()))
    assert results[0] == results[1] == results[2]
    assert len(results[0][1]) < 16


# --- gone on with


@pytest.mark.parametrize(
    "change",
    [{"engines": [0, 4]}, {"engines": [1, 1]}, {"engines": "01"}, {"block": 1}, {"number": 1},
     {"number": -1}, {"number": "0"}, {"seed": 2}, {"seed": "1"}, {"seconds": [0.0]},
     {"seconds": ["0", 0]}, {"forfeits": [False]}, {"luck": [0.0, 1e300]}, {"settings": 3},
     {"faults": [{"seat": 0.0, "kind": "time", "decision": 1, "text": ""}]},
     {"faults": [{"seat": 0, "kind": [], "decision": 1, "text": ""}]},
     {"late": [1], "latest": [1, 0]}, {"late": [1, 0]}, {"late": [1, 0], "latest": ["1", 0]}],
)  # fmt: skip
def test_notes_that_are_none_of_the_match_are_refused(
    change: dict[str, Any], two_games: str, path: Path
) -> None:
    records = [json.loads(line) for line in two_games.splitlines()]
    records[0]["match"].update(change)
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    code, out, err = called("match", *TWO, "--out", str(path), "--resume", "--json")
    said = err.startswith(f"error: {path}, record 1: ")
    assert (code, out, said, err.count("\n")) == (1, "", True, 1), err


@pytest.mark.slow
def test_engines_die_with_their_runner(path: Path) -> None:
    process = start("match", PLAIN, f"other={PLAIN}", "--games", "5000", "--out", str(path),
                    "--concurrency", "2")  # fmt: skip
    wait_for(lambda: whole_lines(path) >= 2)
    assert sum("plain_random.py" in command for command in kill(process)) >= 2


def test_other_settings_are_refused(two_games: str, path: Path) -> None:
    path.write_text(two_games)
    arguments = [*TWO, "--out", str(path)]
    code, out, err = called("match", *arguments)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "--resume continues" in err
    for other, difference in (
        (["greedy", "busy", *arguments[2:]], "with random"),
        ([*arguments[:5], "2", *arguments[6:]], "seed 1, not 2"),
        ([*arguments, "--strict"], "strict False, not True"),
        ([*arguments, "--sims", "7"], "sims None, not 7"),
        ([*arguments, "--early-roll"], "without --early-roll"),
        ([*arguments, "--players", "3"], "2 players, not 3"),
        ([*arguments, "--time", "1s"], "movetime None, not 1.0: --time"),
        (["greedy=busy", *arguments[1:]], "other players, commands or board"),
    ):
        code, out, err = called("match", *other, "--resume")
        assert (code, out, err.count("\n")) == (1, "", 1), err
        assert f"other settings ({difference}" in err
    assert path.read_text() == two_games
    more = json.loads(told("match", *arguments[:3], "6", *arguments[4:], "--resume", "--json"))
    assert more["games"] == 6
    # Its seed is that of the file, where none is given.
    assert told("match", *TWO[:4], *arguments[6:], "--resume") == told("match", *TWO)


# --- engines in processes


def test_the_log_has_the_dialogue_and_standard_error(tmp_path: Path) -> None:
    """What is received, answered and written to standard error; older lines are kept."""
    log = tmp_path / "dialogue.log"
    log.write_text("old\n")
    engine = tmp_path / "loud.py"
    engine.write_text(
        "import os, sys\n"
        "print('\\x1b[31mloud', file=sys.stderr, flush=True)\n"
        f"os.execv(sys.executable, [sys.executable, '-S', {str(EXAMPLES / 'plain_random.py')!r}])\n"
    )
    arguments = ("match", f"loud={sys.executable} {engine}", "random", "--games", "2")
    told(*arguments, "--seed", "6", "--time", "5s", "--log", str(log))
    old, *lines = log.read_text().splitlines()
    assert old == "old"
    parts = [re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3} loud ([<>!]) (.*)", line) for line in lines]
    assert all(parts), lines
    said = Counter((part[1], part[2].partition(" ")[0]) for part in parts if part)
    assert said[">", "go"] == said["<", "bestmove"] > 20
    assert said[">", "newgame"] == said[">", "gameover"] == 2
    assert sum(number for (mark, _), number in said.items() if mark == "!")
    assert "\x1b" not in log.read_text()
    code, _, err = called(*arguments, "--log", str(log), "--concurrency", "2")
    assert (code, err.count("\n")) == (2, 1)
    assert "--log" in err


@pytest.mark.slow
def test_an_engine_without_this_project_plays() -> None:
    """Also on a board that is not built in, which it gets as a file."""
    for board in ((), ("--board", HEXAGON)):
        arguments = ("--games", "2", "--seed", "6", "--time", "5s", "--json", *board)
        figures = json.loads(told("match", f"plain={PLAIN}", "random", *arguments))
        assert [engine["name"] for engine in figures["engines"]] == ["plain", "random"]
        assert [engine["faults"] for engine in figures["engines"]] == [{}, {}]


def test_faults_are_counted_and_strict_forfeits(path: Path) -> None:
    """The engine names the same wall again and again."""
    arguments = (f"fake={FAKE}", "busy", "--games", "2", "--seed", "8", "--json", "--strict")
    figures = json.loads(told("match", *arguments, "--out", str(path)))
    fake, busy = figures["engines"]
    assert fake["faults"] == {"illegal": 2}
    assert (fake["forfeits"], busy["forfeits"], busy["faults"]) == (2, 0, {})
    assert busy["first"]["mean"] == 1
    records = [parse_record(line) for line in path.read_text().splitlines()]
    assert [check_record(record) for record in records] == [None, None]
    assert [record["match"]["forfeits"] for record in records] == [[0], [1]]
    for seat, record in enumerate(records):
        (forfeit,) = record["forfeits"]
        assert (forfeit["seat"], forfeit["why"]) == (seat, "illegal")
        assert record["events"][forfeit["event"]]["p"] == seat


def test_what_went_wrong_is_said_below_the_table(path: Path) -> None:
    """An engine without a NAME has the name that it reports.

    Games and decisions count from 1, as in `show`. A pipe gets the whole reason.
    """
    out = told("match", f"{FAKE} twice", "busy", "--games", "2", "--seed", "8", "--out", str(path))
    reason = "'bestmove wall:1 id 1': this go was answered before"
    assert f"first fault  Fake One, game 1, decision 1: protocol: {reason}\n" in out
    assert re.search(r"stand-in +Fake One: a stand-in made \d+ of \d+ moves", out)
    notes = [json.loads(line)["match"] for line in path.read_text().splitlines()]
    assert "wall:0 is not legal now: line 0 already has a wall" in {
        fault["text"] for note in notes for fault in note["faults"]
    }
    kinds = Counter(fault["kind"] for note in notes for fault in note["faults"])
    assert kinds["protocol"] > 0  # each `go` is answered twice
    first, second, *_ = notes[0]["faults"]
    assert (first["kind"], first["decision"]) == ("protocol", 1)
    assert (second["kind"], second["decision"]) == ("illegal", 2)
    assert second["text"] == "wall:0 is not legal now: seat 0 has a towers decision"
    assert "turn    1: seat 0 places towers" in told("show", f"{path}#1@2")
    long = f"{FAKE} exit"
    crash = "crash: the process ended (exit code 3; it said: out of luck | for good)"
    out = told("match", f"{'x' * 40}={long}", "busy", "--games", "2", "--seed", "8", "--strict")
    assert f"first fault  {'x' * 40}, game 1, decision 1: {crash}\n" in out
    _, _, err = called("match", f"{FAKE}", "busy", "--games", "2", "--seed", "8", "--strict")
    assert "Fake One forfeits game 1: illegal" in err


def test_the_end_of_a_game_is_the_decision_after_the_last(path: Path, tmp_path: Path) -> None:
    hostile = (
        f"{sys.executable} -S {SUPPORT / 'hostile_engine.py'} exit gameover {tmp_path / 'note'}"
    )
    arguments = ("--games", "2", "--seed", "8", "--json", "--out", str(path))
    first = json.loads(told("match", hostile, "busy", *arguments))["engines"][0]["first_fault"]
    assert first["kind"] == "crash"
    point = f"{path}#{first['game']}"
    assert "over" in told("show", f"{point}@{first['decision']}")
    assert called("show", f"{point}@{first['decision'] + 1}")[0] == 1


@pytest.mark.parametrize(("games", "idle"), [("2", "c and d"), ("4", "d"), ("6", "")])
def test_a_match_that_is_too_short_for_an_engine_begins_with_a_warning(
    games: str, idle: str
) -> None:
    names = ("a=busy", "b=busy", "c=busy", "d=busy")
    code, _, err = called("match", *names, "--games", games, "--seed", "1")
    assert code == 0
    said = f"warning: too few games for {idle} to play: all engines play with --games 6\n"
    assert err.startswith(said) if idle else "warning" not in err


def test_more_than_two_engines_have_margins_and_ratings() -> None:
    out = told("match", "greedy", "busy", "random", "--games", "6", "--seed", "4")
    assert out.splitlines()[2].split()[-2:] == ["margin", "rating"]


def test_no_luck_reaches_an_engine_by_its_start(tmp_path: Path) -> None:
    """Neither the arguments nor the environment of its process show the seed."""
    note = tmp_path / "note"
    script = tmp_path / "spy.py"
    engine = EXAMPLES / "plain_random.py"
    script.write_text(
        "import os, runpy, sys\n"
        f"with open({str(note)!r}, 'a') as note:\n"
        "    note.write(repr((sys.argv, dict(os.environ))))\n"
        f"runpy.run_path({str(engine)!r}, run_name='__main__')\n"
    )
    seed = str(settings().seed)
    told("match", f"spy={sys.executable} {script}", "random", "--games", "2", "--seed", seed)
    written = note.read_text()
    assert written
    assert seed not in written
    assert str(settings().game(0).luck_seed) not in written


# --- where games are played


@pytest.mark.slow
def test_selfplay_at_once_writes_the_same_file(tmp_path: Path) -> None:
    files = []
    for number, concurrency in enumerate(("1", "2")):
        path = tmp_path / f"{number}.jsonl"
        arguments = ("--games", "7", "--seed", "5", "--player", "busy", "--board", HEXAGON)
        told("selfplay", *arguments, "--concurrency", concurrency, "--out", str(path))
        files.append(path.read_bytes())
    assert files[0] == files[1]
    assert files[0].count(b"\n") == 7
