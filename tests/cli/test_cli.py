"""The command line, mostly through real processes: outputs, exit codes, and no tracebacks."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from masons.ai.search.limits import Limits
from masons.ai.search.search_options import SearchOptions
from masons.ai.session import analyze
from masons.cli.main import run
from masons.cli.process import is_ready
from masons.cli.reports.analysis_json import SearchQuery
from masons.cli.reports.analysis_report import live_report
from masons.engine.board.components import CARDS
from masons.engine.board.geometry import load_board
from masons.engine.formats.move_text import parse_move
from masons.engine.formats.position_text import parse_position
from masons.engine.game.game import Game
from masons.engine.game.record import Replay, check_record, parse_record, read_record, replay_to
from masons.engine.game.table import Table
from masons.engine.kernels.jit import LIBRARY
from masons.match.playing.game_words import move_words
from tests.cli.conftest import Called, Told
from tests.support.paths import BOARDS, EXAMPLES, ROOT

GAMES = str(EXAMPLES / "games.jsonl")
MIDGAME = str(EXAMPLES / "midgame.txt")
HEXAGON = str(BOARDS / "hexagon-24.json")
POSITION = next(x for x in Path(MIDGAME).read_text().splitlines() if x.startswith("masons1"))
SECONDS = 120


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "masons.cli", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def engine(*arguments: str, text: str = "") -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    with start(*arguments) as process:
        out, err = process.communicate(text, timeout=SECONDS)
    assert "Traceback" not in err, err
    return process.returncode, out, err


# --- help, version, errors


@pytest.mark.slow
def test_help_and_version_load_no_compiler() -> None:
    for option in ("--help", "--version"):
        code = (
            "import sys; from masons.cli.main import run; code = run([sys.argv[1]]); "
            "assert not {'numba', 'numpy', 'llvmlite', 'rich'} & set(sys.modules), 'loaded'; "
            "sys.exit(code)"
        )
        done = subprocess.run([sys.executable, "-c", code, option], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_version_says_what_runs(told: Told) -> None:
    names = [line.split()[0] for line in told("--version").splitlines()]
    assert names == ["masons-engine", "Python", "numba", "llvmlite", "numpy", "CPU", "clock",
                     "kernels", "cache"]  # fmt: skip


# Words of commands in these tables stand for the examples' files.
FILES = {"MIDGAME": MIDGAME, "GAMES": GAMES, "HEXAGON": HEXAGON, "ROOT": str(ROOT)}


def words_of(line: str) -> list[str]:
    names = rf"\b(?:{'|'.join(FILES)})\b"
    return [re.sub(names, lambda name: FILES[name[0]], word) for word in shlex.split(line)]


@pytest.mark.parametrize(
    "line",
    ["nonsense", "--nonsense", "analyze", "analyze MIDGAME --sims", "analyze MIDGAME --time soon",
     "analyze MIDGAME --time 0", "analyze MIDGAME --board ''", "replay ''",
     "replay GAMES#2 --game 2", "replay GAMES@2", "verify ''", "verify GAMES#2 --game 2",
     "review ''", "show MIDGAME --svg ''", "board classic --svg ''", "play --record ''",
     "selfplay --out ''", "practice --game 1", "practice --seat 1", "practice --sims 100",
     "practice --board HEXAGON", "analyze MIDGAME --sims 0", "analyze MIDGAME --sims 1.5",
     "analyze MIDGAME --sims -3", "analyze MIDGAME --sims 1e99", "analyze MIDGAME --sims 20,00",
     "analyze MIDGAME --sims 4m", "analyze MIDGAME --json --live", "analyze MIDGAME --timing",
     "analyze MIDGAME --policy clever", "analyze MIDGAME --policy busy --level 3",
     "analyze MIDGAME --seat 7", "analyze MIDGAME --memory 0", "analyze MIDGAME --threads 0",
     "analyze MIDGAME --threads two", "analyze MIDGAME surplus", "perft MIDGAME",
     "perft MIDGAME many", "perft MIDGAME 65", "board", "board classic --json --svg x.svg",
     "bench --policy greedy", "bench --games 0", "replay GAMES --check --counts",
     "replay GAMES --game 0", "selfplay", "selfplay --out - --players 5",
     "selfplay --out - --player nobody", "selfplay --out - --player greedy:x=1",
     "selfplay --out - --player default:sims=1.5",
     "selfplay --out - --player busy --player busy --player busy",
     "selfplay --out - --append --force", "openings --players 5", "openings --survey",
     "openings --sims 3", "openings --top 0"],
)  # fmt: skip
def test_bad_usage(line: str, called: Called) -> None:
    code, out, err = called(*words_of(line))
    assert (code, out) == (2, "")
    (error,) = err.splitlines()
    assert error.startswith("error: ")
    assert error.endswith(" --help)")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["analyze", MIDGAME, "--time", "0s"], "'0s' is too short: the least is 1ms"),
        (["analyze", MIDGAME, "--time", "1e-9s"], "'1e-9s' is too short: the least is 1ms"),
        (["analyze", MIDGAME, "--time", "999h"], "'999h' is too long: the most is a week"),
        (["play", "--record", ""], "'--record': a file name must not be empty"),
        (["selfplay", "--out", ""], "'--out': a file name must not be empty"),
        (["practice", "--seat", "1"], "--seat needs RECORD"),
        (["replay", f"{GAMES}#9"], "holds 3 games, no game 9"),
        (["verify", f"{GAMES}#9"], "no game 9"),
        (["analyze", MIDGAME, "--compare", "wall:999", "wall:1"], "number, from 0 to 169"),
        (["board", ""], "no board ''"),
        (["selfplay", "--player", "nobody"], "no player 'nobody': choose one of random, busy,"),
        (["dataset", "--player", "nobody"], "no player 'nobody': choose one of random, busy,"),
        (["analyze"], "POSITION is missing: "),
        (["analyze", MIDGAME, "--why", "--sims", "100"], "--why shows nothing: too few games"),
        (["analyze", MIDGAME, "--sims"], "(see masons-engine analyze --help)"),
        (["analize"], "No such command 'analize': did you mean analyze?"),
        (["board", str(ROOT)], "give a file of rows or JSON"),
    ],
)
def test_what_is_wrong_is_named(arguments: list[str], said: str, called: Called) -> None:
    assert said in called(*arguments)[2]


@pytest.mark.parametrize("text", ["2000", "2_000", "2,000", "2k", "2e3", "0.002M"])
def test_numbers_are_read_as_people_write_them(text: str, called: Called) -> None:
    code, out, err = called("analyse", MIDGAME, "--json", "--sims", text)
    assert code == 0, err
    assert json.loads(out)["iterations"] == 2000
    player = "default:sims=2000" if "," in text else f"default:sims={text}"
    err = called("selfplay", "--player", player, "--out", "")[2]
    assert "a file name must not be empty" in err  # of what follows the player


@pytest.mark.parametrize("words", ["analyse --help", "--help analyse", "help analyze"])
def test_help_of_a_command_in_either_spelling(words: str, called: Called) -> None:
    code, out, _ = called(*words.split())
    assert (code, "Rank the moves of a position." in out) == (0, True)


def test_shells_complete_behind_either_spelling(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_MASONS_ENGINE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "masons-engine analyse --th")
    monkeypatch.setenv("COMP_CWORD", "2")
    with pytest.raises(SystemExit):
        run([])
    assert capsys.readouterr().out == "plain,--threads\n"


def test_the_file_that_is_no_text_is_named(tmp_path: Path, called: Called) -> None:
    file = str(tmp_path / "bytes")
    Path(file).write_bytes(b"\xff\xfe\n")
    for words in (["replay", file], ["verify", file], ["review", file], ["review", file, "--all"],
                  ["analyze", f"{file}@1"]):  # fmt: skip
        said = f"error: {file}, line 1 is not UTF-8 text\n"
        assert called(*words) == (1, "", said)


def test_a_damaged_game_among_all_is_named(tmp_path: Path, called: Called) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(Path(GAMES).read_text().splitlines()[0] + "\nno record\n")
    code, _, err = called("review", str(file), "--all", "--sims", "4")
    assert (code, err.startswith(f"error: {file}, game 2: not JSON")) == (1, True)


def test_a_game_of_a_file_is_replayed(called: Called) -> None:
    named = called("replay", f"{GAMES}#2")
    assert named == called("replay", GAMES, "--game", "2")
    assert named[0] == 0


@pytest.mark.parametrize("width", [30, 40, 100])
def test_a_live_table_shows_the_moves_at_any_width(width: int) -> None:
    board, position = parse_position(POSITION)
    table, view = Table(board), position.observed_by(position.seat)
    query = SearchQuery(table, view, False, SearchOptions(), 1)
    limits = Limits(sims=60, rollouts=2600)
    analysis = analyze(table, query.searched, limits=limits, seed=1, top=3)
    console = Console(width=width, file=StringIO())
    with console.capture() as shown:
        console.print(live_report(query, analysis, 3, 40))
    lines = [line for line in shown.get().splitlines() if "±" in line]
    assert len(lines) == 3
    for line, stats in zip(lines, analysis.moves, strict=False):
        assert (str(stats.move) if width < 100 else query.words(stats.move)) in line
        assert line.index("wall") < line.index("±") or width == 100
    assert f"{analysis.rollouts:,} games" in shown.get()


@pytest.mark.parametrize(
    "line",
    ["analyze nowhere.txt", "analyze nowhere.jsonl@3", f"analyze {'x' * 10_000}", "analyze ROOT",
     f"analyze {os.devnull}", f"analyze {sys.executable}", "analyze masons1",
     "analyze 'masons1 board=classic players=2'", f"analyze '{POSITION} surplus=1'",
     f"analyze '{POSITION.replace('phase=wall', 'phase=wail')}'",
     f"analyze '{POSITION.replace('board=classic', 'board=other')}'", "analyze GAMES",
     "analyze GAMES@0", "analyze GAMES@9999", "analyze GAMES#0@1", "analyze GAMES#9@1",
     "analyze GAMES#0000@00001", f"analyze GAMES@{'9' * 5000}", "analyze MIDGAME@1",
     "analyze MIDGAME --seat 0", "analyze MIDGAME --board nowhere.json",
     "analyze MIDGAME --board HEXAGON", "perft nowhere.txt 1", "board nowhere", "board MIDGAME",
     "board classic --svg nowhere/x.svg", "replay nowhere.jsonl", "replay ROOT",
     f"replay {os.devnull}", "replay MIDGAME", "replay GAMES --game 9", "selfplay --out GAMES",
     "selfplay --out nowhere/games.jsonl", "selfplay --out - --board nowhere.json",
     "openings GAMES", "openings nowhere.json", "openings ROOT", "openings GAMES --survey",
     "openings --hand city-purple"],
)  # fmt: skip
def test_bad_data(line: str, called: Called) -> None:
    code, out, err = called(*words_of(line))
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1


def test_a_number_of_many_digits_is_no_file(called: Called) -> None:
    zeros = "0" * 5000
    assert called("perft", f"{GAMES}#{zeros}1@{zeros}1", "1") == (0, "170\n", "")
    for text, what in (("@1234567890", "decision"), ("#1234567890@1", "game")):
        said = f"error: '{GAMES}': the {what} has more than 9 digits\n"
        assert called("perft", GAMES + text, "1") == (1, "", said)


@pytest.mark.slow
def test_errors_of_real_processes() -> None:
    for text in ("", "# nothing\n\n", Path(GAMES).read_text()):
        assert engine("analyze", "-", text=text)[0] == 1


# --- analyze


def analysis(told: Told, *arguments: str) -> dict[str, object]:
    return dict(json.loads(told("analyze", *arguments, "--sims", "200", "--json")))


def test_analyze_prints_a_ranking_and_reasons(called: Called) -> None:
    code, out, err = called("analyze", MIDGAME, "--time", "600ms", "--top", "3")
    assert (code, err.endswith(" s\n")) == (0, True)
    for text in ("hand ", "best ", "wins ", "points ", "win %", "wall on line ", "wall:", "±"):
        assert text in out
    assert not any(line != line.rstrip() for line in out.splitlines())


@pytest.mark.slow
def test_every_way_to_name_a_position(told: Told) -> None:
    by_file = analysis(told, MIDGAME)
    assert by_file == analysis(told, POSITION)
    text = replay_to(read_record(GAMES), 58).text
    in_record = analysis(told, f"{GAMES}@58")
    assert analysis(told, f"{GAMES}#1@58") == in_record
    assert in_record["position"] == analysis(told, text)["position"]
    # A tree does not look at what was chosen, so it is the same.
    tree = ("--policy", "busy")
    assert analysis(told, f"{GAMES}@58", *tree) == analysis(told, text, *tree)
    text = f"# here\n{POSITION}\n"
    code, out, _ = engine("analyze", "-", "--sims", "200", "--json", text=text)
    assert (code, json.loads(out)) == (0, by_file)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("masons1 board=classic", "field players is missing"),
        (POSITION.replace("phase=wall", "phase=wail"), "phase: 'wail' must be one of"),
        (
            "masons1 board=classic players=2 active=0 phase=over end=no-line hands=?6/?6",
            "end is no-line, but there is a line",
        ),
    ],
)
def test_the_file_of_a_position_at_fault_is_named(
    text: str, fault: str, tmp_path: Path, called: Called
) -> None:
    file = tmp_path / "position.txt"
    file.write_text(text)
    for words in (["analyze"], ["show"], ["show", "--svg", "-"], ["belief"], ["perft", "1"]):
        code, out, err = called(words[0], str(file), *words[1:])
        said = err.startswith(f"error: '{file}': {fault}")
        assert (code, out, said, err.count("\n")) == (1, "", True, 1), err
    code, _, err = engine("show", "-", text=text)
    assert (code, err.startswith(f"error: standard input: {fault}")) == (1, True)


def test_the_file_of_a_position_that_will_not_do_is_named(tmp_path: Path, called: Called) -> None:
    file = tmp_path / "position.txt"
    file.write_text("masons1 board=classic players=2 active=0 phase=wall hands=?6/?6")
    overlay = ["show", "--overlay", "analysis", "--svg", "-"]
    for words in (["analyze"], overlay, ["belief"], ["perft", "1"], ["perft", "--divide", "1"]):
        code, out, err = called(words[0], str(file), *words[1:])
        said = err.startswith(f"error: '{file}': ")
        assert (code, out, said, err.count("\n")) == (1, "", True, 1), err


def test_json_has_the_documented_keys(told: Told) -> None:
    figures = analysis(told, MIDGAME, "--top", "2")
    assert list(figures) == [
        "format", "version", "position", "open", "guesses", "seat", "phase", "method", "policy",
        "level", "seed", "threads", "iterations", "rollouts", "stopped", "wins", "scores", "best",
        "decided", "equal", "moves",
    ]  # fmt: skip
    moves = figures["moves"]
    assert isinstance(moves, list)
    assert len(moves) == 2
    assert list(moves[0]) == [
        "rank", "move", "words", "visits", "win", "games", "equal", "error", "interval", "loss",
        "loss_interval", "margin_loss", "margin_interval", "wins", "scores", "line", "line_shares",
    ]  # fmt: skip
    assert figures["best"] == moves[0]["move"]
    assert "seconds" in analysis(told, MIDGAME, "--timing")


def redealt(text: str, seed: int) -> str:
    """A position with the cards that its seat does not see dealt anew."""
    board, position = parse_position(text)
    words = {word.partition("=")[0]: word.partition("=")[2] for word in text.split()[1:]}
    hidden = list(position.observed_by(position.seat).unseen)
    random.Random(seed).shuffle(hidden)
    hands = []
    for seat, hand in enumerate(position.hands):
        assert not isinstance(hand, int)
        cards = hand if seat == position.seat else [hidden.pop() for _ in hand]
        hands.append("+".join(CARDS[kind] for kind in sorted(cards)) or "-")
    new = text.replace(f"hands={words['hands']}", f"hands={'/'.join(hands)}")
    assert parse_position(new)[0] == board
    return new


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [["--json"], [], ["--json", "--threads", "2"], ["--level", "3"]]
)
@pytest.mark.parametrize("decision", [4, 21, 22, 58])
def test_hidden_cards_change_nothing(decision: int, options: list[str], told: Told) -> None:
    text = replay_to(read_record(GAMES), decision).text
    outputs = set()
    for seed in range(3):
        other = redealt(text, seed)
        outputs.add(told("analyze", other, "--sims", "300", "--seed", "5", *options))
    assert len(outputs) == 1


def test_of_a_record_it_is_known_what_was_chosen(called: Called, told: Told) -> None:
    place = f"{GAMES}@58"
    figures, game = analysis(told, place), replay_to(read_record(GAMES), 58)
    options = SearchOptions(method="halving")
    by_hand = analyze(game.table, game.observe(game.seat), sims=200, options=options)
    moves = figures["moves"]
    assert isinstance(moves, list)
    assert [move["move"] for move in moves] == [str(s.move) for s in by_hand.moves[:5]]
    assert [move["win"] for move in moves] == [round(s.win, 6) for s in by_hand.moves[:5]]
    assert figures["guesses"] is True
    assert figures["wins"] != analysis(told, game.text)["wins"]
    out = called("analyze", place, "--sims", "50")[1]
    assert "hands predicted from earlier choices" in out
    for where, option in ((game.text, "--json"), (place, "--open"), (place, "--policy=greedy")):
        assert analysis(told, where, option)["guesses"] is False


@pytest.mark.parametrize("decision", [4, 7])
def test_hidden_cards_of_a_record_change_nothing(decision: int, tmp_path: Path, told: Told) -> None:
    """Before anybody played a card the other hand may be any six of the deck."""
    record = read_record(GAMES)
    other = 1 - replay_to(record, decision).seat
    outputs = set()
    for seed in range(3):
        cards = record["hands"][other] + record["deck"]
        random.Random(seed).shuffle(cards)
        hands = [cards[:6] if seat == other else hand for seat, hand in enumerate(record["hands"])]
        path = tmp_path / f"{seed}.jsonl"
        path.write_text(json.dumps({**record, "hands": hands, "deck": cards[6:]}) + "\n")
        outputs.add(json.dumps(analysis(told, f"{path}@{decision}")))
    assert len(outputs) == 1
    assert '"guesses": true' in outputs.pop()


def test_open_shows_the_search_everything(called: Called, told: Told) -> None:
    figures = analysis(told, MIDGAME, "--open")
    assert figures["position"] == POSITION
    assert figures["open"] is True
    view = str(analysis(told, MIDGAME)["position"])
    assert "?" in view
    assert called("analyze", view, "--open")[0] == 1
    hidden = view.replace("hands=?", "hands=").split("hands=")[1].split("/")[1].split()[0]
    own_hidden = view.replace(hidden, f"?{hidden.count('+') + 1}")
    code, _, err = called("analyze", own_hidden)
    assert (code, "hidden" in err) == (1, True)


def test_nothing_to_decide(called: Called) -> None:
    replay = Replay(read_record(GAMES, 1))
    while not replay.game.is_over:
        replay.step()
    over = replay.game.text
    assert called("analyze", over)[2] == ("error: there is nothing to decide: the game is over\n")


def test_every_kind_of_decision_has_a_report(called: Called) -> None:
    texts: dict[str, str] = {}
    for number in (1, 2, 3):
        replay = Replay(read_record(GAMES, number))
        while not replay.game.is_over:
            if replay.game.phase not in texts:
                texts[replay.game.phase] = replay.game.text
            replay.step()
    assert set(texts) == {"wall", "towers", "houses", "merge", "score", "swap", "final"}
    for phase, text in texts.items():
        code, out, _ = called("analyze", text, "--sims", "50")
        assert (code, "best " in out) == (0, True), phase


def test_threads_are_repeatable_and_named(called: Called, told: Told) -> None:
    first, second = (analysis(told, MIDGAME, "--threads", "2") for _ in range(2))
    assert first == second
    assert (first["threads"], first["iterations"]) == (2, 200)
    assert first != analysis(told, MIDGAME)
    _, out, _ = called("analyze", MIDGAME, "--sims", "50", "--threads", "2")
    assert "seed 0, 2 threads" in out
    _, _, err = called("analyze", MIDGAME, "--threads", "4", "--memory", "3")
    assert err == "error: memory is 3 MiB: 4 threads need 4 MiB\n"


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "3"])
def test_ctrl_c_ends_a_search(threads: str) -> None:
    # A slow machine may still be loading when Ctrl-C comes: that ends it too, without results.
    for seconds in (1.5, 5.0, 20.0):
        process = start("analyze", MIDGAME, "--time", "100s", "--threads", threads)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
        # Python itself ends by the signal where it came while code was made from text.
        assert process.returncode in (130, -signal.SIGINT)
        assert "Traceback" not in err
        if "best " in out:
            return
    pytest.fail("no results after Ctrl-C")


# --- selfplay


@pytest.mark.slow
def test_selfplay_is_repeatable_and_legal(tmp_path: Path, called: Called, told: Told) -> None:
    path = tmp_path / "games.jsonl"

    def play(*arguments: str) -> str:
        specs = ["--player", "busy", "--player", "greedy"]
        code, _, err = called("selfplay", *specs, "--out", str(path), *arguments)
        assert code == 0, err
        return path.read_text()

    first = play("--games", "3", "--seed", "7")
    records = [parse_record(line) for line in first.splitlines()]
    assert [record["seed"] for record in records] == [7, 8, 9]
    assert [record["first"] for record in records] == [0, 1, 0]
    assert [record["names"] for record in records] == [["busy", "greedy"]] * 3
    assert [check_record(record) for record in records] == [None] * 3
    assert play("--games", "3", "--seed", "7", "--force") == first
    # Game by game it is the same: a run that was cut short can be taken up again.
    play("--games", "1", "--seed", "7", "--force")
    assert play("--games", "1", "--seed", "9", "--append").splitlines() == [
        first.splitlines()[0],
        first.splitlines()[2],
    ]
    specs = ["--player", "busy", "--player", "greedy", "--seed", "7", "--games", "3"]
    assert told("selfplay", *specs, "--out", "-") == first
    out = told("replay", str(path), "--check")
    assert out == "game 1: ok\ngame 2: ok\n2 checked, all ok\n"


@pytest.mark.slow
def test_a_kill_loses_only_the_game_in_hand(tmp_path: Path, called: Called) -> None:
    path = tmp_path / "games.jsonl"
    process = start("selfplay", "--games", "100000", "--player", "busy", "--out", str(path))
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and (not path.exists() or path.read_bytes().count(b"\n") < 3):
        time.sleep(0.05)
    process.kill()
    process.communicate()
    whole = path.read_text().splitlines(keepends=True)
    whole = [line for line in whole if line.endswith("\n")]
    assert len(whole) >= 3
    assert all(check_record(parse_record(line)) is None for line in whole[:5])
    path.write_text("".join(whole[:3]) + whole[2][:100])
    code, _, err = called("selfplay", "--player", "busy", "--append", "--out", str(path))
    assert (code, "removed 100 bytes" in err) == (0, True)
    assert len(path.read_text().splitlines()) == 4
    assert all(check_record(parse_record(x)) is None for x in path.read_text().splitlines())


def test_selfplay_on_another_board_with_early_roll(tmp_path: Path, called: Called) -> None:
    path = str(tmp_path / "games.jsonl")
    arguments = ["--players", "4", "--player", "random", "--board", HEXAGON, "--early-roll"]
    assert called("selfplay", *arguments, "--out", path)[0] == 0
    assert read_record(path)["options"] == ["early_roll"]
    assert called("replay", path)[0] == 1
    assert called("replay", path, "--check", "--board", HEXAGON)[0] == 0
    assert called("perft", f"{path}@1", "1", "--board", HEXAGON)[1] == "43\n"


# --- replay


@pytest.mark.slow
def test_replay_tells_the_whole_game(told: Told) -> None:
    out = told("replay", GAMES, "--game", "1")
    record = read_record(GAMES)
    result = record["result"]
    for seat, name in enumerate(record["names"]):
        assert f"{name} {result['scores'][seat]} (" in out
    numbers = [int(line[:5]) for line in out.splitlines() if line[:5].strip().isdigit()]
    assert numbers == [*range(1, len(numbers) + 1)]
    last = replay_to(record, len(numbers))
    last.apply(last.legal_moves()[0])
    assert last.is_over


@pytest.mark.slow
def test_replay_checks_every_game(tmp_path: Path, called: Called) -> None:
    lines = Path(GAMES).read_text().splitlines()
    bad = json.loads(lines[1])
    bad["result"]["scores"][0] += 1
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join([lines[0], json.dumps(bad), "no record", lines[2]]))
    code, out, _ = called("replay", str(path), "--check")
    said = out.splitlines()
    assert code == 1
    assert said[0] == "game 1: ok"
    assert said[1].startswith("game 2: result: ")
    assert said[2].startswith("game 3: not JSON, as a game record is: it begins 'no record'")
    assert said[3:] == ["game 4: ok", "4 checked, 2 bad"]
    assert called("replay", str(path), "--game", "2")[0] == 1
    assert called("replay", str(path), "--check", "--game", "4")[0] == 0


@pytest.mark.slow
def test_a_fault_is_told_with_its_file_and_game(tmp_path: Path, called: Called) -> None:
    lines = Path(GAMES).read_text().splitlines()
    bad = json.loads(lines[1])
    del bad["events"][30:]
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join([lines[0], json.dumps(bad)]), encoding="utf-8-sig")
    where = f"error: {path}, game 2: event 31 is missing: "
    for command in (
        ["replay", str(path)],
        ["replay", str(path), "--game", "2"],
        ["replay", str(path), "--game", "2", "--counts"],
        ["perft", f"{path}#2@150", "1"],
    ):
        code, _, err = called(*command)
        assert (code, err.startswith(where), err.count("\n")) == (1, True, 1), err
    code, _, err = engine("replay", "-", text=json.dumps(bad))
    assert (code, err.startswith("error: standard input, game 1: event 31 ")) == (1, True)
    path.write_text(lines[0])
    said = f"error: {path} holds 1 game, no game 2\n"
    assert called("replay", str(path), "--game", "2") == (1, "", said)


@pytest.mark.parametrize("put", [[[]], [""]])
def test_a_placing_of_no_form_is_told_by_every_reader_of_records(
    put: object, tmp_path: Path, called: Called
) -> None:
    bad = json.loads(Path(GAMES).read_text().splitlines()[0])
    number = next(n for n, event in enumerate(bad["events"]) if len(event.get("put", "")) == 1)
    bad["events"][number]["put"] = put  # a tower that the rules force
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(bad))
    fault = f"game 1: event {number + 1}: "
    for words in (["replay"], ["show", "--html", "-"], ["review"]):
        code, _, err = called(words[0], str(path), *words[1:])
        assert (code, err.startswith(f"error: {path}, {fault}"), err.count("\n")) == (1, True, 1)
    for words in (["show"], ["analyze"], ["belief"]):
        code, _, err = called(words[0], f"{path}@9")
        assert (code, err.startswith(f"error: {path}, {fault}"), err.count("\n")) == (1, True, 1)
    code, out, _ = called("replay", "--check", str(path))
    assert (code, out.startswith(fault), out.count("\n")) == (1, True, 2)


def test_appending_never_takes_what_is_no_torn_record(tmp_path: Path, called: Called) -> None:
    """A whole record without its newline stays; what is no record is left alone."""
    whole = tmp_path / "whole.jsonl"
    whole.write_text(Path(GAMES).read_text().splitlines()[0])
    play = ("selfplay", "--player", "busy", "--append", "--out")
    assert called(*play, str(whole))[0] == 0
    assert called("replay", "--check", str(whole))[1].endswith("2 checked, all ok\n")
    notes = tmp_path / "notes.txt"
    notes.write_text("my notes")
    code, _, err = called(*play, str(notes))
    assert (code, notes.read_text()) == (1, "my notes")
    assert "does not end in a game record" in err


def test_replay_counts_moves(called: Called) -> None:
    _, out, _ = called("replay", GAMES, "--counts", "--game", "2")
    counts = [int(line) for line in out.splitlines()]
    record = read_record(GAMES, 2)
    assert counts[0] == 170
    for decision in (1, 7, 30, len(counts)):
        assert counts[decision - 1] == len(replay_to(record, decision).legal_moves())


# --- the rest


def test_perft_counts(called: Called) -> None:
    start_position = Game(2, seed=1).text
    assert called("perft", start_position, "0")[1] == "1\n"
    assert called("perft", start_position, "2")[1] == "53550\n"
    out = called("perft", f"{GAMES}@58", "2", "--divide")[1].splitlines()
    counts = [int(line.rpartition(" ")[2]) for line in out]
    assert out[-1].startswith("total ")
    assert sum(counts[:-1]) == counts[-1]
    assert str(counts[-1]) == called("perft", f"{GAMES}@58", "2")[1].strip()


@pytest.mark.slow
def test_bench(called: Called, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("masons.cli.commands.bench.PASSES", 2)
    monkeypatch.setattr("masons.cli.commands.bench.ITERATIONS", 50)
    monkeypatch.setattr("masons.cli.commands.bench.SIMULATIONS", 50)
    signatures = set()
    for policy in ("uniform", "busy"):
        code, out, _ = called("bench", "--games", "5", "--policy", policy, "--json")
        figures = json.loads(out)
        assert code == 0
        assert list(figures) == [
            "policy", "players", "games", "simulations_per_s", "games_per_s", "decisions_per_s",
            "playouts_per_s", "iterations_per_s", "signature", "spread",
        ]  # fmt: skip
        assert list(figures["spread"]) == list(figures)[3:8]
        for name, (least, most) in figures["spread"].items():
            assert 0 < least <= figures[name] <= most
        signatures.add(figures["signature"])
    assert len(signatures) == 1


def test_board(tmp_path: Path, told: Told) -> None:
    assert told("board", "classic", "--json") == load_board("classic").to_json() + "\n"
    out = told("board", HEXAGON)
    assert "24" in out
    picture = tmp_path / "board.svg"
    picture.write_text("old")
    picture.chmod(0o640)
    assert told("board", "classic", "--svg", str(picture)) == ""
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    assert picture.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [picture]


def test_warmup_compiles_what_the_commands_use(called: Called) -> None:
    code, out, _ = called("warmup", "--no-progress")
    assert (code, out.startswith("ready")) == (0, True)
    assert ("made ahead of time" in out) == (LIBRARY is not None)
    assert is_ready()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("wall:57", "wall on line 57 (towers 20-27, between spaces 35 and 36)"),
        ("wall:0", "wall on line 0 (towers 0-1, space 1 and the edge)"),
        ("early-roll", "roll before placing the wall, for 1 point"),
        ("towers:12=white,13=gray", "white tower on 12 and gray tower on 13"),
        ("houses:40=red", "red house on space 40"),
        ("merge:17", "merge with the city of space 17"),
        ("merge:none", "no merge"),
        ("play:cities", "play cities"),
        ("play:city-red+cities", "play city-red and cities"),
        ("abstain:cities", "abstain: discard cities, draw 2"),
        ("swap:none", "swap nothing"),
        ("swap:cities+cities", "swap 2 cards: cities and cities"),
        ("final:pass", "play nothing"),
        ("final:17/cities", "play cities in the city of space 17"),
        ("final:none/land-red", "play land-red"),
    ],
)
def test_moves_in_words(text: str, words: str) -> None:
    assert move_words(load_board("classic"), parse_move(text)) == words


def test_points_in_words() -> None:
    board = load_board("classic")
    assert move_words(board, parse_move("play:cities"), [1]) == "play cities for 1 point"
    both = move_words(board, parse_move("play:city-red+cities"), [3, 4])
    assert both == "play city-red (3) and cities (4) for 7 points"
