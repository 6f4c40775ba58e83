"""Records written and read: `selfplay`, `replay` and `perft`, games named on the command line."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from masons.ai.search import executors
from masons.cli.sources import find_position
from masons.engine.game.game import Game
from masons.engine.game.record import parse_record, read_record
from masons.engine.game.replay import Replay, check_record, replay_to
from tests.cli.conftest import GAMES, HEXAGON
from tests.support.commands import called, start, told, wait_for, whole_lines

LINES = Path(GAMES).read_text().splitlines()


# --- selfplay


@pytest.mark.slow
def test_selfplay_is_repeatable_and_legal(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    specs = ["--player", "busy", "--player", "greedy"]

    def play(*arguments: str) -> str:
        told("selfplay", *specs, "--out", str(path), *arguments)
        return path.read_text()

    first = play("--games", "3", "--seed", "7")
    records = [parse_record(line) for line in first.splitlines()]
    assert [record["seed"] for record in records] == [7, 8, 9]
    assert [record["first"] for record in records] == [1, 0, 1]
    assert [record["names"] for record in records] == [["busy", "greedy"]] * 3
    assert [check_record(record) for record in records] == [None] * 3
    assert play("--games", "3", "--seed", "7", "--force") == first
    # Game by game it is the same: a run that was cut short can be taken up again.
    play("--games", "1", "--seed", "7", "--force")
    lines = first.splitlines()
    assert play("--games", "1", "--seed", "9", "--append").splitlines() == lines[::2]
    assert told("selfplay", *specs, "--seed", "7", "--games", "3", "--out", "-") == first
    out = told("replay", str(path), "--check")
    assert out == "game 1: ok\ngame 2: ok\n2 checked, all ok\n"


@pytest.mark.slow
def test_a_kill_loses_only_the_game_in_hand(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    process = start("selfplay", "--games", "100000", "--player", "busy", "--out", str(path))
    wait_for(lambda: whole_lines(path) >= 3)
    process.kill()
    process.communicate()
    whole = [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
    assert len(whole) >= 3
    assert all(check_record(parse_record(line)) is None for line in whole[:5])
    path.write_text("".join(whole[:3]) + whole[2][:100])
    code, _, err = called("selfplay", "--player", "busy", "--append", "--out", str(path))
    assert (code, "removed 100 bytes" in err) == (0, True)
    lines = path.read_text().splitlines()
    assert len(lines) == 4
    assert all(check_record(parse_record(line)) is None for line in lines)


def test_appending_never_takes_what_is_no_torn_record(tmp_path: Path) -> None:
    """A whole record without its newline stays; what is no record is left alone."""
    whole, notes = tmp_path / "whole.jsonl", tmp_path / "notes.txt"
    whole.write_text(LINES[0])
    play = ("selfplay", "--player", "busy", "--append", "--out")
    assert called(*play, str(whole))[0] == 0
    assert called("replay", "--check", str(whole))[1].endswith("2 checked, all ok\n")
    notes.write_text("my notes")
    code, _, err = called(*play, str(notes))
    assert (code, notes.read_text()) == (1, "my notes")
    assert "does not end in a game record" in err


def test_selfplay_on_another_board_with_early_roll(tmp_path: Path) -> None:
    path = str(tmp_path / "games.jsonl")
    arguments = ["--players", "4", "--player", "random", "--board", HEXAGON, "--early-roll"]
    told("selfplay", *arguments, "--out", path)
    assert read_record(path)["options"] == ["early_roll"]
    assert called("replay", path)[0] == 1
    told("replay", path, "--check", "--board", HEXAGON)
    assert told("perft", f"{path}@1", "1", "--board", HEXAGON) == "43\n"


# --- replay


@pytest.mark.slow
def test_replay_tells_the_whole_game() -> None:
    out = told("replay", GAMES, "--game", "1")
    record = read_record(GAMES)
    for seat, name in enumerate(record["names"]):
        assert f"{name} {record['result']['scores'][seat]} (" in out
    numbers = [int(line[:5]) for line in out.splitlines() if line[:5].strip().isdigit()]
    assert numbers == [*range(1, len(numbers) + 1)]
    last = replay_to(record, len(numbers))
    last.apply(last.legal_moves()[0])
    assert last.is_over


def test_a_game_is_named_by_its_number_and_a_file_by_any_name(tmp_path: Path) -> None:
    second = told("replay", f"{GAMES}#2")
    assert second == told("replay", GAMES, "--game", "2")
    assert second.startswith("game 2: ")
    first, second = (told("perft", f"{GAMES}{place}", "1") for place in ("@150", "#002@0150"))
    assert first != second
    odd = tmp_path / "a#b.jsonl"
    odd.write_text("\n".join(LINES))
    assert told("perft", f"{odd}#2@150", "1") == second
    for name in ("a#2", "b@1"):  # a file of just that name comes first
        (tmp_path / name).write_text(LINES[1])
        assert told("replay", str(tmp_path / name), "--counts").startswith("170\n")


@pytest.mark.slow
def test_what_is_a_decision_is_as_the_docs_say() -> None:
    """Towers and houses only where there was a choice, and every other move."""
    record = read_record(GAMES)
    kinds = ("wall", "early-roll", "merge", "play", "abstain", "swap", "final")
    replayed, decisions = Replay(record), set[int]()
    while not replayed.is_done:
        decisions.add(len(replayed.game.events))
        replayed.step()
    events = record["events"]
    others = {events[at]["e"] for at in decisions if events[at]["e"] not in kinds}
    assert others == {"towers", "houses"}
    assert decisions >= {at for at, event in enumerate(events) if event["e"] in kinds}
    assert [len(replay_to(record, number).events) for number in (1, 2, 40)] == [
        sorted(decisions)[number - 1] for number in (1, 2, 40)
    ]
    story = told("replay", str(GAMES), "--game", "1")
    assert len(re.findall(r"^ {0,4}\d+  ", story, re.M)) == len(decisions)


def test_replay_checks_every_game(tmp_path: Path) -> None:
    bad = json.loads(LINES[1])
    bad["result"]["scores"][0] += 1
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join([LINES[0], json.dumps(bad), "no record", LINES[2]]))
    code, out, _ = called("replay", str(path), "--check")
    said = out.splitlines()
    assert code == 1
    assert said[0] == "game 1: ok"
    assert said[1].startswith("game 2: result: ")
    assert said[2].startswith("game 3: not JSON, as a game record is: it begins 'no record'")
    assert said[3:] == ["game 4: ok", "4 checked, 2 bad"]
    assert called("replay", str(path), "--game", "2")[0] == 1
    told("replay", str(path), "--check", "--game", "4")


@pytest.mark.slow
def test_a_fault_is_told_with_its_file_and_game(tmp_path: Path) -> None:
    bad = json.loads(LINES[1])
    del bad["events"][30:]
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join([LINES[0], json.dumps(bad)]), encoding="utf-8-sig")
    fault = "game 2: event 31 is missing: "
    for words in (
        ["replay", str(path)],
        ["replay", str(path), "--game", "2", "--counts"],
        ["perft", f"{path}#2@150", "1"],
    ):
        code, _, err = called(*words)
        assert (code, err.startswith(f"error: {path}, {fault}"), err.count("\n")) == (1, True, 1)
    code, _, err = called("replay", "-", text=json.dumps(bad))
    assert (code, err.startswith("error: standard input, game 1: event 31 ")) == (1, True)
    path.write_text(f"{LINES[0]}\nno record\n")
    code, _, err = called("review", str(path), "--all", "--sims", "4")
    assert (code, err.startswith(f"error: {path}, game 2: not JSON")) == (1, True)
    path.write_text(LINES[0])
    said = f"error: {path} holds 1 game, no game 2\n"
    assert called("replay", str(path), "--game", "2") == (1, "", said)


@pytest.mark.parametrize("put", [[[]], [""]])
def test_a_placing_of_no_form_is_told_by_every_reader_of_records(
    put: object, tmp_path: Path
) -> None:
    bad = json.loads(LINES[0])
    number = next(n for n, event in enumerate(bad["events"]) if len(event.get("put", "")) == 1)
    bad["events"][number]["put"] = put  # a tower that the rules force
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(bad))
    fault = f"game 1: event {number + 1}: "
    for line in ("replay", "show --html -", "review", "show @9", "analyze @9", "belief @9"):
        command, *options = line.split()
        place = options.pop() if options[:1] == ["@9"] else ""
        code, _, err = called(command, f"{path}{place}", *options)
        assert (code, err.startswith(f"error: {path}, {fault}"), err.count("\n")) == (1, True, 1)
    code, out, _ = called("replay", "--check", str(path))
    assert (code, out.startswith(fault), out.count("\n")) == (1, True, 2)


def test_replay_counts_moves() -> None:
    counts = [int(line) for line in told("replay", GAMES, "--counts", "--game", "2").splitlines()]
    record = read_record(GAMES, 2)
    assert counts[0] == 170
    for decision in (1, 7, 30, len(counts)):
        assert counts[decision - 1] == len(replay_to(record, decision).legal_moves())


def test_a_named_position_is_reached_by_one_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules are asked once about each move, and the last one is the move that was played."""
    asked: list[Any] = []
    is_legal = Game.is_legal
    monkeypatch.setattr(
        Game, "is_legal", lambda game, move: asked.append(move) or is_legal(game, move)
    )
    placed = find_position(f"{GAMES}@40")
    assert len(asked) == 40
    assert placed.game is not None
    assert (placed.game.moves, placed.played) == (asked[:-1], asked[-1])


