"""Files that are written over time: one process at a time, what happens to them, and repairs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from masons.cli.commands import review
from masons.engine.errors import FileLostError, MasonsError
from masons.engine.files import uninterrupted, write_atomic
from masons.engine.storage.held_file import HeldFile
from masons.match.playing.journal import read_journal
from tests.cli.conftest import GAMES, begun_game
from tests.support.commands import SECONDS, called, process, start, told

MATCH = ("match", "greedy", "random", "--games", "4", "--seed", "3", "--out")
HOLD = (
    "import sys, time; from masons.engine.storage.held_file import HeldFile; "
    "held = HeldFile(sys.argv[1], 'any'); print('held', flush=True); time.sleep(600)"
)


@pytest.fixture
def elsewhere() -> Iterator[Callable[[Path], subprocess.Popen[str]]]:
    """Lets another process hold a file."""
    begun = []

    def hold(path: Path) -> subprocess.Popen[str]:
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
        )
        begun.append(holder)
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        return holder

    yield hold
    for holder in begun:
        holder.kill()
        holder.communicate()


# --- one process at a time


def test_a_lock_goes_with_its_process(
    tmp_path: Path, elsewhere: Callable[[Path], subprocess.Popen[str]]
) -> None:
    path = tmp_path / "a.jsonl"
    holder = elsewhere(path)
    who = f"process {holder.pid}" if sys.platform == "linux" else "another process"
    with pytest.raises(MasonsError, match=f"is being written by {who}: wait"):
        HeldFile(str(path), "any")
    holder.kill()
    holder.wait()
    HeldFile(str(path), "old").close()
    assert os.listdir(tmp_path) == ["a.jsonl"]  # noqa: PTH208


def test_a_file_stays_held_when_other_content_takes_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    held = HeldFile(str(path), "new")
    for content in (b"one", b"", b"three"):
        held.replace(content)
        assert path.read_bytes() == content
        with pytest.raises(MasonsError, match="is being written"):
            HeldFile(str(path), "old")
    held.write(b" four")
    held.close()
    assert path.read_bytes() == b"three four"
    assert os.listdir(tmp_path) == ["a.jsonl"]  # noqa: PTH208


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "--resume"),
        ("play", "--repair", "--resume"),
        (*MATCH[:-1], "--resume", "--out"),
        (*MATCH[:-1], "--resume", "--repair", "--out"),
        ("selfplay", "--append", "--out"),
        ("selfplay", "--force", "--out"),
        ("review", GAMES, "--resume"),
    ],
    ids=" ".join,
)
def test_a_file_that_is_held_is_refused(arguments: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    begun_game(path)
    before = path.read_bytes()
    held = HeldFile(str(path), "old")
    code, out, err = called(*arguments, str(path))
    held.close()
    assert (code, out, err.count("\n")) == (1, "", 1), err
    assert f"error: {path} is being written by " in err
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.jsonl"]  # noqa: PTH208


def test_two_of_the_same_review_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the cache nobody named a file: the second review keeps no work."""
    monkeypatch.setattr(review, "user_cache_path", lambda _: tmp_path)
    (tmp_path / "reviews").mkdir()
    held = HeldFile(str(tmp_path / "reviews" / "a.json"), "new")
    assert review._cached("a") is None
    held.close()
    assert "another process is doing this review" in capsys.readouterr().err


