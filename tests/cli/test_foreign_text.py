"""Texts of others never steer a terminal, forge a line or write markup: all outputs are walked."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import pytest

from masons.engine.plain_text import plain
from masons.protocol.messages.line_streams import Output
from masons.protocol.server.command_loop import Server
from tests.cli.conftest import GAMES, MIDGAME, begun_game
from tests.support import commands
from tests.support.commands import process
from tests.support.paths import BOARDS

# A title, a link, a question to the terminal, C1, both directions, ends of lines, markup, letters.
EVIL = (
    "\x1b]0;x\x07\x1b]8;;u\x1b\\\x1b[6n\x9b2J\x7f\u202e\u2066\u200f\u2028\r\nforged: "
    "<b>evil</b>&\"'[red]é漢"
)
NAME = EVIL.replace("/", "|")  # of a file
_STYLES = re.compile(r"\x1b\[[0-9;]*m")  # what rich makes of our own styles
_BAR = re.compile(r"\x1b\[(\?25[lh]|[0-9]*[AK])|\r")  # and of a progress bar


def check(text: str, *, live: bool = False) -> None:
    """Nothing but letters, blanks and ends of lines, none of which the foreign text made."""
    if live:
        text = _BAR.sub("", _STYLES.sub("", text))
    bad = {
        letter
        for letter in text
        if letter != "\n" and not letter.isprintable() and unicodedata.category(letter) != "Zs"
    }
    assert not bad, (bad, text[:2000])
    assert not re.search(r"^\s*forged", text, re.MULTILINE), text[:2000]


def check_markup(text: str) -> None:
    check(text)
    assert "<b>evil" not in text
    assert "evil</b>" not in text


def called(*arguments: str, text: str = "") -> tuple[int, str, str]:
    """Run a command; whatever it says is fit to be shown."""
    code, out, err = commands.called(*arguments, text=text)
    live = bool(os.environ.get("FORCE_COLOR"))
    check(out, live=live)
    check(err, live=live)
    return code, out, err


def force_color(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a terminal of all colors: rich keeps in a style what it made of them first."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture(params=["piped", "terminal"])
def _stream(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "terminal":
        force_color(monkeypatch)


def record() -> dict[str, object]:
    first = json.loads(Path(GAMES).read_text().splitlines()[0])
    first["names"] = [EVIL, f"{EVIL}2"]
    return dict(first)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A file with an evil name, and evil names in it."""
    path = tmp_path / f"{NAME}.jsonl"
    path.write_text(json.dumps(record()) + "\n")
    return path


# --- the one function


def test_letters_stay_and_what_steers_is_written_out() -> None:
    for text in ("é漢 字\u3000a\xa0b", "Ann", "", "\\x1b"):
        assert plain(text) == text
    assert plain("a\x1b[1m\u202e\n\x00\udc80") == r"a\x1b[1m\u202e\n\x00\udc80"
    check(plain("".join(map(chr, range(0x3000)))))


# --- names in records


@pytest.mark.usefixtures("_stream")
@pytest.mark.parametrize(
    "words",
    [["replay"], ["replay", "--check"], ["replay", "--counts"], ["show", "@9"],
     ["show", "@9", "--hands"], ["analyze", "@20", "--sims", "8"], ["belief", "@20"],
     ["perft", "@20", "1"]],
    ids=" ".join,
)  # fmt: skip
def test_names_of_a_record(words: list[str], games: Path) -> None:
    command, *rest = words
    place = rest.pop(0) if rest and rest[0].startswith("@") else ""
    code, out, _ = called(command, f"{games}{place}", *rest)
    assert code == 0
    assert out
    if words == ["replay"] and "FORCE_COLOR" not in os.environ:
        assert plain(EVIL) in out


@pytest.mark.slow
def test_pages_and_pictures(games: Path) -> None:
    for arguments in (
        ["show", f"{games}@9", "--svg", "-"],
        ["show", f"{games}@9", "--svg", "-", "--title", EVIL],
        ["show", str(games), "--html", "-"],
        ["show", str(games), "--html", "-", "--title", EVIL],
    ):
        code, out, err = called(*arguments)
        assert code == 0, err
        check_markup(out)
        if "--svg" in arguments:
            ElementTree.fromstring(out)


@pytest.mark.slow
def test_a_review_and_its_page(games: Path, tmp_path: Path) -> None:
    page = tmp_path / f"{NAME}.html"
    few = ("--sims", "4", "--rollouts", "8", "--playouts", "1", "--resume", str(tmp_path / NAME))
    code, out, err = called("review", str(games), *few, "--html", str(page))
    assert code == 0, err
    assert plain(EVIL)[:16] in out
    check_markup(page.read_text())
    assert called("review", str(games), *few, "--json")[0] == 0


