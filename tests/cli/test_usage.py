"""Command lines and data that are wrong: the exit code, one line that names it, no file changed."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pytest

from masons.cli.main import run
from masons.cli.options import check_outputs
from masons.engine.board.board_rows import format_rows
from masons.engine.board.geometry import load_board
from masons.engine.extras import install_command
from tests.cli.conftest import CONTESTED, GAMES, HEXAGON, MIDGAME, POSITION
from tests.support.commands import called, run_python, told
from tests.support.paths import SUPPORT

HIDDEN = "masons1 board=classic players=2 active=0 phase=wall hands=?6/?6"
NO_LINE = "masons1 board=classic players=2 active=0 phase=over end=no-line hands=?6/?6"
FAKE = f"{sys.executable} -S {SUPPORT / 'fake_engine.py'}"
READ = "is read as input: choose another name"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a file of each kind that commands read."""
    folder = tmp_path_factory.mktemp("inputs")
    for path in (GAMES, MIDGAME, CONTESTED, HEXAGON):
        shutil.copy(path, folder)
    (folder / "h.rows").write_text(format_rows(load_board(HEXAGON)))
    (folder / "hidden.txt").write_text(HIDDEN)
    (folder / "no-line.txt").write_text(NO_LINE)
    (folder / "wail.txt").write_text(POSITION.replace("phase=wall", "phase=wail"))
    (folder / "bytes").write_bytes(b"\xff\xfe\n")
    (folder / "empty").write_bytes(b"\n")
    (folder / "x.jsonl").write_text('{"format": "masons-play", "version": 1}\n{"undo": 1}\n')
    (folder / "linked").symlink_to("games.jsonl")
    return folder


