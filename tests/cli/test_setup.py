"""`setup`: answers are checked at once, can be taken back, and make the position that they say."""

from __future__ import annotations

import io
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from masons.cli.commands.analysis import setup, setup_steps
from masons.cli.main import run
from masons.engine.formats.position_text import format_position, parse_position
from masons.engine.game.game import Game
from tests.support.paths import BOARDS
from tests.support.playing import board_of, moves_by_chance

SCORING = (
    "masons1 board=classic players=2 turn=4 active=0 phase=score city=89 scores=0,0 "
    "hands=city-size-7+city-green+city-green+land-towers+land-shore+cities/?6 "
    "walls=36,126,138,140,141 towers=white:12,46,58;gray:51;black:20,47,50 "
    "houses=red:23,89;yellow:68,89;green:22,90;blue:76,81,88,89"
)
HAND = "city-size-7 city-green city-green land-towers land-shore cities"
ANSWERS = (
    "", "", "", "score", "0", "", "36,126,138,140,141", "white:12,46,58;gray:51;black:20,47,50",
    "red:23,89;yellow:68,89;green:22,90;blue:76,81,88,89", "", "", "", "0,0", "",
    "city-size-7 city-green, city-green + land-towers land-shore cities", "6", "", "",
)  # fmt: skip


class Terminal:
    """Lines on standard input, in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._patch, self._capsys = monkeypatch, capsys

    def run(self, lines: Sequence[str], *arguments: str) -> tuple[int, str, str]:
        text = "".join(f"{line}\n" for line in lines)
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code = run(["setup", *arguments])
        out, err = self._capsys.readouterr()
        return code, out, err


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(monkeypatch, capsys)


def test_a_position_line_by_line(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "position.txt"
    code, out, _ = terminal.run(ANSWERS, "--out", str(file))
    assert (code, out) == (0, SCORING + "\n")
    assert file.read_text() == SCORING + "\n"


def test_wrong_answers_are_asked_again(terminal: Terminal) -> None:
    lines = list(ANSWERS)
    lines[14:14] = ["nonsense", "city-green city-green city-green", "?"]
    lines[9:9] = ["blue:3", "purple:89"]
    lines[7:7] = ["white:12", "-"]
    lines[6:6] = ["36,999", "x", "-"]
    lines[3:3] = ["lunch"]
    lines[1:1] = ["5", "two"]
    code, out, err = terminal.run(lines)
    assert (code, out) == (0, SCORING + "\n")
    for fault in (
        "players must be 2, 3 or 4",
        "phase must be one of",
        "'999' is no line",
        "no tower stands there",
        "stands in no completed city",
        "'nonsense' is not a card",
        "cards joined by blanks",
    ):
        assert fault in err


def test_back_returns_to_the_question_before(terminal: Terminal) -> None:
    lines = ["back", "", "4", "back", "3", "back", "back", "", "2", *ANSWERS[2:]]
    code, out, err = terminal.run(lines)
    assert (code, out) == (0, SCORING + "\n")
    assert "this is the first question" in err


@pytest.mark.parametrize("given", range(len(ANSWERS)))
def test_what_was_entered_survives_the_end_of_input(terminal: Terminal, given: int) -> None:
    code, out, err = terminal.run(ANSWERS[:given])
    assert (code, out) == (1, "")
    if given == 0:
        assert "nothing was entered" in err
        return
    command = re.search(r"go on with masons-engine setup (--from .*)", err)
    assert command
    code, out, _ = terminal.run(ANSWERS[given:], *shlex.split(command[1]))
    assert (code, out) == (0, SCORING + "\n")


def test_ctrl_c(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(_: str, __: Sequence[str]) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(setup, "_ask_plainly", ask)
    code, out, err = terminal.run([], "--from", "board=classic players=3")
    assert (code, out) == (130, "")
    assert "--from 'board=classic players=3'" in err


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "board=nowhere",
        "players=2 players=3",
        "board=classic players=9",
        "board=classic phase=wall",
    ],
)
def test_a_wrong_line_to_go_on_with(terminal: Terminal, line: str) -> None:
    code, out, err = terminal.run([], "--from", line)
    assert (code, out) == (1, "")
    assert err.startswith("error: --from")


def test_analysis_is_offered(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    from masons.cli.commands.analysis.analyze import command

    monkeypatch.setattr(command, "main", lambda arguments, **_: asked.append(arguments))
    assert terminal.run([*ANSWERS, "no"])[0] == 0
    assert asked == []
    assert terminal.run([*ANSWERS, "yes"])[0] == 0
    assert asked == [[SCORING]]


def answers_of(text: str, own: int) -> list[str]:
    """What one answers to get a position, as its seat `own` sees it."""
    board, position = parse_position(text)
    fields = dict(word.split("=", 1) for word in text.split()[1:])
    fields["own"] = str(own)
    fields["hand"] = fields["hands"].split("/")[own]
    sizes = [str(size) for seat, size in enumerate(position.hand_sizes) if seat != own]
    fields["others"] = ",".join(sizes)
    fields.setdefault("seat", fields["active"])
    known: dict[str, str] = {}
    for step in setup_steps.STEPS:
        if step.asked(known):
            nothing = "0" if step.key in ("turn", "rolled") else "-"
            known[step.key] = fields.get(step.key, nothing)
    assert board.name == "classic"
    return list(known.values())


@pytest.mark.slow
def test_every_position_of_games_can_be_entered(terminal: Terminal) -> None:
    chance = random.Random(5)
    phases = set()
    for players in (2, 3, 4):
        game = Game(players=players, seed=players)
        for _ in moves_by_chance(game, chance):
            if game.phase in phases and chance.random() < 0.97:
                continue
            phases.add(game.phase)
            seen = format_position(game.view(game.seat), game.board)
            code, out, err = terminal.run(answers_of(seen, game.seat))
            assert (code, out) == (0, seen + "\n"), err
    assert phases >= {"wall", "towers", "houses", "merge", "score", "swap"}


def test_a_board_of_ones_own(terminal: Terminal) -> None:
    board = board_of("hexagon-24")
    file = str(BOARDS / "hexagon-24.json")
    lines = [file, "", "", "", "", "0", "white:0;gray:1", "", *[""] * 3, HAND, *[""] * 3]
    ends = board.line_towers[0]
    lines[6] = f"white:{ends[0]};gray:{ends[1]}"
    lines[7] = f"red:{','.join(str(space) for space in board.line_spaces[0] if space is not None)}"
    code, out, err = terminal.run(lines)
    assert code == 0, err
    assert out.startswith("masons1 board=hexagon-24 players=2 turn=1 active=0 phase=wall")


def test_the_file_of_the_board_is_not_written(terminal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "hexagon-24.json"
    file.write_text(text := (BOARDS / file.name).read_text())
    code, out, err = terminal.run([str(file), *[""] * 10, HAND, *[""] * 5], "--out", str(file))
    assert code == 2, err
    assert out.startswith("masons1 board=hexagon-24 ")
    assert "is the file that is read: choose another name" in err
    assert file.read_text() == text


def test_nonsense_never_breaks_it(terminal: Terminal) -> None:
    chance = random.Random(7)
    pieces = [
        *("back", "?", "-", "0", "1", "-1", "2", "=", ",", ";", ":", "/", "\0", "é", "²"),
        *("white:0", "score", "wall", "final", "0,1", "1,0", "red:0*9", "9" * 30, "x" * 300),
    ]
    for _ in range(20):
        lines = [chance.choice(["", *pieces]) for _ in range(40)]
        code, _, err = terminal.run(lines)
        assert code in (0, 1)
        assert "Traceback" not in err


@pytest.mark.slow
def test_through_a_real_process() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "masons.cli", "setup"],
        input="".join(f"{line}\n" for line in ANSWERS),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, SCORING + "\n"), done.stderr
