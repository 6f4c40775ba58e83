"""Kills at any moment, then gone on with: nothing lost, nothing twice, the same result in the end.

    MASONS_FUZZ=200 pytest tests/fuzz/test_fuzz_kills.py -n 2

Each case is a number, from which all follows but the moment at which the system carries out a kill.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from masons.ai.practice.progress import read_progress
from masons.engine.board.geometry import load_board
from masons.engine.fair.fair_check import check_fair
from masons.engine.fair.fair_game import Fair, keep_secret
from masons.engine.game.game import Game
from masons.engine.game.record import parse_record, read_record
from masons.engine.game.replay import check_record
from masons.match.playing.game_setup import GameSetup, setup_of
from masons.match.playing.games_folder import FORMAT
from masons.match.playing.journal import begin_journal, read_journal
from masons.match.playing.played_game import PlayedGame
from masons.match.running.match_file import outcome_of
from tests.support.paths import EXAMPLES
from tests.support.playing import moves_by_chance

CASES = int(os.environ.get("MASONS_FUZZ", "2"))
SECONDS = 60.0
KILLS = tuple(
    getattr(signal, name) for name in ("SIGKILL", "SIGKILL", "SIGTERM", "SIGHUP", "SIGINT")
    if hasattr(signal, name)
)  # fmt: skip
pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("compiled", "hangup"),
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]


def begins(err: str) -> bool:
    """Return whether Ctrl-C came before the program: then the traceback is Python's."""
    known = err.replace("masons/__init__.py", "")
    return err.rstrip().endswith("\nKeyboardInterrupt") and "masons" not in known


class CommandRun:
    """A command in a process, with what it is told and what it says, in files."""

    def __init__(self, words: Sequence[str], told: str = "") -> None:
        self._files = [TemporaryFile("w+") for _ in range(3)]  # noqa: SIM115
        self._files[0].write(told)
        self._files[0].seek(0)
        command = [sys.executable, "-m", "masons.cli", *words]
        self.process = subprocess.Popen(
            command, stdin=self._files[0], stdout=self._files[1], stderr=self._files[2]
        )
        self.out = self.err = ""

    def end(self) -> int:
        """Return its exit code, after it has ended in time and without a traceback."""
        try:
            code = self.process.wait(SECONDS)
        finally:
            self.process.kill()  # nothing is left of one that hangs
        for file in self._files:
            file.seek(0)
        _, self.out, self.err = (file.read() for file in self._files)
        assert "Traceback" not in self.err or begins(self.err), self.err
        assert "Exception ignored" not in self.err, self.err
        return code


def lines_of(path: Path) -> list[bytes]:
    """The whole lines of a file."""
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


def kill_somewhere(
    run: CommandRun, path: Path, chance: random.Random, most: int, *, asks: bool = False
) -> int:
    """Kill a command after so many lines of its file and a moment more; its exit code.

    `asks`: at Ctrl-C it asks a question, which would take the next line typed for its answer.
    """
    least = len(lines_of(path)) + chance.randrange(most)
    until = time.monotonic() + SECONDS
    while run.process.poll() is None and len(lines_of(path)) < least and time.monotonic() < until:
        time.sleep(0.002)
    time.sleep(chance.choice((0.0, chance.random() * 0.02, chance.random())))
    number = chance.choice(KILLS[:-1] if asks else KILLS)
    kept = lines_of(path)
    run.process.send_signal(number)
    code = run.end()
    # Before its handlers stand, and after its work, a signal ends it as the system has it.
    assert code in (0, 1, -number, 128 + number), (code, number, run.err)
    if code == 1:  # Ctrl-C before there is a handler, or a question about it that nobody answers
        of_python = run.err.startswith("Fatal Python error: init_")  # while Python itself starts
        assert of_python or "error" not in run.err, run.err
    if path.exists() and not path.read_bytes().startswith(b'{"format": "masons-review'):
        assert lines_of(path)[: len(kept)] == kept or is_record(path), "lines were lost"
    return code


def is_record(path: Path) -> bool:
    """Return whether a game's file has become its record."""
    lines = lines_of(path)
    return len(lines) == 1 and FORMAT.encode() not in lines[0][:40]


def go_on(words: Sequence[str], chance: random.Random, told: str = "") -> str:
    """The command once more, or two of it at once; what one of them says in the end."""
    runs = [CommandRun(words, told) for _ in range(1 + chance.randrange(2))]
    codes = [run.end() for run in runs]
    for run, code in zip(runs, codes, strict=True):
        if code:
            assert code == 1, run.err
            assert run.err.count("\n") == 1, run.err
            # Refused while the other writes; `play` also finds the game finished.
            assert "is being written by" in run.err or "is a finished game" in run.err
    assert 0 in codes
    return runs[codes.index(0)].out


# --- what is killed


@cache
def whole(*words: str) -> str:
    """Return the output of a command that nobody kills."""
    run = CommandRun(words)
    assert run.end() == 0, run.err
    return run.out


