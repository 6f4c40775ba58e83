"""Closed, full and broken streams, and signals: the right code, at most one line, no traceback."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from masons.engine.game.game import Game
from tests.cli.conftest import GAMES, HEXAGON, MIDGAME
from tests.support.commands import SECONDS, called, run_python, spawn, start, told
from tests.support.paths import EXAMPLES, ROOT
from tests.support.thinned import thinned

FULL = "/dev/full"
pytestmark = [
    pytest.mark.usefixtures("hangup"),
    pytest.mark.skipif(sys.platform == "win32", reason="a shell's redirections"),
]
needs_full = pytest.mark.skipif(not Path(FULL).exists(), reason=f"needs {FULL}")


def shell(arguments: str, streams: str, folder: Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command in a folder, with a shell's redirections."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m masons.cli {arguments} {streams}', sys.executable],
        capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL, cwd=folder,
        check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    assert "Exception ignored" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


# --- closed before the start

PLAY = "play --seed 1 --level 1 --record game.jsonl"
CLOSED = [  # command, streams, exit code
    (PLAY, "<&-", 0),
    ("protocol", "<&-", 0),
    ("replay -", "<&-", 1),
    ("board classic --json", ">&-", 1),
    ("replay nowhere", "2>&-", 1),
]
CLOSED_SLOW = [
    ("analyze -", "<&-", 1),
    (f"replay {GAMES}", "<&- >&- 2>&-", 1),
    ("play --dice own --record game.jsonl", "<&-", 1),
    (f"analyze {MIDGAME} --sims 50", ">&-", 1),
    ("match greedy random --games 2 --out x.jsonl", "<&- >&- 2>&-", 1),
    ("selfplay --out x.jsonl", "<&- >&- 2>&-", 0),
    (f"show {MIDGAME} --svg x.svg", "<&- >&- 2>&-", 0),
    (PLAY, "<&- >&- 2>&-", 1),
    ("protocol", "<&- >&- 2>&-", 0),
]


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "streams", "code"), [*CLOSED, *thinned(CLOSED_SLOW, 5)])
def test_a_closed_stream_is_an_empty_one(
    arguments: str, streams: str, code: int, tmp_path: Path
) -> None:
    status, _, err = shell(arguments, streams, tmp_path)
    assert status == code, err
    assert err.count("\n") <= 1 or code == 0, err
    for path in tmp_path.iterdir():  # what is printed came into no file
        text = path.read_text()
        assert text.startswith(("{", "<svg", "<?xml")), text
        if path.suffix == ".jsonl":
            assert all(line.startswith("{") for line in text.splitlines())


# --- full disks

TAKES_NO_MORE = [  # command, streams, what the line names
    ("board classic --json", f">{FULL}", "standard output"),
    (f"board classic --svg {FULL}", "", FULL),
    (f"selfplay --player random --out {FULL}", "", FULL),
]
TAKES_NO_MORE_SLOW = [
    (f"replay {GAMES} --check", f">{FULL}", "standard output"),
    (f"analyze {MIDGAME} --sims 50", f">{FULL}", "standard output"),
    (f"analyze {MIDGAME} --sims 50 --json", f">{FULL}", "standard output"),
    ("selfplay --out -", f">{FULL}", "standard output"),
    (f"match greedy random --games 2 --out {FULL}", "", FULL),
    (f"show {GAMES}@9 --html {FULL}", "", FULL),
    (PLAY, f">{FULL}", "standard output"),
    ("--version", f">{FULL}", "standard output"),
]


@pytest.mark.slow
@needs_full
@pytest.mark.parametrize(
    ("arguments", "streams", "named"), [*TAKES_NO_MORE, *thinned(TAKES_NO_MORE_SLOW, 5)]
)
def test_a_full_disk_is_one_line(arguments: str, streams: str, named: str, tmp_path: Path) -> None:
    code, _, err = shell(arguments, streams, tmp_path)
    last = err.splitlines()[-1]
    assert (code, last) == (1, f"error: {named}: No space left on device"), err
    assert err.count("error") == 1


@pytest.mark.slow
@needs_full
def test_messages_that_cannot_be_written_stop_nothing(tmp_path: Path) -> None:
    code, _, _ = shell("selfplay --player random --games 2 --out x.jsonl", f"2>{FULL}", tmp_path)
    assert (code, (tmp_path / "x.jsonl").read_bytes().count(b"\n")) == (0, 2)
    assert shell("nonsense", f"2>{FULL}", tmp_path)[0] == 2


# --- readers that go away


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    thinned(
        [f"replay {GAMES}", "selfplay --out - --games 2000 --player random", "board classic --json",
         "selfplay --out /dev/stdout --games 2000 --player random"],
    ),
)  # fmt: skip
def test_a_reader_that_stops_ends_the_command(arguments: str, tmp_path: Path) -> None:
    code = (
        f"-c 'exec 3>&1; {{ {sys.executable} -m masons.cli {arguments} 3>&-; echo $? >&3; }} | :'"
    )
    done = subprocess.run(
        f"sh {code}", shell=True, capture_output=True, text=True, timeout=SECONDS, cwd=tmp_path
    )
    assert done.stdout == "1\n"
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 1


@pytest.mark.slow
def test_a_pipe_that_was_named_and_has_no_reader_any_more(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def read() -> None:
        with pipe.open("rb") as stream:
            stream.read(10)

    threading.Thread(target=read, daemon=True).start()
    code, _, err = shell("selfplay --player random --games 5000 --out pipe", "", tmp_path)
    assert (code, err) == (1, "error: pipe: Broken pipe\n")


# --- pipes that are named


@pytest.mark.parametrize("words", [["board"], ["show", "--board"]], ids=" ".join)
def test_a_pipe_is_read_like_a_file(words: list[str], tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    writer = threading.Thread(target=pipe.write_text, args=(Path(HEXAGON).read_text(),))
    writer.start()
    position = [Game(2, board=HEXAGON, seed=1).text] if words[1:] else []
    assert "hexagon-24" in told(*words, str(pipe), *position)
    writer.join()


@pytest.mark.slow
@pytest.mark.parametrize("words", thinned([["board"], ["replay"], ["analyze"]]), ids=" ".join)
def test_ctrl_c_ends_the_wait_for_a_pipe(words: list[str], tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    with start(*words, str(pipe)) as process:
        writer = os.open(pipe, os.O_WRONLY)  # waits for the reader
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=SECONDS)
        os.close(writer)
    assert (process.returncode, *said) == (130, "", "interrupted\n")


def test_ctrl_c_during_an_import_gives_the_exit_code(tmp_path: Path) -> None:
    """Modules run text by `exec` when they make dataclasses, after which Python itself can die."""
    (tmp_path / "pyarrow.py").write_text(
        "exec('import os, signal; os.kill(os.getpid(), signal.SIGINT)\\nwhile True: pass')"
    )
    words = ("dataset", "--out", "new", "--format", "parquet")
    done = run_python("-m", "masons.cli", *words, code=130, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("", "interrupted\n")


def test_a_match_goes_on_in_a_regular_file_only(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    for name in (str(pipe), os.devnull):
        said = f"error: {name} is not a regular file: name one that is\n"
        words = ("match", "random", "busy", "--games", "2", "--resume", "--out", name)
        assert called(*words) == (1, "", said)


@pytest.mark.parametrize("blanks", ["\n", " \r\n", "\t" * 70 + "\n"])
def test_blank_lines_without_end_are_refused(
    blanks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("masons.engine.game.record.MAX_LINE", 1 << 17)
    game = Path(GAMES).read_text().splitlines()[0]
    (path := tmp_path / "games.jsonl").write_text(blanks * 1000 + game + "\n" + blanks * 200_000)
    for command in ("replay", "verify"):
        code, out, err = called(command, str(path))
        assert (code, "game 1" in out) == (1, True)
        assert "ends over 131072 bytes of blank lines" in err


# --- signals

LONG = [
    f"analyze {MIDGAME} --time 5m", f"analyze {MIDGAME} --time 5m --threads 2 --policy busy",
    "match greedy random --games 100000", "match greedy random --games 100000 --concurrency 2",
    f"match '{sys.executable} -S {EXAMPLES / 'plain_random.py'}' random --games 9999",
    "selfplay --games 1000000 --out x.jsonl",
    "selfplay --games 1000000 --out - --concurrency 2",
    f"review {GAMES} --time 1m --resume work", f"perft {MIDGAME} 9", "bench --games 100000000",
    "protocol", "play --seed 1 --record game.jsonl",
]  # fmt: skip
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
SIGNALS = thinned(((arguments, number) for arguments in LONG for number in CODES), 11)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "number"),
    SIGNALS,
    ids=lambda value: value.name if isinstance(value, signal.Signals) else value[:40],
)
def test_a_signal_ends_every_long_command(
    arguments: str, number: signal.Signals, tmp_path: Path
) -> None:
    if number == signal.SIGINT and arguments.startswith("play"):
        return  # it asks first: test_play.py
    process = start(*shlex.split(arguments), cwd=tmp_path, stdin=subprocess.PIPE)
    lines: list[str] = []
    reader = threading.Thread(target=lambda: lines.extend(process.stdout), daemon=True)  # type: ignore[arg-type]
    reader.start()
    time.sleep(2.5)
    assert process.poll() is None, "it is over before it is ended"
    process.send_signal(number)
    assert process.stderr is not None
    began = time.monotonic()
    try:
        process.wait(timeout=SECONDS)
    finally:
        process.kill()  # nothing is left of one that did not end
    assert time.monotonic() - began < 20
    reader.join()
    err = process.stderr.read()
    assert process.returncode == CODES[number], err
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    word = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
    if number == signal.SIGINT and arguments.startswith("analyze") and lines:
        word = "stopped"  # what it found by then is printed
    said = [line for line in err.splitlines() if word in line]
    assert len(said) == 1, err
    assert "" not in err.splitlines(), err


@pytest.mark.slow
def test_what_is_ignored_stays_ignored() -> None:
    """As nohup has it."""
    code = (
        "import signal, os; from masons.cli.process import endings\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "with endings(): os.kill(os.getpid(), signal.SIGHUP); print('lives')"
    )
    assert run_python("-c", code).stdout == "lives\n"


@pytest.mark.slow
@pytest.mark.parametrize("number", thinned([signal.SIGTERM, signal.SIGHUP]))
def test_a_terminal_is_left_as_it_was_found(number: signal.Signals, tmp_path: Path) -> None:
    """Typed letters are shown again, and the game goes on from what was kept."""
    pexpect = pytest.importorskip("pexpect")
    import termios

    child = spawn("play", "--seed", "1", "--record", str(tmp_path / "game.jsonl"))
    before = termios.tcgetattr(child.child_fd)[3] & (termios.ECHO | termios.ICANON)
    child.expect(", wall:")
    time.sleep(0.5)
    child.kill(number)
    child.expect(f"ended by {number.name}")
    after = termios.tcgetattr(child.child_fd)[3] & (termios.ECHO | termios.ICANON)
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, after) == (CODES[number], before)
    assert (tmp_path / "game.jsonl").read_bytes().count(b"\n") == 1


@pytest.mark.slow
def test_a_terminal_that_is_closed_keeps_the_game(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    child = spawn("play", "--seed", "1", "--record", str(path))
    child.expect(", wall:")
    child.send("9\r")
    child.expect(", (towers|houses|wall|score|swap):")
    child.close(force=False)
    assert "the game is saved" in told("play", "--resume", str(path))


_INTERRUPTED_AT = """
import sys

class Finder:
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Finder())
sys.argv = ["masons-engine", "board"]
from masons.cli.__main__ import run
sys.exit(run())
"""


@pytest.mark.parametrize("module", ["click", "masons.cli.process", "masons.engine.errors"])
def test_ctrl_c_while_the_program_loads_is_one_line(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED_AT.format(module=module)],
        capture_output=True, text=True, cwd=ROOT, timeout=100,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
