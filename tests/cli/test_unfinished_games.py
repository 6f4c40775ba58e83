"""Commands that read records, on games that did not end and on games with a forfeit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from masons.cli.main import run
from masons.engine.game.record import Replay, read_record
from tests.cli.conftest import Told
from tests.support.paths import EXAMPLES

GAMES = str(EXAMPLES / "games.jsonl")
Record = dict[str, Any]


def cut(events: int, **more: Any) -> Record:
    record = read_record(GAMES)
    return {**record, "events": record["events"][:events], "result": None, **more}


def forfeited(record: Record, seat: int, event: int) -> Record:
    return {**record, "forfeits": [{"seat": seat, "event": event, "why": "crash"}]}


def written(path: Path, *records: Record) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


RESIGNED = cut(60, stopped={"why": "resigned", "seat": 1})
WINNER = read_record(GAMES)["result"]["winners"][0]
FORFEITED = forfeited(read_record(GAMES), WINNER, 50)
NAMES = read_record(GAMES)["names"]


def decisions(record: Record) -> int:
    replay = Replay(record)
    replay.check()
    return replay.game.decisions


@pytest.mark.parametrize("words", ["replay", "replay --check", "verify", "review", "show --html x"])
def test_the_file_of_a_game_that_goes_on_is_no_record(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"format": "masons-play", "version": 1}\n{"p": 0, "move": "wall:57"}\n')
    command, *options = words.split()
    assert run([command, str(path), *options]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(
        f"error: {path}: this game is unfinished: masons-engine play --resume FILE"
    )


def test_a_forfeit_that_only_the_notes_of_a_match_know_is_missed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """As matches wrote it at first: the seat that forfeited was shown as the winner."""
    old = {**read_record(GAMES), "match": {"forfeits": [WINNER]}}
    path = written(tmp_path / "old.jsonl", old)
    for words in (["replay"], ["show", "--html", "-"], ["review"], ["replay", "--counts"]):
        code = run([words[0], path, *words[1:]])
        out, err = capsys.readouterr()
        assert (code, out) == (1, "")
        missing = f"forfeits is missing, but match says that seat {WINNER} forfeited"
        assert f"error: {path}, game 1: {missing}" in err
    whole = {**old, "forfeits": FORFEITED["forfeits"]}
    assert "ok" in told("replay", "--check", written(tmp_path / "whole.jsonl", whole))
    for other in ({"forfeits": "0"}, {"forfeits": [9, "x", []]}, {"forfeits": []}, [0], 0):
        record = {**read_record(GAMES), "match": other}
        assert "ok" in told("replay", "--check", written(tmp_path / "x.jsonl", record))


@pytest.mark.slow
def test_replay_says_how_a_game_was_stopped_and_who_chose(tmp_path: Path, told: Told) -> None:
    path = written(tmp_path / "x.jsonl", RESIGNED, FORFEITED, cut(0), cut(33))
    said = told("replay", path, "--check").splitlines()
    assert said[0] == f"game 1: ok The game did not end: seat 1 ({NAMES[1]}) resigns."
    assert f"Seat {WINNER} ({NAMES[WINNER]}) had forfeited (crash)" in said[1]
    assert said[2:] == [
        "game 3: ok The game did not end.", "game 4: ok The game did not end.",
        "4 checked, all ok",
    ]  # fmt: skip
    told("replay", path)
    story = told("replay", path, "--game", "2")
    assert f"seat {WINNER} ({NAMES[WINNER]}, stand-in)" in story
    assert f"seat {WINNER} ({NAMES[WINNER]}) wins" not in story
    assert f"({NAMES[1 - WINNER]}) wins." in story
    short = told("replay", path, "--game", "1")
    assert "Scores so far: " in short
    assert short.rstrip().endswith("resigns.")
    assert " wins" not in short
    counts = told("replay", path, "--game", "1", "--counts")
    assert len(counts.splitlines()) == decisions(RESIGNED)


@pytest.mark.slow
def test_positions_of_a_game_that_did_not_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """Every decision that was made, and the one that was not."""
    path = written(tmp_path / "x.jsonl", RESIGNED, FORFEITED)
    last = decisions(RESIGNED) + 1
    for number in (1, last // 2, last):
        at = f"{path}@{number}"
        assert told("show", at)
        figures = json.loads(told("analyze", at, "--sims", "40", "--json"))
        assert figures["best"]
        assert json.loads(told("belief", at, "--json"))["seats"]
        assert json.loads(told("analyze", f"{path}#2@{number}", "--sims", "40", "--json"))
    for command in (["show"], ["analyze", "--sims", "40"], ["belief"]):
        assert run([*command, f"{path}@1"]) == 0
        assert f"({NAMES[1]}) resigns" in capsys.readouterr().err
        assert run([*command, f"{path}#2@1"]) == 0
        said = f"({NAMES[WINNER]}) forfeited: its engine crashed. From event 50 on a stand-in"
        assert said in capsys.readouterr().err
    for command in ("show", "analyze", "belief"):
        assert run([command, f"{path}@{last + 1}"]) == 1
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert f"no decision {last + 1}" in err


def test_a_page_of_a_game_says_how_it_ended(tmp_path: Path, told: Told) -> None:
    path = written(tmp_path / "x.jsonl", RESIGNED, FORFEITED, cut(0))
    page = told("show", path, "--html", "-")
    assert "resigns." in page
    assert '"result":[]' in page
    page = told("show", f"{path}#2", "--html", "-")
    assert "had forfeited (crash)" in page
    assert "a stand-in chooses" in page
    assert f'"result":[{1 - WINNER}]' in page
    assert "The game did not end." in told("show", f"{path}#3", "--html", "-")


@pytest.mark.slow
def test_a_review_rates_what_a_seat_chose_itself(tmp_path: Path, told: Told) -> None:
    first = [event.get("p") for event in RESIGNED["events"]].index(0, 30)
    records = [
        RESIGNED, forfeited(cut(60), 0, first), forfeited(read_record(GAMES), WINNER, 9), cut(0),
    ]  # fmt: skip
    path = written(tmp_path / "x.jsonl", *records)
    few = ("--sims", "8", "--rollouts", "16", "--playouts", "20", "--seed", "1")
    for number, record in enumerate(records, 1):
        options = (*few, "--game", str(number))
        report = json.loads(told("review", path, *options, "--json"))
        assert report["ended"] == (record["result"] is not None)
        assert report["forfeits"] == record.get("forfeits", [])
        assert report["stopped"] == record.get("stopped")
        chosen = {decision["number"] for decision in report["decisions"]}
        replay = Replay(record)
        while not replay.is_done:
            many = len(replay.game.legal_moves()) > 1
            assert (replay.game.decisions + 1 in chosen) == (many and not replay.by_stand_in)
            replay.step()
        for account, share in zip(report["accounts"], report["shares"], strict=True):
            parts = ("order", "deal", "dice", "cards", "own", "others")
            total = 1 / 2 + sum(account[part] for part in parts)
            assert total == pytest.approx(share, abs=1e-4)
            assert account["share"] == share
        page = tmp_path / "page.html"
        text = told("review", path, *options, "--html", str(page))
        for said in (text, page.read_text()):
            assert ("did not end" in said) == (record["result"] is None)
            assert ("forfeited" in said) == ("forfeits" in record)
    report = json.loads(told("review", path, *few, "--game", "3", "--json"))
    assert report["winners"] == [1 - WINNER]
    assert report["shares"][WINNER] == 0


def test_a_record_without_a_seed_is_told(tmp_path: Path, told: Told) -> None:
    record = {key: value for key, value in RESIGNED.items() if key != "seed"}
    assert "seed" not in told("replay", written(tmp_path / "x.jsonl", record)).split("\n")[0]