# --- what is wrong with records, boards, positions, options, files

KEYS = ("format", "version", "board", "players", "options", "seed", "first", "hands", "deck",
        "events", "result", "board_sha256", EVIL)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_faults_of_records(key: str, games: Path) -> None:
    evils: list[object] = [EVIL, [EVIL], {EVIL: EVIL}]
    if key == "events":
        evils += [[{"e": EVIL}], [{"e": "wall", "p": EVIL, "line": EVIL}]]
    for evil in evils:
        text = json.dumps({**record(), key: evil}, ensure_ascii=False)
        games.write_text(text + "\n" + text[:-1] + f', "{key}": 1}}\n')
        for arguments in (["replay", "--check"], ["replay"], ["replay", "--game", "2"]):
            called(arguments[0], str(games), *arguments[1:])
        called("show", f"{games}@3")
        called("match", "greedy", "random", "--resume", "--out", str(games))
        called("play", "--resume", str(games))
    games.write_bytes(EVIL.encode())
    called("replay", str(games))


def test_faults_of_boards(tmp_path: Path) -> None:
    path = tmp_path / f"{NAME}.json"
    whole = json.loads((BOARDS / "hexagon-24.json").read_text())
    for key in [*whole, EVIL]:
        for evil in (EVIL, [EVIL], {EVIL: EVIL}, [{**whole["towers"][0], "id": EVIL, EVIL: 1}]):
            path.write_text(json.dumps({**whole, key: evil}, ensure_ascii=False))
            code, _, err = called("board", str(path))
            assert (code, err.count("\n")) == (1, 1), err
    path.write_text(json.dumps(whole))
    called("board", str(path))
    called("board", str(path), "--svg", str(tmp_path / f"{NAME}.svg"))
    check_markup((tmp_path / f"{NAME}.svg").read_text())


def test_faults_of_arguments(tmp_path: Path) -> None:
    text = next(x for x in Path(MIDGAME).read_text().splitlines() if x.startswith("masons1"))
    fields = [field.partition("=")[0] for field in text.split()[1:]]
    out, gone = str(tmp_path / NAME), str(tmp_path / NAME / NAME)
    (tmp_path / NAME).write_text(EVIL)
    lines = [
        "EVIL", "--EVIL", "analyze EVIL", "analyze MIDGAME --time EVIL",
        "analyze MIDGAME --sims EVIL", "analyze MIDGAME --policy EVIL",
        "analyze MIDGAME --board EVIL", "analyze EVIL@3", "analyze EVIL#0@3", "board EVIL",
        "replay EVIL", "replay OUT", "perft MIDGAME EVIL", "protocol --option EVIL",
        "protocol --option EVIL=1", "protocol --option Threads=EVIL", "protocol --player EVIL",
        "selfplay --out - --player EVIL", "selfplay --out - --player default:EVIL=1",
        "selfplay --out OUT", "selfplay --out GONE", "selfplay --append --out OUT",
        "match EVIL greedy", "match 'EVIL greedy", "match greedy random --sprt EVIL",
        "match greedy random --time EVIL", "match greedy random --out OUT",
        "match greedy random --out OUT --resume", "match greedy random --out GONE",
        "play --names EVIL", "play --resume OUT",
        "play --record OUT", "play --board EVIL", "review EVIL", "review GAMES --resume OUT",
        "review GAMES --html GONE", "show MIDGAME --svg GONE", "show EVIL",
        "compliance --only EVIL true", "compliance EVIL",
    ]  # fmt: skip
    words = {"EVIL": EVIL, "OUT": out, "GONE": gone, "MIDGAME": MIDGAME, "GAMES": GAMES}
    for arguments in [
        *(["analyze", re.sub(rf" {field}=\S+", f" {field}={EVIL}", text)] for field in fields),
        ["analyze", f"{text} {EVIL}={EVIL}"],
        *([re.sub("[A-Z]{3,}", lambda name: words[name[0]], word) for word in line.split()]
          for line in lines),
    ]:  # fmt: skip
        code, _, err = called(*arguments)
        assert code in (1, 2), (arguments, err)
        assert err.count("\n") == 1, (arguments, err)
        assert err.startswith("error: ")


# --- what is written while it goes