def match(folder: Path, chance: random.Random) -> str:
    """Kill a match some times, and go on with it; return the output in the end."""
    path, games = folder / "games.jsonl", 40
    words = ["match", "greedy", "random", "--games", str(games), "--seed", str(chance.randrange(2))]
    for _ in range(1 + chance.randrange(3)):
        more = ["--concurrency", str(chance.choice((1, 2))), "--out", str(path)]
        resume = ["--resume"] if path.exists() else []
        kill_somewhere(CommandRun([*words, *more, *resume]), path, chance, games // 2)
    out = go_on([*words, "--out", str(path), "--resume"], chance)
    numbers = [outcome_of(parse_record(line.decode())).number for line in lines_of(path)]
    assert sorted(numbers) == list(range(games))
    assert out == whole(*words)
    return out


def selfplay(folder: Path, chance: random.Random) -> None:
    path, seed = folder / "games.jsonl", str(chance.randrange(2))
    words = ["selfplay", "--player", "greedy", "--games", "30", "--seed", seed]
    right = whole(*words, "--out", "-").encode().split(b"\n")[:-1]
    at_once = ["--concurrency", str(chance.choice((1, 2)))]
    kill_somewhere(CommandRun([*words, *at_once, "--out", str(path)]), path, chance, 20)
    kept = lines_of(path)
    assert kept == right[: len(kept)]
    rest = right[len(kept) :]
    if rest:
        onward = ["--seed", str(int(seed) + len(kept)), "--games", str(len(rest))]
        go_on([*words[:3], *onward, "--append", "--out", str(path)], chance)
    # The rest is played once, or by two that came one after the other.
    assert lines_of(path) in (kept + rest, kept + rest * 2)


def review(folder: Path, chance: random.Random) -> None:
    path = folder / "work"
    few = ("--sims", "40", "--rollouts", "60", "--playouts", "8")
    words = ["review", str(EXAMPLES / "games.jsonl"), *few]
    for _ in range(1 + chance.randrange(2)):
        run = CommandRun([*words, "--resume", str(path)])
        time.sleep(chance.random() * 5)
        kill_somewhere(run, path, chance, 1)
    right = whole(*words, "--resume", str(folder.parent / "whole"))
    assert go_on([*words, "--resume", str(path)], chance) == right


def play(folder: Path, chance: random.Random, fair: Fair | None = None) -> None:
    """Type moves into a game that is killed some times, and go on to its end.

    No text of a fair game's file tells the secret before then.
    """
    path, seed = folder / "game.jsonl", chance.randrange(5)
    game = fair.new_game() if fair else Game(2, board=load_board("classic"), seed=seed, first=0)
    moves = [str(move) for move in moves_by_chance(game, chance)]
    resume = ["play", "--resume", str(path)]
    begin = ["play", "--humans", "--seed", str(seed), "--record", str(path)]
    for _ in range(1 + chance.randrange(3)):
        if not path.exists() or not is_record(path):
            run = CommandRun(resume if path.exists() else begin, typed(moves, path))
            kill_somewhere(run, path, chance, 60, asks=True)
            if not lines_of(path):  # killed before the setup was written
                path.unlink(missing_ok=True)
    if not path.exists():
        CommandRun(begin, "").end()
    if not is_record(path):
        assert fair is None or fair.secret.hex() not in path.read_text()
        go_on(resume, chance, typed(moves, path))
    record = read_record(path)
    assert (check_fair if fair else check_record)(record) is None
    assert record["events"] == game.events


def fair_play(folder: Path, chance: random.Random) -> None:
    fair = Fair(chance.randbytes(32), ("one", "two"))
    setup = GameSetup(2, (0, 1), ("A", "B"), None, 1, fair.first or 0, fair=fair.terms)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        keep_secret(fair)
        header = PlayedGame(load_board("classic"), setup).header()
        begin_journal(str(folder / "game.jsonl"), header).close()
        play(folder, chance, fair)


def typed(moves: Sequence[str], path: Path) -> str:
    """Return the input after the decisions that a file holds, the first ones, each once.

    Return passes the keyboard, or does nothing.
    """
    entries = []
    if path.exists():
        header, entries, _ = read_journal(str(path))
        assert [entry["move"] for entry in entries] == list(moves[: len(entries)])
        PlayedGame(load_board("classic"), setup_of(header)).follow(entries)
    return "".join(f"\n{move}\n" for move in moves[len(entries) :])


def practice(folder: Path, chance: random.Random) -> None:
    """Of each answer that was said to come again the file knows, whoever else practiced."""
    path = folder / "progress.json"
    words = ["practice", "--progress", str(path), "--seed", str(chance.randrange(100))]
    said = kills = 0
    while True:
        runs = [CommandRun(words, "a\n\n" * 15) for _ in range(1 + chance.randrange(2))]
        if kills < 3:
            time.sleep(chance.random() * 3)
            runs[0].process.send_signal(chance.choice(KILLS))
            kills += 1
        codes = [run.end() for run in runs]
        said += sum(run.out.count("It comes again") for run in runs)
        attempts = sum(card.attempts for card in read_progress(path).cards.values())
        assert said <= attempts <= said + kills
        if codes == [0] * len(runs):
            return


KINDS: list[Callable[[Path, random.Random], object]] = [
    match, play, selfplay, play, review, fair_play, practice
]  # fmt: skip


@pytest.mark.parametrize("case", range(CASES))
def test_nothing_is_lost_by_a_kill(case: int, tmp_path: Path) -> None:
    kind = KINDS[case % len(KINDS)]
    try:
        kind(tmp_path, random.Random(case))
    except AssertionError:
        print(f"case {case}: {kind.__name__}, files in {tmp_path}: {os.listdir(tmp_path)}")  # noqa: PTH208
        raise
    litter = [p.name for p in tmp_path.iterdir() if p.name.startswith(".")]
    assert not litter, litter