@pytest.fixture
def _inputs(inputs: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Work in the folder of inputs, and see afterwards that no file of it changed."""
    monkeypatch.chdir(inputs)
    before = {path: path.read_bytes() for path in Path().iterdir()}
    yield
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def refused(line: str) -> tuple[int, str]:
    """Return the exit code and the only line of a command that prints nothing else."""
    code, out, err = called(*shlex.split(line))
    assert (out, err.count("\n"), err[:7]) == ("", 1, "error: "), (out, err)
    return code, err


BAD_USAGE = [
    "nonsense", "--nonsense", "analyze midgame.txt --time soon", "analyze midgame.txt --time 0",
    "analyze midgame.txt --board ''", "replay ''", "replay games.jsonl#2 --game 2",
    "replay games.jsonl@2", "verify ''", "verify games.jsonl#2 --game 2", "review ''",
    "review games.jsonl#1 --game 1", "practice games.jsonl#1 --game 1", "show midgame.txt --svg ''",
    "board classic --svg ''", "practice --game 1", "practice --sims 100",
    "practice --board hexagon-24.json", "analyze midgame.txt --sims 0",
    "analyze midgame.txt --sims 1.5", "analyze midgame.txt --sims -3",
    "analyze midgame.txt --sims 1e99", "analyze midgame.txt --sims 20,00",
    "analyze midgame.txt --json --live", "analyze midgame.txt --timing",
    "analyze midgame.txt --policy clever", "analyze midgame.txt --policy busy --level 3",
    "analyze midgame.txt --seat 7", "analyze midgame.txt --memory 0",
    "analyze midgame.txt --threads 0", "analyze midgame.txt surplus", "perft midgame.txt",
    "perft midgame.txt many", "perft midgame.txt 65", "board", "bench --policy greedy",
    "board classic --json --svg x.svg", "bench --games 0", "replay games.jsonl --check --counts",
    "replay games.jsonl --game 0", "selfplay", "selfplay --out - --players 5",
    "selfplay --out - --player greedy:x=1", "selfplay --out - --player default:sims=1.5",
    "selfplay --out - --player busy --player busy --player busy",
    "selfplay --out - --append --force", "openings --players 5", "openings --top 0",
    "openings --board hexagon-24.json",
    "show games.jsonl --overlay analysis",
    "show games.jsonl --overlay opinion --svg x.svg", "show games.jsonl --width 400",
    "show games.jsonl --width 1 --png x.png", "show games.jsonl --html x.html --labels",
    "show games.jsonl --html x.html --svg x.svg", "show games.jsonl --svg - --png -",
    "show games.jsonl --sims 100 --svg x.svg", "play --players 5", "play --players 2 --seat 2",
    "play --humans --seat 0", "play --level 11", "play --names A,A", "play --names A,B,C",
    f"play --names A,{'x' * 50}", "play --seed -1", "play --resume x --players 3",
    "play --export x", "match greedy", "match greedy greedy:x=1", "match a=greedy a=random",
    "match greedy \"'unclosed\"", "match greedy random --players 5",
    "match greedy random --sprt 10", "match greedy random --sprt 20,10",
    "match greedy random busy --sprt 0,10", "match greedy random --time 1s+soon",
    "match greedy random --resume", "match greedy random --backend dask",
    "match greedy random --scheduler tcp://127.0.0.1:1", "match greedy random --concurrency 0",
    "match greedy random --out=",
]  # fmt: skip
# Bad usage, with what the line says of it.
NAMED_USAGE = {
    "analize": "No such command 'analize': did you mean analyze?",
    "analyze": "POSITION is missing: ",
    "analyze midgame.txt --sims": "(see masons-engine analyze --help)",
    "analyze midgame.txt --top 99999999999":
        "'99999999999' is not a whole number from 1 to 4,294,967,294",
    "verify games.jsonl --commitment zz": "--commitment 'zz' is not a SHA-256: it has 64 digits",
    "openings --hand cities+cities+cities": "--hand: 3 copies of cities, but there are only 2",
    "openings --hand cities+land-red+land-rose+land-blue+city-red+city-blue+land-shore":
        "--hand: 7 cards, but a hand has at most 6",
    "analyze midgame.txt --time 0s": "'0s' is too short: the least is 1ms",
    "analyze midgame.txt --time 1e-9s": "'1e-9s' is too short: the least is 1ms",
    "analyze midgame.txt --time 999h": "'999h' is too long: the most is a week",
    "analyze midgame.txt --time 100": "'100' has no unit: write 100ms, 100s, 100m or 100h",
    "compliance --limit 5 x": "'5' has no unit",
    "match greedy random --time 100": "'100' has no unit",
    "match greedy random --time 60s+1": "'1' has no unit",
    "play --record ''": "'--record': a file name must not be empty",
    "selfplay --out ''": "'--out': a file name must not be empty",
    "practice --seat 1": "--seat needs RECORD",
    "selfplay --player nobody": "no player 'nobody': choose one of random, busy,",
    "dataset --player nobody": "no player 'nobody': choose one of random, busy,",
    "learn 13": "'13' is no lesson: give a number from 1 to 12",
    "play --repair": "--repair needs --resume",
    "review games.jsonl --repair": "--repair needs --resume",
    "perft midgame.txt -1": "'-1' is not a whole number from 0 to 64",
    "perft 2": "perft needs a position and a number N of decisions",
    "match greedy random --repair": "--repair needs --resume",
    "match greedy nobody": "nobody",
    "match greedy random --time soon": "'soon'",
    "match greedy random --time 60s+": "'60s+' is not a time",
    "match greedy random --time +5s": "'+5s' is not a time",
    "match greedy random --time +": "'+' is not a time",
    "play --fair --seed 1": "--seed and --fair cannot go together",
    "play --fair --dice own": "--dice own and --fair cannot go together",
    "play --fair --practice": "--practice and --fair cannot go together",
    "play --seed 1 --dice own": "--dice own and --seed cannot go together",
    "play --nonce a": "--nonce needs --fair",
    "play --fair --nonce a --nonce b": "2 nonces for 1 person",
    f"play --fair --nonce {'x' * 201}": "up to 200 characters",
    "gui --no-open --port 70000": "from 0 to 65535",
    "gui --no-open --engine plain": "write NAME=COMMAND",
    "gui --no-open --engine a=b --engine a=c": "each name once",
    "gui --no-open --engine 'a=nocommand --x'": "--engine a: there is no program 'nocommand'",
    "gui --no-open --engine a=./nocommand": "--engine a: there is no program './nocommand'",
    """gui --no-open --engine "a='b" """: "--engine a: ",
    "gui --no-open --engine 'a= '": "--engine a: an engine needs a command line",
    "review games.jsonl --html games.jsonl": f"error: games.jsonl {READ}",
    "review games.jsonl --csv ./games.jsonl": f"error: ./games.jsonl {READ}",
    "review games.jsonl#2 --csv linked": f"error: linked {READ}",
    "review games.jsonl --resume games.jsonl --repair": f"error: games.jsonl {READ}",
    "review linked --html x --csv ./x": "error: --html and --csv name one file, x",
    "review games.jsonl --all --html x.html --csv x-2.html":
        "error: --csv and the page of game 2 name one file, x-2.html",
    "show games.jsonl --html games.jsonl": f"error: games.jsonl {READ}",
    "show games.jsonl@3 --svg games.jsonl": f"error: games.jsonl {READ}",
    "show contested.txt --svg x --png x": "error: --svg and --png name one file, x",
    "show games.jsonl@3 --board h.rows --svg h.rows": f"error: h.rows {READ}",
    "board h.rows --svg h.rows": f"error: h.rows {READ}",
    "board h.rows --svg h.png": "error: --svg writes no .png file: choose another name",
    "show contested.txt --png x.SVG": "error: --png writes no .svg file: choose another name",
    "selfplay --board h.rows --force --out h.rows": f"error: h.rows {READ}",
    "match greedy random --board h.rows --resume --out h.rows": f"error: h.rows {READ}",
}  # fmt: skip


@pytest.mark.usefixtures("_inputs")
@pytest.mark.parametrize("line", [*BAD_USAGE, *NAMED_USAGE])
def test_bad_usage(line: str) -> None:
    code, err = refused(line)
    assert code == 2
    assert err.endswith(" --help)\n")
    assert NAMED_USAGE.get(line, "") in err


BAD_DATA = [
    "analyze nowhere.txt", "analyze nowhere.jsonl@3", f"analyze {'x' * 10_000}", "analyze .",
    f"analyze {os.devnull}", f"analyze {sys.executable}", "analyze masons1",
    "analyze 'masons1 board=classic players=2'", f"analyze '{POSITION} surplus=1'",
    f"analyze '{POSITION.replace('board=classic', 'board=other')}'", "analyze games.jsonl",
    "analyze games.jsonl@0", "analyze games.jsonl@9999", "analyze games.jsonl#0@1",
    "analyze games.jsonl#9@1", "analyze games.jsonl#0000@00001",
    f"analyze games.jsonl@{'9' * 5000}", "analyze midgame.txt@1", "analyze midgame.txt --seat 0",
    "analyze midgame.txt --board nowhere.json", "analyze midgame.txt --board hexagon-24.json",
    "perft nowhere.txt 1", "board nowhere", "board midgame.txt",
    "board classic --svg nowhere/x.svg", "replay nowhere.jsonl", "replay .",
    f"replay {os.devnull}", "replay midgame.txt", "replay games.jsonl --game 9",
    "selfplay --out games.jsonl", "selfplay --out nowhere/games.jsonl",
    "selfplay --out - --board nowhere.json", "openings games.jsonl", "openings nowhere.json",
    "openings .", "openings --hand city-purple",
    "play --resume /nowhere/at/all", "play --resume midgame.txt", "play --record midgame.txt",
    "play --record /nowhere/at/all", "play --board /nowhere/at/all",
    "gui --no-open empty", "gui --no-open bytes",
]  # fmt: skip
UNFINISHED = "error: x.jsonl: this game is unfinished: masons-engine play --resume FILE"
NO_TEXT = "error: bytes, line 1 is not UTF-8 text"
# Bad data, with what the line says of it.
NAMED_DATA = {
    "analyze -": "error: standard input holds no position",
    "show -": "error: standard input holds no position",
    "replay games.jsonl#9": "holds 3 games, no game 9",
    "verify games.jsonl#9": "no game 9",
    "verify empty": "holds no games", "verify empty --game 3": "no game 3",
    "verify nowhere.jsonl": "nowhere.jsonl: No such file",
    "review games.jsonl#9": "has 3 records, no record 9",
    "practice games.jsonl#9": "has 3 records, no record 9",
    "perft games.jsonl@1234567890 1": "'games.jsonl': the decision has more than 9 digits",
    "perft games.jsonl#1234567890@1 1": "'games.jsonl': the game has more than 9 digits",
    "analyze midgame.txt --compare wall:999 wall:1": "number, from 0 to 169",
    "board ''": "no board ''",
    "board .": "give a file of rows or JSON",
    "replay bytes": NO_TEXT, "verify bytes": NO_TEXT, "review bytes": NO_TEXT,
    "review bytes --all": NO_TEXT, "analyze bytes@1": NO_TEXT,
    "replay x.jsonl": UNFINISHED, "replay x.jsonl --check": UNFINISHED,
    "verify x.jsonl": UNFINISHED, "review x.jsonl": UNFINISHED,
    "show x.jsonl --html y": UNFINISHED,
    "show nowhere.txt": "neither a position",
    "show games.jsonl#1 --svg x.svg": "'games.jsonl#1' is a whole game: write 'games.jsonl#1@N'",
    "show games.jsonl --svg x.svg": "write FILE@N",
    "show midgame.txt --svg nowhere/x.svg": "No such file",
    "show midgame.txt --png .": "Is a directory",
    f"show '{POSITION}' --html x.html": "name a file of records, not a position",
    "show midgame.txt --html x.html": "not a position, which --svg draws",
    "show nowhere.jsonl --html x.html": "cannot read nowhere.jsonl",
    "show games.jsonl#9 --html x.html": "no record 9",
    "show games.jsonl#0 --html x.html": "count from 1",
    "show games.jsonl@0 --html x.html": "count from 1",
    "show games.jsonl@9999 --html x.html": "no decision 9999",
    "show games.jsonl --html x.html --board hexagon.jsonx": "hexagon.jsonx",
    "show 'x\0y' --html x.html": "cannot read",
    "belief midgame.txt --seat 2": "seat 2 does not play",
    "belief 'masons1 nonsense'": "not a field",
    "belief hidden.txt --seat 1": "the hand of seat 1 is hidden",
    "gui --no-open nothing.jsonl": "'nothing.jsonl' is neither a position",
    "gui --no-open '\0'": "is neither a position",
    "gui --no-open --board nothing.json": "nothing.json",
    "gui --no-open --host nowhere.invalid": "cannot listen on nowhere.invalid",
    # A position at fault is named by its file, whichever command reads it.
    **{f"{command} wail.txt {more}": "error: 'wail.txt': phase: 'wail' must be one of"
       for command, more in (("analyze", ""), ("show", ""), ("belief", ""), ("perft", "1"))},
    "show wail.txt --svg -": "error: 'wail.txt': phase: ",
    "match greedy 'nocommand --x'":
        "error: engine nocommand --x: there is no program 'nocommand' to run",
    **{f"match bad='{command}' random": "engine bad"
       for command in (f"{FAKE} exit-at-once", "/nowhere/engine", f"{FAKE} version")},
    "show no-line.txt": "error: 'no-line.txt': end is no-line, but there is a line",
    **{f"{command} hidden.txt {more}": "error: 'hidden.txt': "
       for command, more in (("analyze", ""), ("belief", ""), ("perft", "1"),
                             ("perft --divide", "1"), ("show --overlay analysis --svg -", ""))},
}  # fmt: skip


@pytest.mark.usefixtures("_inputs")
@pytest.mark.parametrize("line", [*BAD_DATA, *NAMED_DATA])
def test_bad_data(line: str) -> None:
    code, err = refused(line)
    assert code == 1
    assert NAMED_DATA.get(line, "") in err


def test_standard_input_is_named_like_a_file() -> None:
    games = Path(GAMES).read_text()
    wail = POSITION.replace("phase=wall", "phase=wail")
    for words, text, said in (
        (["show", "-"], wail, "phase: 'wail' must be one of"),
        (["analyze", "-"], games, "holds game records: write FILE@N"),
        (["replay", "-"], "nonsense", ", game 1: not JSON"),
    ):
        code, out, err = called(*words, text=text)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert err.startswith("error: standard input")
        assert said in err


def test_a_number_may_have_zeros_before_it() -> None:
    zeros = "0" * 5000
    assert told("perft", f"{GAMES}#{zeros}1@{zeros}1", "1") == "170\n"


@pytest.mark.parametrize("text", ["2_000", "2,000", "2k", "2e3", "0.002M"])
def test_numbers_are_read_as_people_write_them(text: str) -> None:
    figures = json.loads(told("analyse", MIDGAME, "--json", "--sims", text))
    assert figures["iterations"] == 2000
    if "," not in text:
        err = called("selfplay", "--player", f"default:sims={text}", "--out", "")[2]
        assert "a file name must not be empty" in err  # of what follows the player


# --- outputs, beyond what the tables show


@pytest.mark.usefixtures("_inputs")
@pytest.mark.parametrize(
    "outputs",
    [
        {"--html": None, "--csv": None}, {"--html": "x", "--csv": "y"},
        {"--svg": "-", "--png": "-"}, {"--html": os.devnull, "--csv": os.devnull},
        {"--html": "a\0b"}, {"--html": "nowhere/games.jsonl"},
    ],
)  # fmt: skip
def test_other_files_are_written(outputs: Mapping[str, str | None]) -> None:
    check_outputs(outputs, ["games.jsonl", None, "-"])


def test_standard_input_is_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "c.txt"
    file.touch()
    with file.open() as stream:
        monkeypatch.setattr("masons.cli.options._STDIN", stream.fileno())
        with pytest.raises(click.UsageError, match="is read as input"):
            check_outputs({"--svg": str(file)}, ["-"])


# --- help and versions


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_no_compiler(option: str) -> None:
    code = (
        "import sys; from masons.cli.main import run; code = run([sys.argv[1]]); "
        "assert not {'numba', 'numpy', 'llvmlite', 'rich'} & set(sys.modules), 'loaded'; "
        "sys.exit(code)"
    )
    run_python("-c", code, option)


def test_version_says_what_runs() -> None:
    names = [line.split()[0] for line in told("--version").splitlines()]
    assert names == ["masons-engine", "Python", "numba", "llvmlite", "numpy", "CPU", "clock",
                     "kernels", "cache"]  # fmt: skip


@pytest.mark.parametrize("words", ["analyse --help", "--help analyse", "help analyze"])
def test_help_of_a_command_in_either_spelling(words: str) -> None:
    assert "Rank the moves of a position." in told(*words.split())


def test_shells_complete_behind_either_spelling(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_MASONS_ENGINE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "masons-engine analyse --th")
    monkeypatch.setenv("COMP_CWORD", "2")
    with pytest.raises(SystemExit):
        run([])
    assert capsys.readouterr().out == "plain,--threads\n"


def test_without_the_extra_the_board_in_the_browser_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = importlib.util.find_spec

    def none(name: str, *more: Any) -> Any:
        return None if name == "uvicorn" else find(name, *more)

    monkeypatch.setattr(importlib.util, "find_spec", none)
    said = f"error: the board in the browser needs uvicorn: {install_command('gui')}\n"
    assert called("gui", "--no-open") == (1, "", said)