@pytest.mark.slow
def test_two_at_one_game(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    begun_game(path)
    words = ("play", "--resume", str(path))
    first = start(*words, stdin=subprocess.PIPE)
    assert first.stdout is not None
    assert first.stdout.read(len("pass the keyboard"))
    second = process(*words, text="\n" * 9)
    assert (second.returncode, second.stdout, second.stderr.count("\n")) == (1, "", 1)
    out, err = first.communicate("", timeout=SECONDS)
    assert (first.returncode, err) == (0, "")
    assert "the game is saved" in out
    header, entries, _ = read_journal(str(path))
    assert (header["seed"], len(entries)) == (7, 6)


def test_a_new_file_in_which_nothing_was_written_is_taken_away(tmp_path: Path) -> None:
    """The same command can be called again."""
    path = tmp_path / "match.jsonl"
    broken = f"{sys.executable} -c 1"
    for _ in range(2):
        code, _, err = called("match", broken, "random", "--out", str(path))
        assert code == 1
        assert "exists" not in err
        assert not path.exists()


@pytest.mark.parametrize(
    "words", [("play", "--humans", "--record"), MATCH, ("selfplay", "--out")], ids=" ".join
)
def test_an_empty_file_which_a_kill_can_leave_counts_as_new(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    path.touch()
    told(*words, str(path))
    first = path.read_bytes()
    assert first
    code, out, err = called(*words, str(path))
    assert (code, out) == (1, "")
    assert f"{path} exists: " in err
    assert path.read_bytes() == first


# --- what happens to a file that is written


def deleted(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    path.with_name("b").write_text("something else\n")
    path.with_name("b").replace(path)


def cut_short(path: Path) -> None:
    os.truncate(path, 2)


def changed(path: Path) -> None:
    with path.open("a") as file:
        file.write("more\n")


HARM = [deleted, replaced, cut_short, changed]


@pytest.mark.parametrize("harm", HARM)
def test_a_file_that_is_lost_is_noticed_and_its_lines_are_kept(
    harm: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    held = HeldFile(str(path), "new")
    held.write(b"one\n")
    harm(path)
    after = path.read_bytes() if path.exists() else None
    with pytest.raises(FileLostError, match=harm.__name__.replace("_", " ")):
        held.write(b"two\n", whole=b"one\n")
    assert (tmp_path / "a.jsonl.kept").read_bytes() == b"one\ntwo\n"
    with pytest.raises(FileLostError, match=r"a\.jsonl\.kept-2"):
        held.check()
    assert (path.read_bytes() if path.exists() else None) == after
    held.close()


@pytest.mark.parametrize("harm", HARM[:2])
@pytest.mark.parametrize("number", [2, 4])
def test_a_match_without_its_file_ends_with_an_error(
    harm: Callable[[Path], None], number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it happens after the last game: no table, and all games are kept."""
    path, write, written = tmp_path / "match.jsonl", HeldFile.write, []

    def writing(self: HeldFile, data: bytes, **more: bytes) -> None:
        write(self, data, **more)
        written.append(data)
        if len(written) == number:
            harm(path)

    monkeypatch.setattr(HeldFile, "write", writing)
    code, out, err = called(*MATCH, str(path))
    assert (code, out) == (1, "")
    assert f"error: {path} was {harm.__name__}" in err
    assert path.exists() == (harm is replaced)
    lines = (tmp_path / "match.jsonl.kept").read_bytes().splitlines(keepends=True)
    assert lines[:number] == written
    assert len(lines) == min(number + 1, 4)


@pytest.mark.parametrize("harm", HARM)
def test_a_game_without_its_file_ends_and_is_kept(
    harm: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.jsonl"
    move = begun_game(path)
    harmed: list[int] = []

    def ask(_self: object, prompt: str, _words: object = ()) -> str:
        if "press Enter" in prompt:
            return ""
        if path.exists() and not harmed:
            harmed.append(1)
            harm(path)
        return move

    monkeypatch.setattr("masons.cli.terminal.screen.Screen.ask", ask)
    code, _, err = called("play", "--resume", str(path))
    assert (code, err.count("\n")) == (1, 1)
    assert harm.__name__.replace("_", " ") in err
    _, entries, _ = read_journal(f"{path}.kept")
    assert len(entries) == 7


def test_ctrl_c_waits_for_what_must_not_come_apart() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        with uninterrupted(), uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            done.append(1)
        done.append(2)
    assert done == [1]
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_while_a_game_of_a_match_is_written_counts_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, flush = tmp_path / "match.jsonl", os.fsync

    def interrupted(handle: int) -> None:
        flush(handle)
        if len(path.read_bytes().splitlines()) == 2:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "fsync", interrupted)
    code, out, err = called(*MATCH, str(path))
    assert code == 130
    assert out.startswith("2 games in 1 block, 2 players")
    assert err.endswith("interrupted after 2 games\n")
    assert len(path.read_bytes().splitlines()) == 2


def test_ctrl_c_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = tempfile.mkstemp

    def interrupted(**words: Any) -> tuple[int, str]:
        made = make(**words)
        signal.raise_signal(signal.SIGINT)
        return made

    monkeypatch.setattr(tempfile, "mkstemp", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(tmp_path / "page.html", "whole")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [
        ("page.html", "whole")
    ]


# --- repairs


@pytest.mark.slow
def test_a_match_goes_on_without_a_damaged_line(tmp_path: Path) -> None:
    path, bad = tmp_path / "match.jsonl", tmp_path / "match.jsonl.bad"
    whole = told(*MATCH, str(path))
    first, _, *rest = path.read_bytes().splitlines()
    record = b'{"format": "masons-record", "version": 1}'
    for line in (b"nonsense", b"{}", record, b"\xff", b"\0" * 300):
        before = b"\n".join([first, line, *rest]) + b"\n"
        path.write_bytes(before)
        code, out, err = called(*MATCH, str(path), "--resume")
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert f"error: {path}, record 2: " in err
        assert "--resume --repair drops such lines" in err
        assert path.read_bytes() == before
        code, out, err = called(*MATCH, str(path), "--resume", "--repair")
        assert (code, out) == (0, whole)
        assert "1 line was left out, 3 kept" in err
        assert bad.read_bytes() == before
        bad.unlink()
        assert [json.loads(x)["match"]["number"] for x in path.open()] == [0, 2, 3, 1]
    code, out, err = called(*MATCH, str(path), "--resume", "--repair")
    assert (code, out) == (0, whole)
    assert "nothing needed repair" in err
    assert os.listdir(tmp_path) == ["match.jsonl"]  # noqa: PTH208


def test_a_file_of_something_else_is_not_repaired(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(Path(GAMES).read_bytes())
    code, out, err = called(*MATCH, str(path), "--resume", "--repair")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "no game of a match" in err
    assert path.read_bytes() == Path(GAMES).read_bytes()


@pytest.mark.parametrize(
    "line", [b"nonsense", b"{}", b'{"p": 0, "move": "wall:9999"}', b"\xff", b"[1]"]
)
def test_a_game_goes_on_from_what_stands_before_a_damaged_line(
    line: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(*_: object) -> str:
        raise EOFError

    monkeypatch.setattr("masons.cli.terminal.screen.Screen.ask", end)
    path = tmp_path / "game.jsonl"
    begun_game(path)
    lines = path.read_bytes().splitlines()
    before = b"\n".join([*lines[:4], line, *lines[5:]]) + b"\n"
    path.write_bytes(before)
    code, out, err = called("play", "--resume", str(path))
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"{path}, line 5: " in err or f"{path}: entry 4 of the game: " in err
    assert "--resume FILE --repair continues from the entry before it" in err
    assert path.read_bytes() == before
    code, out, err = called("play", "--resume", str(path), "--repair")
    assert code == 0
    assert "the last 3 lines left out, 4 kept" in err
    assert (tmp_path / "game.jsonl.bad").read_bytes() == before
    assert path.read_bytes().splitlines() == lines[:4]


def test_a_game_that_cannot_begin_is_named_in_a_repair_too(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    begun_game(path)
    header, *rest = path.read_text().splitlines()
    dealt = {**json.loads(header), "seed": None, "hands": [["cities"], ["cities"]]}
    path.write_text("\n".join([json.dumps(dealt), *rest]) + "\n")
    for more in ([], ["--repair"]):
        code, out, err = called("play", "--resume", str(path), *more)
        said = err.startswith(f"error: {path}: ")
        assert (code, out, said, err.count("\n")) == (1, "", True, 1), err
