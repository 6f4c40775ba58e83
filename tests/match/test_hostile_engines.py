"""Engines that break the protocol in a match: whatever they do, the match goes on."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from masons.engine.board.geometry import load_board
from masons.engine.game.record import parse_record
from masons.engine.game.replay import check_record
from tests.support.commands import called, whole_lines
from tests.support.paths import BOARDS, SUPPORT

SCRIPT = SUPPORT / "hostile_engine.py"
BOARD = str(BOARDS / "rhombus-2.json")
SMALL = ("--board", BOARD, "--seed", "1", "--json")
# For each fault of the engine, the kind that the referee names.
KINDS = {
    "exit": "crash", "closes": "crash", "readyok": "protocol", "no-id": "protocol",
    "wrong-id": "protocol", "long": "protocol", "bytes": "protocol", "info": "protocol",
    "error": "protocol",
}  # fmt: skip
MOMENTS = ("mei", "isready", "event", "go", "gameover")
# A choice of them, all in one match.
MIXED = (
    ("exit", "go"), ("long", "event"), ("bytes", "isready"), ("readyok", "go"), ("info", "gameover")
)  # fmt: skip
pytestmark = pytest.mark.usefixtures("compiled")


def hostile(fault: str, moment: str, folder: Path) -> str:
    """The argument of `match` for an engine with a fault."""
    file = folder / f"{fault}-{moment}"
    return f"{fault}-{moment}={sys.executable} -S {SCRIPT} {fault} {moment} {file}"


def check_match(path: Path, *words: str) -> Counter[str]:
    """Play a match, continue it, and return the faults of all its engines."""
    arguments = ("match", *words, *SMALL, "--out", str(path))
    code, out, err = called(*arguments)
    assert code == 0, err
    figures = json.loads(out)
    records = [parse_record(line) for line in path.read_text().splitlines()]
    assert len(records) == figures["games"]
    assert {check_record(record, load_board(BOARD)) for record in records} == {None}
    code, again, err = called(*arguments, "--resume")
    assert (code, again) == (0, out), err
    assert whole_lines(path) == figures["games"]
    assert f"{figures['games']} games played before" in err
    return sum((Counter(engine["faults"]) for engine in figures["engines"]), Counter())


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("fault", KINDS)
def test_a_match_goes_on(fault: str, moment: str, tmp_path: Path) -> None:
    """An engine that fails is started anew, and its faults are counted."""
    engine = hostile(fault, moment, tmp_path)
    # A second `readyok` at the end of a game is noticed in the next game.
    games = "4" if moment == "gameover" else "2"
    faults = check_match(tmp_path / "match.jsonl", engine, "busy", "--games", games)
    if (fault, moment) == ("info", "mei"):  # infos are skipped there
        assert not faults
    else:
        assert set(faults) == {KINDS[fault]}
    if moment == "go":
        assert faults[KINDS[fault]] >= 3  # all tries of a decision


@pytest.mark.parametrize("moment", ["event", "go", "gameover"])
def test_a_fault_of_a_strict_match_forfeits_one_game(moment: str, tmp_path: Path) -> None:
    """At the end of a game, a fault is counted, but forfeits nothing."""
    path = tmp_path / "match.jsonl"
    engine = hostile("exit", moment, tmp_path)
    faults = check_match(path, engine, "busy", "--games", "4", "--strict")
    notes = [parse_record(line)["match"] for line in path.read_text().splitlines()]
    forfeits = sum(len(note["forfeits"]) for note in notes)
    assert faults["crash"] > 0
    assert forfeits == (0 if moment == "gameover" else faults["crash"])
    assert all(len(note["faults"]) <= 1 for note in notes)


def test_a_late_move_loses_the_game(tmp_path: Path) -> None:
    """The margin says how late it may be, and the table says how late it was."""
    arguments = ("match", hostile("late", "go", tmp_path), "busy", "--games", "4", *SMALL)
    late, busy = json.loads(called(*arguments, "--time", "30ms")[1])["engines"]
    assert set(late["faults"]) == {"time"}
    assert late["forfeits"] == late["faults"]["time"] <= late["late"]["decisions"]
    assert late["late"]["most"] >= 0.4
    assert (busy["forfeits"], busy["faults"]) == (0, {})
    (tmp_path / "late-go").unlink()
    patient = [*arguments[:-1], "--time", "30ms", "--time-margin", "1m"]
    figures = json.loads(called(*patient, "--json")[1])
    assert figures["time_margin"] == 60
    late = figures["engines"][0]
    assert (late["faults"], late["forfeits"]) == ({}, 0)
    assert late["late"]["decisions"] >= 4
    (tmp_path / "late-go").unlink()
    code, out, _ = called(*patient)
    assert code == 0
    titles, row, _ = out.splitlines()[-3:]
    assert titles.split()[-4:] == ["late", "by", "up", "to"]
    assert row.split()[-1] == "s"


def test_a_margin_needs_a_time() -> None:
    code, out, err = called("match", "busy", "random", "--time-margin", "1s")
    assert (code, out) == (2, "")
    assert "--time-margin needs --time" in err


@pytest.mark.slow
def test_a_match_of_two_games_at_once_goes_on(tmp_path: Path) -> None:
    engines = [hostile(*each, tmp_path) for each in MIXED]
    words = ("--games", "20", "--concurrency", "2")
    faults = check_match(tmp_path / "match.jsonl", *engines, *words)
    assert set(faults) == {"crash", "protocol"}