def test_perft_counts() -> None:
    start = Game(2, seed=1).text
    assert told("perft", start, "0") == "1\n"
    assert told("perft", start, "2") == "53550\n"
    out = told("perft", f"{GAMES}@58", "2", "--divide").splitlines()
    counts = [int(line.rpartition(" ")[2]) for line in out]
    assert out[-1].startswith("total ")
    assert sum(counts[:-1]) == counts[-1]
    assert told("perft", f"{GAMES}@58", "2") == f"{counts[-1]}\n"


@pytest.mark.parametrize(
    ("words", "onward"),
    [
        (("selfplay", "--out", "out"), "--append --seed 3 --games 5 goes on"),
        (("selfplay", "--out", "-"), ""),
        (("dataset", "--shard-games", "1", "--out", "out"),
         "the same command with --resume continues"),
    ],
)  # fmt: skip
def test_ctrl_c_says_how_many_games_are_kept_and_how_to_go_on(
    words: tuple[str, ...], onward: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    jobs = executors.completed

    def interrupted(*args: Any) -> Iterator[Any]:
        for number, result in enumerate(jobs(*args)):
            if number == 3:
                raise KeyboardInterrupt
            yield result

    monkeypatch.setattr(executors, "completed", interrupted)
    code, out, err = called(*words, "--games", "8", "--player", "random")
    what = f"interrupted: 3 of 8 games kept{onward and ': '}{onward}\n"
    assert (code, err) == (130, what)
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    if words[0] == "dataset":
        told(*words, "--games", "8", "--player", "random", "--resume")
    elif onward:
        told(*words, *onward.removesuffix(" goes on").split(), "--player", "random")
        whole = told("selfplay", "--out", "-", "--games", "8", "--player", "random")
        assert (tmp_path / "out").read_text() == whole
    else:
        assert len(out.splitlines()) == 3


@pytest.mark.parametrize(
    ("words", "files", "onward"),
    [
        (("selfplay",), 0, "--append --seed 3 --games 5 goes on"),
        (("dataset", "--shard-games", "1"), 1, "the same command with --resume continues"),
    ],
)
def test_ctrl_c_while_a_game_is_written_counts_the_game(
    words: tuple[str, ...], files: int, onward: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`files` are written before the first game."""
    flush, flushed = os.fsync, []

    def interrupted(handle: int) -> None:
        flush(handle)
        flushed.append(handle)
        if len(flushed) == files + 3:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "fsync", interrupted)
    out = str(tmp_path / "out")
    code, _, err = called(*words, "--games", "8", "--player", "random", "--out", out)
    assert (code, err) == (130, f"interrupted: 3 of 8 games kept: {onward}\n")