@pytest.mark.usefixtures("_stream")
def test_files_with_evil_names(tmp_path: Path) -> None:
    path = str(tmp_path / f"{NAME}.jsonl")
    play = ("match", "greedy", "random", "--games", "2", "--seed", "1", "--out", path)
    assert called(*play)[0] == 0
    with Path(path).open("a") as file:
        file.write('{"format": "masons-record", torn')
    assert called(*play, "--resume")[0] == 0
    with Path(path).open("a") as file:
        file.write(f"{EVIL}\n")
    assert called(*play, "--resume")[0] == 1
    assert called(*play, "--resume", "--repair")[0] == 0
    assert called("selfplay", "--append", "--out", path)[0] == 0
    for option in ("--svg", "--html"):
        file_name = str(tmp_path / f"{NAME}{option}")
        code, _, err = called("show", GAMES, option, file_name)
        assert code in (0, 1), err


ENGINE = """
import sys
evil, fault = sys.argv[1], sys.argv[2]
print(evil, file=sys.stderr, flush=True)
for line in sys.stdin:
    word = line.split()[0] if line.split() else ""
    if word == "mei":
        for own in evil.splitlines():
            print("id name an", own); print("id author", own); print("id version", own)
            if fault == "option":
                print(f"option name {own} type string default {own}")
            print(own if fault == "mei" else f"info string {own}")
        print("protocol 1"); print("meiok")
    elif word == "isready":
        print("readyok")
    elif word == "go":
        if fault == "leave":
            sys.exit(evil)
        if fault == "error":
            print("error internal id 1", evil.splitlines()[0])
        print("info string", evil.splitlines()[0])
        print("bestmove", evil.splitlines()[0])
    elif word == "quit":
        break
    sys.stdout.flush()
"""


@pytest.mark.slow
@pytest.mark.usefixtures("_stream")
@pytest.mark.parametrize("fault", ["mei", "option", "leave", "error", "none"])
def test_engines(fault: str, tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    evil = EVIL.replace("'", "")
    command = f"{sys.executable} -S {tmp_path / 'engine.py'} '{evil}' {fault}"
    seed = ("--games", "2", "--seed", "1")
    for more in ((), ("--json",)):
        code, out, err = called("match", command, "random", *seed, *more)
        assert code in (0, 1)
        assert "evil" in out + err
        called("compliance", "--only", "handshake", *more, command)


def test_a_game_at_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = ["", EVIL, "log", f"save {tmp_path}/a{NAME}", f"save {tmp_path}/a{NAME}", "board",
            f"wall:{EVIL}", f"play {EVIL}", "resign", EVIL, "y", "", "quit", "y"]  # fmt: skip
    text = "".join(f"{plain(x)}\n" for x in said)
    for forced in (False, True):
        path = tmp_path / f"{NAME}{forced}.jsonl"
        begun_game(path, (EVIL, f"{EVIL}2"))
        if forced:
            force_color(monkeypatch)
        code, out, _ = called("play", "--resume", str(path), text="" if forced else text)
        assert (code, "evil" in out) == (0, True)
        assert forced or out.count("! ") >= 3  # what was typed was refused


def test_the_protocol() -> None:
    lines = [EVIL, f"newgame {EVIL}", f"newgame players {EVIL}", f"position {EVIL}",
             f"event {EVIL}", f"event move 0 {EVIL}", f"query {EVIL}", f"go {EVIL}",
             f"go sims {EVIL}", f"setoption name {EVIL}", f"setoption name Threads value {EVIL}",
             f"debug {EVIL}", f"stop {EVIL}", f"perft {EVIL}", f"belief {EVIL}", f"gameover {EVIL}",
             f"mei {EVIL}", f"newgame board {EVIL}"]  # fmt: skip
    evil = "\n".join(line.replace("\r\n", "") for line in lines)
    out = io.BytesIO()
    server = Server(io.BytesIO(evil.encode()), out, player="greedy", version="1")
    for line in evil.split("\n"):
        server._take(line)
    text = out.getvalue().decode()
    check(text)
    assert text.count("\n") == len(lines)
    assert all(line.startswith("error ") for line in text.splitlines())
    assert isinstance(server._out, Output)


@pytest.mark.slow
@pytest.mark.parametrize("hidden", ["", "NUMBA_CACHE_DIR"])  # it comes before other folders
def test_the_environment(hidden: str, tmp_path: Path) -> None:
    names = {"NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "XDG_DATA_HOME", "HOME", "COLUMNS", "TERM",
             "MASONS_CHECKED", "MASONS_NO_CACHE", "NUMBA_OPT", "LANG"}  # fmt: skip
    done = process("--version", **dict.fromkeys(names - {hidden}, str(tmp_path / NAME)))
    check(done.stdout)
    check(done.stderr)
